// scoped_fd.h: the child's Fd.
#pragma once

#include <unistd.h>

namespace pinfold::backend::on_linux::child {

// Closes when it goes out of scope.
class Scoped {
 public:
  explicit Scoped(int fd) noexcept : fd_(fd) {}
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;
  ~Scoped() {
    if (fd_ >= 0) ::close(fd_);
  }
  int raw() const noexcept { return fd_; }
  bool bad() const noexcept { return fd_ < 0; }

 private:
  int fd_;
};

}  // namespace pinfold::backend::on_linux::child
