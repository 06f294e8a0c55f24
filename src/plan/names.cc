// names.cc: how programs in a sandbox with rules by name ask for addresses.
// Invariant: the C library asks the sandbox's own name server and nobody else; /etc/hosts stays as it is.
// Not here: who answers (src/net), what is hidden of the host's own name services (policy/builder.cc).
#include <algorithm>

#include "base/address.h"
#include "base/paths.h"
#include "plan/draft.h"
#include "policy/resolver.h"

namespace pinfold::plan {
namespace {

// A name is asked for as it is written: a search list of the host's would put its own domain behind it.
std::string resolv_conf(bool asks) {
  // A person takes longer than a name server.
  const char* patience = asks ? "timeout:30 attempts:4" : "attempts:2";
  return "nameserver " + std::string(kNameServer) + "\nsearch .\noptions " + patience + "\n";
}

// Without caches, mDNS and systemd's socket, none of which is there.
constexpr const char* kNsswitch =
    "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\nprotocols: files\n"
    "services: files\nethers: files\nrpc: files\n";

// False: nothing can be made there.
bool make(Draft& draft, const std::string& path, std::string content) {
  // Often a symlink into /run; programs inside follow it as they would outside.
  const std::string at = policy::canonical_path(path, draft.host).value_or(path);
  // Nothing can cover a name that does not exist in a directory that is shown.
  if (draft.host.kind(at) == HostKind::kMissing && draft.visible(paths::parent(at))) return false;
  std::erase_if(draft.paths, [&](const Step& step) {
    const auto* show = std::get_if<ShowPath>(&step.body);
    const auto* hide = std::get_if<HidePath>(&step.body);
    return (show != nullptr && show->at == at) || (hide != nullptr && hide->at == at);
  });
  draft.paths.push_back(
      Draft::step(MakeFile{at, std::move(content)}, Need::kRequired, draft.scope.policy().network.origin));
  return true;
}

// Without a file that says otherwise the C library asks its own host.
void serve_loopback(Draft& draft) {
  for (Step& step : draft.first)
    if (auto* network = std::get_if<Network>(&step.body)) network->name_server = *parse_address("127.0.0.1");
}

}  // namespace

void add_name_service(Draft& draft) {
  if (draft.network_mode() != NetworkMode::kDomains) return;
  if (!make(draft, "/etc/resolv.conf", resolv_conf(draft.invocation.asks))) serve_loopback(draft);
  make(draft, "/etc/nsswitch.conf", kNsswitch);
}

}  // namespace pinfold::plan
