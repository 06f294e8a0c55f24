// arguments.cc: writes the argument block of child/protocol.h to a memfd.
// Invariant: offsets only; init turns them into pointers in its own mapping.
#include "backend/linux/init/arguments.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/linux/child/protocol.h"
#include "base/try.h"
#include "sys/call.h"

namespace pinfold::backend::on_linux {

namespace {

std::vector<const Variable*> variables_of(const Launch& launch, const Environment* environment) {
  std::vector<const Variable*> out;
  for (const Variable& each : launch.variables) out.push_back(&each);
  if (environment == nullptr) return out;
  for (const Variable& each : environment->variables)
    if (std::none_of(launch.variables.begin(), launch.variables.end(),
                     [&](const Variable& own) { return own.name == each.name; }))
      out.push_back(&each);
  return out;
}

}  // namespace

Result<sys::Fd> argument_block(const Launch& launch, const Environment* environment) {
  const std::vector<const Variable*> variables = variables_of(launch, environment);
  child::ArgumentBlock header{};
  header.argc = launch.argv.size();
  header.envc = variables.size();
  std::vector<std::uint64_t> slots = {0};  // the free slot
  std::string bytes;
  std::uint64_t base = sizeof header + (1 + header.argc + 1 + header.envc + 1) * sizeof(std::uint64_t);
  auto add = [&](const std::string& text) {
    std::uint64_t offset = base + bytes.size();
    bytes.append(text).push_back('\0');
    return offset;
  };
  for (const std::string& each : launch.argv) slots.push_back(add(each));
  slots.push_back(0);
  for (const Variable* variable : variables) {
    std::uint64_t offset = add(variable->name + "=" + variable->value);
    if (variable->name == "PATH") header.path = offset + 5;
    slots.push_back(offset);
  }
  slots.push_back(0);
  if (!launch.working_dir.empty()) header.working_dir = add(launch.working_dir);
  header.size = base + bytes.size();
  std::string block;
  block.reserve(header.size);
  block.append(reinterpret_cast<const char*>(&header), sizeof header);
  block.append(reinterpret_cast<const char*>(slots.data()), slots.size() * sizeof(std::uint64_t));
  block.append(bytes);
  PF_TRY(fd, sys::call_fd("memfd_create", "arguments", [] { return ::memfd_create("arguments", MFD_CLOEXEC); }));
  std::size_t done = 0;
  while (done < block.size()) {
    PF_TRY(size, sys::call("write", "arguments",
                           [&] { return ::write(fd.raw(), block.data() + done, block.size() - done); }));
    done += static_cast<std::size_t>(size);
  }
  return fd;
}

}  // namespace pinfold::backend::on_linux
