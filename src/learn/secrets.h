// secrets.h: what is not shown while a command is watched, and what no learned rule gives.
// Invariant: in doubt a path is a secret: it costs a line in a comment, the other way round it costs the secret.
// Not here: hiding it (wide_view.h), saying so (profile.h).
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
  // Paths that stay hidden, with all below them; canonical where they exist.
  const std::vector<std::string>& places() const { return places_; }
  // Names of files that stay hidden, wherever they are: ".env".
  const std::vector<std::string>& hidden_names() const { return hidden_names_; }

  bool is_secret(const std::string& path) const;
  // Is something below this directory, by its place or its name, a secret? What is too large to look through is not
  // looked through.
  bool holds_secrets(const std::string& directory) const;

 private:
  bool in_secret_place(std::string_view path) const;
  bool has_secret_name(const std::string& path) const;

  HostView& host_;
  std::string home_;
  std::vector<std::string> places_;
  std::vector<std::string> hidden_names_;
  std::vector<Glob> names_;
};

}  // namespace pinfold::learn
