// libmosquitto for Swift.
#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>

/// Until it is called with 0, this thread gets no block of memory larger than so many bytes, because libmosquitto allocates whatever length
/// a packet claims. Returns the size that was refused since the last call, or 0. There is no bound under sanitizers.
size_t mosquitto_bound_memory(size_t bytes);
