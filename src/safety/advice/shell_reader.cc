// shell_reader.cc: the commands of a shell text: lists, pipelines, groups, loops, functions, redirections.
// Invariant: every iteration consumes at least one byte; groups use an explicit stack, so only words recurse.
// Not here: words (shell_words.cc).
#include "safety/advice/shell_reader.h"

#include <algorithm>

#include "safety/advice/ascii.h"
#include "safety/advice/shell_reader_impl.h"

namespace pinfold::advice {

namespace detail {

namespace {

constexpr std::size_t kMostGroups = 64;

bool declares(std::string_view program) { return listed("export local declare readonly typeset", program); }

}  // namespace

void ShellReader::commands(Until until) {
  element_ = out_.commands.size();
  while (!done()) {
    skip_blanks();
    if (done()) break;
    if (out_.commands.size() >= kMostCommands) {
      out_.complete = false;
      at_ = in_.size();
      break;
    }
    if (!groups_.empty() && groups_.back().wants_pattern) {
      pattern();
      continue;
    }
    const char c = peek();
    if (c == '#') {
      skip_line();
    } else if (c == '\n') {
      ++at_;
      here_documents();
      next_element();
    } else if (c == ')') {
      ++at_;
      const bool ours = std::any_of(groups_.begin(), groups_.end(), [](const Group& g) { return g.kind == '('; });
      if (ours) {
        close('(');
      } else if (until == Until::kParenthesis) {
        here_documents();
        return;
      }
    } else if (separator()) {
      continue;
    } else if (c == '(') {
      if (double_close_ <= at_) double_close_ = in_.find("))", at_);
      if (peek(1) == '(' && double_close_ != std::string_view::npos) {
        arithmetic();
      } else {
        ++at_;
        open('(');
      }
    } else {
      simple();
    }
  }
  here_documents();
}

void ShellReader::next_element() {
  feed_ = groups_.empty() ? Range{} : groups_.back().fed_by;
  element_ = out_.commands.size();
}

bool ShellReader::separator() {
  const char c = peek();
  if (c == '|' && peek(1) != '|') {
    at_ += peek(1) == '&' ? 2U : 1U;
    if (const Range left{element_, out_.commands.size()}; !left.empty()) feed_ = left;
    element_ = out_.commands.size();
    return true;
  }
  if (c == '&' && peek(1) == '>') return false;
  if (c != '|' && c != '&' && c != ';') return false;
  if (c == '&' && peek(1) != '&' && !out_.commands.empty()) out_.commands.back().background = true;
  if (c == ';' && (peek(1) == ';' || peek(1) == '&') && !groups_.empty() && groups_.back().kind == 'c')
    groups_.back().wants_pattern = true;
  ++at_;
  while (!done() && (peek() == c || (c == ';' && peek() == '&'))) ++at_;
  next_element();
  return true;
}

void ShellReader::open(char kind) {
  if (groups_.size() >= kMostGroups) {
    out_.complete = false;
    return;
  }
  groups_.push_back({kind, out_.commands.size(), feed_, false, function_});
  function_.reset();
  element_ = out_.commands.size();
}

void ShellReader::close(char kind) {
  const auto match = std::find_if(groups_.rbegin(), groups_.rend(), [&](const Group& g) { return g.kind == kind; });
  if (match == groups_.rend()) return;
  const Group group = *match;
  groups_.erase(std::prev(match.base()), groups_.end());
  if (group.function) out_.functions[*group.function].body = {group.first, out_.commands.size()};
  element_ = group.first;
  feed_ = group.fed_by;
}

bool ShellReader::in_loop() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const Group& g) { return g.kind == 'l'; });
}

// A short word without quotes, which could be a reserved one.
std::optional<std::string> ShellReader::plain_word_here() const {
  std::string word;
  for (std::size_t i = 0; i < 9; ++i) {
    const char c = peek(i);
    if ((c >= 'a' && c <= 'z') || c == '{' || c == '}' || c == '!')
      word += c;
    else if (c == '\0' || std::string_view(" \t\r\n|&;()<>").find(c) != std::string_view::npos)
      return word.empty() ? std::nullopt : std::optional(word);
    else
      return std::nullopt;
  }
  return std::nullopt;
}

bool ShellReader::reserved(std::string_view word) {
  if (!listed("if then elif else fi while until for select do done case esac function { } ! coproc", word))
    return false;
  at_ += word.size();
  if (word == "if") {
    open('i');
  } else if (word == "while" || word == "until") {
    open('l');
  } else if (word == "for" || word == "select") {
    open('l');
    loop_header();
  } else if (word == "case") {
    open('c');
    case_header();
  } else if (word == "{") {
    open('{');
  } else if (word == "fi") {
    close('i');
  } else if (word == "done") {
    close('l');
  } else if (word == "esac") {
    close('c');
  } else if (word == "}") {
    close('{');
  } else if (word == "function") {
    skip_blanks();
    if (!at_word_end()) {
      Word name = this->word();
      skip_blanks();
      if (peek() == '(' && peek(1) == ')') at_ += 2;
      function_named(std::move(name.text));
    }
  } else if (word != "!" && word != "coproc") {
    next_element();
  }
  return true;
}

void ShellReader::function_named(std::string name) {
  const std::size_t now = out_.commands.size();
  out_.functions.push_back({std::move(name), {now, now}});
  function_ = out_.functions.size() - 1;
  while (!done() && (peek() == '\n' || peek() == ' ' || peek() == '\t')) ++at_;
  if (peek() == '{') {
    ++at_;
    open('{');
  }
}

void ShellReader::loop_header() {
  skip_blanks();
  if (peek() == '(' && peek(1) == '(') {
    out_.endless = out_.endless || starts("((;;))") || starts("(( ; ; ))");
    return arithmetic();
  }
  if (at_word_end()) return;
  const Word name = word();
  skip_blanks();
  if (plain_word_here() != "in") return;
  at_ += 2;
  std::vector<Word> values;
  for (skip_blanks(); !at_word_end() || peek() == '<' || peek() == '>'; skip_blanks()) {
    const std::size_t before = at_;
    add_words(values);
    if (at_ == before) ++at_;
  }
  if (!values.empty() && values.size() < kMostCommands) variables_.values[name.text] = values[0].text;
}

void ShellReader::case_header() {
  skip_blanks();
  if (!at_word_end()) word();
  while (!done() && (peek() == '\n' || peek() == ' ' || peek() == '\t')) ++at_;
  if (plain_word_here() == "in") at_ += 2;
  if (!groups_.empty() && groups_.back().kind == 'c') groups_.back().wants_pattern = true;
}

void ShellReader::pattern() {
  while (!done() && (peek() == '\n' || peek() == ' ' || peek() == '\t' || peek() == ';')) {
    if (in_[at_++] == '\n') here_documents();
  }
  if (peek() == '#') return skip_line();
  if (plain_word_here() == "esac") {
    at_ += 4;
    return close('c');
  }
  if (peek() == '(') ++at_;
  while (!done() && peek() != ')') {
    if (at_word_end())
      ++at_;
    else
      word();
  }
  if (!done()) ++at_;
  if (!groups_.empty()) groups_.back().wants_pattern = false;
  next_element();
}

void ShellReader::double_bracket(Simple& command) {
  while (!done()) {
    skip_blanks();
    if (starts("]]")) {
      at_ += 2;
      return;
    }
    if (peek() == '\n') return;
    if (at_word_end())
      ++at_;
    else
      command.words.push_back(word());
  }
}

bool ShellReader::assignment(Simple& command) {
  std::size_t at = at_;
  while (at < in_.size() && is_name(in_[at])) ++at;
  if (at == at_ || is_digit(in_[at_])) return false;
  const std::string_view name = in_.substr(at_, at - at_);
  if (at < in_.size() && in_[at] == '[') {
    const auto close = in_.substr(at, 64).find(']');
    if (close == std::string_view::npos) return false;
    at += close + 1;
  }
  if (at < in_.size() && in_[at] == '+') ++at;
  if (at >= in_.size() || in_[at] != '=') return false;
  at_ = at + 1;
  Assignment out{std::string(name), {}};
  if (peek() == '(') {
    ++at_;
    while (!done() && peek() != ')') {
      if (at_word_end()) {
        ++at_;
        continue;
      }
      Word each = word();
      if (out.value.text.empty()) out.value = std::move(each);
    }
    if (!done()) ++at_;
  } else if (!at_word_end()) {
    out.value = word();
  }
  command.assignments.push_back(std::move(out));
  return true;
}

void ShellReader::simple() {
  Simple command;
  const std::size_t start = at_;
  while (true) {
    skip_blanks();
    if (done()) break;
    const char c = peek();
    if (c == '#') {
      skip_line();
      break;
    }
    if (redirection(command)) continue;
    if (c == '|' || c == '&' || c == ';' || c == '\n' || c == ')') break;
    if (c == '(') {
      ++at_;
      if (command.words.size() != 1 || !command.assignments.empty()) continue;
      skip_blanks();
      if (peek() == ')') {
        ++at_;
        return function_named(std::move(command.words[0].text));
      }
      continue;
    }
    if (command.words.empty()) {
      if (assignment(command)) continue;
      const auto plain = plain_word_here();
      if (command.assignments.empty() && command.redirects.empty() && plain && reserved(*plain)) return;
      if (starts("[[") && (peek(2) == ' ' || peek(2) == '\t')) {
        command.words.push_back(word());
        double_bracket(command);
        continue;
      }
    }
    const std::size_t before = at_;
    add_words(command.words);
    if (at_ == before) ++at_;
  }
  command.begin = here(start);
  std::size_t end = std::min(at_, in_.size());
  while (end > start && (in_[end - 1] == ' ' || in_[end - 1] == '\t')) --end;
  command.end = end_here(end);
  finish(std::move(command));
}

void ShellReader::finish(Simple&& command) {
  command.fed_by = feed_;
  command.in_loop = in_loop();
  remember(command);
  for (HereDocument& document : waiting_)
    if (document.command == kNotYet) document.command = out_.commands.size();
  if (command.words.empty() && command.assignments.empty() && command.redirects.empty()) return;
  out_.commands.push_back(std::move(command));
}

void ShellReader::remember(const Simple& command) {
  if (command.words.empty()) {
    for (const Assignment& one : command.assignments) variables_.values[one.name] = one.value.text;
    return;
  }
  const std::string& program = command.words[0].text;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& text = command.words[i].text;
    const auto equals = text.find('=');
    if (declares(program) && equals != std::string::npos)
      variables_.values[text.substr(0, equals)] = text.substr(equals + 1);
    else if (program == "read" || program == "unset")
      variables_.values.erase(text);
  }
}

}  // namespace detail

Script read_shell(std::string_view text) {
  Script out;
  detail::Variables variables;
  detail::ShellReader(text, out, variables, 0).commands(detail::ShellReader::Until::kEnd);
  return out;
}

}  // namespace pinfold::advice
