// profile.h: synthesized rules as the text of a policy file, and as JSON.
// Invariant: apart from comments the text has exactly the rules and the settings from flags; it is valid TOML for any
// name, and the same for the same rules. Not here: the rules (rule_synthesis.h), writing the file (cli/learn.cc).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "learn/rule_synthesis.h"
#include "pinfold/report.h"
#include "policy/keys.h"

namespace pinfold::learn {

// A setting from a flag, which is also written to the file; paths are absolute.
struct FlagSetting {
  policy::Key key = policy::Key::kRead;
  std::string value;
};

struct Profile {
  std::string base;        // the base profile
  std::string name{};      // empty: the file's top level
  std::string home{};      // canonical; written "~"
  std::string command{};   // the watched command, in shell syntax
  std::string run_with{};  // "pinfold run --policy FILE -- COMMAND", or empty
  std::vector<FlagSetting> flag_settings{};
  RuleSet rule_set{};
  Usage usage{};
  bool complete = true;  // the command succeeded
  bool has_timeout = false;
  bool has_memory = false;
};

// No rules beyond the base profile.
bool is_empty(const Profile& profile);

std::string to_toml(const Profile& profile);
// docs/guides/learn.md: "pinfold.lesson/1".
std::string to_json(const Profile& profile, int exit_code);

}  // namespace pinfold::learn
