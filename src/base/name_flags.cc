// name_flags.cc: one flag, or one for each of the usual ports.
#include "base/name_flags.h"

#include "base/text.h"
#include "pinfold/network.h"

namespace pinfold {

std::string flags_for_name(std::string_view name) {
  const std::string flag = "--net " + text::shell_word(name);
  if (name.find('.') != std::string_view::npos) return flag;
  std::string out;
  for (const std::uint16_t port : kUsualPorts) out += (out.empty() ? "" : " ") + flag + ":" + std::to_string(port);
  return out;
}

}  // namespace pinfold
