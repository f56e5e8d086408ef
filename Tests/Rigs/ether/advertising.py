"""What a controller sends of its own: Bumble's two advertisers, corrected, both through Medium.broadcast."""
import asyncio

from bumble import controller

from ether.medium import CONNECTABLE, PLAIN, SCANNABLE, Advert


class LegacyAdvertiser(controller.LegacyAdvertiser):
    """Stock sends ADV_IND only and takes the interval for milliseconds."""

    def _on_timer_fired(self):
        self.send_advertising_data()
        self.timer_handle = asyncio.get_running_loop().call_later(
            max(self.advertising_interval_min, 0x20) * 0.000625, self._on_timer_fired)

    def send_advertising_data(self):
        if self.enabled:
            kind = {0: CONNECTABLE, 2: SCANNABLE}.get(self.advertising_type, PLAIN)
            self.controller.transmit(Advert(self.address, bytes(self.advertising_data), kind,
                                            scan_response=bytes(self.scan_response_data)), self.controller.tx_power)


class AdvertisingSet(controller.AdvertisingSet):
    selected = 0

    def send_extended_advertising_data(self):
        properties = int(self.parameters.advertising_event_properties)
        kind = CONNECTABLE if properties & 1 else SCANNABLE if properties & 2 else PLAIN
        self.controller.transmit(Advert(
            self.address, bytes(self.data), kind, scan_response=bytes(self.scan_response_data), extended=not properties & 0x10,
            phy=int(self.parameters.primary_advertising_phy), sid=self.parameters.advertising_sid,
            tx_power=self.selected if properties & 0x40 else 127), self.selected)
