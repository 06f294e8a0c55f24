// grant_store.cc: one JSON file for the user and one for each project, below Pinfold's own settings.
// Invariant: each change reads the file under a lock and replaces it by rename.
// Not here: the JSON (grant_text.cc), the check of a grant (policy/grants.cc).
#include "session/grant_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "policy/grants.h"
#include "policy/own_directories.h"
#include "policy/resolver.h"
#include "session/grant_text.h"
#include "settings/files.h"
#include "settings/trust.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::session {
namespace {

using text::shell_word;
using text::shown;

constexpr const char* kUserFile = "user.json";
constexpr std::string_view kProjectStart = "project-";
constexpr std::string_view kEnd = ".json";
constexpr const char* kNextNumber = ".next";
constexpr std::size_t kLongestFile = 32 * 1024 * 1024;
constexpr std::size_t kLongestText = 4096;  // of a request's text

std::string name_of(const std::optional<std::string>& project) {
  if (!project) return kUserFile;
  constexpr std::size_t kDigits = 32;
  const std::string hash = settings::hash_of(*project);
  return std::string(kProjectStart) + hash.substr(hash.find(':') + 1, kDigits) + std::string(kEnd);
}

bool is_project_file(std::string_view name) { return name.starts_with(kProjectStart) && name.ends_with(kEnd); }

Error unusable_store(const std::string& path, const std::string& why, std::string fix) {
  return {ErrorKind::kRefused, shown(path) + " " + why + ", so no permanent grant applies", std::move(fix)};
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

StoredGrant stored_grant(const ApprovalRequest& request, const Grant& grant, std::optional<std::string> project,
                         Moment now) {
  StoredGrant out;
  out.grant = grant;
  out.project = std::move(project);
  out.since = now;
  out.program = request.program.substr(0, kLongestText);
  out.operation = request.operation.substr(0, kLongestText);
  out.requested = request.resource.substr(0, kLongestText);
  return out;
}

std::string date_of(const StoredGrant& grant) {
  constexpr std::size_t kDate = 10;
  return timestamp(grant.since).substr(0, kDate);
}

GrantStore::GrantStore(Caller caller, HostView& host) : caller_(std::move(caller)), host_(host) {
  const std::string settings = settings::config_directory(caller_, host_);
  if (!settings.empty()) directory_ = paths::join(settings, "grants");
}

void GrantStore::hold() {
  if (!directory_.empty()) held_ = sys::Fd::adopt(::open(directory_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

bool GrantStore::exists() const { return !directory_.empty() && host_.kind(directory_) != HostKind::kMissing; }

std::string GrantStore::path_of(const std::string& name) const { return paths::join(directory_, name); }

Result<void> GrantStore::check(const StoredGrant& one) const {
  PF_CHECK(policy::check_grant(one.grant, caller_));
  if (one.project && (!one.project->starts_with('/') || paths::normal(*one.project) != *one.project))
    return fail(ErrorKind::kInvalid, shown(*one.project) + " is not the absolute path of a project");
  if (one.grant.kind == Grant::Kind::kNetwork) return {};
  // The caller's home directory can differ from $HOME.
  std::vector<std::string> all = {settings::config_directory(caller_, host_),
                                  settings::state_directory(caller_, host_)};
  for (policy::OwnDirectory& own : policy::own_directories(host_)) all.push_back(std::move(own.path));
  for (const std::string& own : all) {
    if (own.empty()) continue;
    const std::string real = policy::canonical_path(own, host_).value_or(own);
    if (paths::at_or_beneath(one.grant.resource, own) || paths::at_or_beneath(one.grant.resource, real))
      return fail(ErrorKind::kInvalid,
                  shown(one.grant.resource) + " is one of Pinfold's own directories, which no grant makes visible");
  }
  return {};
}

Result<void> GrantStore::check_place(const struct stat& info) const {
  const std::string word = shell_word(directory_);
  const std::uint32_t me = host_.identity().uid;
  if (info.st_uid != me)
    return tl::unexpected<Error>(unusable_store(directory_,
                                                "belongs to another user (uid " + std::to_string(info.st_uid) + ")",
                                                "look at it, then: chown -R " + std::to_string(me) + " " + word));
  if ((info.st_mode & 0022U) != 0)
    return tl::unexpected<Error>(
        unusable_store(directory_, "can be written by others", "look at it, then: chmod go-w " + word));
  return {};
}

std::vector<std::string> GrantStore::files(const GrantScope& scope) const {
  std::vector<std::string> out;
  if (scope.user) out.emplace_back(kUserFile);
  if (!scope.every_project) {
    for (const std::string& root : scope.projects) out.push_back(name_of(root));
  } else if (auto entries = host_.list(directory_)) {
    for (const HostEntry& entry : *entries)
      if (is_project_file(entry.name)) out.push_back(entry.name);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// An absent file is an empty one.
Result<std::vector<StoredGrant>> GrantStore::read(const std::string& name) const {
  const std::string path = path_of(name);
  const auto bad = [&](const std::string& why) {
    return tl::unexpected<Error>(
        unusable_store(path, why,
                       "look at it, then set it aside: pinfold grants clear " +
                           std::string(name == kUserFile ? "--user" : "--project, in that project")));
  };
  auto file = host_.read_owned(directory_, name, Links::kStayInside, kLongestFile);
  if (!file && file.error().kind() == ErrorKind::kNotFound) return std::vector<StoredGrant>{};
  // After a failed system call the file may be intact: clear() must not rename it.
  if (!file && file.error().kind() == ErrorKind::kSystem) return tl::unexpected<Error>(std::move(file).error());
  if (!file) return bad("cannot be read (" + file.error().text() + ")");
  if (file->uid != host_.identity().uid) return bad("belongs to another user (uid " + std::to_string(file->uid) + ")");
  if ((file->mode & 0022U) != 0) return bad("can be written by others");
  auto parsed = parse_grants(file->text);
  if (!parsed) return bad("is damaged (" + parsed.error().text() + ")");
  if (name_of(parsed->project) != name) return bad("is damaged (it is another project's)");
  for (StoredGrant& one : parsed->grants) {
    one.project = parsed->project;
    if (auto fine = check(one); !fine)
      return bad("is damaged (grant " + std::to_string(one.number) + ": " + fine.error().text() + ")");
  }
  return std::move(parsed->grants);
}

GrantListing GrantStore::list(const GrantScope& scope) const {
  GrantListing out;
  struct stat info {};
  if (directory_.empty()) return out;
  if (::stat(directory_.c_str(), &info) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) out.problems.push_back(sys::os_error("stat", directory_, errno));
    return out;
  }
  if (auto place = check_place(info); !place) {
    out.problems.push_back(std::move(place).error());
    return out;
  }
  for (const std::string& name : files(scope)) {
    auto grants = read(name);
    if (grants)
      out.grants.insert(out.grants.end(), grants->begin(), grants->end());
    else
      out.problems.push_back(std::move(grants).error());
  }
  std::stable_sort(out.grants.begin(), out.grants.end(),
                   [](const StoredGrant& a, const StoredGrant& b) { return a.number < b.number; });
  return out;
}

Result<GrantStore::Locked> GrantStore::lock() const {
  if (directory_.empty())
    return fail(ErrorKind::kInvalid, "the home directory is not known, so permanent grants cannot be stored",
                "set HOME");
  PF_TRY(directory, sys::make_directory(directory_), "storing grants");
  struct stat info {};
  PF_TRY(known, sys::call("fstat", directory_, [&] { return ::fstat(directory.raw(), &info); }), "storing grants");
  static_cast<void>(known);
  struct stat before {};
  if (held_.is_open() &&
      (::fstat(held_.raw(), &before) != 0 || before.st_dev != info.st_dev || before.st_ino != info.st_ino))
    return fail(ErrorKind::kRefused, shown(directory_) + " was replaced by another directory during the run",
                "check the directory before you choose always again");
  PF_CHECK(check_place(info));
  PF_TRY(held, sys::lock_file(directory.raw(), ".lock", directory_), "storing grants");
  return Locked{std::move(directory), std::move(held)};
}

Result<void> GrantStore::write(int directory, const std::string& name, const std::vector<StoredGrant>& grants) const {
  if (!grants.empty())
    return sys::publish_file(directory, name, print_grants({grants[0].project, grants}), path_of(name));
  PF_TRY(gone, sys::call("unlink", path_of(name), [&] { return ::unlinkat(directory, name.c_str(), 0); }));
  static_cast<void>(gone);
  return {};
}

Result<std::uint64_t> GrantStore::take_number(int directory) const {
  std::uint64_t next = 1;
  if (auto file = host_.read_owned(directory_, kNextNumber, Links::kStayInside, 64)) next = number_in(file->text);
  // The file .next may be lost: continue after the highest stored number.
  for (const StoredGrant& one : list({true, {}, true}).grants) next = std::max(next, one.number + 1);
  next = std::clamp<std::uint64_t>(next, 1, INT64_MAX - 1);
  PF_CHECK(sys::publish_file(directory, kNextNumber, std::to_string(next + 1) + "\n", path_of(kNextNumber)),
           "storing grants");
  return next;
}

Result<std::uint64_t> GrantStore::add(StoredGrant grant) {
  PF_CHECK(check(grant), "storing grants");
  PF_TRY(locked, lock());
  const std::string name = name_of(grant.project);
  // Check the user's file, too: while one file is unreadable no grant applies, so storing another would mislead.
  if (grant.project) PF_CHECK(read(kUserFile));
  PF_TRY(all, read(name));
  for (const StoredGrant& one : all)
    if (one.grant == grant.grant) return one.number;
  if (all.size() >= kMostGrants)
    return fail(ErrorKind::kRefused,
                shown(path_of(name)) + " has " + std::to_string(kMostGrants) + " grants already, the maximum",
                "revoke some of them (pinfold grants revoke), or grant a directory above them");
  PF_TRY(number, take_number(locked.directory.raw()));
  grant.number = number;
  all.push_back(std::move(grant));
  PF_CHECK(write(locked.directory.raw(), name, all), "storing grants");
  return number;
}

Result<std::vector<StoredGrant>> GrantStore::revoke(const std::vector<std::uint64_t>& numbers) {
  PF_TRY(locked, lock());
  const auto meant = [&](const StoredGrant& one) {
    return std::find(numbers.begin(), numbers.end(), one.number) != numbers.end();
  };
  GrantListing every = list({true, {}, true});
  std::vector<StoredGrant> gone;
  std::copy_if(every.grants.begin(), every.grants.end(), std::back_inserter(gone), meant);
  for (const std::uint64_t number : numbers)
    if (std::none_of(gone.begin(), gone.end(), [&](const StoredGrant& one) { return one.number == number; })) {
      // The number may be in an unreadable file.
      if (!every.problems.empty()) return tl::unexpected<Error>(every.problems[0]);
      return fail(ErrorKind::kInvalid, "there is no grant " + std::to_string(number), "see: pinfold grants list --all");
    }
  std::vector<std::string> touched;
  touched.reserve(gone.size());
  for (const StoredGrant& one : gone) touched.push_back(name_of(one.project));
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const std::string& name : touched) {
    PF_TRY(left, read(name));
    std::erase_if(left, meant);
    PF_CHECK(write(locked.directory.raw(), name, left), "storing grants");
  }
  return gone;
}

Result<ClearedGrants> GrantStore::clear(const GrantScope& scope) {
  PF_TRY(locked, lock());
  ClearedGrants out;
  for (const std::string& name : files(scope)) {
    if (host_.kind(path_of(name)) == HostKind::kMissing) continue;
    auto grants = read(name);
    if (grants) {
      PF_CHECK(write(locked.directory.raw(), name, {}), "clearing grants");
      out.grants += grants->size();
      continue;
    }
    if (grants.error().kind() == ErrorKind::kSystem)
      return tl::unexpected<Error>(std::move(grants).error().within("clearing grants"));
    const std::string aside = name + ".damaged-" + timestamp(std::chrono::system_clock::now());
    const int at = locked.directory.raw();
    PF_TRY(moved, sys::call("rename", path_of(name), [&] { return ::renameat(at, name.c_str(), at, aside.c_str()); }),
           "clearing grants");
    static_cast<void>(moved);
    out.set_aside.push_back(path_of(aside));
  }
  return out;
}

}  // namespace pinfold::session
