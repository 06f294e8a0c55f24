// plan_view.h: what a plan does with one path, found in time that depends on the path's depth alone.
// Invariant: the deepest step that covers the path decides; no step means hidden. Borrows the plan.
// Not here: the host; whether anything was tried.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pinfold/plan.h"

namespace pinfold::plan {

enum class Fate {
  kHidden,     // not there
  kReadOnly,   // there, not writable
  kProtected,  // inside something writable, kept as it is
  kWritable,
  kPrivate,  // the run's own (tmp): what the host has there is not seen
  kKernel,   // /proc and /dev: the kernel's own
};

struct PathFate {
  Fate fate = Fate::kHidden;
  const Step* step = nullptr;  // null: nothing covers it
  std::string_view at;         // the path of the step that decides
  std::string rule;            // "hidden: no rule shows it", "read-only (preset moderate)"
  bool own = false;            // in one of Pinfold's own directories: no grant changes it
};

class PlanView {
 public:
  explicit PlanView(const Plan& plan);
  PathFate fate(std::string_view path) const;

  // The step that keeps this directory from being renamed, because of what lies in it, or null.
  const Step* pin(std::string_view path) const;

  const std::string& home() const { return home_; }                 // empty when the plan sets none
  const std::vector<std::string>& search() const { return path_; }  // directories of PATH
  const ExecLimit* exec() const { return exec_; }
  const Step* exec_step() const { return exec_step_; }
  const Step* network_step() const { return network_step_; }

 private:
  struct Entry {
    Fate fate = Fate::kHidden;
    const Step* step = nullptr;
    bool made_up = false;  // only the directory itself is there, nothing below it
  };
  void put(std::string_view at, Fate fate, const Step& step, bool made_up);
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
