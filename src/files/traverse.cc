// traverse.cc: every file below a directory that may be read, by several threads.
// Invariant: the work is a stack under one lock, so that few directories are open at once; each entry is judged once.
// Not here: processing the files.
#include "files/traverse.h"

#include <fcntl.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/paths.h"
#include "files/entries.h"
#include "sys/call.h"

namespace pinfold::files {
namespace {

using std::string_view;

constexpr std::size_t kMostWorkers = 8;
constexpr std::size_t kBatch = 64;  // files of one directory that one thread takes at a time

struct File {
  std::string name;
  EntryType type;
};

// A directory to enter, or files of one that is entered already.
struct Work {
  std::shared_ptr<OpenDirectory> directory;  // of the files; or the one that holds the directory to enter
  std::string enter;                         // its name, or empty
  std::size_t ignored_claim = 0;
  std::vector<File> files;
};

}  // namespace

std::string VisitedFile::path() const { return paths::join(directory.path, name); }

std::size_t Traversal::workers() {
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  return std::min(processors, kMostWorkers);
}

bool Traversal::leaves_out(const OpenDirectory& directory, string_view name, const std::string& path,
                           EntryType type) const {
  const policy::Scope& scope = access_.scope();
  if (directory.look_at_each) {
    if (scope.look_up(path).access == Access::kHide && !access_.rule_below(path)) return true;
  } else {
    bool hidden = false;
    scope.each_workspace_around(directory.path, [&](const std::string& workspace) {
      hidden = hidden || scope.patterns().match(name, paths::relative(path, workspace)) >= 0;
    });
    if (hidden) return true;
  }
  if (access_.ignored() == Ignored::kAllow) return false;
  if (access_.ignored() == Ignored::kAsk && access_.private_by(path) != nullptr) return true;
  const EntryKind kind = type == EntryType::kDirectory ? EntryKind::kDirectory : EntryKind::kOther;
  const bool ignored = directory.ignored_claim > 0 || (directory.ignores && ignored_by(directory.ignores, path, kind));
  if (!ignored) return false;
  const std::size_t claim = directory.ignored_claim > 0 ? directory.ignored_claim : path.size();
  return !access_.named(path, claim) && !(type == EntryType::kDirectory && access_.rule_below(path));
}

class WorkerPool {
 public:
  WorkerPool(Traversal& traversal, const std::function<void(const VisitedFile&)>& visit, const std::atomic<bool>& stop)
      : traversal_(traversal), visit_(visit), stop_(stop) {}

  void run(std::shared_ptr<OpenDirectory> start) {
    open_ = 1;  // the first directory counts until it was listed
    list(start, 0);
    finish_one();
    start.reset();
    std::vector<std::thread> others;
    const std::size_t count = Traversal::workers();
    {
      const std::lock_guard<std::mutex> hold(lock_);
      if (stack_.empty()) return;
    }
    for (std::size_t i = 1; i < count; ++i) others.emplace_back([this, i] { run_worker(i); });
    run_worker(0);
    for (std::thread& one : others) one.join();
  }

 private:
  void run_worker(std::size_t worker) {
    for (;;) {
      Work work;
      {
        std::unique_lock<std::mutex> hold(lock_);
        wake_.wait(hold, [this] { return !stack_.empty() || open_ == 0 || stop_.load(std::memory_order_relaxed); });
        if (stack_.empty() || stop_.load(std::memory_order_relaxed)) {
          wake_.notify_all();
          return;
        }
        work = std::move(stack_.back());
        stack_.pop_back();
      }
      if (work.enter.empty())
        visit(*work.directory, work.files, worker);
      else
        enter(work, worker);
      finish_one();
    }
  }

  void finish_one() {
    const std::lock_guard<std::mutex> hold(lock_);
    if (--open_ == 0) wake_.notify_all();
  }

  void give(std::vector<Work>& all) {
    if (all.empty()) return;
    const bool several = all.size() > 1;
    {
      const std::lock_guard<std::mutex> hold(lock_);
      open_ += all.size();
      for (Work& one : all) stack_.push_back(std::move(one));
    }
    all.clear();
    if (several)
      wake_.notify_all();
    else
      wake_.notify_one();
  }

  void enter(const Work& work, std::size_t worker) {
    auto entered = std::make_shared<OpenDirectory>();
    entered->fd = sys::Fd::adopt(open_name(work.directory->fd.raw(), work.enter, O_RDONLY | O_DIRECTORY | O_NONBLOCK));
    if (!entered->fd.is_open()) {
      if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) ++traversal_.skipped_.unreadable;
      return;
    }
    entered->path = paths::join(work.directory->path, work.enter);
    entered->ignores = work.directory->ignores;
    entered->ignored_claim = work.ignored_claim;
    list(entered, worker);
  }

  void list(const std::shared_ptr<OpenDirectory>& directory, std::size_t worker) {
    const AccessCheck& access = traversal_.access_;
    directory->look_at_each = access.rule_below(directory->path) || access.scope().patterns().any_absolute() ||
                              !access.scope().names().absolute().empty() || !access.shows(directory->path);
    std::vector<File> entries;
    Presence git = Presence::kNo;
    Presence gitignore = Presence::kNo;
    const int error = each_entry(directory->fd.raw(), [&](string_view name, EntryType type) {
      if (name == ".git") {
        git = Presence::kYes;
        return true;
      }
      if (name == ".gitignore") gitignore = Presence::kYes;
      if (type != EntryType::kOther) entries.push_back({std::string(name), type});
      return !stop_.load(std::memory_order_relaxed);
    });
    if (error != 0) ++traversal_.skipped_.unreadable;
    directory->ignores =
        ignores_in(directory->fd.raw(), directory->path, std::move(directory->ignores), git, gitignore);

    std::vector<File> files;
    std::vector<Work> more;
    std::string path = directory->path == "/" ? "/" : directory->path + "/";
    const std::size_t base = path.size();
    for (File& one : entries) {
      path.resize(base);
      path += one.name;
      if (traversal_.leaves_out(*directory, one.name, path, one.type)) {
        ++traversal_.skipped_.ignored;
        continue;
      }
      if (one.type == EntryType::kDirectory) {
        more.push_back({directory, std::move(one.name), claim_of(*directory, path), {}});
        continue;
      }
      files.push_back(std::move(one));
      if (files.size() < kBatch) continue;
      more.push_back({directory, {}, 0, std::move(files)});
      files.clear();
    }
    give(more);
    visit(*directory, files, worker);
  }

  // Entered although it is ignored: a rule names a path below it.
  std::size_t claim_of(const OpenDirectory& directory, const std::string& path) const {
    if (traversal_.access_.ignored() == Ignored::kAllow) return 0;
    if (directory.ignored_claim > 0)
      return traversal_.access_.named(path, directory.ignored_claim) ? 0 : directory.ignored_claim;
    if (!directory.ignores || !ignored_by(directory.ignores, path, EntryKind::kDirectory)) return 0;
    return traversal_.access_.named(path, path.size()) ? 0 : path.size();
  }

  void visit(const OpenDirectory& directory, const std::vector<File>& files, std::size_t worker) const {
    for (const File& one : files) {
      if (stop_.load(std::memory_order_relaxed)) return;
      visit_({directory, one.name, one.type, worker});
    }
  }

  Traversal& traversal_;
  const std::function<void(const VisitedFile&)>& visit_;
  const std::atomic<bool>& stop_;
  std::mutex lock_;
  std::condition_variable wake_;
  std::vector<Work> stack_;
  std::size_t open_ = 0;  // work that is on the stack or being done
};

void Traversal::run(DirectoryEntry start, const std::function<void(const VisitedFile&)>& visit,
                    const std::atomic<bool>& stop) {
  auto first = std::make_shared<OpenDirectory>();
  first->fd = sys::Fd::adopt(::openat(start.self.raw(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!first->fd.is_open()) {
    ++skipped_.unreadable;
    return;
  }
  first->path = std::move(start.path);
  // Its own ignore file is read when it is listed.
  const Root* root = walker_.around(first->path);
  if (root != nullptr && root->path != first->path)
    first->ignores = ignores_down_to(walker_, std::string(paths::parent(first->path)), nullptr);
  WorkerPool(*this, visit, stop).run(std::move(first));
}

}  // namespace pinfold::files
