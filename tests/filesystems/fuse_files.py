#!/usr/bin/python3
"""fuse_files.py: a FUSE file system that shows one directory at another, with the habits of network and foreign file systems.

  fuse_files.py SOURCE MOUNT_POINT [--delay MS] [--fold-case] [--coarse SECONDS] [--behind SECONDS]

--delay: every look-up, open and listing takes that long. --fold-case: names that differ only in case are the same file.
--coarse: times are cut to multiples of that many seconds, as vfat and old NFS servers do.
--behind: times are so many seconds earlier, as a server's with a clock that is behind.
Invariant: new files belong to the caller; the kernel checks permissions (default_permissions). Prints "ready" once mounted.
"""
import argparse
import errno
import os
import stat
import sys
import time

import fusepy


class Files(fusepy.Operations):
    def __init__(self, source, delay, fold_case, coarse, behind):
        self.source, self.delay, self.fold_case, self.coarse, self.behind = source, delay, fold_case, coarse, behind

    def __call__(self, operation, path, *arguments):
        if self.delay and operation in ("getattr", "open", "create", "opendir", "readdir", "mkdir", "rename", "unlink"):
            time.sleep(self.delay)
        try:
            return super().__call__(operation, path, *arguments)
        except OSError as error:
            raise fusepy.FuseOSError(error.errno or errno.EIO) from error

    def real(self, path):
        """The path below SOURCE, each name spelled as it is stored."""
        at = self.source
        for name in filter(None, path.split("/")):
            exact = os.path.join(at, name)
            if self.fold_case and not os.path.lexists(exact) and os.path.isdir(at):
                name = next((each for each in os.listdir(at) if each.lower() == name.lower()), name)
                exact = os.path.join(at, name)
            at = exact
        return at

    def own(self, path):
        uid, gid, _ = fusepy.fuse_get_context()
        os.lchown(path, uid, gid)

    def shown(self, info):
        out = {key: getattr(info, key) for key in ("st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_blocks")}
        for key in ("st_atime", "st_mtime", "st_ctime"):
            value = getattr(info, key) - self.behind
            out[key] = value // self.coarse * self.coarse if self.coarse else value
        return out

    def getattr(self, path, fh=None):
        return self.shown(os.lstat(self.real(path)))

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.real(path))]

    def readlink(self, path):
        return os.readlink(self.real(path))

    def mkdir(self, path, mode):
        os.mkdir(self.real(path), mode)
        self.own(self.real(path))

    def mknod(self, path, mode, dev):
        if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode) and not stat.S_ISSOCK(mode):
            raise fusepy.FuseOSError(errno.EPERM)
        os.mknod(self.real(path), mode)
        self.own(self.real(path))

    def symlink(self, target, source):
        os.symlink(source, self.real(target))
        self.own(self.real(target))

    def link(self, target, source):
        os.link(self.real(source), self.real(target), follow_symlinks=False)

    def rename(self, old, new):
        os.rename(self.real(old), self.real(new))

    def rmdir(self, path):
        os.rmdir(self.real(path))

    def unlink(self, path):
        os.unlink(self.real(path))

    def chmod(self, path, mode):
        os.chmod(self.real(path), mode)

    def chown(self, path, uid, gid):
        os.lchown(self.real(path), uid if uid != 0xFFFFFFFF else -1, gid if gid != 0xFFFFFFFF else -1)

    def utimens(self, path, times=None):
        os.utime(self.real(path), times, follow_symlinks=False)

    def create(self, path, mode, fi=None):
        fd = os.open(self.real(path), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        self.own(self.real(path))
        return fd

    def open(self, path, flags):
        return os.open(self.real(path), (flags & ~(os.O_APPEND | os.O_EXCL | os.O_CREAT)) | os.O_NOFOLLOW)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(self.real(path), length)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def release(self, path, fh):
        os.close(fh)

    def statfs(self, path):
        info = os.statvfs(self.source)
        return {key: getattr(info, key) for key in ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_files", "f_ffree", "f_frsize", "f_namemax")}

    def init(self, path):
        print("ready", flush=True)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("source")
    options.add_argument("mount_point")
    options.add_argument("--delay", type=float, default=0)
    options.add_argument("--fold-case", action="store_true")
    options.add_argument("--coarse", type=int, default=0)
    options.add_argument("--behind", type=int, default=0)
    chosen = options.parse_args()
    os.umask(0)
    fusepy.FUSE(Files(chosen.source, chosen.delay / 1000, chosen.fold_case, chosen.coarse, chosen.behind), chosen.mount_point, foreground=True,
                nothreads=False, allow_other=True, default_permissions=True)


if __name__ == "__main__":
    sys.exit(main())
