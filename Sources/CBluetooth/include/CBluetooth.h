// HCI sockets, as Swift can use them: libbluetooth whole, and a thin function wherever a macro or a control message is in the way.
#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <stdint.h>

/// A socket for HCI; -1 and errno where there is none.
int bluetooth_socket(void);
int bluetooth_bind(int socket, uint16_t device, uint16_t channel);
/// Events and data, no command of others; every event.
int bluetooth_listen_to_all(int socket);
/// Asks the kernel to say when it got each packet.
void bluetooth_ask_for_stamps(int socket, uint16_t channel);

/// The adapter's flags (bits HCI_UP and so on), or -1.
int64_t bluetooth_flags(int socket, uint16_t device);
/// Whether somebody has the adapter's user channel: it is up then, too, and the kernel answers no question about its connections.
int bluetooth_is_held(uint16_t device);
int bluetooth_up(int socket, uint16_t device);
int bluetooth_down(int socket, uint16_t device);

enum { bluetooth_batch = 32, bluetooth_longest = 260 };

/// Takes all packets that wait, up to a batch; how many, or -1. The arrays have room for a batch: packets of the longest kind one behind
/// another, their lengths (0: it was longer), and the kernel's stamps in microseconds of CLOCK_REALTIME (0: none).
int bluetooth_receive(int socket, uint8_t *bytes, uint32_t *lengths, int64_t *stamps);
