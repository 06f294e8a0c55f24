// manifest.h: pinfold.plugin.json: what a plugin is, how it is started and what it asks for.
// Invariant: a manifest comes out only if every part of it was understood; all mistakes are told at once, each with its
// line and column. Not here: finding plugins (folder.h), whether the user agrees (approvals.h).
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
  std::vector<std::string> args;  // behind the entry; "${__dirname}" and "${HOME}" are filled in at the start
  Permissions permissions;
};

// `file`: as people should see it. The error has a line for each mistake.
Result<Manifest> read_manifest(std::string_view text, const std::string& file);

// The value of "permissions", wherever it stands; what is wrong with it goes to `mistakes`.
Permissions read_permissions(const policy::Node& node, std::vector<policy::Mistake>& mistakes);

// Lower-case letters, digits, "." "-" "_"; begins with a letter or a digit.
bool is_plugin_id(std::string_view text);

// As a file that reads back as the same manifest.
std::string print_manifest(const Manifest& manifest);

// What the schema must know, too.
struct ManifestKey {
  std::string_view name;
  bool required = false;
  std::size_t longest = 0;  // of a string, in bytes; 0: it is not a string
};
std::span<const ManifestKey> manifest_keys();
std::span<const std::string_view> permission_keys();

}  // namespace pinfold::plugin
