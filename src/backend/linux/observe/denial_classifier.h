// denial_classifier.h: would the plan deny what is about to be tried? For the report; the kernel decides by itself.
// Invariant: a denial only where the plan is the reason: what would fail on the bare host as well (no such file, no
// permission, already there) is none. Every answer about a path is PlanView's, every one about an address decide()'s.
// Not here: reading the call (syscall_request.h), following names (report_path.h), telling anybody (observer.h).
#pragma once

#include <optional>
#include <string>

#include "backend/linux/notify/syscall_request.h"
#include "backend/linux/notify/report_path.h"
#include "base/host_view.h"
#include "base/text_map.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"
#include "plan/plan_view.h"

namespace pinfold::backend::on_linux {

// What lies beyond what the plan shows: nothing at all; names that can be seen and not opened; or more, because the
// sandbox is another plan's and this one is only asked.
enum class Beyond { kNothing, kNames, kMore };

class Observation {
 public:
  Observation(const Plan& plan, Beyond beyond, HostView& host);

  // From the plan alone: nothing is asked of the host. Most attempts end here.
  bool is_allowed(const Attempt& attempt, const Inside& inside) const;
  // Without caller.
  std::optional<Denial> judge(const Attempt& attempt, const Inside& inside);

  bool is_writable(const Inside& inside) const { return view_.fate(inside.path).fate == plan::Fate::kWritable; }
  // Protected or hidden by a mount of its own, in a directory that the sandbox may write.
  bool is_kept_by_mount(const Inside& inside) const;

  // Where the host has, or would have, what this names; nothing: only the sandbox has it.
  std::optional<std::string> host_path(const Attempt& attempt, const Inside& inside);

  // True also where the answer depends on what kind of socket it is.
  bool may_be_denied(const Reach& reach) const;
  std::optional<Denial> judge(const Reach& reach) const;

 private:
  struct Case;
  bool leads_on(const std::string& path) const;
  plan::PathFate fate_of(const Attempt& attempt, const Inside& inside) const;
  std::string on_host(const std::string& path, const plan::PathFate& fate) const;
  std::string canonical(const std::string& path, Follow follow);
  std::optional<Denial> judge_shown(const Case& each);
  std::optional<Denial> judge_hidden(const Case& each);
  std::optional<Denial> judge_kernel(const Case& each);
  std::optional<Denial> judge_program(const Case& each);
  bool may_make_in(const std::string& directory);
  bool is_empty(const std::string& directory);
  std::optional<Denial> denied(const Case& each, const char* operation, const std::string& path,
                               std::optional<Grant> grant);
  std::optional<Denial> denied_write(const Case& each, const char* operation, const std::string& path);

  plan::PlanView view_;
  Beyond beyond_;
  HostView& host_;
  TextSet ways_;  // with kMore: the directories above everything that is shown
};

}  // namespace pinfold::backend::on_linux
