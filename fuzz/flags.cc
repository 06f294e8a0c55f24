// flags.cc: hostile command lines: words between NUL bytes, through parser, options and policy.
// Invariant: they are refused with an error text, or become a policy that prints and reads back as itself.
// Not here: running anything.
#include <cstddef>
#include <cstdint>

#include "base/utf8.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pinfold;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const auto parsed = cli::parse(words);
  if (!parsed) {
    fuzz::check_words(parsed.error());
    return 0;
  }
  const auto options = cli::read_run_options(*parsed, fuzz::kCaller);
  if (!options) fuzz::check_words(options.error());
  auto sources = cli::sources_of(*parsed, fuzz::kCaller, fuzz::host());
  if (!sources) {
    fuzz::check_words(sources.error());
    return 0;
  }
  const auto loaded = settings::load(std::move(*sources), fuzz::host());
  if (!loaded)
    fuzz::check_words(loaded.error());
  else if (is_utf8(text))  // TOML cannot hold other text, and printing fails with an error
    fuzz::check_policy(loaded->policy);
  return 0;
}
