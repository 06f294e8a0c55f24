// main.cc: the program for Windows: its arguments as UTF-8, its streams as bytes, the backend, and the command line.
// Invariant: an argument that is not well-formed UTF-16 is an error; it is never repaired.
#include <fcntl.h>
#include <io.h>

#include <string>
#include <vector>

#include "backend/windows/os/backend.h"
#include "base/utf16.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "settings/files.h"
#include "sys/host.h"
#include "sys/windows/winapi.h"

int wmain(int argc, wchar_t** wide_argv) {
  for (const int stream : {0, 1, 2}) ::_setmode(stream, _O_BINARY);
  ::SetConsoleOutputCP(CP_UTF8);
  auto host = pinfold::sys::real_host();
  std::vector<std::string> texts;
  for (int i = 0; i < argc; ++i) {
    const std::wstring_view wide = wide_argv[i];
    auto text = pinfold::to_utf8(std::u16string(wide.begin(), wide.end()));
    if (!text)
      return pinfold::cli::complain(
          pinfold::Error(pinfold::ErrorKind::kInvalid, "an argument is not well-formed UTF-16", "check it"), *host);
    texts.push_back(std::move(*text));
  }
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  const auto caller = pinfold::sys::find_caller(*host);
  pinfold::backend::Registry registry;
  registry.backends.push_back(pinfold::backend::on_windows::make_appcontainer_backend(
      caller ? pinfold::settings::grants_directory(*caller, *host) : std::string(),
      caller ? caller->system : std::vector<std::string>()));
  return pinfold::cli::main(argc, argv.data(), pinfold::cli::Context{registry, *host});
}
