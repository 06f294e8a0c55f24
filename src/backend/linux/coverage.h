// coverage.h: builds the coverage rows of a backend from the facts that init and the kernel reported.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backend/linux/limits/limits.h"
#include "pinfold/coverage.h"

namespace pinfold::backend::on_linux {

struct ConfinementFacts {
  int landlock_abi = 0;  // in force
  std::string why_no_landlock;
  bool private_network = true;
  std::string why_no_listener;   // empty: the supervisor has a seccomp listener
  std::string why_not_observed;  // empty: observed, if there is a listener
  bool asks = false;             // grants can be added while the command runs
  Counting counting = Counting::kNone;
};

// How the network is granted by name.
inline constexpr const char* kRelayMechanism =
    "network namespace with every address on its own loopback; a relay outside connects to granted hosts";

// Lowers the strength, appends the gap, and sets the fix if the row has none.
void weaken(Coverage& row, Strength strength, const std::string& gap, const std::string& fix = {});

// One row per step name. A row is required if any of its steps is; a PlanGap lowers the row of its step.
class CoverageRows {
 public:
  CoverageRows(const ConfinementFacts& facts, const Cgroup& cgroup) : facts_(facts), cgroup_(cgroup) {}
  CoverageRows(const CoverageRows&) = delete;
  CoverageRows& operator=(const CoverageRows&) = delete;
  virtual ~CoverageRows() = default;

  void add(const Step& step);
  void add(Coverage row) { rows_.push_back(std::move(row)); }
  void gap(const PlanGap& gap);
  std::vector<Coverage> take() && { return std::move(rows_); }

 protected:
  // Fills in the mechanism, and the strength, gap and fix if something is missing.
  virtual void describe(Coverage& row, const Step& step) const = 0;
  const ConfinementFacts& facts() const { return facts_; }

 private:
  void assess_name_guard(Coverage& row) const;
  void assess_observation(Coverage& row, const Observe& observe) const;

  const ConfinementFacts& facts_;
  const Cgroup& cgroup_;
  std::uint32_t uid_ = 0;
  std::vector<Coverage> rows_;
};

std::vector<Coverage> native_coverage(const Plan& plan, const ConfinementFacts& facts, const Cgroup& cgroup);

}  // namespace pinfold::backend::on_linux
