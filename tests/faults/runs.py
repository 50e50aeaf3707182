# SPDX-License-Identifier: BSD-3-Clause
"""Starts a program and observes it from outside: how it ends, what it prints, what it leaves."""
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import uuid

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/frontends"))

import harness  # noqa: E402

VALIDATE = str(TOP / "tools/validate-records")
LIMIT = harness.LIMIT  # seconds
STUCK = 10  # seconds; while a launcher works, its ranks wait for it for milliseconds
LEAVE = 20  # seconds that processes of a run may survive it
MARK = "MEASURE_FAULTS_CASE"  # a variable that every process of a run inherits
NOISE = re.compile(rb"terminate called|Assertion|AddressSanitizer|runtime error:|Segmentation|core dumped|\bAbort\(|"
                   rb"BAD TERMINATION|Fatal error in|std::|basic_string|vector::|filesystem error")
TEMPORARY = re.compile(r"\.(part|lock)$|(^|/)measure-\w+\.\w{6}$")
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
# Includes codes of launchers: a shell reports a signal as 128 + its number.
CRASHES = {sign * number + base for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE,
                                               signal.SIGILL, signal.SIGXFSZ) for sign, base in ((-1, 0), (1, 128))}


def children(process):
    """Returns the descendants of a process that still exist."""
    below = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        below.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, todo = [], [process]
    while todo:
        more = below.get(todo.pop(), [])
        found += more
        todo += more
    return found


def executable(process):
    try:
        return os.path.basename(os.readlink(f"/proc/{process}/exe"))
    except OSError:
        return ""


def ranks(process, program):
    """Returns the processes of a program among a process and its descendants."""
    return [one for one in [process, *children(process)] if executable(one) == program]


def waits_in(process):
    """Returns the function of the kernel in which a process waits, or an empty text."""
    try:
        return pathlib.Path(f"/proc/{process}/wchan").read_text()
    except OSError:
        return ""


def start_is_stuck(launcher):
    """If a signal comes while a proxy of MPICH starts its ranks, the signal never reaches them. The proxy waits for
    their ends, and they wait in MPI_Init for its answer."""
    for proxy in children(launcher):
        if executable(proxy) == "hydra_pmi_proxy" and waits_in(proxy) == "do_wait":
            started = children(proxy)
            return bool(started) and all(waits_in(each).startswith("unix_stream_read") for each in started)
    return False


def send(process, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def marked(mark):
    """Returns the processes of a run, wherever they are in the process tree."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def whole_lines(path):
    text = path.read_text(errors="replace") if path.exists() else ""
    return text[:text.rfind("\n") + 1].splitlines()


def points(lines):
    return [json.dumps((record["benchmark"], record["at"]), sort_keys=True)
            for record in map(json.loads, lines) if record["record"] == "point"]


def has_end(lines):
    return bool(lines) and json.loads(lines[-1])["record"] == "end"


def record_faults(path):
    """Checks a record up to its last complete line."""
    data = path.read_bytes() if path.exists() else b""
    data = data[:data.rfind(b"\n") + 1]
    return harness.record_faults(VALIDATE, data) if data else []


@dataclasses.dataclass
class Run:
    """A finished run."""
    code: int
    out: bytes
    err: bytes
    hung: str  # why it counts as hung
    left: list  # processes that survived

    @property
    def lines(self):
        return self.err.decode(errors="surrogateescape").splitlines()

    def errors(self):
        return [line for line in self.lines if ": error: " in line]


class Started:
    """A run in progress. Its processes are found by a variable that they inherit, whatever their parents are."""

    def __init__(self, command, folder, environment=None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            list(map(os.fsencode, map(str, command))), cwd=folder, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
            env=os.environ | {"TMPDIR": str(folder), "HOME": str(folder), "XDG_DATA_HOME": str(folder),
                              "MEASURE_ARCHIVE": str(folder / "archive.sqlite"), "UCX_ERROR_SIGNALS": "",
                              MARK: self.mark} | (environment or {}))

    def end(self, limit=LIMIT):
        """Waits for the end, and kills the processes that do not end."""
        hung = ""
        begun = last_free = time.monotonic()
        while True:
            try:
                out, err = self.process.communicate(timeout=None if hung else 1)
                break
            except subprocess.TimeoutExpired:
                now = time.monotonic()
                if not start_is_stuck(self.process.pid):
                    last_free = now
                if now - last_free > STUCK:
                    hung = "the launcher waits for ranks that wait for the launcher"
                elif now - begun > limit:
                    hung = f"not finished after {limit} s"
                if hung:
                    for each in marked(self.mark):
                        send(each, signal.SIGKILL)
        left = self.left()
        return Run(self.process.returncode, out or b"", err or b"", hung, left)

    def left(self):
        until = time.monotonic() + LEAVE
        while (still := marked(self.mark)) and time.monotonic() < until:
            time.sleep(0.05)
        names = [executable(each) for each in still]
        for each in still:
            send(each, signal.SIGKILL)
        return names


def limited(*limits):
    """Returns the prefix of a command with limits in the syntax of util-linux: limited('fsize=4096')."""
    return ["prlimit", *(f"--{limit}" for limit in limits), "--"]


def files(folder):
    """Returns all files of a folder: names and contents."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if not path.is_dir():
            name = os.fsencode(path.relative_to(folder)).decode(errors="backslashreplace")
            found[name] = path.read_bytes() if path.is_file() else None
    return found
