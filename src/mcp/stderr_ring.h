// stderr_ring.h: the last lines that a server wrote to stderr.
// Invariant: bounded memory; a line is filtered before it is stored or shown.
// Not here: reading the descriptor (stdio_transport.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace pinfold::mcp {

class StderrRing {
 public:
  using Clean = std::function<std::string(std::string_view)>;
  using Show = std::function<void(const std::string&)>;
  StderrRing(std::size_t most_bytes, Clean clean, Show show)
      : most_(most_bytes), clean_(std::move(clean)), show_(std::move(show)) {}

  void feed(std::string_view bytes);
  void finish();  // ends a last line without a newline

  const std::deque<std::string>& lines() const { return lines_; }
  std::uint64_t bytes() const { return seen_; }  // in total

 private:
  void end_line();

  std::size_t most_;
  Clean clean_;
  Show show_;
  std::string partial_;
  bool cut_ = false;
  std::deque<std::string> lines_;
  std::size_t held_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace pinfold::mcp
