// infer.h: finds denials in a command's own error text.
// Invariant: a denial is inferred only if the plan hides or write-protects the very resource that the text names.
// Not here: reading streams (supervisor), denials that the kernel reported, parsing one line (error_line.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/host_view.h"
#include "pinfold/plan.h"
#include "pinfold/report.h"
#include "plan/plan_view.h"
#include "report/error_line.h"

namespace pinfold::report {

// Feed it stderr in chunks of any size; keeps at most one line (8 KiB) and at most 200 distinct denials.
class Inference {
 public:
  Inference(const Plan& plan, HostView& host);
  void feed(std::string_view bytes);
  // The command itself was not found: is it there on the host, but hidden?
  void program_missing(std::string_view name);
  std::vector<Denial> finish() &&;

 private:
  void line(std::string_view text);
  void add(Denial denial);
  void consider(const ErrorLine& error, std::string_view name);
  void consider_path(const ErrorLine& error, const std::string& path);
  bool consider_program(std::string_view name);
  void consider_removal(const std::string& path, const plan::PathLookup& lookup);
  bool may_change(const std::string& path);
  std::string canonical(const std::string& path);
  bool may_query_host();
  void consider_tracing(std::string_view text);

  const Plan& plan_;
  HostView& host_;
  std::unique_ptr<plan::PlanView> view_;  // made at the first error line: without errors it costs nothing
  std::string partial_;
  bool skipping_ = false;
  std::vector<Denial> found_;
  // Every name looked up so far, and the denial it led to; many equal lines query the host once.
  std::unordered_map<std::string, std::size_t> checked_;
  std::size_t host_queries_ = 0;
};

}  // namespace pinfold::report
