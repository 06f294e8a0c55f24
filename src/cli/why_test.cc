// why_test.cc: which words are hosts; tests/cli asks the real program.
#include "cli/why.h"

#include <gtest/gtest.h>

namespace pinfold::cli {
namespace {

TEST(HostIn, NamesAddressesPortsAndAddressesOfTheWeb) {
  EXPECT_EQ(host_in("example.com"), "example.com");
  EXPECT_EQ(host_in("example.com:443"), "example.com");
  EXPECT_EQ(host_in("https://user@example.com:8443/x?y"), "example.com");
  EXPECT_EQ(host_in("localhost"), "localhost");
  EXPECT_EQ(host_in("db:5432"), "db");
  EXPECT_EQ(host_in("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(host_in("[::1]:80"), "::1");
}

TEST(HostIn, NotPathsVariablesOrPrograms) {
  for (const char* word : {"", "node", "PATH", "/etc/passwd", "./a.b", "a/b.c", ".env", "x.", "-a.b", "a..b", "1.2",
                           "a.b:c", "a:", "..", "~", "http://", "python3.11"})
    EXPECT_EQ(host_in(word), "") << word;
}

}  // namespace
}  // namespace pinfold::cli
