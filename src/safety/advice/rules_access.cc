// rules_access.cc: rules about credentials, tools of attack, and ways out of containers.
// Invariant: every rule stops its first examples and passes the others (rules_test.cc). Not here: how patterns are read
// (rules.h).
#include "safety/advice/rules.h"

namespace pinfold::advice {

namespace {

constexpr Rule kRules[] = {
    {"read-credential", "credential-access", Verdict::kAsk,
     "cat|less|more|head|tail|tac|nl|od|xxd|hexdump|strings|base64|base32|grep|egrep|rg|awk|sed|cut|sort|cp|mv|tar|zip|"
     "scp|rsync|dd|tee|vim|vi|nano|view|python|python3|perl|ruby|openssl|gpg|jq|diff|bat|sqlite3|ln|install|7z|gzip|"
     "rev|paste|uniq|xargs|fold|fmt|emacs|ed|wc|split|column|pr @credential|memory\n"
     "unshadow|pwdump|gcore|procdump|makedmp|mimipenguin|lazagne|secretsdump.py|impacket-secretsdump|samdump2|chntpw|"
     "keyctl\n"
     "dd @memory\n"
     "gdb|lldb -p|--pid *dump|gcore|generate-core",
     "reads passwords, keys or tokens", "hand over only the one value that is needed, by the environment",
     "cat /etc/shadow\n"
     "cp ~/.ssh/id_rsa /tmp\n"
     "cat ~/.aws/credentials",
     "cat ~/.ssh/id_rsa.pub\n"
     "cat /etc/passwd\n"
     "ssh -i ~/.ssh/id_rsa host\n"
     "chmod 600 ~/.ssh/id_rsa"},
    {"hunt-credential", "credential-access", Verdict::kAsk,
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
     "security dump-keychain|find-generic-password|find-internet-password|export|unlock-keychain|find-certificate\n"
     "secret-tool lookup|search\n"
     "pass show|ls|grep\n"
     "kubectl get|describe secret|secrets -o|-A|--all-namespaces|--output|-ojson|-oyaml\n"
     "aws secretsmanager|ssm get-secret-value|get-parameters-by-path|get-parameter|batch-get-secret-value\n"
     "aws iam|sts "
     "create-access-key|create-login-profile|update-login-profile|attach-user-policy|put-user-policy|create-user|"
     "attach-role-policy|create-policy-version|assume-role|get-session-token|add-user-to-group|update-assume-role-"
     "policy|deactivate-mfa-device\n"
     "gcloud secrets|auth|iam versions|print-access-token|print-identity-token|create|service-accounts\n"
     "gcloud projects|iam add-iam-policy-binding|keys\n"
     "az keyvault|ad|role show|list|create|reset|assignment\n"
     "vault read|kv|token get|read|create\n"
     "git config *credential.helper\n"
     "cat|strings|less|head|xargs|tr|grep @memory\n"
     "defaults read *shadow|password|com.apple.screensaver\n"
     "dscl *shadowhashdata|authenticationauthority\n"
     "op read|item\n"
     "ssh-keyscan|ssh-add -L|-D",
     "looks for passwords, keys or tokens", "name the one file that is needed",
     "grep -ri password /etc\n"
     "find / -name id_rsa\n"
     "gpg --export-secret-keys -a",
     "grep -rn password src\n"
     "find . -name '*.pem'\n"
     "kubectl get secrets\n"
     "gpg --verify a.sig a"},
    {"attack-tool", "attack-tool", Verdict::kAsk,
     "hydra|medusa|john|hashcat|sqlmap|msfvenom|msfconsole|msfdb|aircrack-ng|airodump-ng|aireplay-ng|airmon-ng|"
     "ettercap|bettercap|arpspoof|dnsspoof|responder|mimikatz|crackmapexec|netexec|nxc|nikto|gobuster|dirb|dirbuster|"
     "wfuzz|ffuf|feroxbuster|masscan|zmap|xmrig|minerd|cgminer|cpuminer|bfgminer|ethminer|nbminer|chisel|iodine|"
     "iodined|dnscat|dnscat2|dns2tcpc|linpeas|linpeas.sh|pspy|pspy64|evil-winrm|psexec.py|wmiexec.py|smbexec.py|"
     "bloodhound-python|kerbrute|rubeus|hping3|slowloris|theHarvester|wpscan|setoolkit|macof|yersinia|ncrack|patator|"
     "enum4linux|reaver|wifite|fcrackzip|crunch|cewl|dsniff|sslstrip|mitmproxy|mitmdump|searchsploit|routersploit|"
     "empire|sliver|pupy|linenum.sh|LinEnum.sh|linux-exploit-suggester.sh|unix-privesc-check|nuclei|amass|subfinder|"
     "dalfox|commix|xsser|weevely|hashid|ophcrack|rainbowcrack|t50|goldeneye|mdk3|mdk4|GetUserSPNs.py|GetNPUsers.py|"
     "ntlmrelayx.py|impacket-psexec|logkeys|keylogger|xspy|snoopy|frpc|ligolo|ligolo-ng|gost|gs-netcat|pwncat|pwncat-"
     "cs|revsocks|merlinAgent|peirates|deepce.sh|amicontained|kdigger|traitor|pacu|prowler|kubeletctl|botb|stress-ng|"
     "thc-ssl-dos|thc-ipv6\n"
     "nmap -iL|-sU|-sS|-sN|-sF|-sX|-A|-O|-p-|-T5|-D|--script|-sC\n"
     "nmap */8|/16|/24|/12\n"
     "xinput test|test-xi2\n"
     "python|python2|python3|bash|sh|perl|ruby "
     "*lazagne|mimipenguin|secretsdump|linpeas|linenum|psexec.py|wmiexec.py|responder.py|getuserspns|rootkit|keylogger|"
     "ransom|cryptominer|reverse_shell|revshell|bruteforce|exploit.|ntlmrelayx\n"
     "tshark|tcpdump|dumpcap|tcpflow|ngrep -w|-C *port|any|host|pcap *21|23|110|143|/tmp|password|any|ftp|http\n"
     "arp -s\n"
     "ping|fping -f|-b\n"
     "stress|openssl speed\n"
     "macchanger|ifconfig *hw\n"
     "hostapd|dnsmasq|ettercap-text-only -T\n"
     "testssl|smbmap|rpcclient|smbclient -N|-L|--no-pass|--list\n"
     "showmount|rpcinfo|onesixtyone|snmpwalk -e|-p|-c",
     "is a tool for attacking or mining", "only where the owner of the machine asked for it",
     "hydra -l root -P pw.txt ssh://10.0.0.5\n"
     "nmap -sS -p- 10.0.0.0/8",
     "nmap -p 80 localhost\n"
     "tcpdump -i eth0 port 80\n"
     "nc -zv localhost 5432"},
    {"container-escape", "container-escape", Verdict::kDeny,
     "docker|podman|nerdctl|ctr "
     "*--privileged|cap-add=all|cap-add=sys_admin|cap-add=sys_ptrace|cap-add=sys_module|--pid=host|--device=/"
     "dev|security-opt=apparmor=unconfined|seccomp=unconfined|--userns=host|--ipc=host|--uts=host|security-opt="
     "apparmor:unconfined\n"
     "docker|podman|nerdctl|ctr --security-opt *unconfined|disable\n"
     "docker|podman|nerdctl|ctr --cap-add *sys_admin|all|sys_ptrace|sys_module|dac_read_search\n"
     "docker|podman|nerdctl run|create|exec -v|--volume|--mount @engine|below-system\n"
     "docker|podman|nerdctl run|create *-v|--volume|--mount "
     "*source=/,|src=/,|/etc:|/root:|/proc:|/sys:|/boot:|/dev:|/home:|/var/run:|docker.sock|/usr:|/var/log:|/lib:\n"
     "docker|podman|nerdctl *-v/:|--volume=/:\n"
     "docker|podman|nerdctl run|create -v=/:/\n"
     "docker|podman|nerdctl run|create -v=/:\n"
     "kubectl *hostpid|hostpid|privileged|hostnetwork|hostpath|nsenter\n"
     "kubectl debug *node/\n"
     "kubectl create clusterrolebinding|rolebinding|token|serviceaccount\n"
     "kubectl cp *etc|secrets\n"
     "nsenter -t=1\n"
     "nsenter --target=1\n"
     "nsenter -a|--all\n"
     "curl|wget|nc|socat @engine\n"
     "curl|wget *docker.sock|:2375|:2376|:10250|:6443|kubernetes.default\n"
     "curl|wget *unix-socket\n"
     "runc|ctr exec|run --privileged|--with-ns\n"
     "lxc *security.privileged\n"
     "lxc config *source=/\n"
     "unshare -r|-U *mount|cgroup\n"
     "docker -H *tcp\n"
     "ctr|crictl *--privileged|--host\n"
     "etcdctl get|snapshot\n"
     "docker swarm|plugin init|install\n"
     "virsh|qm|vim-cmd|govc|esxcli destroy|undefine|power.off|vm.destroy",
     "leaves the container, or gives it the whole machine", "mount only the project: -v \"$PWD\":/src",
     "docker run --privileged -it ubuntu\n"
     "docker run -v /:/host alpine\n"
     "nsenter -t 1 -m sh",
     "docker run --rm -v \"$PWD\":/src node npm test\n"
     "docker exec -it web sh\n"
     "docker run -d -p 80:80 nginx"},
};

}  // namespace

const std::span<const Rule> kAccessRules{kRules};

}  // namespace pinfold::advice
