// permissions.h: what a plugin asks for, as values; in one spelling, with a hash; and what changed between two.
// Invariant: permissions that give the same have the same hash, however they were written; any other change is another
// hash. Not here: reading them (manifest.h), their risk (risk.h), what they become (confine.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/node.h"

namespace pinfold::plugin {

enum class FileAccess { kRead, kReadWrite };

struct Asked {
  std::string text;
  policy::Place place{};
};
struct AskedPath {
  std::string path;  // "~/x" or "/x", without "..", "//" and a trailing slash
  FileAccess access = FileAccess::kRead;
  policy::Place place{};
};
struct AskedShell {
  std::vector<Asked> commands{};
  policy::Place place{};
};

struct Permissions {
  std::vector<Asked> network{};  // rules as --net takes them
  std::vector<AskedPath> filesystem{};
  std::vector<Asked> environment{};  // names
  std::optional<AskedShell> shell{};
  bool clipboard = false;
  std::vector<Asked> secrets{};  // names
};

// Sorted, each once; names of hosts in their one spelling; a path with the wider of its accesses.
Permissions canonical(const Permissions& asked);

// Sorted keys, no blanks, nothing that is empty: "{\"clipboard\":true}".
std::string canonical_json(const Permissions& asked);
// "sha256:…" of that.
std::string permissions_hash(const Permissions& asked);

enum class Kind { kNetwork, kRead, kWrite, kEnvironment, kSecret, kShell, kClipboard };

// One thing that is asked for, in its one spelling.
struct Item {
  Kind kind = Kind::kNetwork;
  std::string what;  // a host, a path, a name; empty for clipboard and for a shell without commands
  auto operator<=>(const Item&) const = default;
};
std::vector<Item> items_of(const Permissions& asked);

struct Difference {
  std::vector<Item> added;
  std::vector<Item> removed;
  bool grew = false;  // something is asked for that was not covered before
};
Difference difference(const Permissions& before, const Permissions& now);

}  // namespace pinfold::plugin
