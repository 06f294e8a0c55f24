// error_line.cc: reads error lines of shells, coreutils, git, compilers, python, node, rust, go and java.
// Invariant: one pass to find a phrase, one pass for names; hostile bytes only ever yield names that match nothing.
// Not here: translated messages; paths (infer.cc).
#include "report/error_line.h"

#include <cstring>

namespace pinfold::report {

namespace {

struct Phrase {
  std::string_view text;  // lower case
  Failure failure;
  int rank;  // of several phrases in one line the highest decides the failure
};

constexpr Phrase kPhrases[] = {
    {"read-only file system", Failure::kReadOnly, 4},
    {"erofs", Failure::kReadOnly, 4},
    {"[errno 30]", Failure::kReadOnly, 4},
    {"permission denied", Failure::kDenied, 3},
    {"operation not permitted", Failure::kDenied, 3},
    {"access denied", Failure::kDenied, 3},
    {"eacces", Failure::kDenied, 3},
    {"eperm", Failure::kDenied, 3},
    {"[errno 13]", Failure::kDenied, 3},
    {"[errno 1]", Failure::kDenied, 3},
    {"no such file", Failure::kMissing, 2},
    {"directory nonexistent", Failure::kMissing, 2},
    {"enoent", Failure::kMissing, 2},
    {"[errno 2]", Failure::kMissing, 2},
    {"command not found", Failure::kNoCommand, 1},
    {"not found", Failure::kNoCommand, 1},
    {"cannot open", Failure::kUnclear, 0},
    {"can't open", Failure::kUnclear, 0},
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool is_word(char c) {
  const char l = lower(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool matches(std::string_view line, std::size_t at, std::string_view phrase) {
  if (line.size() - at < phrase.size()) return false;
  for (std::size_t i = 0; i < phrase.size(); ++i)
    if (lower(line[at + i]) != phrase[i]) return false;
  return true;
}

struct PhraseMatch {
  const Phrase* phrase = nullptr;
  std::size_t at = 0;
};

struct PhraseFirstBytes {
  std::array<bool, 256> is{};
  constexpr PhraseFirstBytes() {
    for (const Phrase& phrase : kPhrases) {
      const auto first = static_cast<unsigned char>(phrase.text[0]);
      is[first] = true;
      if (first >= 'a' && first <= 'z') is[first - 'a' + 'A'] = true;
    }
  }
};
constexpr PhraseFirstBytes kStarts;

PhraseMatch find_phrase(std::string_view line) {
  PhraseMatch best;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!kStarts.is[static_cast<unsigned char>(line[at])]) continue;
    for (const Phrase& phrase : kPhrases) {
      if (phrase.text[0] != lower(line[at])) continue;
      if (best.phrase != nullptr && best.phrase->rank >= phrase.rank) continue;
      if (matches(line, at, phrase.text)) best = {&phrase, at};
    }
  }
  return best;
}

bool says(std::string_view line, std::string_view words) {
  for (std::size_t at = 0; at + words.size() <= line.size(); ++at)
    if (matches(line, at, words)) return true;
  return false;
}

class Names {
 public:
  explicit Names(ErrorLine& error) : line_(error) {}
  void add(std::string_view name) {
    if (name.empty() || line_.count == ErrorLine::kMostNames || name.size() > 4096) return;
    for (std::size_t i = 0; i < line_.count; ++i) {
      const std::string_view known = line_.names[i];
      // A piece of a name that was already taken ("/a" of "/a b"), or a piece with its quotes, is not another name.
      if (within(name, known) || within(known, name) || known == name) return;
    }
    line_.names[line_.count++] = name;
  }

 private:
  static bool within(std::string_view part, std::string_view whole) {
    return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
  }
  ErrorLine& line_;
};

struct Quote {
  std::string_view open;
  std::string_view close;
};
constexpr Quote kQuotes[] = {{"'", "'"}, {"\"", "\""}, {"`", "'"}, {"`", "`"}, {"‘", "’"}, {"“", "”"}};

// coreutils write bytes that cannot be printed as 'name'$'\\377''more': one word, whose pieces are no names. From the
// closing quote of its first piece to that of its last.
std::size_t end_of_shell_word(std::string_view line, std::size_t end) {
  while (line.substr(end + 1).starts_with("$'") || line.substr(end + 1).starts_with("'")) {
    const bool escapes = line[end + 1] == '$';
    std::size_t at = end + (escapes ? 3 : 2);
    while (at < line.size() && line[at] != '\'') at += escapes && line[at] == '\\' ? 2U : 1U;
    if (at >= line.size()) return end;
    end = at;
  }
  return end;
}

// 'x', "x", `x', ‘x’. An apostrophe inside a word ("can't") opens nothing. Each opening looks for its end once, and the
// scan goes on behind it, so the whole is linear for names that close and bounded by kOpenings for those that do not.
void quoted_names(std::string_view line, Names& names) {
  constexpr int kOpenings = 32;
  int openings = 0;
  for (std::size_t at = 0; at < line.size() && openings < kOpenings;) {
    std::size_t next = at + 1;
    for (const Quote& quote : kQuotes) {
      if (line.compare(at, quote.open.size(), quote.open) != 0) continue;
      if (quote.open.size() == 1 && at > 0 && is_word(line[at - 1])) continue;
      ++openings;
      const std::size_t begin = at + quote.open.size();
      std::size_t end = line.find(quote.close, begin);
      // 'it's': a closing quote is not inside a word.
      while (end != std::string_view::npos && end + 1 < line.size() && quote.close.size() == 1 &&
             is_word(line[end + 1]))
        end = line.find(quote.close, end + 1);
      if (end == std::string_view::npos) continue;
      if (quote.open == "'" && line.substr(end + 1).starts_with("$'")) end = end_of_shell_word(line, end);
      names.add(line.substr(begin, end - begin));
      next = end + quote.close.size();
      break;
    }
    at = next;
  }
}

bool starts_path(std::string_view text) {
  return text.starts_with("/") || text.starts_with("~/") || text.starts_with("./") || text.starts_with("../");
}

bool ends_token(std::string_view line, std::size_t at) {
  const char c = line[at];
  if (std::strchr(" \t,;)'\"`]>", c) != nullptr) return true;  // also NUL
  return c == ':' && (at + 1 == line.size() || line[at + 1] == ' ');
}

// Words that look like paths. The first word with a colon is the program's name, "at X line 3" is a position in its
// source.
void path_tokens(std::string_view line, Names& names) {
  for (std::size_t at = 0; at < line.size();) {
    const bool boundary = at == 0 || std::strchr(" \t(:=,'\"`[<>", line[at - 1]) != nullptr;
    if (!boundary || !starts_path(line.substr(at))) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && !ends_token(line, end)) ++end;
    const bool speaker = at == 0 && end < line.size() && line[end] == ':';
    const bool place = at >= 3 && line.substr(at - 3, 3) == "at ";
    if (!speaker && !place) names.add(line.substr(at, end - at));
    at = end == at ? at + 1 : end;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && std::strchr(" \t:(,", text.back()) != nullptr) text.remove_suffix(1);
  return text;
}

// "cat: a b.txt: Permission denied", "sh: 1: cannot create x: …", "FileNotFoundException: x (Permission denied)":
// the piece that stands right before the phrase.
void name_before(std::string_view line, std::size_t phrase_at, Names& names) {
  std::string_view head = trimmed(line.substr(0, phrase_at));
  const std::size_t colon = head.rfind(": ");
  std::string_view piece = colon == std::string_view::npos ? head : trimmed(head.substr(colon + 2));
  if (piece.empty()) return;
  // Verbs: "cannot create x", "open x", "couldn't read x".
  for (std::size_t at = 0; at < piece.size(); ++at) {
    if ((at == 0 || piece[at - 1] == ' ') && starts_path(piece.substr(at))) {
      names.add(piece.substr(at));
      return;
    }
  }
  const std::size_t space = piece.rfind(' ');
  const bool verb = piece.starts_with("can") || piece.starts_with("could") || piece.starts_with("failed") ||
                    piece.starts_with("unable") || piece.starts_with("open ") || piece.starts_with("stat ");
  if (space != std::string_view::npos && !verb) names.add(piece);
  names.add(space == std::string_view::npos ? piece : piece.substr(space + 1));
}

// "zsh: command not found: foo", "spawn foo ENOENT".
void name_of_command(std::string_view line, const PhraseMatch& found, Names& names) {
  const std::size_t behind = found.at + found.phrase->text.size();
  if (found.phrase->failure == Failure::kNoCommand && line.substr(behind).starts_with(": ")) {
    std::string_view rest = line.substr(behind + 2);
    names.add(rest.substr(0, rest.find(' ')));
  }
}

}  // namespace

std::optional<ErrorLine> read_error_line(std::string_view line) {
  const PhraseMatch found = find_phrase(line);
  if (found.phrase == nullptr) return std::nullopt;
  ErrorLine error;
  error.failure = found.phrase->failure;
  for (const std::string_view words :
       {"cannot create", "can't create", "cannot touch", "cannot make", "for writing", "could not create",
        "could not lock", "failed to create", "unable to create", "mkdir", "directory nonexistent"})
    if (says(line, words)) {
      error.intent = Intent::kCreate;
      break;
    }
  for (const std::string_view words : {"cannot remove", "can't remove", "could not remove", "failed to remove",
                                       "unable to remove", "cannot unlink", "could not unlink", "unlink '"})
    if (says(line, words)) {
      error.intent = Intent::kDelete;
      break;
    }
  Names names(error);
  quoted_names(line, names);
  if (found.phrase->failure != Failure::kUnclear) name_before(line, found.at, names);
  name_of_command(line, found, names);
  path_tokens(line, names);
  if (error.count == 0) return std::nullopt;
  return error;
}

}  // namespace pinfold::report
