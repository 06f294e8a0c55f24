// git_config.cc: a hostile git configuration, as a command may have written it.
// Invariant: cleaning a clean file changes nothing; no line of the result continues on the next.
// Not here: files (backend/linux/protect/git_clean_test.cc).
#include <cstddef>
#include <cstdint>

#include "backend/linux/protect/git_clean.h"
#include "world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pinfold::backend::on_linux::safe_git_config;
  using pinfold::fuzz::promise;
  std::vector<std::string> removed;
  const std::string once = safe_git_config({reinterpret_cast<const char*>(data), size}, removed);
  removed.clear();
  const std::string twice = safe_git_config(once, removed);
  promise(once == twice, "cleaning twice is cleaning once");
  promise(removed.empty(), "nothing is left to remove");
  promise(once.find("\\\n") == std::string::npos, "no line continues");
  for (const char* const harmful : {"fsmonitor", "sshcommand", "hookspath", "include", "editor"})
    for (std::size_t at = once.find(harmful); at != std::string::npos; at = once.find(harmful, at + 1)) {
      const std::size_t line = once.rfind('\n', at) + 1;
      const std::string_view before = std::string_view(once).substr(line, at - line);
      const bool key = before == "\t";
      const std::string_view after = std::string_view(once).substr(at + std::string_view(harmful).size());
      promise(!key || !(after.starts_with("=") || after.starts_with(" =")), "no harmful key is kept");
    }
  return 0;
}
