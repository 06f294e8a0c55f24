// world.h: the scratch world of one user: a home full of canaries with a project in it, other people's files, and a
// process on the host with secrets; made fresh for each attempt, gone with the object.
// Invariant: everything lies below one directory that the suite made; nothing of the real user is touched.
// Not here: looking at what changed (host.h).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backend.h"
#include "host.h"
#include "support.h"

namespace escape {

struct Programs {
  std::string pinfold;
  std::string probe;
  std::string privileged;
  std::string canary;
};

// The process on the host. It reports each time one of its listeners was reached.
class Canary {
 public:
  Canary(const Programs& programs, const User& user, const std::string& secret, const std::string& directory,
         const std::string& held_file);
  Canary(const Canary&) = delete;
  Canary& operator=(const Canary&) = delete;
  ~Canary();

  pid_t pid() const { return pid_; }
  const std::map<std::string, std::string>& values() const { return values_; }
  // Why it is not as it was, or empty: it must live, run, and have its memory untouched.
  std::string harm() const;
  // Which listeners were reached since the last call.
  std::string hits();
  void forget_hits() { hits(); }

 private:
  std::string read_hits();
  bool sync(std::string& seen);

  pid_t pid_ = -1;
  int stdin_ = -1;
  int stdout_ = -1;
  std::map<std::string, std::string> values_;
};

class World {
 public:
  World(const Programs& programs, const User& user, const std::string& under, Backend backend);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // A fresh home and a living canary; unchanged entries are kept.
  void renew();
  const User& user() const { return user_; }
  const std::string& base() const { return base_; }
  const std::string& home() const { return home_; }
  const std::string& workspace() const { return workspace_; }
  const std::string& secret() const { return secret_; }
  Canary& canary() { return *canary_; }
  const Programs& programs() const { return programs_; }
  const Backend& backend() const { return backend_; }
  // Where a judged run writes its report: beside the world, so that it changes nothing in it.
  std::string report() const { return root_ + "/reports/report.json"; }
  // The environment of the caller, secrets included.
  Texts environment() const;
  // The names that rows may use in braces: home, ws, base, run, other, probe, tool, secret, canary, memory, tcp, …
  std::map<std::string, std::string> values() const;
  // As this user in the workspace, with this environment.
  Command command(Texts argv) const;

 private:
  Programs programs_;
  User user_;
  Backend backend_;
  std::string root_;  // holds the world and the original of which it is a copy
  std::string base_;
  std::string home_;
  std::string workspace_;
  std::string secret_;
  std::string disk_;  // a loop device with the secret on it
  Tree made_;         // the home as it must be
  std::unique_ptr<Canary> canary_;

  void make_disk();
  void repair_home();
};

}  // namespace escape
