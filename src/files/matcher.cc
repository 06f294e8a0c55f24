// matcher.cc: matches text or a regular expression, in linear time (RE2).
// Invariant: only lines that contain the literal of every match are matched against the expression; most lines do not.
// Not here: files.
#include "files/matcher.h"

#include <cstring>

#include <re2/re2.h>

#include "base/text.h"
#include "files/literal.h"

namespace pinfold::files {
namespace {

using std::string_view;

constexpr std::int64_t kExpressionMemory = std::int64_t{32} << 20;

std::size_t line_begin(string_view text, std::size_t at) {
  const void* found = at == 0 ? nullptr : ::memrchr(text.data(), '\n', at);
  return found == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
}

std::size_t line_end(string_view text, std::size_t at) { return std::min(text.find('\n', at), text.size()); }

re2::StringPiece piece(string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct Matcher::Body {
  std::string literal;              // every match has it; empty: none is known
  std::unique_ptr<RE2> expression;  // null: the literal is all
};

Matcher::Matcher(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Matcher::Matcher(Matcher&& other) noexcept = default;
Matcher& Matcher::operator=(Matcher&& other) noexcept = default;
Matcher::~Matcher() = default;

Result<Matcher> Matcher::compile(string_view pattern, const SearchOptions& options) {
  if (pattern.empty()) return fail(ErrorKind::kInvalid, "the pattern is empty", "give a text or a pattern");
  if (pattern.find('\n') != string_view::npos)
    return fail(ErrorKind::kInvalid, "the pattern has a line end in it, and lines are searched one by one",
                "search for one of the lines");
  auto body = std::make_unique<Body>();
  const bool plain = options.fixed || is_plain(pattern);
  if (!options.ignore_case) body->literal = plain ? std::string(pattern) : required_literal(pattern);
  if (plain && !options.ignore_case && !options.words) return Matcher(std::move(body));
  std::string expression = options.fixed ? RE2::QuoteMeta(piece(pattern)) : std::string(pattern);
  if (options.words) expression = "\\b(?:" + expression + ")\\b";
  expression = std::string("(?m") + (options.ignore_case ? "i" : "") + ")" + expression;
  RE2::Options how;
  how.set_never_nl(true);
  how.set_log_errors(false);
  how.set_max_mem(kExpressionMemory);
  body->expression = std::make_unique<RE2>(expression, how);
  if (!body->expression->ok())
    return fail(
        ErrorKind::kInvalid,
        "the pattern " + text::shown(pattern) + " is no regular expression: " + text::shown(body->expression->error()),
        "for plain text: --fixed");
  return Matcher(std::move(body));
}

std::size_t Matcher::next_line(string_view text, std::size_t from) const {
  const Body& body = *body_;
  while (from < text.size()) {
    if (!body.literal.empty()) {
      const std::size_t at = find_literal(text, body.literal, from);
      if (at == string_view::npos) return at;
      const std::size_t begin = std::max(from, line_begin(text, at));
      if (body.expression == nullptr) return begin;
      const std::size_t end = line_end(text, at);
      if (RE2::PartialMatch(piece(text.substr(begin, end - begin)), *body.expression)) return begin;
      from = end + 1;
      continue;
    }
    re2::StringPiece hit;
    if (!body.expression->Match(piece(text), from, text.size(), RE2::UNANCHORED, &hit, 1)) return string_view::npos;
    const auto at = static_cast<std::size_t>(hit.data() - text.data());
    // Nothing, found behind the last line end: there is no line.
    if (at >= text.size()) return text.ends_with('\n') ? string_view::npos : line_begin(text, at);
    return std::max(from, line_begin(text, at));
  }
  return string_view::npos;
}

std::vector<std::pair<std::size_t, std::size_t>> Matcher::hits(string_view line) const {
  constexpr std::size_t kMost = 1000;
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t from = 0; from <= line.size() && out.size() < kMost;) {
    std::size_t at = 0;
    std::size_t length = 0;
    if (body_->expression == nullptr) {
      at = find_literal(line, body_->literal, from);
      if (at == string_view::npos) break;
      length = body_->literal.size();
    } else {
      re2::StringPiece hit;
      if (!body_->expression->Match(piece(line), from, line.size(), RE2::UNANCHORED, &hit, 1)) break;
      at = static_cast<std::size_t>(hit.data() - line.data());
      length = hit.size();
    }
    out.emplace_back(at, length);
    from = at + std::max<std::size_t>(length, 1);
  }
  return out;
}

}  // namespace pinfold::files
