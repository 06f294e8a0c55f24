// error_line.h: parses one line of a command's error text: the kind of failure and the names that it gives.
// Invariant: work is linear in the line and bounded; names are views into the line, never more than kMostNames.
// Not here: whether the names have anything to do with the plan (infer.cc).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace pinfold::report {

enum class Failure {
  kUnclear,    // "cannot open X", without a reason
  kMissing,    // ENOENT
  kDenied,     // EACCES, EPERM
  kReadOnly,   // EROFS
  kNoCommand,  // a shell did not find a program
};

enum class Intent { kUnknown, kCreate, kDelete };

struct ErrorLine {
  static constexpr std::size_t kMostNames = 8;
  Failure failure = Failure::kUnclear;
  Intent intent = Intent::kUnknown;
  std::array<std::string_view, kMostNames> names{};
  std::size_t count = 0;
};

// Nothing when the line does not look like an error about a name.
std::optional<ErrorLine> read_error_line(std::string_view line);

}  // namespace pinfold::report
