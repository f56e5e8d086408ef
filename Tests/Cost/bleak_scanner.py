#!/usr/bin/env python3
"""The least that a scanner in Python does: bleak, and a count for each address. Says every five seconds how many it has heard."""
import asyncio
import collections

from bleak import BleakScanner


async def main():
    heard = collections.Counter()

    def count(device, advert): heard[device.address] += 1
    async with BleakScanner(count, bluez={'filters': {'DuplicateData': True}}):
        while True:
            await asyncio.sleep(5)
            print(sum(heard.values()), flush=True)


asyncio.run(main())
