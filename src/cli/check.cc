// check.cc: `pinfold check`: advice about a command line, or about each line of standard input.
// Invariant: nothing is run. The exit code is that of the worst answer: 0 safe, 1 ask, 2 deny.
// Not here: the advice itself (safety/advice.h).
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/encode.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/surroundings.h"
#include "report/render.h"
#include "report/table.h"
#include "safety/advice/advice.h"
#include "sys/call.h"

namespace pinfold::cli {

namespace {

using advice::Advice;
using advice::Finding;
using advice::Shell;
using advice::Verdict;
using report::Paint;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestLine = 1U << 20U;

Paint paint_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSafe: return Paint::kGood;
    case Verdict::kAsk: return Paint::kWarn;
    case Verdict::kDeny: return Paint::kBad;
  }
  return Paint::kNone;
}

Result<Shell> shell_named(std::string_view name) {
  if (name == "auto") return Shell::kAuto;
  if (name == "bash" || name == "sh" || name == "posix") return Shell::kPosix;
  if (name == "powershell" || name == "pwsh" || name == "cmd") return Shell::kPowerShell;
  return fail(ErrorKind::kInvalid, fmt::format("--shell: {} is no shell that can be read", text::shown(name)),
              "--shell auto, bash or powershell");
}

// The line of the text that a finding begins in, and below it a mark under what the finding speaks of.
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

std::string text_of(std::string_view command, const Advice& advice, report::Colour colour) {
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

Json json_of(std::string_view command, const Advice& advice) {
  Json findings = Json::array();
  for (const Finding& one : advice.findings)
    findings.push_back({{"rule", one.rule},
                        {"category", one.category},
                        {"verdict", advice::name_of(one.verdict)},
                        {"begin", one.begin},
                        {"end", one.end},
                        {"reason", one.reason},
                        {"safer", one.safer.empty() ? Json(nullptr) : Json(one.safer)}});
  return {{"command", valid_utf8(command)},
          {"verdict", advice::name_of(advice.verdict)},
          {"complete", advice.complete},
          {"findings", std::move(findings)}};
}

class Check {
 public:
  Check(const Parsed& parsed, Context& context, Shell shell)
      : json_(given(parsed, Id::kJson)), shell_(shell), colour_(colour_for(STDOUT_FILENO, context.host)) {}

  void one(std::string_view command, Shell shell) {
    const Advice advice = advice::advise(command, shell);
    worst_ = std::max(worst_, advice.verdict);
    print(STDOUT_FILENO, json_ ? json_of(command, advice).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"
                               : text_of(command, advice, colour_));
  }
  void one(std::string_view command) { one(command, shell_); }

  // A line of standard input: a command, or with --json an object that holds one.
  Result<void> line(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty()) return {};
    if (json_ && text.starts_with('{')) {
      const Json object = Json::parse(text, nullptr, false);
      if (object.is_object()) {
        const auto command = object.find("command");
        if (command == object.end() || !command->is_string())
          return fail(ErrorKind::kInvalid, "an object without \"command\" on standard input", R"({"command": "ls"})");
        const auto named = object.find("shell");
        Shell shell = shell_;
        if (named != object.end() && named->is_string()) {
          PF_TRY(found, shell_named(named->get<std::string>()), "");
          shell = found;
        }
        one(command->get<std::string>(), shell);
        return {};
      }
    }
    one(text);
    return {};
  }

  Result<void> standard_input() {
    std::string rest;
    char bytes[65536];
    while (true) {
      PF_TRY(got, sys::call("read", "standard input", [&] { return ::read(STDIN_FILENO, bytes, sizeof bytes); }), "");
      if (got == 0) break;
      rest.append(bytes, static_cast<std::size_t>(got));
      std::size_t at = 0;
      for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', at)) {
        PF_CHECK(line(std::string_view(rest).substr(at, end - at)), "");
        at = end + 1;
      }
      rest.erase(0, at);
      if (rest.size() > kLongestLine)
        return fail(ErrorKind::kInvalid, "a line of standard input is longer than a mebibyte", "one command a line");
    }
    return line(rest);
  }

  int code() const { return static_cast<int>(worst_); }

 private:
  bool json_;
  Shell shell_;
  report::Colour colour_;
  Verdict worst_ = Verdict::kSafe;
};

Result<int> run_check(const Parsed& parsed, Context& context) {
  const Given* named = find_given(parsed, Id::kShell);
  PF_TRY(shell, shell_named(named == nullptr ? "auto" : named->value), "");
  Check check(parsed, context, shell);
  const auto& words = parsed.words;
  if (words.empty() && is_terminal(STDIN_FILENO))
    return fail(ErrorKind::kInvalid, "there is no command to check",
                "pinfold check -- 'TEXT', or lines on standard input");
  if (words.empty() || (words.size() == 1 && words[0] == "-")) {
    PF_CHECK(check.standard_input(), "");
  } else if (words.size() == 1) {
    check.one(words[0]);
  } else {
    // Several words are the arguments of one command, as `pinfold run --` takes them.
    std::string joined;
    for (const std::string& word : words) joined += (joined.empty() ? "" : " ") + text::shell_word(word);
    check.one(joined);
  }
  return check.code();
}

}  // namespace

int check(const Parsed& parsed, Context& context) {
  const auto code = run_check(parsed, context);
  return code ? *code : complain(code.error(), context.host);
}

}  // namespace pinfold::cli
