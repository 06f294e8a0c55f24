// packet.h: one message with at most four descriptors over a SEQPACKET socket; used by both ends.
// Invariant: no allocation; a received descriptor is close-on-exec.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace pinfold::backend::on_linux::child {

inline constexpr std::size_t kMaxPacketFds = 4;

inline bool send_packet(int socket, const void* data, std::size_t size, const int* fds, std::size_t count) noexcept {
  iovec part{const_cast<void*>(data), size};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int) * kMaxPacketFds)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (count > 0) {
    message.msg_control = space;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    std::memcpy(CMSG_DATA(header), fds, sizeof(int) * count);
  }
  for (;;) {
    ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent >= 0) return true;
    if (errno != EINTR) return false;
  }
}

// One descriptor, or none for -1.
inline bool send_packet(int socket, const void* data, std::size_t size, int fd) noexcept {
  return send_packet(socket, data, size, &fd, fd >= 0 ? 1 : 0);
}

// Returns the bytes received; 0 at end of file, -1 on error. `count`: number of received descriptors.
inline ssize_t receive_packet(int socket, void* data, std::size_t size, int* fds, std::size_t& count,
                              int flags) noexcept {
  iovec part{data, size};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int) * kMaxPacketFds)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  count = 0;
  ssize_t got = -1;
  // ECONNRESET: the peer exited with unread messages. The kernel reports it once, before the messages that the peer had
  // sent.
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
  } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got < 0) return got;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(fds, CMSG_DATA(header), sizeof(int) * count);
  }
  if ((message.msg_flags & MSG_CTRUNC) == 0) return got;
  // The kernel drops descriptors that exceed this process's RLIMIT_NOFILE, and still delivers the message.
  for (std::size_t i = 0; i < count; ++i) ::close(fds[i]);
  count = 0;
  errno = EMFILE;
  return -1;
}

}  // namespace pinfold::backend::on_linux::child
