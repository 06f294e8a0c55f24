// web.cc: `pinfold web`: executes pinfold-web.
// Not here: the page itself (src/web), the page of one run (web_program.h).
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/units.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/web_program.h"
#include "sys/call.h"

namespace pinfold::cli {
namespace {

Result<void> check(const CommandLine& parsed) {
  if (!parsed.words.empty()) return fail(ErrorKind::kInvalid, "`pinfold web` takes no names", "pinfold web");
  if (const FlagValue* port = find_flag_value(parsed, Id::kPort)) {
    const auto number = units::parse_count(port->value);
    if (!number || *number > 65535)
      return fail(ErrorKind::kInvalid, "--port takes a number from 1 to 65535", "pinfold web --port 8080");
  }
  if (const FlagValue* time = find_flag_value(parsed, Id::kExpires))
    if (auto parsed_time = units::parse_duration(time->value); !parsed_time)
      return tl::unexpected<Error>(std::move(parsed_time).error().within("--expires"));
  return {};
}

}  // namespace

int web(const CommandLine& parsed, Context& context) {
  if (const auto fine = check(parsed); !fine) return complain(fine.error(), context.host);
  auto program = find_web_program();
  if (!program) return complain(program.error(), context.host);
  std::vector<std::string> words = {"pinfold-web"};
  for (const FlagValue& flag_value : parsed.flags) {
    words.emplace_back(flag_value.flag->name);
    words.emplace_back(flag_value.value);
  }
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program->c_str(), argv.data());
  return complain(sys::os_error("execv", *program, errno), context.host);
}

}  // namespace pinfold::cli
