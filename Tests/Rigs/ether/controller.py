"""Bumble's virtual controller (PyPI bumble 0.0.236, Apache-2.0), corrected until it behaves as real ones do.

Stock: reports every advert as ADV_IND with RSSI -50 and twice, ignores event masks and the kind of scan, lets legacy and
extended commands mix, keeps scanning across Reset, cancels no connection, never fragments, knows no Read RSSI.
"""
import asyncio
import time

from bumble import controller, hci, ll

from ether.advertising import AdvertisingSet, LegacyAdvertiser
from ether.medium import CONNECTABLE, PHY_CODED, Advert, reports
from ether.refusals import DISALLOWED, EXTENDED, LEGACY, NOBODY, UNKNOWN, objection

VENDORS = {'broadcom': 0x000f, 'zephyr': 0x05f1, 'none': 0xffff}


# The stock handlers name these classes; every controller of this process is one of ours.
controller.LegacyAdvertiser, controller.AdvertisingSet = LegacyAdvertiser, AdvertisingSet


class Controller(controller.Controller):
    level = -67  # how strongly others hear its transmissions of 0 dBm
    offset_db = 0  # added to what it hears
    connecting_stops_scan = False
    deaf = None  # None, or what cures it: 'enable', 'reset', 'never'
    vendor = 'none'
    most_sets = 4
    power_range = (-20, 8)

    def __init__(self, name, medium, address, legacy=False, **settings):
        self.family = None
        self.counts = dict.fromkeys(('reports', 'mixed', 'disallowed', 'unknown', 'duplicates_filter_asked', 'resets'), 0)
        self.scan_total, self.scan_since, self.heard = 0.0, None, set()
        super().__init__(name, link=medium, public_address=hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS))
        for key, value in settings.items():
            setattr(self, key, value)
        self.legacy = legacy
        self.manufacturer_company_identifier = VENDORS[self.vendor]
        if legacy:
            self.le_features &= ~(hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_CODED_PHY)
        else:
            self.supported_commands = self.supported_commands | EXTENDED & set(hci.HCI_SUPPORTED_COMMANDS_MASKS)
        self.forget()

    def forget(self):
        """The state that Reset leaves."""
        self.scanning(False)
        self.family, self.extended_scan, self.scan_phys, self.tx_power = None, False, 1, 0
        self.filter_duplicates, self.le_scan_type = False, 0
        self.event_mask, self.le_event_mask = 0x1fffffffffff, 0x1f
        self.pending_le_connection, self.random_address = None, NOBODY
        self.le_legacy_advertiser.stop()
        for advertising in self.advertising_sets.values():
            advertising.stop()
        self.advertising_sets.clear()

    def scanning(self, on):
        now = time.monotonic()
        if self.scan_since is not None:
            self.scan_total += now - self.scan_since
        self.scan_since = now if on else None
        self.le_scan_enable = on
        if on:
            self.heard.clear()

    @property
    def scan_seconds(self):
        """Time spent scanning, until now."""
        return self.scan_total + (time.monotonic() - self.scan_since if self.scan_since is not None else 0)

    # -- the air ---------------------------------------------------------------------------------------------------------

    def transmit(self, advert, power):
        advert.level = self.level + power if not isinstance(self.level, dict) else {k: v + power for k, v in self.level.items()}
        self.link.broadcast(advert, self)

    def hear(self, advert, sender):
        level = advert.level_at(self.name)
        if level is None:
            return
        pending = self.pending_le_connection
        if pending and sender and advert.kind == CONNECTABLE and pending.peer_address == advert.address:
            if not isinstance(pending, hci.HCI_LE_Create_Connection_Command) or not advert.extended:
                self.create_le_connection(advert.address)
        if not self.le_scan_enable or self.deaf:
            return
        if self.extended_scan and not self.scan_phys & (4 if advert.phy == PHY_CODED else 1):
            return
        if self.filter_duplicates:
            key = (bytes(advert.address), advert.extended)
            if key in self.heard:
                return
            self.heard.add(key)
        rssi = 127 if level == 127 else max(-127, min(20, round(level) + self.offset_db))
        for event in reports(advert, rssi, self.extended_scan, self.le_scan_type == 1):
            self.counts['reports'] += 1
            self.emit(event)

    def on_link_acl_data(self, sender_address, transport, data):
        """Fragments to the LE buffer size, as a real controller does; stock sends one packet of any length."""
        connection = self.le_connections.get(sender_address)
        if connection is None:
            return
        size = self.le_acl_data_packet_length
        for at in range(0, len(data), size):
            part = data[at:at + size]
            self.send_hci_packet(hci.HCI_AclDataPacket(connection.handle, 2 if at == 0 else 1, 0, len(part), part))

    def on_le_disconnected(self, connection, reason):
        if connection.peer_address in self.le_connections:
            super().on_le_disconnected(connection, reason)

    # -- to the host -----------------------------------------------------------------------------------------------------

    def send_hci_packet(self, packet):
        asyncio.get_running_loop().call_soon(self.emit, bytes(packet))

    def emit(self, raw):
        if self.host is None:
            return
        if raw[:2] == b'\x04\x3e':
            code = raw[3]
            if code == 1 and self.le_event_mask >> 9 & 1:  # 7.7.65.10: the enhanced event instead, where it is not masked
                raw = b'\x04\x3e\x1f\x0a' + raw[4:15] + bytes(12) + raw[15:]
                code = 10
            if not self.event_mask >> 61 & 1 or not self.le_event_mask >> (code - 1) & 1:
                return
        self.host.on_packet(raw)

    def refuse(self, command, status):
        if status in (DISALLOWED, UNKNOWN):
            self.counts['disallowed' if status == DISALLOWED else 'unknown'] += 1
        if isinstance(command, hci.HCI_AsyncCommand):
            self._send_hci_command_status(status, command.op_code)
        else:
            self.complete(command.op_code, bytes([status]))

    def complete(self, opcode, result):
        body = b'\x01' + opcode.to_bytes(2, 'little') + result
        asyncio.get_running_loop().call_soon(self.emit, b'\x04\x0e' + bytes([len(body)]) + body)

    # -- commands --------------------------------------------------------------------------------------------------------

    def on_packet(self, packet):
        if packet[0] == 1 and packet[2] >> 2 == 0x3f:
            self.on_vendor_command(packet[1] | packet[2] << 8, packet[4:])
        else:
            super().on_packet(packet)

    def on_vendor_command(self, opcode, parameters):
        """Transmit power by vendor: Broadcom/Cypress FC26 FE 00 dBm; Zephyr FC0E type handle dBm and FC0F, its reading."""
        low, high = self.power_range
        if self.vendor == 'broadcom' and opcode == 0xfc26 and len(parameters) == 3 and parameters[:2] == b'\xfe\0':
            self.tx_power = max(low, min(high, int.from_bytes(parameters[2:], signed=True)))
            self.complete(opcode, b'\0')
        elif self.vendor == 'zephyr' and opcode in (0xfc0e, 0xfc0f) and len(parameters) == 3 + (opcode == 0xfc0e):
            if opcode == 0xfc0e:
                self.tx_power = max(low, min(high, int.from_bytes(parameters[3:], signed=True)))
            self.complete(opcode, b'\0' + parameters[:3] + bytes([self.tx_power & 255]))
        else:
            self.counts['unknown'] += 1
            self.complete(opcode, b'\x01')

    def on_hci_command_packet(self, command):
        opcode = command.op_code
        family = 'legacy' if opcode in LEGACY else 'extended' if opcode in EXTENDED else None
        refusal = objection(self, command, opcode)
        if family == 'extended' and self.legacy or not hasattr(self, f'on_{command.name.lower()}'):
            self.refuse(command, UNKNOWN)
        elif family and self.family and family != self.family:
            self.counts['mixed'] += 1
            self.refuse(command, DISALLOWED)
        elif refusal:
            self.refuse(command, refusal)
        elif opcode == 0x200e:
            self.cancel_connection(command)
        else:
            self.family = family or self.family
            super().on_hci_command_packet(command)

    def on_hci_reset_command(self, command):
        self.counts['resets'] += 1
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(ll.TerminateInd(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR))
        self.le_connections.clear()
        self.forget()
        if self.deaf in ('enable', 'reset'):
            self.deaf = None
        return super().on_hci_reset_command(command)

    def on_hci_read_rssi_command(self, command):
        connection = self.find_connection_by_handle(command.handle)
        if connection is None:
            return hci.HCI_Read_RSSI_ReturnParameters(hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, command.handle, 127)
        peer = self.link.find_le_controller(connection.peer_address)
        level = Advert(NOBODY, b'', level=getattr(peer, 'level', 127)).level_at(self.name)
        return hci.HCI_Read_RSSI_ReturnParameters(hci.HCI_ErrorCode.SUCCESS, command.handle, 127 if level is None else round(level))

    def on_hci_disconnect_command(self, command):
        """The local host learns that it was the one who ended it; stock repeats the reason meant for the peer."""
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if connection is None:
            return self._send_hci_command_status(hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, command.op_code)
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        connection.send_ll_control_pdu(ll.TerminateInd(command.reason))
        return self.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR)

    def enable_scan(self, on, filtering, extended):
        if on and self.deaf == 'enable':
            self.deaf = None
        self.counts['duplicates_filter_asked'] += bool(on and filtering)
        self.extended_scan, self.filter_duplicates = extended, bool(filtering)
        self.scanning(bool(on))
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_le_set_scan_enable_command(self, command):
        return self.enable_scan(command.le_scan_enable, command.filter_duplicates, False)

    def on_hci_le_set_extended_scan_enable_command(self, command):
        return self.enable_scan(command.enable, command.filter_duplicates, True)

    def on_hci_le_set_extended_scan_parameters_command(self, command):
        self.scan_phys, self.le_scan_type = int(command.scanning_phys), command.scan_types[0]
        return super().on_hci_le_set_extended_scan_parameters_command(command)

    def on_hci_le_set_extended_advertising_parameters_command(self, command):
        super().on_hci_le_set_extended_advertising_parameters_command(command)
        advertising, (low, high) = self.advertising_sets[command.advertising_handle], self.power_range
        wanted = command.advertising_tx_power
        wanted = wanted - 256 if wanted > 127 else wanted
        advertising.selected = 0 if wanted == 127 else max(low, min(high, wanted))
        return hci.HCI_LE_Set_Extended_Advertising_Parameters_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, selected_tx_power=advertising.selected)

    def on_hci_le_read_number_of_supported_advertising_sets_command(self, command):
        return hci.HCI_LE_Read_Number_Of_Supported_Advertising_Sets_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, num_supported_advertising_sets=self.most_sets)

    def on_hci_le_read_transmit_power_command(self, command):
        return hci.HCI_LE_Read_Transmit_Power_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, min_tx_power=self.power_range[0] & 255, max_tx_power=self.power_range[1])

    def on_hci_le_read_advertising_physical_channel_tx_power_command(self, command):
        return hci.HCI_LE_Read_Advertising_Physical_Channel_Tx_Power_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, tx_power_level=self.tx_power)

    def stop_scan_for_connection(self):
        if self.connecting_stops_scan and self.le_scan_enable:
            self.scanning(False)

    def on_hci_le_create_connection_command(self, command):
        self.stop_scan_for_connection()
        super().on_hci_le_create_connection_command(command)

    def on_hci_le_extended_create_connection_command(self, command):
        self.stop_scan_for_connection()
        super().on_hci_le_extended_create_connection_command(command)

    def cancel_connection(self, command):
        """7.8.13: Command Complete, then a connection event that says Unknown Connection Identifier."""
        if self.pending_le_connection is None:
            return self.refuse(command, DISALLOWED)
        self.pending_le_connection = None
        self.complete(command.op_code, b'\0')
        self.send_hci_packet(hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=0, peer_address_type=0,
            peer_address=NOBODY, connection_interval=0, peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0))
