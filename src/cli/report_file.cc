// report_file.cc: writes the report beside its name and renames it into place.
// Invariant: the temporary file is created after the run, when no process of the sandbox exists any more, so the
// command never sees it. Not here: the report's text (report/json.cc).
#include "cli/report_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/process_io.h"
#include "sys/call.h"
#include "sys/files.h"
#include "sys/outlet.h"

namespace pinfold::cli {
namespace {

// The number of /dev/fd/3 and the like. These name an open descriptor: rename() must not replace a file behind it.
std::optional<int> own_descriptor(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view before : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(before)) continue;
    const std::string number = path.substr(before.size());
    if (number.empty() || number.size() > 6 || number.find_first_not_of("0123456789") != std::string::npos) continue;
    return std::stoi(number);
  }
  return std::nullopt;
}

}  // namespace

Result<ReportFile> ReportFile::open(const std::string& path) {
  ReportFile file;
  file.path_ = path;
  file.name_ = paths::basename(path);
  const std::string directory(paths::parent(path));
  const std::string fix = "name a file in a directory that you can write to";
  const auto with_fix = [&](const Error& error) { return fail(ErrorKind::kInvalid, "--report: " + error.text(), fix); };
  if (file.name_.empty()) return fail(ErrorKind::kInvalid, "--report / is a directory", fix);

  if (const auto given = own_descriptor(path)) {
    auto copy = sys::call_fd("fcntl", path, [&] { return ::fcntl(*given, F_DUPFD_CLOEXEC, 3); });
    if (!copy) return with_fix(copy.error());
    if (const int flags = ::fcntl(copy->raw(), F_GETFL); (flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH) != 0)
      return fail(ErrorKind::kInvalid, fmt::format("--report {} is not open for writing", text::shown(path)), fix);
    file.stream_ = std::move(*copy);
    return file;
  }

  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode))
      return fail(ErrorKind::kInvalid, fmt::format("--report {} is a directory", text::shown(path)), fix);
    // O_NONBLOCK: opening a FIFO without a reader fails with ENXIO instead of blocking.
    auto stream =
        sys::call_fd("open", path, [&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); });
    if (!stream) return with_fix(stream.error());
    file.stream_ = std::move(*stream);
    return file;
  }

  auto pinned =
      sys::call_fd("open", directory, [&] { return ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); });
  if (!pinned && ::stat(directory.c_str(), &status) != 0 && errno == ENOENT)
    return fail(ErrorKind::kInvalid, fmt::format("--report: the directory {} does not exist", text::shown(directory)),
                fix);
  if (!pinned) return with_fix(pinned.error());
  auto access =
      sys::call("access", directory, [&] { return ::faccessat(pinned->raw(), ".", W_OK | X_OK, AT_EACCESS); });
  if (!access) return with_fix(access.error());
  file.directory_ = std::move(*pinned);
  return file;
}

Result<void> ReportFile::write(std::string_view text) {
  if (stream_.is_open()) return sys::Outlet(stream_.raw()).write_all(text, path_, print_patience());
  const std::string directory(paths::parent(path_));
  PF_CHECK(sys::publish_after_run(directory_.raw(), directory, directory_.raw(), name_, text, path_),
           "writing the report");
  return {};
}

}  // namespace pinfold::cli
