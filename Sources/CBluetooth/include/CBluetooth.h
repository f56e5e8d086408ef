// HCI sockets for Swift: all of libbluetooth's headers, and a thin function wherever Swift cannot use a macro or a control message.
#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <stdint.h>

/// A socket for HCI; -1 and errno if it fails.
int bluetooth_socket(void);
int bluetooth_bind(int socket, uint16_t device, uint16_t channel);
/// Sets the filter: all events, and data; no commands of other programs.
int bluetooth_listen_to_all(int socket);
/// Asks the kernel to stamp each packet.
void bluetooth_ask_for_stamps(int socket, uint16_t channel);

/// The adapter's flags (bits: HCI_UP and so on), or -1.
int64_t bluetooth_flags(int socket, uint16_t device);
/// The adapter's public address, its first byte on the air lowest; 0 where it has none, -1 if there is no such adapter.
int64_t bluetooth_address(int socket, uint16_t device);
/// Whether a program holds the adapter's user channel: the adapter is then up, too, but the kernel answers no question about connections.
int bluetooth_is_held(uint16_t device);
int bluetooth_up(int socket, uint16_t device);
int bluetooth_down(int socket, uint16_t device);

enum { bluetooth_batch = 64, bluetooth_longest = 260 };

/// Receives all waiting packets, up to a batch; returns how many, or -1. The arrays have room for a batch: packets at intervals of
/// `bluetooth_longest`, their lengths (0: it was longer), and the kernel's stamps in microseconds of CLOCK_REALTIME (0: none).
int bluetooth_receive(int socket, uint8_t *bytes, uint32_t *lengths, int64_t *stamps);
