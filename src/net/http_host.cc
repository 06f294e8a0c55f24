// http_host.cc: request line and fields of HTTP/1.0 and 1.1 (RFC 9112), strictly.
// Invariant: folded lines, spaces before a colon, repeated Host, lone CR or LF and control characters are malformed:
// each has been a way to make two servers see two requests. Not here: methods' meaning, bodies, later requests.
#include "net/http_host.h"

#include <algorithm>

namespace pinfold::net {
namespace {

using std::string_view;

constexpr std::size_t kLongestMethod = 32;
constexpr string_view kPrefaceLine = "PRI * HTTP/2.0";
constexpr string_view kPrefaceRest = "\r\nSM\r\n\r\n";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_token(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c != '\0' && string_view("!#$%&'*+-.^_`|~").find(c) != string_view::npos);
}
bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool same_word(string_view a, string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}
bool starts_with_word(string_view text, string_view word) { return same_word(text.substr(0, word.size()), word); }

string_view trimmed(string_view value) {
  const std::size_t first = value.find_first_not_of(" \t");
  if (first == string_view::npos) return {};
  return value.substr(first, value.find_last_not_of(" \t") - first + 1);
}

}  // namespace

HttpHostReader::State HttpHostReader::feed(ByteView bytes) {
  const string_view text = as_text(bytes);
  std::size_t line = 0;  // where the current one starts in this piece
  for (std::size_t i = 0; i < text.size() && state_ == State::kNeedMore; ++i) {
    if (++total_ > kMostBytes) {
      end(State::kMalformed, "the head of the request is too long");
      break;
    }
    read_byte(text[i]);
    if (state_ != State::kNeedMore || part_ == Part::kPreface || text[i] != '\n') continue;
    const string_view here = text.substr(line, i + 1 - line);
    line = i + 1;
    if (!pending_.empty()) pending_ += here;
    string_view whole = pending_.empty() ? here : string_view(pending_);
    whole.remove_suffix(2);
    after_cr_ = false;
    column_ = 0;
    read_line(whole);
    pending_.clear();
  }
  if (state_ == State::kNeedMore && part_ != Part::kPreface)
    pending_ += text.substr(line);
  else
    pending_ = std::string();
  return state_;
}

// Checks one byte: line ends, and as early as possible that this is no HTTP, so that no more bytes are waited for.
void HttpHostReader::read_byte(char c) {
  if (part_ == Part::kPreface) {
    if (c != kPrefaceRest[preface_]) return end(State::kMalformed, "a broken HTTP/2 preface");
    if (++preface_ == kPrefaceRest.size()) end(State::kHttp2, {});
    return;
  }
  if (part_ == Part::kRequestLine && !method_ended_) {
    if (column_ == 0 && (c == '\r' || c == '\n' || c == ' ' || c == '\t'))
      return end(State::kMalformed, "white space before the request");
    if (c == ' ')
      method_ended_ = true;
    else if (!is_token(c) || column_ == kLongestMethod)
      return end(State::kNotHttp, "no HTTP");
  }
  ++column_;
  if (after_cr_ != (c == '\n'))
    return end(State::kMalformed, after_cr_ ? "a lone carriage return" : "a lone line feed");
  if (c == '\r')
    after_cr_ = true;
  else if (c != '\n' && is_control(c))
    end(State::kMalformed, "a control character in the head");
}

void HttpHostReader::read_line(string_view line) {
  if (part_ == Part::kRequestLine) {
    read_request_line(line);
    if (part_ == Part::kRequestLine) part_ = Part::kFields;
  } else if (line.empty()) {
    finish();
  } else {
    read_field(line);
  }
}

void HttpHostReader::read_request_line(string_view line) {
  if (line == kPrefaceLine) {
    part_ = Part::kPreface;
    return;
  }
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  const string_view version = line.substr(last + 1);
  if (!version.starts_with("HTTP/")) return end(State::kNotHttp, "no HTTP, or HTTP/0.9");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return end(State::kMalformed, "an unknown version of HTTP");
  if (first == last) return end(State::kMalformed, "a request without a target");
  version_ = version == "HTTP/1.1" ? Version::k11 : Version::k10;
  read_target(line.substr(0, first), line.substr(first + 1, last - first - 1));
}

void HttpHostReader::read_target(string_view method, string_view target) {
  using Form = HttpRequest::Form;
  // More than one space between the parts shows up here, too. Bytes above ASCII are sloppy, but have one reading.
  if (target.empty() || target.find_first_of(" \t") != string_view::npos)
    return end(State::kMalformed, "white space in the target");
  if (method == "CONNECT") {
    request_.form = Form::kAuthority;
    authority_ = parse_host_port(target);
    if (!authority_ || !authority_->port) end(State::kMalformed, "CONNECT without a host and a port");
  } else if (target.front() == '/') {
    request_.form = Form::kOrigin;
  } else if (target == "*" && method == "OPTIONS") {
    request_.form = Form::kAsterisk;
  } else {
    request_.form = Form::kAbsolute;
    const bool secure = starts_with_word(target, "https://");
    if (!secure && !starts_with_word(target, "http://")) return end(State::kMalformed, "a target of an unknown form");
    default_port_ = secure ? 443 : 80;
    target.remove_prefix(secure ? 8 : 7);
    // Some servers read a backslash as a slash, others as a letter; no host has it as a letter, so the target is
    // refused.
    authority_ = parse_host_port(target.substr(0, target.find_first_of("/?#")));
    if (!authority_) end(State::kMalformed, "the target has no proper host");
  }
}

void HttpHostReader::read_field(string_view line) {
  if (line.front() == ' ' || line.front() == '\t') return end(State::kMalformed, "a folded line");
  const std::size_t colon = line.find(':');
  const string_view name = line.substr(0, colon);
  if (colon == string_view::npos || name.empty() || !std::all_of(name.begin(), name.end(), is_token))
    return end(State::kMalformed, "a line that is no field");
  if (!same_word(name, "Host")) return;
  if (has_host_) return end(State::kMalformed, "more than one Host");
  has_host_ = true;
  const string_view value = trimmed(line.substr(colon + 1));
  if (value.empty()) return;
  host_ = parse_host_port(value);
  if (!host_) end(State::kMalformed, "Host is no host");
}

void HttpHostReader::finish() {
  if (version_ == Version::k11 && !has_host_) return end(State::kMalformed, "no Host");
  if (authority_ && has_host_) {
    // By RFC 9112 the target wins, but some servers use Host.
    if (!host_ || host_->host != authority_->host) return end(State::kMalformed, "Host is not the host of the target");
    const auto wanted = authority_->port ? authority_->port : default_port_;
    const auto port = host_->port ? host_->port : default_port_;
    if (port && port != wanted) return end(State::kMalformed, "Host is not the host of the target");
  }
  if (!authority_ && !host_ && has_host_) return end(State::kMalformed, "an empty Host");
  request_.host = authority_ ? authority_ : host_;
  end(State::kRequest, {});
}

void HttpHostReader::end(State state, string_view problem) {
  state_ = state;
  problem_ = problem;
  if (state != State::kRequest) request_ = {};
}

}  // namespace pinfold::net
