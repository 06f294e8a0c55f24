// plugin_protocol_version.cc: one line, "sha256:… legacy", beside the plugin's private home.
#include "cli/plugin_protocol_version.h"

#include "base/paths.h"
#include "sys/files.h"

namespace pinfold::cli {

namespace {

constexpr const char* kName = "era";
constexpr std::size_t kMaxRecord = 256;

std::string line_of(const std::string& files_hash, mcp::ProtocolFamily family) {
  return files_hash + (family == mcp::ProtocolFamily::kModern ? " modern\n" : " legacy\n");
}

}  // namespace

std::optional<mcp::ProtocolFamily> stored_protocol_version(const std::string& directory,
                                                           const std::string& files_hash) {
  const auto file = sys::read_file_below(directory, kName, Links::kStayInside, kMaxRecord);
  if (!file) return std::nullopt;
  for (const mcp::ProtocolFamily family : {mcp::ProtocolFamily::kLegacy, mcp::ProtocolFamily::kModern})
    if (file->text == line_of(files_hash, family)) return family;
  return std::nullopt;
}

void store_protocol_version(const std::string& directory, const std::string& files_hash, mcp::ProtocolFamily family) {
  if (stored_protocol_version(directory, files_hash) == family) return;
  if (const auto opened = sys::make_directory(directory))
    static_cast<void>(
        sys::publish_file(opened->raw(), kName, line_of(files_hash, family), paths::join(directory, kName)));
}

}  // namespace pinfold::cli
