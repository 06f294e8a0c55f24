// stress.cc: a million accesses through the library while other threads swap what the names mean.
//   files_stress DIRECTORY [ACCESSES]
// Invariant: files outside are never read and never changed, in any order of the swaps; each name was reachable bare.
// Not here: single attempts (cases.py).
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "pinfold/files.h"

namespace {

using pinfold::Access;

constexpr const char* kCanary = "canary: this lies outside\n";

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
std::string get(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

[[noreturn]] void fail(const std::string& what) {
  std::printf("FAILED  %s\n0 passed, 1 failed\n", what.c_str());
  std::exit(1);
}

// Pairs of names change places, again and again: a directory and a symlink that leads out, a file and such a symlink.
// With short rests of changing length, or the swaps would only ever fall where the scheduler puts them.
void swap_until(const std::atomic<bool>& stop, const std::string& below, std::atomic<std::size_t>& swaps) {
  for (unsigned round = 0; !stop; ++round) {
    for (const char* name : {"/d", "/f", "/deep"}) {
      const std::string one = below + name;
      if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, (one + "2").c_str(), RENAME_EXCHANGE) == 0) ++swaps;
    }
    if (round % 4 != 0) std::this_thread::sleep_for(std::chrono::microseconds(round * 7 % 60));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) fail("files_stress DIRECTORY [ACCESSES]");
  const std::string base = argv[1];
  const std::size_t accesses = argc > 2 ? std::stoul(argv[2]) : 1000000;
  const std::string workspace = base + "/work";
  const std::string outside = base + "/outside";
  for (const std::string& one :
       {workspace, outside, workspace + "/d", workspace + "/deep", workspace + "/deep/er", outside + "/er"})
    ::mkdir(one.c_str(), 0755);
  for (const std::string& one : {outside + "/f", outside + "/er/f", outside + "/secret"}) put(one, kCanary);
  for (const std::string& one : {workspace + "/d/f", workspace + "/deep/er/f", workspace + "/f"}) put(one, "inside\n");
  if (::symlink(outside.c_str(), (workspace + "/d2").c_str()) != 0 ||
      ::symlink((outside + "/f").c_str(), (workspace + "/f2").c_str()) != 0 ||
      ::symlink("../outside", (workspace + "/deep2").c_str()) != 0)
    fail("the links could not be made");
  for (const char* name : {"/d2/f", "/f2", "/deep2/er/f"})
    if (get(workspace + name) != kCanary) fail(std::string("not reachable bare: ") + name);
  if (::chdir(workspace.c_str()) != 0) fail("no workspace");

  pinfold::PolicyBuilder builder("moderate", {base + "/home", workspace}, {pinfold::Source::kApi, "test"});
  builder.workspace(workspace, {pinfold::Source::kApi, "test"});
  auto policy = std::move(builder).build();
  if (!policy) fail(policy.error().text());

  std::atomic<bool> stop{false};
  std::atomic<std::size_t> swaps{0};
  std::thread swapper([&] { swap_until(stop, workspace, swaps); });

  const auto began = std::chrono::steady_clock::now();
  auto files = pinfold::Files::open(*policy);
  if (!files) fail(files.error().text());
  std::size_t done = 0;
  std::size_t reached = 0;
  std::size_t refused = 0;
  std::string touched;
  const std::vector<std::string> names = {"d/f", "d2/f", "f", "f2", "deep/er/f", "deep2/er/f", "deep/er/../er/f"};
  for (std::size_t round = 0; done < accesses && touched.empty(); ++round) {
    for (const std::string& name : names) {
      const auto read = files->read(name);
      ++done;
      if (read && read->bytes.find("canary") != std::string::npos) touched = "read " + name;
      (read ? reached : refused) += 1;
      files->allowed(name, Access::kWrite);
      ++done;
    }
    if (round % 64 == 0) {
      // Writing costs a sync each.
      const std::string& name = names[(round / 64) % names.size()];
      const auto written = files->write(name, "written inside\n");
      (written ? reached : refused) += 1;
      const auto edited = files->edit(name, {{"inside", "INSIDE"}, {"INSIDE", "inside"}});
      (edited ? reached : refused) += 1;
      const auto listed = files->list(name.substr(0, name.rfind('/') + 1) + ".");
      if (listed)
        for (const pinfold::ListingEntry& one : listed->entries)
          if (one.name == "secret") touched = "listed a directory outside";
      done += 3;
    }
    if (round % 256 == 0) {
      const auto found = files->search("canary");
      if (found && !found->files.empty()) touched = "searched " + found->files[0].path;
      const auto globbed = files->glob("**/secret");
      if (globbed && !globbed->paths.empty()) touched = "globbed " + globbed->paths[0];
      done += 2;
    }
  }
  stop = true;
  swapper.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  for (const std::string& one : {outside + "/f", outside + "/er/f", outside + "/secret"})
    if (get(one) != kCanary) touched = one + " was changed";
  std::printf("%zu accesses, %zu reached, %zu refused, %zu swaps, %.1f s\n", done, reached, refused, swaps.load(),
              seconds);
  if (!touched.empty()) fail(touched);
  if (swaps < 1000 || reached < accesses / 100 || refused < accesses / 100)
    fail("the swaps did not fall between the accesses");
  std::printf("1 passed, 0 failed\n");
  return 0;
}
