// manifest.cc: a tree of nodes → a manifest.
// Invariant: parsing continues after a mistake; for an unknown key the message names the nearest known key.
// Not here: the permissions (manifest_permissions.cc), files (folder.cc).
#include "plugin/manifest.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/edit_distance.h"
#include "base/text.h"
#include "plugin/json_tree.h"

namespace pinfold::plugin {
namespace {

using policy::Member;
using policy::Mistake;
using policy::Node;
using policy::SourceLocation;
using std::string_view;
using text::shown;

constexpr std::size_t kMostArguments = 128;
constexpr std::size_t kLongestArgument = 4096;

constexpr auto kKeys = std::to_array<ManifestKey>({{"id", true, kLongestId},
                                                   {"name", true, 100},
                                                   {"version", true, 64},
                                                   {"author", false, 200},
                                                   {"description", false, 2000},
                                                   {"runtime", true, 16},
                                                   {"entry", true, 1000},
                                                   {"args", false, 0},
                                                   {"permissions", false, 0},
                                                   {"$schema", false, 1000}});

bool has_control(string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

bool is_version(string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == '+' || c == '_';
  });
}

// The problem of this entry, or empty.
string_view wrong_entry(string_view entry) {
  if (entry.empty()) return "entry is empty";
  if (entry[0] == '/') return "entry is an absolute path";
  if (entry[0] == '~') return "entry begins with ~";
  if (entry.find('\\') != string_view::npos) return "entry has a backslash in it";
  for (std::size_t begin = 0; begin <= entry.size();) {
    const std::size_t end = std::min(entry.find('/', begin), entry.size());
    const string_view part = entry.substr(begin, end - begin);
    if (part == "..") return "entry leads out of the plugin's folder";
    if (part.empty() || part == ".") return "entry is not in its simplest form";
    begin = end + 1;
  }
  return {};
}

class Reader {
 public:
  explicit Reader(std::vector<Mistake>& mistakes) : mistakes_(mistakes) {}

  Manifest read(const policy::Table& root) {
    Manifest out;
    for (const Member& member : root) {
      const auto key =
          std::find_if(kKeys.begin(), kKeys.end(), [&](const ManifestKey& k) { return k.name == member.key; });
      if (key == kKeys.end())
        unknown(member);
      else if (key->longest > 0)
        string_value(*key, member, out);
      else if (key->name == "args")
        arguments(member.node, out);
      else
        out.permissions = read_permissions(member.node, mistakes_);
    }
    for (const ManifestKey& key : kKeys)
      if (key.required && std::none_of(root.begin(), root.end(), [&](const Member& m) { return m.key == key.name; }))
        mistake({1, 1}, std::string(key.name) + " is missing", "");
    return out;
  }

 private:
  void mistake(const SourceLocation& location, std::string what, std::string fix) {
    mistakes_.push_back({location, std::move(what), std::move(fix)});
  }

  void unknown(const Member& member) {
    std::vector<string_view> names;
    names.reserve(std::size(kKeys));
    for (const ManifestKey& key : kKeys) names.push_back(key.name);
    const auto near = closest_word(member.key, names);
    mistake(member.location, "there is no key \"" + shown(member.key) + "\"",
            near ? "did you mean " + std::string(*near) + "?" : "see docs/guides/plugins.md for all keys");
  }

  void string_value(const ManifestKey& key, const Member& member, Manifest& out) {
    const std::string name(key.name);
    const SourceLocation& location = member.node.location;
    const auto* text = std::get_if<std::string>(&member.node.value);
    if (text == nullptr)
      return mistake(location, name + " cannot be " + std::string(kind_of(member.node)), "write a string");
    if (text->size() > key.longest)
      return mistake(location, name + " is longer than " + std::to_string(key.longest) + " bytes", "make it shorter");
    // One line for each text, so that a plugin cannot push the prompt off the screen.
    if (has_control(*text))
      return mistake(location, name + " has a control character in it: " + shown(*text),
                     "write plain text, in one line");
    if (key.required && text->find_first_not_of(' ') == std::string::npos)
      return mistake(location, name + " is empty", "");
    if (name == "id")
      id(*text, location, out);
    else if (name == "name")
      out.name = *text;
    else if (name == "version")
      is_version(*text) ? void(out.version = *text)
                        : mistake(location, "\"" + shown(*text) + "\" is not a version", "such as 1.0.0");
    else if (name == "author")
      out.author = *text;
    else if (name == "description")
      out.description = *text;
    else if (name == "runtime")
      runtime(*text, location, out);
    else if (name == "entry")
      entry(*text, location, out);
  }

  void id(const std::string& text, const SourceLocation& location, Manifest& out) {
    if (!is_plugin_id(text))
      return mistake(location, "\"" + shown(text) + "\" cannot be the id of a plugin",
                     "lower-case letters, digits, . - and _, such as org.example.weather");
    out.id = text;
  }

  void runtime(const std::string& text, const SourceLocation& location, Manifest& out) {
    for (const Runtime one : {Runtime::kNode, Runtime::kPython, Runtime::kBinary})
      if (runtime_word(one) == text) {
        out.runtime = one;
        return;
      }
    const auto near = closest_word(text, {"node", "python", "binary"});
    mistake(location, "\"" + shown(text) + "\" is not a runtime",
            near ? "did you mean " + std::string(*near) + "?" : "use node, python or binary");
  }

  void entry(std::string text, const SourceLocation& location, Manifest& out) {
    if (text.starts_with("./")) text.erase(0, 2);
    if (const string_view wrong = wrong_entry(text); !wrong.empty())
      return mistake(location, std::string(wrong) + ": " + shown(text), "name a file below the plugin's folder");
    out.entry = std::move(text);
  }

  void arguments(const Node& node, Manifest& out) {
    const auto* list = std::get_if<policy::List>(&node.value);
    if (list == nullptr)
      return mistake(node.location, "args cannot be " + std::string(kind_of(node)), "write a list of strings");
    if (list->size() > kMostArguments)
      return mistake(node.location, "args has more than " + std::to_string(kMostArguments) + " entries", "");
    for (const Node& one : *list) {
      const auto* text = std::get_if<std::string>(&one.value);
      if (text == nullptr)
        mistake(one.location, "an argument cannot be " + std::string(kind_of(one)), "write a string");
      else if (text->size() > kLongestArgument || has_control(*text))
        mistake(one.location, "an argument is too long, or has a control character in it", "");
      else if (text->find("${user_config.") != std::string::npos)
        mistake(one.location, shown(*text) + " stands for a setting that Pinfold does not have",
                "write the value itself");
      else
        out.args.push_back(*text);
    }
  }

  std::vector<Mistake>& mistakes_;
};

}  // namespace

std::string_view runtime_word(Runtime runtime) {
  return runtime == Runtime::kNode ? "node" : runtime == Runtime::kPython ? "python" : "binary";
}

std::span<const ManifestKey> manifest_keys() { return kKeys; }

bool is_plugin_id(string_view text) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= kLongestId && plain(text[0]) && plain(text.back()) &&
         text.find("..") == string_view::npos &&
         std::all_of(text.begin(), text.end(), [&](char c) { return plain(c) || c == '.' || c == '-' || c == '_'; });
}

Result<Manifest> read_manifest(string_view text, const std::string& file) {
  if (text.size() > kLongestManifest)
    return fail(ErrorKind::kInvalid,
                shown(file) + " is longer than " + std::to_string(kLongestManifest) + " bytes, so it is not read");
  const policy::ParsedText parsed = read_json(text);
  std::vector<Mistake> mistakes = parsed.mistakes;
  const bool readable = !parsed.root.empty() || mistakes.empty();
  Manifest manifest;
  if (readable) manifest = Reader(mistakes).read(parsed.root);
  if (mistakes.empty()) return manifest;
  std::stable_sort(mistakes.begin(), mistakes.end(), [](const Mistake& a, const Mistake& b) {
    return a.location.line != b.location.line ? a.location.line < b.location.line
                                              : a.location.column < b.location.column;
  });
  constexpr std::size_t kMostShown = 50;
  std::string all;
  for (std::size_t i = 0; i < std::min(mistakes.size(), kMostShown); ++i) {
    const Mistake& one = mistakes[i];
    all += (i == 0 ? "" : "\n") + shown(file) + ":" + std::to_string(one.location.line) + ":" +
           std::to_string(one.location.column) + ": " + one.what + (one.fix.empty() ? "" : " (" + one.fix + ")");
  }
  if (mistakes.size() > kMostShown) all += "\nand " + std::to_string(mistakes.size() - kMostShown) + " more";
  return fail(ErrorKind::kInvalid, std::move(all));
}

std::string print_manifest(const Manifest& manifest) {
  using Json = nlohmann::ordered_json;
  Json out = {{"id", manifest.id}, {"name", manifest.name}, {"version", manifest.version}};
  if (!manifest.author.empty()) out["author"] = manifest.author;
  if (!manifest.description.empty()) out["description"] = manifest.description;
  out["runtime"] = runtime_word(manifest.runtime);
  out["entry"] = manifest.entry;
  if (!manifest.args.empty()) out["args"] = manifest.args;
  out["permissions"] = Json::parse(canonical_json(manifest.permissions));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pinfold::plugin
