// presets_test.cc: the rules of each preset.
// Not here: flags on top.
#include "policy/presets.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace pinfold::policy {
namespace {

const Caller kAda{"/home/ada", "/home/ada/ws"};

Policy preset(std::string_view name, const Caller& caller = kAda) {
  Policy policy;
  EXPECT_TRUE(apply_preset(name, caller, policy)) << name;
  return policy;
}

const PathRule* rule(const Policy& policy, std::string_view path) {
  const auto it = std::find_if(policy.paths.begin(), policy.paths.end(), [&](const auto& r) { return r.path == path; });
  return it == policy.paths.end() ? nullptr : &*it;
}

bool has_pattern(const Policy& policy, std::string_view glob) {
  return std::any_of(policy.patterns.begin(), policy.patterns.end(), [&](const auto& p) { return p.glob == glob; });
}

bool passes(const Policy& policy, std::string_view name) {
  return std::any_of(policy.environment.begin(), policy.environment.end(),
                     [&](const auto& e) { return e.name == name; });
}

TEST(Presets, UnknownIsNotApplied) {
  Policy policy;
  EXPECT_FALSE(apply_preset("nope", kAda, policy));
  EXPECT_EQ(preset_names().size(), 6U);
}

TEST(Presets, EveryPathIsOptional) {
  for (const auto name : preset_names())
    for (const auto& one : preset(name).paths) EXPECT_EQ(one.missing, Missing::kSkip) << name << one.path;
}

TEST(Presets, SecretsOfTheSystemAreHiddenInAllButFullAccess) {
  for (const auto name : preset_names()) {
    const Policy policy = preset(name);
    const PathRule* shadow = rule(policy, "/etc/shadow");
    if (name == kFullAccessPreset) {
      EXPECT_EQ(shadow, nullptr);
      EXPECT_TRUE(policy.protect.empty());
      EXPECT_TRUE(policy.patterns.empty());
      EXPECT_EQ(rule(policy, "/sys")->access, Access::kRead);
      EXPECT_TRUE(passes(policy, "*"));
      continue;
    }
    ASSERT_NE(shadow, nullptr) << name;
    EXPECT_EQ(shadow->access, Access::kHide);
    EXPECT_FALSE(policy.protect.empty());
    EXPECT_TRUE(has_pattern(policy, "**/.env"));
    EXPECT_FALSE(passes(policy, "*"));
    EXPECT_EQ(policy.network.mode, name == "permissive" ? NetworkMode::kFull : NetworkMode::kNone) << name;
  }
}

TEST(Presets, Home) {
  EXPECT_EQ(rule(preset("moderate"), "/home/ada")->access, Access::kHide);
  EXPECT_EQ(rule(preset("moderate"), "/home/ada/.rustup")->access, Access::kRead);
  EXPECT_EQ(rule(preset("moderate"), "/home/ada/.cargo/credentials.toml"), nullptr);
  EXPECT_EQ(rule(preset("strict"), "/home/ada/.rustup"), nullptr);
  EXPECT_EQ(rule(preset("permissive"), "/home/ada")->access, Access::kRead);
  EXPECT_EQ(rule(preset("permissive"), "/home/ada/.ssh")->access, Access::kHide);
  for (const auto name : preset_names())
    for (const auto& one : preset(name).paths)
      EXPECT_TRUE(one.access == Access::kHide || !one.path.starts_with("/home/ada/.local/share")) << one.path;
}

TEST(Presets, ServiceAccountsHaveNoHome) {
  for (const char* home : {"/", "/bin", "/usr/sbin", "", "relative", "/dev"})
    for (const auto& one : preset("moderate", {home, "/srv"}).paths)
      EXPECT_FALSE(one.path == home && one.access == Access::kHide) << home;
}

TEST(Presets, StrictIsStricter) {
  const Policy strict = preset("strict");
  EXPECT_EQ(strict.workspace_access, Access::kRead);
  EXPECT_EQ(rule(strict, "/opt"), nullptr);
  EXPECT_EQ(rule(strict, "/sys"), nullptr);
  EXPECT_TRUE(has_pattern(strict, "**/*.pem"));
  EXPECT_FALSE(has_pattern(preset("moderate"), "**/*.pem"));
  EXPECT_EQ(strict.limits.wall_time->value, std::chrono::minutes(5));
  EXPECT_EQ(strict.limits.output_size->value, 64U << 20U);
  EXPECT_FALSE(passes(strict, "CARGO_HOME"));
  EXPECT_FALSE(preset("moderate").limits.memory);
  EXPECT_EQ(preset("read-only").workspace_access, Access::kRead);
  EXPECT_EQ(preset("workspace-write").workspace_access, Access::kWrite);
}

TEST(Presets, VariablesThatRunCode) {
  for (const char* name : {"LD_PRELOAD", "NODE_OPTIONS", "ENV", "GIT_SSH_COMMAND", "GIT_DIR"})
    EXPECT_TRUE(runs_code(name));
  for (const char* name : {"PATH", "GIT_AUTHOR_NAME", "GIT_COMMITTER_EMAIL", "ENVIRONMENT"})
    EXPECT_FALSE(runs_code(name));
}

}  // namespace
}  // namespace pinfold::policy
