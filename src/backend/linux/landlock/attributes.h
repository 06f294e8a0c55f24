// attributes.h: trapped calls that change a file's mode, owner, times or extended attributes, performed on behalf of
// the command.
// Invariant: acts on the pinned file, and never does more than the caller, which has no capabilities, could do itself.
// Not here: whether the file may be changed at all (metadata_broker.cc).
#pragma once

#include <linux/seccomp.h>

#include <optional>
#include <string>

#include "backend/linux/notify/trapped_call.h"

namespace pinfold::backend::on_linux {

struct AttributeTarget {
  int directory = 0;  // the caller's descriptor, or AT_FDCWD
  std::string path;   // empty: the descriptor itself
  Follow follow = Follow::kLinks;
};

// The file that the call would change; nullopt if it is another kind of call, or if its memory cannot be read.
std::optional<AttributeTarget> attribute_target(const seccomp_notif& call);
bool changes_attributes(int number);
// Makes the change; 0 or an errno.
int change_attributes(const seccomp_notif& call, const sys::Fd& file);

}  // namespace pinfold::backend::on_linux
