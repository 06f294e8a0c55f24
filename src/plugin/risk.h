// risk.h: the risk of a plugin's permissions: points, a level, and a reason.
// Invariant: network 2, clipboard 1, each path 2 to read and 4 to change, each variable or secret 2, shell 5; 0–1 is
// low, 2–4 medium, 5 and more high. Advice for a person; decides nothing. Not here: the prompt (review.h).
#pragma once

#include <string>
#include <vector>

#include "pinfold/approval.h"
#include "plugin/permissions.h"

namespace pinfold::plugin {

struct ItemRisk {
  PermissionKind kind = PermissionKind::kNetwork;
  std::vector<std::string> what;  // all hosts in one item, all commands in one item, other permissions one each
  int points = 0;
  RiskLevel level = RiskLevel::kLow;
  std::string reason;  // one sentence
};

struct Combination {
  std::string name;  // "secret + network"
  std::string text;
};

struct PluginRisk {
  std::vector<ItemRisk> items;  // highest risk first
  int score = 0;
  RiskLevel level = RiskLevel::kLow;
  std::string sentence;  // "This plugin can access the network and read a secret."
  std::vector<Combination> combinations;
};

RiskLevel level_of(int points);
// "low", "medium", "high"
std::string_view level_word(RiskLevel level);

// `home`: the path for "~", to recognise paths that hold secrets.
PluginRisk risk_of(const Permissions& requested, const std::string& home);

}  // namespace pinfold::plugin
