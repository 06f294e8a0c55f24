// names.cc: how programs resolve names in a sandbox with rules by name.
// Invariant: the C library asks only the sandbox's own name server; the entries of /etc/hosts for other machines
// counts outside, where names are resolved.
// Not here: the name server (src/net), hiding the host's own name services (policy/builder.cc).
#include <algorithm>
#include <string_view>

#include "base/address.h"
#include "base/paths.h"
#include "plan/draft.h"
#include "policy/resolver.h"

namespace pinfold::plan {
namespace {

constexpr std::size_t kMostHosts = 1 << 20;  // some block advertisements by it

// No search list: with the host's, the C library would append the host's domain to each name.
std::string resolv_conf(bool asks) {
  // A person takes longer than a name server.
  const char* patience = asks ? "timeout:30 attempts:4" : "attempts:2";
  return "nameserver " + std::string(kNameServer) + "\nsearch .\noptions " + patience + "\n";
}

// Without caches, mDNS and systemd's socket, none of which is there.
constexpr const char* kNsswitch =
    "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\nprotocols: files\n"
    "services: files\nethers: files\nrpc: files\n";

// Of the host's file only the host's own names: a program that finds another machine's address there never resolves
// the name, and addresses are granted to names.
std::string hosts(std::string_view text) {
  std::string out = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    const std::size_t end = line.find_first_of(" \t", begin);
    const auto address = parse_address(line.substr(begin, end - begin));
    const bool own = address && (address->family == Family::kV4 ? address->bytes[0] == 127 : is_localhost(*address));
    if (own) out.append(line.substr(begin)).append("\n");
  }
  return out;
}

// Without resolv.conf the C library asks 127.0.0.1.
void serve_loopback(Draft& draft) {
  for (Step& step : draft.first)
    if (auto* network = std::get_if<Network>(&step.body)) network->name_server = *parse_address("127.0.0.1");
}

}  // namespace

bool make_file(Draft& draft, const std::string& path, std::string content, const Origin& origin) {
  // Often a symlink into /run; programs inside follow it as they would outside.
  const std::string at = policy::canonical_path(path, draft.host).value_or(path);
  // Nothing can cover a name that does not exist in a directory that is shown.
  if (draft.host.kind(at) == HostKind::kMissing && draft.visible(paths::parent(at))) return false;
  std::erase_if(draft.paths, [&](const Step& step) {
    const auto* show = std::get_if<ShowPath>(&step.body);
    const auto* hide = std::get_if<HidePath>(&step.body);
    return (show != nullptr && show->at == at) || (hide != nullptr && hide->at == at);
  });
  draft.paths.push_back(Draft::step(MakeFile{at, std::move(content)}, Need::kRequired, origin));
  return true;
}

void add_name_service(Draft& draft) {
  if (draft.network_mode() != NetworkMode::kDomains) return;
  const Origin& origin = draft.scope.policy().network.origin;
  if (!make_file(draft, "/etc/resolv.conf", resolv_conf(draft.invocation.asks), origin)) serve_loopback(draft);
  make_file(draft, "/etc/nsswitch.conf", kNsswitch, origin);
  make_file(draft, "/etc/hosts", hosts(draft.host.read_file("/etc/hosts", kMostHosts).value_or("")), origin);
}

}  // namespace pinfold::plan
