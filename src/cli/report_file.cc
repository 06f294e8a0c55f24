// report_file.cc: writes the report beside its name and renames it into place.
// Invariant: the temporary name is made after the run, when nothing of the sandbox lives any more: the command never
// sees it. Not here: what is written (report/json.cc).
#include "cli/report_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"
#include "sys/call.h"
#include "sys/files.h"

namespace pinfold::cli {

Result<ReportFile> ReportFile::open(const std::string& path) {
  ReportFile file;
  file.path_ = path;
  file.name_ = paths::basename(path);
  const std::string directory(paths::parent(path));
  const std::string fix = "name a file in a directory that you can write to";
  const auto with_fix = [&](const Error& error) { return fail(ErrorKind::kInvalid, "--report: " + error.text(), fix); };
  if (file.name_.empty()) return fail(ErrorKind::kInvalid, "--report / is a directory", fix);

  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode))
      return fail(ErrorKind::kInvalid, fmt::format("--report {} is a directory", text::shown(path)), fix);
    // O_NONBLOCK: a pipe without a reader is an error now, not a wait for ever.
    auto stream =
        sys::call_fd("open", path, [&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); });
    if (!stream) return with_fix(stream.error());
    ::fcntl(stream->raw(), F_SETFL, O_WRONLY);
    file.stream_ = std::move(*stream);
    return file;
  }

  auto pinned =
      sys::call_fd("open", directory, [&] { return ::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); });
  if (!pinned) return with_fix(pinned.error());
  auto access =
      sys::call("access", directory, [&] { return ::faccessat(pinned->raw(), ".", W_OK | X_OK, AT_EACCESS); });
  if (!access) return with_fix(access.error());
  file.directory_ = std::move(*pinned);
  return file;
}

Result<void> ReportFile::write(std::string_view text) {
  if (stream_.is_open()) return sys::write_all(stream_.raw(), text, path_);
  PF_CHECK(sys::publish_file(directory_.raw(), name_, text, path_), "writing the report");
  return {};
}

}  // namespace pinfold::cli
