// filter.h: the interface through which all output of a server passes before it leaves this folder.
// Invariant: results, errors, progress, notifications and stderr pass here, keys of objects included, after they were
// checked and before a caller gets them. Tool definitions do not: they are pinned unchanged (pin.h).
// Not here: the redaction rules (safety).
#pragma once

#include <string>
#include <string_view>

#include "mcp/json.h"

namespace pinfold::mcp {

enum class OutputKind { kResult, kError, kProgress, kNotification, kStderr, kStray };

class Filter {
 public:
  virtual ~Filter() = default;
  virtual std::string text(OutputKind kind, std::string_view words) = 0;
  // Filters each string in the value, unless a subclass overrides it.
  virtual Json json(OutputKind kind, Json value);
};

// Changes nothing.
class PassThroughFilter final : public Filter {
 public:
  std::string text(OutputKind /*speech*/, std::string_view words) override { return std::string(words); }
  Json json(OutputKind /*speech*/, Json value) override { return value; }
};

}  // namespace pinfold::mcp
