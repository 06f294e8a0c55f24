// winapi.h: the one door to Windows: its header with our settings, handles that close themselves, errors with words.
// Invariant: call name, subject and error number are captured together; a path goes in only as windows_paths allows it.
// Not here: what to do about a failure.
#pragma once

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <string>
#include <string_view>
#include <utility>

#include "pinfold/result.h"

namespace pinfold::sys {

// "CreateFile(C:\x): Access is denied. (5)"
Error win_error(std::string_view name, std::string_view subject, unsigned long error);

std::wstring wide(std::u16string_view text);
// Strict; text that is not UTF-8 gives an empty string.
std::wstring wide(std::string_view utf8);
// Text that is not UTF-16 gives an empty string.
std::string narrow(std::wstring_view text);

// A path of the core for a call: "\\?\C:\x", which Windows takes as it stands, however long it is.
Result<std::wstring> call_path(std::string_view core);
// What GetFinalPathNameByHandle and the like say, as a path of the core.
Result<std::string> core_path(std::wstring_view windows);

class Handle {
 public:
  Handle() = default;
  static Handle adopt(HANDLE raw) { return Handle(raw == INVALID_HANDLE_VALUE ? nullptr : raw); }
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      raw_ = std::exchange(other.raw_, nullptr);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  HANDLE raw() const { return raw_; }
  bool is_open() const { return raw_ != nullptr; }
  void reset() {
    if (raw_ != nullptr) ::CloseHandle(raw_);
    raw_ = nullptr;
  }

 private:
  explicit Handle(HANDLE raw) : raw_(raw) {}
  HANDLE raw_ = nullptr;
};

// Whoever else has a file open may go on.
inline constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// What LocalAlloc'ing calls hand out.
template <typename T>
class Local {
 public:
  Local() = default;
  Local(Local&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Local& operator=(Local&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
  ~Local() {
    if (raw_ != nullptr) ::LocalFree(raw_);
  }
  T get() const { return raw_; }
  T* slot() { return &raw_; }

 private:
  T raw_ = nullptr;
};

}  // namespace pinfold::sys
