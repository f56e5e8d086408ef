#!/usr/bin/env python3
"""bluez.py RATE SECONDS: org.bluez as a scanner sees it, on the bus of $DBUS_SYSTEM_BUS_ADDRESS. Once somebody discovers, fifty devices
advertise so often a second, each told as bluetoothd tells an advert: its level and its manufacturer's data have changed."""
import asyncio
import sys
import time

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.constants import BusType

RATE, SECONDS, DEVICES = float(sys.argv[1]), float(sys.argv[2]), 50
ADAPTER = '/org/bluez/hci0'
BEACON = bytes.fromhex('0215000000000000000000000000000000000000')


def path(device):
    return f'{ADAPTER}/dev_00_00_00_00_00_{device:02X}'


def heard(device, number):
    data = BEACON + device.to_bytes(2, 'little') + b'\0\xC5' + bytes([number & 1])
    return {'RSSI': Variant('n', -80 + (device * 7 + number) % 24), 'ManufacturerData': Variant('a{qv}', {0x004C: Variant('ay', data)})}


def properties(device):
    return {'Address': Variant('s', f'00:00:00:00:00:{device:02X}'), 'AddressType': Variant('s', 'public'), 'Alias': Variant('s', f'd{device}'), 'Adapter': Variant('o', ADAPTER),
            'Paired': Variant('b', False), 'Bonded': Variant('b', False), 'Connected': Variant('b', False), 'Trusted': Variant('b', False), 'Blocked': Variant('b', False),
            'LegacyPairing': Variant('b', False), 'ServicesResolved': Variant('b', False), 'UUIDs': Variant('as', []), **heard(device, 0)}


def signal(where, interface, member, signature, body):
    return Message(message_type=MessageType.SIGNAL, path=where, interface=interface, member=member, signature=signature, body=body)


async def main():
    bus, discovering = await MessageBus(bus_type=BusType.SYSTEM).connect(), asyncio.Event()

    def answer(message):
        if message.message_type != MessageType.METHOD_CALL: return None
        if message.member == 'StartDiscovery': discovering.set()
        if message.member == 'GetManagedObjects':
            adapter = {'Address': Variant('s', '00:00:00:00:01:00'), 'Name': Variant('s', 'hci0'), 'Powered': Variant('b', True), 'Discovering': Variant('b', False),
                       'Roles': Variant('as', ['central'])}
            return Message.new_method_return(message, 'a{oa{sa{sv}}}', [{ADAPTER: {'org.bluez.Adapter1': adapter}}])
        return Message.new_method_return(message)

    bus.add_message_handler(answer)
    await bus.request_name('org.bluez')
    await discovering.wait()
    await asyncio.sleep(0.2)
    for device in range(DEVICES):
        await bus.send(signal('/', 'org.freedesktop.DBus.ObjectManager', 'InterfacesAdded', 'oa{sa{sv}}', [path(device), {'org.bluez.Device1': properties(device)}]))
    began, sent = time.monotonic(), 0
    while sent < RATE * SECONDS:
        while sent < (time.monotonic() - began) * RATE:
            device = sent % DEVICES
            bus.send(signal(path(device), 'org.freedesktop.DBus.Properties', 'PropertiesChanged', 'sa{sv}as', ['org.bluez.Device1', heard(device, sent // DEVICES), []]))
            sent += 1
        await asyncio.sleep(0.0005)


asyncio.run(main())
