// mask_directory.h: directories that exist only so that a run's mount or rule can hide their name.
// Invariant: recognised by their mode (kMaskMode) and held by a shared lock, so that runs can share one and the last
// one removes it. Only an empty directory of this user with that mode is ever removed; one in use gets an ordinary
// mode. Not here: which directories (plan/missing_own.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pinfold/result.h"
#include "sys/fd.h"

namespace pinfold::sys {

// The sticky bit has no effect on a directory that only its owner can access: here it is the mark.
inline constexpr unsigned kMaskMode = 01700;

class MaskDirectories {
 public:
  MaskDirectories() = default;
  explicit MaskDirectories(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  MaskDirectories(MaskDirectories&&) = delete;
  MaskDirectories& operator=(MaskDirectories&&) = delete;
  MaskDirectories(const MaskDirectories&) = delete;
  MaskDirectories& operator=(const MaskDirectories&) = delete;
  ~MaskDirectories() { remove(); }

  // Makes it and those above it that are missing; not held yet. No error where this user cannot make it: then the
  // command cannot either.
  Result<void> make(const std::string& path);

  bool is_needed() const { return !paths_.empty(); }
  // Holds each until remove(); makes again those that another run has removed.
  Result<void> hold();
  // Removes those that no other run holds, and the directories above them that were made for them. False: one is left,
  // because a call failed.
  bool remove();

  // Whether a directory has the mark, or there is none.
  static bool is_mask_or_missing(const std::string& path);

 private:
  std::vector<std::string> paths_;
  std::vector<Fd> held_;
};

}  // namespace pinfold::sys
