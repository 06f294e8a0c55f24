#include "backend/linux/notify/shared_memory.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include <gtest/gtest.h>

namespace pinfold::backend::on_linux {
namespace {

// In a child of its own, which has one thread.
int in_a_child(int (*work)()) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int look_at(const char* text) {
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(text));
  return memory_at(static_cast<std::uint32_t>(::getpid()), address, std::strlen(text)) == CallerMemory::kShared ? 1 : 0;
}

int own_page() {
  char name[] = "name";
  return look_at(name);
}

int mapped(int flags) {
  auto* page = static_cast<char*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0));
  std::strcpy(page, "name");
  return look_at(page);
}

TEST(CallerMemory, APageOfOneThreadIsPrivate) {
  EXPECT_EQ(in_a_child(own_page), 0);
  EXPECT_EQ(in_a_child([] { return mapped(MAP_PRIVATE); }), 0);
}

TEST(CallerMemory, AMappingThatProcessesShareIsShared) {
  EXPECT_EQ(in_a_child([] { return mapped(MAP_SHARED); }), 1);
}

TEST(CallerMemory, AStringAtTheEndOfAPageCountsTheNextPage) {
  EXPECT_EQ(in_a_child([] {
              auto* pages =
                  static_cast<char*>(::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
              ::mmap(pages + 4096, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
              std::strcpy(pages + 4094, "name");
              return look_at(pages + 4094);
            }),
            1);
}

TEST(CallerMemory, ASecondThreadSharesAll) {
  EXPECT_EQ(in_a_child([] {
              std::thread second([] { ::pause(); });
              const int shared = own_page();
              second.detach();
              return shared;
            }),
            1);
}

TEST(CallerMemory, AChildOfVforkSharesItsParents) {
  EXPECT_EQ(in_a_child([] {
              static int shared;
              shared = -1;
              const pid_t child = ::vfork();
              if (child == 0) {
                shared = own_page();
                ::_exit(0);
              }
              ::waitpid(child, nullptr, 0);
              return shared;
            }),
            1);
}

}  // namespace
}  // namespace pinfold::backend::on_linux
