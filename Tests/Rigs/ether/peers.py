"""The other ends of a connection, with Bumble's own GATT: a phone that can be asked, and a central that asks our gateway."""
import asyncio
import random
import time

from bumble import att, core, device, gatt, hci, host, ll
from bumble.transport.common import AsyncPipeSink

from ether.adverts import STATIC_SERVICE, address, flags, overflow, overflow_position, resolvable, services, structure
from ether.controller import Controller

INSTALLATION_PREFIX = 'BBBBBBBB-BBBB-BBBB-BBBB-BBCC'
REAL_PHONE = ['180F', '1805', '180A', 'D0611E78-BBB4-4591-A5F8-487910AE4366', '9FA480E0-4967-4542-9390-D343DC5D04AE']
STEPS = {0x02: 'mtu', 0x04: 'information', 0x06: 'find', 0x08: 'read', 0x0a: 'read', 0x10: 'discover'}
ATT = 4


class Faulty(Controller):
    """Stands before a phone's host and spoils the conversation at one step: {"at": "mtu", "do": "silence"}."""

    fault = None
    spoiled = 0

    def on_link_acl_data(self, sender_address, transport, data):
        step = STEPS.get(data[4]) if len(data) > 4 and data[2] == ATT else None
        if not self.fault or step is None or self.fault['at'] not in (step, 'any'):
            return super().on_link_acl_data(sender_address, transport, data)
        self.spoiled += 1
        self.spoil(sender_address, transport, data, random.Random(self.fault.get('seed', self.spoiled)))

    def spoil(self, peer, transport, data, rng):
        def answer(pdu, length=None):
            size = (len(pdu) if length is None else length).to_bytes(2, 'little')
            self.link.send_acl_data(self, peer, transport, size + b'\x04\0' + pdu)

        deed = self.fault['do']
        if deed == 'garbage':
            answer(rng.randbytes(rng.randint(1, 40)))
        elif deed == 'lie':  # an L2CAP length that does not fit what follows
            answer(rng.randbytes(20), rng.choice((0, 3, 60, 0xffff)))
        elif deed == 'error':
            answer(bytes([1, data[4], 1, 0, self.fault.get('code', 0x0e)]))
        elif deed == 'flood':
            for _ in range(self.fault.get('many', 500)):
                answer(b'\x1b\x03\0' + rng.randbytes(15))
        elif deed == 'slow':
            asyncio.get_running_loop().call_later(self.fault.get('seconds', 1), super().on_link_acl_data, peer, transport, data)
        elif deed == 'disconnect':
            connection = self.le_connections.get(peer)
            if connection:
                connection.send_ll_control_pdu(ll.TerminateInd(self.fault.get('code', 0x13)))
                self.on_le_disconnected(connection, 0x16)
        elif deed != 'silence':
            raise ValueError(f'no such fault: {deed}')


class Phone:
    """A connectable peripheral with the two services of the identify conversation (and, if asked, a real phone's others)."""

    def __init__(self, medium, words):
        self.medium, self.words, self.turns = medium, words, None
        self.controller = Faulty(words['id'], medium, 'C4:64:E3:00:00:%02X' % (len(medium.controllers) & 255), legacy=True,
                                 level=words.get('rssi', -60))
        self.controller.fault = words.get('fault')
        own = resolvable(words['irk']) if 'irk' in words else address(words)
        self.public = own.address_type == hci.Address.PUBLIC_DEVICE_ADDRESS
        if self.public:
            self.controller.public_address = own
        self.device = device.Device(
            config=device.DeviceConfiguration(name=words.get('name', 'phone'), address=own),
            host=host.Host(self.controller, AsyncPipeSink(self.controller)))
        self.address = own
        hosted = words.get('services') or [STATIC_SERVICE, INSTALLATION_PREFIX + words.get('installation', '8337CA80')]
        for name in (REAL_PHONE if words.get('real') else []) + hosted:
            self.device.add_service(gatt.Service(core.UUID(name), [gatt.Characteristic(
                core.UUID.from_16_bits(0x2A00), gatt.Characteristic.Properties.READ, gatt.Characteristic.READABLE, b'x')]))

    async def start(self):
        await self.device.power_on()
        await self.advertise()
        if self.words.get('rotate_s'):
            self.turns = asyncio.get_running_loop().create_task(self.rotate())

    async def advertise(self):
        words = self.words
        if words.get('background'):
            data = flags(0x1a) + overflow(overflow_position(STATIC_SERVICE), *words.get('other_positions', []))
        else:
            data = flags() + services(STATIC_SERVICE)
        response = structure(0x09, words['name'].encode()) if 'name' in words else b''
        interval = words.get('interval_ms', 100)
        await self.device.start_advertising(
            auto_restart=True, own_address_type=hci.OwnAddressType.PUBLIC if self.public else hci.OwnAddressType.RANDOM,
            advertising_data=data, scan_response_data=response,
            advertising_interval_min=interval, advertising_interval_max=interval)

    async def rotate(self):
        """A new address every while, but not during a connection (Bumble's own rotation refuses while advertising)."""
        while True:
            await asyncio.sleep(self.words['rotate_s'])
            if not self.device.connections:
                await self.device.stop_advertising()
                self.address = resolvable(self.words['irk'])
                self.device.random_address = self.address
                await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=self.address))
                await self.advertise()

    def change(self, words):
        self.words.update(words)
        self.controller.level = self.words.get('rssi', -60)
        self.controller.fault = self.words.get('fault')

    def stop(self):
        if self.turns:
            self.turns.cancel()
        self.controller.on_hci_reset_command(None)
        self.medium.controllers.discard(self.controller)


class Central:
    """Looks for whoever advertises a service, connects, asks everything a phone might ask, and tells what it was told."""

    def __init__(self, medium, words):
        self.medium, self.words = medium, words
        self.controller = Controller(words.get('id', 'central'), medium, 'C4:64:E3:00:01:%02X' % (len(medium.controllers) & 255),
                                     legacy=not words.get('extended'), level=words.get('rssi', -60))
        self.device = device.Device(
            config=device.DeviceConfiguration(name='central', address=address({'id': words.get('id', 'central')})),
            host=host.Host(self.controller, AsyncPipeSink(self.controller)))

    async def find(self):
        wanted, found = self.words.get('service', STATIC_SERVICE), asyncio.get_running_loop().create_future()

        def heard(advert):
            named = advert.data.get_all(core.AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS) or []
            named = [u for group in named for u in group]
            at_address = str(advert.address).split('/')[0] == self.words.get('address', '').upper()
            if (at_address or core.UUID(wanted) in named) and advert.is_connectable and not found.done():
                found.set_result(advert.address)

        self.device.on('advertisement', heard)
        await self.device.start_scanning(active=False, filter_duplicates=False)
        try:
            return await asyncio.wait_for(found, self.words.get('timeout_s', 5))
        finally:
            await self.device.stop_scanning()

    async def raw(self, connection, pdus):
        """ATT PDUs as they are, each with the answer that came within a second, or none."""
        answers, arrived = [], asyncio.Queue()
        channels = self.device.l2cap_channel_manager.fixed_channels
        usual, channels[att.ATT_CID] = channels[att.ATT_CID], lambda _, pdu: arrived.put_nowait(pdu)
        for pdu in pdus:
            connection.send_l2cap_pdu(att.ATT_CID, bytes.fromhex(pdu))
            try:
                answers.append((await asyncio.wait_for(arrived.get(), self.words.get('answer_s', 1))).hex())
            except asyncio.TimeoutError:
                answers.append(None)
        channels[att.ATT_CID] = usual
        return answers

    async def run(self):
        """One visit: find, connect, exchange MTU, discover, read, and leave (or stall: stay connected and be silent)."""
        words, began, out = self.words, time.monotonic(), {}
        await self.device.power_on()
        target = await self.find()
        out['address'], out['found_s'] = str(target), round(time.monotonic() - began, 4)
        began = time.monotonic()
        connection = await self.device.connect(target, timeout=words.get('timeout_s', 5))
        out['connected_s'] = round(time.monotonic() - began, 4)
        gone = asyncio.Event()
        connection.on('disconnection', lambda _: gone.set())
        if 'raw' in words:
            out['answers'] = await self.raw(connection, words['raw'])
        elif not words.get('stall_s'):
            out.update(await asyncio.wait_for(self.examine(connection), words.get('timeout_s', 5)))
        if words.get('stall_s'):
            try:
                await asyncio.wait_for(gone.wait(), words['stall_s'])
                out['dropped_s'] = round(time.monotonic() - began, 3)
            except asyncio.TimeoutError:
                out['dropped_s'] = None
        if not gone.is_set():
            await connection.disconnect()
        out['seconds'] = round(time.monotonic() - began, 4)
        return out

    async def examine(self, connection):
        peer, out = device.Peer(connection), {}
        out['mtu'] = await peer.request_mtu(self.words.get('mtu', 185))
        found = await peer.discover_services()
        out['services'] = [{'uuid': s.uuid.to_hex_str('-'), 'from': s.handle, 'to': s.end_group_handle} for s in found]
        by_value = await peer.discover_service(core.UUID(self.words.get('service', STATIC_SERVICE)))
        out['found_by_value'] = [s.handle for s in by_value]
        out['characteristics'] = {}
        for service in found:
            for characteristic in await service.discover_characteristics():
                value = None
                if characteristic.properties & gatt.Characteristic.Properties.READ:
                    try:
                        value = bytes(await peer.read_value(characteristic)).hex()
                    except Exception as error:
                        value = f'{type(error).__name__}: {error}'
                out['characteristics'][f'{characteristic.handle:04x}'] = {'uuid': str(characteristic.uuid), 'value': value}
        out['rssi'] = await connection.get_rssi()
        return out

    def stop(self):
        self.controller.on_hci_reset_command(None)
        self.medium.controllers.discard(self.controller)
