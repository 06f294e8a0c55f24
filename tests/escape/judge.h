// judge.h: runs one row for one user: bare, then boxed, then looks at the host; prints its line.
// Invariant: a row passes only if its bare control held what it was after and the boxed run was seen to be tried.
// Not here: the rows (table.h).
#pragma once

#include <string>

#include "host.h"
#include "table.h"
#include "world.h"

namespace escape {

struct Line {
  int number;
  std::string name;
  std::string user;
  std::string bare;
  std::string boxed;
  std::string host;  // "clean", or what is wrong
  bool passed;
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
  int passed() const { return passed_; }
  int failed() const { return failed_; }
  // The failed lines once more, then the closing line.
  void close() const;

 private:
  int passed_ = 0;
  int failed_ = 0;
  std::vector<Line> failures_;
};

Line judge(const Row& row, World& world);

// `pinfold run` with flags in the workspace, as this world's user.
Command boxed(const World& world, const Texts& flags, const Texts& argv, const std::string& cwd = {});
// What is wrong on the host, apart from the scratch tree: survivors, mounts, cgroups, the canary.
std::string host_harm(World& world, const Machine& before);

}  // namespace escape
