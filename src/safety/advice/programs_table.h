// programs_table.h: the rows of programs.cc. Invariant and columns: programs.h.
#pragma once

#include "safety/advice/programs.h"

namespace pinfold::advice {

using enum ProgramKind;
using enum Language;

inline constexpr Program kPrograms[] = {
    // Shells.
    {.names = "sh bash dash ash sash zsh ksh ksh93 mksh pdksh rbash csh tcsh fish elvish xonsh osh yash rc es",
     .kind = kShell,
     .values = "-O --rcfile --init-file -o"},
    {.names = "pwsh powershell", .kind = kShell, .values = "-w -ep -ex", .style = Style::kNames},

    // Wrappers: the rest is the command.
    {.names = "sudo doas",
     .kind = kWrapper,
     .values = "-u -g -p -C -h -r -t -T -U -D -R --user --group --prompt --host --role --type --chdir --chroot"},
    {.names = "env", .kind = kWrapper, .values = "-u -C --unset --chdir", .commands = "-S --split-string"},
    {.names = "nice ionice", .kind = kWrapper, .values = "-n -c -p --adjustment --class --classdata"},
    {.names =
         "nohup setsid command builtin eatmydata tsocks torsocks torify dbus-run-session dbus-launch caffeinate "
         "unbuffer "
         "catchsegv rlwrap pexec softlimit multitime ld.so aoss padsp distcc ccache uvx valgrind hyperfine pkexec run0",
     .kind = kWrapper,
     .values = "--user --library-path --preload"},
    {.names = "exec", .kind = kWrapper, .values = "-a"},
    {.names = "time gtime", .kind = kWrapper, .values = "-f -o --format --output"},
    {.names = "fakeroot firejail bwrap proxychains proxychains4 aa-exec sshpass daemonize",
     .kind = kWrapper,
     .values = "-l -s -i -b -f -p -e --profile --bind --ro-bind --dev --proc"},
    {.names = "strace ltrace", .kind = kWrapper, .values = "-e -o -p -s -u -a -E -P -n -l -F -A"},
    {.names = "stdbuf", .kind = kWrapper, .values = "-i -o -e --input --output --error"},
    {.names = "chrt schedtool numactl prlimit cgexec runcon choom cpulimit setpriv",
     .kind = kWrapper,
     .values = "-n -p -g -l -c -N -m -C -t -u -r -T -P -D -e --pid --adjust --limit --reuid --regid --cpunodebind "
               "--membind --user "
               "--role --type"},
    {.names = "unshare nsenter",
     .kind = kWrapper,
     .values = "-t -R -w -S -G --target --root --wd --setuid --setgid --map-user --map-group"},
    {.names = "systemd-run",
     .kind = kWrapper,
     .values = "-p -u -M -H -E --unit --property --slice --setenv --uid --gid --machine"},
    {.names = "xvfb-run", .kind = kWrapper, .values = "-n -s -e -f"},
    {.names = "perf logsave faketime", .kind = kWrapper, .values = "-e -o -p -F", .before = 1},
    {.names = "timeout", .kind = kWrapper, .values = "-k -s --kill-after --signal", .before = 1},
    {.names = "taskset setarch linux32 linux64 i386 chroot flock setlock run-one",
     .kind = kWrapper,
     .values = "-w -E -c --userspec --groups --timeout --conflict-exit-code",
     .before = 1},
    {.names = "xargs parallel",
     .kind = kWrapper,
     .values = "-a -d -E -I -L -n -P -s -j --arg-file --delimiter --max-args --max-procs --replace --jobs --colsep "
               "--joblog --results"},
    {.names = "watch", .kind = kWrapper, .values = "-n --interval -q"},
    {.names = "busybox toybox", .kind = kWrapper},
    {.names = "start-stop-daemon", .values = "-n --name -p --pidfile", .commands = "-x --exec -a --startas"},
    {.names = "ip", .kind = kPlain, .values = "-n -netns"},
    {.names = "capsh", .kind = kPlain},

    // Code given on the command line.
    {.names = "python pypy ipython jython bpython",
     .kind = kInterpreter,
     .values = "-W -X -m -Q",
     .code = "-c",
     .language = kPython},
    {.names = "perl", .kind = kInterpreter, .values = "-I -M", .code = "-e -E", .language = kPerl},
    {.names = "ruby jruby irb", .kind = kInterpreter, .values = "-r -I -C", .code = "-e", .language = kRuby},
    {.names = "php", .kind = kInterpreter, .values = "-d -c -z -S -t", .code = "-r -B -R -E", .language = kPhp},
    {.names = "node nodejs deno bun iojs",
     .kind = kInterpreter,
     .values = "-r --require --loader --import",
     .code = "-e -p --eval --print eval",
     .language = kNode},
    {.names = "lua luajit", .kind = kInterpreter, .values = "-l", .code = "-e", .language = kLua},
    {.names = "awk gawk mawk nawk",
     .values = "-F -v -f --field-separator --assign --file -i",
     .code = "-e --source",
     .language = kAwk,
     .code_first = true},
    {.names = "sed gsed ssed",
     .values = "-f -l --file --line-length",
     .code = "-e --expression",
     .language = kSed,
     .code_first = true},
    {.names = "vim vi nvim view rvim rview vimdiff ex gvim vim.basic vim.tiny",
     .kind = kTalks,
     .values = "-u -U -i -t -s -S",
     .code = "-c --cmd -S +",
     .language = kVim},
    {.names = "gdb cgdb lldb rust-gdb",
     .kind = kTalks,
     .values = "-x -p -d --args",
     .code = "-ex -iex --ex -o --one-line -ix --eval-command",
     .language = kDebugger,
     .style = Style::kNames},
    {.names = "emacs emacsclient", .kind = kTalks, .code = "--eval -eval --execute", .language = kOther},
    {.names = "tclsh wish expect", .kind = kInterpreter, .code = "-c", .language = kOther},
    {.names = "Rscript R r", .kind = kInterpreter, .code = "-e", .language = kOther},
    {.names = "julia", .kind = kInterpreter, .code = "-e -E --eval", .language = kOther},
    {.names = "ghc ghci runghc", .kind = kInterpreter, .code = "-e", .language = kOther, .style = Style::kNames},
    {.names = "erl elixir iex",
     .kind = kInterpreter,
     .code = "-eval -e -run",
     .language = kOther,
     .style = Style::kNames},
    {.names = "guile gsi csi racket scheme sbcl clisp",
     .kind = kInterpreter,
     .code = "-c -e --eval",
     .language = kOther},
    {.names = "osascript jrunscript jjs slsh octave groovy scala clojure gimp maxima",
     .kind = kInterpreter,
     .code = "-e -c -b --eval --execute",
     .language = kOther},
    {.names = "jshell pdb scanmem tasksh ginsh tdbtool hping3 bconsole",
     .kind = kTalks,
     .code = "-c",
     .language = kPython},
    {.names = "octave-cli nodemon sqlmap", .code = "--eval -x --exec", .language = kOther},
    {.names = "rpm rpmquery rpmverify rpmbuild", .code = "--eval -E", .language = kLua},
    {.names = "pdftex tex latex lualatex luatex pdflatex xelatex xetex",
     .code = "--shell-escape -shell-escape --enable-write18",
     .language = kOther,
     .style = Style::kNames,
     .code_first = true},

    // Options that run a command.
    {.names = "tar bsdtar gtar",
     .values = "-f -C -T -X -b --file --directory --files-from --exclude",
     .commands = "-I -F --use-compress-program --to-command --info-script --new-volume-script --rsh-command "
                 "--checkpoint-action"},
    {.names = "find gfind fd fdfind", .style = Style::kNames},
    {.names = "rsync", .values = "-f --exclude --include", .commands = "-e --rsh --rsync-path"},
    {.names = "zip", .values = "-x -i -b", .commands = "-TT --unzip-command"},
    {.names = "split csplit", .values = "-l -b -n -a", .commands = "--filter"},
    {.names = "git",
     .values = "-C --git-dir --work-tree -m --message",
     .commands = "-c --upload-pack --receive-pack --exec --exec-path --open-files-in-pager"},
    {.names = "make gmake bmake", .values = "-C -f -j -I -o -W", .commands = "--eval"},
    {.names = "man", .commands = "-P -H --pager --html"},
    {.names = "sort", .values = "-k -t -o -S -T", .commands = "--compress-program"},
    {.names = "openvpn", .commands = "--up --down --tls-verify --ipchange --route-up", .style = Style::kNames},
    {.names = "nmap",
     .kind = kTalks,
     .values = "-p -oN -iL -oX -oG -oA",
     .commands = "--script",
     .style = Style::kNames},
    {.names = "socat", .kind = kPlain, .style = Style::kNames},
    {.names = "script", .commands = "-c --command"},
    {.names = "dmsetup cgdisk", .commands = "--exec"},
    {.names = "gem rake", .values = "-v", .commands = "-e --editor --execute"},
    {.names = "scrot entr tmate", .commands = "-e -s -c"},
    {.names = "crontab at batch", .kind = kTalks},
    {.names = "lftp smbclient ftp sftp telnet", .kind = kTalks, .values = "-u -p -U", .commands = "-c -e -S -D"},
    {.names = "mysql mariadb", .kind = kTalks, .values = "-u -h -P -D", .code = "-e --execute", .language = kOther},
    {.names = "psql", .kind = kTalks, .values = "-U -h -p -d -f", .code = "-c --command", .language = kOther},
    {.names = "sqlite3 sqlite", .kind = kTalks, .values = "-cmd", .language = kOther, .style = Style::kNames},
    {.names = "mail mailx mutt", .kind = kTalks, .values = "-s", .commands = "--exec"},
    {.names = "apt apt-get aptitude", .values = "-t -o -c"},
    {.names = "gcc g++ cc c++ clang clang++ c89 c99 c++filt",
     .values = "-o -I -L -D",
     .starts = "-wrapper -fplugin",
     .style = Style::kNames},
    {.names = "less more most pg lesspipe journalctl systemctl w3m lynx links nano pico ed red joe mc ncdu top htop "
              "info dc crash debugfs",
     .kind = kTalks,
     .values = "-s -k -t -u -n -o --speller --lines --since --unit"},
    {.names = "tmux screen byobu", .values = "-s -n -t -c -x -y -S -L -f -F", .style = Style::kLetters},

    // Elsewhere.
    {.names = "docker podman nerdctl kubectl oc lxc lxc-attach lxc-execute k3s ctr crictl docker-compose machinectl "
              "distrobox "
              "toolbox vagrant multipass helm flatpak heroku fly gcloud az oci",
     .kind = kElsewhere,
     .values = "-v -e -p -w -u -n -c -f -H --host --context --volume --name --network --env --mount --entrypoint "
               "--workdir --user "
               "--namespace --pid"},
    {.names = "ssh autossh mosh dropbear dbclient",
     .kind = kElsewhere,
     .values = "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"},
    {.names = "scp", .values = "-F -i -o -P -l -c", .starts = "-S"},
    {.names = "ssh-keygen", .values = "-t -f -b -C -i -N -P", .starts = "-D"},
    {.names = "ssh-add ssh-agent ssh-copy-id ssh-keyscan", .kind = kPlain, .values = "-t -f -b -C -i"},

    // Values that would be taken for words otherwise.
    {.names = "curl",
     .values =
         "-o -d -F -T -H -X -u -A -e -b -c -x -m -w -K -E --output --data --data-binary --data-raw --form "
         "--upload-file "
         "--header --request --user --user-agent --url --unix-socket --connect-timeout --max-time --data-urlencode "
         "--cacert --cert --key --proxy --write-out --retry --output-dir"},
    {.names = "wget",
     .values =
         "-O -o -P -U -t -T -a -i --output-document --post-file --post-data --body-file --header --directory-prefix "
         "--user --password --user-agent --method",
     .starts = "--use-askpass"},
    {.names = "aria2c",
     .values = "-o -d -x -s -j -i --out --dir --input-file",
     .starts = "--on-download-error --on-download-complete --on-download-start --on-download-stop --on-download-pause "
               "--on-bt-download-complete"},
    {.names = "tcpdump", .values = "-i -w -r -c -s -C -W -G -Z -F -y -B", .starts = "-z"},
    {.names = "pidstat", .values = "-p -C -G -U", .starts = "-e"},
    {.names = "pic", .starts = "-U"},
    {.names = "check_ssl_cert", .values = "-H -p", .starts = "--curl-bin --openssl"},
    {.names = "yt-dlp youtube-dl", .values = "-o -f", .commands = "--exec --exec-before-download"},
    {.names = "certbot",
     .values = "-d -m --email --webroot-path",
     .commands = "--pre-hook --post-hook --deploy-hook --renew-hook --manual-auth-hook --manual-cleanup-hook"},
    {.names = "dialog whiptail", .commands = "--prgbox --programbox"},
    {.names = "cpio", .values = "-F -O -I -E -R", .commands = "--rsh-command"},
    {.names = "enscript", .values = "-o -p", .commands = "-I --filter"},
    {.names = "ansible",
     .kind = kElsewhere,
     .values = "-m -a -i -u -l -e -f --module-name --args --inventory --limit --user"},
    {.names = "puppet", .code = "-e --execute", .language = kOther},
    {.names = "bpftrace", .commands = "-c", .code = "-e", .language = kAwk},
    {.names = "rtorrent aspell ispell pry byebug zathura iftop ncftp psftp jtag msfconsole ranger cpan eb knife "
              "run-mailcap batcat bat timedatectl busctl loginctl systemd-resolve resolvectl",
     .kind = kTalks},
    {.names = "dmesg", .values = "-l -f -n --level --facility"},
    {.names = "nc ncat netcat nc.traditional nc.openbsd",
     .values = "-w -s -p -i -X -x -g -G -T -q -I -O --proxy",
     .commands = "-e -c --exec --sh-exec --lua-exec"},
    {.names = "rm", .kind = kPlain},
    {.names = "mount", .values = "-o -t -L -U --options --types"},
    {.names = "chmod", .kind = kPlain, .values = "--reference"},
    {.names = "install", .values = "-m -o -g -t --mode --owner --group --target-directory"},
    {.names = "dd", .kind = kPlain},
    {.names = "useradd usermod adduser",
     .kind = kNames,
     .values = "-u -g -G -s -d -c -e -p -k --uid --gid --groups --shell --home --password"},
    {.names = "su", .kind = kNames, .values = "-s -g -G --shell", .commands = "-c --command --session-command"},
    {.names = "openssl", .starts = "-engine -provider-path", .style = Style::kNames},
    {.names = "terraform tofu java wmic", .style = Style::kNames},
    {.names = "aws pulumi eksctl doctl", .values = "--profile --region --output"},

    // Programs that print, compare or name: a shell among their words is a word.
    {.names =
         "echo printf grep egrep fgrep rg ag ack cat ls file which whereis type stat readlink realpath ldd strings od "
         "hexdump xxd md5sum sha1sum sha256sum cp mv ln chsh chown chgrp test [ [[ whatis apropos pgrep pkill "
         "pidof ps killall du diff cmp tee touch mkdir head tail wc cut tr login update-alternatives jq yq code "
         "dpkg dpkg-query brew yum dnf pacman apk zypper snap port pip pip3 conda set export alias declare local "
         "readonly unset getent id passwd sestatus hash basename dirname tput logger wall xclip pbcopy say notify-send "
         "column fold fmt nl tac rev paste join comm uniq shuf seq expr bc factor cargo rustup go nix nix-env cmake "
         "shellcheck shfmt bats rustc javac dotnet mvn gradle chattr lsattr getfacl setfacl umask systemd-analyze "
         "checkinstall rpm-ostree reg net sc setx tldr look agrep zgrep zcat bzgrep pcregrep ripgrep dmenu rofi "
         "return exit cd pushd popd",
     .kind = kNames},
};

}  // namespace pinfold::advice
