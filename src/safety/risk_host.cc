// risk_host.cc: names and addresses, by table.
// Invariant: a name counts with all names below it; the longest one speaks. A wildcard is judged by what it covers: one
// that covers a name of a table is as bad as that. Not here: paths (risk.cc).
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

struct Sort {
  RiskLevel level;
  string_view words;
};

constexpr Sort kRegistry = {kLow, "A well-known place for packages: it could install whatever is offered there."};
constexpr Sort kCode = {
    kLow, "A well-known place for code: it could fetch code, and send some to an account it has a token for."};
constexpr Sort kPaste = {kHigh, "A place where anybody can drop data: it could send out whatever it can read."};
constexpr Sort kHook = {
    kHigh, "A collecting point for requests: it could send out whatever it can read, to somebody you do not know."};
constexpr Sort kTunnel = {kHigh, "A tunnel: somebody outside could reach into this sandbox, and data could leave it."};
constexpr Sort kChat = {kMedium, "A messenger: it could send what it can read to people or channels."};
constexpr Sort kStorage = {kMedium,
                           "Storage that anybody can rent: it could send what it can read to an account of its own."};
constexpr Sort kMetadata = {kHigh, "The cloud's own service: it could fetch the credentials of this machine."};
constexpr Sort kResolver = {kMedium, "A name server: data can leave in the names that are asked for."};
constexpr Sort kUnknown = {kMedium, "It could send whatever it can read to this host."};
constexpr Sort kEverything = {kHigh, "It could send whatever it can read to a great many hosts."};
constexpr Sort kLoopback = {kMedium, "It could use a service of this machine as if it were you."};
constexpr Sort kDaemon = {kHigh, "It could command a service that acts for it outside of the sandbox, often as root."};
constexpr Sort kPrivate = {kMedium, "It could use machines of your own network, which often trust each other."};
constexpr Sort kBareAddress = {
    kMedium, "An address without a name: nothing says who is behind it, and whatever it can read could be sent there."};

struct Named {
  string_view name;  // and everything below it
  const Sort& sort;
};

constexpr Named kNames[] = {
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

struct Range {
  string_view prefix;
  const Sort& sort;
};

constexpr Range kRanges[] = {
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

// Services that take commands from whoever reaches them.
constexpr string_view kDaemonPorts[] = {"2375", "2376", "2377", "6443", "10250", "2379",
                                        "8500", "4646", "9229", "9222", "5985"};

constexpr int kWidestPrefix = 8;  // bits: wider than this is the world

bool below(string_view name, string_view domain) {
  return name == domain ||
         (name.size() > domain.size() && name.ends_with(domain) && name[name.size() - domain.size() - 1] == '.');
}

const Sort& name_sort(string_view name) {
  const Named* best = nullptr;
  for (const Named& one : kNames)
    if (below(name, one.name) && (best == nullptr || one.name.size() > best->name.size())) best = &one;
  return best == nullptr ? kUnknown : best->sort;
}

const Sort& wildcard_sort(string_view name) {
  if (name.find('.') == string_view::npos && name != "localhost") return kEverything;
  const Sort* worst = &name_sort(name);
  for (const Named& one : kNames)
    if (below(one.name, name) && one.sort.level > worst->level) worst = &one.sort;
  return *worst;
}

const Sort& address_sort(const Prefix& asked) {
  if (asked.bits < kWidestPrefix) return kEverything;
  const Sort* worst = nullptr;
  for (const Range& one : kRanges) {
    const auto known = parse_prefix(one.prefix);
    if (!known || !overlap(*known, asked)) continue;
    if (worst == nullptr || one.sort.level > worst->level) worst = &one.sort;
  }
  return worst == nullptr ? kBareAddress : *worst;
}

struct Parts {
  string_view host;
  string_view port;
};

Parts split(string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = std::min(text.find(']'), text.size());
    const string_view rest = text.substr(std::min(end + 1, text.size()));
    return {text.substr(1, end - 1), rest.starts_with(':') ? rest.substr(1) : string_view()};
  }
  const std::size_t colon = text.find(':');
  const bool one = colon != string_view::npos && text.find(':', colon + 1) == string_view::npos;
  return one ? Parts{text.substr(0, colon), text.substr(colon + 1)} : Parts{text, {}};
}

const Sort& sort_of(string_view resource) {
  const auto [host, port] = split(resource);
  const bool daemon = std::find(std::begin(kDaemonPorts), std::end(kDaemonPorts), port) != std::end(kDaemonPorts);
  if (const auto prefix = parse_prefix(host)) {
    const Sort& found = address_sort(*prefix);
    return daemon && (&found == &kLoopback || &found == &kPrivate) ? kDaemon : found;
  }
  if (host == "*") return kEverything;
  const bool wild = host.starts_with("*.");
  const auto name = canonical_name(wild ? host.substr(2) : host);
  if (!name) return kUnknown;
  const Sort& found = wild ? wildcard_sort(*name) : name_sort(*name);
  return daemon && &found == &kLoopback ? kDaemon : found;
}

}  // namespace

Risk host_risk(string_view resource) {
  const Sort& sort = sort_of(resource);
  return {sort.level, std::string(sort.words)};
}

}  // namespace pinfold::safety
