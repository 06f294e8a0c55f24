// redactor.cc: one pass over words and signs; a rule runs only where the first bytes allow a match.
// Invariant: a rule sees the same bytes for every split of the text, because it runs only when all bytes of its Spot
// have arrived. Not here: the rules (tokens, structures, assignments, personal).
#include "safety/redaction/redactor.h"

#include <array>

#include "safety/redaction/assignments.h"
#include "safety/redaction/chars.h"
#include "safety/redaction/personal.h"
#include "safety/redaction/structures.h"
#include "safety/redaction/token_table.h"

namespace pinfold::redaction {
namespace {

using std::string_view;

constexpr std::size_t kPiece = 64 * 1024;
constexpr std::size_t kLongestBlock = 256 * 1024;

// The rules that may match at three given bytes.
using Begins = std::uint8_t;
constexpr Begins kBeginsToken = 1;
constexpr Begins kBeginsStated = 2;
constexpr Begins kBeginsAnnounced = 4;
constexpr Begins kBeginsStructure = 8;

constexpr std::array<Begins, 32768> kBegins = [] {
  std::array<Begins, 32768> out{};
  const auto add = [&](string_view word, Begins what) {
    for (int last = 0; last < 32; ++last) {  // any byte after a prefix of two
      const std::size_t at = three_letters(word[0], word[1], word.size() > 2 ? word[2] : static_cast<char>(last));
      out[at] = static_cast<Begins>(out[at] | what);
    }
  };
  for (const TokenRule& one : token_table::kTokens) add(one.prefix, kBeginsToken);
  for (const string_view word : {"bearer", "basic", "password", "is ", "is\t", "was ", "identified", "requirepass",
                                 "masterauth", "securestring", "env ", "apikey", "echo ", "printf ", "htpasswd "})
    add(word, kBeginsStated);
  for (const string_view word : {"dob", "birth", "born", "geboren", "dateofbirth", "passport", "licence", "account",
                                 "acct", "sort ", "dl#", "dl ", "dl:", "vin"})
    add(word, kBeginsAnnounced);
  for (const string_view word : {"eyJ", "hooks", "webhook", "discord", "mmk", "bc1", "tb1", "ltc1"})
    add(word, kBeginsStructure);
  return out;
}();

// Signs at which rules look.
constexpr std::array<bool, 256> kSigns = [] {
  std::array<bool, 256> out{};
  for (const char c : string_view("=:@->(,+${.~")) out[static_cast<unsigned char>(c)] = true;
  return out;
}();

std::uint64_t hashed(std::uint64_t hash, string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}
constexpr std::uint64_t kHashStart = 0xcbf29ce484222325ULL;

}  // namespace

std::string Tags::tag(string_view name, std::uint64_t value) {
  std::string out = "[redacted: " + std::string(name);
  ++counts_[std::string(name)];
  auto& same = seen_[std::string(name)];
  auto known = same.find(value);
  if (known == same.end() && known_ < kMost) {
    known = same.emplace(value, same.size() + 1).first;
    ++known_;
  }
  if (known == same.end())
    out += " #more";
  else if (known->second > 1)
    out += " #" + std::to_string(known->second);
  return out + "]";
}

Spot Redactor::spot(std::size_t at) const {
  const string_view text = text_;
  const std::size_t behind = std::min(at, kBehind);
  ++looks_;
  return {text.substr(at - behind, behind), text.substr(at, kAhead)};
}

OptionalMatch Redactor::secret(OptionalMatch match) const { return only_ == Only::kPersonal ? std::nullopt : match; }

OptionalMatch Redactor::find_at_word(std::size_t at) const {
  const char first = text_[at];
  const char second = byte_at(text_, at + 1);
  const Begins begins = kBegins[three_letters(first, second, byte_at(text_, at + 2))];
  const bool personal = only_ != Only::kSecrets;
  if (is(first, kDigit)) {
    // Nearly all numbers are short and alone.
    const Spot here = spot(at);
    const std::size_t digits = run_of(here.ahead, 0, kDigit);
    const char next = byte_at(here.ahead, digits);
    const bool grouped = (next == '-' || next == ' ' || next == '.' || next == '/') &&
                         (is(byte_at(here.ahead, digits + 1), kDigit) || is(byte_at(here.ahead, digits + 3), kDigit));
    const bool wallet =
        next == 'x' || ((first == '1' || first == '3') && is(next, kLetter) && is(byte_at(here.ahead, 25), kAlnum));
    const bool marked = wallet || (digits == 8 && is(next, kUpper | kDash | kBlank)) ||
                        (digits == 6 && is(next, kUpper) && is(byte_at(here.ahead, 7), kDigit));
    if (digits < 7 && !grouped && !marked && begins == 0) return std::nullopt;
    if (OptionalMatch match = secret(begins != 0 ? find_token(here) : std::nullopt)) return match;
    if (OptionalMatch match = secret(next == ':' || next == '|' ? find_numbered_token(here, digits) : std::nullopt))
      return match;
    return personal ? find_number(here) : std::nullopt;
  }
  const bool lettered = personal && is(first, kUpper) && is(second, kUpperAlnum | kDash | kBlank) &&
                        (is(second, kDigit) || is(byte_at(text_, at + 2), kDigit) ||
                         is(byte_at(text_, at + 3), kDigit) || is(byte_at(text_, at + 6), kDigit));
  const bool coin = personal && (first == 'L' || first == 'M' || first == 'D') && is(byte_at(text_, at + 25), kAlnum);
  if (begins == 0 && !lettered && !coin) return std::nullopt;
  const Spot here = spot(at);
  if ((begins & kBeginsToken) != 0)
    if (OptionalMatch match = secret(find_token(here))) return match;
  if ((begins & kBeginsStructure) != 0) {
    if (OptionalMatch match = secret(first == 'e'   ? find_web_token(here)
                                     : first == 'm' ? find_maxmind_key(here)
                                                    : find_webhook(here)))
      return match;
    if (personal)
      if (OptionalMatch match = find_bech32(here)) return match;
  }
  if ((begins & kBeginsStated) != 0)
    if (OptionalMatch match = secret(find_stated(here))) return match;
  if (personal && (begins & kBeginsAnnounced) != 0)
    if (OptionalMatch match = find_announced(here)) return match;
  if (coin)
    if (OptionalMatch match = find_coin_wallet(here)) return match;
  return lettered ? find_lettered(here) : std::nullopt;
}

OptionalMatch Redactor::find_at_sign(std::size_t at) const {
  const char next = byte_at(text_, at + 1);
  const char before = at > 0 ? text_[at - 1] : '\0';
  const bool personal = only_ != Only::kSecrets;
  switch (text_[at]) {
    case '=':
      return is(before, kAlnum | kBlank | kQuote | kDash) || before == ']' || before == '|' || before == '?' ||
                     before == '+' || before == '.'
                 ? secret(find_assigned(spot(at)))
                 : std::nullopt;
    case ':': {
      const Spot here = spot(at);
      if (next == '/') return secret(find_address(here));
      const bool time = is(before, kDigit) && is(next, kDigit);
      if (!time)
        if (OptionalMatch match = secret(find_assigned(here))) return match;
      if (before == 's' && next == ' ')
        if (OptionalMatch match = secret(find_putty_key(here))) return match;
      if (next == 'A')
        if (OptionalMatch match = secret(find_firebase_token(here))) return match;
      if (is(next, kDigit) || next == '*')
        if (OptionalMatch match = secret(find_pgpass(here))) return match;
      const bool hex_around = (is(before, kHex) || next == ':') && (is(next, kHex) || next == ':');
      return personal && hex_around ? find_colons(here) : std::nullopt;
    }
    case '@': return personal && is(next, kAlnum) ? find_email(spot(at)) : std::nullopt;
    case '-':
      if (next == '-' && byte_at(text_, at + 4) == '-')
        if (OptionalMatch match = secret(find_key_block(spot(at)))) return match;
      if (is(before, kSpace | kQuote) || before == '\0') return secret(find_flagged(spot(at)));
      return personal && is(before, kHex) && is(next, kHex) && byte_at(text_, at + 3) == '-' ? find_dashed_mac(spot(at))
                                                                                             : std::nullopt;
    case '>':
      return is(next, kBlank) || next == '<' || next == '\0' || !is(before, kName | kQuote)
                 ? std::nullopt
                 : secret(find_tagged(spot(at)));
    case '~': return before == 'Q' ? secret(find_azure_secret(spot(at))) : std::nullopt;
    case '(':
      if (is(before, kName | kEqual) && !is(next, kDigit) && next != ')')
        if (OptionalMatch match = secret(find_called(spot(at)))) return match;
      return personal && is(next, kDigit) ? find_plus_phone(spot(at)) : std::nullopt;
    case ',': return is(before, kQuote) ? secret(find_paired(spot(at))) : std::nullopt;
    case '+': return personal && is(next, kDigit | kBlank) ? find_plus_phone(spot(at)) : std::nullopt;
    case '$':
    case '{': return is(next, kAlnum) ? secret(find_hash(spot(at))) : std::nullopt;
    case '.':
      if (personal && is(before, kHex) && is(next, kHex) && byte_at(text_, at + 5) == '.')
        if (OptionalMatch match = find_dotted_mac(spot(at))) return match;
      return is(next, kAlnum) && byte_at(text_, at + 7) == '.' ? secret(find_discord_token(spot(at))) : std::nullopt;
    default: return std::nullopt;
  }
}

void Redactor::copy_to(std::size_t end, std::string& out) {
  if (end <= copied_) return;
  out.append(text_, copied_, end - copied_);
  copied_ = end;
}

std::optional<ExactValues::Hit> Redactor::gap_hit(std::size_t until) const {
  return exact_.empty() || at_ >= until ? std::nullopt : exact_.next(text_, at_, until);
}

bool Redactor::take(const OptionalMatch& match, std::string& out) {
  if (!match) return false;
  std::size_t begin = std::max(copied_, at_ - static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, -match->begin)) +
                                            static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, match->begin)));
  const std::size_t end = at_ + static_cast<std::size_t>(match->end);
  // The bytes between the position and the match are not scanned again: redact given values here.
  for (auto hit = gap_hit(begin); hit; hit = gap_hit(begin)) {
    take_exact(*hit, out);
    if (at_ >= end) return true;
    begin = std::max(begin, at_);
  }
  copy_to(begin, out);
  eating_ = match->rule;
  tail_ = match->tail;
  eaten_ = 0;
  hash_ = hashed(kHashStart, string_view(text_).substr(begin, end - begin));
  at_ = copied_ = end;
  if (tail_ == Tail::kNone) write_tag(out);
  return true;
}

void Redactor::take_exact(const ExactValues::Hit& hit, std::string& out) {
  copy_to(hit.begin, out);
  out += tags_.tag(exact_.name(hit.value), hit.value);
  at_ = copied_ = hit.end;
}

void Redactor::write_tag(std::string& out) {
  out += tags_.tag(eating_->name, hash_);
  eating_ = nullptr;
  tail_ = Tail::kNone;
}

// The match extends beyond the bytes of the Spot.
void Redactor::swallow(std::size_t stop, std::string& out) {
  const string_view text = text_;
  while (at_ < stop) {
    KeyBlockPart step;
    if (tail_ == Tail::kBlock) {
      step = skip_key_block(text.substr(at_, kAhead));
    } else {
      step.bytes = run_of(text.substr(0, stop), at_, kToken);
      step.more = step.bytes > 0;
    }
    eaten_ += step.bytes;
    if (tail_ == Tail::kBlock && eaten_ > kLongestBlock) step.more = false;
    hash_ = hashed(hash_, text.substr(at_, step.bytes));
    at_ = copied_ = at_ + step.bytes;
    if (step.more) continue;
    return write_tag(out);
  }
}

void Redactor::skip_word(std::size_t stop) {
  const char* const text = text_.data();
  std::size_t at = at_;
  while (at < stop && is(text[at], kAlnum)) ++at;
  at_ = at;
}

// Up to `stop`, or to the end of a match.
void Redactor::look(std::size_t stop, std::string& out) {
  while (at_ < stop) {
    const char c = text_[at_];
    if (is(c, kAlnum)) {
      const char before = at_ > 0 ? text_[at_ - 1] : '\0';
      if (is(before, kAlnum)) {
        // "\nghp_…": the n of a line end that is spelt out belongs to no word.
        if (at_ > 1 && text_[at_ - 2] == '\\' && (before == 'n' || before == 't' || before == 'r') &&
            take(find_at_word(at_), out))
          return;
        skip_word(stop);
        continue;
      }
      if (take(find_at_word(at_), out)) return;
      if (before == '\\')
        ++at_;
      else
        skip_word(stop);
      continue;
    }
    if (kSigns[static_cast<unsigned char>(c)] && take(find_at_sign(at_), out)) return;
    ++at_;
  }
}

void Redactor::scan(Input input, std::string& out) {
  const std::size_t hold = kAhead + exact_.longest();
  const std::size_t stop = input == Input::kLast ? text_.size() : text_.size() - std::min(text_.size(), hold);
  std::optional<ExactValues::Hit> hit;
  const auto seek = [&](std::size_t from) { hit = exact_.empty() ? std::nullopt : exact_.next(text_, from, stop); };
  seek(std::max(unsought_, at_ - std::min(at_, exact_.longest())));
  while (at_ < stop) {
    if (eating_ != nullptr) {
      swallow(stop, out);
      continue;
    }
    while (hit && hit->end <= at_) seek(hit->begin + 1);
    if (hit && hit->begin <= at_) {  // redact the rest of a given value, too
      take_exact(*hit, out);
      continue;
    }
    look(hit ? hit->begin : stop, out);
  }
  unsought_ = hit ? hit->begin : stop;
  if (input == Input::kLast && eating_ != nullptr) write_tag(out);
  if (eating_ == nullptr && at_ > kBehind) copy_to(at_ - kBehind, out);
}

std::string Redactor::feed(string_view chunk) {
  std::string out;
  out.reserve(chunk.size() + kBehind + kAhead);
  while (!chunk.empty()) {
    const string_view piece = chunk.substr(0, kPiece);
    chunk.remove_prefix(piece.size());
    text_.append(piece);
    scan(Input::kMore, out);
    const std::size_t done = std::min(copied_, at_ - std::min(at_, std::max(kBehind, exact_.longest())));
    if (done < kPiece / 16) continue;
    text_.erase(0, done);
    at_ -= done;
    copied_ -= done;
    unsought_ -= std::min(unsought_, done);
  }
  return out;
}

std::string Redactor::finish() {
  std::string out;
  scan(Input::kLast, out);
  copy_to(text_.size(), out);
  text_.clear();
  at_ = copied_ = unsought_ = 0;
  return out;
}

std::string Redactor::whole(string_view text) {
  std::string out = feed(text);
  out += finish();
  return out;
}

std::string Redactor::tag(string_view name, string_view value) { return tags_.tag(name, hashed(kHashStart, value)); }

}  // namespace pinfold::redaction
