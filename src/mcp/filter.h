// filter.h: the one door through which a server's words leave this room.
// Invariant: results, errors, progress, notifications and stderr pass here, keys of objects included, after they were
// checked and before anybody sees them. Definitions of tools do not: they are pinned as they are (pin.h).
// Not here: what is taken out of them (safety).
#pragma once

#include <string>
#include <string_view>

#include "mcp/json.h"

namespace pinfold::mcp {

enum class Speech { kResult, kError, kProgress, kNotification, kStderr, kStray };

class Filter {
 public:
  virtual ~Filter() = default;
  virtual std::string text(Speech speech, std::string_view words) = 0;
  // Each text in it, unless somebody knows better.
  virtual Json json(Speech speech, Json value);
};

// Everything as it is.
class OpenFilter final : public Filter {
 public:
  std::string text(Speech /*speech*/, std::string_view words) override { return std::string(words); }
  Json json(Speech /*speech*/, Json value) override { return value; }
};

}  // namespace pinfold::mcp
