// path_risk.h: the table of paths and the risk of reading or changing them.
// Invariant: each text is one sentence about what the command could do; the row with the longest match is used.
// Not here: choosing the row (risk.cc), hosts (risk_host.cc).
#pragma once

#include <string_view>

#include "pinfold/approval.h"

namespace pinfold::safety {

struct RiskText {
  RiskLevel level;
  std::string_view text;
};

enum class PathMatch {
  kHome,    // below the home directory
  kRoot,    // an absolute path
  kPart,    // these consecutive components, anywhere
  kName,    // the last component
  kStart,   // a prefix of the path
  kEnding,  // a suffix of the last component; not for files of the system itself
};

struct RiskPath {
  PathMatch match;
  std::string_view pattern;
  RiskText read;
  RiskText change;
  bool socket = false;  // `read` is the risk of connecting to it
};

inline constexpr RiskLevel kLow = RiskLevel::kLow;
inline constexpr RiskLevel kMedium = RiskLevel::kMedium;
inline constexpr RiskLevel kHigh = RiskLevel::kHigh;

inline constexpr RiskText kWholeSystemRead = {kHigh, "It could read every file on this machine that you can read."};
inline constexpr RiskText kWholeSystemChange = {kHigh,
                                                "It could change or delete anything on this machine that you can."};
inline constexpr RiskText kWholeHomeRead = {kHigh, "It could read all your files, including keys and passwords."};
inline constexpr RiskText kWholeHomeChange = {
    kHigh, "It could change or delete all your files, and plant programs that run later."};
inline constexpr RiskText kProjectRead = {kLow, "It could read a file of the project it works on."};
inline constexpr RiskText kProjectChange = {kLow, "It could change a file of the project it works on."};
inline constexpr RiskText kOtherHomeRead = {kHigh, "It could read the files of another person on this machine."};
inline constexpr RiskText kOtherHomeChange = {kHigh, "It could change the files of another person on this machine."};
inline constexpr RiskText kHomeRead = {kMedium, "It could read files of yours that are not part of the project."};
inline constexpr RiskText kHomeChange = {kMedium,
                                         "It could change or delete files of yours that are not part of the project."};
inline constexpr RiskText kElsewhereRead = {kMedium, "It could read files outside of the project."};
inline constexpr RiskText kElsewhereChange = {kMedium, "It could change or delete files outside of the project."};
inline constexpr RiskText kUnknownSocket = {kMedium,
                                            "It could ask a running program outside of the sandbox to act for it."};

// Used in more than one row.
inline constexpr RiskText kTakesKeys = {kHigh, "It could copy your private key and impersonate you."};
inline constexpr RiskText kAddsKeys = {kHigh, "It could put its own keys in the place of yours, or lock you out."};
inline constexpr RiskText kTakesCloud = {kHigh,
                                         "It could copy the credentials of your cloud account and act as you there."};
inline constexpr RiskText kChangesCloud = {
    kHigh, "It could make your cloud tools use another account, or run its own commands."};
inline constexpr RiskText kTakesPasswords = {kHigh, "It could copy passwords or access tokens and use them as you."};
inline constexpr RiskText kChangesPasswords = {kHigh,
                                               "It could replace passwords or access tokens that your tools will use."};
inline constexpr RiskText kTakesBrowser = {
    kHigh, "It could copy your browser's cookies and passwords and be logged in as you."};
inline constexpr RiskText kChangesBrowser = {
    kHigh, "It could change your browser, and with it what you see and what you send."};
inline constexpr RiskText kReadsStartUp = {kMedium, "It could read your settings, which often contain tokens."};
inline constexpr RiskText kChangesStartUp = {
    kHigh, "It could leave commands that run by themselves, outside of the sandbox, when you log in or open a shell."};
inline constexpr RiskText kReadsPrograms = {kLow, "It could read programs that you have installed."};
inline constexpr RiskText kChangesPrograms = {kHigh,
                                              "It could replace a program that you run later, outside of the sandbox."};
inline constexpr RiskText kReadsJobs = {kLow, "It could read which jobs are started by themselves."};
inline constexpr RiskText kChangesJobs = {kHigh,
                                          "It could leave a job that is started by itself, outside of the sandbox."};
inline constexpr RiskText kReadsTools = {kLow, "It could read tools and packages that you have installed."};
inline constexpr RiskText kChangesTools = {kMedium,
                                           "It could change tools or packages that other projects use as well."};
inline constexpr RiskText kReadsCache = {kLow, "It could read the caches of tools."};
inline constexpr RiskText kChangesCache = {kLow, "It could change the caches of tools; other projects may use them."};
inline constexpr RiskText kReadsDocuments = {kMedium, "It could read your personal documents."};
inline constexpr RiskText kChangesDocuments = {kMedium, "It could change or delete your personal documents."};
inline constexpr RiskText kReadsHistory = {kHigh,
                                           "It could read your command history, with passwords typed in commands."};
inline constexpr RiskText kReadsSystem = {kLow, "It could read how this machine is set up."};
inline constexpr RiskText kChangesSystem = {kHigh, "It could change the system for everyone who uses this machine."};
inline constexpr RiskText kIsRoot = {kHigh,
                                     "It could start a container that sees the whole machine, which makes it root."};
inline constexpr RiskText kUsesAgent = {kHigh, "It could use your keys through the agent, for as long as it runs."};
inline constexpr RiskText kUsesDesktop = {kHigh,
                                          "It could see your screen and keys, or act as your other programs do."};
inline constexpr RiskText kUsesBus = {kHigh,
                                      "It could make your desktop's services start programs outside of the sandbox."};
inline constexpr RiskText kReadsGit = {kLow, "It could read the settings of git."};
inline constexpr RiskText kChangesGit = {kHigh,
                                         "It could leave commands that git runs by itself, outside of the sandbox."};
inline constexpr RiskText kReadsEditor = {kLow, "It could read the settings of an editor or an agent."};
inline constexpr RiskText kChangesEditor = {
    kHigh, "It could leave commands that an editor or an agent runs, outside of the sandbox."};
inline constexpr RiskText kReadsMemory = {kHigh, "It could look into running programs, or into the machine's memory."};
inline constexpr RiskText kChangesMachine = {kHigh, "It could change devices or the kernel of this machine."};

inline constexpr RiskPath kRiskPaths[] = {
    // Keys and credentials.
    {PathMatch::kHome, ".ssh", kTakesKeys, kAddsKeys},
    {PathMatch::kHome, ".ssh/known_hosts", {kLow, "It could read which servers you have used."}, kAddsKeys},
    {PathMatch::kHome,
     ".ssh/config",
     {kMedium, "It could read which servers and accounts you use."},
     {kHigh, "It could leave commands that ssh runs by itself, outside of the sandbox."}},
    {PathMatch::kHome, ".gnupg", kTakesKeys, kAddsKeys},
    {PathMatch::kHome, ".pki", kTakesKeys, kAddsKeys},
    {PathMatch::kHome, ".aws", kTakesCloud, kChangesCloud},
    {PathMatch::kHome, ".azure", kTakesCloud, kChangesCloud},
    {PathMatch::kHome, ".config/gcloud", kTakesCloud, kChangesCloud},
    {PathMatch::kHome, ".config/doctl", kTakesCloud, kChangesCloud},
    {PathMatch::kHome, ".oci", kTakesCloud, kChangesCloud},
    {PathMatch::kHome, ".kube", kTakesCloud, kChangesCloud},
    {PathMatch::kHome, ".terraform.d", kTakesCloud, kChangesCloud},
    {PathMatch::kHome, ".docker/config.json", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".config/containers/auth.json", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".netrc", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".git-credentials", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".config/git/credentials", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".config/gh", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".config/hub", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".config/glab-cli", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".npmrc", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".yarnrc.yml", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".pypirc", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".cargo/credentials.toml", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".cargo/credentials", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".gem/credentials", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".m2/settings.xml", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".gradle/gradle.properties", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".pgpass", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".my.cnf", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".vault-token", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".password-store", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".local/share/keyrings", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".local/share/kwalletd", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".config/op", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".config/Bitwarden", kTakesPasswords, kChangesPasswords},
    {PathMatch::kHome, ".claude", kTakesPasswords, kChangesEditor},
    {PathMatch::kHome, ".claude.json", kTakesPasswords, kChangesEditor},
    {PathMatch::kHome, ".codex", kTakesPasswords, kChangesEditor},
    {PathMatch::kHome, ".gemini", kTakesPasswords, kChangesEditor},
    {PathMatch::kHome, ".thunderbird", kTakesPasswords, kChangesPasswords},
    {PathMatch::kName,
     ".config",
     {kMedium, "It could read the settings of your programs."},
     {kHigh, "It could change the settings of all your programs, some of which start commands."}},
    {PathMatch::kName, ".env.example", kProjectRead, kProjectChange},
    {PathMatch::kName,
     "cacert.pem",
     kReadsTools,
     {kHigh, "It could make your tools trust servers that they should not."}},
    {PathMatch::kName, ".env", kTakesPasswords, kChangesPasswords},
    {PathMatch::kName, ".env.local", kTakesPasswords, kChangesPasswords},
    {PathMatch::kName, ".env.production", kTakesPasswords, kChangesPasswords},
    {PathMatch::kName, ".env.staging", kTakesPasswords, kChangesPasswords},
    {PathMatch::kName, ".env.development", kTakesPasswords, kChangesPasswords},
    {PathMatch::kName, ".npmrc", kTakesPasswords, kChangesPasswords},
    {PathMatch::kName, ".netrc", kTakesPasswords, kChangesPasswords},
    {PathMatch::kName, "id_rsa", kTakesKeys, kAddsKeys},
    {PathMatch::kName, "id_ed25519", kTakesKeys, kAddsKeys},
    {PathMatch::kName, "id_ecdsa", kTakesKeys, kAddsKeys},
    {PathMatch::kEnding, ".pem", kTakesKeys, kAddsKeys},
    {PathMatch::kEnding, ".key", kTakesKeys, kAddsKeys},
    {PathMatch::kEnding, ".p12", kTakesKeys, kAddsKeys},
    {PathMatch::kEnding, ".pfx", kTakesKeys, kAddsKeys},
    {PathMatch::kEnding, ".kdbx", kTakesPasswords, kChangesPasswords},
    {PathMatch::kEnding, ".pub", {kLow, "It could read a public key."}, kAddsKeys},
    {PathMatch::kEnding, ".tfstate", kTakesPasswords, kChangesCloud},
    // Browsers.
    {PathMatch::kHome, ".mozilla", kTakesBrowser, kChangesBrowser},
    {PathMatch::kHome, ".config/google-chrome", kTakesBrowser, kChangesBrowser},
    {PathMatch::kHome, ".config/chromium", kTakesBrowser, kChangesBrowser},
    {PathMatch::kHome, ".config/BraveSoftware", kTakesBrowser, kChangesBrowser},
    {PathMatch::kHome, ".config/microsoft-edge", kTakesBrowser, kChangesBrowser},
    {PathMatch::kHome, ".config/vivaldi", kTakesBrowser, kChangesBrowser},
    {PathMatch::kHome, ".config/opera", kTakesBrowser, kChangesBrowser},
    {PathMatch::kHome, "snap/firefox", kTakesBrowser, kChangesBrowser},
    {PathMatch::kHome, "snap/chromium", kTakesBrowser, kChangesBrowser},
    {PathMatch::kHome, ".var/app", kTakesBrowser, kChangesBrowser},
    // Command histories.
    {PathMatch::kHome, ".bash_history", kReadsHistory, kHomeChange},
    {PathMatch::kHome, ".zsh_history", kReadsHistory, kHomeChange},
    {PathMatch::kHome, ".python_history", kReadsHistory, kHomeChange},
    {PathMatch::kHome, ".psql_history", kReadsHistory, kHomeChange},
    {PathMatch::kHome, ".local/share/fish", kReadsHistory, kHomeChange},
    // Files that run automatically.
    {PathMatch::kHome, ".bashrc", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".bash_profile", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".bash_login", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".bash_logout", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".bash_aliases", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".profile", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".zshrc", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".zshenv", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".zprofile", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".zlogin", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".oh-my-zsh", kReadsTools, kChangesStartUp},
    {PathMatch::kHome, ".config/fish", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".config/environment.d", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".pam_environment", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".inputrc", kReadsTools, kChangesStartUp},
    {PathMatch::kHome, ".xprofile", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".xinitrc", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".xsession", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".tmux.conf", kReadsTools, kChangesStartUp},
    {PathMatch::kHome, ".config/tmux", kReadsTools, kChangesStartUp},
    {PathMatch::kHome, ".config/autostart", kReadsJobs, kChangesJobs},
    {PathMatch::kHome, ".config/systemd", kReadsJobs, kChangesJobs},
    {PathMatch::kHome, ".local/share/systemd", kReadsJobs, kChangesJobs},
    {PathMatch::kHome, ".local/share/applications", kReadsJobs, kChangesPrograms},
    {PathMatch::kRoot, "/etc/cron.d", kReadsJobs, kChangesJobs},
    {PathMatch::kRoot, "/etc/crontab", kReadsJobs, kChangesJobs},
    {PathMatch::kRoot, "/var/spool/cron", kReadsJobs, kChangesJobs},
    {PathMatch::kRoot, "/etc/systemd", kReadsJobs, kChangesJobs},
    {PathMatch::kHome, "bin", kReadsPrograms, kChangesPrograms},
    {PathMatch::kHome, ".local/bin", kReadsPrograms, kChangesPrograms},
    {PathMatch::kHome, ".cargo/bin", kReadsPrograms, kChangesPrograms},
    {PathMatch::kHome, "go/bin", kReadsPrograms, kChangesPrograms},
    {PathMatch::kHome, ".npm-global", kReadsPrograms, kChangesPrograms},
    {PathMatch::kHome, ".deno/bin", kReadsPrograms, kChangesPrograms},
    {PathMatch::kHome, ".bun/bin", kReadsPrograms, kChangesPrograms},
    {PathMatch::kRoot, "/usr/local/bin", kReadsPrograms, kChangesPrograms},
    {PathMatch::kRoot, "/usr/local/sbin", kReadsPrograms, kChangesPrograms},
    // Git, editors, agents.
    {PathMatch::kHome, ".gitconfig", kReadsGit, kChangesGit},
    {PathMatch::kHome, ".config/git", kReadsGit, kChangesGit},
    {PathMatch::kPart, ".git/hooks", kReadsGit, kChangesGit},
    {PathMatch::kPart, ".git/config", kReadsGit, kChangesGit},
    {PathMatch::kPart, ".husky", kReadsGit, kChangesGit},
    {PathMatch::kPart, ".vscode", kReadsEditor, kChangesEditor},
    {PathMatch::kPart, ".idea", kReadsEditor, kChangesEditor},
    {PathMatch::kPart, ".cursor", kReadsEditor, kChangesEditor},
    {PathMatch::kPart, ".claude", kReadsEditor, kChangesEditor},
    {PathMatch::kName, ".mcp.json", kReadsEditor, kChangesEditor},
    {PathMatch::kName, ".envrc", kReadsStartUp, kChangesStartUp},
    {PathMatch::kHome, ".vimrc", kReadsEditor, kChangesEditor},
    {PathMatch::kHome, ".vim", kReadsEditor, kChangesEditor},
    {PathMatch::kHome, ".config/nvim", kReadsEditor, kChangesEditor},
    {PathMatch::kHome, ".emacs", kReadsEditor, kChangesEditor},
    {PathMatch::kHome, ".emacs.d", kReadsEditor, kChangesEditor},
    {PathMatch::kHome, ".config/Code", kReadsEditor, kChangesEditor},
    // Pinfold's own.
    {PathMatch::kHome,
     ".config/pinfold",
     kReadsTools,
     {kHigh, "It could change what Pinfold allows it the next time."}},
    {PathMatch::kHome,
     ".local/state/pinfold",
     {kMedium, "It could read what ran before."},
     {kHigh, "It could hide its actions."}},
    // Documents, caches, tools.
    {PathMatch::kHome, "Documents", kReadsDocuments, kChangesDocuments},
    {PathMatch::kHome, "Desktop", kReadsDocuments, kChangesDocuments},
    {PathMatch::kHome, "Downloads", kReadsDocuments, kChangesDocuments},
    {PathMatch::kHome, "Pictures", kReadsDocuments, kChangesDocuments},
    {PathMatch::kHome, "Videos", kReadsDocuments, kChangesDocuments},
    {PathMatch::kHome, "Music", kReadsDocuments, kChangesDocuments},
    {PathMatch::kHome, ".cache", kReadsCache, kChangesCache},
    {PathMatch::kHome, ".npm", kReadsCache, kChangesCache},
    {PathMatch::kHome, ".m2", kReadsCache, kChangesCache},
    {PathMatch::kHome, ".gradle", kReadsCache, kChangesCache},
    {PathMatch::kHome, ".cargo", kReadsTools, kChangesTools},
    {PathMatch::kHome, ".cargo/registry", kReadsCache, kChangesCache},
    {PathMatch::kHome, ".rustup", kReadsTools, kChangesTools},
    {PathMatch::kHome, ".nvm", kReadsTools, kChangesTools},
    {PathMatch::kHome, ".pyenv", kReadsTools, kChangesTools},
    {PathMatch::kHome, ".rbenv", kReadsTools, kChangesTools},
    {PathMatch::kHome, ".sdkman", kReadsTools, kChangesTools},
    {PathMatch::kHome, ".asdf", kReadsTools, kChangesTools},
    {PathMatch::kHome, "go", kReadsTools, kChangesTools},
    {PathMatch::kHome, ".local/lib", kReadsTools, kChangesTools},
    {PathMatch::kHome, ".local/share/mise", kReadsTools, kChangesTools},
    {PathMatch::kHome, ".local/share/pnpm", kReadsTools, kChangesTools},
    {PathMatch::kHome, ".local/share/uv", kReadsTools, kChangesTools},
    {PathMatch::kRoot, "/opt", kReadsTools, kChangesTools},
    {PathMatch::kRoot,
     "/tmp",
     {kMedium, "It could read what other programs have left in /tmp."},
     {kMedium, "It could change what other programs have left in /tmp."}},
    {PathMatch::kRoot,
     "/var/tmp",
     {kMedium, "It could read what other programs have left there."},
     {kMedium, "It could change what other programs have left there."}},
    // The system.
    {PathMatch::kRoot, "/etc", kReadsSystem, kChangesSystem},
    {PathMatch::kRoot, "/etc/shadow", kTakesPasswords, kChangesSystem},
    {PathMatch::kRoot, "/etc/gshadow", kTakesPasswords, kChangesSystem},
    {PathMatch::kRoot,
     "/etc/sudoers",
     {kMedium, "It could read which users may act as root."},
     {kHigh, "It could make itself root."}},
    {PathMatch::kRoot,
     "/etc/sudoers.d",
     {kMedium, "It could read which users may act as root."},
     {kHigh, "It could make itself root."}},
    {PathMatch::kRoot, "/etc/ssl/private", kTakesKeys, kAddsKeys},
    {PathMatch::kRoot, "/etc/profile.d", kReadsSystem, kChangesStartUp},
    {PathMatch::kRoot, "/usr", kReadsSystem, kChangesSystem},
    {PathMatch::kRoot, "/boot", kReadsSystem, kChangesSystem},
    {PathMatch::kRoot,
     "/var/log",
     {kMedium, "It could read what this machine has recorded."},
     {kHigh, "It could hide what happened on this machine."}},
    {PathMatch::kRoot, "/var/lib", {kMedium, "It could read the data of this machine's services."}, kChangesSystem},
    {PathMatch::kRoot, "/proc", kReadsMemory, kChangesMachine},
    {PathMatch::kRoot, "/sys", kReadsSystem, kChangesMachine},
    {PathMatch::kRoot, "/dev", kReadsMemory, kChangesMachine},
    {PathMatch::kRoot, "/mnt", kElsewhereRead, kElsewhereChange},
    // Sockets.
    {PathMatch::kRoot, "/run/docker.sock", kIsRoot, kIsRoot, true},
    {PathMatch::kRoot, "/var/run/docker.sock", kIsRoot, kIsRoot, true},
    {PathMatch::kRoot, "/run/containerd", kIsRoot, kIsRoot, true},
    {PathMatch::kRoot, "/run/podman", kIsRoot, kIsRoot, true},
    {PathMatch::kRoot, "/run/crio", kIsRoot, kIsRoot, true},
    {PathMatch::kRoot, "/run/snapd.socket", kIsRoot, kIsRoot, true},
    {PathMatch::kRoot, "/var/lib/lxd", kIsRoot, kIsRoot, true},
    {PathMatch::kName, "docker.sock", kIsRoot, kIsRoot, true},
    {PathMatch::kName, "podman.sock", kIsRoot, kIsRoot, true},
    {PathMatch::kPart, "gnupg/S.gpg-agent", kUsesAgent, kUsesAgent, true},
    {PathMatch::kPart, "gnupg/S.gpg-agent.ssh", kUsesAgent, kUsesAgent, true},
    {PathMatch::kPart, "keyring/ssh", kUsesAgent, kUsesAgent, true},
    {PathMatch::kPart, "keyring/control", kTakesPasswords, kChangesPasswords, true},
    {PathMatch::kName, "ssh-agent.socket", kUsesAgent, kUsesAgent, true},
    {PathMatch::kRoot, "/run/dbus", kUsesBus, kUsesBus, true},
    {PathMatch::kRoot, "/run/systemd", kUsesBus, kUsesBus, true},
    {PathMatch::kRoot, "/run/user", kUsesBus, kUsesBus, true},
    {PathMatch::kStart, "/tmp/ssh-", kUsesAgent, kUsesAgent, true},
    {PathMatch::kRoot, "/tmp/.X11-unix", kUsesDesktop, kUsesDesktop, true},
    {PathMatch::kName, "wayland-0", kUsesDesktop, kUsesDesktop, true},
    {PathMatch::kName, "wayland-1", kUsesDesktop, kUsesDesktop, true},
    {PathMatch::kPart,
     "pulse/native",
     {kMedium, "It could listen through your microphone."},
     {kMedium, "It could listen through your microphone."},
     true},
    {PathMatch::kName,
     "pipewire-0",
     {kMedium, "It could listen through your microphone, or watch your screen."},
     {kMedium, "It could listen through your microphone, or watch your screen."},
     true},
    {PathMatch::kPart, "postgresql", {kMedium, "It could use a database of this machine."}, kElsewhereChange, true},
};

}  // namespace pinfold::safety
