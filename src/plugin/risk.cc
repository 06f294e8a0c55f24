// risk.cc: points for each thing that a plugin asks for.
// Invariant: the same permissions have the same score, in whatever order they were written.
// Not here: what could come of reading one place (safety/risk.h), the prompt (review.h).
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

// The network as a whole, the shell as a whole, everything else one by one.
class Tally {
 public:
  explicit Tally(PluginRisk& out) : out_(out) {}
  void add(Kind kind, std::vector<std::string> what, int points, std::string reason) {
    out_.items.push_back({kind, std::move(what), points, level_of(points), std::move(reason)});
    out_.score += points;
  }

 private:
  PluginRisk& out_;
};

struct Has {
  bool network = false;
  bool reads = false;
  bool writes = false;
  bool secret = false;
  bool variable = false;
  bool shell = false;
  bool clipboard = false;
};

std::string sentence_of(const Has& has, std::size_t secrets) {
  std::vector<std::string> verbs;
  if (has.shell) verbs.emplace_back("run programs");
  if (has.writes) verbs.emplace_back("change files of yours");
  if (has.network) verbs.emplace_back("access the network");
  if (has.secret) verbs.emplace_back(secrets == 1 ? "read a secret" : "read secrets");
  if (has.variable) verbs.emplace_back("read variables of your environment");
  if (has.reads) verbs.emplace_back("read files of yours");
  if (has.clipboard) verbs.emplace_back("read and change your clipboard");
  if (verbs.empty()) return "This plugin can touch nothing but its own folder and private directories.";
  std::string out = "This plugin can ";
  for (std::size_t i = 0; i < verbs.size(); ++i)
    out += (i == 0 ? "" : i + 1 == verbs.size() ? " and " : ", ") + verbs[i];
  return out + ".";
}

std::vector<Combination> combinations_of(const Has& has) {
  std::vector<Combination> out;
  if (has.secret && has.network)
    out.push_back({"secret + network", "It can send the secrets that it reads to the hosts that it reaches."});
  if ((has.reads || has.writes) && has.network)
    out.push_back({"files + network", "It can send the files that it reads to the hosts that it reaches."});
  if (has.clipboard && has.network)
    out.push_back({"clipboard + network", "It can send what you copy to the hosts that it reaches."});
  if (has.writes && has.shell)
    out.push_back({"write + shell", "It can change your files with any of the programs that it may run."});
  if (has.writes && has.network) out.push_back({"write + network", "It can put what it downloads among your files."});
  if (has.shell && has.network)
    out.push_back({"shell + network", "The programs that it runs reach the same hosts as the plugin itself."});
  if (has.secret && has.shell)
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

PluginRisk risk_of(const Permissions& asked, const std::string& home) {
  PluginRisk out;
  Tally tally(out);
  Has has;
  std::vector<std::string> hosts;
  std::vector<std::string> commands;
  std::size_t secrets = 0;
  std::vector<std::string> names;  // a variable that is asked for as a secret, too, is one variable
  for (const Item& item : items_of(asked)) {
    switch (item.kind) {
      case Kind::kNetwork: hosts.push_back(item.what); break;
      case Kind::kShell:
        if (!item.what.empty()) commands.push_back(item.what);
        break;
      case Kind::kRead:
      case Kind::kWrite: {
        const bool writes = item.kind == Kind::kWrite;
        (writes ? has.writes : has.reads) = true;
        const Risk risk = safety::risk_of(writes ? "write" : "read", real_path(item.what, home), home, {});
        tally.add(item.kind, {item.what}, writes ? kWritePoints : kReadPoints, risk.words);
        break;
      }
      case Kind::kEnvironment:
      case Kind::kSecret: {
        if (std::find(names.begin(), names.end(), item.what) != names.end()) break;
        names.push_back(item.what);
        const bool secret =
            item.kind == Kind::kSecret || redaction::name_kind(item.what) != redaction::NameKind::kOrdinary;
        (secret ? has.secret : has.variable) = true;
        if (secret) ++secrets;
        tally.add(secret ? Kind::kSecret : Kind::kEnvironment, {item.what}, kVariablePoints,
                  secret ? "It could use this secret as you, wherever it is accepted."
                         : "It could learn what you have set here.");
        break;
      }
      case Kind::kClipboard:
        has.clipboard = true;
        tally.add(item.kind, {}, kClipboardPoints,
                  "It could read what you copy, passwords too, and change what you paste.");
        break;
    }
  }
  has.network = !hosts.empty();
  has.shell = asked.shell.has_value();
  if (has.network) {
    const bool wide = std::any_of(hosts.begin(), hosts.end(), is_wide);
    tally.add(Kind::kNetwork, std::move(hosts), kNetworkPoints,
              wide ? "It could send whatever it reads to any of many hosts."
                   : "It could send whatever it reads to these hosts.");
  }
  if (has.shell)
    tally.add(Kind::kShell, std::move(commands), kShellPoints,
              "It could do with these programs whatever the permissions beside this one let it reach.");
  std::stable_sort(out.items.begin(), out.items.end(),
                   [](const ItemRisk& a, const ItemRisk& b) { return a.points > b.points; });
  out.level = level_of(out.score);
  out.sentence = sentence_of(has, secrets);
  out.combinations = combinations_of(has);
  return out;
}

}  // namespace pinfold::plugin
