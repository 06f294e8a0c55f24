// failure.h: error texts for the {stage, errno} that code between clone and exec reports.
#pragma once

#include "backend/backend.h"
#include "backend/linux/child/protocol.h"
#include "backend/linux/lower/lower.h"
#include "pinfold/result.h"

namespace pinfold::backend::on_linux {

// The sandbox could not be confined: init has exited, and no further request is possible.
bool ends_the_sandbox(child::Stage stage);

Error explain(const child::Failure& failure, const LoweredPlan& lowered, const Launch& launch);

// The kernel refuses a new /proc that would show more than the existing one.
inline constexpr const char* kMaskedProcFix =
    "parts of /proc are masked here, as in many containers: unmask it (Docker: --security-opt "
    "systempaths=unconfined)";

// /proc is empty.
inline constexpr const char* kNoProcFix = "mount /proc: mount -t proc proc /proc";

// For a refused CLONE_NEW…: names the usual causes on this host and the fix.
Error explain_no_namespaces(int error);

}  // namespace pinfold::backend::on_linux
