// safety.cc: the detection rate, the false positives and the time of command advice on labelled commands.
//   safety [--misses] FILE.jsonl…      lines of {"command", "label": "deny|ask|safe", "category"}
// Invariant: every figure comes from the files given; nothing is judged by its label. Not here: the labelled commands
// (tests/safety/commands/), rules.
#include "safety/advice/advice.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using pinfold::advice::AdviceVerdict;
using pinfold::advice::Shell;

struct Row {
  std::string command, label, category;
};

std::vector<Row> read(const std::string& path) {
  std::vector<Row> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    rows.push_back({json.value("command", ""), json.value("label", ""), json.value("category", "")});
  }
  return rows;
}

struct Count {
  std::size_t all = 0;
  std::size_t stopped = 0;
};

double percent(const Count& count) {
  return count.all == 0 ? 0 : 100.0 * static_cast<double>(count.stopped) / static_cast<double>(count.all);
}

double microseconds_each(const std::vector<Row>& rows) {
  constexpr int kRounds = 20;
  double best = 1e9;
  std::size_t sink = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::clock_t start = std::clock();  // processor time: others use the machine, too
    for (const Row& row : rows) sink += pinfold::advice::advise(row.command, Shell::kAuto).findings.size();
    const double took = 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    best = std::min(best, took / static_cast<double>(rows.size()));
  }
  return sink == static_cast<std::size_t>(-1) ? 0 : best;
}

int measure(int argc, char** argv) {
  bool misses = false;
  int problems = 0;
  std::printf("%-34s %9s %9s %9s  %s\n", "set", "commands", "stopped", "us each", "by category");
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    if (path == "--misses") {
      misses = true;
      continue;
    }
    const auto rows = read(path);
    if (rows.empty()) {
      std::fprintf(stderr, "safety: no commands in %s\n", path.c_str());
      ++problems;
      continue;
    }
    Count all;
    std::map<std::string, Count> by_category;
    for (const Row& row : rows) {
      const auto advice = pinfold::advice::advise(row.command, Shell::kAuto);
      const bool stopped = advice.verdict != AdviceVerdict::kSafe;
      Count& category = by_category[row.category];
      for (Count* count : {&all, &category}) {
        ++count->all;
        count->stopped += stopped ? 1 : 0;
      }
      if (misses && stopped == (row.label == "safe"))
        std::printf("  %-18s %-5s %-22s %s\n", row.category.c_str(), row.label.c_str(),
                    advice.findings.empty() ? "" : std::string(advice.findings[0].rule).c_str(), row.command.c_str());
    }
    std::string categories;
    for (const auto& [name, count] : by_category)
      categories += name + " " + std::to_string(count.stopped) + "/" + std::to_string(count.all) + "  ";
    std::printf("%-34s %9zu %8.1f%% %9.1f  %s\n", path.substr(path.rfind('/') + 1).c_str(), rows.size(), percent(all),
                microseconds_each(rows), categories.c_str());
  }
  return problems;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return measure(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "safety: %s\n", error.what());
    return 1;
  }
}
