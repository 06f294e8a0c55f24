// plugin_protocol_version.cc: one line, "sha256:… legacy", beside the plugin's private home.
#include "cli/plugin_protocol_version.h"

#include "base/paths.h"
#include "sys/files.h"

namespace pinfold::cli {

namespace {

constexpr const char* kName = "era";
constexpr std::size_t kLongest = 256;

std::string line_of(const std::string& files_hash, mcp::Era era) {
  return files_hash + (era == mcp::Era::kModern ? " modern\n" : " legacy\n");
}

}  // namespace

std::optional<mcp::Era> remembered_era(const std::string& directory, const std::string& files_hash) {
  const auto file = sys::read_file_below(directory, kName, Links::kStayInside, kLongest);
  if (!file) return std::nullopt;
  for (const mcp::Era era : {mcp::Era::kLegacy, mcp::Era::kModern})
    if (file->text == line_of(files_hash, era)) return era;
  return std::nullopt;
}

void remember_era(const std::string& directory, const std::string& files_hash, mcp::Era era) {
  if (remembered_era(directory, files_hash) == era) return;
  if (const auto opened = sys::make_directory(directory))
    static_cast<void>(sys::publish_file(opened->raw(), kName, line_of(files_hash, era), paths::join(directory, kName)));
}

}  // namespace pinfold::cli
