// sbpl_golden.h: profiles held against files that were read by people.
// Invariant: a golden file changes only together with what users are protected by: read the difference before you
// accept it (PINFOLD_ACCEPT=1 writes them anew).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace pinfold::backend::darwin {

inline void is_as_golden(const std::string& name, const std::string& text) {
  const std::string path = PINFOLD_ROOT "/tests/platforms/golden/" + name + ".sb";
  if (std::getenv("PINFOLD_ACCEPT") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  std::ostringstream contents;
  contents << file.rdbuf();
  EXPECT_EQ(contents.str(), text) << name << ": if this is meant: PINFOLD_ACCEPT=1";
}

}  // namespace pinfold::backend::darwin
