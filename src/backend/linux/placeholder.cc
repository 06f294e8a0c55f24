// placeholder.cc: makes and removes placeholders.
#include "backend/linux/placeholder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::linux_native {
namespace {

// Whoever finds one after a crash can read what it is; two runs at once share it and the last one removes it.
constexpr std::string_view kMark = "Placeholder of a running pinfold sandbox; removed when the run ends.\n";

bool is_ours(int directory, const std::string& name) {
  auto fd = sys::Fd::adopt(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.raw(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  std::array<char, kMark.size() + 1> text{};
  return ::read(fd.raw(), text.data(), text.size()) == static_cast<ssize_t>(kMark.size()) &&
         std::string_view(text.data(), kMark.size()) == kMark;
}

}  // namespace

Placeholders::Placeholders(const Plan& plan) {
  for (const Step& step : plan.steps)
    if (const auto* name = std::get_if<ProtectName>(&step.body); name != nullptr && name->guard == NameGuard::kPlaceholder)
      names_.push_back(Name{name->parent, name->name,
                            sys::Fd::adopt(::open(name->parent.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))});
}

Result<void> Placeholders::make() {
  for (const Name& each : names_) {
    std::string path = each.parent + "/" + each.name;
    PF_TRY(fd, sys::call_fd("create", path,
                            [&] {
                              return ::openat(each.directory.raw(), each.name.c_str(),
                                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
                            }),
           "holding the place of a protected name");
    PF_TRY(size, sys::call("write", path, [&] { return ::write(fd.raw(), kMark.data(), kMark.size()); }),
           "holding the place of a protected name");
    static_cast<void>(size);
  }
  return {};
}

void Placeholders::remove() {
  for (const Name& each : names_)
    if (each.directory.is_open() && is_ours(each.directory.raw(), each.name))
      ::unlinkat(each.directory.raw(), each.name.c_str(), 0);
}

std::vector<int> Placeholders::descriptors() const {
  std::vector<int> fds;
  for (const Name& each : names_)
    if (each.directory.is_open()) fds.push_back(each.directory.raw());
  return fds;
}

}  // namespace pinfold::backend::linux_native
