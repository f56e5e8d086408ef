"""What real controllers refuse and stock Bumble accepts."""
from bumble import hci

# Core 6.0, Vol 4, Part E, 3.1.1: after a command of one family those of the other answer Command Disallowed, until Reset.
LEGACY = set(range(0x2006, 0x200e))
EXTENDED = set(range(0x2035, 0x204a))
UNKNOWN, SETS_FULL, DISALLOWED, INVALID, UNKNOWN_SET = 0x01, 0x07, 0x0c, 0x12, 0x42
NOBODY = hci.Address('00:00:00:00:00:00')


def objection(controller, command, opcode):
    """The status to refuse with, or 0."""
    legacy = controller.le_legacy_advertiser
    if opcode == 0x2005 and (controller.le_scan_enable or legacy.enabled or controller.pending_le_connection):
        return DISALLOWED
    if opcode == 0x2006 and legacy.enabled or opcode == 0x2041 and controller.le_scan_enable:
        return DISALLOWED
    if opcode == 0x200a and command.advertising_enable and legacy.own_address_type == 1 and controller.random_address == NOBODY:
        return INVALID
    if 0x2035 <= opcode <= 0x2039:
        return set_objection(controller.advertising_sets, controller.most_sets, command, opcode)
    return 0


def set_objection(sets, most, command, opcode):
    """The same for the commands of advertising sets."""
    if opcode == 0x2039:
        for handle in command.advertising_handles if command.enable else ():
            if handle not in sets:
                return UNKNOWN_SET
            if sets[handle].address in (None, NOBODY):
                return INVALID
        return 0
    known = sets.get(command.advertising_handle)
    if opcode == 0x2036:
        return DISALLOWED if known and known.enabled else SETS_FULL if not known and len(sets) >= most else 0
    if not known:
        return UNKNOWN_SET
    if opcode in (0x2037, 0x2038) and command.operation == 3 and int(known.parameters.advertising_event_properties) & 0x10:
        data = command.advertising_data if opcode == 0x2037 else command.scan_response_data
        return INVALID if len(data) > 31 else 0
    return 0
