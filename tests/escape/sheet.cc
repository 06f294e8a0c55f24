// sheet.cc: see sheet.h.
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
              line.because.empty() ? "" : (" (said: " + one_line(line.because, 60) + ")").c_str());
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
  list(Outcome::kNotEnforced, "Not enforced, as coverage had said");
  list(Outcome::kNotTried, "Not tried, because it could hurt the host where coverage says so");
  list(Outcome::kFailed, "Failed");
  std::string said;
  int gaps = count(Outcome::kNotEnforced);
  int left = count(Outcome::kNotTried);
  if (gaps > 0 || left > 0)
    said = ", " + std::to_string(gaps) + " not enforced (said), " + std::to_string(left) + " not tried (said)";
  std::printf("%d passed%s, %d failed\n", count(Outcome::kPassed), said.c_str(), count(Outcome::kFailed));
}

}  // namespace escape
