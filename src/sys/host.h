// host.h: the real host behind HostView.
#pragma once

#include <memory>

#include "base/host_view.h"

namespace pinfold::sys {

std::unique_ptr<HostView> real_host();

}  // namespace pinfold::sys
