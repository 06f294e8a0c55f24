// scoped_fd.h: the descriptor class for code between clone and exec.
#pragma once

#include <unistd.h>

namespace pinfold::backend::on_linux::child {

// Closes at the end of its scope.
class ScopedFd {
 public:
  explicit ScopedFd(int fd) noexcept : fd_(fd) {}
  ScopedFd(const ScopedFd&) = delete;
  ScopedFd& operator=(const ScopedFd&) = delete;
  ~ScopedFd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int raw() const noexcept { return fd_; }
  bool bad() const noexcept { return fd_ < 0; }

 private:
  int fd_;
};

}  // namespace pinfold::backend::on_linux::child
