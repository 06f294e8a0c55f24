// result.h: errors as values, with one frame of context per layer.
// Invariant: the library throws nothing; an Error always names the failed operation and, if known, the fix.
// Not here: the PF_TRY macros (src/base/try.h), exit codes (report.h).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace pinfold {

enum class ErrorKind {
  kInvalid,      // wrong input: policy, flag, path
  kRefused,      // the policy denies it
  kNotFound,     // the command does not exist inside the sandbox
  kUnavailable,  // this host cannot enforce the request
  kSystem,       // a system call failed unexpectedly
};

class Error {
 public:
  Error(ErrorKind kind, std::string what, std::string fix = {})
      : kind_(kind), what_(std::move(what)), fix_(std::move(fix)) {}

  // Adds the outer layer's frame: "preparing the workspace: open(/x): No such file or directory".
  Error within(std::string_view frame) && {
    if (!frame.empty()) what_ = std::string(frame) + ": " + what_;
    return std::move(*this);
  }

  ErrorKind kind() const { return kind_; }
  const std::string& text() const { return what_; }
  // One line with a way to fix the problem, or empty.
  const std::string& fix() const { return fix_; }

 private:
  ErrorKind kind_;
  std::string what_;
  std::string fix_;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string what, std::string fix = {}) {
  return tl::unexpected<Error>(Error(kind, std::move(what), std::move(fix)));
}

}  // namespace pinfold
