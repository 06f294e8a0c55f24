// advice_view.cc: advice about a command line as text and as JSON.
// Invariant: one line of JSON for each command line. Not here: the advice itself (safety/advice/advice.h).
#include "cli/advice_view.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/text.h"
#include "safety/advice/advice_json.h"

namespace pinfold::cli {

namespace {

using advice::Advice;
using advice::AdviceVerdict;
using advice::Finding;
using advice::Shell;
using report::Paint;

Paint paint_of(AdviceVerdict verdict) {
  switch (verdict) {
    case AdviceVerdict::kSafe: return Paint::kGood;
    case AdviceVerdict::kAsk: return Paint::kWarn;
    case AdviceVerdict::kDeny: return Paint::kBad;
  }
  return Paint::kNone;
}

// The line of the text in which a finding begins, and below it a mark under the words that it is about.
std::string underlined(std::string_view command, const Finding& finding, report::Colour colour) {
  const std::size_t begin = std::min<std::size_t>(finding.begin, command.size());
  const std::size_t before = begin == 0 ? std::string_view::npos : command.rfind('\n', begin - 1);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t stop = std::min(command.find('\n', begin), command.size());
  const std::size_t end = std::clamp<std::size_t>(finding.end, begin, stop);
  const std::string left = text::shown(command.substr(start, begin - start));
  const std::string marked = text::shown(command.substr(begin, end - begin));
  const std::string right = text::shown(command.substr(end, stop - end));
  return fmt::format("  {}{}{}\n  {}{}\n", left, report::paint(marked, Paint::kBold, colour), right,
                     std::string(report::columns(left), ' '),
                     report::paint(std::string(std::max<std::size_t>(report::columns(marked), 1), '^'),
                                   paint_of(finding.verdict), colour));
}

}  // namespace

Result<Shell> shell_named(std::string_view name) {
  if (const auto shell = advice::shell_called(name)) return *shell;
  return fail(ErrorKind::kInvalid, fmt::format("--shell: unknown shell {}", text::shown(name)),
              "use --shell auto, bash or powershell");
}

std::string advice_text(std::string_view command, const Advice& advice, report::Colour colour) {
  const auto verdict = report::paint(advice::name_of(advice.verdict), paint_of(advice.verdict), colour);
  if (advice.findings.empty()) return fmt::format("{}  {}\n", verdict, text::shown(command));
  std::string out;
  for (const Finding& one : advice.findings) {
    out += fmt::format("{}  {} ({})\n", report::paint(advice::name_of(one.verdict), paint_of(one.verdict), colour),
                       one.rule, one.category);
    out += underlined(command, one, colour);
    out += fmt::format("  {}\n", one.reason);
    if (!one.safer.empty()) out += fmt::format("  safer: {}\n", one.safer);
  }
  return out;
}

std::string advice_json(std::string_view command, const Advice& advice) {
  return fmt::format("{{\"command\":{},{}}}\n", nlohmann::json(valid_utf8(command)).dump(),
                     advice::json_members(advice));
}

}  // namespace pinfold::cli
