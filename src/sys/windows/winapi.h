// winapi.h: the only file that includes windows.h: handles that close themselves, errors with their texts, paths.
// Invariant: an error has call name, subject and number; calls get only paths that windows_paths accepts.
// Not here: handling a failure.
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

// A path of the core for a call: "\\?\C:\x", which Windows takes unchanged and at any length.
Result<std::wstring> call_path(std::string_view core);
// Converts a result of GetFinalPathNameByHandle and similar calls to a path of the core.
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

// Other processes may have the file open.
inline constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// Owns memory that a Windows call allocated with LocalAlloc().
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
