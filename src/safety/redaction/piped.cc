// piped.cc: passwords that a command line pipes into a program, or passes as a plain word.
// Invariant: reads the rest of one line, up to a bounded length.
// Not here: flags (phrases.cc).
#include "safety/redaction/assignments.h"
#include "safety/redaction/value_text.h"
#include "safety/redaction/values.h"

namespace pinfold::redaction {
namespace {

using std::string_view;

constexpr std::size_t kLine = 256;

// Programs that read a password from a pipe, and the option by which they do.
struct Reader {
  string_view program;
  string_view option;  // empty: always
};
constexpr Reader kReaders[] = {{"sudo", "-S"},
                               {"sudo", "--stdin"},
                               {"passwd", "--stdin"},
                               {"chpasswd", ""},
                               {"docker", "--password-stdin"},
                               {"podman", "--password-stdin"},
                               {"helm", "--password-stdin"},
                               {"cryptsetup", ""},
                               {"gpg", "--passphrase-fd"},
                               {"kinit", ""},
                               {"smbpasswd", "-s"},
                               {"openssl", "stdin"}};

bool reads_password(string_view command) {
  for (const Reader& one : kReaders)
    if (command.starts_with(one.program) && byte_at(command, one.program.size()) == ' ')
      if (command.find(one.option) != string_view::npos) return true;
  return command == "chpasswd" || (command.starts_with("sudo ") && command.find("chpasswd") != string_view::npos);
}

// FILE USER SECRET, or USER SECRET with -n; the first words are options.
OptionalMatch after_htpasswd(const Spot& spot, std::size_t at, string_view line) {
  bool given = false;
  int before = 2;
  while (byte_at(line, at) == '-') {
    const std::size_t end = find_kind(line, at, kBlank);
    given = given || line.substr(at, end - at).find('b') != string_view::npos;
    if (line.substr(at, end - at).find('n') != string_view::npos) before = 1;
    at = end + run_of(line, end, kBlank);
  }
  for (; given && before > 0; --before) {
    at = find_kind(line, at, kBlank);
    at += run_of(line, at, kBlank);
  }
  if (const auto quoted = quoted_text(line, at); given && quoted)
    return found(kPasswordRule, quoted->begin, quoted->end);
  const std::size_t end = std::min(line.find_first_of(" \t|;&>", at), line.size());
  const string_view value = line.substr(std::min(at, line.size()), end - std::min(at, end));
  if (!given || value.size() < 3 || is_stand_in(value)) return std::nullopt;
  static_cast<void>(spot);
  return found(kPasswordRule, at, end);
}

}  // namespace

OptionalMatch find_piped(const Spot& spot, string_view word, std::size_t at) {
  const string_view line = spot.ahead.substr(0, std::min(find_kind(spot.ahead, 0, kNewline), kLine));
  if (at >= line.size()) return std::nullopt;
  if (word == "htpasswd") return after_htpasswd(spot, at, line);
  while (byte_at(line, at) == '-') {
    at = find_kind(line, at, kBlank);
    at += run_of(line, at, kBlank);
  }
  std::size_t begin = at;
  std::size_t end = at;
  std::size_t next = at;
  if (const auto quoted = quoted_text(line, at)) {
    begin = quoted->begin;
    end = quoted->end;
    next = end + 1;
  } else {
    end = next = std::min(line.find_first_of(" \t|", at), line.size());
  }
  next += run_of(line, next, kBlank);
  if (byte_at(line, next) != '|' || byte_at(line, next + 1) == '|') return std::nullopt;
  ++next;
  next += run_of(line, next, kBlank);
  if (next >= line.size() || !reads_password(line.substr(next))) return std::nullopt;
  if (line.substr(next).find("chpasswd") != string_view::npos) {
    const std::size_t colon = line.substr(0, end).find(':', begin);
    if (colon != string_view::npos) begin = colon + 1;
  }
  if (line.substr(begin, end - begin).ends_with("\\n")) end -= 2;
  const string_view value = line.substr(begin, end - begin);
  if (value.size() < 3 || is_stand_in(value)) return std::nullopt;
  return found(kPasswordRule, begin, end);
}

}  // namespace pinfold::redaction
