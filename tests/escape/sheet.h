// sheet.h: the lines that attempts end in: printed as they come, counted by outcome, the remarkable ones listed last.
// Invariant: rows that were not enforced or not tried have a count and a list of their own: they never count as passed.
// Not here: finding out (judge.h), what a finding means (verdict.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "verdict.h"

namespace escape {

struct Line {
  int number = 0;
  std::string name = {};
  std::string user = {};
  std::string bare = {};
  std::string boxed = {};
  std::string host = {};  // "clean", or the differences
  Outcome outcome = Outcome::kFailed;
  std::string because = {};  // the reported gap, if it was not enforced or not tried
};

// Where lines go.
class Lines {
 public:
  Lines() = default;
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  virtual ~Lines() = default;
  virtual void add(const Line& line) = 0;
};

// Counts them; prints each as it comes.
class Sheet : public Lines {
 public:
  void add(const Line& line) override;
  // Something was run, and nothing failed.
  bool good() const { return count(Outcome::kPassed) > 0 && count(Outcome::kFailed) == 0; }
  // The lines that did not pass once more, then the closing line.
  void close() const;

 private:
  int count(Outcome outcome) const;
  void list(Outcome outcome, const char* title) const;

  std::map<Outcome, int> counts_ = {};
  std::vector<Line> remarkable_ = {};
};

}  // namespace escape
