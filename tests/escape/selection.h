// selection.h: which attempts are made: all, those of one row, those with a name, or a part where time is short.
// Invariant: a part holds the first attempt of every row, and the N parts together hold them all.
// Not here: the attempts (table.h, scenarios.h).
#pragma once

#include <cstdio>
#include <map>
#include <string>

namespace escape {

struct Selection {
  std::string filter;
  int row = 0;   // all
  int part = 0;  // of each row's attempts, those whose place modulo `parts` is this, and the first
  int parts = 1;

  // "2/6"; false when it is no such thing.
  bool set_part(const std::string& text) {
    int end = 0;
    bool read = std::sscanf(text.c_str(), "%d/%d%n", &part, &parts, &end) == 2;
    return read && end == static_cast<int>(text.size()) && parts > 0 && part >= 0 && part < parts;
  }

  // Ask once for each attempt, in their order.
  bool takes(int number, const std::string& name) {
    if (row != 0 && row != number) return false;
    if (name.find(filter) == std::string::npos) return false;
    int place = seen_[number]++;
    return place == 0 || place % parts == part;
  }

 private:
  std::map<int, int> seen_ = {};
};

}  // namespace escape
