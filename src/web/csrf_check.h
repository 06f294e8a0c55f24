// csrf_check.h: whether a request was made by our own page, by what its headers say.
// Invariant: a name other than ours in Host (a rebound name), another Origin, a request made by another site and a POST
// that a plain form could make are refused; what is missing where a browser would say it is not held against anybody.
// Not here: who may see anything (login_tokens.h), which user connects (peer.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinfold::web {

struct Heading {
  std::string method;
  std::string path;
  std::vector<std::string> host;  // as often as the header is there
  std::vector<std::string> origin;
  std::string site;  // Sec-Fetch-Site, empty: not there
  std::string mode;  // Sec-Fetch-Mode
  std::string destination;
  std::string content_type;
};

struct Refusal {
  int status = 0;  // 0: not refused
  std::string why;
};

Refusal judge(const Heading& heading, std::uint16_t port);

}  // namespace pinfold::web
