// files_common.cc: code that the commands of `pinfold files` share.
// Invariant: on a terminal, text from files and file names is escaped.
// Not here: the file tools (files/tools.h).
#include "cli/files_common.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/encode.h"
#include "base/text.h"
#include "base/try.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/process_io.h"
#include "cli/prompt.h"
#include "report/outcome.h"
#include "report/table.h"
#include "sys/host.h"

namespace pinfold::cli {

namespace {

std::string dumped(const FilesJson& json) {
  return json.dump(-1, ' ', false, FilesJson::error_handler_t::replace) + "\n";
}

std::string_view word(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalid: return "invalid";
    case ErrorKind::kRefused: return "refused";
    case ErrorKind::kNotFound: return "not_found";
    case ErrorKind::kUnavailable: return "unavailable";
    case ErrorKind::kSystem: break;
  }
  return "system";
}

int print_failure(const Error& error, const CommandLine& parsed, Context& context) {
  if (has_flag(parsed, Id::kJson)) {
    FilesJson json = {{"ok", false},
                      {"error",
                       {{"kind", word(error.kind())},
                        {"message", error.text()},
                        {"fix", error.fix().empty() ? FilesJson(nullptr) : FilesJson(error.fix())}}}};
    print(STDOUT_FILENO, dumped(json));
  }
  return complain(error, context.host);
}

Result<files::Tools> open_tools(const CommandLine& parsed, Context& context) {
  PF_TRY(caller, sys::find_caller(context.host));
  PF_TRY(read, load_scope(parsed, caller, context.host));
  PF_TRY(tools, files::Tools::open(read.loaded.policy, caller, context.host));
  if (is_terminal(STDIN_FILENO) && is_terminal(STDERR_FILENO))
    tools.set_asker([](const FileApprovalRequest& question) {
      return ask(fmt::format("pinfold: {} {} is {}. Allow it?",
                             question.access == Access::kWrite ? "writing" : "reading", text::shown(question.path),
                             question.reason));
    });
  return tools;
}

}  // namespace

void put_bytes(FilesJson& out, std::string_view key, std::string_view bytes) {
  out[std::string(key)] = valid_utf8(bytes);
  if (!is_utf8(bytes)) out[std::string(key) + "_base64"] = base64(bytes);
}

Result<std::size_t> number_of(const CommandLine& parsed, Id id, std::size_t otherwise) {
  const FlagValue* given = find_flag_value(parsed, id);
  if (given == nullptr) return otherwise;
  PF_TRY(number, units::parse_count(given->value), given->spelling);
  return number;
}

int files_command(const CommandLine& parsed, Context& context,
                  const std::function<Result<FilesResult>(files::Tools&)>& body) {
  auto tools = open_tools(parsed, context);
  if (!tools) return print_failure(tools.error(), parsed, context);
  auto answer = body(*tools);
  if (!answer) return print_failure(answer.error(), parsed, context);
  if (has_flag(parsed, Id::kJson)) {
    FilesJson json = {{"ok", true}};
    json.update(answer->json);
    print(STDOUT_FILENO, dumped(json));
  } else {
    print(STDOUT_FILENO, answer->text);
    for (const std::string& note : answer->notes) print(STDERR_FILENO, "pinfold: " + text::shown(note) + "\n");
  }
  return answer->code;
}

std::string painted(std::string_view diff, Context& context) {
  const report::Colour colour = colour_for(STDOUT_FILENO, context.host);
  const bool terminal = is_terminal(STDOUT_FILENO);
  if (!terminal) return std::string(diff);
  std::string out;
  while (!diff.empty()) {
    const std::size_t end = std::min(diff.find('\n'), diff.size());
    const std::string_view line = diff.substr(0, end);
    report::Paint paint = report::Paint::kNone;
    if (line.starts_with("+++") || line.starts_with("---"))
      paint = report::Paint::kBold;
    else if (line.starts_with("@@"))
      paint = report::Paint::kDim;
    else if (line.starts_with('+'))
      paint = report::Paint::kGood;
    else if (line.starts_with('-'))
      paint = report::Paint::kBad;
    out += report::paint(report::visible(line), paint, colour) + "\n";
    diff.remove_prefix(std::min(end + 1, diff.size()));
  }
  return out;
}

}  // namespace pinfold::cli
