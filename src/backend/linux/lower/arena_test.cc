// arena_test.cc: shared memory under a limit on the size of files.
#include "backend/linux/lower/arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace pinfold::backend::on_linux {
namespace {

// In a child process: 0 if the arena was made and the limit is unchanged, 1 if it was refused; a signal gives 128 and
// more.
int made_under(rlimit limit) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const int file = ::memfd_create("arena", MFD_CLOEXEC);
    const auto arena = Arena::create_in(file);
    rlimit after{};
    ::getrlimit(RLIMIT_FSIZE, &after);
    if (after.rlim_cur != limit.rlim_cur) ::_exit(2);
    ::_exit(arena ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Arena, IsMadeDespiteASoftLimitOnFileSize) {
  rlimit now{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &now), 0);
  if (now.rlim_max != RLIM_INFINITY) GTEST_SKIP() << "the hard limit on the size of files is low here";
  // AddressSanitizer places its heap at the arena's addresses.
  if (made_under(now) != 0) GTEST_SKIP() << "the arena's addresses are in use in this process";
  EXPECT_EQ(made_under({1 << 20, RLIM_INFINITY}), 0);
}

TEST(Arena, AHardLimitOnFileSizeIsAnErrorWithoutSIGXFSZ) { EXPECT_EQ(made_under({1 << 20, 1 << 20}), 1); }

}  // namespace
}  // namespace pinfold::backend::on_linux
