// Writes the benchmark's air: 1,000,000 reports of 200 devices that advertise ten times a second, the same for the same seed.
//   generate REPORTS FILE.h4 [FILE.btsnoop]
// 60 % iBeacon, 10 % each AltBeacon, Eddystone-UID and named devices with service data, 5 % Eddystone-TLM, 5 % Apple's Nearby. One
// report in five comes as an extended one; one legacy event in twenty holds two reports.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 200 };
enum kind { IBEACON, ALTBEACON, EDDYSTONE, NAMED, TELEMETRY, APPLE };

struct device {
  enum kind kind;
  uint8_t address[6], data[31];
  int is_random, length, phase_us, is_moving;
  double mean;
};

static struct device devices[DEVICES];
static uint64_t state = 42, moment_us;
static FILE *stream, *capture;

static uint64_t chance(void) {  // SplitMix64
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}
static double unit(void) { return (chance() >> 11) * 0x1p-53; }
static void fill(uint8_t *bytes, int count) { while (count--) *bytes++ = chance(); }

static void field(struct device *device, uint8_t type, const void *content, int count) {
  uint8_t *end = device->data + device->length;
  end[0] = count + 1;
  end[1] = type;
  memcpy(end + 2, content, count);
  device->length += count + 2;
}

static void telemetry(struct device *device, uint32_t round, int index) {
  uint32_t count = round + 1, time = round + index;
  uint8_t frame[16] = {0xAA, 0xFE, 0x20, 0, 0x0B, 0x54 + index % 90, 0x14, index, count >> 24, count >> 16, count >> 8, count, time >> 24, time >> 16, time >> 8, time};
  device->length = 0;
  field(device, 0x01, "\x06", 1);
  field(device, 0x03, "\xAA\xFE", 2);
  field(device, 0x16, frame, sizeof frame);
}

static void name(struct device *device, int index) {
  char text[16];
  uint8_t service[10] = {0x1A, 0x18};
  fill(service + 2, 8);
  field(device, 0x09, text, sprintf(text, "Sensor-%03d", index));
  field(device, 0x16, service, sizeof service);
}

static void make(struct device *device, int index, uint8_t uuids[4][16]) {
  static const enum kind kinds[20] = {[12] = ALTBEACON, ALTBEACON, EDDYSTONE, EDDYSTONE, NAMED, NAMED, TELEMETRY, APPLE};
  uint8_t power = -59 - chance() % 7, frame[32], nearby[9] = {0x4C, 0, 0x10, 0x05};
  device->kind = kinds[index % 20];
  device->is_random = device->kind == APPLE || unit() < 0.6;
  fill(device->address, 6);
  if (device->is_random) device->address[5] = (device->address[5] & 0x3F) | (device->kind == APPLE ? 0x40 : 0xC0);
  device->phase_us = chance() % 100000;
  device->is_moving = unit() < 0.2;
  device->mean = (int8_t)power - 22 * log10(exp(log(0.5) + unit() * log(40)));  // 0.5 to 20 m
  field(device, 0x01, "\x06", 1);
  switch (device->kind) {
    case IBEACON: case ALTBEACON:
      memcpy(frame, device->kind == IBEACON ? "\x4C\x00\x02\x15" : "\x18\x01\xBE\xAC", 4);
      memcpy(frame + 4, uuids[chance() % 4], 16);
      memcpy(frame + 20, (uint8_t[]){0, 7, 0, index, power, 0}, 6);
      return field(device, 0xFF, frame, device->kind == IBEACON ? 25 : 26);
    case EDDYSTONE:
      memcpy(frame, (uint8_t[]){0xAA, 0xFE, 0, power + 41}, 4);
      fill(frame + 4, 16);
      memset(frame + 20, 0, 2);
      field(device, 0x03, "\xAA\xFE", 2);
      return field(device, 0x16, frame, 22);
    case NAMED: return name(device, index);
    case TELEMETRY: return;
    case APPLE:
      fill(nearby + 4, 5);
      field(device, 0x0A, "\x0C", 1);
      return field(device, 0xFF, nearby, sizeof nearby);
  }
}

static void emit(const uint8_t *packet, int count) {
  fwrite(packet, 1, count, stream);
  if (!capture) return;
  uint64_t stamp = 0x00DCDDB30F2F8000u + 1760000000000000u + moment_us;
  uint32_t head[6] = {count, count, 3, 0, stamp >> 32, (uint32_t)stamp};
  for (int i = 0; i < 6; i++) head[i] = __builtin_bswap32(head[i]);
  fwrite(head, sizeof head, 1, capture);
  fwrite(packet, 1, count, capture);
}

static uint8_t pending[64];
static int pending_bytes;

static void event(uint8_t subevent, const uint8_t *first, int first_bytes, const uint8_t *second, int second_bytes) {
  uint8_t packet[258] = {4, 0x3E, 2 + first_bytes + second_bytes, subevent, second_bytes ? 2 : 1};
  memcpy(packet + 5, first, first_bytes);
  memcpy(packet + 5 + first_bytes, second, second_bytes);
  emit(packet, 5 + first_bytes + second_bytes);
}

static void report(const struct device *device, int8_t level) {
  int is_connectable = device->kind == NAMED || device->kind == APPLE, count = device->length;
  uint8_t bytes[64];
  if (unit() < 0.2) {
    memcpy(bytes, (uint8_t[]){is_connectable ? 0x13 : 0x10, 0, device->is_random}, 3);
    memcpy(bytes + 3, device->address, 6);
    memcpy(bytes + 9, (uint8_t[]){1, 0, 0xFF, 0x7F, level, 0, 0, 0, 0, 0, 0, 0, 0, 0, count}, 15);
    memcpy(bytes + 24, device->data, count);
    return event(0x0D, bytes, 24 + count, bytes, 0);
  }
  memcpy(bytes, (uint8_t[]){is_connectable ? 0 : 3, device->is_random}, 2);
  memcpy(bytes + 2, device->address, 6);
  bytes[8] = count;
  memcpy(bytes + 9, device->data, count);
  bytes[9 + count] = level;
  if (pending_bytes) {
    event(0x02, pending, pending_bytes, bytes, 10 + count);
    pending_bytes = 0;
  } else if (unit() < 0.05) {
    memcpy(pending, bytes, pending_bytes = 10 + count);
  } else {
    event(0x02, bytes, 10 + count, bytes, 0);
  }
}

static int by_phase(const void *a, const void *b) {
  return devices[*(const int *)a].phase_us - devices[*(const int *)b].phase_us;
}

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  long left = atol(argv[1]);
  uint8_t uuids[4][16];
  int order[DEVICES];
  fill(uuids[0], sizeof uuids);
  for (int i = 0; i < DEVICES; i++) make(&devices[i], order[i] = i, uuids);
  qsort(order, DEVICES, sizeof *order, by_phase);
  stream = fopen(argv[2], "wb");
  capture = argc > 3 ? fopen(argv[3], "wb") : NULL;
  if (!stream || (argc > 3 && !capture)) return 73;
  if (capture) fwrite("btsnoop\0\0\0\0\1\0\0\3\xEA", 16, 1, capture);
  for (uint32_t round = 0; left > 0; round++) {
    for (int i = 0; i < DEVICES && left > 0; i++, left--) {
      struct device *device = &devices[order[i]];
      moment_us = round * 100000ull + device->phase_us;
      if (device->kind == TELEMETRY) telemetry(device, round, order[i]);
      double level = device->mean + (device->is_moving ? 6 * sin(moment_us / 9.5e6 + order[i]) : 0), noise = -6;
      for (int n = 0; n < 12; n++) noise += unit();
      level = fmax(-105, fmin(-20, level + 4 * noise));
      report(device, (int8_t)lrint(level));
    }
  }
  if (pending_bytes) event(0x02, pending, pending_bytes, pending, 0);
  return fclose(stream) != 0 || (capture && fclose(capture) != 0);
}
