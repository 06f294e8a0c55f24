// world.h: the fuzzers' fake host, and the checks for every policy that was parsed from hostile text.
// Invariant: a failed check aborts the process, so that libFuzzer keeps the input.
// Not here: the inputs (one file for each parser).
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/fake_host.h"
#include "policy/merge.h"
#include "policy/narrowing.h"
#include "policy/print.h"

namespace pinfold::fuzz {

[[noreturn]] inline void broken(const std::string& promise) {
  std::fprintf(stderr, "broken promise: %s\n", promise.c_str());
  std::abort();
}
inline void promise(bool kept, const char* what) {
  if (!kept) broken(what);
}

inline const Caller kCaller{"/home/ada", "/home/ada/ws"};

inline FakeHost& host() {
  static FakeHost& one = [&]() -> FakeHost& {
    static FakeHost made;
    made.debian().dir("/home/ada/ws/src").dir("/home/ada/ws/.git/hooks").file("/home/ada/ws/.env");
    made.link("/home/ada/ws/out", "/home/ada/.ssh").dir("/home/ada/.ssh").dir("/srv/data").dir("/opt/sdk");
    return made;
  }();
  return one;
}

// Errors are for people: never empty, never with control characters other than the newlines between them.
inline void check_words(const Error& error) {
  promise(!error.text().empty(), "an error has words");
  for (const char c : error.text() + error.fix())
    promise(static_cast<unsigned char>(c) >= 0x20 || c == '\n', "an error has no control characters");
}

// Without the rules that Pinfold adds to every policy and that no printed policy shows: its own directories, and the
// file of --policy.
inline std::size_t names_of(const Policy& policy) {
  return static_cast<std::size_t>(
      std::count_if(policy.protect.begin(), policy.protect.end(), [](const ProtectRule& one) {
        return !one.origin.where.starts_with("Pinfold's own") && one.origin.where != "the file of --policy";
      }));
}

// A policy prints as text that reads back as the same policy, and widens nothing compared with itself.
inline void check_policy(const Policy& policy) {
  const std::string text = policy::to_toml(policy);
  policy::to_json(policy);
  const policy::Document printed =
      policy::read_document(text, policy::Notation::kToml, "printed", Source::kApi, {kCaller.working_dir});
  policy::Layers layers;
  layers.caller = kCaller;
  layers.user = &printed;
  layers.full_access = danger::FullAccess("fuzzing");
  const auto again = policy::merge(layers);
  if (!again) broken("printed text reads back:  " + again.error().text() + "\n" + text);
  promise(again->profile == policy.profile, "the same preset");
  promise(again->workspaces == policy.workspaces, "the same workspaces");
  promise(again->paths.size() == policy.paths.size(), "as many paths");
  promise(again->patterns.size() == policy.patterns.size(), "as many patterns");
  promise(names_of(*again) == names_of(policy), "as many names");
  promise(again->environment.size() == policy.environment.size(), "as many variables");
  promise(again->exec.commands == policy.exec.commands, "the same commands");
  promise(again->network.mode == policy.network.mode, "the same network");

  const auto scope = policy::Scope::build(policy, host());
  if (!scope) return check_words(scope.error());
  promise(policy::widenings(*scope, *scope).empty(), "nothing is wider than itself");
}

// One text as the user's file, as the project's, and as both.
inline void check_text(std::string_view text, policy::Notation notation) {
  using policy::read_document;
  const policy::Document user = read_document(text, notation, "config.toml", Source::kUserFile, {});
  const policy::Document project =
      read_document(text, notation, "pinfold.toml", Source::kProjectFile, {kCaller.working_dir});
  for (const auto& [mine, theirs] : {std::pair{&user, static_cast<const policy::Document*>(nullptr)},
                                     {static_cast<const policy::Document*>(nullptr), &project},
                                     {&user, &project}}) {
    policy::Layers layers;
    layers.caller = kCaller;
    layers.user = mine;
    layers.project = theirs;
    const auto policy = policy::merge(layers);
    if (policy)
      check_policy(*policy);
    else
      check_words(policy.error());
    if (policy) promise(policy->profile != "danger-full-access", "a file cannot give full access");
  }
}

}  // namespace pinfold::fuzz
