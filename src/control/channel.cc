// channel.cc: sendmsg and recvmsg.
#include "control/channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/try.h"
#include "control/message.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::control {
namespace {

constexpr std::size_t kMostInPacket = std::size_t{32} << 10;
constexpr std::size_t kMostFds = 8;
// Sent instead of a text that is in the first descriptor.
constexpr std::string_view kInFile = "{\"v\":1,\"in\":\"file\"}";

Result<std::string> read_sealed(const sys::Fd& file) {
  struct stat info {};
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK;
  const int seals = ::fcntl(file.raw(), F_GET_SEALS);
  if (::fstat(file.raw(), &info) != 0 || seals < 0 || (seals & kSeals) != kSeals || info.st_size <= 0 ||
      static_cast<std::size_t>(info.st_size) > kLongestMessage)
    return fail(ErrorKind::kInvalid, "the memfd of a message is not sealed, or has an invalid size");
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  for (std::size_t done = 0; done < text.size();) {
    PF_TRY(size, sys::call("pread", "message", [&] {
             return ::pread(file.raw(), text.data() + done, text.size() - done, static_cast<off_t>(done));
           }));
    if (size == 0) return fail(ErrorKind::kInvalid, "the memfd of a message is shorter than its size");
    done += static_cast<std::size_t>(size);
  }
  return text;
}

}  // namespace

Result<bool> Channel::send(std::string_view text, const std::vector<int>& fds, Wait wait) {
  std::vector<int> all = fds;
  sys::Fd file;
  if (text.size() > kMostInPacket) {
    PF_TRY(sealed, sys::sealed_file(text));
    file = std::move(sealed);
    all.insert(all.begin(), file.raw());
    text = kInFile;
  }
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostFds)> space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!all.empty()) {
    const std::size_t size = sizeof(int) * all.size();
    message.msg_control = space.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(header), all.data(), size);
  }
  const int flags = MSG_NOSIGNAL | (wait == Wait::kNever ? MSG_DONTWAIT : 0);
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(raw(), &message, flags);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return true;
  if (errno == EAGAIN) return false;
  return tl::unexpected<Error>(sys::os_error("sendmsg", "control", errno));
}

Result<std::optional<Packet>> Channel::receive(Wait wait) {
  Packet packet;
  std::array<char, kMostInPacket> buffer;
  iovec part{buffer.data(), buffer.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostFds)> space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  const int flags = MSG_CMSG_CLOEXEC | (wait == Wait::kNever ? MSG_DONTWAIT : 0);
  ssize_t got = -1;
  // ECONNRESET: the other end closed with unread data. The kernel reports it once, before the data that it had sent.
  do {
    got = ::recvmsg(raw(), &message, flags);
  } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got < 0 && wait == Wait::kNever && errno == EAGAIN) return std::nullopt;
  if (got < 0) return tl::unexpected<Error>(sys::os_error("recvmsg", "control", errno));
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::array<int, kMostFds> fds{};
    std::memcpy(fds.data(), CMSG_DATA(header), sizeof(int) * count);
    for (std::size_t i = 0; i < count; ++i) packet.fds.push_back(sys::Fd::adopt(fds[i]));
  }
  if (got == 0) return fail(ErrorKind::kNotFound, "the other side has closed the connection");
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return fail(ErrorKind::kInvalid, "a packet is too long, or carries too many descriptors");
  packet.text.assign(buffer.data(), static_cast<std::size_t>(got));
  if (packet.text == kInFile) {
    if (packet.fds.empty()) return fail(ErrorKind::kInvalid, "the memfd of a message is missing");
    PF_TRY(text, read_sealed(packet.fds[0]));
    packet.text = std::move(text);
    packet.fds.erase(packet.fds.begin());
  }
  return packet;
}

}  // namespace pinfold::control
