// rules_files.cc: rules about files, disks and permissions.
// Invariant: every rule matches its first examples and does not match the others (rules_test.cc). Not here: the syntax
// of patterns (rules.h).
#include "safety/advice/rules.h"

namespace pinfold::advice {

namespace {

constexpr Rule kRules[] = {
    {"delete-root", "destroy-files", AdviceVerdict::kDeny, "rm|rmdir|unlink|shred|srm|wipe|trash|rimraf|del @root",
     "deletes the whole file system", "name the directory that is meant, below the project",
     "rm -rf /\n"
     "sudo rm -rf --no-preserve-root /\n"
     "rm -rf -- /*\n"
     "cd / && rm -rf *",
     "rm -rf ./build\n"
     "rm -rf /tmp/build"},
    {"delete-home", "destroy-files", AdviceVerdict::kDeny,
     "rm|shred|srm|rimraf -r|-R|--recursive @home\n"
     "rm -r|-R|--recursive "
     "=~/Documents|~/Documents/|~/Documents/*|~/Desktop|~/Desktop/*|~/Pictures|~/Pictures/*|$HOME/Documents|$HOME/"
     "Documents/*|$HOME/Desktop|$HOME/Pictures|~/.config|$HOME/.config\n"
     "shred|srm|rimraf @home\n"
     "rm @home -f",
     "deletes a whole home directory", "name the files that are meant",
     "rm -rf ~\n"
     "rm -rf ~/Documents\n"
     "rm -rf \"$HOME\"/.??*\n"
     "rm -r \"$HOME\"",
     "rm -rf ~/.cache/pip\n"
     "rm -rf \"$HOME/project/dist\""},
    {"delete-system", "destroy-files", AdviceVerdict::kDeny,
     "rm|shred|srm|rimraf -r|-R|--recursive @system\n"
     "rm|shred -f @system\n"
     "shred @below-system",
     "deletes a directory that the system needs", "name the one file; remove installed files with the package manager",
     "rm -rf /usr\n"
     "sudo rm -r /etc/*",
     "sudo rm -rf /opt/app-1.2\n"
     "rm -rf usr"},
    {"delete-unset", "destroy-files", AdviceVerdict::kDeny, "rm|shred|rimraf @unset -r|-R|--recursive",
     "becomes `rm -rf /` if the variable is unset", "\"${NAME:?}/…\" stops the shell where NAME is empty",
     "rm -rf \"$UNSET/\"\n"
     "rm -rf $DIR/*",
     "rm -rf \"${DIR:?}/\"\n"
     "DIR=build; rm -rf $DIR/*"},
    {"delete-accounts", "destroy-files", AdviceVerdict::kDeny,
     "rm|shred|unlink|srm|truncate @accounts\n"
     "mv >below-system *dev/null",
     "removes the files with the accounts and passwords of this machine",
     "edit accounts with usermod, passwd or visudo",
     "rm -f /etc/passwd\n"
     "truncate -s 0 /etc/shadow",
     "rm -f passwd.txt\n"
     "cat /etc/passwd"},
    {"empty-system-file", "destroy-files", AdviceVerdict::kAsk, "truncate @below-system",
     "empties a file of the system", "keep a copy first", "truncate -s 0 /etc/fstab", "truncate -s 0 app.log"},
    {"delete-setting", "destroy-files", AdviceVerdict::kAsk, "rm|unlink|shred @core",
     "deletes a file by which the system starts or is set up", "keep a copy beside it",
     "rm -f /etc/host.conf\n"
     "sudo rm /boot/vmlinuz\n"
     "p=/etc/ssh/ssh_config; rm \"$p\"",
     "rm /etc/nginx/sites-enabled/default\n"
     "sudo rm /etc/resolv.conf\n"
     "rm ./etc/x.conf"},
    {"delete-here", "destroy-files", AdviceVerdict::kAsk, "rm @here -r|-R|--recursive -f|--force",
     "deletes everything in the directory that is current when it runs", "name the directory: rm -rf ./build",
     "rm -rf *\n"
     "rm -rf .",
     "rm -f *.o\n"
     "rm -rf ./build/*"},
    {"delete-parent", "destroy-files", AdviceVerdict::kAsk, "rm @parent -r|-R|--recursive",
     "deletes above the current directory", "name the directory by its full path", "rm -rf ../..", "rm -rf ../build"},
    {"delete-repository", "git-destructive", AdviceVerdict::kAsk, "rm|shred|mv @repository -r|-R|--recursive|-f",
     "deletes a repository with its whole history", "move it away, or clone anew beside it", "rm -rf .git",
     "rm -rf .github"},
    {"delete-hidden", "destroy-files", AdviceVerdict::kAsk,
     "rm @startup|credential|log -f|-r|--force|--recursive !*/var/log/|/etc/|.git/hooks|launchagents\n"
     "rm|shred @credential",
     "removes credentials, start-up files or histories", "move the file away instead",
     "rm -rf ~/.ssh/id_rsa\n"
     "rm -f ~/.bash_history",
     "rm -rf ~/.cache"},
    {"delete-then-write", "destroy-files", AdviceVerdict::kDeny,
     "tar|zip|7z --remove-files|-m|--move @root|home|system", "packs files away and deletes them",
     "leave the originals until the archive was tested", "tar czf x.tgz /home --remove-files",
     "tar czf x.tgz /home/ada/project"},
    {"move-to-nowhere", "destroy-files", AdviceVerdict::kDeny, "mv *dev/null",
     "moves files into nothing: they are gone", "use rm to delete", "mv ~/* /dev/null", "mv a b"},
    {"move-system", "destroy-files", AdviceVerdict::kAsk,
     "mv <root|system|accounts\n"
     "mv @accounts >accounts\n"
     "mv @home !*.",
     "moves a directory that the system, or a whole home, depends on", "copy, check, and only then remove",
     "mv /usr /usr.old\n"
     "mv /etc/passwd /tmp",
     "mv ~/a.txt /tmp\n"
     "sudo mv ./tool /usr/local/bin/\n"
     "mv build /tmp/old"},
    {"overwrite-disk", "destroy-disk", AdviceVerdict::kDeny,
     "dd "
     "*of=/dev/sd|of=/dev/hd|of=/dev/vd|of=/dev/xvd|of=/dev/nvme|of=/dev/mmcblk|of=/dev/disk|of=/dev/rdisk|of=/dev/"
     "mapper|of=/dev/dm-|of=/dev/md|of=/dev/mem|of=/dev/kmem|of=/dev/mtd\n"
     "dd *of=/boot|of=/etc/|of=/usr|of=/bin\n"
     "shred|badblocks|blkdiscard|wipefs|wipe|scrub|nwipe|dc3dd @disk\n"
     "cp|tee|mv|install|ln >disk\n"
     "hdparm @disk *security-erase|trim-sector|make-bad|write-sector|--security-set-pass\n"
     "nvme format|sanitize|write-zeroes\n"
     "sg_format|sg_sanitize|flash_erase|flash_eraseall|secure-delete|sdmem|sfill|sswap\n"
     "fastboot erase|format\n"
     "debugfs -w @disk\n"
     "truncate|fallocate @disk",
     "overwrites a disk from its first byte", "write into a file, or name a loop device",
     "dd if=/dev/zero of=/dev/sda bs=1M\n"
     "shred -n 1 /dev/sdb\n"
     "debugfs -w /dev/sda1\n"
     "cp /dev/zero /dev/nvme0n1",
     "dd if=/dev/sda of=disk.img\n"
     "dd if=/dev/zero of=swap.img bs=1M count=64"},
    {"format-disk", "destroy-disk", AdviceVerdict::kDeny,
     "mkfs|mkfs.ext2|mkfs.ext3|mkfs.ext4|mkfs.xfs|mkfs.btrfs|mkfs.vfat|mkfs.fat|mkfs.ntfs|mkfs.exfat|mkfs.f2fs|mke2fs|"
     "mkdosfs|mkntfs|mkswap|newfs|newfs_hfs|mkreiserfs|mkudffs|mkfs.minix|mkfs.cramfs|mkfs.bfs|mkfs.jfs @disk\n"
     "cryptsetup luksFormat|erase|luksErase|reencrypt\n"
     "diskutil eraseDisk|eraseVolume|secureErase|partitionDisk|zeroDisk|randomDisk|reformat\n"
     "diskutil apfs|ap deleteContainer|deleteVolume|eraseVolume\n"
     "tmutil delete|disable|deletelocalsnapshots\n"
     "parted|gparted @disk *mklabel|mktable|mkpart|rm\n"
     "sgdisk|gdisk @disk -Z|-o|-d|--zap-all|--zap|--clear|--delete\n"
     "sfdisk|fdisk|cfdisk @disk !-l|--list|-d|--dump|-s",
     "makes a new, empty file system or partition table",
     "check the device with lsblk first; practise on an image file",
     "mkfs.ext4 /dev/sda1\n"
     "parted -s /dev/sda mklabel gpt",
     "mkfs.ext4 disk.img\n"
     "fdisk -l\n"
     "parted /dev/sda print"},
    {"drop-volume", "destroy-disk", AdviceVerdict::kAsk,
     "lvremove|vgremove|pvremove\n"
     "zpool destroy|labelclear\n"
     "zfs destroy|rollback\n"
     "btrfs subvolume|device delete\n"
     "mdadm --zero-superblock\n"
     "dmsetup remove|remove_all|wipe_table",
     "removes a volume with all data on it", "take a snapshot first",
     "lvremove -f vg0/data\n"
     "zpool destroy tank",
     "lvs\n"
     "zpool status\n"
     "zfs list"},
    {"copy-over-system", "destroy-files", AdviceVerdict::kAsk,
     "cp|mv|install|ln|rsync|tee|dd|unzip|mkdir|touch >kernel\n"
     "cp|mv|install|ln|tee @accounts >accounts\n"
     "tee @accounts|kernel\n"
     "cp|mv|ln|install >setting|guard\n"
     "tee >setting !-a|--append\n"
     "tee @guard\n"
     "sed|perl|ruby|ed|ex|vim|vi|nano|emacs|joe|pico|ee */etc/ @accounts !-n\n"
     "sed|perl -i|--in-place @guard|kernel\n"
     "sed|perl -i|--in-place @startup *cron|rc.local|init.d|if-up.d|rules.d|update-motd.d|apt.conf.d\n"
     "rsync --delete|--delete-before|--delete-after|--delete-excluded >root|home|system\n"
     "rsync -a --delete >root|home|system",
     "puts something in the place of a file that the system trusts", "keep a copy, and show the difference first",
     "cp evil /etc/passwd\n"
     "sudo sed -i s/a/b/ /etc/sudoers\n"
     "sed -i '$ a x' /etc/audit/auditd.conf\n"
     "rsync -a --delete empty/ /",
     "cp /etc/passwd /tmp/passwd\n"
     "sed -n 1p /etc/passwd\n"
     "rsync -a --delete src/ backup/"},
    {"open-permissions", "permissions", AdviceVerdict::kAsk,
     "chmod -R|--recursive @root\n"
     "chmod -R|--recursive @system !*/opt|/srv|/mnt|/media|/usr/local|/var\n"
     "chmod -R|--recursive @home|system *777|666|000|o+w|a+w|a+rwx|o+rw|+w\n"
     "chmod @accounts|disk|credential !*600|400|640|go-|700|o-\n"
     "chmod @root|system *777|666|o+w|a+w|+w|000|a+rwx|ugo\n"
     "chmod @below-system *777|666|o+w|a+w|a+rwx|o+rw|000\n"
     "chmod *000 -R|--recursive\n"
     "chmod */dev/shm/|/tmp/.|/var/tmp/. *+x|755|777|700\n"
     "chmod -R|--recursive *-x|a-r|-r,-w,-x !=.",
     "changes the access rights of system files", "name one file, and the least that is needed: chmod u+x FILE",
     "chmod -R 777 /\n"
     "chmod 666 /etc/shadow",
     "chmod -R u+w build\n"
     "chmod 600 ~/.ssh/config\n"
     "chmod 755 /usr/local/bin/tool"},
    {"set-user-id", "permissions", AdviceVerdict::kAsk,
     "chmod *u+s|ug+s|u=s|u=rws|a+s|+xs|=xs\n"
     "chmod ^+s|4755|4777|4711|4750|4700|4775|4555|6755|6777|6775|6555|04755|06755|4111|4771\n"
     "chmod *g+s @temp\n"
     "chmod ^2777|2755 @temp\n"
     "install -m=xs\n"
     "install -m=+s\n"
     "install -m=4755\n"
     "install -m=4777\n"
     "install -m=6755\n"
     "setcap *setuid|setgid|sys_admin|dac_|sys_ptrace|sys_module|sys_rawio|fowner|cap_chown|all\n"
     "cp --preserve *bin/sh|bin/bash",
     "makes a program run with its owner's rights for every user", "sudo with a rule for that one command",
     "chmod u+s /bin/bash\n"
     "chmod 4755 /tmp/x\n"
     "setcap cap_setuid+ep /usr/bin/python3",
     "chmod g+s shared\n"
     "chmod 755 x\n"
     "sudo setcap cap_net_bind_service=+ep ./server\n"
     "getcap -r /"},
    {"encrypt-system", "destroy-files", AdviceVerdict::kAsk,
     "gpg|gpg2 -c|--symmetric|-e|--encrypt @accounts|credential|root|home|system\n"
     "ccencrypt|ccrypt|7z|7za|zip|rar *-p|-e|-P|crypt @accounts|credential|root|home|system\n"
     "ccencrypt @accounts|credential|root|home|system|log\n"
     "openssl *enc|rsautl|smime|pkeyutl *-encrypt|-e|enc @accounts|credential|root|home|system",
     "encrypts files that the system or its users need", "keep the originals until the copy was tested",
     "gpg -c /etc/passwd\n"
     "7z a -psecret /tmp/x.7z /etc/shadow",
     "gpg -c notes.txt\n"
     "openssl enc -aes-256-cbc -in a -out b\n"
     "zip -r a.zip src"},
    {"change-owner", "permissions", AdviceVerdict::kAsk,
     "chown|chgrp -R|--recursive @root !*$user|$(whoami)|$()\n"
     "chown|chgrp -R|--recursive @system !*$user|$(whoami)|$()|/var/lib|/opt|/srv|/mnt|/media|/usr/local\n"
     "chown|chgrp -R|--recursive @home *root|nobody|0:0\n"
     "chown|chgrp @accounts|disk\n"
     "chown|chgrp *bin/sudo|bin/su|bin/passwd|bin/mount|bin/bash|bin/login\n"
     "chown|chgrp *root !@temp -R|--recursive @system|root\n"
     "setfacl @accounts|system|root|below-system|credential\n"
     "chattr @accounts|system|root|below-system|home|startup|log\n"
     "chflags *hidden|schg|uchg",
     "changes the owner of files of the system", "name one directory below your own",
     "sudo chown -R nobody /usr\n"
     "chattr +i /etc/passwd",
     "chown -R ada:ada .\n"
     "chown -R mysql:mysql /var/lib/mysql\n"
     "chown -R app:app /home/app\n"
     "sudo chown -R www-data:www-data /var/www/html"},
};

}  // namespace

const std::span<const Rule> kFileRules{kRules};

}  // namespace pinfold::advice
