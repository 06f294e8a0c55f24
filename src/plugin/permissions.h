// permissions.h: the permissions that a plugin requests: canonical form, hash, and difference between two sets.
// Invariant: equivalent permissions have the same hash, regardless of order and spelling; any other change changes the
// hash. Not here: parsing (manifest.h), risk (risk.h), the policy (confine.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/node.h"

namespace pinfold::plugin {

enum class FileAccess { kRead, kReadWrite };

struct RequestedText {
  std::string text;
  policy::SourceLocation location{};
};
struct RequestedPath {
  std::string path;  // "~/x" or "/x", without "..", "//" and a trailing slash
  FileAccess access = FileAccess::kRead;
  policy::SourceLocation location{};
};
struct RequestedShell {
  std::vector<RequestedText> commands{};
  policy::SourceLocation location{};
};

struct Permissions {
  std::vector<RequestedText> network{};  // rules as --net takes them
  std::vector<RequestedPath> filesystem{};
  std::vector<RequestedText> environment{};  // names
  std::optional<RequestedShell> shell{};
  bool clipboard = false;
  std::vector<RequestedText> secrets{};  // names
};

// Sorted, without duplicates; host names in canonical form; a path with the wider of its accesses.
Permissions canonical(const Permissions& requested);

// Sorted keys, no blanks, no empty values: "{\"clipboard\":true}".
std::string canonical_json(const Permissions& requested);
// "sha256:…" of that.
std::string permissions_hash(const Permissions& requested);

enum class PermissionKind { kNetwork, kRead, kWrite, kEnvironment, kSecret, kShell, kClipboard };

// One requested permission, in canonical form.
struct Item {
  PermissionKind kind = PermissionKind::kNetwork;
  std::string what;  // a host, a path, a name; empty for clipboard and for a shell without commands
  auto operator<=>(const Item&) const = default;
};
std::vector<Item> items_of(const Permissions& requested);

struct Difference {
  std::vector<Item> added;
  std::vector<Item> removed;
  bool grew = false;  // a permission is requested that the earlier ones do not cover
};
Difference difference(const Permissions& before, const Permissions& now);

}  // namespace pinfold::plugin
