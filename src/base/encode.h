// encode.h: any bytes as text that JSON can hold.
// Not here: escaping for terminals (report/visible.cc).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pinfold {

// The bytes, with U+FFFD for each byte that is not part of valid UTF-8.
std::string valid_utf8(std::string_view bytes);

std::string base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);  // empty if it is not base64

}  // namespace pinfold
