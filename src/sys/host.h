// host.h: the real host behind HostView.
#pragma once

#include <memory>

#include "base/host_view.h"
#include "pinfold/policy.h"

namespace pinfold::sys {

std::unique_ptr<HostView> real_host();

// Home and working directory of this process. A working directory that no longer exists is an error.
Result<Caller> find_caller(HostView& host);

#if defined(__APPLE__)
inline constexpr Platform kThisPlatform = Platform::kMacos;
#elif defined(_WIN32)
inline constexpr Platform kThisPlatform = Platform::kWindows;
#else
inline constexpr Platform kThisPlatform = Platform::kLinux;
#endif

}  // namespace pinfold::sys
