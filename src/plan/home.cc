// home.cc: the made-up home directory: toolchains, private caches, a name for git, and nothing else.
// Invariant: nothing of the host's home is shown here; caches belong to one project and live below pinfold's own
// directory. Not here: the toolchains themselves (they are path rules, shows.cc).
#include <sodium/crypto_hash_sha256.h>

#include <array>
#include <set>
#include <unordered_set>

#include "base/paths.h"
#include "plan/caches.h"
#include "plan/draft.h"
#include "plan/git_identity.h"

namespace pinfold::plan {
namespace {

using std::string_view;

struct CacheLink {
  string_view at;         // below the home
  string_view target;     // relative, as the link stores it
  string_view directory;  // below the private cache
};
// Where tools insist on writing beside ~/.cache.
constexpr auto kLinks = std::to_array<CacheLink>({{".npm", ".cache/npm", "npm"},
                                                  {".gradle", ".cache/gradle", "gradle"},
                                                  {".m2", ".cache/m2", "m2"},
                                                  {".yarn", ".cache/yarn-berry", "yarn-berry"},
                                                  {".pnpm-store", ".cache/pnpm-store", "pnpm-store"},
                                                  {".node-gyp", ".cache/node-gyp", "node-gyp"},
                                                  {".ivy2", ".cache/ivy2", "ivy2"},
                                                  {".sbt", ".cache/sbt", "sbt"},
                                                  {".nuget", ".cache/nuget", "nuget"},
                                                  {".java", ".cache/java", "java"},
                                                  {".pub-cache", ".cache/pub", "pub"},
                                                  {".bundle", ".cache/bundle", "bundle"},
                                                  {".gem", ".cache/gem", "gem"},
                                                  {".cargo", ".cache/cargo", "cargo"},
                                                  {".local/state", "../.cache/state", "state"}});

constexpr std::size_t kLongestConfig = 64 * 1024;

// The name of a project's cache: 160 bits of SHA-256, so that two paths with one name cannot be computed.
std::string cache_key(const std::string& project) {
  constexpr std::size_t kBytes = 20;
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(project.data()), project.size());
  std::string out;
  for (std::size_t i = 0; i < kBytes; ++i) {
    out += "0123456789abcdef"[digest[i] >> 4U];
    out += "0123456789abcdef"[digest[i] & 15U];
  }
  return out;
}

std::string home_path(Draft& draft) {
  std::string home = draft.host.variable("HOME").value_or("");
  if (home.empty() || home[0] != '/') home = draft.identity.home;
  if (home.empty() || home[0] != '/') return {};
  return paths::normal(home);
}

class Home {
 public:
  Home(Draft& draft, std::string home) : draft_(draft), home_(std::move(home)) {
    for (const auto& rule : draft_.scope.rules())
      if (rule.access != Access::kHide) take(rule.path);
    for (const HostLink& link : draft_.scope.links()) take(link.at);
  }

  void add() {
    // Below a shown directory the rule that hides the home masks it already.
    if (!draft_.visible(paths::parent(home_))) push(MakeDirectory{home_});
    add_cache();
    add_git_identity();
  }

 private:
  template <typename Body>
  void push(Body body) {
    draft_.paths.push_back(Draft::step(std::move(body), Need::kRequired, draft_.preset));
  }
  // This path and everything between it and the home is spoken for by a rule.
  void take(string_view path) {
    for (; paths::beneath(path, home_); path = paths::parent(path))
      if (!taken_.insert(std::string(path)).second) return;
  }
  bool taken(const std::string& path) const { return taken_.count(path) != 0; }

  void add_cache() {
    const std::string at = paths::join(home_, ".cache");
    if (draft_.scope.at(at) != nullptr) return;
    std::string base = draft_.host.variable("XDG_CACHE_HOME").value_or("");
    base = base.empty() || base[0] != '/' ? at : paths::normal(base);
    auto info = draft_.host.resolve(base);
    if (info)
      base = std::move(info->canonical);
    else if (draft_.host.kind(base) == HostKind::kSymlink)
      return;  // leads nowhere
    const std::string host = directory_for(base + "/pinfold/projects/") + "/home";

    // Made from outside, so no part of the way may be under a command's control. Pinfold's own directories are hidden,
    // but the directories above them may not be.
    if (draft_.visible(base) || draft_.visible(host)) return;

    ShowPath cache{host, at, draft_.view(Access::kWrite), EntryKind::kDirectory, Ensure::kCreate, {}};
    if (taken(at) && !make_room(at, cache)) return;
    for (const CacheLink& link : kLinks) {
      std::string from = paths::join(home_, link.at);
      if (taken(from)) continue;
      cache.subdirectories.emplace_back(link.directory);
      push(MakeLink{std::move(from), std::string(link.target)});
    }
    push(std::move(cache));
  }

  // A directory that belongs to another project is not changed; the next name is tried.
  std::string directory_for(const std::string& projects) {
    const std::string project = cached_project(draft_.scope.workspaces(), draft_.working_dir);
    const std::string first = projects + cache_key(project);
    std::string out = first;
    for (int number = 2; number < 10; ++number) {
      const auto owner = draft_.host.read_file(paths::join(out, kCacheOwner), project.size() + 1);
      if (!owner || *owner == project) break;
      out = first + "-" + std::to_string(number);
    }
    return out;
  }

  // A rule below ~/.cache needs something to be shown on. The cache is writable from inside, so nothing but a single
  // name may ever be made in it from outside: a deeper path could lead through a planted symlink. False if a rule shows
  // a file right in it.
  bool make_room(const std::string& at, ShowPath& cache) {
    std::set<string_view> names;
    std::set<string_view> masks;
    for (const auto& rule : draft_.scope.rules()) {
      if (rule.access == Access::kHide || !paths::beneath(rule.path, at)) continue;
      const string_view below = paths::relative(rule.path, at);
      const string_view first = below.substr(0, below.find('/'));
      if (first == below && rule.kind != HostKind::kDirectory) return false;
      names.insert(first);
      if (first != below && draft_.scope.at(paths::join(at, first)) == nullptr) masks.insert(first);
    }
    cache.subdirectories.assign(names.begin(), names.end());
    for (const string_view mask : masks) push(HidePath{paths::join(at, mask), EntryKind::kDirectory, {}});
    return true;
  }

  void add_git_identity() {
    const std::string at = paths::join(home_, ".gitconfig");
    if (taken(at)) return;
    std::vector<std::string> files;
    std::string config = draft_.host.variable("XDG_CONFIG_HOME").value_or("");
    if (config.empty() || config[0] != '/') config = paths::join(home_, ".config");
    for (const std::string& path : {config + "/git/config", at}) {
      auto text = draft_.host.read_file(path, kLongestConfig);
      if (text) files.push_back(std::move(*text));
    }
    std::string content = git_identity(files);
    if (!content.empty()) push(MakeFile{at, std::move(content)});
  }

  Draft& draft_;
  std::string home_;
  std::unordered_set<std::string> taken_;
};

}  // namespace

std::string cached_project(const std::vector<std::string>& workspaces, const std::string& working_dir) {
  return workspaces.empty() ? working_dir : workspaces[0];
}

std::string cache_directory(const Plan& plan) {
  for (const Step& step : plan.steps)
    if (const auto* show = std::get_if<ShowPath>(&step.body); show != nullptr && show->ensure == Ensure::kCreate)
      return std::string(paths::parent(show->host));
  return {};
}

void add_home(Draft& draft) {
  if (draft.scope.policy().home != HomeMode::kHidden) return;
  const std::string given = home_path(draft);
  if (given.empty() || given == "/") return;
  auto info = draft.host.resolve(given);
  if (!info || info->kind != HostKind::kDirectory || info->canonical == "/") return;
  if (draft.visible(info->canonical)) return;
  for (const HostLink& link : info->links) {
    bool known = draft.visible(paths::parent(link.at));
    for (const HostLink& other : draft.scope.links()) known = known || other.at == link.at;
    auto target = known ? Result<std::string>(std::string()) : draft.host.read_link(link.at);
    if (!known && target)
      draft.paths.push_back(Draft::step(MakeLink{link.at, std::move(*target)}, Need::kRequired, draft.preset));
  }
  Home(draft, std::move(info->canonical)).add();
}

}  // namespace pinfold::plan
