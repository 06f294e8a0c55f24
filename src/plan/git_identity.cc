// git_identity.cc: extracts only the user's name and e-mail address from the git configuration.
// Invariant: every value that comes out is printable and quoted; no other key passes.
// Not here: reading files.
#include "plan/git_identity.h"

#include <algorithm>
#include <cstddef>

namespace pinfold::plan {
namespace {

using std::string_view;

constexpr std::size_t kLongestValue = 1024;
constexpr std::size_t kMostDirectories = 256;

struct Identity {
  std::string name, email, branch, hooks;
  std::vector<std::string> directories;
};

std::string lower(string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

string_view trim(string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool printable(string_view text) {
  return !text.empty() && text.size() <= kLongestValue && std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  });
}

// The value that git would see: quotes removed, escapes resolved, comment cut. False if it is malformed.
bool unquote(string_view raw, std::string& out) {
  bool quoted = false;
  std::size_t keep = 0;  // unquoted space at the end is not part of the value
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (c == '"') {
      quoted = !quoted;
      keep = out.size();
      continue;
    }
    if (!quoted && (c == '#' || c == ';')) break;
    if (c == '\\') {
      if (++i >= raw.size()) return false;
      const char e = raw[i];
      if (e == 'n')
        out += '\n';
      else if (e == 't')
        out += '\t';
      else if (e == 'b')
        out += '\b';
      else if (e == '"' || e == '\\')
        out += e;
      else
        return false;
      keep = out.size();
      continue;
    }
    out += c;
    if (quoted || (c != ' ' && c != '\t')) keep = out.size();
  }
  out.resize(keep);
  return !quoted;
}

void assign(Identity& identity, string_view section, string_view raw_key, string_view raw_value) {
  const std::string key = lower(trim(raw_key));
  std::string value;
  if (!unquote(trim(raw_value), value) || !printable(value)) return;
  if (section == "user" && key == "name")
    identity.name = std::move(value);
  else if (section == "user" && key == "email")
    identity.email = std::move(value);
  else if (section == "init" && key == "defaultbranch")
    identity.branch = std::move(value);
  else if (section == "core" && key == "hookspath")
    identity.hooks = std::move(value);
  else if (section == "safe" && key == "directory" && identity.directories.size() < kMostDirectories)
    identity.directories.push_back(std::move(value));
}

// One logical line: a backslash at the end of a line continues it.
std::string next_line(string_view text, std::size_t& at) {
  std::string line;
  while (at < text.size()) {
    std::size_t end = text.find('\n', at);
    if (end == string_view::npos) end = text.size();
    string_view part = text.substr(at, end - at);
    at = end + 1;
    if (part.ends_with('\r')) part.remove_suffix(1);
    std::size_t slashes = 0;
    while (slashes < part.size() && part[part.size() - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return line += part;
    line += part.substr(0, part.size() - 1);
  }
  return line;
}

void parse(string_view text, Identity& identity) {
  std::string section;
  for (std::size_t at = 0; at < text.size();) {
    const std::string line = next_line(text, at);
    string_view rest = trim(line);
    if (rest.starts_with('[')) {
      const std::size_t close = rest.find(']');
      if (close == string_view::npos) return;
      const string_view head = rest.substr(1, close - 1);
      // A subsection ([user "x"], [user.x]) is something else.
      section = head.find_first_of("\". \t") == string_view::npos ? lower(head) : std::string();
      rest = trim(rest.substr(close + 1));
    }
    const std::size_t equals = rest.find('=');
    if (rest.empty() || rest[0] == '#' || rest[0] == ';' || equals == string_view::npos) continue;
    assign(identity, section, rest.substr(0, equals), rest.substr(equals + 1));
  }
}

void write(std::string& out, string_view key, string_view value) {
  out += "\t";
  out += key;
  out += " = \"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += "\"\n";
}

}  // namespace

std::string git_identity(const std::vector<std::string>& files) {
  Identity identity;
  for (const std::string& file : files) parse(file, identity);
  std::string out;
  if (!identity.name.empty() || !identity.email.empty()) {
    out += "[user]\n";
    if (!identity.name.empty()) write(out, "name", identity.name);
    if (!identity.email.empty()) write(out, "email", identity.email);
  }
  if (!identity.branch.empty()) {
    out += "[init]\n";
    write(out, "defaultBranch", identity.branch);
  }
  if (!identity.directories.empty()) {
    out += "[safe]\n";
    for (const std::string& directory : identity.directories) write(out, "directory", directory);
  }
  return out;
}

std::string git_hooks_path(string_view config) {
  Identity identity;
  parse(config, identity);
  return identity.hooks;
}

}  // namespace pinfold::plan
