// table_settings.cc: row 29, and what of row 27 a file could do: a project that gives itself more, files of others.
// Not here: consent itself (tests/cli/policy_files.py), mistakes in files (src/policy).
#include "steps.h"
#include "table.h"
#include "world.h"

namespace escape {
namespace {

// A row whose project file holds this text.
Row with_file(const std::string& name, const std::string& toml) {
  Row row{.number = 29, .name = "project file: " + name};
  row.boxed = Boxed::kRefused;
  row.prepare = "cat > pinfold.toml <<'TOML'\n" + toml + "\nTOML\n";
  return row;
}

void add_widening(Rows& rows) {
  const auto obtains = [&](const char* name, const char* toml, Texts probe, Obtains what) {
    Row row = with_file(name, toml);
    row.probe = std::move(probe);
    row.obtains = what;
    rows.push_back(std::move(row));
  };
  const auto reads = [&](const char* name, const char* toml, const char* path) {
    obtains(name, toml, {"read", path}, Obtains::kSecret);
  };
  const auto creates = [&](const char* name, const char* toml, const char* path) {
    obtains(name, toml, {"create", path}, Obtains::kChange);
  };
  reads("reads ~/.ssh", "read = [\"~/.ssh\"]", "{home}/.ssh/id_rsa");
  reads("reads by ..", "read = [\"../.ssh\"]", "{home}/.ssh/id_rsa");
  reads("reads the home", "read = [\"~\"]", "{home}/documents/letter.txt");
  reads("shows a hidden .env again", "read = [\".env\"]", "{ws}/.env");
  reads("chooses permissive", "profile = \"permissive\"", "{home}/documents/letter.txt");
  reads("chooses danger-full-access", "profile = \"danger-full-access\"", "{home}/.ssh/id_rsa");
  reads("a profile that inherits permissive", "profile = \"x\"\n[profiles.x]\ninherits = \"permissive\"",
        "{home}/documents/letter.txt");
  reads("another workspace", "workspace = [\".\", \"../documents\"]", "{home}/documents/letter.txt");
  reads("a workspace without its patterns", "workspace = [\"src\"]\nread = [\".\"]", "{ws}/.env");
  reads("seed names", "readonly_paths = [\"~/.ssh\"]", "{home}/.ssh/id_rsa");
  creates("writes the home", "write = [\"~\"]", "{home}/planted");
  creates("writes git hooks", "write = [\".git/hooks\"]", "{ws}/.git/hooks/pre-commit");
  creates("a workspace inside .git", "workspace = [\".git\"]", "{ws}/.git/hooks/pre-commit");
  creates("writes .vscode", "write = [\".vscode\"]", "{ws}/.vscode/planted");
  creates("nothing protected",
          "profile = \"x\"\n[profiles.x]\ninherits = \"empty\"\nexec = \"any\"\n"
          "read = [\"/usr\", \"/lib\", \"/lib64\", \"/bin\"]\nwrite = [\".\"]",
          "{ws}/.vscode/planted");
  creates("the host's /tmp", "tmp = \"host\"", "/tmp/pinfold-escape-{nonce}");
  rows.back().outside = {"/tmp/pinfold-escape-{nonce}"};

  for (const char* toml : {"network = \"full\"", "allow_network = true"})
    obtains(toml, toml, {"tcp", "{tcp}"}, Obtains::kConnection);
  for (const char* toml : {"env = [\"CANARY_TOKEN\"]", "env = [\"CANARY_*\"]", "env = [\"*\"]"})
    obtains(toml, toml, {"variable", "CANARY_TOKEN"}, Obtains::kSecret);
  reads("switches the sandbox off", "enabled = false", "{home}/.ssh/id_rsa");
}

// Row 27: variables that make programs run code, smuggled by a file.
void add_variables(Rows& rows) {
  for (const char* name : {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "NODE_OPTIONS", "BASH_ENV", "ENV",
                           "PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF"}) {
    for (const char* value : {"", "={secret}"}) {
      Row row = with_file(std::string("variable ") + name + (*value == '\0' ? "" : " with a value"),
                          std::string("env = [\"") + name + value + "\"]");
      row.number = 27;
      row.steps = always();
      row.probe = {"variable", name, "{secret}"};
      row.obtains = Obtains::kSecret;
      row.env = {std::string(name) + "=/nonexistent/{secret}-" + name};
      rows.push_back(std::move(row));
    }
  }
}

// Files that another user may have written. Their content would only narrow the policy: the test is about their owner.
void add_ownership(Rows& rows) {
  const auto refused = [&](const char* name, const char* prepare) {
    rows.push_back({.number = 29,
                    .name = std::string("project file: ") + name,
                    .shell = "echo ran",
                    .boxed = Boxed::kRefused,
                    .prepare = prepare});
  };
  refused("writable by everybody", "echo 'processes = 64' > pinfold.toml && chmod 666 pinfold.toml");
  refused("a symlink out of the project", "echo 'processes = 64' > ../other.toml && ln -s ../other.toml pinfold.toml");
  refused("an absolute symlink", "echo 'processes = 64' > ../other.toml && ln -s {home}/other.toml pinfold.toml");
  refused("a pipe", "mkfifo pinfold.toml");
  refused("a directory", "mkdir pinfold.toml");
  refused("a symlink to a device", "ln -s /dev/zero pinfold.toml");
  refused("too long", "head -c 300000 /dev/zero | tr '\\0' '#' > pinfold.toml");
  rows.push_back({.number = 29,
                  .name = "user file: writable by everybody",
                  .shell = "echo ran",
                  .boxed = Boxed::kRefused,
                  .prepare = "mkdir -p ~/.config/pinfold && echo 'read = [\"~/.ssh\"]' > ~/.config/pinfold/config.toml "
                             "&& chmod 666 ~/.config/pinfold/config.toml"});
  rows.push_back({.number = 29,
                  .name = "control: a symlink inside the project is obeyed",
                  .shell = "echo ran",
                  .boxed = Boxed::kSame,
                  .prepare = "echo 'processes = 64' > src/p.toml && ln -s src/p.toml pinfold.toml"});
  rows.push_back({.number = 29,
                  .name = "control: a file that narrows is obeyed",
                  .shell = "echo ran",
                  .boxed = Boxed::kSame,
                  .prepare = "echo 'processes = 64' > pinfold.toml"});
}

// A policy changed while running.
void add_changes(Rows& rows) {
  rows.push_back({.number = 29,
                  .name = "the project's file changed by the command",
                  .probe = {"append", "{ws}/pinfold.toml"},
                  .obtains = Obtains::kChange,
                  .prepare = "echo 'processes = 64' > pinfold.toml",
                  .steps = any_gap({step::kProtected})});
  rows.push_back({.number = 29,
                  .name = "a project file made by the command",
                  .probe = {"create", "{ws}/pinfold.toml"},
                  .obtains = Obtains::kChange,
                  .steps = any_gap({step::kProtectedNew})});
  rows.push_back({.number = 29,
                  .name = "consent given by the command",
                  .probe = {"create", "{home}/.config/pinfold/trust.json"},
                  .obtains = Obtains::kChange,
                  .prepare = "mkdir -p ~/.config/pinfold",
                  .steps = absence({step::kWrite})});
  rows.push_back({.number = 29,
                  .name = "the user's file changed by the command",
                  .probe = {"append", "{home}/.config/pinfold/config.toml"},
                  .obtains = Obtains::kChange,
                  .prepare = "mkdir -p ~/.config/pinfold && echo 'processes = 64' > ~/.config/pinfold/config.toml",
                  .steps = absence({step::kWrite})});
}

}  // namespace

Rows settings_rows() {
  Rows rows;
  add_widening(rows);
  add_variables(rows);
  add_ownership(rows);
  add_changes(rows);
  return rows;
}

}  // namespace escape
