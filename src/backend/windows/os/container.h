// container.h: one app container: a profile with a name of its own, its SID, its folder.
// Invariant: every function is looked up at run time: on a Windows without it, Pinfold starts and reports that; the
// destructor deletes the profile. Not here: starting processes (launch.h), access lists (acl.h).
#pragma once

#include <cstdint>
#include <string>

#include "sys/windows/winapi.h"

namespace pinfold::backend::on_windows {

// Why this Windows has no app containers; empty if it has.
std::string why_no_containers();

class Container {
 public:
  static Result<Container> create(const std::string& name);
  Container(Container&& other) noexcept
      : name_(std::exchange(other.name_, {})),
        sid_(std::exchange(other.sid_, nullptr)),
        text_(std::move(other.text_)) {}
  Container& operator=(Container&&) = delete;
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container();

  PSID sid() const { return sid_; }
  const std::string& sid_text() const { return text_; }
  const std::string& name() const { return name_; }
  // Its directory, which is deleted with the profile; a Windows path.
  Result<std::string> folder() const;

 private:
  Container(std::string name, PSID sid, std::string text) : name_(std::move(name)), sid_(sid), text_(std::move(text)) {}
  std::string name_;
  PSID sid_ = nullptr;
  std::string text_;
};

// Deletes the profile of a run that was killed.
void delete_profile(const std::string& name);

}  // namespace pinfold::backend::on_windows
