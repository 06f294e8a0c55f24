// contacts.cc: mail addresses, phone numbers, IP and MAC addresses, wallets, and values after an announcing word.
// Invariant: versions, dates, times and ids do not match.
// Not here: numbers with check digits (numbers.cc).
#include "safety/redaction/contacts.h"

#include <array>

#include "safety/redaction/chars.h"
#include "safety/redaction/checks.h"
#include "safety/redaction/personal.h"
#include "safety/redaction/values.h"

namespace pinfold::redaction {
namespace {

using std::string_view;
using enum Group;

constexpr Rule kEmail{"email", kPersonal, "a mail address", "write to «ada.l@mail.example» now",
                      "left-pad@1.3.0, icon@2x.png, git@github.com:a/b"};
constexpr Rule kPhone{"phone", kPersonal, "a phone number: international, North American, or after a word",
                      "call «+44 20 7946 0958» now", "range 100-200-3000, 2026-03-01"};
constexpr Rule kIp{"ip-address", kPersonal, "an IPv4 or IPv6 address that is not local", "from «203.0.113.77» port 22",
                   "version 3.0.15.0, 127.0.0.1"};
constexpr Rule kMac{"mac-address", kPersonal, "an Ethernet address", "station «3c:22:fb:10:9a:7e»", "at 12:34:56"};
constexpr Rule kWallet{"wallet", kPersonal, "an address of Bitcoin, its kin, or Ethereum",
                       "to «1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa»", "to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"};
constexpr std::array<const Rule*, 5> kContactRules = {&kEmail, &kPhone, &kIp, &kMac, &kWallet};

constexpr ContextWords kPhoneWords = "tel|phone|telephone|mobile|cell|fax|telefon|whatsapp|sms|handy|mob|ph|hotline";
constexpr ContextWords kCallWords = "call|contact|ring|dial|text|reach";

// The last label of a host: every country's, and those of the others that people have mail at.
bool is_top_label(string_view label) {
  constexpr string_view kCountries =
      " ac ad ae af ag ai al am ao ar as at au aw az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd ch "
      "ci cl cm cn co cr cu cv cy cz de dj "
      "dk dm do dz ec ee eg es et eu fi fj fm fo fr ga gd ge gf gg gh gi gl gm gn gp gr gt gu gy hk hn hr ht hu id ie "
      "il im in io iq ir is it je jm jo jp ke "
      "kg kh ki km kn kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mk ml mm mn mo mp mq mr ms mt mu mv "
      "mw mx my mz na nc ne nf ng ni nl no np nr "
      "nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr "
      "st su sv sx sy sz tc td tf tg th tj tk tl "
      "tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw ";
  constexpr string_view kOthers =
      " com org net edu gov mil int info biz name pro mobi asia coop museum travel jobs tel cat post dev app xyz "
      "online site tech store club cloud live email "
      "company agency blog shop space website digital solutions services network systems academy life world today "
      "media group studio design consulting health "
      "care clinic legal law finance bank fund capital money example test invalid local internal corp lan home mail "
      "news work works team tools zone top vip win "
      "icu fun social chat support center global london berlin nyc paris tokyo ";
  const std::string wanted = " " + lowered(label) + " ";
  return (label.size() == 2 ? kCountries : kOthers).find(wanted) != string_view::npos;
}

struct Octets {
  std::array<int, 4> value{};
  std::size_t length = 0;  // 0: no address
};

Octets read_ipv4(string_view text) {
  Octets out;
  std::size_t at = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t digits = run_of(text, at, kDigit);
    if (digits == 0 || digits > 3 || (digits > 1 && text[at] == '0')) return {};
    for (std::size_t d = 0; d < digits; ++d) out.value[i] = out.value[i] * 10 + (text[at + d] - '0');
    at += digits;
    if (out.value[i] > 255 || (i < 3 && byte_at(text, at++) != '.')) return {};
  }
  out.length = at;
  return out;
}

OptionalMatch find_ipv4(const Spot& spot) {
  const Octets address = read_ipv4(spot.ahead);
  if (address.length == 0) return std::nullopt;
  const char before = spot.before();
  const char next = byte_at(spot.ahead, address.length);
  const char after = byte_at(spot.ahead, address.length + 1);
  if (is(before, kAlnum | kDotTilde | kDash) || before == '^' || before == '@' || is(next, kAlnum | kDash) ||
      (next == '.' && is(after, kAlnum)) || next == '+')
    return std::nullopt;
  const auto [a, b, c, d] = address.value;
  const bool nobody = a == 0 || a == 127 || a >= 224 || (a == 169 && b == 254);
  const bool closed = a == 10 || (a == 192 && b == 168) || (a == 172 && b >= 16 && b < 32);
  const bool small = a < 32 && b < 32 && c < 32 && d < 32;
  if (nobody) return std::nullopt;
  const bool doubtful = closed || small;
  const bool named =
      doubtful &&
      has_context(spot,
                  "ip|ips|ipv4|ip address|addr|address|client|remote_addr|clientip|x-forwarded-for|srcip|ip_address");
  if (doubtful && !named) return std::nullopt;
  if (has_context(spot, "version|versions|v|release|upgrade|build|oid|section|chapter|firmware")) return std::nullopt;
  if (d == 0 && next == '/') return std::nullopt;  // a network
  OptionalMatch match = found(kIp, 0, address.length);
  // "::ffff:203.0.113.7": the groups before it belong to it.
  if (before == ':')
    match->begin = -static_cast<std::ptrdiff_t>(std::min<std::size_t>(run_back(spot.behind, kHex | kColon), 30));
  return match;
}

// Digits with blanks, dashes, dots, slashes and brackets between: how long, and how many digits.
struct PhoneNumber {
  std::size_t length = 0;
  std::size_t digits = 0;
  std::size_t groups = 0;
};
PhoneNumber read_phone(string_view text) {
  PhoneNumber out;
  std::size_t at = 0;
  bool open = false;
  while (at < text.size() && at < 32) {
    const std::size_t run = run_of(text, at, kDigit);
    if (run > 0) {
      out.digits += run;
      ++out.groups;
      at += run;
      out.length = at;
      continue;
    }
    const char c = text[at];
    const char next = byte_at(text, at + 1);
    const bool opens = c == '(' && !open && is(next, kDigit);
    const bool closes = c == ')' && open;
    if (c == ' ' && (next == '/' || next == '-') && byte_at(text, at + 2) == ' ' && is(byte_at(text, at + 3), kDigit)) {
      at += 3;
      continue;
    }
    const bool joins = string_view(" -./").find(c) != string_view::npos && (is(next, kDigit) || next == '(');
    if (!opens && !closes && !joins) break;
    open = opens || (open && !closes);
    ++at;
    if (closes) out.length = at;
  }
  return out;
}

bool is_american(string_view digits) {
  return digits.size() == 10 && digits[0] >= '2' && digits[3] >= '1' && digits.substr(1, 2) != "11";
}

// "415-555-0123", "415.555.0123", "1-415-555-0123", "(415) 555-0123"
std::size_t american_form(string_view text) {
  const std::size_t first = run_of(text.substr(0, 4), 0, kDigit);
  if (text[0] != '(' && first != 3 && !(first == 1 && text[0] == '1')) return 0;
  for (const string_view form :
       {"ddd-ddd-dddd", "ddd.ddd.dddd", "1-ddd-ddd-dddd", "1 ddd ddd dddd", "1.ddd.ddd.dddd", "(ddd) ddd-dddd",
        "(ddd)ddd-dddd", "(ddd) ddd dddd", "(ddd) ddd.dddd", "1 (ddd) ddd-dddd"}) {
    std::string digits;
    std::size_t at = 0;
    for (const char want : form) {
      const char c = byte_at(text, at);
      if (want == 'd' ? !is(c, kDigit) : c != want) break;
      if (want == 'd') digits += c;
      ++at;
    }
    if (at == form.size() && is_american(digits) && ends_number(text, at)) return at;
  }
  return 0;
}

// British mobiles and French numbers are grouped as nothing else is: "07700 900123", "06 12 34 56 78".
std::size_t european_form(string_view text) {
  if (text[0] != '0') return 0;
  for (const string_view form : {"07ddd dddddd", "07ddd ddd ddd", "0d dd dd dd dd", "0d.dd.dd.dd.dd"}) {
    std::size_t at = 0;
    while (at < form.size() && (form[at] == 'd' ? is(byte_at(text, at), kDigit) : byte_at(text, at) == form[at])) ++at;
    if (at == form.size() && ends_number(text, at)) return at;
  }
  return 0;
}

// " x123", " ext. 123" belongs to the number.
std::size_t past_extension(string_view text, std::size_t at) {
  for (const string_view word : {" x", "x", " ext ", " ext. ", " ext.", ", ext. "})
    if (starts_like(text.substr(at), word)) {
      const std::size_t digits = run_of(text, at + word.size(), kDigit);
      if (digits > 0 && digits <= 6) return at + word.size() + digits;
    }
  return at;
}

OptionalMatch find_phone(const Spot& spot) {
  if (!begins_number(spot)) return std::nullopt;
  if (const std::size_t length = american_form(spot.ahead)) return found(kPhone, 0, past_extension(spot.ahead, length));
  if (const std::size_t length = european_form(spot.ahead);
      length > 0 && spot.ahead[1] != '0' && !in_hex_table(spot, length, 2))
    return found(kPhone, 0, length);
  PhoneNumber phone = read_phone(spot.ahead);
  if (phone.digits > 13) {  // two of them, with a blank between
    const std::size_t blank = spot.ahead.find(' ', 8);
    if (blank < phone.length) phone = read_phone(spot.ahead.substr(0, blank));
  }
  if (phone.digits < 7 || phone.digits > 13 || !ends_number(spot.ahead, phone.length)) return std::nullopt;
  if (spot.ahead[0] != '0' && phone.groups > 4 && phone.digits < 9) return std::nullopt;
  if (!has_context(spot, kPhoneWords) && (phone.digits < 9 || !has_context(spot, kCallWords))) return std::nullopt;
  return found(kPhone, 0, past_extension(spot.ahead, phone.length));
}

OptionalMatch find_wallet(const Spot& spot) {
  const string_view text = spot.ahead;
  if (text.starts_with("0x")) {
    const std::size_t length = run_of(text, 2, kHex);
    if (length != 40 || is(byte_at(text, 42), kAlnum) || distinct_bytes(text.substr(2, 40)) < 6) return std::nullopt;
    return found(kWallet, 0, 42);
  }
  const std::size_t length = run_of(text, 0, kAlnum);
  if ((text[0] != '1' && text[0] != '3') || length < 26 || length > 35 || !is_base58check(text.substr(0, length)))
    return std::nullopt;
  return found(kWallet, 0, length);
}

}  // namespace

bool is_date(string_view text) {
  const std::size_t first = run_of(text, 0, kDigit);
  const char mark = byte_at(text, first);
  const std::size_t second = run_of(text, first + 1, kDigit);
  if ((mark != '-' && mark != '/' && mark != '.') || byte_at(text, first + 1 + second) != mark) return false;
  const std::size_t third = run_of(text, first + second + 2, kDigit);
  if (byte_at(text, first + second + 2 + third) == mark) return false;
  return second >= 1 && second <= 2 &&
         ((first == 4 && third >= 1 && third <= 2) || (first >= 1 && first <= 2 && (third == 4 || third == 2)));
}

std::span<const Rule* const> contact_rules() { return kContactRules; }

OptionalMatch find_contact_number(const Spot& spot, std::size_t digits) {
  const char next = byte_at(spot.ahead, digits);
  if (is(next, kLetter)) return find_wallet(spot);
  if (digits <= 3 && next == '.')
    if (OptionalMatch address = find_ipv4(spot)) return address;
  return find_phone(spot);
}

OptionalMatch find_plus_phone(const Spot& spot) {
  const string_view text = spot.ahead;
  if (is(spot.before(), kAlnum) || spot.before() == '_' || spot.before() == ')') return std::nullopt;
  if (text[0] == '(') {
    const std::size_t length = american_form(text);
    return length == 0 ? std::nullopt : found(kPhone, 0, past_extension(text, length));
  }
  const std::size_t skip = byte_at(text, 1) == ' ' ? 2 : 1;
  if (!is(byte_at(text, skip), kDigit) || text[skip] == '0') return std::nullopt;
  const PhoneNumber phone = read_phone(text.substr(skip));
  if (phone.digits < 8 || phone.digits > 15 || !ends_number(text, skip + phone.length)) return std::nullopt;
  const bool line_start = spot.behind.empty() || is(spot.before(), kNewline);
  if (phone.groups == 1 && (phone.digits < 10 || (line_start && phone.digits < 11))) return std::nullopt;
  return found(kPhone, 0, past_extension(text, skip + phone.length));
}

OptionalMatch find_email(const Spot& spot) {
  constexpr std::size_t kLongestUser = 64;
  std::size_t user = 0;
  while (user < spot.behind.size() && user <= kLongestUser) {
    const char c = spot.behind[spot.behind.size() - 1 - user];
    if (!is(c, kName | kDotTilde) && string_view("+%'&=!*").find(c) == string_view::npos) break;
    ++user;
  }
  string_view name = spot.behind.substr(spot.behind.size() - user);
  while (!name.empty() && (!is(name.front(), kAlnum | kDash) || name.find('=') != string_view::npos))
    name.remove_prefix(1);
  if (name.empty() || name.size() > kLongestUser || name.back() == '.' || same_letters(name, "git"))
    return std::nullopt;
  const string_view text = spot.ahead;
  std::size_t end = 1;
  while (end < text.size() && end < 256 && (is(text[end], kAlnum) || text[end] == '-' || text[end] == '.')) ++end;
  while (end > 1 && !is(text[end - 1], kAlnum)) --end;
  const string_view host = text.substr(1, end - 1);
  const std::size_t dot = host.rfind('.');
  if (dot == string_view::npos || dot == 0 || host.find("..") != string_view::npos || !is(host[0], kAlnum))
    return std::nullopt;
  if (!is_top_label(host.substr(dot + 1)) || byte_at(text, end) == '@') return std::nullopt;
  // "user:password@host" in an address is another rule's; "git@host:path" is no mail.
  const std::size_t before = spot.behind.size() - name.size();
  if (before > 2 && spot.behind.substr(0, before).ends_with("://")) return std::nullopt;
  const std::string small = lowered(name);
  for (const string_view nobody : {"noreply", "no-reply", "donotreply", "do-not-reply"})
    if (small == nobody) return std::nullopt;
  OptionalMatch match = found(kEmail, 0, end);
  match->begin = -static_cast<std::ptrdiff_t>(name.size());
  return match;
}

OptionalMatch find_colons(const Spot& spot) {
  const std::size_t head = run_back(spot.behind, kHex);
  if (head > 4) return std::nullopt;
  const std::size_t begin = spot.behind.size() - head;
  const char before = begin == 0 ? '\0' : spot.behind[begin - 1];
  if (is(before, kAlnum | kDash) || before == ':' || before == '.') return std::nullopt;
  const string_view text(spot.behind.data() + begin, head + spot.ahead.size());
  std::size_t at = 0;
  std::size_t groups = 0;
  std::size_t pairs = 0;
  bool gap = false;
  for (; at < text.size() && groups <= 8;) {
    const std::size_t run = run_of(text, at, kHex);
    if (run > 4) return std::nullopt;
    if (run > 0) ++groups;
    if (run == 2) ++pairs;
    at += run;
    if (byte_at(text, at) != ':') break;
    if (byte_at(text, at + 1) == ':') {
      if (gap) return std::nullopt;
      gap = true;
      at += 2;
      continue;
    }
    if (!is(byte_at(text, at + 1), kHex)) break;
    ++at;
  }
  if (is(byte_at(text, at), kAlnum | kDash) || (byte_at(text, at) == ':' && !is(byte_at(text, at + 1), kSpace)))
    return std::nullopt;
  const string_view address = text.substr(0, at);
  OptionalMatch match;
  const bool mac = groups == 6 && pairs == 6 && !gap && address.size() == 17;
  if (mac && distinct_bytes(address) > 3) match = found(kMac, 0, at);
  const bool whole = groups == 8 && !gap;
  const bool shortened = gap && groups >= 3 && groups < 8 && any_of(address, kDigit);
  const bool local = starts_like(address, "fe80") || starts_like(address, "::");
  if ((whole || shortened) && !local && pairs < 8 && distinct_bytes(address) > 3) match = found(kIp, 0, at);
  if (!match) return std::nullopt;
  match->begin = -static_cast<std::ptrdiff_t>(head);
  match->end -= static_cast<std::ptrdiff_t>(head);
  return match;
}

OptionalMatch find_dashed_mac(const Spot& spot) {
  if (run_back(spot.behind, kHex) != 2 || run_back(spot.behind, kName) != 2) return std::nullopt;
  for (std::size_t i = 0; i < 5; ++i)
    if (byte_at(spot.ahead, i * 3) != '-' || run_of(spot.ahead, i * 3 + 1, kHex) != 2) return std::nullopt;
  if (is(byte_at(spot.ahead, 15), kName) || distinct_bytes(spot.ahead.substr(0, 15)) < 4) return std::nullopt;
  OptionalMatch match = found(kMac, 0, 15);
  match->begin = -2;
  return match;
}

OptionalMatch find_dotted_mac(const Spot& spot) {
  if (run_back(spot.behind, kHex) != 4 || run_back(spot.behind, kName | kDotTilde) != 4) return std::nullopt;
  const string_view text = spot.ahead.substr(0, 10);
  if (text.size() < 10 || text[5] != '.' || !all_of(text.substr(1, 4), kHex) || !all_of(text.substr(6), kHex) ||
      is(byte_at(spot.ahead, 10), kName) || (byte_at(spot.ahead, 10) == '.' && is(byte_at(spot.ahead, 11), kAlnum)))
    return std::nullopt;
  const bool mixed = any_of(text, kDigit) && any_of(text, kLetter);
  if (!mixed && !has_context(spot, "mac|macs|physical|hardware|ethernet|station|cisco")) return std::nullopt;
  OptionalMatch match = found(kMac, 0, 10);
  match->begin = -4;
  return match;
}

OptionalMatch find_coin_wallet(const Spot& spot) {
  const std::size_t length = run_of(spot.ahead, 0, kAlnum);
  if (length < 26 || length > 35 || !is_base58check(spot.ahead.substr(0, length))) return std::nullopt;
  return found(kWallet, 0, length);
}

OptionalMatch find_bech32(const Spot& spot) {
  const std::size_t length = run_of(spot.ahead, 0, kAlnum);
  const string_view text = spot.ahead.substr(0, length);
  if (!(text.starts_with("bc1") || text.starts_with("tb1") || text.starts_with("ltc1")) || !is_bech32(text))
    return std::nullopt;
  return found(kWallet, 0, length);
}

}  // namespace pinfold::redaction
