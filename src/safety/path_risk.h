// path_risk.h: places on a disk, and what could come of reading or changing them.
// Invariant: each text is one sentence about what the command could do; the row with the longest match speaks.
// Not here: choosing the row (risk.cc), hosts (risk_hosts.h).
#pragma once

#include <string_view>

#include "pinfold/question.h"

namespace pinfold::safety {

struct Words {
  RiskLevel level;
  std::string_view text;
};

enum class Where {
  kHome,    // below the home directory
  kRoot,    // a whole path
  kPart,    // these names after each other, anywhere
  kName,    // the last name
  kStart,   // how the whole path begins
  kEnding,  // how the last name ends; not of what the system itself came with
};

struct Place {
  Where kind;
  std::string_view where;
  Words look;
  Words change;
  bool socket = false;  // `look` says what talking to it means
};

inline constexpr RiskLevel kLow = RiskLevel::kLow;
inline constexpr RiskLevel kMedium = RiskLevel::kMedium;
inline constexpr RiskLevel kHigh = RiskLevel::kHigh;

inline constexpr Words kWholeSystemRead = {kHigh, "It could read every file on this machine that you can read."};
inline constexpr Words kWholeSystemChange = {kHigh, "It could change or delete anything on this machine that you can."};
inline constexpr Words kWholeHomeRead = {kHigh, "It could read everything you have, with your keys and passwords."};
inline constexpr Words kWholeHomeChange = {kHigh,
                                           "It could change or delete everything you have, and be run again later."};
inline constexpr Words kProjectRead = {kLow, "It could read a file of the project it works on."};
inline constexpr Words kProjectChange = {kLow, "It could change a file of the project it works on."};
inline constexpr Words kOtherHomeRead = {kHigh, "It could read the files of another person on this machine."};
inline constexpr Words kOtherHomeChange = {kHigh, "It could change the files of another person on this machine."};
inline constexpr Words kHomeRead = {kMedium, "It could read files of yours that are not part of the project."};
inline constexpr Words kHomeChange = {kMedium,
                                      "It could change or delete files of yours that are not part of the project."};
inline constexpr Words kElsewhereRead = {kMedium, "It could read files outside of the project."};
inline constexpr Words kElsewhereChange = {kMedium, "It could change or delete files outside of the project."};
inline constexpr Words kUnknownSocket = {kMedium,
                                         "It could ask a running program outside of the sandbox to act for it."};

// Said in more than one row.
inline constexpr Words kTakesKeys = {kHigh, "It could copy your private keys and pass for you elsewhere."};
inline constexpr Words kAddsKeys = {kHigh, "It could put its own keys in the place of yours, or lock you out."};
inline constexpr Words kTakesCloud = {kHigh,
                                      "It could copy the credentials of your cloud account and act as you there."};
inline constexpr Words kChangesCloud = {
    kHigh, "It could make your cloud tools act for somebody else, or run its own commands."};
inline constexpr Words kTakesPasswords = {kHigh, "It could copy passwords or access tokens and use them as you."};
inline constexpr Words kChangesPasswords = {kHigh,
                                            "It could replace passwords or access tokens that your tools will use."};
inline constexpr Words kTakesBrowser = {kHigh,
                                        "It could copy your browser's cookies and passwords and be logged in as you."};
inline constexpr Words kChangesBrowser = {kHigh,
                                          "It could change your browser, and with it what you see and what you send."};
inline constexpr Words kReadsStartUp = {kMedium, "It could read your settings; tokens often stand in such files."};
inline constexpr Words kChangesStartUp = {
    kHigh, "It could leave commands that run by themselves, outside of the sandbox, when you log in or open a shell."};
inline constexpr Words kReadsPrograms = {kLow, "It could read programs that you have installed."};
inline constexpr Words kChangesPrograms = {kHigh,
                                           "It could replace a program that you run later, outside of the sandbox."};
inline constexpr Words kReadsJobs = {kLow, "It could read which jobs are started by themselves."};
inline constexpr Words kChangesJobs = {kHigh,
                                       "It could leave a job that is started by itself, outside of the sandbox."};
inline constexpr Words kReadsTools = {kLow, "It could read tools and packages that you have installed."};
inline constexpr Words kChangesTools = {kMedium, "It could change tools or packages that other projects use as well."};
inline constexpr Words kReadsCache = {kLow, "It could read what tools have set aside to be quicker."};
inline constexpr Words kChangesCache = {kLow,
                                        "It could change what tools have set aside; other projects may pick it up."};
inline constexpr Words kReadsDocuments = {kMedium, "It could read your personal documents."};
inline constexpr Words kChangesDocuments = {kMedium, "It could change or delete your personal documents."};
inline constexpr Words kReadsHistory = {kHigh,
                                        "It could read what you typed before, with passwords that stood in a command."};
inline constexpr Words kReadsSystem = {kLow, "It could read how this machine is set up."};
inline constexpr Words kChangesSystem = {kHigh, "It could change the system for everyone who uses this machine."};
inline constexpr Words kIsRoot = {kHigh,
                                  "It could start a container that sees the whole machine, which makes it root."};
inline constexpr Words kUsesAgent = {kHigh, "It could use your keys through the agent, for as long as it runs."};
inline constexpr Words kUsesDesktop = {kHigh, "It could see your screen and keys, or act as your other programs do."};
inline constexpr Words kUsesBus = {kHigh,
                                   "It could make your desktop's services start programs outside of the sandbox."};
inline constexpr Words kReadsGit = {kLow, "It could read the settings of git."};
inline constexpr Words kChangesGit = {kHigh,
                                      "It could leave commands that git runs by itself, outside of the sandbox."};
inline constexpr Words kReadsEditor = {kLow, "It could read the settings of an editor or an agent."};
inline constexpr Words kChangesEditor = {
    kHigh, "It could leave commands that an editor or an agent runs, outside of the sandbox."};
inline constexpr Words kReadsMemory = {kHigh, "It could look into running programs, or into the machine's memory."};
inline constexpr Words kChangesMachine = {kHigh, "It could change devices or the kernel of this machine."};

inline constexpr Place kPlaces[] = {
    // Keys and credentials.
    {Where::kHome, ".ssh", kTakesKeys, kAddsKeys},
    {Where::kHome, ".ssh/known_hosts", {kLow, "It could read which servers you have used."}, kAddsKeys},
    {Where::kHome,
     ".ssh/config",
     {kMedium, "It could read which servers you use, and as whom."},
     {kHigh, "It could leave commands that ssh runs by itself, outside of the sandbox."}},
    {Where::kHome, ".gnupg", kTakesKeys, kAddsKeys},
    {Where::kHome, ".pki", kTakesKeys, kAddsKeys},
    {Where::kHome, ".aws", kTakesCloud, kChangesCloud},
    {Where::kHome, ".azure", kTakesCloud, kChangesCloud},
    {Where::kHome, ".config/gcloud", kTakesCloud, kChangesCloud},
    {Where::kHome, ".config/doctl", kTakesCloud, kChangesCloud},
    {Where::kHome, ".oci", kTakesCloud, kChangesCloud},
    {Where::kHome, ".kube", kTakesCloud, kChangesCloud},
    {Where::kHome, ".terraform.d", kTakesCloud, kChangesCloud},
    {Where::kHome, ".docker/config.json", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".config/containers/auth.json", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".netrc", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".git-credentials", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".config/git/credentials", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".config/gh", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".config/hub", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".config/glab-cli", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".npmrc", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".yarnrc.yml", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".pypirc", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".cargo/credentials.toml", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".cargo/credentials", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".gem/credentials", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".m2/settings.xml", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".gradle/gradle.properties", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".pgpass", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".my.cnf", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".vault-token", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".password-store", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".local/share/keyrings", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".local/share/kwalletd", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".config/op", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".config/Bitwarden", kTakesPasswords, kChangesPasswords},
    {Where::kHome, ".claude", kTakesPasswords, kChangesEditor},
    {Where::kHome, ".claude.json", kTakesPasswords, kChangesEditor},
    {Where::kHome, ".codex", kTakesPasswords, kChangesEditor},
    {Where::kHome, ".gemini", kTakesPasswords, kChangesEditor},
    {Where::kHome, ".thunderbird", kTakesPasswords, kChangesPasswords},
    {Where::kName,
     ".config",
     {kMedium, "It could read the settings of your programs."},
     {kHigh, "It could change the settings of all your programs, some of which start commands."}},
    {Where::kName, ".env.example", kProjectRead, kProjectChange},
    {Where::kName, "cacert.pem", kReadsTools, {kHigh, "It could make your tools trust servers that they should not."}},
    {Where::kName, ".env", kTakesPasswords, kChangesPasswords},
    {Where::kName, ".env.local", kTakesPasswords, kChangesPasswords},
    {Where::kName, ".env.production", kTakesPasswords, kChangesPasswords},
    {Where::kName, ".env.staging", kTakesPasswords, kChangesPasswords},
    {Where::kName, ".env.development", kTakesPasswords, kChangesPasswords},
    {Where::kName, ".npmrc", kTakesPasswords, kChangesPasswords},
    {Where::kName, ".netrc", kTakesPasswords, kChangesPasswords},
    {Where::kName, "id_rsa", kTakesKeys, kAddsKeys},
    {Where::kName, "id_ed25519", kTakesKeys, kAddsKeys},
    {Where::kName, "id_ecdsa", kTakesKeys, kAddsKeys},
    {Where::kEnding, ".pem", kTakesKeys, kAddsKeys},
    {Where::kEnding, ".key", kTakesKeys, kAddsKeys},
    {Where::kEnding, ".p12", kTakesKeys, kAddsKeys},
    {Where::kEnding, ".pfx", kTakesKeys, kAddsKeys},
    {Where::kEnding, ".kdbx", kTakesPasswords, kChangesPasswords},
    {Where::kEnding, ".pub", {kLow, "It could read a public key."}, kAddsKeys},
    {Where::kEnding, ".tfstate", kTakesPasswords, kChangesCloud},
    // Browsers.
    {Where::kHome, ".mozilla", kTakesBrowser, kChangesBrowser},
    {Where::kHome, ".config/google-chrome", kTakesBrowser, kChangesBrowser},
    {Where::kHome, ".config/chromium", kTakesBrowser, kChangesBrowser},
    {Where::kHome, ".config/BraveSoftware", kTakesBrowser, kChangesBrowser},
    {Where::kHome, ".config/microsoft-edge", kTakesBrowser, kChangesBrowser},
    {Where::kHome, ".config/vivaldi", kTakesBrowser, kChangesBrowser},
    {Where::kHome, ".config/opera", kTakesBrowser, kChangesBrowser},
    {Where::kHome, "snap/firefox", kTakesBrowser, kChangesBrowser},
    {Where::kHome, "snap/chromium", kTakesBrowser, kChangesBrowser},
    {Where::kHome, ".var/app", kTakesBrowser, kChangesBrowser},
    // What was typed.
    {Where::kHome, ".bash_history", kReadsHistory, kHomeChange},
    {Where::kHome, ".zsh_history", kReadsHistory, kHomeChange},
    {Where::kHome, ".python_history", kReadsHistory, kHomeChange},
    {Where::kHome, ".psql_history", kReadsHistory, kHomeChange},
    {Where::kHome, ".local/share/fish", kReadsHistory, kHomeChange},
    // What runs by itself.
    {Where::kHome, ".bashrc", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".bash_profile", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".bash_login", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".bash_logout", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".bash_aliases", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".profile", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".zshrc", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".zshenv", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".zprofile", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".zlogin", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".oh-my-zsh", kReadsTools, kChangesStartUp},
    {Where::kHome, ".config/fish", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".config/environment.d", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".pam_environment", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".inputrc", kReadsTools, kChangesStartUp},
    {Where::kHome, ".xprofile", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".xinitrc", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".xsession", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".tmux.conf", kReadsTools, kChangesStartUp},
    {Where::kHome, ".config/tmux", kReadsTools, kChangesStartUp},
    {Where::kHome, ".config/autostart", kReadsJobs, kChangesJobs},
    {Where::kHome, ".config/systemd", kReadsJobs, kChangesJobs},
    {Where::kHome, ".local/share/systemd", kReadsJobs, kChangesJobs},
    {Where::kHome, ".local/share/applications", kReadsJobs, kChangesPrograms},
    {Where::kRoot, "/etc/cron.d", kReadsJobs, kChangesJobs},
    {Where::kRoot, "/etc/crontab", kReadsJobs, kChangesJobs},
    {Where::kRoot, "/var/spool/cron", kReadsJobs, kChangesJobs},
    {Where::kRoot, "/etc/systemd", kReadsJobs, kChangesJobs},
    {Where::kHome, "bin", kReadsPrograms, kChangesPrograms},
    {Where::kHome, ".local/bin", kReadsPrograms, kChangesPrograms},
    {Where::kHome, ".cargo/bin", kReadsPrograms, kChangesPrograms},
    {Where::kHome, "go/bin", kReadsPrograms, kChangesPrograms},
    {Where::kHome, ".npm-global", kReadsPrograms, kChangesPrograms},
    {Where::kHome, ".deno/bin", kReadsPrograms, kChangesPrograms},
    {Where::kHome, ".bun/bin", kReadsPrograms, kChangesPrograms},
    {Where::kRoot, "/usr/local/bin", kReadsPrograms, kChangesPrograms},
    {Where::kRoot, "/usr/local/sbin", kReadsPrograms, kChangesPrograms},
    // Git, editors, agents.
    {Where::kHome, ".gitconfig", kReadsGit, kChangesGit},
    {Where::kHome, ".config/git", kReadsGit, kChangesGit},
    {Where::kPart, ".git/hooks", kReadsGit, kChangesGit},
    {Where::kPart, ".git/config", kReadsGit, kChangesGit},
    {Where::kPart, ".husky", kReadsGit, kChangesGit},
    {Where::kPart, ".vscode", kReadsEditor, kChangesEditor},
    {Where::kPart, ".idea", kReadsEditor, kChangesEditor},
    {Where::kPart, ".cursor", kReadsEditor, kChangesEditor},
    {Where::kPart, ".claude", kReadsEditor, kChangesEditor},
    {Where::kName, ".mcp.json", kReadsEditor, kChangesEditor},
    {Where::kName, ".envrc", kReadsStartUp, kChangesStartUp},
    {Where::kHome, ".vimrc", kReadsEditor, kChangesEditor},
    {Where::kHome, ".vim", kReadsEditor, kChangesEditor},
    {Where::kHome, ".config/nvim", kReadsEditor, kChangesEditor},
    {Where::kHome, ".emacs", kReadsEditor, kChangesEditor},
    {Where::kHome, ".emacs.d", kReadsEditor, kChangesEditor},
    {Where::kHome, ".config/Code", kReadsEditor, kChangesEditor},
    // Pinfold's own.
    {Where::kHome, ".config/pinfold", kReadsTools, {kHigh, "It could change what Pinfold allows it the next time."}},
    {Where::kHome,
     ".local/state/pinfold",
     {kMedium, "It could read what ran before."},
     {kHigh, "It could hide what it did."}},
    // Documents, caches, tools.
    {Where::kHome, "Documents", kReadsDocuments, kChangesDocuments},
    {Where::kHome, "Desktop", kReadsDocuments, kChangesDocuments},
    {Where::kHome, "Downloads", kReadsDocuments, kChangesDocuments},
    {Where::kHome, "Pictures", kReadsDocuments, kChangesDocuments},
    {Where::kHome, "Videos", kReadsDocuments, kChangesDocuments},
    {Where::kHome, "Music", kReadsDocuments, kChangesDocuments},
    {Where::kHome, ".cache", kReadsCache, kChangesCache},
    {Where::kHome, ".npm", kReadsCache, kChangesCache},
    {Where::kHome, ".m2", kReadsCache, kChangesCache},
    {Where::kHome, ".gradle", kReadsCache, kChangesCache},
    {Where::kHome, ".cargo", kReadsTools, kChangesTools},
    {Where::kHome, ".cargo/registry", kReadsCache, kChangesCache},
    {Where::kHome, ".rustup", kReadsTools, kChangesTools},
    {Where::kHome, ".nvm", kReadsTools, kChangesTools},
    {Where::kHome, ".pyenv", kReadsTools, kChangesTools},
    {Where::kHome, ".rbenv", kReadsTools, kChangesTools},
    {Where::kHome, ".sdkman", kReadsTools, kChangesTools},
    {Where::kHome, ".asdf", kReadsTools, kChangesTools},
    {Where::kHome, "go", kReadsTools, kChangesTools},
    {Where::kHome, ".local/lib", kReadsTools, kChangesTools},
    {Where::kHome, ".local/share/mise", kReadsTools, kChangesTools},
    {Where::kHome, ".local/share/pnpm", kReadsTools, kChangesTools},
    {Where::kHome, ".local/share/uv", kReadsTools, kChangesTools},
    {Where::kRoot, "/opt", kReadsTools, kChangesTools},
    {Where::kRoot,
     "/tmp",
     {kMedium, "It could read what other programs have left in /tmp."},
     {kMedium, "It could change what other programs have left in /tmp."}},
    {Where::kRoot,
     "/var/tmp",
     {kMedium, "It could read what other programs have left there."},
     {kMedium, "It could change what other programs have left there."}},
    // The system.
    {Where::kRoot, "/etc", kReadsSystem, kChangesSystem},
    {Where::kRoot, "/etc/shadow", kTakesPasswords, kChangesSystem},
    {Where::kRoot, "/etc/gshadow", kTakesPasswords, kChangesSystem},
    {Where::kRoot,
     "/etc/sudoers",
     {kMedium, "It could read who may act as root."},
     {kHigh, "It could make itself root."}},
    {Where::kRoot,
     "/etc/sudoers.d",
     {kMedium, "It could read who may act as root."},
     {kHigh, "It could make itself root."}},
    {Where::kRoot, "/etc/ssl/private", kTakesKeys, kAddsKeys},
    {Where::kRoot, "/etc/profile.d", kReadsSystem, kChangesStartUp},
    {Where::kRoot, "/usr", kReadsSystem, kChangesSystem},
    {Where::kRoot, "/boot", kReadsSystem, kChangesSystem},
    {Where::kRoot,
     "/var/log",
     {kMedium, "It could read what this machine has recorded."},
     {kHigh, "It could hide what happened on this machine."}},
    {Where::kRoot, "/var/lib", {kMedium, "It could read the data of this machine's services."}, kChangesSystem},
    {Where::kRoot, "/proc", kReadsMemory, kChangesMachine},
    {Where::kRoot, "/sys", kReadsSystem, kChangesMachine},
    {Where::kRoot, "/dev", kReadsMemory, kChangesMachine},
    {Where::kRoot, "/mnt", kElsewhereRead, kElsewhereChange},
    // Sockets.
    {Where::kRoot, "/run/docker.sock", kIsRoot, kIsRoot, true},
    {Where::kRoot, "/var/run/docker.sock", kIsRoot, kIsRoot, true},
    {Where::kRoot, "/run/containerd", kIsRoot, kIsRoot, true},
    {Where::kRoot, "/run/podman", kIsRoot, kIsRoot, true},
    {Where::kRoot, "/run/crio", kIsRoot, kIsRoot, true},
    {Where::kRoot, "/run/snapd.socket", kIsRoot, kIsRoot, true},
    {Where::kRoot, "/var/lib/lxd", kIsRoot, kIsRoot, true},
    {Where::kName, "docker.sock", kIsRoot, kIsRoot, true},
    {Where::kName, "podman.sock", kIsRoot, kIsRoot, true},
    {Where::kPart, "gnupg/S.gpg-agent", kUsesAgent, kUsesAgent, true},
    {Where::kPart, "gnupg/S.gpg-agent.ssh", kUsesAgent, kUsesAgent, true},
    {Where::kPart, "keyring/ssh", kUsesAgent, kUsesAgent, true},
    {Where::kPart, "keyring/control", kTakesPasswords, kChangesPasswords, true},
    {Where::kName, "ssh-agent.socket", kUsesAgent, kUsesAgent, true},
    {Where::kRoot, "/run/dbus", kUsesBus, kUsesBus, true},
    {Where::kRoot, "/run/systemd", kUsesBus, kUsesBus, true},
    {Where::kRoot, "/run/user", kUsesBus, kUsesBus, true},
    {Where::kStart, "/tmp/ssh-", kUsesAgent, kUsesAgent, true},
    {Where::kRoot, "/tmp/.X11-unix", kUsesDesktop, kUsesDesktop, true},
    {Where::kName, "wayland-0", kUsesDesktop, kUsesDesktop, true},
    {Where::kName, "wayland-1", kUsesDesktop, kUsesDesktop, true},
    {Where::kPart,
     "pulse/native",
     {kMedium, "It could listen through your microphone."},
     {kMedium, "It could listen through your microphone."},
     true},
    {Where::kName,
     "pipewire-0",
     {kMedium, "It could listen through your microphone, or watch your screen."},
     {kMedium, "It could listen through your microphone, or watch your screen."},
     true},
    {Where::kPart, "postgresql", {kMedium, "It could use a database of this machine."}, kElsewhereChange, true},
};

}  // namespace pinfold::safety
