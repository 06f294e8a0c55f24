// resolver_test.cc: the shortcut gives the same result as the whole walk.
// Not here: rules.
#include "policy/resolver.h"

#include <gtest/gtest.h>

#include "base/fake_host.h"

namespace pinfold::policy {
namespace {

TEST(Resolver, AgreesWithTheHost) {
  FakeHost host;
  host.debian().file("/a/b/c").link("/l", "a").link("/a/out", "/usr/bin").link("/loop", "loop").link("/gone", "nope");
  Resolver resolver(host);
  for (const char* path : {"/", "/a", "/a/b/c", "/l", "/l/b", "/l/b/c", "/a/out", "/a/out/sh", "/bin/sh", "/loop",
                           "/gone", "/missing", "/missing/x", "/a/b/c/d", "/usr/bin/sh"}) {
    const auto mine = resolver.resolve(path);
    const auto whole = host.resolve(path);
    ASSERT_EQ(mine.has_value(), whole.has_value()) << path;
    if (!mine) continue;
    EXPECT_EQ(mine->canonical, whole->canonical) << path;
    EXPECT_EQ(mine->kind, whole->kind) << path;
    EXPECT_EQ(mine->links.size(), whole->links.size()) << path;
  }
}

TEST(Resolver, QueriesTheHostOncePerPath) {
  FakeHost host;
  for (int i = 0; i < 100; ++i) host.file("/a/b/c/" + std::to_string(i));
  Resolver resolver(host);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(resolver.resolve("/a/b/c/" + std::to_string(i)));
  EXPECT_EQ(host.calls(), 103U);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(resolver.resolve("/none/" + std::to_string(i)));
  EXPECT_EQ(host.calls(), 104U);
}

}  // namespace
}  // namespace pinfold::policy
