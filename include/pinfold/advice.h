// advice.h: is this command line safe to run, to be asked about, or to be refused?
// Invariant: any bytes give an answer, in time linear in their number. Advice is a tripwire with a readable message,
// never the boundary: what it calls safe may still do harm. Not here: running (run.h), asking.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pinfold/export.h"
#include "pinfold/result.h"

namespace pinfold {
namespace advice {

enum class Shell : std::uint8_t {
  kAuto,  // read as POSIX shell, and as PowerShell, too, where it looks like Windows
  kPosix,
  kPowerShell,
};

enum class Verdict : std::uint8_t { kSafe, kAsk, kDeny };

// One reason to stop. What is said about a rule lives as long as the program.
struct Finding {
  std::string_view rule;      // "delete-root"
  std::string_view category;  // "destroy-files"
  Verdict verdict = Verdict::kAsk;
  std::uint32_t begin = 0;  // the bytes it speaks of
  std::uint32_t end = 0;
  std::string_view reason;
  std::string_view safer;  // a way with less risk; may be empty
};

struct Advice {
  Verdict verdict = Verdict::kSafe;
  std::vector<Finding> findings;  // the worst first
  bool complete = true;  // false: nested or large beyond what is read; the rest is unknown, and that is asked about
};

}  // namespace advice

// An error only when there is no memory left.
PINFOLD_API Result<advice::Advice> advice_about(std::string_view text,
                                                advice::Shell shell = advice::Shell::kAuto) noexcept;

}  // namespace pinfold
