// advice.h: rates a command line before it runs: allow it, ask the user, or deny it.
// Invariant: any bytes give a verdict, in time linear in their number. Advice is not a security boundary: a command
// that it calls safe may still do harm. Not here: running (run.h), approval requests (approval.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pinfold/export.h"
#include "pinfold/result.h"

namespace pinfold {
namespace advice {

enum class Shell : std::uint8_t {
  kAuto,  // parsed as POSIX shell, and also as PowerShell if it looks like a Windows command
  kPosix,
  kPowerShell,
};

enum class AdviceVerdict : std::uint8_t { kSafe, kAsk, kDeny };

// One reason to ask or deny. The texts of a rule live as long as the program.
struct Finding {
  std::string_view rule;      // "delete-root"
  std::string_view category;  // "destroy-files"
  AdviceVerdict verdict = AdviceVerdict::kAsk;
  std::uint32_t begin = 0;  // the range of bytes that the rule matched
  std::uint32_t end = 0;
  std::string_view reason;
  std::string_view safer;  // an alternative with less risk; may be empty
};

struct Advice {
  AdviceVerdict verdict = AdviceVerdict::kSafe;
  std::vector<Finding> findings;  // the worst first
  bool complete = true;           // false: nested too deeply or too large; the unread rest counts as a reason to ask
};

}  // namespace advice

// Fails only when memory allocation fails.
PINFOLD_API Result<advice::Advice> advice_about(std::string_view text,
                                                advice::Shell shell = advice::Shell::kAuto) noexcept;

}  // namespace pinfold
