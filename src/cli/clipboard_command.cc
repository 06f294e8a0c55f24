// clipboard_command.cc: reads the options of the usual clipboard commands, and makes one exchange over the socket.
// Invariant: there is one clipboard, for every selection; an unknown option is an error, never skipped.
// Not here: the clipboard (plugin/clipboard.h).
#include "cli/clipboard_command.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/paths.h"
#include "cli/process_io.h"
#include "sys/fd.h"
#include "sys/files.h"

namespace pinfold::cli {

namespace {

using Words = std::vector<std::string_view>;

enum class ClipboardAction { kCopy, kPaste };

struct ClipboardRequest {
  ClipboardAction action = ClipboardAction::kCopy;
  std::optional<std::string> text;  // none: standard input
  bool trims = false;               // remove the final newline
  bool ends_line = false;           // add a final newline, as wl-paste does
  std::string problem;
};

// The options of one clipboard command by meaning; `with_value` take the next word as their value.
struct CommandSyntax {
  std::string_view command;
  ClipboardAction default_action;
  Words copies, pastes, trims, clears, ignored, with_value;
};

const std::vector<CommandSyntax>& command_syntaxes() {
  static const std::vector<CommandSyntax> all = {
      {"wl-copy",
       ClipboardAction::kCopy,
       {},
       {},
       {"-n", "--trim-newline"},
       {"-c", "--clear"},
       {"-f", "--foreground", "-o", "--paste-once", "-p", "--primary"},
       {"-t", "--type", "-s", "--seat"}},
      {"wl-paste",
       ClipboardAction::kPaste,
       {},
       {},
       {"-n", "--no-newline"},
       {},
       {"-p", "--primary"},
       {"-t", "--type", "-s", "--seat"}},
      {"xclip",
       ClipboardAction::kCopy,
       {"-i", "-in"},
       {"-o", "-out"},
       {"-r", "-rmlastnl"},
       {},
       {"-f", "-filter", "-silent", "-quiet", "-verbose", "-noutf8"},
       {"-selection", "-select", "-sel", "-se", "-t", "-target", "-d", "-display", "-l", "-loops"}},
      {"xsel",
       ClipboardAction::kCopy,
       {"-i", "--input"},
       {"-o", "--output"},
       {"--trim"},
       {"-c", "--clear", "-d", "--delete"},
       {"-b", "--clipboard", "-p", "--primary", "-s", "--secondary", "-k", "--keep", "-n", "--nodetach", "-ib", "-bi",
        "-x", "--exchange", "-v", "--verbose"},
       {"--display", "-t", "--selectionTimeout"}},
      {"pbcopy", ClipboardAction::kCopy, {}, {}, {}, {}, {}, {"-pboard", "--pboard"}},
      {"pbpaste", ClipboardAction::kPaste, {}, {}, {}, {}, {}, {"-pboard", "--pboard", "-Prefer", "--Prefer"}},
  };
  return all;
}

bool is_in(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

ClipboardRequest read_words(const CommandSyntax& command, const Words& words) {
  ClipboardRequest out;
  out.action = command.default_action;
  bool only_text = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    const std::string_view name = word.substr(0, word.find('='));
    if (only_text || word.empty() || word[0] != '-') {
      // wl-copy takes text as arguments; the others take file names, which are not supported.
      if (command.command != "wl-copy")
        out.problem = "give the text on standard input, not as the argument " + std::string(word);
      out.text = out.text ? *out.text + " " + std::string(word) : std::string(word);
    } else if (word == "--") {
      only_text = true;
    } else if (is_in(word, command.copies) || word == "-bi" || word == "-ib") {
      out.action = ClipboardAction::kCopy;
    } else if (is_in(word, command.pastes) || ((word == "-bo" || word == "-ob") && command.command == "xsel")) {
      out.action = ClipboardAction::kPaste;
    } else if (is_in(word, command.trims)) {
      out.trims = true;
    } else if (is_in(word, command.clears)) {
      out.action = ClipboardAction::kCopy;
      out.text = "";
    } else if (is_in(word, command.with_value)) {
      ++i;
    } else if (!is_in(word, command.ignored) && !(name != word && is_in(name, command.with_value))) {
      out.problem = "unknown option " + std::string(word);
    }
  }
  out.ends_line = command.command == "wl-paste" && !out.trims;
  return out;
}

std::optional<std::string> read_all(int fd) {
  std::string out;
  char bytes[65536];
  while (true) {
    const ssize_t size = ::read(fd, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) return out;
    out.append(bytes, static_cast<std::size_t>(size));
  }
}

// The whole reply of the clipboard's socket; empty if it cannot be reached.
std::optional<std::string> send_request(const char* path, const std::string& message) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path) return std::nullopt;
  std::strcpy(address.sun_path, path);  // NOLINT: its length was checked
  const auto fd = sys::Fd::adopt(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.is_open() || ::connect(fd.raw(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return std::nullopt;
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t size = ::send(fd.raw(), message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) break;  // the service closed its end: its reply has the reason
    sent += static_cast<std::size_t>(size);
  }
  ::shutdown(fd.raw(), SHUT_WR);
  return read_all(fd.raw());
}

void trim(std::string& text) {
  if (text.ends_with('\n')) text.pop_back();
}

std::string perform(ClipboardRequest request, const char* path, std::string& problem) {
  std::string message = "paste\n";
  if (request.action == ClipboardAction::kCopy) {
    if (!request.text) request.text = read_all(STDIN_FILENO);
    if (!request.text) problem = "cannot read standard input";
    if (!problem.empty()) return {};
    if (request.trims) trim(*request.text);
    message = "copy\n" + *request.text;
  }
  std::optional<std::string> reply = send_request(path, message);
  if (!reply)
    problem = "cannot connect to the clipboard socket";
  else if (!reply->starts_with("ok\n"))
    problem = reply->starts_with("error: ") ? reply->substr(7, reply->find('\n') - 7) : "the clipboard did not answer";
  if (!problem.empty() || request.action == ClipboardAction::kCopy) return {};
  reply->erase(0, 3);
  if (request.trims) trim(*reply);
  if (request.ends_line && !reply->empty() && !reply->ends_with('\n')) *reply += '\n';
  return *reply;
}

}  // namespace

std::optional<int> clipboard_command(int argc, char** argv) {
  const char* path = std::getenv(kClipboardVariable);
  if (path == nullptr || argc < 1) return std::nullopt;
  const std::string_view name = paths::basename(argv[0]);
  const auto command = std::find_if(command_syntaxes().begin(), command_syntaxes().end(),
                                    [&](const CommandSyntax& one) { return one.command == name; });
  if (command == command_syntaxes().end()) return std::nullopt;
  Words words;
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  ClipboardRequest request = read_words(*command, words);
  std::string problem = request.problem;
  const std::string got = problem.empty() ? perform(std::move(request), path, problem) : std::string();
  if (problem.empty() && sys::write_all(STDOUT_FILENO, got, "standard output")) return 0;
  if (!problem.empty()) print(STDERR_FILENO, std::string(name) + ": " + problem + "\n");
  return 1;
}

}  // namespace pinfold::cli
