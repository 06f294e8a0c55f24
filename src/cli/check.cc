// check.cc: `pinfold check`: advice about a command line, or about each line of standard input.
// Invariant: nothing is run. The exit code is that of the worst verdict: 0 safe, 1 ask, 2 deny.
// Not here: the advice itself (safety/advice/advice.h), its layout (advice_view.h).
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/try.h"
#include "cli/advice_view.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "sys/call.h"

namespace pinfold::cli {

namespace {

using advice::Advice;
using advice::AdviceVerdict;
using advice::Shell;
using Json = nlohmann::json;

constexpr std::size_t kMaxLine = 1U << 20U;

class Check {
 public:
  Check(const CommandLine& parsed, Context& context, Shell shell)
      : json_(has_flag(parsed, Id::kJson)), shell_(shell), colour_(colour_for(STDOUT_FILENO, context.host)) {}

  void one(std::string_view command, Shell shell) {
    const Advice advice = advice::advise(command, shell);
    worst_ = std::max(worst_, advice.verdict);
    print(STDOUT_FILENO, json_ ? advice_json(command, advice) : advice_text(command, advice, colour_));
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
          PF_TRY(found, shell_named(named->get<std::string>()));
          shell = found;
        }
        one(command->get<std::string>(), shell);
        return {};
      }
      // "{ ls; }" is a shell command; "{bad" and "{\"a\": " are taken for JSON.
      if (text.size() < 2 || (text[1] != ' ' && text[1] != '\t'))
        return fail(ErrorKind::kInvalid, "a line of standard input begins with { but is not JSON",
                    R"({"command": "ls"}, or without --json the command itself)");
    }
    one(text);
    return {};
  }

  Result<void> standard_input() {
    std::string rest;
    char bytes[65536];
    while (true) {
      PF_TRY(got, sys::call("read", "standard input", [&] { return ::read(STDIN_FILENO, bytes, sizeof bytes); }));
      if (got == 0) break;
      rest.append(bytes, static_cast<std::size_t>(got));
      std::size_t at = 0;
      for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n', at)) {
        PF_CHECK(line(std::string_view(rest).substr(at, end - at)));
        at = end + 1;
      }
      rest.erase(0, at);
      if (rest.size() > kMaxLine)
        return fail(ErrorKind::kInvalid, "a line of standard input is longer than 1 MiB",
                    "give one command on each line");
    }
    return line(rest);
  }

  int code() const { return static_cast<int>(worst_); }

 private:
  bool json_;
  Shell shell_;
  report::Colour colour_;
  AdviceVerdict worst_ = AdviceVerdict::kSafe;
};

Result<int> run_check(const CommandLine& parsed, Context& context) {
  const FlagValue* named = find_flag_value(parsed, Id::kShell);
  PF_TRY(shell, shell_named(named == nullptr ? "auto" : named->value));
  Check check(parsed, context, shell);
  const auto& words = parsed.words;
  if (words.empty() && is_terminal(STDIN_FILENO))
    return fail(ErrorKind::kInvalid, "there is no command to check",
                "pinfold check -- 'TEXT', or lines on standard input");
  if (words.empty() || (words.size() == 1 && words[0] == "-")) {
    PF_CHECK(check.standard_input());
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

int check(const CommandLine& parsed, Context& context) {
  const auto code = run_check(parsed, context);
  return code ? *code : complain(code.error(), context.host);
}

}  // namespace pinfold::cli
