// proxy_request.cc (fuzz): hostile bytes from a client to the proxy, in each stage.
// Invariant: never consumes more bytes than it got; resolves no name without the token in the bytes; more bytes do not
// change a decision; a forwarded head has one Host and closes.
#include "net/proxy_request.h"

#include "world.h"

using namespace pinfold::net;
using pinfold::fuzz::promise;

namespace {

constexpr std::string_view kToken = "tok";

void check(ProxyStage stage, ByteView bytes) {
  const ProxyStep step = read_for_proxy(stage, bytes, kToken);
  promise(step.taken <= bytes.size(), "takes only what came");
  const bool asked = step.outcome == ProxyStep::Outcome::kConnect;
  if (asked && stage == ProxyStage::kFirst) {
    std::string said(as_text(bytes));
    for (char& c : said) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    promise(said.find("basic") != std::string::npos, "no request without a password");
  }
  if (asked) promise(step.port != 0 && !step.host.text.empty(), "a host and a port");
  if (!step.head.empty()) {
    promise(step.head.ends_with("\r\n\r\n") && step.head.find("\r\n\r\n") == step.head.size() - 4, "one head");
    promise(step.head.find("roxy-") == std::string::npos || as_text(bytes).find("roxy-") != std::string_view::npos,
            "nothing made up");
  }
  if (asked || step.outcome == ProxyStep::Outcome::kNextStage) {
    const ProxyStep again = read_for_proxy(stage, bytes.first(step.taken), kToken);
    promise(again.outcome == step.outcome && again.taken == step.taken && again.head == step.head,
            "the message is enough");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView bytes(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0: check(ProxyStage::kFirst, bytes); break;
    case 1: check(ProxyStage::kSocksPassword, bytes); break;
    default: check(ProxyStage::kSocksRequest, bytes); break;
  }
  return 0;
}
