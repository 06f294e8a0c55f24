// rules.cc: see rules.h.
#include "rules.h"

#include <cstdio>

#include "effects.h"
#include "steps.h"

namespace escape {
namespace {

struct Counts {
  int passed = 0;
  int failed = 0;
  void add(const std::string& name, bool good) {
    std::printf("%-4s %s\n", good ? "ok" : "FAIL", name.c_str());
    (good ? passed : failed)++;
  }
};

const Coverage kMade = {{step::kRead, {"partial", "made up", "names can be seen"}},
                        {step::kWrite, {"enforced", "made up", ""}},
                        {step::kNetwork, {"absent", "none", "not at all"}}};

struct Case {
  const char* name;
  Findings findings;
  Steps steps;
  Outcome outcome;
  Tolerance tolerance = Tolerance::kKnownGaps;
};

void check_verdicts(Counts& counts) {
  const Findings denied = {};
  const Findings reached = {.control = "", .untried = "", .through = "reached", .attacked = "", .beyond = ""};
  const Findings changed = {.control = "", .untried = "", .through = "", .attacked = "; changed: +x", .beyond = ""};
  Findings more = reached;
  more.beyond = "; left behind: mount /x";
  Findings powerless = reached;
  powerless.control = "the control reached nothing";
  Findings untried = denied;
  untried.untried = "the attempt did not run";
  const Case cases[] = {
      {"denied, enforced: passed", denied, any_gap({step::kWrite}), Outcome::kPassed},
      {"denied, partial: passed", denied, any_gap({step::kRead}), Outcome::kPassed},
      {"denied, absent: passed", denied, any_gap({step::kNetwork}), Outcome::kPassed},
      {"reached, enforced: failed", reached, any_gap({step::kWrite}), Outcome::kFailed},
      {"reached, partial: not enforced", reached, any_gap({step::kRead}), Outcome::kNotEnforced},
      {"reached, absent: not enforced", reached, any_gap({step::kNetwork}), Outcome::kNotEnforced},
      {"reached, one of two partial: not enforced", reached, any_gap({step::kWrite, step::kRead}),
       Outcome::kNotEnforced},
      {"reached, its heart, partial: failed", reached, absence({step::kRead}), Outcome::kFailed},
      {"reached, its heart, absent: not enforced", reached, absence({step::kNetwork}), Outcome::kNotEnforced},
      {"reached, a step that coverage does not have: failed", reached, any_gap({step::kTmp}), Outcome::kFailed},
      {"reached, promised everywhere: failed", reached, always(), Outcome::kFailed},
      {"reached, partial, by a backend that holds all: failed", reached, any_gap({step::kRead}), Outcome::kFailed,
       Tolerance::kNone},
      {"changed its target, enforced: failed", changed, any_gap({step::kWrite}), Outcome::kFailed},
      {"changed its target, partial: not enforced", changed, any_gap({step::kRead}), Outcome::kNotEnforced},
      {"reached and more was harmed, partial: failed", more, any_gap({step::kRead}), Outcome::kFailed},
      {"a control that reached nothing, partial: failed", powerless, any_gap({step::kRead}), Outcome::kFailed},
      {"not tried though it should be, absent: failed", untried, any_gap({step::kNetwork}), Outcome::kFailed},
  };
  for (const Case& one : cases)
    counts.add(one.name, verdict_of(one.findings, one.steps, kMade, one.tolerance).outcome == one.outcome);
  counts.add("no report, reached: failed",
             verdict_of(reached, any_gap({step::kRead}), {}, Tolerance::kKnownGaps).outcome == Outcome::kFailed);
}

void check_effects(Counts& counts) {
  const Effects bare{.changes = {"+home/planted"}, .outside = {"/tmp/x"}, .harm = "killed"};
  counts.add("what the control does too is what a row attacks", in_words(beyond(bare, bare)).empty());
  Effects boxed = bare;
  boxed.changes = {"~home/planted", "+home/other"};
  counts.add("another path is beyond it", beyond(boxed, bare).changes == Texts{"+home/other"});
  boxed = bare;
  boxed.left_behind = " mount /x";
  counts.add("leftovers are beyond it", !in_words(beyond(boxed, bare)).empty());
  boxed = bare;
  boxed.survivors = " 7(x)";
  counts.add("survivors are beyond it where the control had none", !in_words(beyond(boxed, bare)).empty());
}

void check_steps(Counts& counts) {
  int rows = 0;
  for (const Row& row : all_rows()) {
    ++rows;
    std::string wrong = faults(row.steps);
    if (!wrong.empty()) counts.add("row " + std::to_string(row.number) + ", " + row.name + ": " + wrong, false);
  }
  counts.add("all " + std::to_string(rows) + " rows were looked at for their steps", rows > 0);
  counts.add("a row without a step is a fault", !faults({}).empty());
  counts.add("a step that coverage does not know is a fault", !faults(any_gap({"files.raed"})).empty());
}

}  // namespace

bool check_rules() {
  Counts counts;
  check_verdicts(counts);
  check_effects(counts);
  check_steps(counts);
  std::printf("%d passed, %d failed\n", counts.passed, counts.failed);
  return counts.failed == 0;
}

}  // namespace escape
