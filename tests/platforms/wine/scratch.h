// scratch.h: a directory of its own for each test under wine, gone after it.
// Invariant: a test waits at most kPatience for any event.
// Not here: the tests (wine_test.cc, start_test.cc).
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/paths.h"
#include "sys/host.h"
#include "sys/windows/files.h"
#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {

constexpr DWORD kPatience = 60'000;  // milliseconds; long beside anything here, however busy the machine is

class Scratch : public ::testing::Test {
 protected:
  void SetUp() override {
    auto host = sys::real_host();
    auto caller = sys::find_caller(*host);
    ASSERT_TRUE(caller) << caller.error().text();
    top_ = paths::join(caller->working_dir, "scratch-" + std::to_string(::GetCurrentProcessId()));
    ASSERT_TRUE(sys::make_directories(top_));
  }
  void TearDown() override { EXPECT_TRUE(sys::remove_tree(top_)); }
  std::string at(const std::string& name) const { return paths::join(top_, name); }
  std::string make(const std::string& name) const {
    EXPECT_TRUE(sys::publish(at(name), "x"));
    return at(name);
  }
  std::string top_;
};

}  // namespace pinfold::backend::on_windows
