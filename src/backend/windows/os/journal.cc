// journal.cc: NAME.json has the changes; one process holds NAME.held open until it exits.
#include "backend/windows/os/journal.h"

#include <algorithm>

#include <fmt/format.h>

#include "backend/windows/os/acl.h"
#include "backend/windows/os/container.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "sys/windows/files.h"

namespace pinfold::backend::on_windows {
namespace {

constexpr std::size_t kLongestJournal = 64U << 20U;
constexpr const char* kHeld = ".held";
constexpr const char* kText = ".json";
constexpr const char* kTemporaryDirectory = ".tmp";

Result<void> undo_all(const Journal& journal) {
  Result<void> out;
  for (auto each = journal.entries.rbegin(); each != journal.entries.rend(); ++each)
    if (auto undone = undo_change(*each, journal.sid); !undone && out) out = std::move(undone);
  return out;
}

std::vector<std::string> journals_in(const std::string& directory) {
  std::vector<std::string> out;
  auto name = sys::call_path(directory);
  if (!name) return out;
  WIN32_FIND_DATAW found{};
  const HANDLE search = ::FindFirstFileW((*name + L"\\*").c_str(), &found);
  if (search == INVALID_HANDLE_VALUE) return out;
  do {
    std::string each = sys::narrow(found.cFileName);
    if (each.ends_with(kHeld)) out.push_back(each.substr(0, each.size() - std::string_view(kHeld).size()));
  } while (::FindNextFileW(search, &found) != 0);
  ::FindClose(search);
  return out;
}

// Undoes the changes of one process that died; the container may exist without a grant. On an error the journal stays.
Result<std::size_t> clean_up(const std::string& base_path, const std::string& container) {
  std::size_t undone = 0;
  auto text = sys::read_whole(base_path + kText, kLongestJournal);
  if (!text && text.error().kind() != ErrorKind::kNotFound) return tl::unexpected<Error>(std::move(text).error());
  if (text) {
    PF_TRY(journal, read_journal(*text));
    PF_CHECK(undo_all(journal));
    undone = journal.entries.size();
    PF_CHECK(sys::remove_file(base_path + kText));
  }
  delete_profile(container);
  PF_CHECK(sys::remove_tree(base_path + kTemporaryDirectory));
  return undone;
}

}  // namespace

Result<JournalFile> JournalFile::create(std::string directory, std::string container) {
  PF_CHECK(sys::make_directories(directory), "making the journal's directory");
  const std::string base_path = paths::join(directory, container);
  PF_TRY(held, sys::hold_file(base_path + kHeld), "beginning a journal");
  if (!held.is_open()) return fail(ErrorKind::kSystem, base_path + " belongs to another process", "run it again");
  return JournalFile(std::move(directory), {std::move(container), {}, {}}, std::move(held));
}

JournalFile::~JournalFile() {
  if (journal_.container.empty()) return;
  static_cast<void>(roll_back());
}

Result<void> JournalFile::apply(const std::string& sid, const std::vector<AclChange>& changes) {
  journal_.sid = sid;
  for (const AclChange& change : changes) {
    PF_TRY(before, access_list(change.path), "granting");
    journal_.entries.push_back({change, std::move(before)});
  }
  if (journal_.entries.empty()) return {};
  PF_CHECK(sys::publish(paths::join(directory_, journal_.container) + kText, journal_text(journal_)),
           "writing the journal of grants");
  for (const AclChange& change : changes) PF_CHECK(make_change(change, journal_.sid), "granting");
  return {};
}

Result<void> JournalFile::roll_back() {
  if (journal_.container.empty()) return {};
  const std::string base_path = paths::join(directory_, journal_.container);
  PF_CHECK(undo_all(journal_));
  PF_CHECK(sys::remove_file(base_path + kText));
  static_cast<void>(sys::remove_tree(base_path + kTemporaryDirectory));
  held_.reset();
  PF_CHECK(sys::remove_file(base_path + kHeld));
  journal_ = {};
  return {};
}

std::vector<std::string> recover(const std::string& directory) {
  std::vector<std::string> notes;
  for (const std::string& name : journals_in(directory)) {
    const std::string base_path = paths::join(directory, name);
    auto held = sys::hold_file(base_path + kHeld);
    if (!held || !held->is_open()) continue;  // its process still runs
    const auto undone = clean_up(base_path, name);
    held->reset();
    if (!undone) {
      notes.push_back(fmt::format("the grants of an earlier run could not be revoked ({}): {}", text::shown(name),
                                  undone.error().text()));
      continue;
    }
    static_cast<void>(sys::remove_file(base_path + kHeld));
    notes.push_back(fmt::format("an earlier run was killed; {} of its grants were revoked", *undone));
  }
  return notes;
}

}  // namespace pinfold::backend::on_windows
