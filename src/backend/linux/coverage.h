// coverage.h: what a backend's walls amount to, row by row, from what really happened.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backend/linux/limits/limits.h"
#include "pinfold/coverage.h"

namespace pinfold::backend::on_linux {

struct WallFacts {
  int landlock_abi = 0;  // in force
  std::string why_no_landlock;
  bool private_network = true;
  std::string why_no_listener;   // empty: trapped
  std::string why_not_observed;  // empty: as far as there is a listener
  bool asks = false;             // what is denied may be granted while it runs
  Counting counting = Counting::kNobody;
};

// How the network is granted by name.
inline constexpr const char* kRelayed =
    "network namespace whose addresses all lead back into it; a relay outside connects to what is granted";

// Never stronger than before; the gaps add up, and the first fix stays.
void weaken(Coverage& row, Strength strength, const std::string& gap, const std::string& fix = {});

// One row per step name, required if any of its steps is; a gap of the plan's own lowers its row, too.
class CoverageRows {
 public:
  CoverageRows(const WallFacts& facts, const Cgroup& cgroup) : facts_(facts), cgroup_(cgroup) {}
  CoverageRows(const CoverageRows&) = delete;
  CoverageRows& operator=(const CoverageRows&) = delete;
  virtual ~CoverageRows() = default;

  void add(const Step& step);
  void add(Coverage row) { rows_.push_back(std::move(row)); }
  void gap(const PlanGap& gap);
  std::vector<Coverage> take() && { return std::move(rows_); }

 protected:
  // By what a row is held, and what is missing.
  virtual void describe(Coverage& row, const Step& step) const = 0;
  const WallFacts& facts() const { return facts_; }

 private:
  void judge_watch(Coverage& row) const;
  void judge_observation(Coverage& row, const Observe& observe) const;

  const WallFacts& facts_;
  const Cgroup& cgroup_;
  std::uint32_t uid_ = 0;
  std::vector<Coverage> rows_;
};

std::vector<Coverage> native_coverage(const Plan& plan, const WallFacts& facts, const Cgroup& cgroup);

}  // namespace pinfold::backend::on_linux
