// shell_redirects.cc: redirections of a shell command, and the here-documents that follow its line.
// Invariant: a document without an end marker extends to the end of the text. Not here: words (shell_words.cc).
#include <algorithm>

#include "safety/advice/ascii.h"
#include "safety/advice/shell_reader_impl.h"

namespace pinfold::advice::detail {

namespace {

constexpr std::size_t kMostDocuments = 16;  // on one line

}  // namespace

bool ShellReader::redirection(Simple& command) {
  std::size_t at = at_;
  while (at < in_.size() && is_digit(in_[at])) ++at;
  const auto next = [&](std::size_t ahead) { return at + ahead < in_.size() ? in_[at + ahead] : '\0'; };
  const bool both = at == at_ && next(0) == '&' && next(1) == '>';
  if (both) ++at;
  if (next(0) != '<' && next(0) != '>') return false;
  if (!both && at == at_ && next(1) == '(') return false;
  using Kind = Redirect::Kind;
  Redirect redirect;
  const std::string_view rest = in_.substr(at);
  const std::size_t start = at_;
  if (rest.starts_with("<<<")) {
    at_ = at + 3;
    redirect.kind = Kind::kText;
  } else if (rest.starts_with("<<")) {
    at_ = at + 2;
    const bool strip = peek() == '-';
    if (strip) ++at_;
    skip_blanks();
    redirect.kind = Kind::kText;
    Word end = word();
    if (waiting_.size() >= kMostDocuments)
      out_.complete = false;
    else
      waiting_.push_back({std::move(end.text), strip, end.quoted, kNotYet, command.redirects.size()});
    redirect.target.begin = here(start);
    redirect.target.end = end_here(at_);
    command.redirects.push_back(std::move(redirect));
    return true;
  } else if (rest.starts_with("<>")) {
    at_ = at + 2;
    redirect.kind = Kind::kBoth;
  } else if (rest.starts_with("<&") || rest.starts_with(">&")) {
    at_ = at + 2;
    redirect.kind = is_digit(peek()) || peek() == '-' ? Kind::kDuplicate : Kind::kWrite;
  } else if (rest.starts_with(">>")) {
    at_ = at + 2;
    redirect.kind = Kind::kAppend;
  } else {
    at_ = at + (rest.starts_with(">|") ? 2U : 1U);
    redirect.kind = rest[0] == '<' ? Kind::kRead : Kind::kWrite;
  }
  skip_blanks();
  if (!at_word_end() || ((peek() == '<' || peek() == '>') && peek(1) == '(')) redirect.target = word();
  command.redirects.push_back(std::move(redirect));
  return true;
}

void ShellReader::here_documents() {
  auto waiting = std::move(waiting_);
  waiting_.clear();
  for (HereDocument& document : waiting) {
    const std::size_t start = at_;
    std::size_t end = at_;
    while (!done()) {
      end = at_;
      const std::size_t stop = std::min(in_.find('\n', at_), in_.size());
      std::string_view line = in_.substr(at_, stop - at_);
      if (document.strip_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      at_ = std::min(stop + 1, in_.size());
      if (line == document.end) break;
      end = at_;
    }
    if (document.command >= out_.commands.size()) continue;
    Word body;
    const std::string_view text = in_.substr(std::min(start, in_.size()), end - std::min(start, end));
    body.begin = here(start);
    body.end = end_here(end);
    if (document.literal || depth_ + 1 >= kMostNested) {
      body.text = text;
    } else {
      ShellReader nested(text, out_, variables_, depth_ + 1);
      nested.stand_at(body.begin, body.end);
      nested.body(body);
    }
    auto& redirects = out_.commands[document.command].redirects;
    if (document.redirect < redirects.size()) redirects[document.redirect].target = std::move(body);
  }
}

}  // namespace pinfold::advice::detail
