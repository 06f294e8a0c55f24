// run.cc: runs a command that may read its directory and write nowhere, and prints the denials.
#include <cstdio>
#include <utility>

#include <pinfold/run.h>

int main() {
  const auto caller = pinfold::find_caller();
  const auto runner = pinfold::Runner::create();
  if (!caller || !runner) return 1;

  const pinfold::Origin here{pinfold::Source::kApi, "example"};
  pinfold::PolicyBuilder builder("read-only", *caller, here);
  builder.timeout("10s", here).env("GREETING=hello", here);
  const auto policy = std::move(builder).build();
  if (!policy) return std::fprintf(stderr, "%s\n", policy.error().text().c_str()), 1;

  pinfold::Command command;
  command.argv = {"sh", "-c", "echo $GREETING; echo x > note; cat /etc/shadow"};
  const auto ran = runner->run(*policy, command);
  if (!ran) return std::fprintf(stderr, "%s\n", ran.error().text().c_str()), 1;

  std::printf("it said: %s", ran->out.c_str());
  for (const pinfold::Denial& denial : ran->report.denials)
    std::printf("denied: %s %s (%s)\n", denial.operation.c_str(), denial.resource.c_str(), denial.rule.c_str());
  return pinfold::exit_code(ran->report.outcome) == 1 ? 0 : 1;  // cat could not
}
