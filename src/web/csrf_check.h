// csrf_check.h: decides by its headers whether a request comes from the server's own page.
// Invariant: refuses another name in Host (DNS rebinding), another Origin, a request that another site made, and a POST
// that a plain form can make; a missing Origin or Sec-Fetch header is accepted.
// Not here: authentication (login_tokens.h), the user of the connection (peer.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pinfold::web {

struct RequestHeaders {
  std::string method;
  std::string path;
  std::vector<std::string> host;  // one for each Host header
  std::vector<std::string> origin;
  std::string site;  // Sec-Fetch-Site; empty: missing
  std::string mode;  // Sec-Fetch-Mode
  std::string destination;
  std::string content_type;
};

struct Refusal {
  int status = 0;  // 0: not refused
  std::string why;
};

Refusal check_request(const RequestHeaders& headers, std::uint16_t port);

}  // namespace pinfold::web
