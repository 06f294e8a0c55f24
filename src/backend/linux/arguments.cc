// arguments.cc: lays out the block of child/wire.h in a memfd.
// Invariant: offsets only; PID 1 turns them into pointers in its own mapping.
#include "backend/linux/arguments.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "backend/linux/child/wire.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {

Result<sys::Fd> argument_block(const std::vector<std::string>& argv, const Environment* environment) {
  child::ArgumentBlock header{};
  header.argc = argv.size();
  header.envc = environment != nullptr ? environment->variables.size() : 0;
  std::vector<std::uint64_t> slots = {0};  // the free slot
  std::string bytes;
  std::uint64_t base = sizeof header + (1 + header.argc + 1 + header.envc + 1) * sizeof(std::uint64_t);
  auto add = [&](const std::string& text) {
    std::uint64_t offset = base + bytes.size();
    bytes.append(text).push_back('\0');
    return offset;
  };
  for (const std::string& each : argv) slots.push_back(add(each));
  slots.push_back(0);
  for (std::size_t i = 0; i < header.envc; ++i) {
    const Variable& variable = environment->variables[i];
    std::uint64_t offset = add(variable.name + "=" + variable.value);
    if (variable.name == "PATH") header.path = offset + 5;
    slots.push_back(offset);
  }
  slots.push_back(0);
  header.size = base + bytes.size();
  std::string block;
  block.reserve(header.size);
  block.append(reinterpret_cast<const char*>(&header), sizeof header);
  block.append(reinterpret_cast<const char*>(slots.data()), slots.size() * sizeof(std::uint64_t));
  block.append(bytes);
  PF_TRY(fd, sys::call_fd("memfd_create", "arguments", [] { return ::memfd_create("arguments", MFD_CLOEXEC); }), "");
  std::size_t done = 0;
  while (done < block.size()) {
    PF_TRY(size,
           sys::call("write", "arguments", [&] { return ::write(fd.raw(), block.data() + done, block.size() - done); }),
           "");
    done += static_cast<std::size_t>(size);
  }
  return fd;
}

}  // namespace pinfold::backend::on_linux
