# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm cluster of two nodes on this machine, for the duration of a test."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("slurmctld", "slurmd", "srun", "sbatch", "scancel", "scontrol", "squeue", "sinfo")
LIMIT = 60  # seconds that a daemon or a job may need

CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={port}
AuthType=auth/none
CryptoType=crypto/none
CredType=cred/none
MpiDefault=pmi2
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
KillWait=10
SchedulerParameters=bf_interval=1
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool%n
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/log/ctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
ReturnToService=2
NodeName=n[0-1] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=2 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def missing():
    """Returns why no cluster is possible here; empty if it is possible."""
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    if absent:
        return "not installed: " + " ".join(absent)
    return "" if os.geteuid() == 0 else "its daemons want to be root"


def free_ports(count):
    """Returns consecutive ports on which nobody listens."""
    for first in range(16800, 17800, count):
        with contextlib.ExitStack() as stack:
            try:
                for port in range(first, first + count):
                    s = stack.enter_context(socket.socket())
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    s.bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise RuntimeError("no free ports")


def wait_for(condition, what, limit=LIMIT):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {limit} s")
        time.sleep(0.1)


class Cluster:
    """Nodes n0 and n1 with two processing units each. Slurm commands need SLURM_CONF, which is in `environment`."""

    def __init__(self):
        self.place = tempfile.TemporaryDirectory(prefix="slurm-")
        self.folder = pathlib.Path(self.place.name)
        for name in ("state", "spooln0", "spooln1", "log"):
            (self.folder / name).mkdir()
        port = free_ports(3)
        configuration = self.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(host=socket.gethostname(), folder=self.folder, port=port,
                                                      first=port + 1, last=port + 2))
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        self.environment["SLURM_CONF"] = str(configuration)
        self.daemons = [subprocess.Popen([*command, "-D"], env=self.environment, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                        for command in (["slurmctld"], ["slurmd", "-N", "n0"], ["slurmd", "-N", "n1"])]
        try:
            wait_for(lambda: self.output("sinfo", "-h", "-t", "idle", "-o", "%D") == "2", "two idle nodes")
        except AssertionError:
            self.close()
            raise

    def run(self, *command, **words):
        return subprocess.run([*map(str, command)], env=self.environment | words.pop("environment", {}),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, **words)

    def output(self, *command):
        return self.run(*command).stdout.strip()

    def submit(self, script, *options):
        """Submits a batch job and returns its number."""
        file = self.folder / "job.sh"
        file.write_text("#!/bin/bash\n" + script + "\n")
        done = self.run("sbatch", "--parsable", *options, file)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout.strip()

    def state(self, job):
        """Returns RUNNING, PENDING, COMPLETED .."""
        words = dict(word.partition("=")[::2] for word in self.output("scontrol", "-o", "show", "job", job).split())
        return words.get("JobState", "gone")

    def wait_state(self, job, *states, limit=LIMIT):
        wait_for(lambda: self.state(job) in states, f"job {job} {' or '.join(states)}", limit)

    def close(self):
        self.run("scancel", "--state=RUNNING")
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.place.cleanup()
