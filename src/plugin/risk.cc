// risk.cc: points for each requested permission.
// Invariant: the score does not depend on the order of the permissions.
// Not here: the risk of one path (safety/risk.h), the prompt (review.h).
#include "plugin/risk.h"

#include <algorithm>

#include "safety/redaction/secret_names.h"
#include "safety/risk.h"

namespace pinfold::plugin {
namespace {

constexpr int kNetworkPoints = 2;
constexpr int kClipboardPoints = 1;
constexpr int kReadPoints = 2;
constexpr int kWritePoints = 4;
constexpr int kVariablePoints = 2;
constexpr int kShellPoints = 5;
constexpr int kMediumFrom = 2;
constexpr int kHighFrom = 5;

std::string real_path(const std::string& path, const std::string& home) {
  return path.starts_with('~') ? home + path.substr(1) : path;
}

bool is_wide(const std::string& rule) {
  return rule.find('*') != std::string::npos || rule.find('/') != std::string::npos;
}

// Collects the items and their points: one for the network, one for the shell, one for each other permission.
class RiskSum {
 public:
  explicit RiskSum(PluginRisk& out) : out_(out) {}
  void add(PermissionKind kind, std::vector<std::string> what, int points, std::string reason) {
    out_.items.push_back({kind, std::move(what), points, level_of(points), std::move(reason)});
    out_.score += points;
  }

 private:
  PluginRisk& out_;
};

struct AccessSummary {
  bool network = false;
  bool reads = false;
  bool writes = false;
  bool secret = false;
  bool variable = false;
  bool shell = false;
  bool clipboard = false;
};

std::string sentence_of(const AccessSummary& access, std::size_t secrets) {
  std::vector<std::string> verbs;
  if (access.shell) verbs.emplace_back("run programs");
  if (access.writes) verbs.emplace_back("change files of yours");
  if (access.network) verbs.emplace_back("access the network");
  if (access.secret) verbs.emplace_back(secrets == 1 ? "read a secret" : "read secrets");
  if (access.variable) verbs.emplace_back("read variables of your environment");
  if (access.reads) verbs.emplace_back("read files of yours");
  if (access.clipboard) verbs.emplace_back("read and change your clipboard");
  if (verbs.empty()) return "This plugin can touch nothing but its own folder and private directories.";
  std::string out = "This plugin can ";
  for (std::size_t i = 0; i < verbs.size(); ++i)
    out += (i == 0 ? "" : i + 1 == verbs.size() ? " and " : ", ") + verbs[i];
  return out + ".";
}

std::vector<Combination> combinations_of(const AccessSummary& access) {
  std::vector<Combination> out;
  if (access.secret && access.network)
    out.push_back({"secret + network", "It can send the secrets that it reads to the hosts that it reaches."});
  if ((access.reads || access.writes) && access.network)
    out.push_back({"files + network", "It can send the files that it reads to the hosts that it reaches."});
  if (access.clipboard && access.network)
    out.push_back({"clipboard + network", "It can send what you copy to the hosts that it reaches."});
  if (access.writes && access.shell)
    out.push_back({"write + shell", "It can change your files with any of the programs that it may run."});
  if (access.writes && access.network) out.push_back({"write + network", "It can save downloads among your files."});
  if (access.shell && access.network)
    out.push_back({"shell + network", "The programs that it runs reach the same hosts as the plugin itself."});
  if (access.secret && access.shell)
    out.push_back({"secret + shell", "The programs that it runs see the same secrets as the plugin itself."});
  return out;
}

}  // namespace

RiskLevel level_of(int points) {
  return points >= kHighFrom ? RiskLevel::kHigh : points >= kMediumFrom ? RiskLevel::kMedium : RiskLevel::kLow;
}

std::string_view level_word(RiskLevel level) {
  return level == RiskLevel::kHigh ? "high" : level == RiskLevel::kMedium ? "medium" : "low";
}

PluginRisk risk_of(const Permissions& requested, const std::string& home) {
  PluginRisk out;
  RiskSum sum(out);
  AccessSummary access;
  std::vector<std::string> hosts;
  std::vector<std::string> commands;
  std::size_t secrets = 0;
  std::vector<std::string> names;  // a variable that is also requested as a secret counts once
  for (const Item& item : items_of(requested)) {
    switch (item.kind) {
      case PermissionKind::kNetwork: hosts.push_back(item.what); break;
      case PermissionKind::kShell:
        if (!item.what.empty()) commands.push_back(item.what);
        break;
      case PermissionKind::kRead:
      case PermissionKind::kWrite: {
        const bool writes = item.kind == PermissionKind::kWrite;
        (writes ? access.writes : access.reads) = true;
        const Risk risk = safety::risk_of(writes ? "write" : "read", real_path(item.what, home), home, {});
        sum.add(item.kind, {item.what}, writes ? kWritePoints : kReadPoints, risk.words);
        break;
      }
      case PermissionKind::kEnvironment:
      case PermissionKind::kSecret: {
        if (std::find(names.begin(), names.end(), item.what) != names.end()) break;
        names.push_back(item.what);
        const bool secret =
            item.kind == PermissionKind::kSecret || redaction::name_kind(item.what) != redaction::NameKind::kOrdinary;
        (secret ? access.secret : access.variable) = true;
        if (secret) ++secrets;
        sum.add(secret ? PermissionKind::kSecret : PermissionKind::kEnvironment, {item.what}, kVariablePoints,
                secret ? "It could use this secret to act as you at the service that accepts it."
                       : "It could read the value of this variable.");
        break;
      }
      case PermissionKind::kClipboard:
        access.clipboard = true;
        sum.add(item.kind, {}, kClipboardPoints,
                "It could read what you copy, passwords too, and change what you paste.");
        break;
    }
  }
  access.network = !hosts.empty();
  access.shell = requested.shell.has_value();
  if (access.network) {
    const bool wide = std::any_of(hosts.begin(), hosts.end(), is_wide);
    sum.add(PermissionKind::kNetwork, std::move(hosts), kNetworkPoints,
            wide ? "It could send all data that it reads to any of many hosts."
                 : "It could send all data that it reads to these hosts.");
  }
  if (access.shell)
    sum.add(PermissionKind::kShell, std::move(commands), kShellPoints,
            "It could run these programs on everything that its other permissions grant.");
  std::stable_sort(out.items.begin(), out.items.end(),
                   [](const ItemRisk& a, const ItemRisk& b) { return a.points > b.points; });
  out.level = level_of(out.score);
  out.sentence = sentence_of(access, secrets);
  out.combinations = combinations_of(access);
  return out;
}

}  // namespace pinfold::plugin
