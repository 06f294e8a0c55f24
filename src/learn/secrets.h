// secrets.h: paths that stay hidden while a command is watched, and that no synthesized rule grants.
// Invariant: a doubtful path counts as a secret: the user can add a rule from the file's comments.
// Not here: hiding them (wide_view.h), reporting them (profile.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "base/host_view.h"
#include "pinfold/policy.h"

namespace pinfold::learn {

class Secrets {
 public:
  Secrets(const Caller& caller, HostView& host);

  const std::string& home() const { return home_; }  // canonical; empty without one
  // Paths that stay hidden with everything below them; canonical if they exist.
  const std::vector<std::string>& paths() const { return paths_; }
  // Names of files that stay hidden in every directory: ".env".
  const std::vector<std::string>& hidden_names() const { return hidden_names_; }

  bool is_secret(const std::string& path) const;
  // Whether a path below this directory is a secret. Checks at most 20,000 entries.
  bool holds_secrets(const std::string& directory) const;

 private:
  bool is_under_secret_path(std::string_view path) const;
  bool has_secret_name(const std::string& path) const;

  HostView& host_;
  std::string home_;
  std::vector<std::string> paths_;
  std::vector<std::string> hidden_names_;
  std::vector<Glob> names_;
};

}  // namespace pinfold::learn
