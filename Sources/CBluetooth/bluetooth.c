#define _GNU_SOURCE
#include "CBluetooth.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

int bluetooth_socket(void) { return socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI); }

int bluetooth_bind(int socket, uint16_t device, uint16_t channel) {
  struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = device, .hci_channel = channel};
  return bind(socket, (struct sockaddr *)&address, sizeof address);
}

int bluetooth_listen_to_all(int socket) {
  struct hci_filter filter;
  hci_filter_clear(&filter);
  hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
  hci_filter_set_ptype(HCI_ACLDATA_PKT, &filter);
  hci_filter_all_events(&filter);
  return setsockopt(socket, SOL_HCI, HCI_FILTER, &filter, sizeof filter);
}

void bluetooth_ask_for_stamps(int socket, uint16_t channel) {
  int on = 1;
  if (channel == HCI_CHANNEL_RAW)
    setsockopt(socket, SOL_HCI, HCI_TIME_STAMP, &on, sizeof on);
  else
    setsockopt(socket, SOL_SOCKET, SO_TIMESTAMP, &on, sizeof on);
}

int64_t bluetooth_flags(int socket, uint16_t device) {
  struct hci_dev_info info = {.dev_id = device};
  return ioctl(socket, HCIGETDEVINFO, &info) < 0 ? -1 : (int64_t)info.flags;
}

int64_t bluetooth_address(int socket, uint16_t device) {
  struct hci_dev_info info = {.dev_id = device};
  if (ioctl(socket, HCIGETDEVINFO, &info) < 0) return -1;
  int64_t address = 0;
  for (int i = 0; i < 6; i++) address |= (int64_t)info.bdaddr.b[i] << 8 * i;
  return address;
}

int bluetooth_is_held(uint16_t device) {
  int socket = bluetooth_socket();
  if (socket < 0) return 0;
  struct hci_conn_info_req nobody = {.type = ACL_LINK};
  int is_held = bluetooth_bind(socket, device, HCI_CHANNEL_RAW) == 0 && ioctl(socket, HCIGETCONNINFO, &nobody) < 0 && errno == EBUSY;
  close(socket);
  return is_held;
}

int bluetooth_up(int socket, uint16_t device) { return ioctl(socket, HCIDEVUP, device); }
int bluetooth_down(int socket, uint16_t device) { return ioctl(socket, HCIDEVDOWN, device); }

static int64_t stamp(struct msghdr *message) {
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
    int is_raw = part->cmsg_level == SOL_HCI && part->cmsg_type == HCI_CMSG_TSTAMP;
    int is_user = part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_TIMESTAMP;
    struct timeval time;
    if ((is_raw || is_user) && part->cmsg_len >= CMSG_LEN(sizeof time)) {
      memcpy(&time, CMSG_DATA(part), sizeof time);
      return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
    }
  }
  return 0;
}

int bluetooth_receive(int socket, uint8_t *bytes, uint32_t *lengths, int64_t *stamps) {
  struct mmsghdr messages[bluetooth_batch];
  struct iovec places[bluetooth_batch];
  _Alignas(struct cmsghdr) char control[bluetooth_batch][64];
  memset(messages, 0, sizeof messages);
  for (int i = 0; i < bluetooth_batch; i++) {
    places[i] = (struct iovec){bytes + i * bluetooth_longest, bluetooth_longest};
    messages[i].msg_hdr = (struct msghdr){
        .msg_iov = &places[i], .msg_iovlen = 1, .msg_control = control[i], .msg_controllen = sizeof control[i]};
  }
  int count = recvmmsg(socket, messages, bluetooth_batch, MSG_DONTWAIT, NULL);
  for (int i = 0; i < count; i++) {
    lengths[i] = messages[i].msg_hdr.msg_flags & MSG_TRUNC ? 0 : messages[i].msg_len;
    stamps[i] = stamp(&messages[i].msg_hdr);
  }
  return count;
}
