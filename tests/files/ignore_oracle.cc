// ignore_oracle.cc: answers about paths for tests/files/oracle.py, as the file tools would.
//   ignore_oracle REPOSITORY < paths, each ended by NUL, directories with a slash behind     → "1" or "0" for each
#include <cstdio>
#include <iostream>
#include <string>

#include "files/ignore_finder.h"
#include "pinfold/policy.h"
#include "sys/host.h"

int main(int argc, char** argv) {
  using namespace pinfold;
  if (argc != 2) return 2;
  const std::string top = argv[1];
  PolicyBuilder builder("empty", {"/nonexistent", top}, {Source::kApi, "test"});
  builder.workspace(top, {Source::kApi, "test"});
  auto policy = std::move(builder).build();
  if (!policy) return std::fprintf(stderr, "%s\n", policy.error().text().c_str()), 2;
  const auto host = sys::real_host();
  auto access = files::AccessCheck::build(*policy, *host);
  if (!access) return std::fprintf(stderr, "%s\n", access.error().text().c_str()), 2;
  auto walker = files::Walker::pin(*access);
  if (!walker) return 2;
  std::string path;
  while (std::getline(std::cin, path, '\0')) {
    const bool directory = path.ends_with('/');
    if (directory) path.pop_back();
    const auto found = files::find_ignored(*walker, top + "/" + path,
                                           directory ? files::EntryKind::kDirectory : files::EntryKind::kOther);
    std::putchar(found ? '1' : '0');
  }
  return 0;
}
