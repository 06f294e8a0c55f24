// rules_access.cc: rules about credentials, tools of attack, and ways out of containers.
// Invariant: every rule matches its first examples and does not match the others (rules_test.cc). Not here: the syntax
// of patterns (rules.h).
#include "safety/advice/rules.h"

namespace pinfold::advice {

namespace {

constexpr Rule kRules[] = {
    {"read-credential", "credential-access", AdviceVerdict::kAsk,
     "cat|less|more|head|tail|tac|nl|od|xxd|hexdump|strings|base64|base32|grep|egrep|rg|awk|sed|cut|sort|tar|zip|scp|"
     "rsync|dd|tee|vim|vi|nano|view|python|python3|perl|ruby|openssl|gpg|jq|diff|bat|sqlite3|7z|gzip|rev|paste|uniq|"
     "xargs|fold|fmt|emacs|ed|wc|split|column|pr @credential|memory\n"
     "cp|mv|ln|install <credential|memory\n"
     "unshadow|pwdump|gcore|procdump|makedmp|mimipenguin|lazagne|secretsdump.py|impacket-secretsdump|samdump2|chntpw\n"
     "keyctl print|read|pipe|dump\n"
     "dd @memory\n"
     "gdb|lldb -p|--pid|-pid *dump|gcore|generate-core|call|system(",
     "reads passwords, keys or tokens", "hand over only the one value that is needed, by the environment",
     "cat /etc/shadow\n"
     "cp ~/.ssh/id_rsa /tmp\n"
     "cat ~/.aws/credentials",
     "cat ~/.ssh/id_rsa.pub\n"
     "sudo cp -i admin.conf $HOME/.kube/config\n"
     "cat /etc/passwd\n"
     "ssh -i ~/.ssh/id_rsa host\n"
     "chmod 600 ~/.ssh/id_rsa"},
    {"hunt-credential", "credential-access", AdviceVerdict::kAsk,
     "grep|egrep|fgrep|rg|ag|zgrep|findstr|ack *password|passwd|secret|credential|api_key|apikey|private|token|aws_ "
     "@root|home|system|log|credential|memory\n"
     "grep|egrep|fgrep|rg|zgrep *password|passwd|pwd=|secret|credential|private.key|aws_access -r|-R "
     "@root|home|system|below-system\n"
     "find|fd|locate "
     "*id_rsa|id_dsa|id_ed25519|.pem|.ppk|.pgpass|.netrc|shadow|.kdbx|credentials|.ovpn|.p12|.pfx|wallet.dat|.htpasswd|"
     "authorized_keys|_history|known_hosts|.keytab|cookies.sqlite|logins.json|login.keychain @root|home|system\n"
     "find|locate *id_rsa|credentials|wallet.dat|.kdbx\n"
     "locate *password|.pem|shadow\n"
     "grep *password|passwd|secret|token *_history\n"
     "cat|less|grep|strings|tail|head *_history !#0\n"
     "printenv|env|set =AWS_SECRET_ACCESS_KEY|GITHUB_TOKEN|OPENAI_API_KEY|ANTHROPIC_API_KEY|AWS_SESSION_TOKEN\n"
     "gpg --export-secret-keys|--export-secret-subkeys|--export-secret-key\n"
     "security "
     "delete-keychain|dump-keychain|find-generic-password|find-internet-password|export|unlock-keychain|find-"
     "certificate\n"
     "secret-tool lookup|search\n"
     "pass show\n"
     "kubectl get|describe secret|secrets -A|--all-namespaces\n"
     "kubectl get secrets -o|--output|-ojson|-oyaml\n"
     "aws secretsmanager|ssm get-secret-value|get-parameters-by-path|batch-get-secret-value\n"
     "aws iam|sts "
     "create-access-key|create-login-profile|update-login-profile|attach-user-policy|put-user-policy|create-user|"
     "attach-role-policy|create-policy-version|get-session-token|add-user-to-group|update-assume-role-"
     "policy|deactivate-mfa-device\n"
     "gcloud secrets versions access\n"
     "gcloud iam service-accounts keys create\n"
     "gcloud projects add-iam-policy-binding\n"
     "az keyvault secret|key|certificate show|download\n"
     "az ad credential reset\n"
     "vault read|kv get|read\n"
     "cat|strings|less|head|xargs|tr|grep @memory\n"
     "defaults read *shadow|password|com.apple.screensaver\n"
     "dscl *shadowhashdata|authenticationauthority\n"
     "op read|item get",
     "looks for passwords, keys or tokens", "name the one file that is needed",
     "grep -ri password /etc\n"
     "find / -name id_rsa\n"
     "gpg --export-secret-keys -a",
     "grep -rn password src\n"
     "find . -name '*.pem'\n"
     "kubectl get secrets\n"
     "kubectl get secret app -o jsonpath='{.data.password}'\n"
     "gpg --verify a.sig a"},
    {"attack-tool", "attack-tool", AdviceVerdict::kAsk,
     "hydra|medusa|john|hashcat|sqlmap|msfvenom|msfconsole|msfdb|aircrack-ng|airodump-ng|aireplay-ng|airmon-ng|"
     "ettercap|bettercap|arpspoof|dnsspoof|responder|mimikatz|crackmapexec|netexec|nxc|masscan|zmap|xmrig|minerd|"
     "cgminer|cpuminer|bfgminer|ethminer|nbminer|chisel|iodine|iodined|dnscat|dnscat2|dns2tcpc|linpeas|pspy|pspy64|"
     "evil-winrm|psexec|wmiexec|smbexec|bloodhound-python|kerbrute|rubeus|slowloris|setoolkit|macof|yersinia|ncrack|"
     "patator|reaver|wifite|fcrackzip|dsniff|sslstrip|routersploit|empire|sliver|pupy|linenum|mimipenguin|lazagne|"
     "linux-exploit-suggester|unix-privesc-check|commix|xsser|weevely|ophcrack|rainbowcrack|t50|goldeneye|mdk3|mdk4|"
     "getuserspns|getnpusers|ntlmrelayx|secretsdump|impacket-psexec|logkeys|keylogger|xspy|ligolo|ligolo-ng|gs-netcat|"
     "pwncat|pwncat-cs|revsocks|merlinagent|peirates|deepce|amicontained|kdigger|traitor|pacu|kubeletctl|botb|"
     "thc-ssl-dos|thc-ipv6\n"
     "xinput test|test-xi2\n"
     "* *stratum+tcp://|stratum+ssl://|stratum+tls://\n"
     "nmap -iL|-D\n"
     "nmap -sS|-sN|-sF|-sX|-sU|-A|-O|-T5 */8|/16|/24|/12\n"
     "nmap -p- */8|/16|/24|/12\n"
     "nmap --script *vuln|exploit|brute\n"
     "nc|ncat|netcat *1-65535|1-1024\n"
     "python|python2|python3|bash|sh|perl|ruby "
     "*lazagne|mimipenguin|secretsdump|linpeas|linenum|psexec.py|wmiexec.py|responder.py|getuserspns|rootkit|keylogger|"
     "ransom|cryptominer|reverse_shell|revshell|bruteforce|exploit.|ntlmrelayx\n"
     "ping|fping -f|-b\n"
     "stress|openssl speed\n"
     "macchanger|ifconfig *hw\n"
     "hostapd|dnsmasq|ettercap-text-only -T\n"
     "smbmap|onesixtyone -u|-c|-H",
     "is a tool for attacking or mining", "only where the owner of the machine asked for it",
     "hydra -l root -P pw.txt ssh://10.0.0.5\n"
     "nmap -sS -p- 10.0.0.0/8\n"
     "./miner -o stratum+tcp://x.example:3333",
     "nmap -p 80 localhost\n"
     "tcpdump -i eth0 port 80\n"
     "nc -zv localhost 5432"},
    {"container-escape", "container-escape", AdviceVerdict::kDeny,
     "docker|podman|nerdctl|ctr "
     "*--privileged|cap-add=all|cap-add=sys_admin|cap-add=sys_ptrace|cap-add=sys_module|--pid=host|--device=/"
     "dev/sd|--device=/dev/nvme|--device=/dev/mem|security-opt=apparmor=unconfined|seccomp=unconfined|--userns=host|"
     "security-opt=apparmor:unconfined\n"
     "docker|podman|nerdctl|ctr --security-opt *unconfined|disable\n"
     "docker|podman|nerdctl|ctr --cap-add *sys_admin|all|sys_ptrace|sys_module|dac_read_search\n"
     "docker|podman|nerdctl run|create|exec -v|--volume|--mount @engine|accounts|credential|kernel\n"
     "docker|podman|nerdctl run|create *-v|--volume|--mount *source=/,|src=/,|docker.sock\n"
     "docker|podman|nerdctl run|create "
     "^/etc:|/root:|/proc:|/sys:|/boot:|/dev:|/home:|/var/run:|/usr:|/var/log:|/lib:|/bin:\n"
     "docker|podman|nerdctl *-v/:|--volume=/:\n"
     "docker|podman|nerdctl run|create -v=/:/\n"
     "docker|podman|nerdctl run|create -v=/:\n"
     "kubectl *hostpid|hostpid|privileged|hostnetwork|hostpath|nsenter\n"
     "kubectl debug *node/\n"
     "kubectl create clusterrolebinding|rolebinding *cluster-admin\n"
     "kubectl cp *etc|secrets\n"
     "nsenter -t=1\n"
     "nsenter --target=1\n"
     "curl|wget|nc|socat @engine\n"
     "curl|wget *docker.sock|:2375|:2376|:10250|:6443|kubernetes.default\n"
     "runc|ctr exec|run --privileged|--with-ns\n"
     "lxc *security.privileged\n"
     "lxc config *source=/\n"
     "unshare -r|-U *mount|cgroup\n"
     "docker -H *tcp\n"
     "ctr|crictl *--privileged|--host\n"
     "virsh|qm|vim-cmd|govc|esxcli destroy|undefine|power.off|vm.destroy",
     "leaves the container, or gives it the whole machine", "mount only the project: -v \"$PWD\":/src",
     "docker run --privileged -it ubuntu\n"
     "docker run -v /:/host alpine\n"
     "nsenter -t 1 -m sh",
     "docker run --rm -v \"$PWD\":/src node npm test\n"
     "docker exec -it web sh\n"
     "docker run -v /etc/localtime:/etc/localtime:ro --device=/dev/ttyUSB0 home\n"
     "docker run --gpus all --ipc=host torch\n"
     "docker run -d -p 80:80 nginx"},
};

}  // namespace

const std::span<const Rule> kAccessRules{kRules};

}  // namespace pinfold::advice
