# SPDX-License-Identifier: BSD-3-Clause
"""A program is started and watched from outside: how it ended, what it said, what it left."""
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
LEAVE = 20  # seconds that what a run has started may stay behind it
MARK = "MEASURE_FAULTS_CASE"  # a variable that every process of a run inherits
NOISE = re.compile(rb"terminate called|Assertion|AddressSanitizer|runtime error:|Segmentation|core dumped|\bAbort\(|"
                   rb"BAD TERMINATION|Fatal error in|std::|basic_string|vector::|filesystem error")
TEMPORARY = re.compile(r"\.(part|lock)$|(^|/)measure-\w+\.\w{6}$")
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
# Codes of launchers too: what a shell makes of a signal.
CRASHES = {sign * number + base for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE,
                                               signal.SIGILL, signal.SIGXFSZ) for sign, base in ((-1, 0), (1, 128))}


def children(process):
    """The processes below a process, whichever of them are still there."""
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
    """The processes of a program below a process, or it itself."""
    return [one for one in [process, *children(process)] if executable(one) == program]


def send(process, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def marked(mark):
    """The processes of a run, wherever they are."""
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
    """Of a record up to its last whole line."""
    data = path.read_bytes() if path.exists() else b""
    data = data[:data.rfind(b"\n") + 1]
    return harness.record_faults(VALIDATE, data) if data else []


@dataclasses.dataclass
class Run:
    """A run that is over."""
    code: int
    out: bytes
    err: bytes
    hung: bool
    left: list  # processes that stayed

    @property
    def lines(self):
        return self.err.decode(errors="surrogateescape").splitlines()

    def errors(self):
        return [line for line in self.lines if ": error: " in line]


class Started:
    """A run that goes on. Its processes are found by a variable that they inherit, whoever their parents are."""

    def __init__(self, command, folder, environment=None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            list(map(os.fsencode, map(str, command))), cwd=folder, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
            env=os.environ | {"TMPDIR": str(folder), "HOME": str(folder), "XDG_DATA_HOME": str(folder),
                              "MEASURE_ARCHIVE": str(folder / "archive.sqlite"), "UCX_ERROR_SIGNALS": "", MARK: self.mark} | (environment or {}))

    def end(self, limit=LIMIT):
        """Waits for the end, and ends what does not."""
        hung = False
        try:
            out, err = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            hung = True
            for each in marked(self.mark):
                send(each, signal.SIGKILL)
            out, err = self.process.communicate()
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
    """What starts a command with limits, as util-linux does: limited('fsize=4096')."""
    return ["prlimit", *(f"--{limit}" for limit in limits), "--"]


def files(folder):
    """All files of a folder, by their names and contents."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if not path.is_dir():
            name = os.fsencode(path.relative_to(folder)).decode(errors="backslashreplace")
            found[name] = path.read_bytes() if path.is_file() else None
    return found
