// risk.h: how risky what a plugin asks for is: points, a level, and the reason in words.
// Invariant: network 2, clipboard 1, each path 2 to read and 4 to change, each variable or secret 2, shell 5; 0–1 is
// low, 2–4 medium, 5 and more high. Advice for a person; decides nothing. Not here: the prompt (review.h).
#pragma once

#include <string>
#include <vector>

#include "pinfold/question.h"
#include "plugin/permissions.h"

namespace pinfold::plugin {

struct ItemRisk {
  Kind kind = Kind::kNetwork;
  std::vector<std::string> what;  // all hosts and all commands together, everything else one by one
  int points = 0;
  RiskLevel level = RiskLevel::kLow;
  std::string reason;  // one sentence
};

struct Combination {
  std::string name;  // "secret + network"
  std::string text;
};

struct PluginRisk {
  std::vector<ItemRisk> items;  // the riskiest first
  int score = 0;
  RiskLevel level = RiskLevel::kLow;
  std::string sentence;  // "This plugin can access the network and read a secret."
  std::vector<Combination> combinations;
};

RiskLevel level_of(int points);
// "low", "medium", "high"
std::string_view level_word(RiskLevel level);

// `home`: where "~" leads, for places that are known to hold secrets.
PluginRisk risk_of(const Permissions& asked, const std::string& home);

}  // namespace pinfold::plugin
