// The least a program in C can do and still know who is near: it walks reports and fields, keeps each address's identity bytes and
// averages its level. It resolves nothing, merges nothing, ages nothing. The yardstick of Tests/Gates/bench.sh.
#include <stdint.h>
#include <string.h>

struct device {
  uint64_t key, count;
  float average;
  int8_t power;
  uint8_t kind, length;
  char name[29];
  uint8_t id[20];
};
enum { CAPACITY = 4096, UNKNOWN = 0, IBEACON, ALTBEACON, EDDYSTONE, TELEMETRY, NAMED, MANUFACTURER, SERVICE };

static struct device table[CAPACITY];
static long reports, damaged;

static struct device *find(uint64_t key) {
  for (uint64_t place = key * 0x9E3779B97F4A7C15u >> 52;; place = (place + 1) & (CAPACITY - 1)) {
    if (table[place].key == key) return &table[place];
    if (table[place].key) continue;
    table[place].key = key;
    return &table[place];
  }
}

static int manufacturer(struct device *device, const uint8_t *content, unsigned count, int kind) {
  if (count >= 25 && memcmp(content, "\x4C\x00\x02\x15", 4) == 0) kind = IBEACON;
  else if (count >= 26 && memcmp(content + 2, "\xBE\xAC", 2) == 0) kind = ALTBEACON;
  else return kind ? kind : MANUFACTURER;
  memcpy(device->id, content + 4, 20);
  device->power = (int8_t)content[24];
  return kind;
}

static int service(struct device *device, const uint8_t *content, unsigned count, int kind) {
  if (count < 4 || memcmp(content, "\xAA\xFE", 2) != 0) return kind ? kind : SERVICE;
  if (content[2] == 0 && count >= 20) {
    memcpy(device->id, content + 4, 16);
    device->power = (int8_t)content[3] - 41;
    return EDDYSTONE;
  }
  return content[2] == 0x20 ? TELEMETRY : kind;
}

static void report(const uint8_t *address, uint8_t type, int8_t level, const uint8_t *data, unsigned length) {
  uint64_t key = 0;
  int kind = UNKNOWN;
  memcpy(&key, address, 6);
  struct device *device = find(key | (uint64_t)(type + 1) << 48);
  reports++;
  for (unsigned at = 0; at + 1 < length && data[at]; at += data[at] + 1) {
    if (at + 1 + data[at] > length) {
      damaged++;
      break;
    }
    const uint8_t *content = data + at + 2;
    unsigned count = data[at] - 1;
    switch (data[at + 1]) {
      case 0xFF: kind = manufacturer(device, content, count, kind); break;
      case 0x16: kind = service(device, content, count, kind); break;
      case 0x08: case 0x09:
        device->length = count > 28 ? 28 : count;
        memcpy(device->name, content, device->length);
        if (!kind) kind = NAMED;
    }
  }
  device->kind = kind;
  device->average = device->count++ ? device->average + 0.2f * (level - device->average) : level;
}

static void event(const uint8_t *at, const uint8_t *end) {
  if (at + 2 > end) return;
  int is_extended = at[0] == 0x0D, left = is_extended || at[0] == 0x02 ? at[1] : 0;
  for (at += 2; left > 0; left--) {
    unsigned head = is_extended ? 24 : 9, tail = is_extended ? 0 : 1;
    if (at + head > end || at + head + at[head - 1] + tail > end) {
      damaged++;
      return;
    }
    unsigned length = at[head - 1];
    if (is_extended) report(at + 3, at[2], (int8_t)at[13], at + head, length);
    else report(at + 2, at[1], (int8_t)at[head + length], at + head, length);
    at += head + length + tail;
  }
}

long reference(const uint8_t *stream, long count, long *devices) {
  memset(table, 0, sizeof table);
  reports = damaged = *devices = 0;
  for (const uint8_t *at = stream, *end = stream + count; at + 3 <= end && at + 3 + at[2] <= end; at += 3 + at[2])
    if (at[0] == 4 && at[1] == 0x3E) event(at + 3, at + 3 + at[2]);
  for (int place = 0; place < CAPACITY; place++) *devices += table[place].key != 0;
  return damaged ? -damaged : reports;
}
