// mount_plan.h: collects the entries of the sandbox's file tree and orders them into mount operations.
// Invariant: see lower.h. The tree is built on paths relative to the new root.
// Not here: anything but files.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backend/linux/child/blueprint.h"
#include "pinfold/plan.h"

namespace pinfold::backend::on_linux {

class MountPlanBuilder {
 public:
  explicit MountPlanBuilder(std::deque<std::string>& text) : text_(text) {}

  // Entries may come in any order; build() sorts them.
  void show(const std::string& host, const std::string& at, EntryKind kind, std::uint64_t attributes,
            std::uint64_t landlock);
  void device(const std::string& at, std::uint64_t landlock);  // one of child::kDevices
  void hide(const std::string& at, EntryKind kind);
  void own(const std::string& at);  // replaced by a tmpfs of its own, which holds only entries of this plan
  void pin(const std::string& at);  // bound onto itself with the same attributes: a mount point cannot be renamed
  void freeze(const std::string& at, EntryKind kind);  // bound onto itself read-only
  void make_directory(const std::string& at);
  void make_link(const std::string& at, const std::string& target);
  void make_file(const std::string& at, const std::string& content);
  void tmp(const std::string& at, const std::string& size, std::uint64_t attributes, std::uint64_t landlock);
  void proc(const std::string& at, std::uint64_t landlock);
  void terminals(const std::string& at, std::uint64_t landlock);

  // The operations, in order.
  std::vector<child::Op> build() &&;
  bool root_is_shown() const { return root_is_shown_; }

 private:
  enum class Kind {
    kMakeDirectory,
    kMakeLink,
    kMakeFile,
    kShow,
    kDevice,
    kOwn,
    kTmp,
    kProc,
    kTerminals,
    kPin,
    kFreeze,
    kHide
  };
  struct Entry {
    std::string at;
    Kind kind;
    EntryKind entry = EntryKind::kDirectory;
    std::string host;
    std::string text;
    std::uint64_t attributes = 0;
    std::uint64_t landlock = 0;
    std::size_t depth = 0;  // of `at`, for the order
  };
  // The mount at or above a path: shown from the host, or the sandbox's own.
  struct BackingMount {
    bool shown = false;
    const Entry* entry = nullptr;
  };
  const char* keep(std::string text);
  BackingMount backing_mount(std::string_view path) const;
  void ensure_directories(const std::string& path, std::vector<child::Op>& ops);
  void add_op(Entry& entry, std::vector<child::Op>& ops);

  std::deque<std::string>& text_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, BackingMount> mounts_;  // mounts so far, by path
  std::unordered_set<std::string> made_;
  std::unordered_set<std::string> masked_;
  std::unordered_set<std::string> pinned_;
  std::vector<std::string> sealed_;
  bool root_is_shown_ = false;
};

}  // namespace pinfold::backend::on_linux
