// risk_host.cc: the risk of host names and addresses, by table.
// Invariant: a row matches its name and all names below it; the longest match is used. A wildcard that covers a name in
// the table has at least the risk of that name. Not here: paths (risk.cc).
#include "safety/risk_host.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/address.h"
#include "base/domain.h"

namespace pinfold::safety {
namespace {

using std::string_view;

constexpr RiskLevel kLow = RiskLevel::kLow;
constexpr RiskLevel kMedium = RiskLevel::kMedium;
constexpr RiskLevel kHigh = RiskLevel::kHigh;

struct HostCategory {
  RiskLevel level;
  string_view words;
};

constexpr HostCategory kRegistry = {kLow, "A well-known place for packages: it could install any package from there."};
constexpr HostCategory kCode = {
    kLow, "A well-known place for code: it could fetch code, and send some to an account it has a token for."};
constexpr HostCategory kPaste = {kHigh, "Anyone can drop data there: it could send out all data that it can read."};
constexpr HostCategory kHook = {
    kHigh, "A collecting point for requests: it could send all data that it can read to an unknown person."};
constexpr HostCategory kTunnel = {kHigh,
                                  "A tunnel: an outsider could connect into this sandbox, and data could leave it."};
constexpr HostCategory kChat = {kMedium, "A messenger: it could send data that it can read to people or channels."};
constexpr HostCategory kStorage = {
    kMedium, "Storage that anyone can rent: it could send data that it can read to an account of its own."};
constexpr HostCategory kMetadata = {kHigh, "The cloud's own service: it could fetch the credentials of this machine."};
constexpr HostCategory kResolver = {kMedium, "A name server: data can leave in the names of its queries."};
constexpr HostCategory kUnknown = {kMedium, "It could send all data that it can read to this host."};
constexpr HostCategory kEverything = {kHigh, "It could send all data that it can read to a great many hosts."};
constexpr HostCategory kLoopback = {kMedium, "It could use a service of this machine as if it were you."};
constexpr HostCategory kDaemon = {kHigh,
                                  "It could command a service that acts for it outside of the sandbox, often as root."};
constexpr HostCategory kPrivate = {kMedium, "It could use machines of your own network, which often trust each other."};
constexpr HostCategory kBareAddress = {
    kMedium, "An address without a name: its owner is unknown, and it could send all data that it can read there."};

struct NamedHost {
  string_view name;  // and all names below it
  const HostCategory& category;
};

constexpr NamedHost kNames[] = {
    {"npmjs.org", kRegistry},
    {"yarnpkg.com", kRegistry},
    {"pypi.org", kRegistry},
    {"pythonhosted.org", kRegistry},
    {"crates.io", kRegistry},
    {"rust-lang.org", kRegistry},
    {"proxy.golang.org", kRegistry},
    {"sum.golang.org", kRegistry},
    {"go.dev", kRegistry},
    {"rubygems.org", kRegistry},
    {"packagist.org", kRegistry},
    {"nuget.org", kRegistry},
    {"repo.maven.apache.org", kRegistry},
    {"repo1.maven.org", kRegistry},
    {"plugins.gradle.org", kRegistry},
    {"services.gradle.org", kRegistry},
    {"hex.pm", kRegistry},
    {"hackage.haskell.org", kRegistry},
    {"cpan.org", kRegistry},
    {"deb.debian.org", kRegistry},
    {"security.debian.org", kRegistry},
    {"archive.ubuntu.com", kRegistry},
    {"security.ubuntu.com", kRegistry},
    {"dl-cdn.alpinelinux.org", kRegistry},
    {"fedoraproject.org", kRegistry},
    {"conda.anaconda.org", kRegistry},
    {"nodejs.org", kRegistry},
    {"python.org", kRegistry},
    {"jsr.io", kRegistry},
    {"deno.land", kRegistry},
    {"docker.io", kRegistry},
    {"docker.com", kRegistry},
    {"quay.io", kRegistry},
    {"ghcr.io", kRegistry},
    {"github.com", kCode},
    {"githubusercontent.com", kCode},
    {"gitlab.com", kCode},
    {"bitbucket.org", kCode},
    {"codeberg.org", kCode},
    {"sr.ht", kCode},
    {"kernel.org", kCode},
    {"savannah.gnu.org", kCode},
    {"salsa.debian.org", kCode},
    {"gist.github.com", kPaste},
    {"gist.githubusercontent.com", kPaste},
    {"pastebin.com", kPaste},
    {"paste.ee", kPaste},
    {"hastebin.com", kPaste},
    {"dpaste.org", kPaste},
    {"dpaste.com", kPaste},
    {"ix.io", kPaste},
    {"sprunge.us", kPaste},
    {"termbin.com", kPaste},
    {"0x0.st", kPaste},
    {"rentry.co", kPaste},
    {"ghostbin.com", kPaste},
    {"privatebin.net", kPaste},
    {"transfer.sh", kPaste},
    {"file.io", kPaste},
    {"gofile.io", kPaste},
    {"anonfiles.com", kPaste},
    {"catbox.moe", kPaste},
    {"wetransfer.com", kPaste},
    {"mega.nz", kPaste},
    {"webhook.site", kHook},
    {"requestbin.com", kHook},
    {"requestbin.net", kHook},
    {"pipedream.net", kHook},
    {"hookbin.com", kHook},
    {"beeceptor.com", kHook},
    {"requestcatcher.com", kHook},
    {"hooks.slack.com", kHook},
    {"hooks.zapier.com", kHook},
    {"burpcollaborator.net", kHook},
    {"oastify.com", kHook},
    {"oast.fun", kHook},
    {"oast.pro", kHook},
    {"oast.live", kHook},
    {"interact.sh", kHook},
    {"dnslog.cn", kHook},
    {"ntfy.sh", kHook},
    {"ngrok.io", kTunnel},
    {"ngrok.com", kTunnel},
    {"ngrok.app", kTunnel},
    {"ngrok-free.app", kTunnel},
    {"ngrok.dev", kTunnel},
    {"trycloudflare.com", kTunnel},
    {"loca.lt", kTunnel},
    {"localtunnel.me", kTunnel},
    {"localhost.run", kTunnel},
    {"serveo.net", kTunnel},
    {"pinggy.io", kTunnel},
    {"bore.pub", kTunnel},
    {"tunnelmole.net", kTunnel},
    {"devtunnels.ms", kTunnel},
    {"torproject.org", kTunnel},
    {"onion", kTunnel},
    {"discord.com", kChat},
    {"discordapp.com", kChat},
    {"slack.com", kChat},
    {"api.telegram.org", kChat},
    {"graph.facebook.com", kChat},
    {"amazonaws.com", kStorage},
    {"storage.googleapis.com", kStorage},
    {"blob.core.windows.net", kStorage},
    {"r2.cloudflarestorage.com", kStorage},
    {"backblazeb2.com", kStorage},
    {"digitaloceanspaces.com", kStorage},
    {"dropbox.com", kStorage},
    {"dropboxapi.com", kStorage},
    {"metadata.google.internal", kMetadata},
    {"metadata.goog", kMetadata},
    {"dns.google", kResolver},
    {"cloudflare-dns.com", kResolver},
    {"dns.quad9.net", kResolver},
    {"dns.nextdns.io", kResolver},
    {"localhost", kLoopback},
};

struct AddressRange {
  string_view prefix;
  const HostCategory& category;
};

constexpr AddressRange kRanges[] = {
    {"169.254.169.254", kMetadata}, {"169.254.170.2", kMetadata},
    {"100.100.100.200", kMetadata}, {"fd00:ec2::254", kMetadata},
    {"127.0.0.0/8", kLoopback},     {"::1", kLoopback},
    {"0.0.0.0/8", kLoopback},       {"::", kLoopback},
    {"10.0.0.0/8", kPrivate},       {"172.16.0.0/12", kPrivate},
    {"192.168.0.0/16", kPrivate},   {"169.254.0.0/16", kPrivate},
    {"100.64.0.0/10", kPrivate},    {"fc00::/7", kPrivate},
    {"fe80::/10", kPrivate},        {"8.8.8.8", kResolver},
    {"8.8.4.4", kResolver},         {"1.1.1.1", kResolver},
    {"9.9.9.9", kResolver},
};

// Services that execute commands of any client that connects.
constexpr string_view kDaemonPorts[] = {"2375", "2376", "2377", "6443", "10250", "2379",
                                        "8500", "4646", "9229", "9222", "5985"};

constexpr int kWidestPrefix = 8;  // bits: a wider prefix counts as the whole network

bool below(string_view name, string_view domain) {
  return name == domain ||
         (name.size() > domain.size() && name.ends_with(domain) && name[name.size() - domain.size() - 1] == '.');
}

const HostCategory& name_category(string_view name) {
  const NamedHost* best = nullptr;
  for (const NamedHost& one : kNames)
    if (below(name, one.name) && (best == nullptr || one.name.size() > best->name.size())) best = &one;
  return best == nullptr ? kUnknown : best->category;
}

const HostCategory& wildcard_category(string_view name) {
  if (name.find('.') == string_view::npos && name != "localhost") return kEverything;
  const HostCategory* worst = &name_category(name);
  for (const NamedHost& one : kNames)
    if (below(one.name, name) && one.category.level > worst->level) worst = &one.category;
  return *worst;
}

const HostCategory& address_category(const Prefix& asked) {
  if (asked.bits < kWidestPrefix) return kEverything;
  const HostCategory* worst = nullptr;
  for (const AddressRange& one : kRanges) {
    const auto known = parse_prefix(one.prefix);
    if (!known || !overlap(*known, asked)) continue;
    if (worst == nullptr || one.category.level > worst->level) worst = &one.category;
  }
  return worst == nullptr ? kBareAddress : *worst;
}

struct HostAndPort {
  string_view host;
  string_view port;
};

HostAndPort split(string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = std::min(text.find(']'), text.size());
    const string_view rest = text.substr(std::min(end + 1, text.size()));
    return {text.substr(1, end - 1), rest.starts_with(':') ? rest.substr(1) : string_view()};
  }
  const std::size_t colon = text.find(':');
  const bool one = colon != string_view::npos && text.find(':', colon + 1) == string_view::npos;
  return one ? HostAndPort{text.substr(0, colon), text.substr(colon + 1)} : HostAndPort{text, {}};
}

const HostCategory& category_of(string_view resource) {
  const auto [host, port] = split(resource);
  const bool daemon = std::find(std::begin(kDaemonPorts), std::end(kDaemonPorts), port) != std::end(kDaemonPorts);
  if (const auto prefix = parse_prefix(host)) {
    const HostCategory& found = address_category(*prefix);
    return daemon && (&found == &kLoopback || &found == &kPrivate) ? kDaemon : found;
  }
  if (host == "*") return kEverything;
  const bool wild = host.starts_with("*.");
  const auto name = canonical_name(wild ? host.substr(2) : host);
  if (!name) return kUnknown;
  const HostCategory& found = wild ? wildcard_category(*name) : name_category(*name);
  return daemon && &found == &kLoopback ? kDaemon : found;
}

}  // namespace

Risk host_risk(string_view resource) {
  const HostCategory& category = category_of(resource);
  return {category.level, std::string(category.words)};
}

}  // namespace pinfold::safety
