// clipboard_command.cc: what the usual clipboard commands are asked for, and one exchange over the socket.
// Invariant: knows one clipboard, whichever selection is named; an option that is not known is an error, never skipped.
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

enum class Does { kCopy, kPaste };

struct Asked {
  Does does = Does::kCopy;
  std::optional<std::string> text;  // none: standard input
  bool trims = false;               // the line's end that text ends with
  bool ends_line = false;           // wl-paste's way
  std::string problem;
};

// Options of one command: what they mean, and which of them take the next word along.
struct Spelling {
  std::string_view command;
  Does usually;
  Words copies, pastes, trims, clears, ignored, with_value;
};

const std::vector<Spelling>& spellings() {
  static const std::vector<Spelling> all = {
      {"wl-copy",
       Does::kCopy,
       {},
       {},
       {"-n", "--trim-newline"},
       {"-c", "--clear"},
       {"-f", "--foreground", "-o", "--paste-once", "-p", "--primary"},
       {"-t", "--type", "-s", "--seat"}},
      {"wl-paste",
       Does::kPaste,
       {},
       {},
       {"-n", "--no-newline"},
       {},
       {"-p", "--primary"},
       {"-t", "--type", "-s", "--seat"}},
      {"xclip",
       Does::kCopy,
       {"-i", "-in"},
       {"-o", "-out"},
       {"-r", "-rmlastnl"},
       {},
       {"-f", "-filter", "-silent", "-quiet", "-verbose", "-noutf8"},
       {"-selection", "-select", "-sel", "-se", "-t", "-target", "-d", "-display", "-l", "-loops"}},
      {"xsel",
       Does::kCopy,
       {"-i", "--input"},
       {"-o", "--output"},
       {"--trim"},
       {"-c", "--clear", "-d", "--delete"},
       {"-b", "--clipboard", "-p", "--primary", "-s", "--secondary", "-k", "--keep", "-n", "--nodetach", "-ib", "-bi",
        "-x", "--exchange", "-v", "--verbose"},
       {"--display", "-t", "--selectionTimeout"}},
      {"pbcopy", Does::kCopy, {}, {}, {}, {}, {}, {"-pboard", "--pboard"}},
      {"pbpaste", Does::kPaste, {}, {}, {}, {}, {}, {"-pboard", "--pboard", "-Prefer", "--Prefer"}},
  };
  return all;
}

bool is_in(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Asked read_words(const Spelling& command, const Words& words) {
  Asked out;
  out.does = command.usually;
  bool only_text = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    const std::string_view name = word.substr(0, word.find('='));
    if (only_text || word.empty() || word[0] != '-') {
      // wl-copy takes text, the others files.
      if (command.command != "wl-copy") out.problem = "give the text on standard input, not as " + std::string(word);
      out.text = out.text ? *out.text + " " + std::string(word) : std::string(word);
    } else if (word == "--") {
      only_text = true;
    } else if (is_in(word, command.copies) || word == "-bi" || word == "-ib") {
      out.does = Does::kCopy;
    } else if (is_in(word, command.pastes) || ((word == "-bo" || word == "-ob") && command.command == "xsel")) {
      out.does = Does::kPaste;
    } else if (is_in(word, command.trims)) {
      out.trims = true;
    } else if (is_in(word, command.clears)) {
      out.does = Does::kCopy;
      out.text = "";
    } else if (is_in(word, command.with_value)) {
      ++i;
    } else if (!is_in(word, command.ignored) && !(name != word && is_in(name, command.with_value))) {
      out.problem = "does not know " + std::string(word);
    }
  }
  out.ends_line = command.command == "wl-paste" && !out.trims;
  return out;
}

std::optional<std::string> all_of(int fd) {
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

// Everything the other side said, or nothing if it could not be asked.
std::optional<std::string> converse(const char* path, const std::string& said) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path) return std::nullopt;
  std::strcpy(address.sun_path, path);  // NOLINT: its length was looked at
  const auto fd = sys::Fd::adopt(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.is_open() || ::connect(fd.raw(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return std::nullopt;
  for (std::size_t sent = 0; sent < said.size();) {
    const ssize_t size = ::send(fd.raw(), said.data() + sent, said.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) break;  // it has heard enough, and says why
    sent += static_cast<std::size_t>(size);
  }
  ::shutdown(fd.raw(), SHUT_WR);
  return all_of(fd.raw());
}

void trim(std::string& text) {
  if (text.ends_with('\n')) text.pop_back();
}

std::string perform(Asked asked, const char* path, std::string& problem) {
  std::string said = "paste\n";
  if (asked.does == Does::kCopy) {
    if (!asked.text) asked.text = all_of(STDIN_FILENO);
    if (!asked.text) problem = "standard input cannot be read";
    if (!problem.empty()) return {};
    if (asked.trims) trim(*asked.text);
    said = "copy\n" + *asked.text;
  }
  std::optional<std::string> heard = converse(path, said);
  if (!heard)
    problem = "the clipboard cannot be reached";
  else if (!heard->starts_with("ok\n"))
    problem = heard->starts_with("error: ") ? heard->substr(7, heard->find('\n') - 7) : "the clipboard did not answer";
  if (!problem.empty() || asked.does == Does::kCopy) return {};
  heard->erase(0, 3);
  if (asked.trims) trim(*heard);
  if (asked.ends_line && !heard->empty() && !heard->ends_with('\n')) *heard += '\n';
  return *heard;
}

}  // namespace

std::optional<int> clipboard_command(int argc, char** argv) {
  const char* path = std::getenv(kClipboardVariable);
  if (path == nullptr || argc < 1) return std::nullopt;
  const std::string_view name = paths::basename(argv[0]);
  const auto command =
      std::find_if(spellings().begin(), spellings().end(), [&](const Spelling& one) { return one.command == name; });
  if (command == spellings().end()) return std::nullopt;
  Words words;
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  Asked asked = read_words(*command, words);
  std::string problem = asked.problem;
  const std::string got = problem.empty() ? perform(std::move(asked), path, problem) : std::string();
  if (problem.empty() && sys::write_all(STDOUT_FILENO, got, "standard output")) return 0;
  if (!problem.empty()) print(STDERR_FILENO, std::string(name) + ": " + problem + "\n");
  return 1;
}

}  // namespace pinfold::cli
