// git_config.cc: which entries of a git configuration are harmless.
// Invariant: an allow-list; entries that it does not understand are left out.
// Not here: files (git_clean.cc).
#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

#include "backend/linux/protect/git_clean.h"

namespace pinfold::backend::on_linux {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view trim(std::string_view text) {
  auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// "section.key" in lower case; subsections are left out.
constexpr std::array<std::string_view, 56> kHarmless = {"core.repositoryformatversion",
                                                        "core.filemode",
                                                        "core.bare",
                                                        "core.logallrefupdates",
                                                        "core.ignorecase",
                                                        "core.precomposeunicode",
                                                        "core.symlinks",
                                                        "core.autocrlf",
                                                        "core.eol",
                                                        "core.safecrlf",
                                                        "core.quotepath",
                                                        "core.abbrev",
                                                        "core.compression",
                                                        "core.loosecompression",
                                                        "core.bigfilethreshold",
                                                        "core.preloadindex",
                                                        "core.untrackedcache",
                                                        "core.sharedrepository",
                                                        "core.whitespace",
                                                        "core.commentchar",
                                                        "user.name",
                                                        "user.email",
                                                        "author.name",
                                                        "author.email",
                                                        "committer.name",
                                                        "committer.email",
                                                        "init.defaultbranch",
                                                        "remote.url",
                                                        "remote.fetch",
                                                        "remote.push",
                                                        "remote.pushurl",
                                                        "remote.tagopt",
                                                        "remote.prune",
                                                        "remote.mirror",
                                                        "branch.remote",
                                                        "branch.merge",
                                                        "branch.rebase",
                                                        "branch.description",
                                                        "branch.vscode-merge-base",
                                                        "pull.rebase",
                                                        "pull.ff",
                                                        "push.default",
                                                        "push.autosetupremote",
                                                        "fetch.prune",
                                                        "merge.ff",
                                                        "merge.conflictstyle",
                                                        "rebase.autostash",
                                                        "rebase.autosquash",
                                                        "extensions.objectformat",
                                                        "extensions.refstorage",
                                                        "submodule.url",
                                                        "submodule.active",
                                                        "advice.detachedhead",
                                                        "diff.renames",
                                                        "diff.algorithm",
                                                        "gc.auto"};

bool is_one_of(std::string_view value, std::initializer_list<std::string_view> allowed) {
  return std::find(allowed.begin(), allowed.end(), lower(value)) != allowed.end();
}

// An address of the form helper::rest runs git-remote-helper, and ext:: runs any program. Quotes and escapes are
// refused: git reads ext:"": as ext::.
bool is_plain_address(std::string_view value) {
  return value.find("::") == std::string_view::npos && value.find_first_of("\"\\") == std::string_view::npos &&
         !trim(value).starts_with('-');
}

// Keys whose value git uses as an address: also a branch's remote, and the name of a remote that has no url.
bool is_address(std::string_view name) {
  return name == "remote.url" || name == "remote.pushurl" || name == "submodule.url" || name == "branch.remote";
}

bool harmless(std::string_view section, std::string_view key, std::string_view value) {
  const std::string name = lower(section) + "." + lower(key);
  if (std::find(kHarmless.begin(), kHarmless.end(), name) == kHarmless.end()) return false;
  // Other values could make git create files that all users may write.
  if (name == "core.sharedrepository") return is_one_of(value, {"group", "true", "1", "umask", "false", "0"});
  if (name == "extensions.refstorage") return is_one_of(value, {"files", "reftable"});
  return !is_address(name) || is_plain_address(value);
}

struct Header {
  std::string section;
  std::string_view subsection;  // with its quotes
  std::string_view rest;        // the rest of the line
};

// [section], [section "sub"], [section.sub]; the section is empty if this is not a header.
Header read_header(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (quoted && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ']' && !quoted) {
      std::string_view inside = trim(line.substr(1, i - 1));
      const std::size_t end = std::min(inside.find_first_of(" \t.\""), inside.size());
      return {std::string(inside.substr(0, end)), trim(inside.substr(end)), trim(line.substr(i + 1))};
    }
  }
  return {};
}

}  // namespace

std::string safe_git_config(std::string_view text, std::vector<std::string>& removed) {
  std::string out;
  std::string section;
  bool continued = false;
  bool dropped = false;  // the whole section is left out
  auto entry = [&](std::string_view line) {
    std::size_t equals = line.find('=');
    std::string_view key = trim(line.substr(0, equals));
    std::string_view value = equals == std::string_view::npos ? std::string_view{} : trim(line.substr(equals + 1));
    continued = !line.empty() && line.back() == '\\';
    if (dropped) return;
    if (continued || section.empty() || !harmless(section, key, value)) {
      removed.push_back(section + "." + std::string(key));
      return;
    }
    out.append("\t").append(line).append("\n");
  };
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::string_view line = trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (continued) {  // part of an entry that was left out
      continued = !line.empty() && line.back() == '\\';
      continue;
    }
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() != '[') {
      entry(line);
      continue;
    }
    Header header = read_header(line);
    section = header.section;
    if (section.empty()) {
      removed.emplace_back("an unreadable section");
      continue;
    }
    // `git fetch --all` uses the name itself as an address.
    std::string_view name = header.subsection;
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    if (lower(section) == "remote" && !is_plain_address(name)) {
      removed.push_back(section + " " + std::string(header.subsection));
      section.clear();
      dropped = true;
      continue;
    }
    dropped = false;
    std::string_view shown = header.rest.empty() ? line : line.substr(0, line.size() - header.rest.size());
    out.append(trim(shown)).append("\n");
    if (!header.rest.empty() && header.rest.front() != '#' && header.rest.front() != ';') entry(header.rest);
  }
  return out;
}

}  // namespace pinfold::backend::on_linux
