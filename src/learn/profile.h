// profile.h: a lesson as the text of a policy file, and as JSON.
// Invariant: what is not a comment is exactly the lesson's rules and what was given by flag; the text is valid TOML
// whatever is in a name, and the same for the same lesson. Not here: which rules (rule_synthesis.h), writing it (cli/learn.cc).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "learn/rule_synthesis.h"
#include "pinfold/report.h"
#include "policy/keys.h"

namespace pinfold::learn {

// What the flags said, to stand in the file as well: paths are absolute.
struct Said {
  policy::Key key = policy::Key::kRead;
  std::string value;
};

struct Profile {
  std::string base;        // the profile it is on top of
  std::string name{};      // empty: the file's top level
  std::string home{};      // canonical; written "~"
  std::string command{};   // what was run, as one would type it
  std::string run_with{};  // "pinfold run --policy FILE -- COMMAND", or empty
  std::vector<Said> said{};
  Lesson lesson{};
  Usage usage{};
  bool complete = true;  // the command ended well
  bool has_timeout = false;
  bool has_memory = false;
};

// Nothing in it that the base does not say.
bool is_empty(const Profile& profile);

std::string to_toml(const Profile& profile);
// docs/learn.md: "pinfold.lesson/1".
std::string to_json(const Profile& profile, int exit_code);

}  // namespace pinfold::learn
