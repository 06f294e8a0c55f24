// runtime.cc: PATH, version managers and virtual environments, read as files.
// Invariant: a name from a version file is one plain name below the manager's own directory.
// Not here: policies (confine.cc).
#include "plugin/runtime.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/paths.h"
#include "base/text.h"
#include "base/try.h"

namespace pinfold::plugin {
namespace {

using std::string_view;
using text::shown;

constexpr std::size_t kShortFile = 4096;

// Shared libraries and data of the system; the rest of /usr is not granted. The second half is for macOS.
constexpr auto kShared = std::to_array<const char*>({"/usr/lib",
                                                     "/usr/lib32",
                                                     "/usr/lib64",
                                                     "/usr/libx32",
                                                     "/usr/local/lib",
                                                     "/lib",
                                                     "/lib32",
                                                     "/lib64",
                                                     "/libx32",
                                                     "/etc/ld.so.cache",
                                                     "/usr/share/zoneinfo",
                                                     "/etc/localtime",  //
                                                     "/System/Library",
                                                     "/System/Cryptexes",
                                                     "/System/Volumes/Preboot/Cryptexes",
                                                     "/Library/Apple",
                                                     "/private/var/db/dyld",
                                                     "/private/var/db/timezone",
                                                     "/usr/share/icu",
                                                     "/opt/homebrew/lib",
                                                     "/opt/homebrew/opt",
                                                     "/opt/homebrew/Cellar"});

std::vector<std::string> path_directories(HostView& host) {
  std::vector<std::string> out;
  const std::string path = host.variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin && path[begin] == '/') out.push_back(paths::normal(path.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

bool is_program(const std::string& path, HostView& host) {
  const auto info = host.resolve(path);
  return info && info->kind == HostKind::kFile && host.executable(path);
}

// The first word of a small file that is one plain name, or empty.
std::string word_in(const std::string& path, HostView& host) {
  const auto text = host.read_file(path, kShortFile);
  if (!text) return {};
  const std::size_t begin = text->find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  const std::string word = text->substr(begin, text->find_first_of(" \t\r\n", begin) - begin);
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == '+' || c == '/' || c == '*';
  });
  return plain && word.find("..") == std::string::npos && word[0] != '/' ? word : std::string();
}

std::vector<int> numbers_of(string_view version) {
  std::vector<int> out;
  if (version.starts_with('v')) version.remove_prefix(1);
  while (!version.empty()) {
    int number = 0;
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
    if (error != std::errc()) break;
    out.push_back(number);
    version.remove_prefix(static_cast<std::size_t>(end - version.data()));
    if (!version.starts_with('.')) break;
    version.remove_prefix(1);
  }
  return out;
}

// The newest version below `directory` that begins with `wanted` ("20", "v20.1", "3.11"); empty `wanted`: the newest.
std::string newest(const std::string& directory, string_view wanted, HostView& host) {
  const auto entries = host.list(directory);
  if (!entries) return {};
  const std::vector<int> start = numbers_of(wanted);
  std::string best;
  std::vector<int> best_numbers;
  for (const HostEntry& entry : *entries) {
    const std::vector<int> numbers = numbers_of(entry.name);
    if (numbers.size() < start.size() || !std::equal(start.begin(), start.end(), numbers.begin())) continue;
    if (numbers <= best_numbers) continue;
    best = entry.name;
    best_numbers = numbers;
  }
  return best;
}

class Finder {
 public:
  Finder(std::string folder, std::string home, HostView& host)
      : folder_(std::move(folder)), home_(std::move(home)), host_(host) {}

  // On PATH, with pyenv's shims resolved; otherwise from nvm, whose programs are on PATH only in a shell that loaded
  // it.
  std::string node() {
    if (std::string found = on_path({"node", "nodejs"}); !found.empty()) return found;
    const std::string nvm = host_.variable("NVM_DIR").value_or(home_.empty() ? "" : home_ + "/.nvm");
    if (!nvm.starts_with('/')) return {};
    const std::string versions = nvm + "/versions/node";
    std::string wanted = word_in(paths::join(folder_, ".nvmrc"), host_);
    if (wanted.empty()) wanted = word_in(nvm + "/alias/default", host_);
    // "lts/*" leads to "lts/jod", which leads to "v22.1.0".
    for (int i = 0; i < 4 && wanted.starts_with("lts/"); ++i) wanted = word_in(nvm + "/alias/" + wanted, host_);
    std::string version = newest(versions, wanted, host_);
    if (version.empty()) version = newest(versions, {}, host_);
    const std::string program = versions + "/" + version + "/bin/node";
    return !version.empty() && is_program(program, host_) ? program : std::string();
  }

  std::string python() { return on_path({"python3", "python"}); }

 private:
  std::string on_path(const std::vector<string_view>& names) {
    for (const string_view name : names)
      for (const std::string& directory : path_directories(host_)) {
        std::string program = paths::join(directory, name);
        if (!is_program(program, host_)) continue;
        if (paths::basename(directory) != "shims") return program;
        if (std::string real = behind_shim(directory, name); !real.empty()) return real;
      }
    return {};
  }

  // A shim is a shell script that runs pyenv; the version files hold the same answer.
  std::string behind_shim(const std::string& shims, string_view name) {
    const std::string root(paths::parent(shims));
    std::string wanted = host_.variable("PYENV_VERSION").value_or("");
    if (wanted.find('/') != std::string::npos || wanted.find("..") != std::string::npos) wanted.clear();
    if (wanted.empty()) wanted = word_in(paths::join(folder_, ".python-version"), host_);
    if (wanted.empty()) wanted = word_in(root + "/version", host_);
    if (wanted.empty() || wanted == "system" || wanted.find('/') != std::string::npos) return {};
    for (const std::string& version : {wanted, newest(root + "/versions", wanted, host_)}) {
      std::string program = root + "/versions/" + version + "/bin/" + std::string(name);
      if (!version.empty() && is_program(program, host_)) return program;
    }
    return {};
  }

  std::string folder_;
  std::string home_;
  HostView& host_;
};

// An interpreter outside of the system directories needs its own lib directory.
void add_prefix(const std::string& program, Launch& out, HostView& host) {
  const string_view bin = paths::parent(program);
  const string_view prefix = paths::parent(bin);
  if (paths::basename(bin) != "bin" || prefix == "/" || prefix == "/usr" || prefix == "/usr/local") return;
  const std::string lib = paths::join(prefix, "lib");
  const auto entries = host.list(lib);
  if (!entries) return;
  const bool its_own = std::any_of(entries->begin(), entries->end(), [](const HostEntry& entry) {
    return entry.name.starts_with("python") || entry.name.starts_with("libpython") || entry.name == "node_modules" ||
           entry.name.starts_with("libnode");
  });
  if (its_own) out.reads_if_there.push_back(lib);
}

// The plugin's own virtual environment. Its python must be the user's python: the plugin cannot choose another.
Result<std::string> virtual_environment(const std::string& folder, const std::string& python, HostView& host,
                                        Launch& out) {
  for (const char* name : {".venv", "venv"}) {
    const std::string inside = paths::join(folder, name);
    if (host.kind(paths::join(inside, "pyvenv.cfg")) != HostKind::kFile) continue;
    const std::string program = paths::join(inside, "bin/python3");
    const auto info = host.resolve(program);
    if (!info || info->kind != HostKind::kFile)
      return fail(ErrorKind::kInvalid, "its virtual environment " + shown(inside) + " has no python that is there",
                  "make it again: python3 -m venv " + text::shell_word(inside));
    if (info->canonical != python && !paths::beneath(info->canonical, folder))
      return fail(
          ErrorKind::kRefused,
          "its virtual environment leads to " + shown(info->canonical) + ", and your python is " + shown(python),
          "make it again: python3 -m venv " + text::shell_word(inside));
    // The links from there to the interpreter.
    for (const HostLink& link : info->links)
      if (!paths::beneath(link.at, folder)) out.reads.push_back(link.at);
    return program;
  }
  return std::string();
}

Result<void> add_interpreter(const Manifest& manifest, const std::string& folder, const std::string& home,
                             HostView& host, Launch& out) {
  Finder finder(folder, home, host);
  const bool python = manifest.runtime == Runtime::kPython;
  const std::string found = python ? finder.python() : finder.node();
  if (found.empty())
    return fail(ErrorKind::kNotFound,
                std::string(runtime_word(manifest.runtime)) + ", which the plugin needs, was not found",
                std::string("install ") + (python ? "python3" : "node") + ", or put it on PATH");
  PF_TRY(info, host.resolve(found));
  out.interpreter = info.canonical;
  out.reads.push_back(out.interpreter);
  add_prefix(out.interpreter, out, host);
  std::string program = out.interpreter;
  if (python) {
    PF_TRY(own, virtual_environment(folder, out.interpreter, host, out));
    if (!own.empty()) program = std::move(own);
  } else {
    // Debian's node loads parts of itself from these directories.
    out.reads_if_there.insert(out.reads_if_there.end(), {"/usr/share/nodejs", "/usr/share/node_modules"});
  }
  out.argv.push_back(std::move(program));
  return {};
}

void replace_all(std::string& text, string_view what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

}  // namespace

std::string find_on_path(const std::string& name, HostView& host) {
  for (const std::string& directory : path_directories(host))
    if (std::string program = paths::join(directory, name); is_program(program, host)) return program;
  return {};
}

Result<Launch> find_runtime(const Manifest& manifest, const std::string& folder, const std::string& home,
                            HostView& host) {
  Launch out;
  out.reads_if_there.assign(kShared.begin(), kShared.end());
  if (manifest.runtime != Runtime::kBinary) PF_CHECK(add_interpreter(manifest, folder, home, host, out));
  out.argv.push_back(paths::join(folder, manifest.entry));
  for (std::string argument : manifest.args) {
    replace_all(argument, "${__dirname}", folder);
    replace_all(argument, "${HOME}", home);
    out.argv.push_back(std::move(argument));
  }
  return out;
}

}  // namespace pinfold::plugin
