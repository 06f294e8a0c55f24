// permissions_test.cc: equivalent permissions have one hash; fewer permissions do not count as growth.
#include "plugin/permissions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/property.h"

namespace pinfold::plugin {
namespace {

Permissions some() {
  Permissions out;
  out.network = {{"api.example.org"}, {"*.example.com:443"}};
  out.filesystem = {{"~/b", FileAccess::kRead}, {"/a", FileAccess::kReadWrite}};
  out.environment = {{"B"}, {"A"}};
  out.shell = RequestedShell{{{"ls"}, {"git"}}};
  out.secrets = {{"TOKEN"}};
  return out;
}

TEST(Permissions, CanonicalText) {
  EXPECT_EQ(canonical_json({}), "{}");
  EXPECT_EQ(
      canonical_json(some()),
      R"({"environment":["A","B"],"filesystem":[{"access":"read-write","path":"/a"},{"access":"read","path":"~/b"}],)"
      R"("network":["*.example.com:443","api.example.org"],"secrets":["TOKEN"],"shell":{"commands":["git","ls"]}})");
  EXPECT_TRUE(permissions_hash(some()).starts_with("sha256:"));
  EXPECT_EQ(permissions_hash(some()).size(), 7u + 64u);
}

TEST(Permissions, SpellingsOfTheSame) {
  Permissions other = some();
  std::reverse(other.network.begin(), other.network.end());
  other.network[1].text = "API.Example.ORG.";
  other.filesystem[0].path = "~//b/";
  other.filesystem.push_back({"/a", FileAccess::kRead});
  other.environment.push_back({"A"});
  EXPECT_EQ(permissions_hash(other), permissions_hash(some()));
  EXPECT_FALSE(difference(some(), other).grew);
  EXPECT_TRUE(difference(some(), other).added.empty());
}

std::vector<RequestedText> requested(const std::vector<int>& numbers, const std::string& start,
                                     const std::string& end = "") {
  std::vector<RequestedText> out;
  for (const int n : numbers) out.push_back({start + std::to_string(n) + end});
  return out;
}

Permissions random_permissions() {
  const auto few = [] { return *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6)); };
  Permissions out;
  out.network = requested(few(), "h", ".example.org");
  out.environment = requested(few(), "V");
  out.secrets = requested(few(), "S");
  for (const int n : few())
    out.filesystem.push_back({"/d" + std::to_string(n), *rc::gen::element(FileAccess::kRead, FileAccess::kReadWrite)});
  if (*rc::gen::arbitrary<bool>()) out.shell = RequestedShell{requested(few(), "c")};
  out.clipboard = *rc::gen::arbitrary<bool>();
  return out;
}

TEST(Permissions, OrderDoesNotMatter) {
  EXPECT_EQ(holds("the hash of shuffled and repeated permissions is the same", 500,
                  [](unsigned seed) {
                    const Permissions all = random_permissions();
                    Permissions other = all;
                    std::mt19937 random(seed);
                    const auto mix = [&](auto& list) {
                      const auto copy = list;
                      if (seed % 2 == 0) list.insert(list.end(), copy.begin(), copy.end());
                      std::shuffle(list.begin(), list.end(), random);
                    };
                    mix(other.network), mix(other.environment), mix(other.secrets), mix(other.filesystem);
                    if (other.shell) mix(other.shell->commands);
                    RC_ASSERT(permissions_hash(all) == permissions_hash(other));
                  }),
            "");
}

TEST(Permissions, AnyChangeChangesIt) {
  EXPECT_EQ(holds("two permissions have one hash only if they ask for the same", 2000,
                  [] {
                    const Permissions a = random_permissions();
                    Permissions b = *rc::gen::arbitrary<bool>() ? random_permissions() : a;
                    switch (*rc::gen::inRange(0, 4)) {
                      case 0: b.clipboard = !b.clipboard; break;
                      case 1: b.environment.push_back({"NEW"}); break;
                      case 2: b.filesystem.push_back({"/new", FileAccess::kRead}); break;
                      default: break;
                    }
                    RC_ASSERT((permissions_hash(a) == permissions_hash(b)) == (items_of(a) == items_of(b)));
                  }),
            "");
}

TEST(Permissions, DetectsEveryGrowth) {
  EXPECT_EQ(holds("an addition is growth, a removal is not", 1000,
                  [] {
                    const Permissions a = random_permissions();
                    const Permissions b = random_permissions();
                    const Difference change = difference(a, b);
                    const auto was = items_of(a);
                    // No wider permission can cover these.
                    const bool surely = std::any_of(change.added.begin(), change.added.end(), [&](const Item& item) {
                      return item.kind != PermissionKind::kRead &&
                             !(item.kind == PermissionKind::kShell && item.what.empty());
                    });
                    if (surely) RC_ASSERT(change.grew);
                    if (change.added.empty()) RC_ASSERT(!change.grew);
                  }),
            "");
}

TEST(Permissions, Difference) {
  const auto grew = [](const Permissions& before, const Permissions& now) { return difference(before, now).grew; };
  Permissions wild, name, port;
  wild.network = {{"*.example.org"}};
  name.network = {{"api.example.org"}};
  port.network = {{"api.example.org:22"}};
  EXPECT_FALSE(grew(wild, name));
  EXPECT_TRUE(grew(name, wild));
  EXPECT_TRUE(grew(wild, port));
  Permissions denial = wild;
  denial.network.push_back({"!secret.example.org"});
  EXPECT_FALSE(grew(wild, denial));
  EXPECT_TRUE(grew(denial, wild));
  Permissions read, write, below, beside;
  read.filesystem = {{"~/a", FileAccess::kRead}};
  write.filesystem = {{"~/a", FileAccess::kReadWrite}};
  below.filesystem = {{"~/a/b", FileAccess::kRead}};
  beside.filesystem = {{"~/ab", FileAccess::kRead}};
  EXPECT_TRUE(grew(read, write));
  EXPECT_FALSE(grew(write, read));
  EXPECT_FALSE(grew(read, below));
  EXPECT_TRUE(grew(below, read));
  EXPECT_TRUE(grew(read, beside));
  const Difference change = difference(read, write);
  EXPECT_EQ(change.added, (std::vector<Item>{{PermissionKind::kWrite, "~/a"}}));
  EXPECT_EQ(change.removed, (std::vector<Item>{{PermissionKind::kRead, "~/a"}}));
  Permissions shell, commands;
  shell.shell = RequestedShell{};
  commands.shell = RequestedShell{{{"ls"}}};
  EXPECT_TRUE(grew({}, shell));
  EXPECT_TRUE(grew(shell, commands));
  EXPECT_FALSE(grew(commands, shell));
  EXPECT_FALSE(grew(commands, {}));
}

}  // namespace
}  // namespace pinfold::plugin
