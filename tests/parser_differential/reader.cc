// reader.cc: one line in, "hello HEX HEX…" or "http HEX HEX…" (the pieces of a stream), one line out: the result.
// Invariant: answers every line; a line that it does not understand ends it with an error.
// Not here: other implementations to compare with (tests/parser_differential/run).
#include <iostream>
#include <sstream>
#include <string>

#include "net/client_hello.h"
#include "net/http_host.h"

namespace {

using namespace pinfold::net;

Bytes from_hex(const std::string& hex) {
  Bytes out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return out;
}

std::string said(const ClientHelloReader& reader) {
  switch (reader.state()) {
    case ClientHelloReader::State::kNeedMore: return "more";
    case ClientHelloReader::State::kHello: return "name " + (reader.hello().sni ? reader.hello().sni->text : "-");
    default: return "refused " + std::string(reader.problem());
  }
}

std::string said(const HttpHostReader& reader) {
  switch (reader.state()) {
    case HttpHostReader::State::kNeedMore: return "more";
    case HttpHostReader::State::kRequest:
      return "name " + (reader.request().host ? reader.request().host->host.text : "-");
    case HttpHostReader::State::kHttp2: return "refused HTTP/2";
    default: return "refused " + std::string(reader.problem());
  }
}

template <typename Reader>
std::string read(std::istream& pieces) {
  Reader reader;
  for (std::string hex; pieces >> hex;) reader.feed(from_hex(hex));
  return said(reader);
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind != "hello" && kind != "http") {
      std::cerr << "wire_reader: not a line to read: " << line << '\n';
      return 2;
    }
    std::cout << (kind == "hello" ? read<ClientHelloReader>(words) : read<HttpHostReader>(words)) << '\n' << std::flush;
  }
  return 0;
}
