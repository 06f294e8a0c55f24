// verdict.cc: reads coverage from a report, and compares the findings of a row with it.
// Invariant: see verdict.h. Not here: making attempts (judge.cc).
#include "verdict.h"

#include <nlohmann/json.hpp>

namespace escape {
namespace {

using nlohmann::json;

std::string text_of(const json& row, const char* name) {
  auto found = row.find(name);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string gap_in(const std::string& step, const Coverage& coverage, bool partial_too) {
  auto found = coverage.find(step);
  if (found == coverage.end()) return "";
  const StepCoverage& row = found->second;
  bool explains = row.strength == "absent" || (partial_too && row.strength == "partial");
  return explains ? step + " is " + row.strength + ": " + row.gap : "";
}

}  // namespace

Coverage coverage_in(const std::string& report_file) {
  Coverage coverage;
  json report = json::parse(read_file(report_file), nullptr, false);
  if (!report.is_object() || !report.contains("coverage")) return coverage;
  for (const json& row : report["coverage"]) {
    coverage[text_of(row, "step")] = {text_of(row, "strength"), text_of(row, "mechanism"), text_of(row, "gap")};
  }
  return coverage;
}

std::string explanation(const Steps& steps, const Coverage& coverage) {
  for (const std::string& step : steps.any_gap) {
    if (std::string gap = gap_in(step, coverage, true); !gap.empty()) return gap;
  }
  for (const std::string& step : steps.absence) {
    if (std::string gap = gap_in(step, coverage, false); !gap.empty()) return gap;
  }
  return "";
}

Verdict verdict_of(const Findings& findings, const Steps& steps, const Coverage& coverage, Tolerance tolerance) {
  if (!findings.control.empty() || !findings.untried.empty() || !findings.beyond.empty()) return {Outcome::kFailed, ""};
  if (findings.through.empty() && findings.attacked.empty()) return {Outcome::kPassed, ""};
  std::string gap = explanation(steps, coverage);
  if (gap.empty() || tolerance == Tolerance::kNone) return {Outcome::kFailed, gap};
  return {Outcome::kNotEnforced, gap};
}

}  // namespace escape
