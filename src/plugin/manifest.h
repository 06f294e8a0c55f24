// manifest.h: parses pinfold.plugin.json: a plugin's name, its start and its permissions.
// Invariant: returns a manifest only if every part is valid; the error lists all mistakes, each with its line and
// column. Not here: finding plugins (folder.h), the user's approval (approvals.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pinfold/result.h"
#include "plugin/permissions.h"

namespace pinfold::plugin {

inline constexpr const char* kManifestFile = "pinfold.plugin.json";
inline constexpr std::size_t kLongestManifest = 256 * 1024;
inline constexpr std::size_t kLongestId = 128;

enum class Runtime { kNode, kPython, kBinary };
std::string_view runtime_word(Runtime runtime);

struct Manifest {
  std::string id;
  std::string name;
  std::string version;
  std::string author;       // may be empty
  std::string description;  // may be empty
  Runtime runtime = Runtime::kNode;
  std::string entry;              // relative to the plugin's folder, without ".."
  std::vector<std::string> args;  // after the entry; "${__dirname}" and "${HOME}" are replaced at the start
  Permissions permissions;
};

// `file`: the path for messages. The error has a line for each mistake.
Result<Manifest> read_manifest(std::string_view text, const std::string& file);

// Parses the value of "permissions" in a manifest or an approval; appends mistakes to `mistakes`.
Permissions read_permissions(const policy::Node& node, std::vector<policy::Mistake>& mistakes);

// Lower-case letters, digits, "." "-" "_"; begins with a letter or a digit.
bool is_plugin_id(std::string_view text);

// As JSON text that parses to the same manifest.
std::string print_manifest(const Manifest& manifest);

// The keys, which the JSON schema must also have.
struct ManifestKey {
  std::string_view name;
  bool required = false;
  std::size_t longest = 0;  // of a string, in bytes; 0: it is not a string
};
std::span<const ManifestKey> manifest_keys();
std::span<const std::string_view> permission_keys();

}  // namespace pinfold::plugin
