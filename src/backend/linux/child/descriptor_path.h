// descriptor_path.h: "/proc/self/fd/N" without allocation.
#pragma once

#include <cstddef>

namespace pinfold::backend::on_linux::child {

class DescriptorPath {
 public:
  explicit DescriptorPath(int fd) noexcept {
    std::size_t at = kStart;
    char digits[12];
    std::size_t size = 0;
    do {
      digits[size++] = static_cast<char>('0' + fd % 10);
    } while ((fd /= 10) > 0);
    while (size > 0) text_[at++] = digits[--size];
    text_[at] = '\0';
  }
  const char* text() const noexcept { return text_; }
  const char* number() const noexcept { return text_ + kStart; }

 private:
  static constexpr std::size_t kStart = sizeof "/proc/self/fd/" - 1;
  char text_[32] = "/proc/self/fd/";
};

}  // namespace pinfold::backend::on_linux::child
