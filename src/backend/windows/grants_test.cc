// grants_test.cc: access lists give exactly what the plan shows; the journal says all that is needed to undo it.
#include "backend/windows/grants.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "base/paths.h"

namespace pinfold::backend::on_windows {
namespace {

using std::string;

Step planned(StepBody body) { return {std::move(body), Need::kRequired, {}}; }
Step show(const string& at, View view, EntryKind kind = EntryKind::kDirectory) {
  return planned(ShowPath{at, at, view, kind, Ensure::kExists, {}});
}
const AclChange* find(const AclPlan& plan, const string& path) {
  for (const AclChange& one : plan.changes)
    if (one.path == path) return &one;
  return nullptr;
}

TEST(WindowsGrants, ExactlyThePlannedPaths) {
  Plan plan;
  plan.steps = {show("/c/Windows", View::kReadExec), show("/c/data", View::kRead), show("/c/ws", View::kWriteExec)};
  const AclPlan acl = acl_plan(plan, {"/c/Windows"});
  ASSERT_EQ(acl.changes.size(), 2U);
  EXPECT_EQ(find(acl, "/c/Windows"), nullptr);
  EXPECT_EQ(find(acl, "/c/data")->rights, rights::kRead);
  EXPECT_EQ(find(acl, "/c/ws")->rights, rights::kRead | rights::kWrite | rights::kExecute | rights::kDelete);
  EXPECT_EQ(find(acl, "/c/ws")->action, AclAction::kGrant);
}

TEST(WindowsGrants, HiddenPathsInheritNothing) {
  Plan plan;
  plan.steps = {show("/c/ws", View::kWriteExec), planned(HidePath{"/c/ws/.env", EntryKind::kFile, "**/.env"}),
                planned(HidePath{"/c/Windows/secret", EntryKind::kDirectory, {}})};
  const AclPlan acl = acl_plan(plan, {"/c/Windows"});
  ASSERT_NE(find(acl, "/c/ws/.env"), nullptr);
  EXPECT_EQ(find(acl, "/c/ws/.env")->action, AclAction::kSeal);
  EXPECT_EQ(find(acl, "/c/ws/.env")->rights, 0U);
  EXPECT_EQ(acl.cannot_hide, std::vector<string>{"/c/Windows/secret"});
}

TEST(WindowsGrants, ProtectedPathsAreReadOnlyAndParentsArePinned) {
  Plan plan;
  plan.steps = {show("/c/ws", View::kWriteExec),
                planned(ProtectPath{"/c/ws/.git/hooks", EntryKind::kDirectory, {"/c/ws/.git"}}),
                planned(ProtectPath{"/c/ws/.git/config", EntryKind::kFile, {"/c/ws/.git"}}),
                planned(ProtectName{"/c/ws", ".vscode", NameGuard::kWatch, false})};
  const AclPlan acl = acl_plan(plan, {});
  const AclChange* hooks = find(acl, "/c/ws/.git/hooks");
  ASSERT_NE(hooks, nullptr);
  EXPECT_EQ(hooks->rights, rights::kRead | rights::kExecute);
  EXPECT_EQ(hooks->below, hooks->rights);
  EXPECT_EQ(find(acl, "/c/ws/.git/config")->below, 0U);
  const AclChange* git = find(acl, "/c/ws/.git");
  ASSERT_NE(git, nullptr);
  EXPECT_EQ(git->rights & rights::kDelete, 0U);
  EXPECT_EQ(git->rights & rights::kWrite, rights::kWrite);
  EXPECT_EQ(git->below & rights::kDelete, rights::kDelete);
  EXPECT_EQ(acl.cannot_protect, std::vector<string>{"/c/ws/.vscode"});
  // Shallow to deep: sealing a directory rewrites the inherited entries below it.
  EXPECT_EQ(acl.changes[0].path, "/c/ws");
  EXPECT_EQ(acl.changes[1].path, "/c/ws/.git");
}

TEST(WindowsGrants, NarrowerAccessThanTheParentIsSealed) {
  Plan plan;
  plan.steps = {show("/c/ws", View::kWriteExec), show("/c/ws/lib", View::kReadExec),
                show("/c/ws/lib/out", View::kWriteExec)};
  const AclPlan acl = acl_plan(plan, {});
  EXPECT_EQ(find(acl, "/c/ws/lib")->action, AclAction::kSeal);
  EXPECT_EQ(find(acl, "/c/ws/lib/out")->action, AclAction::kGrant);
}

TEST(WindowsGrants, GrantsNothingElse) {
  Plan plan;
  plan.steps = {
      planned(ShowPath{"/c/cache", "/c/Users/a/.cache", View::kWrite, EntryKind::kDirectory, Ensure::kCreate, {}})};
  const AclPlan acl = acl_plan(plan, {});
  EXPECT_TRUE(acl.changes.empty());
  EXPECT_EQ(acl.not_remapped.size(), 1U);
}

// What a container may do with a path once all changes are made, by the rules of inheritance.
std::uint32_t allowed(const AclPlan& acl, const string& path) {
  std::uint32_t inherited = 0;
  std::uint32_t here = 0;
  paths::each_at_or_above(path, [&](std::string_view above) {
    here = inherited;
    const AclChange* change = find(acl, string(above));
    if (change == nullptr) return;
    here = change->action == AclAction::kSeal ? change->rights : (inherited | change->rights);
    inherited = change->action == AclAction::kSeal ? change->below : (inherited | change->below);
  });
  return here;
}

// Random plans: nothing hidden is readable, nothing protected or read-only is writable, granted paths are accessible.
TEST(WindowsGrants, RandomPlansGrantTheShownPaths) {
  std::mt19937 random(20260103);
  const std::vector<string> places = {"/c/a",   "/c/a/b",   "/c/a/b/c", "/c/a/b/c/d",
                                      "/c/a/x", "/c/a/x/y", "/c/e",     "/c/e/f"};
  int sealed = 0;
  for (int round = 0; round < 20000; ++round) {
    Plan plan;
    std::map<string, int> fate;  // 0 hidden, 1 read, 2 write, 3 protected
    for (const string& place : places) {
      const bool shown_above = std::any_of(fate.begin(), fate.end(), [&](const auto& one) {
        return paths::beneath(place, one.first) && one.second != 0;
      });
      switch (random() % 6) {
        case 0: plan.steps.push_back(show(place, View::kReadExec)), fate[place] = 1; break;
        case 1: plan.steps.push_back(show(place, View::kWriteExec)), fate[place] = 2; break;
        case 2:
          if (shown_above) plan.steps.push_back(planned(HidePath{place, EntryKind::kDirectory, {}})), fate[place] = 0;
          break;
        default: break;
      }
    }
    const AclPlan acl = acl_plan(plan, {});
    for (const AclChange& one : acl.changes) {
      ASSERT_EQ((one.rights | one.below) & rights::kNeverGiven, 0U);
      sealed += one.action == AclAction::kSeal ? 1 : 0;
    }
    for (const string& place : places)
      for (const string& path : {place, place + "/new"}) {
        int wanted = 0;
        paths::each_at_or_above(path, [&](std::string_view above) {
          const auto found = fate.find(string(above));
          if (found != fate.end()) wanted = found->second;
        });
        const std::uint32_t may = allowed(acl, path);
        ASSERT_EQ((may & rights::kRead) == rights::kRead, wanted != 0) << path;
        ASSERT_EQ((may & rights::kWrite) == rights::kWrite, wanted == 2) << path;
        ASSERT_EQ((may & rights::kDelete) != 0, wanted == 2) << path;
      }
  }
  EXPECT_GT(sealed, 5000);
}

TEST(WindowsJournal, RoundTrips) {
  Journal journal{"pinfold.1.a", "S-1-15-2-1-2-3", {}};
  journal.entries.push_back({{"/c/x \"é\n", AclAction::kSeal, 5, 7, EntryKind::kFile}, "D:PAI(A;;FA;;;BA)"});
  journal.entries.push_back({{"/c/y", AclAction::kGrant, rights::kRead, rights::kRead, EntryKind::kDirectory}, "D:"});
  const auto back = read_journal(journal_text(journal));
  ASSERT_TRUE(back);
  EXPECT_EQ(journal_text(*back), journal_text(journal));
  ASSERT_EQ(back->entries.size(), 2U);
  EXPECT_EQ(back->entries[0].change.path, "/c/x \"é\n");
  EXPECT_EQ(back->entries[0].change.action, AclAction::kSeal);
}

TEST(WindowsJournal, RefusesDamagedText) {
  Journal journal{"pinfold.1.a", "S-1-15-2-1-2-3", {}};
  journal.entries.push_back({{"/c/x", AclAction::kSeal, 5, 7, EntryKind::kFile}, "D:"});
  const string text = journal_text(journal);
  // Nothing but blanks follows the last brace.
  for (std::size_t length = 0; length + 1 < text.size(); ++length) EXPECT_FALSE(read_journal(text.substr(0, length)));
  for (const auto& [from, to] : std::map<string, string>{{"S-1-15-2-", "S-1-5-32-"},
                                                         {"\"seal\"", "\"melt\""},
                                                         {"\"version\": 1", "\"version\": 2"},
                                                         {"\"file\"", "\"pipe\""},
                                                         {"\"rights\": 5", "\"rights\": -5"},
                                                         {"\"rights\": 5", "\"rights\": 99999999999"},
                                                         {"/c/x", "c/x"}}) {
    string changed = text;
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, string::npos) << from;
    changed.replace(at, from.size(), to);
    EXPECT_FALSE(read_journal(changed)) << from << " " << to;
  }
}

}  // namespace
}  // namespace pinfold::backend::on_windows
