// document.cc: a tree of nodes → settings and profiles.
// Invariant: an unknown key, a wrong type and a misplaced key are each reported once, with the nearest valid name.
// Not here: values (builder.cc), the order of sources (merge.cc).
#include "policy/document.h"

#include <algorithm>
#include <set>

#include "base/edit_distance.h"
#include "base/text.h"
#include "policy/presets.h"

namespace pinfold::policy {
namespace {

using std::string_view;
using text::shown;

string_view kind_of(const Node& node) {
  struct Name {
    string_view operator()(const std::string&) const { return "a string"; }
    string_view operator()(bool) const { return "true or false"; }
    string_view operator()(std::int64_t) const { return "a number"; }
    string_view operator()(const List&) const { return "a list"; }
    string_view operator()(const Table&) const { return "a table"; }
    string_view operator()(const Other& other) const { return other.kind; }
  };
  return std::visit(Name{}, node.value);
}

bool is_profile_name(string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

class Reader {
 public:
  explicit Reader(Document& out) : out_(out) {}

  void top(const Table& root) {
    std::set<Key> seen;
    for (const Member& member : root) {
      const KeyInfo* key = known(member, kTop, seen);
      if (key == nullptr) continue;
      std::vector<Setting> settings;
      switch (key->key) {
        case Key::kProfiles: profiles(member); break;
        case Key::kProfile:
          values(*key, member, settings);
          if (!settings.empty()) out_.profile = settings[0];
          break;
        case Key::kEnabled:
          values(*key, member, settings);
          if (!settings.empty()) out_.enabled = settings[0];
          break;
        case Key::kJournal:
          // A project, or a program, must not switch off the user's journal.
          if (out_.source != Source::kUserFile) {
            mistake(member.location, "this file cannot decide whether runs are recorded",
                    "it goes into ~/.config/pinfold/config.toml");
            break;
          }
          values(*key, member, settings);
          if (!settings.empty()) out_.journal = settings[0];
          break;
        default: values(*key, member, out_.settings);
      }
    }
  }

  void mistake(const SourceLocation& location, std::string what, std::string fix) {
    out_.problems.push_back(where(location) + ": " + std::move(what) +
                            (fix.empty() ? "" : " (" + std::move(fix) + ")"));
  }

 private:
  std::string where(const SourceLocation& location) const {
    if (location.line == 0) return out_.file;
    return out_.file + ":" + std::to_string(location.line) + ":" + std::to_string(location.column);
  }

  // The key's row in the table, or null after the mistake was reported.
  const KeyInfo* known(const Member& member, KeyPositions here, std::set<Key>& seen) {
    const KeyInfo* key = find_key(member.key);
    if (key == nullptr) {
      std::vector<string_view> names;
      for (const KeyInfo& one : kKeys)
        if ((one.positions & here) != 0) names.push_back(one.name);
      const auto near = closest_word(member.key, names);
      mistake(member.location, "there is no key \"" + shown(member.key) + "\"",
              near ? "did you mean " + std::string(*near) + "?" : "see docs/reference/policy.md for all keys");
      return nullptr;
    }
    if ((key->positions & here) == 0) {
      mistake(member.location, std::string(key->name) + " does not belong here",
              here == kTop ? "it goes into a [profiles.NAME]" : "it goes to the top of the file");
      return nullptr;
    }
    // The same thing under two names is a contradiction that the notation cannot see.
    if (!seen.insert(key->key).second) {
      mistake(member.location, std::string(key->name) + " is set twice, under two names", "keep one of them");
      return nullptr;
    }
    return key;
  }

  void wrong(const KeyInfo& key, const Node& node) {
    mistake(node.location, std::string(key.name) + " cannot be " + std::string(kind_of(node)),
            "for example: " + std::string(key.example));
  }

  static Setting setting(const KeyInfo& key, std::string value, std::string where) {
    return {key.key, std::move(value), std::move(where)};
  }

  void values(const KeyInfo& key, const Member& member, std::vector<Setting>& into) {
    const Node& node = member.node;
    const auto take = [&](std::string value) { into.push_back(setting(key, std::move(value), where(node.location))); };
    const auto* text = std::get_if<std::string>(&node.value);
    const auto* flag = std::get_if<bool>(&node.value);
    const auto* number = std::get_if<std::int64_t>(&node.value);
    const auto* list = std::get_if<List>(&node.value);
    const bool is_list =
        key.form == Form::kPaths || key.form == Form::kWords || key.form == Form::kNetwork || key.form == Form::kExec;
    if (list != nullptr && is_list) {
      if (list->empty() && (key.form == Form::kNetwork || key.form == Form::kExec)) return take("none");
      for (const Node& one : *list) element(key, one, into);
    } else if (text != nullptr && key.form != Form::kSwitch && key.form != Form::kTables) {
      take(*text);
    } else if (flag != nullptr && key.form == Form::kSwitch) {
      take(*flag ? "true" : "false");
    } else if (flag != nullptr && key.form == Form::kNetwork) {
      take(*flag ? "full" : "none");
    } else if (number != nullptr && key.form == Form::kAmount) {
      take(std::to_string(*number) + (member.key.ends_with("_mb") ? "M" : ""));
    } else if (std::holds_alternative<Table>(node.value) && key.form == Form::kPaths) {
      element(key, node, into);
    } else {
      wrong(key, node);
    }
  }

  // One element of a list.
  void element(const KeyInfo& key, const Node& node, std::vector<Setting>& into) {
    if (const auto* text = std::get_if<std::string>(&node.value)) {
      const bool word_for_all = (key.form == Form::kNetwork && (*text == "none" || *text == "full")) ||
                                (key.form == Form::kExec && (*text == "none" || *text == "any"));
      if (word_for_all)
        return mistake(node.location, "\"" + *text + "\" cannot be in a list",
                       std::string(key.name) + " = \"" + *text + "\"");
      into.push_back(setting(key, *text, where(node.location)));
      return;
    }
    const auto* table = std::get_if<Table>(&node.value);
    if (table == nullptr || key.form != Form::kPaths) return wrong(key, node);
    Setting one = setting(key, "", where(node.location));
    one.literal = true;
    bool has_path = false;
    for (const Member& member : *table) {
      const auto* path = std::get_if<std::string>(&member.node.value);
      const auto* optional = std::get_if<bool>(&member.node.value);
      if (member.key == "path" && path != nullptr) {
        one.value = *path;
        has_path = true;
      } else if (member.key == "optional" && optional != nullptr) {
        one.optional = *optional;
      } else {
        const auto near = closest_word(member.key, {"path", "optional"});
        mistake(member.location, "\"" + shown(member.key) + "\" means nothing here",
                near && *near != member.key ? "did you mean " + std::string(*near) + "?"
                                            : "{ path = \"/opt/sdk\", optional = true }");
      }
    }
    if (has_path)
      into.push_back(std::move(one));
    else
      mistake(node.location, "the path is missing", "{ path = \"/opt/sdk\", optional = true }");
  }

  void profiles(const Member& member) {
    const auto* all = std::get_if<Table>(&member.node.value);
    if (all == nullptr) return wrong(info(Key::kProfiles), member.node);
    for (const Member& one : *all) {
      const auto* body = std::get_if<Table>(&one.node.value);
      if (body == nullptr) {
        mistake(one.location, "a profile is a table", "[profiles." + shown(one.key) + "]");
        continue;
      }
      if (!is_profile_name(one.key))
        mistake(one.location, "\"" + shown(one.key) + "\" cannot be the name of a profile",
                "use letters, digits, - and _");
      const auto& presets = preset_names();
      if (std::find(presets.begin(), presets.end(), one.key) != presets.end() || one.key == kEmptyPreset)
        mistake(one.location, "\"" + one.key + "\" is a preset and cannot be changed",
                "choose another name, and inherits = \"" + one.key + "\"");
      Profile profile{one.key, where(one.location), std::nullopt, {}};
      std::set<Key> seen;
      for (const Member& inside : *body) {
        const KeyInfo* key = known(inside, kInProfile, seen);
        if (key == nullptr) continue;
        if (key->key != Key::kInherits) {
          values(*key, inside, profile.settings);
          continue;
        }
        std::vector<Setting> settings;
        values(*key, inside, settings);
        if (!settings.empty()) profile.inherits = settings[0];
      }
      out_.profiles.push_back(std::move(profile));
    }
  }

  Document& out_;
};

}  // namespace

const Profile* Document::find(string_view name) const {
  for (const Profile& one : profiles)
    if (one.name == name) return &one;
  return nullptr;
}

Document read_document(string_view text, Notation notation, const std::string& file, Source source, Base base) {
  Document out;
  out.file = shown(file);
  out.source = source;
  out.base = std::move(base);
  const ParsedText parsed = notation == Notation::kToml ? parse_toml(text) : parse_json(text);
  Reader reader(out);
  for (const Mistake& one : parsed.mistakes) reader.mistake(one.location, one.what, one.fix);
  reader.top(parsed.root);
  return out;
}

}  // namespace pinfold::policy
