// plan_view.h: looks up how a plan treats one path, in time that depends only on the path's depth.
// Invariant: the deepest step that covers the path decides; no step means hidden. Borrows the plan.
// Not here: the host; attempts of the command.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::plan {

// The origin (Origin::where) of the protection of a directory that its owner can neither list nor search.
inline constexpr std::string_view kClosedToOwner = "closed to its owner: chmod u+rwx it before the run";

enum class PathState {
  kHidden,     // not there
  kReadOnly,   // there, not writable
  kProtected,  // inside something writable, kept as it is
  kWritable,
  kPrivate,  // the run's own (tmp): the host's files there are not visible
  kKernel,   // /proc and /dev: the kernel's own
};

struct PathLookup {
  PathState state = PathState::kHidden;
  const Step* step = nullptr;  // null: nothing covers it
  std::string_view at;         // the path of the step that decides
  std::string rule;            // "not visible: no rule grants this path", "read-only (preset moderate)"
  bool own = false;            // in one of Pinfold's own directories: no grant changes it
};

class PlanView {
 public:
  explicit PlanView(const Plan& plan);
  PathLookup look_up(std::string_view path) const;

  // The step that keeps this directory from being renamed, because a protected or hidden path is below it, or null.
  const Step* pin(std::string_view path) const;

  const std::string& home() const { return home_; }                 // empty when the plan sets none
  const std::vector<std::string>& search() const { return path_; }  // directories of PATH
  const ExecLimit* exec() const { return exec_; }
  const Step* exec_step() const { return exec_step_; }
  const Step* network_step() const { return network_step_; }

 private:
  struct Entry {
    PathState state = PathState::kHidden;
    const Step* step = nullptr;
    bool made_up = false;  // only the directory itself is there, nothing below it
  };
  void put(std::string_view at, PathState state, const Step& step, bool made_up);
  std::string rule(std::string_view at, const Entry& entry) const;
  bool is_own(std::string_view path) const;

  std::unordered_map<std::string_view, Entry> entries_;  // keys borrow the plan's strings, or made_
  std::vector<std::unique_ptr<std::string>> made_;
  std::string home_;
  std::vector<std::string> path_;
  std::unordered_map<std::string_view, const Step*> pins_;
  std::vector<std::string_view> own_;
  const ExecLimit* exec_ = nullptr;
  const Step* exec_step_ = nullptr;
  const Step* network_step_ = nullptr;
};

}  // namespace pinfold::plan
