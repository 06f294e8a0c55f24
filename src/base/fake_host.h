// fake_host.h: a host in memory, for tests of pure code.
// Invariant: behaves as the real host: intermediate symlinks are followed, loops and missing names are errors.
// Not here: anything a program outside tests should include.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/host_view.h"
#include "base/text.h"

namespace pinfold {

class FakeHost : public HostView {
 public:
  FakeHost() {
    nodes_["/"] = Node{HostKind::kDirectory, {}};
    identity_ = {1000, 1000, "ada", "/home/ada"};
  }

  // ---- making the host; add() makes missing parents ----
  FakeHost& dir(const std::string& path) { return add(path, {HostKind::kDirectory, {}}); }
  FakeHost& file(const std::string& path, std::string content = {}) {
    return add(path, {HostKind::kFile, std::move(content)});
  }
  FakeHost& program(const std::string& path, std::string content =
                                                 "\x7f"
                                                 "ELF") {
    executables_.insert(path);
    return file(path, std::move(content));
  }
  FakeHost& link(const std::string& path, std::string target) {
    return add(path, {HostKind::kSymlink, std::move(target)});
  }
  FakeHost& other(const std::string& path, HostKind kind) { return add(path, {kind, {}}); }
  FakeHost& unreadable(const std::string& path) {
    unreadable_.insert(path);
    return *this;
  }
  // A directory of mode 000: may be neither listed nor searched.
  FakeHost& closed(const std::string& path) {
    unsearchable_.insert(path);
    return unreadable(path);
  }
  // A directory of mode 0400: may be listed only.
  FakeHost& unsearchable(const std::string& path) {
    unsearchable_.insert(path);
    return *this;
  }
  FakeHost& unwritable(const std::string& path) {
    unwritable_.insert(path);
    return *this;
  }
  FakeHost& owned(const std::string& path, std::uint32_t owner, std::uint32_t mode) {
    owners_[path] = {owner, mode};
    return *this;
  }
  FakeHost& uid(std::uint32_t id) {
    identity_.uid = identity_.gid = id;
    return *this;
  }
  FakeHost& user(std::string name) {
    identity_.user = std::move(name);
    return *this;
  }
  FakeHost& home(std::string path) {
    identity_.home = std::move(path);
    return *this;
  }
  FakeHost& var(const std::string& name, std::string value) {
    variables_[name] = std::move(value);
    return *this;
  }
  FakeHost& mount(std::string at, std::string type) {
    mounts_.push_back({std::move(at), std::move(type)});
    return *this;
  }
  FakeHost& memory(std::uint64_t bytes) {
    memory_ = bytes;
    return *this;
  }
  // Every call that reads a directory takes this long, and returns so many entries.
  FakeHost& list_takes_ms(std::uint64_t ms, std::size_t entries_per_call = SIZE_MAX) {
    list_ms_ = ms;
    entries_per_call_ = entries_per_call;
    return *this;
  }
  // Every kind() and resolve() takes this long.
  FakeHost& look_takes_ms(std::uint64_t ms) {
    look_ms_ = ms;
    return *this;
  }

  // An ordinary Debian-like system: merged /usr, sh, bash, git, python3, /etc, a home.
  FakeHost& debian() {
    dir("/usr/bin").dir("/usr/sbin").dir("/usr/lib").dir("/usr/lib64").dir("/usr/local/lib").dir("/usr/local/bin");
    link("/bin", "usr/bin").link("/sbin", "usr/sbin").link("/lib", "usr/lib").link("/lib64", "usr/lib64");
    program("/usr/bin/dash").program("/usr/bin/bash").program("/usr/bin/git").program("/usr/bin/python3.11");
    program("/usr/bin/env").program("/usr/bin/true").program("/usr/bin/ls");
    link("/usr/bin/sh", "dash").link("/usr/bin/python3", "python3.11");
    dir("/etc").file("/etc/passwd").file("/etc/shadow").file("/etc/gshadow").dir("/etc/ssl/private").dir("/sys");
    dir("/tmp").dir("/var/tmp").dir("/dev/shm").dir("/proc").dir("/run").dir("/opt").dir("/home/ada");
    unreadable("/etc/shadow").unreadable("/etc/gshadow").closed("/etc/ssl/private");
    var("PATH", "/usr/local/bin:/usr/bin:/bin").var("HOME", "/home/ada").var("USER", "ada").var("LANG", "C.UTF-8");
    return *this;
  }

  // ---- call counts ----
  std::size_t calls() const { return calls_; }
  std::size_t lists() const { return lists_; }

  // ---- HostView ----
  HostIdentity identity() override { return identity_; }
  HostKind kind(const std::string& path) override {
    ++calls_;
    now_ += look_ms_;
    HostPathInfo info;
    const auto error = walk(path, info, Last::kKeep, 0);
    return error ? HostKind::kMissing : info.kind;
  }
  HostKind reach(const std::string& path) override {
    ++calls_;
    now_ += look_ms_;
    HostPathInfo info;
    const auto error = walk(path, info, Last::kKeep, 0);
    if (!error) return info.kind;
    return error->kind() == ErrorKind::kRefused ? HostKind::kUnreachable : HostKind::kMissing;
  }
  Result<HostPathInfo> resolve(const std::string& path) override {
    ++calls_;
    now_ += look_ms_;
    HostPathInfo info;
    if (auto error = walk(path, info, Last::kFollow, 0)) return tl::unexpected<Error>(std::move(*error));
    return info;
  }
  Result<std::string> read_link(const std::string& path) override {
    ++calls_;
    HostPathInfo info;
    if (auto error = walk(path, info, Last::kKeep, 0)) return tl::unexpected<Error>(std::move(*error));
    if (info.kind != HostKind::kSymlink)
      return fail(ErrorKind::kSystem, "readlink(" + text::shown(path) + "): Invalid argument");
    return nodes_.at(info.canonical).text;
  }
  Result<HostListing> list_within(const std::string& directory, ListBounds bounds) override {
    ++calls_;
    ++lists_;
    now_ += list_ms_;
    HostPathInfo info;
    if (auto error = walk(directory, info, Last::kFollow, 0)) return tl::unexpected<Error>(std::move(*error));
    if (info.kind != HostKind::kDirectory)
      return fail(ErrorKind::kSystem, "opendir(" + text::shown(directory) + "): Not a directory");
    if (unreadable_.count(info.canonical) != 0)
      return fail(ErrorKind::kRefused, "opendir(" + text::shown(directory) + "): Permission denied");
    HostListing out;
    const std::string prefix = info.canonical == "/" ? "/" : info.canonical + "/";
    const auto children = children_.find(info.canonical);
    if (children == children_.end()) return out;
    std::size_t read = 1;
    for (const std::string& name : children->second) {
      if (out.entries.size() >= read * entries_per_call_) {
        if (++read > 2 && (out.entries.size() >= bounds.entries || now_ >= bounds.until_ms)) {
          out.complete = false;
          return out;
        }
        now_ += list_ms_;
      }
      out.entries.push_back({name, nodes_.at(prefix + name).kind});
    }
    return out;
  }
  Result<std::string> read_file(const std::string& path, std::size_t limit) override {
    ++calls_;
    HostPathInfo info;
    if (auto error = walk(path, info, Last::kFollow, 0)) return tl::unexpected<Error>(std::move(*error));
    if (info.kind != HostKind::kFile)
      return fail(ErrorKind::kSystem, "open(" + text::shown(path) + "): not a regular file");
    if (unreadable_.count(info.canonical) != 0)
      return fail(ErrorKind::kSystem, "open(" + text::shown(path) + "): Permission denied");
    return nodes_.at(info.canonical).text.substr(0, limit);
  }
  Result<HostFile> read_owned(const std::string& directory, const std::string& name, Links links,
                              std::size_t limit) override {
    HostPathInfo info;
    const std::string path = directory + "/" + name;
    if (auto error = walk(path, info, Last::kFollow, 0)) return tl::unexpected<Error>(std::move(*error));
    if (links == Links::kStayInside && !info.canonical.starts_with(directory + "/"))
      return fail(ErrorKind::kRefused, text::shown(path) + " is a symlink that leads out of " + text::shown(directory));
    auto text = read_file(path, limit + 1);
    if (!text) return tl::unexpected<Error>(std::move(text).error());
    if (text->size() > limit) return fail(ErrorKind::kRefused, text::shown(path) + " is too long");
    HostFile out{std::move(*text), identity_.uid, identity_.gid, 0644};
    if (const auto it = owners_.find(info.canonical); it != owners_.end()) {
      out.uid = out.gid = it->second.first;
      out.mode = it->second.second;
    }
    return out;
  }
  bool readable(const std::string& path) override {
    ++calls_;
    HostPathInfo info;
    return !walk(path, info, Last::kFollow, 0) && unreadable_.count(info.canonical) == 0;
  }
  bool writable(const std::string& path) override {
    HostPathInfo info;
    return !walk(path, info, Last::kFollow, 0) && unwritable_.count(info.canonical) == 0;
  }
  bool owned(const std::string& path) override { return kind(path) != HostKind::kMissing && owners_.count(path) == 0; }
  bool executable(const std::string& path) override {
    ++calls_;
    HostPathInfo info;
    if (walk(path, info, Last::kFollow, 0)) return false;
    return info.kind == HostKind::kDirectory ? unsearchable_.count(info.canonical) == 0
                                             : executables_.count(info.canonical) != 0;
  }
  std::vector<HostMount> kernel_mounts() override { return mounts_; }
  std::optional<std::string> variable(const std::string& name) override {
    const auto it = variables_.find(name);
    if (it == variables_.end()) return std::nullopt;
    return it->second;
  }
  std::vector<std::string> variable_names() override {
    std::vector<std::string> names;
    for (const auto& [name, value] : variables_) names.push_back(name);
    return names;
  }
  std::uint64_t memory_size() override { return memory_; }
  std::uint64_t now_ms() override { return now_; }

 private:
  struct Node {
    HostKind kind = HostKind::kMissing;
    std::string text;  // a file's content, a symlink's target
  };
  enum class Last { kFollow, kKeep };

  static std::string above(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
  }
  FakeHost& add(const std::string& path, Node node) {
    if (path != "/") {
      const std::string parent = above(path);
      if (nodes_.count(parent) == 0) dir(parent);
      children_[parent].insert(path.substr(path.rfind('/') + 1));
    }
    nodes_[path] = std::move(node);
    return *this;
  }
  std::optional<Error> walk(const std::string& path, HostPathInfo& info, Last last, int depth) {
    if (depth > 40) return Error(ErrorKind::kSystem, text::shown(path) + ": Too many levels of symbolic links");
    if (path.empty() || path[0] != '/') return Error(ErrorKind::kInvalid, text::shown(path) + ": not absolute");
    std::string at = "/";
    std::size_t begin = 1;
    while (begin <= path.size()) {
      std::size_t end = path.find('/', begin);
      if (end == std::string::npos) end = path.size();
      const std::string name = path.substr(begin, end - begin);
      const bool final_part = end >= path.size();
      begin = end + 1;
      if (name.empty() || name == ".") continue;
      if (name == "..") {
        at = above(at);
        continue;
      }
      if (nodes_.at(at).kind != HostKind::kDirectory)
        return Error(ErrorKind::kNotFound, text::shown(at) + ": Not a directory");
      if (unsearchable_.count(at) != 0) return Error(ErrorKind::kRefused, text::shown(at) + ": Permission denied");
      const std::string next = at == "/" ? "/" + name : at + "/" + name;
      const auto it = nodes_.find(next);
      if (it == nodes_.end()) return Error(ErrorKind::kNotFound, text::shown(next) + ": No such file or directory");
      if (it->second.kind == HostKind::kSymlink && !(final_part && last == Last::kKeep)) {
        const std::string& target = it->second.text;
        HostPathInfo inner;
        const std::string full = !target.empty() && target[0] == '/' ? target : at + "/" + target;
        const std::size_t mine = info.links.size();
        info.links.push_back({next, {}});
        if (auto error = walk(full, inner, Last::kFollow, depth + 1)) return error;
        info.links[mine].target = inner.canonical;
        for (auto& link : inner.links) info.links.push_back(std::move(link));
        at = inner.canonical;
        continue;
      }
      at = next;
    }
    info.canonical = at;
    info.kind = nodes_.at(at).kind;
    return std::nullopt;
  }

  std::map<std::string, Node> nodes_;
  std::map<std::string, std::set<std::string>> children_;
  std::set<std::string> executables_, unreadable_, unsearchable_, unwritable_;
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> owners_;
  std::map<std::string, std::string> variables_;
  std::vector<HostMount> mounts_;
  HostIdentity identity_;
  std::uint64_t memory_ = std::uint64_t{8} << 30;
  std::uint64_t now_ = 1000;
  std::uint64_t list_ms_ = 0;
  std::size_t entries_per_call_ = SIZE_MAX;
  std::uint64_t look_ms_ = 0;
  std::size_t calls_ = 0;
  std::size_t lists_ = 0;
};

}  // namespace pinfold
