// journal_test.cc: real files: owners, incomplete lines, rotation, and many writers and a reader at once.
#include "session/journal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "session/journal_reader.h"
#include "session/runs.h"

namespace pinfold::session {
namespace {

namespace fs = std::filesystem;

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() {
    char name[] = "/tmp/pinfold-journal-test-XXXXXX";
    if (::mkdtemp(name) == nullptr) ADD_FAILURE() << "mkdtemp";
    base_ = name;
    directory_ = base_ + "/state/pinfold";
  }
  ~JournalTest() override { fs::remove_all(base_); }

  std::string path(std::size_t number = 0) const { return directory_ + "/" + old_name(number); }
  static JournalEntry start(const std::string& run, const std::string& word = "x") {
    return {std::chrono::system_clock::now(), run, RunStart{{word}}};
  }
  // A refusal has a reason and a fix.
  void refused(std::string_view why) const {
    auto journal = Journal::open(directory_);
    const auto done = journal ? journal->append({start("a")}) : tl::unexpected<Error>(journal.error());
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().text().find(why), std::string::npos) << done.error().text();
    EXPECT_FALSE(done.error().fix().empty());
  }
  std::vector<std::string> runs() const {
    std::vector<std::string> out;
    JournalReader reader(directory_);
    const auto done = reader.read_new([&](std::string_view, const JournalEntry& entry) { out.push_back(entry.run); });
    EXPECT_TRUE(done) << done.error().text();
    return out;
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(name, std::ios::app) << text; }

  std::string base_;
  std::string directory_;
};

TEST_F(JournalTest, IsOwnerOnly) {
  ASSERT_TRUE(Journal::open(directory_)->append({start("a")}));
  struct stat info {};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(directory_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  EXPECT_EQ(runs(), (std::vector<std::string>{"a"}));
}

TEST_F(JournalTest, MakesNoHomeDirectory) {
  directory_ = base_ + "/home/ada/.local/state/pinfold";
  refused("/home/ada does not exist");
  EXPECT_TRUE(fs::is_empty(base_));
  fs::create_directories(base_ + "/home/ada");
  EXPECT_TRUE(Journal::open(directory_)->append({start("a")}));
}

TEST_F(JournalTest, NoJournalIsAnEmptyOne) { EXPECT_TRUE(runs().empty()); }

TEST_F(JournalTest, RefusesAFileWritableByOthers) {
  ASSERT_TRUE(Journal::open(directory_)->append({start("a")}));
  ASSERT_EQ(::chmod(path().c_str(), 0622), 0);
  refused("can be written by others");
  ASSERT_EQ(::chmod(path().c_str(), 0600), 0);
  ASSERT_EQ(::chmod(directory_.c_str(), 0770), 0);
  refused("can be written by others");
}

TEST_F(JournalTest, RefusesSymlinksPipesAndFilesOfOtherUsers) {
  ASSERT_TRUE(Journal::open(directory_)->append({start("a")}));
  fs::remove(path());
  write(base_ + "/target", "precious\n");
  fs::create_symlink(base_ + "/target", path());
  refused("is a symlink");
  EXPECT_EQ(fs::file_size(base_ + "/target"), 9u);
  fs::remove(path());
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  refused("not a regular file");
  fs::remove(path());
  if (::geteuid() == 0) {
    write(path(), "");
    ASSERT_EQ(::chown(path().c_str(), 12345, 12345), 0);
    refused("belongs to user 12345");
  }
  fs::remove_all(directory_);
  fs::create_directory(base_ + "/elsewhere");
  fs::create_directory_symlink(base_ + "/elsewhere", directory_);
  refused("is a symlink or no directory");
  EXPECT_TRUE(fs::is_empty(base_ + "/elsewhere"));
}

TEST_F(JournalTest, ATornLineDoesNotAffectOthers) {
  ASSERT_TRUE(Journal::open(directory_)->append({start("a")}));
  write(path(), line_of(start("torn")).substr(0, 50));
  EXPECT_EQ(runs(), (std::vector<std::string>{"a"}));
  ASSERT_TRUE(Journal::open(directory_)->append({start("b")}));
  EXPECT_EQ(runs(), (std::vector<std::string>{"a", "b"}));
  JournalReader reader(directory_);
  ASSERT_TRUE(reader.read_new([](std::string_view, const JournalEntry&) {}));
  EXPECT_EQ(reader.skipped(), 1u);
}

TEST_F(JournalTest, RotationKeepsTheNewestLinesInOrder) {
  auto journal = Journal::open(directory_, 2000);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(journal->append({start(std::to_string(i))}));
  EXPECT_TRUE(fs::exists(path(kOldFiles)));
  EXPECT_FALSE(fs::exists(path(kOldFiles + 1)));
  const auto left = runs();
  ASSERT_GT(left.size(), 40u);
  ASSERT_LT(left.size(), 100u);
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_EQ(left[i], std::to_string(100 - left.size() + i));
}

TEST_F(JournalTest, FillsAGapInRotationNumbersAfterACrash) {
  auto journal = Journal::open(directory_, 2000);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(journal->append({start(std::to_string(i))}));
  fs::remove(path(2));
  const auto oldest = fs::file_size(path(4));
  const auto before = runs().size();
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(journal->append({start("n" + std::to_string(i))}));
  EXPECT_TRUE(fs::exists(path(2)));
  EXPECT_EQ(fs::file_size(path(4)), oldest);
  EXPECT_EQ(runs().size(), before + 12);
}

TEST_F(JournalTest, TheReaderContinuesAcrossRotations) {
  auto journal = Journal::open(directory_, 2000);
  JournalReader reader(directory_);
  std::vector<std::string> seen;
  const auto look = [&] {
    ASSERT_TRUE(reader.read_new([&](std::string_view, const JournalEntry& entry) { seen.push_back(entry.run); }));
  };
  look();
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(journal->append({start(std::to_string(i))}));
    if (i % 7 == 0) look();
  }
  look();
  ASSERT_EQ(seen.size(), 60u);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], std::to_string(i));
}

// Eight processes, lines of every length, small files so that they rotate often, and a reader all the while.
TEST_F(JournalTest, ConcurrentWritersLoseAndMixNoLines) {
  constexpr int kWriters = 8;
  constexpr int kLines = 200;
  constexpr std::uint64_t kRotateAt = std::uint64_t{512} << 10U;  // 8 × 200 × ~1 KiB: a few rotations, none falls out
  ASSERT_TRUE(Journal::open(directory_));
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int code = 0;
      for (int i = 0; i < kLines; ++i) {
        auto journal = Journal::open(directory_, kRotateAt);
        const std::string word(static_cast<std::size_t>((i * 37 + writer * 101) % 2000),
                               static_cast<char>('a' + writer));
        if (!journal || !journal->append({start("w" + std::to_string(writer) + "-" + std::to_string(i), word)}))
          code = 1;
      }
      ::_exit(code);
    }
    children.push_back(child);
  }
  JournalReader reader(directory_);
  std::map<std::string, int> seen;
  const auto look = [&] {
    const auto done = reader.read_new([&](std::string_view, const JournalEntry& entry) {
      ++seen[entry.run];
      const auto& word = std::get<RunStart>(entry.event).argv[0];
      EXPECT_EQ(word.find_first_not_of(word.empty() ? ' ' : word[0]), std::string::npos);
    });
    EXPECT_TRUE(done) << done.error().text();
  };
  for (std::size_t gone = 0; gone < children.size();) {
    int status = 0;
    if (::waitpid(children[gone], &status, WNOHANG) == children[gone]) {
      EXPECT_EQ(status, 0);
      ++gone;
    }
    look();
  }
  look();
  EXPECT_EQ(reader.skipped(), 0u);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kWriters * kLines));
  for (const auto& [run, count] : seen) EXPECT_EQ(count, 1) << run;
  EXPECT_TRUE(fs::exists(path(1)));
}

Denial denial_of(std::string operation, std::string resource, std::uint64_t count) {
  Denial out;
  out.operation = std::move(operation);
  out.resource = std::move(resource);
  out.count = count;
  return out;
}

TEST(Runs, AreGroupedById) {
  Runs runs(2, Lines::kDrop);
  const Moment now{};
  for (const char* id : {"a", "b", "c"}) runs.add("", {now, id, RunStart{{"make"}}});
  runs.add("", {now, "b", RunDenial{denial_of("read", "/x", 1)}});
  runs.add("", {now, "a", RunEnd{Exited{0}}});  // dropped already, and not a new run
  ASSERT_EQ(runs.all().size(), 2u);
  EXPECT_EQ(runs.all()[0].id, "b");
  EXPECT_TRUE(runs.all()[0].was_denied());
  EXPECT_FALSE(runs.all()[1].ended);
}

TEST(Tally, CountsByProgramAndResource) {
  const Moment old{};
  const Moment now = old + std::chrono::hours(1);
  Tally tally(now);
  Denial denial = denial_of("read", "/x", 5);
  tally.add({old, "a", RunStart{{"/usr/bin/make"}}});
  tally.add({old, "a", RunDenial{denial}});
  tally.add({now, "a", RunDenial{denial}});
  tally.add({now, "b", RunStart{{"make"}}});
  denial.program = "/usr/bin/cc";
  tally.add({now, "b", RunDenial{denial}});
  tally.add({now, "b", RunApprovalRequest{"q", "connect", "h:443", "", ""}});
  tally.add({now, "b", RunDecision{"q", ApprovalDecision::kOnce, "terminal"}});
  tally.add({now, "b", RunEnd{Exited{2}}});
  EXPECT_EQ(tally.all.runs, 1u);
  EXPECT_EQ(tally.all.denials, 2u);
  EXPECT_EQ(tally.all.hits, 10u);
  EXPECT_EQ(tally.programs["make"].denials, 1u);
  EXPECT_EQ(tally.programs["cc"].hits, 5u);
  EXPECT_EQ(tally.programs["make"].decisions, 1u);
  EXPECT_EQ((tally.resources[{"connect", "h:443"}].decisions), 1u);
  EXPECT_EQ(tally.decisions["once"], 1u);
  EXPECT_EQ(tally.outcomes["exit 2"], 1u);
}

}  // namespace
}  // namespace pinfold::session
