// failure.h: words for what the child could only report as {stage, errno}.
#pragma once

#include "backend/backend.h"
#include "backend/linux/child/protocol.h"
#include "backend/linux/lower/lower.h"
#include "pinfold/result.h"

namespace pinfold::backend::on_linux {

// A wall failed: the first process has ended, and there is nobody left to ask.
bool ends_the_sandbox(child::Stage stage);

Error explain(const child::Failure& failure, const Lowered& lowered, const Launch& launch);

// The kernel shows no /proc in which more could be seen than in the one that is there.
inline constexpr const char* kMaskedProcFix =
    "parts of /proc are masked here, as in many containers: unmask it (Docker: --security-opt "
    "systempaths=unconfined)";

// /proc is empty.
inline constexpr const char* kNoProcFix = "mount /proc: mount -t proc proc /proc";

// CLONE_NEW… was refused: names the usual causes on this host and the fix.
Error explain_no_namespaces(int error);

}  // namespace pinfold::backend::on_linux
