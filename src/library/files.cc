// files.cc: the public API of the file tools, on the real host.
#include "pinfold/files.h"

#include <utility>

#include "base/guarded.h"
#include "base/try.h"
#include "files/tools.h"
#include "sys/host.h"

namespace pinfold {

struct Files::Body {
  std::unique_ptr<HostView> host;
  files::Tools tools;
};

Files::Files(std::unique_ptr<Body> body) noexcept : body_(std::move(body)) {}
Files::Files(Files&& other) noexcept = default;
Files& Files::operator=(Files&& other) noexcept = default;
Files::~Files() = default;

Result<Files> Files::open(const Policy& policy) noexcept {
  return guarded([&]() -> Result<Files> {
    auto host = sys::real_host();
    PF_TRY(caller, sys::find_caller(*host));
    PF_TRY(tools, files::Tools::open(policy, std::move(caller), *host));
    return Files(std::make_unique<Body>(Body{std::move(host), std::move(tools)}));
  });
}

void Files::set_asker(std::function<bool(const FileApprovalRequest&)> asker) noexcept {
  body_->tools.set_asker(std::move(asker));
}

Result<PathDecision> Files::resolve(std::string_view path) noexcept {
  return guarded([&] { return body_->tools.resolve(path); });
}

bool Files::allowed(std::string_view path, Access wanted) noexcept {
  const auto found = resolve(path);
  return found && found->access >= wanted;
}

Result<FileText> Files::read(std::string_view path, const ReadOptions& options) noexcept {
  return guarded([&] { return body_->tools.read(path, options); });
}

Result<FileChange> Files::write(std::string_view path, std::string_view bytes, const WriteOptions& options) noexcept {
  return guarded([&] { return body_->tools.write(path, bytes, options); });
}

Result<FileChange> Files::edit(std::string_view path, const std::vector<Edit>& edits,
                               const WriteOptions& options) noexcept {
  return guarded([&] { return body_->tools.edit(path, edits, options); });
}

Result<Listing> Files::list(std::string_view directory, bool all) noexcept {
  return guarded([&] { return body_->tools.list(directory, all); });
}

Result<GlobResult> Files::glob(std::string_view pattern, const GlobOptions& options) noexcept {
  return guarded([&] { return body_->tools.glob(pattern, options); });
}

Result<SearchResult> Files::search(std::string_view pattern, const SearchOptions& options) noexcept {
  return guarded([&] { return body_->tools.search(pattern, options); });
}

}  // namespace pinfold
