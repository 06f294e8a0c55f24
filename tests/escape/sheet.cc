// sheet.cc: prints the outcome of each row, and the lists and counts at the end.
// Invariant: the last line is "N passed, N failed", with ", N known gaps, N not tried" between them if there are any.
// Not here: judging (judge.cc).
#include "sheet.h"

#include <cstdio>

namespace escape {
namespace {

const char* word_for(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed: return "ok";
    case Outcome::kNotEnforced: return "gap";
    case Outcome::kNotTried: return "left";
    case Outcome::kFailed: break;
  }
  return "FAIL";
}

}  // namespace

int Sheet::count(Outcome outcome) const {
  auto found = counts_.find(outcome);
  return found == counts_.end() ? 0 : found->second;
}

void Sheet::add(const Line& line) {
  std::printf("%-4s %2d  %-52s %-4s | %-60s | %-44s | %s%s\n", word_for(line.outcome), line.number,
              line.name.substr(0, 52).c_str(), line.user.c_str(), one_line(line.bare, 60).c_str(),
              one_line(line.boxed, 44).c_str(), line.host.c_str(),
              line.because.empty() ? "" : (" (known gap: " + one_line(line.because, 60) + ")").c_str());
  std::fflush(stdout);
  ++counts_[line.outcome];
  if (line.outcome != Outcome::kPassed) remarkable_.push_back(line);
}

void Sheet::list(Outcome outcome, const char* title) const {
  if (count(outcome) == 0) return;
  std::printf("\n%s:\n", title);
  for (const Line& line : remarkable_) {
    if (line.outcome != outcome) continue;
    if (outcome == Outcome::kFailed) {
      std::printf("  row %d, %s, as %s\n    bare:  %s\n    boxed: %s\n    host:  %s\n", line.number, line.name.c_str(),
                  line.user.c_str(), line.bare.c_str(), line.boxed.c_str(), line.host.c_str());
    } else {
      std::printf("  row %2d  %-52s %-4s  %s\n", line.number, line.name.substr(0, 52).c_str(), line.user.c_str(),
                  one_line(line.because, 110).c_str());
    }
  }
}

void Sheet::close() const {
  list(Outcome::kNotEnforced, "Known gaps: not enforced, as coverage reported before the run");
  list(Outcome::kNotTried, "Not tried: coverage reports a gap, and the attempt could damage the host");
  list(Outcome::kFailed, "Failed");
  std::string known;
  int gaps = count(Outcome::kNotEnforced);
  int left = count(Outcome::kNotTried);
  if (gaps > 0 || left > 0) known = ", " + std::to_string(gaps) + " known gaps, " + std::to_string(left) + " not tried";
  std::printf("%d passed%s, %d failed\n", count(Outcome::kPassed), known.c_str(), count(Outcome::kFailed));
}

}  // namespace escape
