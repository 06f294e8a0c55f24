// shell_words.cc: one word of shell: quotes, escapes, variables, substitutions, braces.
// Invariant: each byte is visited a bounded number of times, also with unclosed quotes and brackets. A variable is
// expanded only if the text itself assigns it. Not here: commands and operators (shell_reader.cc).
#include <algorithm>
#include <cctype>

#include "safety/advice/ascii.h"
#include "safety/advice/shell_reader_impl.h"

namespace pinfold::advice::detail {

namespace {

constexpr std::string_view kEndsWord = " \t\n|&;()<>";
constexpr std::size_t kMostBraceWords = 32;
constexpr std::size_t kMostValue = 4096;      // a variable that doubles itself must not grow without end
constexpr std::size_t kMostExpanded = 65536;  // in one text

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "a{b,c}d" is "abd" and "acd"; only the first braces, which suffice for obfuscated commands: {rm,-rf,/}.
std::vector<std::string> brace_words(const std::string& text) {
  const auto open = text.find('{');
  const auto close = open == std::string::npos ? open : text.find('}', open);
  if (close == std::string::npos || (open > 0 && text[open - 1] == '$')) return {};
  const std::string_view inner = std::string_view(text).substr(open + 1, close - open - 1);
  if (inner.find(',') == std::string_view::npos || inner.find('{') != std::string_view::npos) return {};
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= inner.size() && words.size() < kMostBraceWords;) {
    const auto comma = std::min(inner.find(',', at), inner.size());
    words.push_back(text.substr(0, open) + std::string(inner.substr(at, comma - at)) + text.substr(close + 1));
    at = comma + 1;
  }
  return words;
}

}  // namespace

void ShellReader::skip_blanks() {
  while (!done()) {
    if (peek() == ' ' || peek() == '\t' || peek() == '\r')
      ++at_;
    else if (peek() == '\\' && peek(1) == '\n')
      at_ += 2;
    else
      return;
  }
}

bool ShellReader::at_word_end() const { return done() || kEndsWord.find(peek()) != std::string_view::npos; }

void ShellReader::add_words(std::vector<Word>& words) {
  split_ = false;
  Word one = word();
  if (!one.quoted && !one.unknown && one.text.find('{') != std::string::npos) {
    if (auto several = brace_words(one.text); !several.empty()) {
      for (auto& text : several) {
        Word each = one;
        each.text = std::move(text);
        if (!each.text.empty()) words.push_back(std::move(each));
      }
      return;
    }
  }
  if (!split_ || one.text.find_first_of(" \t\n") == std::string::npos) {
    words.push_back(std::move(one));
    return;
  }
  const std::string all = std::move(one.text);
  one.text.clear();
  for (std::size_t at = 0; at < all.size();) {
    const auto first = all.find_first_not_of(" \t\n", at);
    if (first == std::string::npos) break;
    const auto last = std::min(all.find_first_of(" \t\n", first), all.size());
    Word each = one;
    each.text = all.substr(first, last - first);
    words.push_back(std::move(each));
    at = last;
  }
}

Word ShellReader::word() {
  Word out;
  const std::size_t start = at_;
  if ((peek() == '<' || peek() == '>') && peek(1) == '(') {
    ++at_;
    substitution(out);
  }
  while (!at_word_end()) {
    const char c = peek();
    if (c == '\\') {
      if (peek(1) != '\n' && at_ + 1 < in_.size()) out.text += peek(1);
      if (peek(1) != '\n') out.quoted = true;
      at_ += 2;
    } else if (c == '\'') {
      const auto close = std::min(in_.find('\'', at_ + 1), in_.size());
      out.text += in_.substr(at_ + 1, close - at_ - 1);
      out.quoted = true;
      at_ = close + 1;
    } else if (c == '"') {
      ++at_;
      double_quoted(out);
    } else if (c == '$') {
      dollar(out, false);
    } else if (c == '`') {
      backticks(out);
    } else {
      if (c == '*' || c == '?' || c == '[') out.glob = true;
      out.text += c;
      ++at_;
    }
  }
  at_ = std::min(at_, in_.size());
  out.begin = here(start);
  out.end = end_here(at_);
  return out;
}

void ShellReader::double_quoted(Word& word) {
  word.quoted = true;
  while (!done() && peek() != '"') {
    const char c = peek();
    if (c == '\\') {
      const char next = peek(1);
      if (next != '\n') {
        if (next != '$' && next != '`' && next != '"' && next != '\\') word.text += c;
        if (at_ + 1 < in_.size()) word.text += next;
      }
      at_ += 2;
    } else if (c == '$') {
      dollar(word, true);
    } else if (c == '`') {
      backticks(word);
    } else {
      word.text += c;
      ++at_;
    }
  }
  ++at_;
}

void ShellReader::body(Word& word) {
  while (!done()) {
    if (peek() == '\\' && at_ + 1 < in_.size()) {
      word.text += peek(1);
      at_ += 2;
    } else if (peek() == '$') {
      dollar(word, true);
    } else if (peek() == '`') {
      backticks(word);
    } else {
      word.text += peek();
      ++at_;
    }
  }
}

void ShellReader::ansi_quoted(Word& word) {
  word.quoted = true;
  while (!done() && peek() != '\'') {
    if (peek() != '\\') {
      word.text += peek();
      ++at_;
      continue;
    }
    const char kind = peek(1);
    at_ += 2;
    int value = 0;
    int digits = 0;
    const int most = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    if (most > 0) {
      for (; digits < most && hex(peek()) >= 0; ++digits, ++at_) value = (value << 4 | hex(peek())) & 0xFFFF;
      word.text += static_cast<char>(value);
    } else if (kind >= '0' && kind <= '7') {
      value = kind - '0';
      for (; digits < 2 && peek() >= '0' && peek() <= '7'; ++digits, ++at_) value = value * 8 + (peek() - '0');
      word.text += static_cast<char>(value);
    } else if (kind != '\0') {
      constexpr std::string_view kNames = "ntrabefv", kValues = "\n\t\r\a\b\033\f\v";
      const auto known = kNames.find(kind);
      word.text += known == std::string_view::npos ? kind : kValues[known];
    }
  }
  ++at_;
}

void ShellReader::dollar(Word& word, bool in_quotes) {
  ++at_;
  const char c = peek();
  if (c == '\'' && !in_quotes) {
    ++at_;
    ansi_quoted(word);
  } else if (c == '"' && !in_quotes) {
    ++at_;
    double_quoted(word);
  } else if (c == '(') {
    substitution(word);
  } else if (c == '{') {
    ++at_;
    braced(word, in_quotes);
  } else if (is_name(c) && !is_digit(c)) {
    const std::size_t start = at_;
    while (is_name(peek())) ++at_;
    value_of(in_.substr(start, at_ - start), word, in_quotes);
  } else if (c != '\0' && std::string_view("@*#?!-$0123456789").find(c) != std::string_view::npos) {
    word.text += '$';
    word.text += c;
    word.unknown = true;
    ++at_;
  } else {
    word.text += '$';
  }
}

void ShellReader::value_of(std::string_view name, Word& word, bool in_quotes) {
  if (name == "IFS") {
    word.text += ' ';
    split_ = split_ || !in_quotes;
    return;
  }
  if (const auto known = variables_.values.find(name); known != variables_.values.end()) {
    variables_.expanded += known->second.size();
    if (word.text.size() + known->second.size() > kMostValue || variables_.expanded > kMostExpanded) {
      word.unknown = true;
      return;
    }
    const std::size_t from = word.text.size();
    word.text += known->second;
    // IFS=,;c=rm,-rf,/;$c: the text itself sets the word separator.
    if (const auto apart = variables_.values.find("IFS");
        apart != variables_.values.end() && apart->second.size() < 8 && !in_quotes)
      for (std::size_t i = from; i < word.text.size(); ++i)
        if (apart->second.find(word.text[i]) != std::string::npos) word.text[i] = ' ';
    if (known->second.find('$') != std::string::npos) word.unknown = true;
    if (known->second.find_first_of("*?[") != std::string::npos && !in_quotes) word.glob = true;
    split_ = split_ || !in_quotes;
    return;
  }
  word.text += '$';
  word.text += name;
  word.unknown = true;
}

void ShellReader::braced(Word& word, bool in_quotes) {
  const std::size_t start = at_;
  while (is_name(peek())) ++at_;
  const std::string_view name = in_.substr(start, at_ - start);
  if (peek() == '}') {
    ++at_;
    value_of(name, word, in_quotes);
    return;
  }
  const bool guarded = starts(":?") || peek() == '?';  // ${X:?}: the shell stops where it is empty
  const bool fallback = starts(":-") || starts(":=");
  const bool assigned = variables_.values.find(name) != variables_.values.end();
  if (fallback) at_ += 2;
  // The rest may hold substitutions, and those run.
  Word rest;
  if (++depth_ > kMostNested) {
    out_.complete = false;
    at_ = in_.size();
  }
  while (!done() && peek() != '}') {
    if (peek() == '\\') {
      at_ += 2;
    } else if (peek() == '$') {
      dollar(rest, true);
    } else if (peek() == '`') {
      backticks(rest);
    } else {
      rest.text += peek();
      ++at_;
    }
  }
  ++at_;
  --depth_;
  if (word.made_by.empty()) word.made_by = rest.made_by;
  word.unknown = true;
  if (guarded)
    word.text += '_';
  else if (fallback && !assigned && word.text.size() + rest.text.size() < kMostValue)
    word.text += rest.text;
  else if (assigned)
    value_of(name, word, in_quotes);
  else
    word.text += "$" + std::string(name);
}

void ShellReader::arithmetic() {
  int open = 0;
  for (; !done(); ++at_) {
    if (peek() == '(') ++open;
    if (peek() == ')' && --open == 0) {
      ++at_;
      return;
    }
  }
}

void ShellReader::substitution(Word& word) {
  if (peek(1) == '(' && peek() == '(') {
    word.text += '0';
    arithmetic();
    return;
  }
  ++at_;
  if (depth_ >= kMostNested || out_.commands.size() >= kMostCommands) {
    out_.complete = false;
    word.unknown = true;
    at_ = in_.size();
    return;
  }
  const std::size_t before = out_.commands.size();
  auto groups = std::move(groups_);
  const Range feed = feed_;
  const std::size_t element = element_;
  const bool split = split_;
  groups_.clear();
  feed_ = {};
  ++depth_;
  commands(Until::kParenthesis);
  --depth_;
  groups_ = std::move(groups);
  feed_ = feed;
  element_ = element;
  split_ = split;
  fold(word, before);
}

void ShellReader::backticks(Word& word) {
  const std::size_t start = at_++;
  std::string inner;
  while (!done() && peek() != '`') {
    if (peek() == '\\' && (peek(1) == '`' || peek(1) == '\\' || peek(1) == '$')) ++at_;
    if (!done()) inner += peek();
    ++at_;
  }
  ++at_;
  at_ = std::min(at_, in_.size());
  if (depth_ + 1 >= kMostNested || out_.commands.size() >= kMostCommands) {
    out_.complete = false;
    word.unknown = true;
    return;
  }
  const std::size_t before = out_.commands.size();
  ShellReader nested(inner, out_, variables_, depth_ + 1);
  nested.stand_at(here(start), end_here(at_));
  nested.commands(Until::kEnd);
  fold(word, before);
}

// The output of a substitution, if it is known from the text: $(echo rm), $(which sh), $(mktemp), $(pwd).
void ShellReader::fold(Word& word, std::size_t first) {
  const Range range{first, out_.commands.size()};
  if (word.made_by.empty()) word.made_by.first = range.first;
  word.made_by.last = range.last;
  word.unknown = true;
  if (range.last - range.first == 1 && word.text.size() < kMostValue) {
    const Simple& only = out_.commands[range.first];
    const std::string_view program = only.words.empty() ? std::string_view() : std::string_view(only.words[0].text);
    const bool plain = std::none_of(only.words.begin(), only.words.end(), [](const Word& w) { return w.unknown; });
    if (plain && only.redirects.empty() && only.words.size() > 1 && only.words.size() < 16 &&
        (program == "echo" || program == "printf")) {
      for (std::size_t i = 1; i < only.words.size() && word.text.size() < kMostValue; ++i) {
        if (i == 1 && only.words[i].text.starts_with("-")) continue;
        if (!word.text.empty() && i > 1) word.text += ' ';
        word.text += only.words[i].text;
      }
      split_ = true;
      word.unknown = false;
      return;
    }
    if (plain && only.words.size() == 2 && (program == "which" || program == "whereis")) {
      word.text += only.words[1].text;
      return;
    }
    if (program == "mktemp") {
      word.text += "/tmp/_";
      return;
    }
    if (program == "pwd") {
      word.text += "./_";
      return;
    }
  }
  word.text += "$()";
}

}  // namespace pinfold::advice::detail
