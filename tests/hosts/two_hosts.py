# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts on one machine, connected by a wire of known delay. Each has its own network, host name, shared memory,
mounts, processes and monotonic clock (Linux namespaces). Needs root, or a system on which everyone may be root in a
user namespace. Nothing of the hosts remains after the test, however it ends.
"""
import collections
import os
import pathlib
import shutil
import subprocess
import sys

NAMES = ("alpha", "beta")
AHEAD = 7  # seconds by which the monotonic clock of beta is ahead of alpha's
SYNCHRONISERS = ("linear", "ring", "tree", "jk", "hca3", "hier", "auto")
# All ranks of a host may use its memory; other ranks are at the other end of the wire.
ENVIRONMENT = {"UCX_TLS": "self,sm,tcp", "UCX_NET_DEVICES": "link0"}
UNEQUAL = (150e-6, 450e-6)  # seconds, of a packet there and back
INSIDE_USER_NAMESPACE = "TWO_HOSTS_INSIDE"
RELAY = pathlib.Path(__file__).resolve().parent / "relay.py"

# The first process of a host, which exists as long as the standard input of this process is open.
FIRST = """set -e
hostname "$0"
ip link set lo up
mount -t sysfs none /sys
mount -t tmpfs none /dev/shm
read -r pid rest </proc/self/stat
mount -t proc none /proc
echo "$pid"
exec cat >/dev/null
"""

# mpiexec calls this instead of ssh: [OPTION...] HOST WORD...
REMOTE_SHELL = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
case $1 in {cases} *) exit 1 ;; esac
shift
exec nsenter --target "$pid" --net --uts --ipc --mount --time --pid sh -c "$*"
"""

# mpiexec itself is only in the network of the first host. Its own host name must not be in the list of hosts, because
# it would start ranks there without the remote shell.
LAUNCHER = """#!/bin/sh
exec nsenter --target {pid} --net {mpiexec} -launcher ssh -launcher-exec {shell} -localhost none -iface link0 \\
    -f {hosts} "$@"
"""


def become_root():
    """Restarts the program in a user namespace if it is not root and that is permitted."""
    if os.geteuid() == 0 or INSIDE_USER_NAMESPACE in os.environ:
        return
    inside = ["unshare", "--user", "--map-root-user"]
    if shutil.which("unshare") and subprocess.run([*inside, "true"], capture_output=True, check=False).returncode == 0:
        os.environ[INSIDE_USER_NAMESPACE] = "1"
        os.execvp(inside[0], [*inside, sys.executable, *sys.argv])


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


class NotPermitted(Exception):
    """Returns why two hosts cannot be created here."""


class TwoHosts:
    def __init__(self, folder, mpiexec):
        self.folder = pathlib.Path(folder)
        self.processes = []
        try:
            self.pids = [self.start_host(name, ahead) for name, ahead in zip(NAMES, (0, AHEAD))]
            self.relay = self.start(sys.executable, RELAY, *self.pids)
        except BaseException:
            self.end()
            raise
        self.pid = dict(zip(NAMES, self.pids))
        cases = " ".join(f"{name}) pid={pid} ;;" for name, pid in self.pid.items())
        shell = executable(self.folder / "remote-shell", REMOTE_SHELL.format(cases=cases))
        self.hosts = self.folder / "hosts"
        self.launcher = str(executable(self.folder / "mpiexec", LAUNCHER.format(
            pid=self.pids[0], mpiexec=mpiexec, shell=shell, hosts=self.hosts)))
        self.place("alpha:1", "beta:1")

    def start(self, *command):
        """Starts a process that runs as long as its standard input is open and prints a word when it is ready."""
        process = subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        self.said = process.stdout.readline().strip()
        if not self.said:
            last_line = (process.communicate()[1].splitlines() or ["no reason given"])[-1]
            raise NotPermitted(f"{pathlib.Path(command[0]).name}: {last_line}")
        return process

    def start_host(self, name, ahead):
        if not all(map(shutil.which, ("ip", "unshare", "nsenter"))):
            raise NotPermitted("two hosts need ip (iproute2), unshare and nsenter (util-linux)")
        self.start("unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--time", "--monotonic", ahead, "--fork",
                   "--kill-child", "sh", "-c", FIRST, name)
        return int(self.said)

    def end(self):
        for process in self.processes:
            process.stdin.close()
            process.wait()
            process.stdout.close()
            process.stderr.close()

    def place(self, *lines):
        """Sets the placement of ranks, in their order: lines NAME:RANKS."""
        self.hosts.write_text("".join(f"{line}\n" for line in lines))

    def delay(self, there, back):
        """Sets the seconds that a packet takes from alpha to beta, and from beta to alpha."""
        self.relay.stdin.write(f"{there} {back}\n")
        self.relay.stdin.flush()
        self.relay.stdout.readline()

    def cut(self):
        """Drops all packets until a delay is set again."""
        self.delay(-1, -1)

    def hide(self, name, folder):
        """Mounts an empty read-only folder over a folder, on one host."""
        self.on(name, "mount", "-t", "tmpfs", "-o", "ro", "none", folder)

    def on(self, name, *command):
        subprocess.run(["nsenter", "--target", str(self.pid[name]), "--net", "--mount", *map(str, command)], check=True)


class RankError(collections.namedtuple("RankError", "rank host error bound since")):
    """The result of a synchroniser on a rank, in seconds. See clock_errors.cpp."""

    @property
    def inside(self):
        return abs(self.error) <= self.bound + self.since


def clock_errors(hosts, program, yield_helper, ranks, seed, limit):
    """Runs clock_errors with ranks placed round-robin. Each time another synchroniser is the first to use the wire.
    Returns for each its name and the [RankError] of the ranks except 0."""
    first = seed % len(SYNCHRONISERS)
    names = SYNCHRONISERS[first:] + SYNCHRONISERS[:first]
    command = [hosts.launcher, "-n", str(ranks), "env", f"LD_PRELOAD={yield_helper}", program, str(seed), NAMES[1],
               str(AHEAD), *names]
    out = subprocess.run(command, check=True, timeout=limit, stdout=subprocess.PIPE, text=True,
                         stdin=subprocess.DEVNULL, env=os.environ | ENVIRONMENT).stdout
    found = collections.defaultdict(list)
    for name, rank, host, *numbers in map(str.split, out.splitlines()):
        found[name].append(RankError(int(rank), host, *map(float, numbers)))
    return found.items()
