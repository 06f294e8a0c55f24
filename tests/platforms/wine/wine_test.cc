// wine_test.cc: what calls Windows, under wine: quoting as its own readers see it, files, access lists, the journal
// after a kill. Invariant: a check that something is gone has seen it there first.
// Not here: starting commands (start_test.cc); confinement, which wine does not have; the program as a whole
// (tests/platforms/windows_suite).
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "scratch.h"

#include "backend/windows/command_line.h"
#include "backend/windows/os/acl.h"
#include "backend/windows/os/container.h"
#include "backend/windows/os/journal.h"
#include "base/paths.h"
#include "base/utf16.h"
#include "sys/host.h"
#include "sys/windows/files.h"
#include "sys/windows/winapi.h"

#include <shellapi.h>  // needs windows.h before it

namespace pinfold::backend::on_windows {
namespace {

using std::string;

constexpr const char* kSid = "S-1-15-2-1-2-3-4-5-6-7";

std::vector<std::wstring> by_windows(const std::u16string& line) {
  int count = 0;
  wchar_t** words = ::CommandLineToArgvW(sys::wide(line).c_str(), &count);
  std::vector<std::wstring> out(words, words + count);
  ::LocalFree(words);
  return out;
}

TEST(WineQuoting, CommandLineToArgvReadsItBack) {
  const std::vector<string> pieces = {"\\", "\\\\", "\"", "\"\"", " ",  "\t", "\n",   "a",    "b c", "%X%", "^",
                                      "&",  "|",    "'",  "é",    "日", "😀",  "\\\"", "\"\\", "!",   "\x01"};
  std::mt19937 random(20260104);
  for (int round = 0; round < 20000; ++round) {
    std::vector<string> argv = {"C:\\a b\\p.exe"};
    for (std::size_t n = random() % 6; n > 0; --n) {
      string text;
      for (std::size_t i = random() % 9; i > 0; --i) text += pieces[random() % pieces.size()];
      argv.push_back(text);
    }
    const auto line = command_line(argv);
    ASSERT_TRUE(line);
    const std::vector<std::wstring> words = by_windows(*line);
    ASSERT_EQ(words.size(), argv.size()) << to_utf8(*line).value_or("?");
    for (std::size_t i = 0; i < argv.size(); ++i)
      ASSERT_EQ(sys::narrow(words[i]), argv[i]) << to_utf8(*line).value_or("?");
  }
}

class WineFiles : public Scratch {};

TEST_F(WineFiles, PublishedWholeAndRead) {
  const string path = at("file");
  ASSERT_TRUE(sys::publish(path, "one"));
  ASSERT_TRUE(sys::publish(path, "two"));
  EXPECT_EQ(sys::read_whole(path, 100).value_or("?"), "two");
  EXPECT_EQ(sys::read_whole(path, 2).value_or("?"), "tw");
  auto host = sys::real_host();
  EXPECT_EQ(host->list(top_)->size(), 1U);  // nothing beside it
  EXPECT_EQ(sys::read_whole(at("none"), 1).error().kind(), ErrorKind::kNotFound);
}

TEST_F(WineFiles, OwnFilesAreOnesOwn) {
  const auto file = sys::read_with_owner(make("file"), Links::kStayInside, 10);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->uid, sys::real_host()->identity().uid);
  EXPECT_EQ(file->mode & 0022U, 0U);
  EXPECT_FALSE(sys::read_with_owner(top_, Links::kStayInside, 10));
  EXPECT_FALSE(sys::read_with_owner(at("file"), Links::kStayInside, 0));
}

TEST_F(WineFiles, ResolvedAsOnDisk) {
  auto host = sys::real_host();
  make("MixedCase.txt");
  const auto info = host->resolve(at("mixedcase.TXT"));
  ASSERT_TRUE(info) << info.error().text();
  EXPECT_EQ(paths::basename(info->canonical), "MixedCase.txt");
  EXPECT_EQ(info->kind, HostKind::kFile);
  EXPECT_EQ(host->resolve(at("none/x")).error().kind(), ErrorKind::kNotFound);
  EXPECT_FALSE(host->resolve(at("MixedCase.txt:stream")));
  EXPECT_FALSE(host->resolve(at("NUL")));
  EXPECT_FALSE(host->resolve(at("MixedCase.txt.")));
  EXPECT_FALSE(host->resolve("/q/x"));
}

TEST_F(WineFiles, AHeldFileIsHeldOnce) {
  auto first = sys::hold_file(at("held"));
  ASSERT_TRUE(first && first->is_open());
  auto second = sys::hold_file(at("held"));
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->is_open());
  first->reset();
  auto third = sys::hold_file(at("held"));
  EXPECT_TRUE(third && third->is_open());
}

class WineAcl : public Scratch {};

// wine keeps no entry of a container: "everyone" stands for it here, whose entries it keeps as permission bits.
constexpr const char* kEveryone = "S-1-1-0";

TEST_F(WineAcl, AGrantIsSeenAndUndone) {
  const string path = make("file");
  const AclChange seal{path, AclAction::kSeal, 0, 0, EntryKind::kFile};
  ASSERT_TRUE(make_change(seal, kEveryone));
  const string bare = access_list(path).value_or("?");
  const AclChange grant{path, AclAction::kGrant, rights::kRead, 0, EntryKind::kFile};
  ASSERT_TRUE(make_change(grant, kEveryone));
  const string granted = access_list(path).value_or("?");
  EXPECT_NE(granted, bare);
  EXPECT_NE(granted.find(";;;WD)"), string::npos) << granted;
  ASSERT_TRUE(undo_change({grant, bare}, kEveryone));
  EXPECT_EQ(access_list(path).value_or("?"), bare);
}

TEST_F(WineAcl, ASealPutsBackWhatWasThere) {
  const string path = make("file");
  ASSERT_TRUE(make_change({path, AclAction::kGrant, rights::kRead, 0, EntryKind::kFile}, kEveryone));
  const string before = access_list(path).value_or("?");
  ASSERT_NE(before.find(";;;WD)"), string::npos) << before;
  const AclChange seal{path, AclAction::kSeal, 0, 0, EntryKind::kFile};
  ASSERT_TRUE(make_change(seal, kEveryone));
  EXPECT_EQ(access_list(path).value_or("?").find(";;;WD)"), string::npos);
  // Undone for a container, whose own entries were never there: the list comes back as it was.
  ASSERT_TRUE(undo_change({seal, before}, kSid));
  EXPECT_EQ(access_list(path).value_or("?"), before);
}

TEST_F(WineAcl, UndoingAChangeOfAMissingFileSucceeds) {
  EXPECT_TRUE(undo_change({{at("gone"), AclAction::kSeal, 0, 0, EntryKind::kFile}, "D:"}, kSid));
  EXPECT_FALSE(make_change({at("gone"), AclAction::kSeal, 0, 0, EntryKind::kFile}, kSid));
}

TEST_F(WineAcl, SecondNamesAreRefused) {
  const string path = make("file");
  const auto from = sys::call_path(path);
  const auto to = sys::call_path(at("second"));
  if (::CreateHardLinkW(to->c_str(), from->c_str(), nullptr) == 0) GTEST_SKIP() << "no hard links here";
  const auto made = make_change({path, AclAction::kGrant, rights::kRead, 0, EntryKind::kFile}, kSid);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("more than one name"), string::npos);
}

class WineJournal : public Scratch {};

std::size_t count(const string& directory) {
  auto all = sys::real_host()->list(directory);
  return all ? all->size() : 0;
}

TEST_F(WineJournal, WrittenBeforeAndGoneAfter) {
  const string path = make("file");
  const string journals = at("journals");
  const string before = access_list(path).value_or("?");
  {
    auto journal = JournalFile::create(journals, "pinfold.test");
    ASSERT_TRUE(journal) << journal.error().text();
    ASSERT_TRUE(journal->apply(kSid, {{path, AclAction::kSeal, 0, 0, EntryKind::kFile}}));
    const auto text = sys::read_whole(paths::join(journals, "pinfold.test.json"), 1 << 20);
    ASSERT_TRUE(text);
    ASSERT_TRUE(read_journal(*text));
    EXPECT_EQ(read_journal(*text)->entries[0].before, before);
    EXPECT_TRUE(recover(journals).empty());  // its process lives
    EXPECT_EQ(count(journals), 2U);
  }
  EXPECT_EQ(count(journals), 0U);
  EXPECT_EQ(access_list(path).value_or("?"), before);
}

TEST_F(WineJournal, NothingIsGrantedIfOneCannotBe) {
  const string path = make("file");
  auto journal = JournalFile::create(at("journals"), "pinfold.test");
  ASSERT_TRUE(journal);
  EXPECT_FALSE(journal->apply(kSid, {{path, AclAction::kGrant, 1, 0, EntryKind::kFile},
                                     {at("none"), AclAction::kGrant, 1, 0, EntryKind::kFile}}));
  EXPECT_FALSE(sys::read_whole(at("journals/pinfold.test.json"), 10));  // not even begun
  EXPECT_TRUE(journal->roll_back());
}

TEST_F(WineJournal, ADamagedJournalStays) {
  const string journals = at("journals");
  ASSERT_TRUE(sys::make_directories(journals));
  ASSERT_TRUE(sys::publish(paths::join(journals, "pinfold.x.json"), "{\"version\": 1"));
  ASSERT_TRUE(sys::publish(paths::join(journals, "pinfold.x.held"), ""));
  const auto notes = recover(journals);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("could not be revoked"), string::npos);
  EXPECT_EQ(count(journals), 2U);
}

// This very program, as a run that is killed in the middle: --die PLACE N dies before the Nth of its steps.
TEST_F(WineJournal, AKilledRunIsUndoneByTheNextOne) {
  wchar_t self[MAX_PATH] = {};
  ::GetModuleFileNameW(nullptr, self, MAX_PATH);
  std::size_t undone = 0;
  for (int step = 0; step < 9; ++step) {
    const string journals = at("journals");
    std::vector<string> before;
    for (const char* name : {"a", "b", "c"}) {
      const string path = make(name);
      ASSERT_TRUE(make_change({path, AclAction::kGrant, rights::kRead, 0, EntryKind::kFile}, kEveryone));
      before.push_back(access_list(path).value_or("?"));
    }
    std::wstring line = L"x --die " + sys::wide(top_) + L" " + std::to_wstring(step);
    STARTUPINFOW start{};
    start.cb = sizeof start;
    PROCESS_INFORMATION made{};
    ASSERT_NE(::CreateProcessW(self, line.data(), nullptr, nullptr, FALSE, 0, nullptr, nullptr, &start, &made), 0);
    ASSERT_EQ(::WaitForSingleObject(made.hProcess, kPatience), WAIT_OBJECT_0) << "it did not die";
    DWORD code = 0;
    ::GetExitCodeProcess(made.hProcess, &code);
    ::CloseHandle(made.hProcess);
    ::CloseHandle(made.hThread);
    ASSERT_EQ(code, 77U) << step;
    EXPECT_GE(count(journals), 1U);
    bool changed = false;
    for (std::size_t i = 0; i < before.size(); ++i)
      changed = changed || access_list(at(string(1, static_cast<char>('a' + i)))).value_or("?") != before[i];
    undone += changed ? 1 : 0;
    EXPECT_EQ(recover(journals).size(), 1U) << step;
    EXPECT_EQ(count(journals), 0U) << step;
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(access_list(at(string(1, static_cast<char>('a' + i)))).value_or("?"), before[i]) << step;
  }
  EXPECT_GE(undone, 3U);  // or it would have been nothing to undo
}

TEST(WineContainer, MissingCallsAreSaid) {
  const string why = why_no_containers();
  if (why.empty()) GTEST_SKIP() << "app containers are there";
  EXPECT_NE(why.find("AppContainer"), string::npos) << why;
  const auto made = Container::create("pinfold.test");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind(), ErrorKind::kUnavailable);
}

}  // namespace

// A seal of "everyone" instead of a container, so that wine has something to keep.
int die_in_the_middle(const string& top, int step) {
  const auto die = [] { ::TerminateProcess(::GetCurrentProcess(), 77); };
  auto journal = JournalFile::create(paths::join(top, "journals"), "pinfold.killed");
  if (!journal) return 1;
  if (step == 0) die();
  std::vector<AclChange> changes;
  for (const char* name : {"a", "b", "c"})
    changes.push_back({paths::join(top, name), AclAction::kSeal, 0, 0, EntryKind::kFile});
  if (step == 1) {
    // Between writing the journal and the first change.
    Journal text{"pinfold.killed", kSid, {}};
    for (const AclChange& change : changes) text.entries.push_back({change, access_list(change.path).value_or("")});
    if (!sys::publish(paths::join(top, "journals/pinfold.killed.json"), journal_text(text))) return 1;
    die();
  }
  std::vector<string> before;
  for (const AclChange& change : changes) before.push_back(access_list(change.path).value_or(""));
  if (!journal->apply(kSid, changes)) return 1;
  // After one, two and all of them; then in the middle of taking back, after one, two and all.
  for (int i = 0; i < std::min(step - 2, 3); ++i)
    if (!make_change(changes[static_cast<std::size_t>(i)], kEveryone)) return 1;
  for (int i = 0; i < step - 5; ++i) {
    const auto last = changes.size() - 1 - static_cast<std::size_t>(i);
    if (!undo_change({changes[last], before[last]}, kSid)) return 1;
  }
  die();
  return 1;
}

}  // namespace pinfold::backend::on_windows

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--die")
    return pinfold::backend::on_windows::die_in_the_middle(argv[2], std::atoi(argv[3]));
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
