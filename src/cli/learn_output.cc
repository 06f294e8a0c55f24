// learn_output.cc: chooses the profile's file, never overwrites one without --force, writes it atomically.
#include "cli/learn_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/options.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::cli {

namespace {

// Protected in every writable directory, so that no command changes its own policy.
constexpr std::string_view kDirectory = ".pinfold";

// The names that policy files accept for profiles.
bool is_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

tl::unexpected<Error> exists_already(const std::string& path) {
  return fail(ErrorKind::kInvalid, fmt::format("{} exists already; it was not changed", text::shown(path)),
              "name another --output, or replace it with --force");
}

}  // namespace

Result<LearnOutput> LearnOutput::choose(const CommandLine& parsed, const Caller& caller,
                                        const std::vector<std::string>& workspaces, HostView& host) {
  LearnOutput out;
  out.working_dir_ = caller.working_dir;
  out.json_ = has_flag(parsed, Id::kJson);
  out.force_ = has_flag(parsed, Id::kForce);
  const FlagValue* name = find_flag_value(parsed, Id::kName);
  const auto& presets = preset_names();
  if (name != nullptr && !is_name(name->value))
    return fail(ErrorKind::kInvalid, fmt::format("--name {}: not a valid profile name", text::shown(name->value)),
                "use letters, digits, -, _ and .");
  if (name != nullptr && std::find(presets.begin(), presets.end(), name->value) != presets.end())
    return fail(ErrorKind::kInvalid, fmt::format("--name {}: a preset has that name", name->value),
                "choose another name");
  const FlagValue* output = find_flag_value(parsed, Id::kOutput);
  out.named_ = output != nullptr;
  out.to_stdout_ = out.named_ && output->value == "-";
  if (out.to_stdout_ && out.json_)
    return fail(ErrorKind::kInvalid, "--output - and --json both write to stdout",
                "name a file, or leave out one of them");
  if (out.named_ && !out.to_stdout_) {
    PF_TRY(path, absolute(output->value, "--output", caller));
    out.path_ = std::move(path);
  } else {
    const std::string& top = workspaces.empty() ? caller.working_dir : workspaces[0];
    out.path_ = paths::join(paths::join(top, kDirectory),
                            std::string(name == nullptr ? std::string_view("learned") : name->value) + ".toml");
  }
  if (!out.to_stdout_) {
    if (!out.force_ && host.kind(out.path_) != HostKind::kMissing) return exists_already(out.path_);
    std::string around(paths::parent(out.path_));
    if (!out.named_ && host.kind(around) == HostKind::kMissing) around = paths::parent(around);
    if (host.kind(out.path_) == HostKind::kDirectory || host.kind(around) != HostKind::kDirectory ||
        !host.writable(around))
      return fail(ErrorKind::kInvalid, fmt::format("{} cannot be written", text::shown(out.path_)),
                  "name a file in a directory of your own: --output FILE");
    PF_CHECK(out.open_directory(around));
  }
  if (out.to_stdout_ || out.json_) {
    PF_TRY(reserved, ReservedStdout::reserve());
    out.stdout_.emplace(std::move(reserved));
  }
  return out;
}

std::string LearnOutput::directory() const { return std::string(paths::parent(path_)); }

std::string LearnOutput::shown() const {
  return paths::beneath(path_, working_dir_) ? std::string(paths::relative(path_, working_dir_)) : path_;
}

Result<void> LearnOutput::open_directory(const std::string& around) {
  directory_path_ = around;
  PF_TRY(fd, sys::call_fd("open", around, [&] { return ::open(around.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); }));
  directory_ = std::move(fd);
  return {};
}

Result<void> LearnOutput::write_file(const std::string& text) {
  PF_CHECK(sys::check_not_replaced(directory_.raw(), directory_path_), "writing the profile");  // before the mkdir
  const std::string name(paths::basename(path_));
  sys::Fd subdirectory;
  if (directory_path_ != directory()) {
    const std::string below(paths::basename(directory()));
    if (::mkdirat(directory_.raw(), below.c_str(), 0700) != 0 && errno != EEXIST)
      return tl::unexpected<Error>(sys::os_error("mkdir", directory(), errno));
    PF_TRY(fd, sys::call_fd("open", directory(), [&] {
             return ::openat(directory_.raw(), below.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
           }));
    subdirectory = std::move(fd);
  }
  const int target = subdirectory.is_open() ? subdirectory.raw() : directory_.raw();
  struct stat info {};
  if (!force_ && ::fstatat(target, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) return exists_already(path_);
  PF_CHECK(sys::publish_after_run(directory_.raw(), directory_path_, target, name, text, path_), "writing the profile");
  written_ = true;
  return {};
}

Result<void> LearnOutput::write(const learn::Profile& profile, int exit_code) {
  const std::string text = to_toml(profile);
  if (json_) stdout_->write(to_json(profile, exit_code));
  if (to_stdout_) stdout_->write(text);
  if (to_stdout_ || (!named_ && is_empty(profile))) return {};
  return write_file(text);
}

}  // namespace pinfold::cli
