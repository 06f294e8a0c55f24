// redact.cc: `pinfold redact`: standard input to standard output, without secrets and personal data.
// Invariant: memory does not grow with the input; input that was read before an error is still redacted and written.
// Not here: the rules (src/safety).
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "report/table.h"
#include "safety/redaction/json_redactor.h"
#include "safety/redaction/redactor.h"
#include "safety/redaction/rules.h"
#include "sys/call.h"

namespace pinfold::cli {

namespace {

using redaction::Only;
using report::Cell;
using report::Paint;

Result<Only> read_only(const CommandLine& parsed) {
  const FlagValue* only = find_flag_value(parsed, Id::kOnly);
  if (only == nullptr) return Only::kEverything;
  if (only->value == "secrets") return Only::kSecrets;
  if (only->value == "personal") return Only::kPersonal;
  return fail(ErrorKind::kInvalid,
              fmt::format("--only: \"{}\" is neither secrets nor personal", text::shown(only->value)),
              "leave out --only to remove both");
}

bool is_wanted(const redaction::Rule& rule, Only only) {
  return only == Only::kEverything || (only == Only::kSecrets) == (rule.group == redaction::Group::kSecret);
}

std::string list_of_rules(Only only, HostView& host) {
  std::vector<std::vector<Cell>> rows = {{{"RULE", Paint::kDim}, {"GROUP", Paint::kDim}, {"MATCHES", Paint::kDim}}};
  for (const redaction::Rule* rule : redaction::all_rules())
    if (is_wanted(*rule, only))
      rows.push_back({{std::string(rule->name), Paint::kBold},
                      {rule->group == redaction::Group::kSecret ? "secrets" : "personal"},
                      {std::string(rule->what)}});
  return report::table(rows, 0, format_for(STDOUT_FILENO, host));
}

Result<void> add_values(const CommandLine& parsed, redaction::Redactor& redactor) {
  for (const FlagValue& one : parsed.flags) {
    if (one.flag->id != Id::kSecretsFrom) continue;
    const std::string name(one.value);
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr)
      return fail(ErrorKind::kInvalid, fmt::format("--secrets-from: the variable {} is not set", text::shown(name)),
                  "name an environment variable that is set");
    if (!redactor.add_value(name, value))
      return fail(ErrorKind::kInvalid,
                  fmt::format("--secrets-from: the value of {} is shorter than {} bytes", text::shown(name),
                              redaction::ExactValues::kShortest),
                  "use --secrets-from only for longer values: short ones occur in any text by chance");
  }
  return {};
}

void print_summary(const redaction::Redactor& redactor) {
  std::vector<std::pair<std::string, std::uint64_t>> counts(redactor.counts().begin(), redactor.counts().end());
  std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::uint64_t total = 0;
  for (const auto& [name, count] : counts) total += count;
  std::vector<std::vector<Cell>> rows;
  rows.reserve(counts.size());
  for (const auto& [name, count] : counts) rows.push_back({{std::to_string(count)}, {text::shown(name)}});
  print(STDERR_FILENO, fmt::format("pinfold: redacted {} {}\n", total, total == 1 ? "place" : "places"));
  print(STDERR_FILENO, report::table(rows, 2, report::Colour::kOff));
}

// Feeds the input to `stream` in pieces of 64 KiB, and prints its output.
template <typename Stream>
Result<void> pass_through(Stream& stream) {
  std::array<char, 64 * 1024> piece;
  while (true) {
    PF_TRY(got, sys::call("read", "standard input", [&] { return ::read(STDIN_FILENO, piece.data(), piece.size()); }),
           "reading");
    if (got == 0) break;
    print(STDOUT_FILENO, stream.feed({piece.data(), static_cast<std::size_t>(got)}));
  }
  print(STDOUT_FILENO, stream.finish());
  return {};
}

Result<void> run(const CommandLine& parsed, Context& context) {
  if (!parsed.words.empty())
    return fail(ErrorKind::kInvalid, fmt::format("redact takes no argument, but got {}", text::shown(parsed.words[0])),
                "it reads standard input: pinfold redact < FILE");
  PF_TRY(only, read_only(parsed));
  if (has_flag(parsed, Id::kList)) {
    print(STDOUT_FILENO, list_of_rules(only, context.host));
    return {};
  }
  redaction::Redactor redactor(only);
  PF_CHECK(add_values(parsed, redactor));
  if (has_flag(parsed, Id::kJson)) {
    redaction::JsonRedactor walker(redactor);
    PF_CHECK(pass_through(walker), "redacting");
  } else {
    PF_CHECK(pass_through(redactor), "redacting");
  }
  if (has_flag(parsed, Id::kSummary)) print_summary(redactor);
  return {};
}

}  // namespace

int redact(const CommandLine& parsed, Context& context) {
  const auto done = run(parsed, context);
  return done ? 0 : complain(done.error(), context.host);
}

}  // namespace pinfold::cli
