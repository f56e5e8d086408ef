// libmosquitto as Swift can import it.
#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>
