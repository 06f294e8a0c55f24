// tools.h: the file tools: each takes a path as somebody wrote it, and does one thing there or says why not.
// Invariant: walk, then judge the place that was reached, then act on that place's descriptors; never on a path again.
// Not here: the public face (library/files.cc), the command line (cli/files_*.cc).
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
  void set_asker(Gate::Asker asker) { gate_.set_asker(std::move(asker)); }

  Result<PathDecision> resolve(std::string_view path);
  Result<FileText> read(std::string_view path, const ReadOptions& options);
  Result<Changed> write(std::string_view path, std::string_view bytes, const WriteOptions& options);
  Result<Changed> edit(std::string_view path, const std::vector<Edit>& edits, const WriteOptions& options);
  Result<Listed> list(std::string_view directory, bool all);
  Result<Found> glob(std::string_view pattern, const GlobOptions& options);
  Result<Searched> search(std::string_view pattern, const SearchOptions& options);

  // Relative to the working directory where it lies below it.
  std::string shown_path(std::string_view canonical) const;

 private:
  Tools(Gate gate, Walker walker, Caller caller)
      : gate_(std::move(gate)), walker_(std::move(walker)), caller_(std::move(caller)) {}

  Result<std::string> absolute(std::string_view path) const;
  // The place that a path leads to, if that may be done there.
  Result<Place> reach(std::string_view path, Access wanted, LastLink last, Parents parents = Parents::kMustExist);
  Result<void> check_overrides(const Place& place, Access wanted, std::string_view spelled);
  // One regular file with one name; open for reading, or not open if it was changed meanwhile.
  Result<void> check_regular(const Place& place, Access wanted, std::string_view spelled) const;
  Result<sys::Fd> open_regular(const Place& place) const;
  Result<Changed> put(const Place& place, std::string_view bytes, const WriteOptions& options);
  Result<std::optional<Changed>> try_edit(std::string_view path, const std::vector<Edit>& edits,
                                          const WriteOptions& options);

  Gate gate_;
  Walker walker_;
  Caller caller_;
};

}  // namespace pinfold::files
