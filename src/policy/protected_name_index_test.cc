// protected_name_index_test.cc: names match whole components, deepest first.
// Not here: the host.
#include "policy/protected_name_index.h"

#include "policy/rank.h"

#include <gtest/gtest.h>

namespace pinfold::policy {
namespace {

ProtectedNameIndex names() {
  ProtectedNameIndex n;
  n.add(".git/hooks", 0, rank(Source::kPreset));
  n.add(".git/config", 1, rank(Source::kPreset));
  n.add(".vscode", 2, rank(Source::kPreset));
  n.add(".vscode", 3, rank(Source::kFlag));
  n.add_absolute("/ws/data/keep", 4, rank(Source::kFlag));
  return n;
}

TEST(ProtectedNameIndex, Find) {
  const ProtectedNameIndex n = names();
  EXPECT_EQ(n.find("/ws/.git/hooks", "/ws").rule, 0);
  EXPECT_EQ(n.find("/ws/.git/hooks/pre-commit", "/ws").end, std::string_view("/ws/.git/hooks").size());
  EXPECT_EQ(n.find("/ws/sub/.git/config", "/ws").rule, 1);
  EXPECT_EQ(n.find("/ws/.vscode/x", "/ws").rule, 3);
  EXPECT_EQ(n.find("/ws/data/keep/x", "/ws").rule, 4);
  EXPECT_EQ(n.find("/.vscode", "/").rule, 3);
}

TEST(ProtectedNameIndex, NotFound) {
  const ProtectedNameIndex n = names();
  for (const char* path : {"/ws", "/ws/.git", "/ws/.git/hooks2", "/ws/.git/configx", "/ws/.vscode2", "/ws/x/git/hooks",
                           "/other/.vscode", "/ws/data", "/ws/node_modules/a/.vscode"})
    EXPECT_EQ(n.find(path, "/ws").rule, ProtectedNameIndex::kNone) << path;
  EXPECT_EQ(n.find("/ws/.vscode", "/ws/.vscode").rule, ProtectedNameIndex::kNone) << "the root itself is not inside it";
}

}  // namespace
}  // namespace pinfold::policy
