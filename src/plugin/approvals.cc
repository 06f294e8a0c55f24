// approvals.cc: the file of approvals, beside the user's policy file.
// Invariant: edits are made under a lock, on the stored state, and published by rename.
// Not here: its text (approvals_text.cc).
#include "plugin/approvals.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/paths.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "base/try.h"
#include "settings/files.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::plugin {
namespace {

using text::shell_word;
using text::shown;

constexpr const char* kFile = "plugin-approvals.json";
constexpr const char* kLock = ".plugin-approvals.lock";
constexpr std::size_t kLongestFile = 32 * 1024 * 1024;

Error useless(const std::string& path, const std::string& why) {
  return {ErrorKind::kRefused, shown(path) + " " + why + ", so no plugin counts as approved",
          "look at it; the next `pinfold plugin allow` or `deny` renames it and writes a new one"};
}

}  // namespace

std::string now_text() {
  constexpr std::size_t kSeconds = 19;  // "2026-01-31T12:00:00"
  return timestamp(std::chrono::system_clock::now()).substr(0, kSeconds) + "Z";
}

ApprovalStore::ApprovalStore(const Caller& caller, HostView& host)
    : directory_(settings::config_directory(caller, host)), host_(host) {}

std::string ApprovalStore::path() const { return paths::join(directory_, kFile); }

Result<Approvals> ApprovalStore::read() const {
  if (directory_.empty()) return Approvals{};
  const auto bad = [&](const std::string& why) { return tl::unexpected<Error>(useless(path(), why)); };
  auto file = host_.read_owned(directory_, kFile, Links::kStayInside, kLongestFile);
  if (!file && file.error().kind() == ErrorKind::kNotFound) return Approvals{};
  // After a failed system call the file may be intact: it must not be renamed aside.
  if (!file && file.error().kind() == ErrorKind::kSystem) return tl::unexpected<Error>(std::move(file).error());
  if (!file) return bad("cannot be read (" + file.error().text() + ")");
  if (file->uid != host_.identity().uid) return bad("belongs to another user (uid " + std::to_string(file->uid) + ")");
  if ((file->mode & 0022U) != 0) return bad("can be written by others");
  auto parsed = parse_approvals(file->text);
  if (!parsed) return bad("is damaged (" + parsed.error().text() + ")");
  return parsed;
}

Result<ApprovalStore::ChangeResult> ApprovalStore::write(const std::function<void(Approvals&)>& edit,
                                                         bool may_set_aside) {
  constexpr const char* kStoring = "storing approvals of plugins";
  if (directory_.empty())
    return fail(ErrorKind::kInvalid, "the home directory is not known, so Pinfold cannot store your decisions",
                "set HOME");
  PF_TRY(directory, sys::make_directory(directory_), kStoring);
  struct stat info {};
  PF_TRY(known, sys::call("fstat", directory_, [&] { return ::fstat(directory.raw(), &info); }), kStoring);
  static_cast<void>(known);
  if (info.st_uid != host_.identity().uid || (info.st_mode & 0022U) != 0)
    return fail(ErrorKind::kRefused, shown(directory_) + " is not yours alone, so nothing is stored in it",
                "look at it, then: chmod go-w " + shell_word(directory_));
  PF_TRY(lock, sys::lock_file(directory.raw(), kLock, directory_), kStoring);
  static_cast<void>(lock);
  ChangeResult out;
  auto approvals = read();
  if (!approvals) {
    if (!may_set_aside || approvals.error().kind() == ErrorKind::kSystem)
      return tl::unexpected<Error>(std::move(approvals).error().within(kStoring));
    const std::string aside = std::string(kFile) + ".damaged-" + timestamp(std::chrono::system_clock::now());
    PF_TRY(
        moved,
        sys::call("rename", path(), [&] { return ::renameat(directory.raw(), kFile, directory.raw(), aside.c_str()); }),
        kStoring);
    static_cast<void>(moved);
    out.set_aside = paths::join(directory_, aside);
    approvals = Approvals{};
  }
  edit(*approvals);
  PF_CHECK(sys::publish_file(directory.raw(), kFile, print_approvals(*approvals), path()), kStoring);
  return out;
}

Result<ApprovalStore::ChangeResult> ApprovalStore::change(const std::function<void(Approvals&)>& edit) {
  return write(edit, true);
}

Result<void> ApprovalStore::update(const std::function<void(Approvals&)>& edit) {
  PF_CHECK(write(edit, false));
  return {};
}

}  // namespace pinfold::plugin
