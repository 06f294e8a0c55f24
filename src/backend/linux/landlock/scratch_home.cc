// scratch_home.cc: makes the directory, fills the home with links, removes it.
#include "backend/linux/landlock/scratch_home.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>

#include "backend/linux/lower/lower.h"
#include "backend/linux/lower/steps.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/files.h"
#include "sys/remove_tree.h"

namespace pinfold::backend::on_linux {
namespace {

std::string variable(const Plan& plan, std::string_view name) {
  if (const auto* environment = find_step<Environment>(plan))
    for (const Variable& each : environment->variables)
      if (each.name == name) return each.value;
  return {};
}

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

Result<void> make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return tl::unexpected<Error>(sys::os_error("mkdir", path, errno));
}

// With its parents; `base` exists.
Result<void> make_directories(const std::string& base, const std::string& path) {
  for (std::size_t slash = path.find('/', base.size() + 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    PF_CHECK(make_directory(path.substr(0, slash)));
  return {};
}

// The name for a directory that could not be removed, so that a later run finds it: one of eight in the same directory.
constexpr int kMaxLeftovers = 8;
std::string leftover_name(const std::string& directory, int number) {
  return directory + "/pinfold-left-" + std::to_string(::geteuid()) + "-" + std::to_string(number);
}

bool is_own_directory(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

// The scratch home must not lie in a directory that the run may change.
bool is_writable_inside(const Plan& plan, std::string_view path) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* show = std::get_if<ShowPath>(&step.body);
    return show != nullptr && (show->view == View::kWrite || show->view == View::kWriteExec) &&
           (show->host == "/" || is_at_or_below(path, show->host));
  });
}

}  // namespace

Result<ScratchHome> ScratchHome::plan(const Plan& plan) {
  ScratchHome scratch;
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random)
    return tl::unexpected<Error>(sys::os_error("getrandom", "a name", errno));
  const char* wanted = ::getenv("TMPDIR");
  for (const std::string& base : {std::string(wanted != nullptr ? wanted : "/tmp"), std::string("/tmp"),
                                  std::string("/var/tmp"), std::string("/dev/shm")}) {
    std::array<char, PATH_MAX> real{};
    if (::access(base.c_str(), W_OK | X_OK) != 0 || ::realpath(base.c_str(), real.data()) == nullptr) continue;
    if (is_writable_inside(plan, real.data())) continue;
    scratch.base_ = std::string(real.data()) + "/pinfold-" + std::to_string(random);
    break;
  }
  if (scratch.base_.empty())
    return fail(
        ErrorKind::kUnavailable,
        "no directory for private temporary files: /tmp and /var/tmp are not writable, or the run may write to them",
        "set TMPDIR to a directory of your own");
  const std::string home = variable(plan, "HOME");
  const bool shown = std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const auto* show = std::get_if<ShowPath>(&step.body);
    return show != nullptr && is_at_or_below(home, show->at) && show->at != "/";
  });
  if (!shown && home.starts_with("/") && home.size() > 1) scratch.real_home_ = home;
  return scratch;
}

// The home is not writable: directories that would be kept in it last for this run only.
void ScratchHome::make_kept_directories(Plan& plan) {
  for (Step& step : plan.steps) {
    auto* show = std::get_if<ShowPath>(&step.body);
    if (show == nullptr || show->ensure != Ensure::kCreate) continue;
    if (make_kept_directory(show->host, show->subdirectories)) continue;
    show->host = base_ + "/kept-" + std::to_string(kept_substitutes_.size());
    kept_substitutes_.push_back(show->host);
  }
}

bool ScratchHome::contains(const std::string& at) const {
  return !real_home_.empty() && is_at_or_below(at, real_home_);
}

std::string ScratchHome::scratch_path(const std::string& at) const { return home() + at.substr(real_home_.size()); }

Result<void> ScratchHome::make(const Plan& plan) const {
  if (::mkdir(base_.c_str(), 0700) != 0) return tl::unexpected<Error>(sys::os_error("mkdir", base_, errno));
  PF_CHECK(make_directory(tmp()));
  for (const std::string& each : kept_substitutes_) PF_CHECK(make_directory(each));
  if (real_home_.empty()) return {};
  PF_CHECK(make_directory(home()));
  for (const Step& step : plan.steps) PF_CHECK(make_in_home(step), "making a private home");
  return {};
}

// A plan lists parents first: entries below a linked directory exist already.
Result<void> ScratchHome::make_in_home(const Step& step) const {
  auto link = [this](const std::string& at, const std::string& target) -> Result<void> {
    if (!contains(at) || at == real_home_) return {};
    PF_CHECK(make_directories(home(), scratch_path(at)));
    // EEXIST, ENOTDIR and EACCES: it lies in the target of an earlier link.
    if (::symlink(target.c_str(), scratch_path(at).c_str()) == 0 || errno == EEXIST) return {};
    return tl::unexpected<Error>(sys::os_error("symlink", scratch_path(at), errno));
  };
  auto is_inside_link = [this](const std::string& at) {
    for (std::size_t slash = at.find('/', real_home_.size() + 1); slash != std::string::npos;
         slash = at.find('/', slash + 1)) {
      struct stat info {};
      if (::lstat(scratch_path(at.substr(0, slash)).c_str(), &info) == 0 && S_ISLNK(info.st_mode)) return true;
    }
    return false;
  };
  if (const auto* show = std::get_if<ShowPath>(&step.body))
    return contains(show->at) && !is_inside_link(show->at) ? link(show->at, show->host) : Result<void>{};
  if (const auto* made = std::get_if<MakeLink>(&step.body))
    return contains(made->at) && !is_inside_link(made->at) ? link(made->at, made->target) : Result<void>{};
  const auto* file = std::get_if<MakeFile>(&step.body);
  if (file == nullptr || !contains(file->at) || is_inside_link(file->at)) return {};
  PF_CHECK(make_directories(home(), scratch_path(file->at)));
  PF_TRY(fd, sys::call_fd("open", scratch_path(file->at), [&] {
           return ::open(scratch_path(file->at).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);
         }));
  return sys::write_all(fd.raw(), file->content, file->at);
}

std::string ScratchHome::remove() const {
  if (base_.empty()) return {};
  const std::string directory = base_.substr(0, base_.rfind('/'));
  for (int i = 0; i < kMaxLeftovers; ++i)
    if (const std::string left = leftover_name(directory, i); is_own_directory(left))
      static_cast<void>(sys::remove_tree(left));
  const auto removed = sys::remove_tree(base_);
  if (removed) return {};
  std::string now = base_;
  for (int i = 0; i < kMaxLeftovers && now == base_; ++i)
    if (const std::string left = leftover_name(directory, i); ::rename(base_.c_str(), left.c_str()) == 0) now = left;
  return "the private directory of this run could not be removed: " + removed.error().text() + "; see " + now +
         (now == base_ ? "" : ", which the next run on this backend tries to remove");
}

Plan ScratchHome::visible_plan(const Plan& plan) const {
  Plan out = plan;
  for (Step& step : out.steps) {
    if (auto* show = std::get_if<ShowPath>(&step.body)) show->at = show->host;
    if (auto* private_tmp = std::get_if<PrivateTmp>(&step.body)) private_tmp->at = {tmp()};
  }
  if (!home().empty()) {
    ShowPath links;
    links.host = links.at = home();
    out.steps.push_back(Step{links, Need::kRequired, {}});
  }
  return out;
}

Environment ScratchHome::environment(const Plan& plan) const {
  Environment out;
  const auto* given = find_step<Environment>(plan);
  if (given != nullptr) out = *given;
  const auto* tmp_step = find_step<PrivateTmp>(plan);
  // Replaces a path that has another name inside, in a value or in an entry of a list.
  auto moved = [&](const std::string& path) {
    const ShowPath* closest = nullptr;
    for (const Step& step : plan.steps) {
      const auto* show = std::get_if<ShowPath>(&step.body);
      if (show != nullptr && is_at_or_below(path, show->at) &&
          (closest == nullptr || closest->at.size() < show->at.size()))
        closest = show;
    }
    if (closest != nullptr) return closest->host + path.substr(closest->at.size());
    if (tmp_step != nullptr)
      for (const std::string& at : tmp_step->at)
        if (is_at_or_below(path, at)) return tmp() + path.substr(at.size());
    return path;
  };
  for (Variable& each : out.variables) {
    if (each.name == "HOME" && !real_home_.empty()) {
      each.value = home();
      continue;
    }
    std::string value;
    for (std::size_t start = 0; start <= each.value.size();) {
      std::size_t end = std::min(each.value.find(':', start), each.value.size());
      value += (start > 0 ? ":" : "") + moved(each.value.substr(start, end - start));
      start = end + 1;
    }
    each.value = std::move(value);
  }
  return out;
}

}  // namespace pinfold::backend::on_linux
