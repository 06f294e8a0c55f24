// attributes.h: a trapped call that changes a file's mode, owner, times or attributes, and making it on the caller's
// behalf. Invariant: done on the pinned file, and never more than the caller, who has no capabilities, could do itself.
// Not here: whether the file may be changed at all (metadata_broker.cc).
#pragma once

#include <linux/seccomp.h>

#include <optional>
#include <string>

#include "backend/linux/notify/trapped_call.h"

namespace pinfold::backend::on_linux {

struct Change {
  int directory = 0;  // descriptor of the caller's, or AT_FDCWD
  std::string path;   // empty: the descriptor itself
  Follow follow = Follow::kLinks;
};

// Which file the call is about; nothing when it is not such a call, or its memory cannot be read.
std::optional<Change> attribute_change(const seccomp_notif& call);
bool changes_attributes(int number);
// Makes the change; 0 or an errno.
int change_attributes(const seccomp_notif& call, const sys::Fd& file);

}  // namespace pinfold::backend::on_linux
