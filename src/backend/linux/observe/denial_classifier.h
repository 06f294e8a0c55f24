// denial_classifier.h: decides whether the plan denies a request. For the report only; the kernel decides by itself.
// Invariant: a denial only if the plan is the reason: a request that fails on the bare host as well (ENOENT, EACCES,
// EEXIST) is none. PlanView decides about every path, decide() about every address.
// Not here: reading the call (syscall_request.h), resolving names (report_path.h), reporting (observer.h).
#pragma once

#include <optional>
#include <string>

#include "backend/linux/notify/report_path.h"
#include "backend/linux/notify/syscall_request.h"
#include "base/host_view.h"
#include "base/text_map.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"
#include "plan/plan_view.h"

namespace pinfold::backend::on_linux {

// How paths look that the plan does not grant: they do not exist (kAbsent); their names are visible and opens fail
// (kVisible); or they are usable, because the sandbox runs another plan and this one is only observed (kUsable).
enum class UngrantedPaths { kAbsent, kVisible, kUsable };

class DenialClassifier {
 public:
  DenialClassifier(const Plan& plan, UngrantedPaths ungranted, HostView& host);

  // From the plan alone, without a host lookup. Most requests end here.
  bool is_allowed(const PathRequest& request, const ReportPath& target) const;
  // The denial has no caller yet.
  std::optional<Denial> classify(const PathRequest& request, const ReportPath& target);

  bool is_writable(const ReportPath& target) const {
    return view_.look_up(target.path).state == plan::PathState::kWritable;
  }
  // A mount of its own protects or hides the path, and its directory is writable in the sandbox.
  bool is_protected_by_mount(const ReportPath& target) const;

  // Resolves a path that the sandbox does not show, once: classify() and host_path() then use the same one.
  void resolve_on_host(const PathRequest& request, ReportPath& target);

  // The path of this file on the host, whether or not it exists; nullopt: only the sandbox has it.
  std::optional<std::string> host_path(const PathRequest& request, const ReportPath& target);

  // True also if the result depends on the socket's type.
  bool may_be_denied(const NetworkRequest& request) const;
  std::optional<Denial> classify(const NetworkRequest& request) const;

 private:
  struct Case;
  bool is_visible_ancestor(const std::string& path) const;
  plan::PathLookup look_up(const PathRequest& request, const ReportPath& target) const;
  std::string on_host(const std::string& path, const plan::PathLookup& lookup) const;
  std::string canonical(const PathRequest& request, const ReportPath& target);
  std::optional<Denial> classify_visible(const Case& each);
  std::optional<Denial> classify_hidden(const Case& each);
  std::optional<Denial> classify_kernel(const Case& each);
  std::optional<Denial> classify_program(const Case& each);
  bool may_make_in(const std::string& directory);
  bool is_empty(const std::string& directory);
  std::optional<Denial> make_denial(const Case& each, const char* operation, const std::string& path,
                                    std::optional<Grant> grant);
  std::optional<Denial> make_write_denial(const Case& each, const char* operation, const std::string& path);

  plan::PlanView view_;
  UngrantedPaths ungranted_;
  HostView& host_;
  TextSet ancestors_;  // with kUsable: the directories above every shown path
};

}  // namespace pinfold::backend::on_linux
