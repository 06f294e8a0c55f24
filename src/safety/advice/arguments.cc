// arguments.cc: parses options and words by the program's row in the table, or else by the common rules.
// Invariant: linear in the words. Not here: the table (programs_table.h).
#include "safety/advice/arguments.h"

#include <array>

#include "safety/advice/ascii.h"

namespace pinfold::advice {

namespace {

// "-a" for every letter, so that a cluster needs no new text.
std::string_view letter(char c) {
  static const auto all = [] {
    std::array<char, 512> made{};
    for (std::size_t i = 0; i < 256; ++i) {
      made[2 * i] = '-';
      made[2 * i + 1] = static_cast<char>(i);
    }
    return made;
  }();
  return {all.data() + 2 * static_cast<std::size_t>(static_cast<unsigned char>(c)), 2};
}

bool takes_value(const Program* program, std::string_view name) {
  return program != nullptr && (listed(program->values, name) || listed(program->commands, name) ||
                                listed(program->code, name) || listed(program->starts, name));
}

bool is_assignment(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos || is_digit(text[0])) return false;
  for (const char c : text.substr(0, equals))
    if (!is_name(c)) return false;
  return true;
}

class Reader {
 public:
  Reader(std::span<const Word> words, const Program* program, Dialect dialect)
      : words_(words), program_(program), dialect_(dialect) {}

  Arguments run() {
    for (; at_ < words_.size(); ++at_) {
      const std::string_view text = words_[at_].text;
      if (only_words_ || is_word(text)) {
        out_.words.push_back(&words_[at_]);
      } else if (dialect_ == Dialect::kWindows) {
        windows(text);
      } else if (text == "--") {
        only_words_ = true;
        add(text, nullptr);
      } else if (text[0] == '+') {
        add("+", rest(1));
      } else if (text[1] == '-' || (program_ != nullptr && program_->style == Style::kNames)) {
        long_name(text);
      } else if (takes_value(program_, text)) {  // "-TT", "-wrapper": a name though it looks like letters
        add(text, next());
      } else {
        letters(text);
      }
    }
    return std::move(out_);
  }

 private:
  bool is_word(std::string_view text) const {
    if (text.size() < 2) return true;
    if (text[0] == '/') return dialect_ != Dialect::kWindows;
    if (text[0] == '+') return dialect_ != Dialect::kWindows && (program_ == nullptr || !listed(program_->code, "+"));
    return text[0] != '-';
  }

  void add(std::string_view name, const Word* value) { out_.options.push_back({name, value}); }
  const Word* next() { return at_ + 1 < words_.size() ? &words_[++at_] : nullptr; }
  const Word* rest(std::size_t from) {
    Word cut = words_[at_];
    cut.text.erase(0, from);
    out_.made.push_back(std::move(cut));
    return &out_.made.back();
  }

  void long_name(std::string_view text) {
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals != std::string_view::npos)
      add(name, rest(equals + 1));
    else
      add(name, takes_value(program_, name) ? next() : nullptr);
  }

  void letters(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
      const std::string_view name = letter(text[i]);
      if (!takes_value(program_, name)) {
        add(name, nullptr);
        continue;
      }
      add(name, i + 1 < text.size() ? rest(i + 1) : next());
      return;
    }
  }

  void windows(std::string_view text) {
    Word named = words_[at_];
    named.text = lower(text);
    const auto colon = named.text.find(':');
    out_.made.push_back(std::move(named));
    const std::string_view name = std::string_view(out_.made.back().text).substr(0, colon);
    add(name, colon == std::string::npos ? nullptr : rest(colon + 1));
    // "-Path C:\": the value is looked at as a word, too.
    if (text[0] == '/') out_.words.push_back(&words_[at_]);
  }

  std::span<const Word> words_;
  const Program* program_;
  Dialect dialect_;
  Arguments out_;
  std::size_t at_ = 0;
  bool only_words_ = false;
};

}  // namespace

bool Arguments::has(std::string_view name) const {
  for (const Option& option : options)
    if (option.name == name) return true;
  return false;
}

const Word* Arguments::value(std::string_view name) const {
  const Word* found = nullptr;
  for (const Option& option : options)
    if (option.name == name && option.value != nullptr) found = option.value;
  return found;
}

Arguments read_arguments(std::span<const Word> words, const Program* program, Dialect dialect) {
  return Reader(words, program, dialect).run();
}

std::size_t length_of_wrapper(std::span<const Word> words, const Program& program) {
  std::size_t at = 0;
  std::size_t before = program.before;
  for (; at < words.size(); ++at) {
    const std::string_view text = words[at].text;
    if (text == "--") return at + 1 + before;
    if (is_assignment(text)) continue;
    if (text.size() > 1 && text[0] == '-') {
      const bool cluster = text.size() > 2 && text[1] != '-';
      if (listed(program.values, text) ||
          (cluster && listed(program.values, letter(text.back())) && !listed(program.values, text.substr(0, 2))))
        ++at;
      continue;
    }
    if (before == 0) break;
    --before;
  }
  return std::min(at, words.size());
}

}  // namespace pinfold::advice
