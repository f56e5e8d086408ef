"""What is on the air and how a controller reports it: adverts, levels, HCI report events, the link between controllers."""
import asyncio
import dataclasses

from bumble import hci, link

CONNECTABLE, SCANNABLE, PLAIN, RESPONSE = 0, 2, 3, 4  # legacy PDU kinds, numbered as in LE Advertising Report
PHY_1M, PHY_CODED = 1, 3
REPORT_DATA = 229  # octets of one extended report that fit an HCI event
EXTENDED_TYPE = {CONNECTABLE: 0x13, SCANNABLE: 0x12, PLAIN: 0x10}


@dataclasses.dataclass
class Advert:
    """One PDU (or, extended, one chain of PDUs). `level` is the RSSI: a number, or a table by controller name with '*'."""

    address: hci.Address
    data: bytes
    kind: int = PLAIN
    level: object = -67
    scan_response: bytes = b''
    extended: bool = False
    phy: int = PHY_1M
    sid: int = 0
    tx_power: int = 127
    truncated: bool = False

    def level_at(self, name):
        """None where this controller is out of reach."""
        if isinstance(self.level, dict):
            return self.level.get(name, self.level.get('*'))
        return self.level


def legacy_report(address, kind, data, rssi):
    """LE Advertising Report with one report (Core 6.0, Vol 4, Part E, 7.7.65.2)."""
    body = b'\x02\x01' + bytes([kind, address.address_type]) + bytes(address) + bytes([len(data)]) + data + bytes([rssi & 255])
    return b'\x04\x3e' + bytes([len(body)]) + body


def legacy_reports(reports):
    """Several reports in one event: the fields stand side by side, as controllers send them."""
    body = b'\x02' + bytes([len(reports)]) + b''.join(
        bytes([kind, address.address_type]) + bytes(address) + bytes([len(data)]) + data + bytes([rssi & 255])
        for address, kind, data, rssi in reports)
    return b'\x04\x3e' + bytes([len(body)]) + body


def extended_report(address, event_type, data, rssi, primary=PHY_1M, secondary=0, sid=0xff, tx_power=127):
    """LE Extended Advertising Report with one report (7.7.65.13)."""
    body = (b'\x0d\x01' + event_type.to_bytes(2, 'little') + bytes([address.address_type]) + bytes(address) +
            bytes([primary, secondary, sid, tx_power & 255, rssi & 255]) + bytes(9) + bytes([len(data)]) + data)
    return b'\x04\x3e' + bytes([len(body)]) + body


def reports(advert, rssi, extended, active):
    """The events by which a scanning controller tells of one advert: none when it cannot hear this kind."""
    address = advert.address
    if advert.extended:
        if not extended:
            return []
        event_type = 1 if advert.kind == CONNECTABLE else 2 if advert.kind == SCANNABLE else 0
        chunks = [advert.data[i:i + REPORT_DATA] for i in range(0, len(advert.data), REPORT_DATA)] or [b'']
        last = len(chunks) - 1
        return [extended_report(address, event_type | (0x20 if i < last else 0x40 if advert.truncated else 0), chunk, rssi,
                                advert.phy, advert.phy, advert.sid, advert.tx_power) for i, chunk in enumerate(chunks)]
    answered = active and advert.kind in (CONNECTABLE, SCANNABLE)
    if extended:
        event_type = EXTENDED_TYPE[advert.kind]
        out = [extended_report(address, event_type, advert.data, rssi)]
        if answered:
            out.append(extended_report(address, event_type | 8, advert.scan_response, rssi))
    else:
        out = [legacy_report(address, advert.kind, advert.data, rssi)]
        if answered:
            out.append(legacy_report(address, RESPONSE, advert.scan_response, rssi))
    return out


class Medium(link.LocalLink):
    """The link between the controllers. Stock names a peer by its random address only; here by the address in use."""

    def broadcast(self, advert, sender=None):
        for controller in list(self.controllers):
            if controller is not sender:
                controller.hear(advert, sender)

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        receiver = self.find_le_controller(destination_address)
        for connection in sender_controller.le_connections.values():
            if connection.peer_address == destination_address and receiver is not None:
                asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, connection.self_address, transport, data)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        """A peer that was unplugged hears nothing; stock raises in the sender."""
        if self.find_le_controller(receiver_address):
            super().send_ll_control_pdu(sender_address, receiver_address, packet)
