// tools.h: the file tools: each takes a path as the caller wrote it, and performs one operation there or fails with the
// rule.
// Invariant: walk, then check the entry that was reached, then act on the entry's descriptors; never on a path again.
// Not here: the public interface (library/files.cc), the command line (cli/files_*.cc).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/host_view.h"
#include "files/access_check.h"
#include "files/walk.h"
#include "pinfold/files.h"

namespace pinfold::files {

class Tools {
 public:
  static Result<Tools> open(const Policy& policy, Caller caller, HostView& host);
  void set_asker(AccessCheck::Asker asker) { access_.set_asker(std::move(asker)); }

  Result<PathDecision> resolve(std::string_view path);
  Result<FileText> read(std::string_view path, const ReadOptions& options);
  Result<FileChange> write(std::string_view path, std::string_view bytes, const WriteOptions& options);
  Result<FileChange> edit(std::string_view path, const std::vector<Edit>& edits, const WriteOptions& options);
  Result<Listing> list(std::string_view directory, bool all);
  Result<GlobResult> glob(std::string_view pattern, const GlobOptions& options);
  Result<SearchResult> search(std::string_view pattern, const SearchOptions& options);

  // Relative to the working directory where it lies below it.
  std::string shown_path(std::string_view canonical) const;

 private:
  Tools(AccessCheck access, Walker walker, Caller caller)
      : access_(std::move(access)), walker_(std::move(walker)), caller_(std::move(caller)) {}

  Result<std::string> absolute(std::string_view path) const;
  // The entry that a path leads to, if the policy allows the access.
  Result<DirectoryEntry> reach(std::string_view path, Access wanted, LastLink last,
                               Parents parents = Parents::kMustExist);
  Result<void> check_overrides(const DirectoryEntry& entry, Access wanted, std::string_view spelled);
  // One regular file with one name; open for reading, or not open if it was replaced since.
  Result<void> check_regular(const DirectoryEntry& entry, Access wanted, std::string_view spelled) const;
  Result<sys::Fd> open_regular(const DirectoryEntry& entry) const;
  Result<FileChange> put(const DirectoryEntry& entry, std::string_view bytes, const WriteOptions& options);
  Result<std::optional<FileChange>> try_edit(std::string_view path, const std::vector<Edit>& edits,
                                             const WriteOptions& options);

  AccessCheck access_;
  Walker walker_;
  Caller caller_;
};

}  // namespace pinfold::files
