// choose_test.cc: the choice of a backend and its report, with scripted backends.
#include "supervisor/choose.h"

#include <gtest/gtest.h>

#include "backend/fake/fake.h"
#include "base/fake_host.h"
#include "supervisor/supervisor.h"

namespace pinfold::supervisor {
namespace {

using backend::fake_row;
using backend::FakeBackend;
using backend::FakeFailure;
using backend::FakeLog;
using backend::FakeScript;

const std::vector<Coverage> kWhole = {fake_row(Strength::kEnforced)};
const std::vector<Coverage> kPartial = {fake_row(Strength::kPartial)};
const std::vector<Coverage> kAbsent = {fake_row(Strength::kAbsent)};
const Error kNoNamespaces(ErrorKind::kUnavailable, "no namespaces", "a sysctl");

FakeScript script(std::string name, std::vector<Coverage> coverage) {
  return FakeScript{std::move(name), std::move(coverage)};
}
FakeScript script(std::string name, FakeFailure failure, std::vector<Coverage> coverage = kWhole) {
  FakeScript out = script(std::move(name), std::move(coverage));
  out.start_fails.push_back(std::move(failure));
  return out;
}
FakeScript unprepared(std::string name, Error error) {
  FakeScript out = script(std::move(name), kWhole);
  out.prepare_fails = std::move(error);
  return out;
}
FakeScript unrehearsed(std::string name, Error error) {
  FakeScript out = script(std::move(name), kWhole);
  out.rehearsal_fails = std::move(error);
  return out;
}

class Answers final : public Decider {
 public:
  explicit Answers(ApprovalDecision answer) : answer_(answer) {}
  ApprovalDecision decide(const DecisionRequest& request) override {
    asked.push_back(std::get<GapRequest>(request));
    return answer_;
  }
  std::vector<GapRequest> asked;

 private:
  ApprovalDecision answer_;
};

class ChooseTest : public ::testing::Test {
 protected:
  Report run(std::vector<FakeScript> scripts) {
    RunRequest request;
    for (FakeScript& one : scripts) backends_.push_back(std::make_unique<FakeBackend>(std::move(one), log_));
    for (const auto& backend : backends_) request.candidates.push_back(backend.get());
    request.plan = &plan_;
    request.argv = {"ls"};
    request.signals = Signals::kLeave;
    request.capture = &capture_;
    request.decider = decider_;
    request.warn = [this](const GapRequest& gap) { warned_.push_back(gap); };
    return supervisor::run(request, host_);
  }
  static bool ran(const Report& report) { return std::holds_alternative<Exited>(report.outcome); }
  static std::string reason(const Report& report) {
    const auto* refused = std::get_if<Refused>(&report.outcome);
    return refused == nullptr ? "" : refused->reason;
  }
  static std::string fix(const Report& report) {
    const auto* refused = std::get_if<Refused>(&report.outcome);
    return refused == nullptr ? "" : refused->fix;
  }
  std::size_t starts() const {
    return static_cast<std::size_t>(
        std::count_if(log_.begin(), log_.end(), [](const std::string& one) { return one.ends_with("start ls"); }));
  }

  FakeHost host_;
  Plan plan_;
  Capture capture_{"", 100};
  Decider* decider_ = nullptr;
  FakeLog log_;
  std::vector<GapRequest> warned_;
  std::vector<std::unique_ptr<FakeBackend>> backends_;
};

TEST_F(ChooseTest, UsesTheFirstBackendWithoutProbingOthers) {
  const Report report = run({script("a", kWhole), script("b", kWhole)});
  EXPECT_TRUE(ran(report));
  EXPECT_EQ(report.backend, "a");
  EXPECT_EQ(log_, (FakeLog{"a prepare", "a start ls", "a gone"}));  // not even a rehearsal
  ASSERT_EQ(report.choice.size(), 1u);
  EXPECT_TRUE(report.choice[0].chosen);
  EXPECT_EQ(report.choice[0].why, "enforces every required step");
}

TEST_F(ChooseTest, TriesTheNextBackendIfTheStartFails) {
  const Report report =
      run({script("a", FakeFailure{kNoNamespaces, false, {}}), script("b", kWhole), script("c", kWhole)});
  EXPECT_TRUE(ran(report));
  EXPECT_EQ(report.backend, "b");
  // The first is removed before the second is made: two would find each other's placeholders.
  EXPECT_EQ(log_, (FakeLog{"a prepare", "a start ls", "a gone", "b prepare", "b rehearse", "b start ls", "b gone"}));
  ASSERT_EQ(report.choice.size(), 2u);
  EXPECT_EQ(report.choice[0].why, "no namespaces");
  EXPECT_EQ(report.choice[0].fix, "a sysctl");
  EXPECT_FALSE(report.choice[0].usable);
  EXPECT_TRUE(report.choice[1].chosen);
}

TEST_F(ChooseTest, TriesTheNextBackendIfPreparationFails) {
  const Report report = run({unprepared("a", kNoNamespaces), unrehearsed("b", kNoNamespaces), script("c", kWhole)});
  EXPECT_TRUE(ran(report));
  EXPECT_EQ(report.backend, "c");
  EXPECT_EQ(starts(), 1u);
}

TEST_F(ChooseTest, TriesTheNextBackendOnARequiredGap) {
  const Report report = run({script("a", kPartial), script("b", kWhole)});
  EXPECT_TRUE(ran(report));
  EXPECT_EQ(report.backend, "b");
  EXPECT_EQ(report.choice[0].why, "gaps in required steps: files.read partial");
  EXPECT_TRUE(report.accepted_gaps.empty());
  EXPECT_EQ(starts(), 1u);
}

TEST_F(ChooseTest, KeepsABackendWithABestEffortGap) {
  const Report report = run({script("a", {fake_row(Strength::kAbsent, "x", Need::kBestEffort)}), script("b", kWhole)});
  EXPECT_EQ(report.backend, "a");
}

TEST_F(ChooseTest, TriesTheNextBackendOnAGapFoundAtTheStart) {
  const Error late(ErrorKind::kUnavailable, "no listener");
  const Report report = run({script("a", FakeFailure{late, true, kPartial}), script("b", kWhole)});
  EXPECT_TRUE(ran(report));
  EXPECT_EQ(report.backend, "b");
  EXPECT_EQ(log_, (FakeLog{"a prepare", "a start ls", "a gone", "b prepare", "b rehearse", "b start ls", "b gone"}));
}

TEST_F(ChooseTest, RestartsABackendThatIsWeakerAtTheStartButSufficient) {
  const Error late(ErrorKind::kUnavailable, "no listener");
  const Report report = run({script("a", FakeFailure{late, true, kWhole}), script("b", kWhole)});
  EXPECT_EQ(report.backend, "a");
  EXPECT_EQ(log_, (FakeLog{"a prepare", "a start ls", "a start ls", "a gone"}));
}

TEST_F(ChooseTest, GivesUpOnABackendThatNeverStarts) {
  const Error late(ErrorKind::kUnavailable, "no listener");
  FakeScript stubborn = script("a", FakeFailure{late, true, {}});
  stubborn.start_fails.push_back(FakeFailure{late, true, {}});
  const Report report = run({stubborn, script("b", kWhole)});
  EXPECT_EQ(report.backend, "b");
  EXPECT_EQ(starts(), 3u);
}

TEST_F(ChooseTest, ReportsAnUnexpectedErrorAndStops) {
  const Error broken(ErrorKind::kSystem, "the first process ended");
  for (const FakeScript& one : {unprepared("a", broken), script("a", FakeFailure{broken, true, {}})}) {
    log_.clear();
    backends_.clear();
    const Report report = run({one, script("b", kWhole)});
    ASSERT_TRUE(std::holds_alternative<SetupFailed>(report.outcome));
    EXPECT_EQ(std::get<SetupFailed>(report.outcome).reason, "the first process ended");
    EXPECT_EQ(std::count(log_.begin(), log_.end(), "b prepare"), 0);
  }
}

TEST_F(ChooseTest, DoesNotRetryACommandThatIsNotFound) {
  const Error missing(ErrorKind::kNotFound, "nope: command not found");
  const Report report = run({script("a", FakeFailure{missing, true, {}}), script("b", kWhole)});
  EXPECT_EQ(exit_code(report.outcome), 127);
  EXPECT_EQ(starts(), 1u);
}

TEST_F(ChooseTest, RefusesAndNamesEveryBackendIfAllHaveGaps) {
  const Report report = run({unprepared("a", kNoNamespaces), script("b", kAbsent), script("c", kPartial)});
  EXPECT_EQ(exit_code(report.outcome), 125);
  EXPECT_EQ(starts(), 0u);
  EXPECT_EQ(report.backend, "c");
  EXPECT_EQ(reason(report),
            "files.read is partial: a gap; a was not chosen: no namespaces; "
            "b was not chosen: gaps in required steps: files.read not enforced");
  EXPECT_EQ(fix(report), "a sysctl; a fix; or accept the gap with --on-unavailable warn");
  EXPECT_EQ(report.fixes, (std::vector<std::string>{"a sysctl", "a fix"}));
}

TEST_F(ChooseTest, PrefersFewestGapsThenOrder) {
  const auto rows = [](std::vector<Strength> strengths) {
    std::vector<Coverage> out;
    for (const Strength one : strengths) out.push_back(fake_row(one, "step" + std::to_string(out.size())));
    return out;
  };
  const auto best = [&](std::vector<std::vector<Coverage>> all) {
    std::vector<Attempt> attempts;
    for (auto& one : all) attempts.push_back({nullptr, std::nullopt, std::move(one)});
    return best_of(attempts);
  };
  constexpr auto kE = Strength::kEnforced;
  constexpr auto kP = Strength::kPartial;
  constexpr auto kA = Strength::kAbsent;
  EXPECT_EQ(best({rows({kP, kP}), rows({kP, kE}), rows({kE, kP})}), 1u);
  EXPECT_EQ(best({rows({kA, kE}), rows({kP, kP})}), 1u);  // nothing absent is better than fewer partial ones
  EXPECT_EQ(best({rows({kE}), rows({kE})}), 0u);
  EXPECT_EQ(best({}), std::nullopt);
}

TEST_F(ChooseTest, NamesEveryReasonIfNoBackendWorks) {
  const Report report =
      run({unprepared("a", kNoNamespaces), unprepared("b", Error(ErrorKind::kUnavailable, "not installed"))});
  EXPECT_EQ(reason(report), "no backend can be used here: a: no namespaces; b: not installed");
  EXPECT_EQ(report.backend, "");
  EXPECT_EQ(report.fixes, (std::vector<std::string>{"a sysctl"}));
  backends_.clear();
  EXPECT_EQ(reason(run({unprepared("a", kNoNamespaces)})), "no namespaces");
  backends_.clear();
  EXPECT_NE(reason(run({})), "");
}

TEST_F(ChooseTest, ReportsThatAllBackendsFailAtTheStart) {
  FakeScript late = script("b", FakeFailure{kNoNamespaces, false, {}});
  const Report report = run({script("a", FakeFailure{kNoNamespaces, false, {}}), late});
  EXPECT_EQ(reason(report), "no backend can be used here: a: no namespaces; b: no namespaces");
  EXPECT_EQ(starts(), 2u);
}

TEST_F(ChooseTest, WarnRunsTheBestBackendAndRecordsAcceptedGaps) {
  plan_.on_unavailable = OnUnavailable::kWarn;
  const Report report = run({script("a", kAbsent), script("b", kPartial), script("c", kAbsent)});
  EXPECT_TRUE(ran(report));
  EXPECT_EQ(report.backend, "b");
  ASSERT_EQ(warned_.size(), 1u);
  EXPECT_EQ(warned_[0].backend, "b");
  EXPECT_EQ(warned_[0].fixes, (std::vector<std::string>{"a fix"}));
  ASSERT_EQ(report.accepted_gaps.size(), 1u);
  EXPECT_EQ(report.accepted_gaps[0].gap, "a gap");
  EXPECT_TRUE(report.notes.empty());
  // Made and rehearsed again, because only one sandbox may exist at a time.
  EXPECT_EQ(std::vector<std::string>(log_.end() - 5, log_.end()),
            (FakeLog{"c gone", "b prepare", "b rehearse", "b start ls", "b gone"}));
  EXPECT_EQ(starts(), 1u);
}

TEST_F(ChooseTest, WarnReportsTheGapsOfTheOnlyBackendOnce) {
  plan_.on_unavailable = OnUnavailable::kWarn;
  EXPECT_TRUE(ran(run({script("a", kPartial)})));
  EXPECT_EQ(warned_.size(), 1u);
  EXPECT_EQ(log_, (FakeLog{"a prepare", "a rehearse", "a start ls", "a gone"}));
}

TEST_F(ChooseTest, RehearsesBackendsBeforeComparingGaps) {
  plan_.on_unavailable = OnUnavailable::kWarn;
  FakeScript hollow = script("a", kPartial);
  hollow.rehearsal_fails = kNoNamespaces;
  EXPECT_EQ(run({hollow, script("b", kAbsent)}).backend, "b");
}

TEST_F(ChooseTest, PromptAsksOnceAboutTheBest) {
  plan_.on_unavailable = OnUnavailable::kPrompt;
  EXPECT_FALSE(ran(run({script("a", kPartial)})));  // without a decider
  backends_.clear();
  Answers no(ApprovalDecision::kDeny);
  decider_ = &no;
  EXPECT_FALSE(ran(run({script("a", kAbsent), script("b", kPartial)})));
  ASSERT_EQ(no.asked.size(), 1u);
  EXPECT_EQ(no.asked[0].backend, "b");
  EXPECT_EQ(starts(), 0u);
  backends_.clear();
  Answers yes(ApprovalDecision::kOnce);
  decider_ = &yes;
  const Report report = run({script("a", kAbsent), script("b", kPartial)});
  EXPECT_TRUE(ran(report));
  EXPECT_EQ(report.accepted_gaps.size(), 1u);
}

TEST_F(ChooseTest, DoesNotPromptIfABackendHasNoGap) {
  plan_.on_unavailable = OnUnavailable::kPrompt;
  Answers yes(ApprovalDecision::kOnce);
  decider_ = &yes;
  EXPECT_EQ(run({script("a", kPartial), script("b", kWhole)}).backend, "b");
  EXPECT_TRUE(yes.asked.empty());
}

TEST_F(ChooseTest, PromptsAgainIfAnAcceptedGapGrows) {
  plan_.on_unavailable = OnUnavailable::kPrompt;
  Answers yes(ApprovalDecision::kOnce);
  decider_ = &yes;
  const Error late(ErrorKind::kUnavailable, "no listener");
  const Report report = run({script("a", FakeFailure{late, true, kAbsent}, kPartial)});
  EXPECT_TRUE(ran(report));
  EXPECT_EQ(yes.asked.size(), 2u);
  ASSERT_EQ(report.accepted_gaps.size(), 1u);
  EXPECT_EQ(report.accepted_gaps[0].strength, Strength::kAbsent);
}

TEST_F(ChooseTest, SurveyProbesAllAndStartsNone) {
  FakeBackend a(script("a", kWhole), log_);
  FakeBackend b(unprepared("b", kNoNamespaces), log_);
  const auto attempts = survey({&a, &b}, plan_);
  EXPECT_EQ(log_, (FakeLog{"a prepare", "a rehearse", "a gone", "b prepare"}));
  EXPECT_EQ(best_of(attempts), 0u);
  EXPECT_EQ(candidates_of(attempts, 0)[1].why, "no namespaces");
}

}  // namespace
}  // namespace pinfold::supervisor
