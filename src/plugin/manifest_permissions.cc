// manifest_permissions.cc: the permissions of a manifest, and of the approvals file.
// Invariant: an invalid part grants nothing and is a mistake with its line and column.
// Not here: the rest of the manifest (manifest.cc), the policy (confine.cc).
#include <algorithm>
#include <array>

#include "base/domain.h"
#include "base/edit_distance.h"
#include "base/paths.h"
#include "base/text.h"
#include "plugin/json_tree.h"
#include "plugin/manifest.h"
#include "policy/presets.h"

namespace pinfold::plugin {
namespace {

using policy::List;
using policy::Member;
using policy::Mistake;
using policy::Node;
using policy::SourceLocation;
using policy::Table;
using std::string_view;
using text::shown;

constexpr auto kKeys =
    std::to_array<string_view>({"network", "filesystem", "environment", "shell", "clipboard", "secrets"});
constexpr std::size_t kMostItems = 256;

string_view wrong_path(string_view path) {
  if (path.empty()) return "the path is empty";
  const bool home = path == "~" || path.starts_with("~/");
  if (!home && path[0] == '~') return "~user is not supported";
  if (!home && path[0] != '/') return "the path is relative";
  if (path.size() > paths::kLongestPath) return "the path is too long";
  if (path.find_first_of("*?") != string_view::npos) return "a path is not a pattern";
  if (std::any_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
    return "the path has a control character in it";
  const string_view rest = home ? path.substr(1) : path;
  if (rest.find_first_not_of('/') == string_view::npos)
    return home ? "a plugin cannot have the whole home directory" : "a plugin cannot have the whole system";
  for (std::size_t begin = 0; begin < rest.size();) {
    const std::size_t end = std::min(rest.find('/', begin), rest.size());
    const string_view part = rest.substr(begin, end - begin);
    if (part == "..") return "the path has .. in it";
    if (part.size() > paths::kLongestName) return "a name in the path is too long";
    begin = end + 1;
  }
  return {};
}

string_view wrong_name(string_view name) {
  const auto start = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
  const bool fits = !name.empty() && name.size() <= 128 && start(name[0]) &&
                    std::all_of(name.begin(), name.end(), [&](char c) { return start(c) || (c >= '0' && c <= '9'); });
  if (!fits) return "this is not a variable's name";
  if (name == "PINFOLD" || name == "PINFOLD_NETWORK" || name == "HOME" || name == "TMPDIR" || name == "PATH")
    return "this variable is set by Pinfold";
  if (policy::runs_code(name)) return "this variable can make programs run other code";
  return {};
}

string_view wrong_command(string_view command) {
  if (command.empty() || command.size() > paths::kLongestName) return "this is not a command's name";
  const bool plain = std::all_of(command.begin(), command.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == '+';
  });
  if (!plain || command[0] == '-' || command == "." || command == "..")
    return "a command is a plain name, without directories and arguments";
  return {};
}

class Reader {
 public:
  explicit Reader(std::vector<Mistake>& mistakes) : mistakes_(mistakes) {}

  Permissions read(const Node& node) {
    Permissions out;
    const Table* table = object(node, "permissions", {kKeys.begin(), kKeys.end()});
    if (table == nullptr) return out;
    for (const Member& member : *table) {
      const Node& value = member.node;
      // null requests nothing.
      if (const auto* other = std::get_if<policy::Other>(&value.value); other != nullptr && other->kind == "null")
        continue;
      if (member.key == "network")
        out.network = texts(member, "such as [\"api.example.org\", \"*.example.org:443\"]", wrong_rule);
      else if (member.key == "filesystem")
        out.filesystem = files(value);
      else if (member.key == "environment" || member.key == "secrets")
        (member.key == "secrets" ? out.secrets : out.environment) =
            texts(member, "such as [\"JIRA_URL\"]", [](string_view text) { return std::string(wrong_name(text)); });
      else if (member.key == "shell")
        out.shell = shell(value);
      else if (member.key == "clipboard")
        out.clipboard = flag(member);
    }
    return out;
  }

 private:
  void mistake(const SourceLocation& location, std::string what, std::string fix) {
    mistakes_.push_back({location, std::move(what), std::move(fix)});
  }

  static std::string wrong_rule(string_view text) {
    if (text == "*") return "a plugin cannot have the whole network; name the hosts";
    const auto rule = parse_rule(text, {});
    return rule ? std::string() : rule.error().text();
  }

  const Table* object(const Node& node, string_view what, const std::vector<string_view>& keys) {
    const auto* table = std::get_if<Table>(&node.value);
    if (table == nullptr) {
      mistake(node.location, std::string(what) + " cannot be " + std::string(kind_of(node)), "write an object");
      return nullptr;
    }
    for (const Member& member : *table) {
      if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
      const auto near = closest_word(member.key, keys);
      mistake(member.location, std::string(what) + " has no key \"" + shown(member.key) + "\"",
              near ? "did you mean " + std::string(*near) + "?" : "see docs/guides/plugins.md for all keys");
    }
    return table;
  }

  const List* list(const Node& node, string_view what, string_view example) {
    const auto* all = std::get_if<List>(&node.value);
    if (all == nullptr) {
      mistake(node.location, std::string(what) + " cannot be " + std::string(kind_of(node)), std::string(example));
      return nullptr;
    }
    if (all->size() <= kMostItems) return all;
    mistake(node.location, std::string(what) + " has more than " + std::to_string(kMostItems) + " entries", "");
    return nullptr;
  }

  template <typename Wrong>
  std::vector<RequestedText> texts(const Member& member, string_view example, Wrong wrong) {
    std::vector<RequestedText> out;
    const List* all = list(member.node, member.key, example);
    if (all == nullptr) return out;
    for (const Node& one : *all) {
      const auto* text = std::get_if<std::string>(&one.value);
      if (text == nullptr) {
        mistake(one.location, "an entry of " + member.key + " cannot be " + std::string(kind_of(one)),
                std::string(example));
      } else if (const std::string problem = wrong(*text); !problem.empty()) {
        mistake(one.location, "\"" + shown(*text) + "\": " + problem, "");
      } else {
        out.push_back({*text, one.location});
      }
    }
    return out;
  }

  std::vector<RequestedPath> files(const Node& node) {
    constexpr string_view kExample = R"(such as [{"path": "~/Documents", "access": "read"}])";
    std::vector<RequestedPath> out;
    const List* all = list(node, "filesystem", kExample);
    if (all == nullptr) return out;
    for (const Node& one : *all) {
      const Table* table = object(one, "an entry of filesystem", {"path", "access"});
      if (table == nullptr) continue;
      RequestedPath requested{{}, FileAccess::kRead, one.location};
      bool has_access = false;
      for (const Member& member : *table) {
        const auto* text = std::get_if<std::string>(&member.node.value);
        if (text == nullptr)
          mistake(member.node.location, member.key + " cannot be " + std::string(kind_of(member.node)),
                  "write a string");
        else if (member.key == "path")
          path(*text, member.node.location, requested);
        else if (member.key == "access")
          has_access = access(*text, member.node.location, requested) || has_access;
      }
      const auto has = [&](string_view key) {
        return std::any_of(table->begin(), table->end(), [&](const Member& m) { return m.key == key; });
      };
      if (!has("path")) mistake(one.location, "the path is missing", std::string(kExample));
      if (!has("access")) mistake(one.location, "access is missing", "read or read-write");
      if (!requested.path.empty() && has_access) out.push_back(std::move(requested));
    }
    return out;
  }

  void path(const std::string& text, const SourceLocation& location, RequestedPath& requested) {
    if (const string_view wrong = wrong_path(text); !wrong.empty())
      return mistake(location, std::string(wrong) + ": " + shown(text), "name a directory or a file: ~/x or /x");
    requested.path = text;
  }

  bool access(const std::string& text, const SourceLocation& location, RequestedPath& requested) {
    if (text == "read" || text == "read-write" || text == "write") {
      requested.access = text == "read" ? FileAccess::kRead : FileAccess::kReadWrite;
      return true;
    }
    const auto near = closest_word(text, {"read", "write", "read-write"});
    mistake(location, "\"" + shown(text) + "\" is not an access",
            near ? "did you mean " + std::string(*near) + "?" : "use read, write or read-write");
    return false;
  }

  std::optional<RequestedShell> shell(const Node& node) {
    const Table* table = object(node, "shell", {"commands"});
    if (table == nullptr) return std::nullopt;
    RequestedShell out{{}, node.location};
    const auto commands =
        std::find_if(table->begin(), table->end(), [](const Member& m) { return m.key == "commands"; });
    if (commands == table->end()) {
      mistake(node.location, "commands is missing", "such as {\"commands\": [\"git\"]}");
      return std::nullopt;
    }
    out.commands = texts(*commands, "such as [\"git\", \"ls\"]",
                         [](string_view text) { return std::string(wrong_command(text)); });
    return out;
  }

  bool flag(const Member& member) {
    if (const auto* value = std::get_if<bool>(&member.node.value)) return *value;
    mistake(member.node.location, member.key + " cannot be " + std::string(kind_of(member.node)),
            "write true or false");
    return false;
  }

  std::vector<Mistake>& mistakes_;
};

}  // namespace

std::span<const string_view> permission_keys() { return kKeys; }

Permissions read_permissions(const Node& node, std::vector<Mistake>& mistakes) { return Reader(mistakes).read(node); }

}  // namespace pinfold::plugin
