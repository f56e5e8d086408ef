// libmosquitto as Swift can import it.
#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>

/// Until it is called with 0, this thread is given no block of memory larger than so many bytes: libmosquitto takes memory for whatever
/// length a packet claims. Returns the size that was refused since the last call, 0 if none was. Under sanitizers there is no bound.
size_t mosquitto_bound_memory(size_t bytes);
