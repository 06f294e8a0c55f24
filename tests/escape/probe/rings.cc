// rings.cc: attempts through io_uring, whose requests no system call filter sees: open a file, connect a socket.
// Invariant: one request, one completion, then the ring is gone.
// Not here: the same by plain calls (files.cc, sockets.cc).
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

#include "probe.h"

namespace probe {
namespace {

// A ring of one entry; `submit` returns the request's result, or nothing when there was no ring.
class Ring {
 public:
  bool open() {
    std::memset(&setup_, 0, sizeof setup_);
    fd_ = static_cast<int>(::syscall(SYS_io_uring_setup, 4, &setup_));
    if (fd_ < 0) return false;
    requests_ = map(setup_.sq_off.array + setup_.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
    answers_ = map(setup_.cq_off.cqes + setup_.cq_entries * sizeof(io_uring_cqe), IORING_OFF_CQ_RING);
    entries_ = map(setup_.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES);
    return requests_ != nullptr && answers_ != nullptr && entries_ != nullptr;
  }

  std::optional<int> submit(const io_uring_sqe& request) {
    std::memcpy(entries_, &request, sizeof request);
    auto* tail = at<unsigned>(requests_, setup_.sq_off.tail);
    unsigned slot = *tail & *at<unsigned>(requests_, setup_.sq_off.ring_mask);
    at<unsigned>(requests_, setup_.sq_off.array)[slot] = 0;
    std::atomic_ref<unsigned>(*tail).store(*tail + 1, std::memory_order_release);
    if (::syscall(SYS_io_uring_enter, fd_, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0L) < 0) return std::nullopt;
    auto* head = at<unsigned>(answers_, setup_.cq_off.head);
    unsigned answer = *head & *at<unsigned>(answers_, setup_.cq_off.ring_mask);
    return at<io_uring_cqe>(answers_, setup_.cq_off.cqes)[answer].res;
  }

 private:
  char* map(std::size_t size, unsigned long offset) const {
    void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<off_t>(offset));
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
  }
  template <typename T>
  static T* at(char* base, unsigned offset) {
    return reinterpret_cast<T*>(base + offset);
  }

  io_uring_params setup_{};
  int fd_ = -1;
  char* requests_ = nullptr;
  char* answers_ = nullptr;
  char* entries_ = nullptr;
};

Result open_by_ring(const Args& args) {
  Ring ring;
  if (!ring.open()) return denied();
  io_uring_sqe request{};
  request.opcode = IORING_OP_OPENAT;
  request.fd = AT_FDCWD;
  request.addr = reinterpret_cast<std::uint64_t>(args[0].c_str());
  request.open_flags = O_RDONLY;
  std::optional<int> fd = ring.submit(request);
  if (!fd) return denied();
  if (*fd < 0) return reached("a ring; the open itself gave " + errno_name(-*fd));
  return read_descriptor(*fd);
}

Result connect_by_ring(const Args& args) {
  Ring ring;
  if (!ring.open()) return denied();
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return denied();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = ::htons(static_cast<std::uint16_t>(number(args[0])));
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  io_uring_sqe request{};
  request.opcode = IORING_OP_CONNECT;
  request.fd = fd;
  request.addr = reinterpret_cast<std::uint64_t>(&address);
  request.off = sizeof address;
  std::optional<int> got = ring.submit(request);
  if (!got) return denied();
  if (*got < 0) return reached("a ring; the connect itself gave " + errno_name(-*got));
  return read_descriptor(fd);
}

Result socket_by_ring(const Args&) {
  Ring ring;
  if (!ring.open()) return denied();
  io_uring_sqe request{};
  request.opcode = IORING_OP_SOCKET;
  request.fd = AF_INET;
  request.off = SOCK_STREAM;
  std::optional<int> fd = ring.submit(request);
  if (!fd) return denied();
  return reached(*fd >= 0 ? "a socket" : "a ring; the socket itself gave " + errno_name(-*fd));
}

constexpr Attempt kAttempts[] = {
    {"ring-open", 1, open_by_ring},
    {"ring-connect", 1, connect_by_ring},
    {"ring-socket", 0, socket_by_ring},
};

}  // namespace

std::span<const Attempt> ring_attempts() { return kAttempts; }

}  // namespace probe
