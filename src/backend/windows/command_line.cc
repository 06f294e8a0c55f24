// command_line.cc: quoting for Windows.
// Invariant: backslashes are doubled only where a quote follows them; nothing else is special to an argv parser.
// Not here: cmd.exe (no text is quoted for it).
#include "backend/windows/command_line.h"

#include "base/text.h"
#include "base/utf16.h"

namespace pinfold::backend::on_windows {
namespace {

using std::string;
using std::string_view;
using text::shown;

bool needs_quotes(string_view argument) {
  return argument.empty() || argument.find_first_of(" \t\n\v\f\r\"") != string_view::npos;
}

bool ends_with_ignoring_case(string_view text, string_view end) {
  if (text.size() < end.size()) return false;
  const string_view tail = text.substr(text.size() - end.size());
  for (std::size_t i = 0; i < end.size(); ++i) {
    const char c = tail[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != end[i]) return false;
  }
  return true;
}

}  // namespace

string quote_argument(string_view argument) {
  if (!needs_quotes(argument)) return string(argument);
  string out = "\"";
  std::size_t backslashes = 0;
  for (const char c : argument) {
    if (c == '\\') {
      ++backslashes;
      continue;
    }
    // 2n+1 backslashes and a quote read as n backslashes and a quote; before other characters, n read as n.
    out.append(c == '"' ? 2 * backslashes + 1 : backslashes, '\\');
    backslashes = 0;
    out += c;
  }
  out.append(2 * backslashes, '\\');
  return out + '"';
}

Result<std::u16string> command_line(const std::vector<string>& argv) {
  if (argv.empty() || argv[0].empty())
    return fail(ErrorKind::kInvalid, "there is no command to run", "pinfold run -- COMMAND");
  // The first argument has no escapes: it ends at the next quote.
  if (argv[0].find('"') != string::npos)
    return fail(ErrorKind::kInvalid, shown(argv[0]) + ": a program's name cannot hold a quote", "check the name");
  string line = "\"" + argv[0] + "\"";
  for (std::size_t i = 1; i < argv.size(); ++i) line += " " + quote_argument(argv[i]);
  if (line.find('\0') != string::npos)
    return fail(ErrorKind::kInvalid, "an argument contains a NUL byte, which no command line can hold", "remove it");
  auto wide = to_utf16(line);
  if (!wide)
    return fail(ErrorKind::kInvalid, "an argument is not UTF-8, which Windows cannot be given", "convert it first");
  if (wide->size() >= kLongestCommandLine)
    return fail(ErrorKind::kInvalid, "the arguments are longer than the 32766 characters that Windows takes",
                "put them into a file");
  return std::move(*wide);
}

Result<void> check_program(string_view file) {
  if (ends_with_ignoring_case(file, ".exe") || ends_with_ignoring_case(file, ".com")) return {};
  string_view bare = file;
  while (!bare.empty() && (bare.back() == '.' || bare.back() == ' ')) bare.remove_suffix(1);
  if (ends_with_ignoring_case(bare, ".bat") || ends_with_ignoring_case(bare, ".cmd"))
    return fail(ErrorKind::kRefused,
                shown(file) + " is a batch file: cmd.exe would read its arguments again, as commands",
                "start the program that the file starts, or name cmd.exe: pinfold run -- cmd.exe /d /c NAME");
  return fail(ErrorKind::kRefused, shown(file) + " is not a program: only .exe and .com files are started",
              "name its interpreter: pinfold run -- python.exe script.py");
}

}  // namespace pinfold::backend::on_windows
