// gaps.cc: tables of coverage, gaps and candidates; the refusal that is made of them.
#include "report/gaps.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "report/table.h"

namespace pinfold::report {

namespace {

Cell strength_cell(Strength strength) {
  switch (strength) {
    case Strength::kEnforced: return {"enforced", Paint::kGood};
    case Strength::kPartial: return {"partial", Paint::kWarn};
    case Strength::kAbsent: break;
  }
  return {"absent", Paint::kBad};
}

std::string gaps_in_words(std::size_t count) { return count == 1 ? "a gap" : fmt::format("{} gaps", count); }

std::string refusal(const Report& report, TextFormat format) {
  const std::vector<Coverage> gaps = gaps_that_refuse(report.coverage);
  std::vector<Candidate> others;
  std::copy_if(report.choice.begin(), report.choice.end(), std::back_inserter(others),
               [](const Candidate& one) { return !one.chosen; });
  std::string out = paint("pinfold: refused:", Paint::kBad, format.colour);
  if (report.backend.empty()) {
    out += " no backend can be used here\n" + choice_table(others, format);
  } else {
    out += fmt::format(" {} leaves {} in required steps\n", visible(report.backend), gaps_in_words(gaps.size()));
    out += gap_table(gaps, format);
    if (!others.empty()) out += "other backends:\n" + choice_table(others, format);
  }
  std::vector<std::string> ways = report.fixes;
  if (!report.backend.empty()) ways.emplace_back("or run it with the gaps: --on-unavailable warn");
  return out + fix_list(ways, format);
}

}  // namespace

std::string gap_table(const std::vector<Coverage>& gaps, TextFormat format) {
  std::vector<std::vector<Cell>> cells;
  cells.reserve(gaps.size());
  for (const Coverage& row : gaps)
    cells.push_back({{visible(row.step)}, strength_cell(row.strength), {visible(row.gap)}});
  return table(cells, 2, format);
}

std::string choice_table(const std::vector<Candidate>& choice, TextFormat format) {
  std::vector<std::vector<Cell>> cells;
  cells.reserve(choice.size());
  for (const Candidate& one : choice)
    cells.push_back({{visible(one.backend), one.chosen ? Paint::kGood : Paint::kNone},
                     {(one.chosen ? "chosen: " : "") + visible(one.why)}});
  return table(cells, 2, format);
}

std::string fix_list(const std::vector<std::string>& fixes, TextFormat format) {
  std::vector<std::vector<Cell>> cells;
  cells.reserve(fixes.size());
  for (const std::string& fix : fixes) cells.push_back({{cells.empty() ? "fix:" : "", Paint::kGood}, {visible(fix)}});
  return table(cells, 2, format);
}

std::string run_message(const Report& report, TextFormat format) {
  const auto* refused = std::get_if<Refused>(&report.outcome);
  // One backend with one problem fits on a line.
  const bool is_table = report.choice.size() > 1 || gaps_that_refuse(report.coverage).size() > 1;
  if (refused != nullptr && refused->by == RefusedBy::kEnforcement && is_table) return refusal(report, format);
  return outcome_message(report.outcome, format.colour);
}

std::string coverage_table(const std::vector<Coverage>& rows, TextFormat format) {
  if (rows.empty()) return {};
  std::vector<std::vector<Cell>> cells;
  cells.push_back({{"step", Paint::kBold}, {"need", Paint::kBold}, {"strength", Paint::kBold}, {"by", Paint::kBold}});
  std::vector<std::vector<Cell>> gaps;
  const std::string fix = paint("fix:", Paint::kGood, format.colour);
  for (const Coverage& row : rows) {
    cells.push_back({{visible(row.step)},
                     {row.need == Need::kRequired ? "required" : "best effort", Paint::kDim},
                     strength_cell(row.strength),
                     {row.mechanism.empty() ? "nothing" : visible(row.mechanism)}});
    if (row.gap.empty()) continue;
    gaps.push_back({{fmt::format("{}: {}", visible(row.step), visible(row.gap))}});
    if (!row.fix.empty()) gaps.push_back({{fmt::format("  {} {}", fix, visible(row.fix))}});
  }
  std::string out = table(cells, 2, format);
  if (!gaps.empty()) out += "\n" + paint("gaps", Paint::kBold, format.colour) + "\n" + table(gaps, 2, format);
  return out;
}

}  // namespace pinfold::report
