// safe_filter.cc: redacts a server's output, and finds commands that advice denies.
// Invariant: takes time linear in the size of the output. Not here: the rules (safety).
#include "mcp/safe_filter.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "safety/advice/advice.h"
#include "safety/redaction/json_redactor.h"

namespace pinfold::mcp {

namespace {

using std::string_view;

constexpr std::size_t kLongestCommand = 64 * 1024;  // a longer text is not treated as a command
constexpr std::array<string_view, 6> kShellBlocks = {"sh", "bash", "shell", "zsh", "console", "shell-session"};
constexpr std::array<string_view, 3> kWindowsBlocks = {"powershell", "pwsh", "ps1"};
constexpr std::array<string_view, 5> kCommandMembers = {"command", "cmd", "shell_command", "shellCommand",
                                                        "commandLine"};

template <std::size_t N>
bool is_one_of(const std::array<string_view, N>& words, string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

string_view trimmed(string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::string> refused(string_view command, advice::Shell shell) {
  if (command.size() > kLongestCommand) return std::nullopt;
  const advice::Advice advice = advice::advise(command, shell);
  if (advice.verdict != advice::AdviceVerdict::kDeny) return std::nullopt;
  const advice::Finding& worst = advice.findings.front();
  return fmt::format("{}: {} ({})", worst.rule, worst.reason, text::shown(command.substr(0, 120)));
}

// Markdown: the text between a line of three backticks with the name of a shell and the next line of three backticks.
std::optional<std::string> refused_in_blocks(string_view text) {
  constexpr string_view kFence = "```";
  for (std::size_t at = text.find(kFence); at != string_view::npos;) {
    const std::size_t line = std::min(text.find('\n', at), text.size());
    const std::size_t end = text.find(kFence, line);
    const string_view name = trimmed(text.substr(at + kFence.size(), line - at - kFence.size()));
    const bool windows = is_one_of(kWindowsBlocks, name);
    if (name.empty() || windows || is_one_of(kShellBlocks, name)) {
      const string_view body = text.substr(line, std::min(end, text.size()) - line);
      if (auto why = refused(trimmed(body), windows ? advice::Shell::kPowerShell : advice::Shell::kPosix)) return why;
    }
    at = end == string_view::npos ? end : text.find(kFence, end + kFence.size());
  }
  return std::nullopt;
}

std::optional<std::string> refused_in_text(string_view text) {
  const string_view line = trimmed(text);
  if (line.find('\n') == string_view::npos)
    if (auto why = refused(line, advice::Shell::kAuto)) return why;
  return refused_in_blocks(text);
}

std::optional<std::string> look(const Json& value, string_view name) {
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (is_one_of(kCommandMembers, name)) return refused(text, advice::Shell::kAuto);
    if (name == "text") {
      // Tools often return JSON in a text.
      if (const string_view start = trimmed(text); start.starts_with('{') || start.starts_with('['))
        if (const auto inner = read_json(text)) return look(*inner, "");
      return refused_in_text(text);
    }
    return std::nullopt;
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      if (auto why = look(member, key)) return why;
  } else if (value.is_array()) {
    // ["rm", "-rf", "/"] under "command" is one command.
    if (is_one_of(kCommandMembers, name)) {
      std::string joined;
      for (const Json& word : value)
        if (word.is_string()) joined += (joined.empty() ? "" : " ") + text::shell_word(word.get<std::string>());
      return refused(joined, advice::Shell::kPosix);
    }
    for (const Json& one : value)
      if (auto why = look(one, name)) return why;
  }
  return std::nullopt;
}

}  // namespace

std::string SafeFilter::text(OutputKind /*speech*/, string_view words) { return redactor_.whole(words); }

Json SafeFilter::json(OutputKind kind, Json value) {
  // As text, because the rules look at the name before a value: {"password": "…"}.
  auto walked = read_json(redaction::redact_json(redactor_, write_json(value)));
  return walked ? std::move(*walked) : Filter::json(kind, std::move(value));
}

std::optional<std::string> blocked_command(const Json& result) { return look(result, ""); }

}  // namespace pinfold::mcp
