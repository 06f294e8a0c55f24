// descriptors_test.cc: the soft limit is raised to the hard limit, and the old one is returned.
#include "sys/descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace pinfold::sys {
namespace {

TEST(Descriptors, raisesToTheHardLimit) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low{.rlim_cur = 100, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(descriptor_limit(), 100U);
  EXPECT_EQ(raise_descriptor_limit(), 100U);
  rlimit now{};
  ::getrlimit(RLIMIT_NOFILE, &now);
  EXPECT_EQ(now.rlim_cur, before.rlim_max);
  EXPECT_EQ(now.rlim_max, before.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace pinfold::sys
