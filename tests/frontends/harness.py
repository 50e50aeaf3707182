# SPDX-License-Identifier: BSD-3-Clause
"""Shared code of the tests that run programs: starting a program, and examining what it leaves."""
import contextlib
import functools
import json
import os
import pathlib
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

LIMIT = 240  # seconds until a run counts as hung; it takes less than 2 s on a free machine
# Shells ignore these signals in background jobs, and nohup ignores SIGHUP; the programs would inherit that.
for ignored in (signal.SIGHUP, signal.SIGINT):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)
OPEN_MPI = os.environ.get("TESTED_MPI") == "openmpi"
LACKS = os.environ.get("MPI_LACKS", "").split(",")  # persistent collectives, partitioned messages
OPEN_MPI_4 = OPEN_MPI and "persistent" in LACKS
OPEN_MPI_YIELDS = {"OMPI_MCA_mpi_yield_when_idle": "1"}  # replaces the yield helper, which works with MPICH only
# For a process in which MPI cannot free its memory: it leaves without MPI_Finalize, or its call has failed.
LEAKS = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def figures(test):
    """For tests that compare times of this machine with each other: they pass only on a machine that nobody else uses
    and with code that is not instrumented. tools/check --long figures runs them."""
    @functools.wraps(test)
    def timed(self):
        self.timed = True
        return test(self)
    return unittest.skipUnless(os.environ.get("QUIET_MACHINE"), "run by tools/check --long figures")(timed)


def plain(test):
    """For tests in which sanitizers would find nothing new, because other tests run the same code: only the plain build
    runs them."""
    return unittest.skipIf(os.environ.get("SANITIZED"), "run in the plain build only")(test)


def not_quick(test):
    """For tests of half a second or more: the setup `quick`, with which tools/check runs the tests, leaves them out."""
    return unittest.skipIf(os.environ.get("QUICK_TESTS"), "left out by the setup `quick`")(test)


def slow(test):
    """For tests so long that only one build runs them, with -Dslow_tests=true: tools/check --all does."""
    return not_quick(unittest.skipUnless(os.environ.get("SLOW_TESTS"), "run by tools/check --all")(test))


@functools.cache
def validator(program):
    """Does the work of tools/validate-records without starting it for each record."""
    parts = runpy.run_path(program, run_name="validator")
    validators = parts["load_validators"](parts["find_schema"]())
    return lambda data, may_be_torn=False: list(parts["file_faults"](data, validators, may_be_torn))


def record_faults(program, data):
    """Returns the line number and text of each fault in a record file."""
    return validator(program)(data)


@functools.cache
def schema(measure, name):
    """Returns a function that checks documents of that name against the output of `measure schema`."""
    text = subprocess.run([measure, "schema", name], check=True, capture_output=True, text=True).stdout
    return jsonschema.Draft202012Validator(json.loads(text))


def document(measure, text):
    """Returns the JSON document of a command, checked against its schema."""
    found = json.loads(text)
    schema(measure, found["document"]).validate(found)
    return found


def after_signal_to_launcher(number):
    """Returns the signal that ranks get if the launcher gets this one, and the possible exit codes of the launcher.
    Hydra passes the signal on and returns the ranks' code or 0, whichever of its parts is faster. Open MPI's launcher
    sends SIGTERM after a second and SIGKILL after two."""
    return (signal.SIGTERM, (1,)) if OPEN_MPI else (number, (128 + number, 0))


def after_signal_to_launcher_says(line):
    """Returns the possible lines on standard error. Open MPI 5 discards what ranks write after the signal."""
    return ([line], []) if OPEN_MPI else ([line],)


LAUNCHER = re.compile(r"^-{60,}\nprterun (?s:.*?)\n-{60,}(?:\n|\Z)|^(\[\S+\] PMIX ERROR:|\[warn\] Epoll) .*\n", re.MULTILINE)


def lines_of_ranks(err):
    """Returns standard error without the lines of Open MPI 5's launcher: it always reports that a rank has failed."""
    return LAUNCHER.sub("", err).splitlines()


@contextlib.contextmanager
def small(folder, size):
    """Mounts a file system of that size over a folder. Yields whether this worked, because mounting needs
    permission."""
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)], stderr=subprocess.DEVNULL,
        check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


@contextlib.contextmanager
def control_group(controller, limits):
    """Creates a control group with limits and, in it, one without limits for the programs. \\param limits  for version
    2, by file
    \\return the folder of the inner group; None without the permission to create it"""
    of_v1 = pathlib.Path("/sys/fs/cgroup") / controller
    top = of_v1 if of_v1.is_dir() else pathlib.Path("/sys/fs/cgroup")
    outer = top / f"libmeasure_test.{os.getpid()}"
    inner = outer / "inner"
    made = False
    with contextlib.suppress(OSError):
        outer.mkdir()
        if top != of_v1:
            (outer / "cgroup.subtree_control").write_text(f"+{controller}")
        inner.mkdir()
        for name, value in (v1_limits(limits) if top == of_v1 else limits).items():
            (outer / name).write_text(value)
        made = True
    try:
        yield inner if made else None
    finally:
        end = time.monotonic() + LIMIT
        for folder in (inner, outer):
            while folder.is_dir() and time.monotonic() < end:
                with contextlib.suppress(OSError):  # while its processes end
                    folder.rmdir()
                    break
                time.sleep(0.02)


def v1_limits(limits):
    """Sets the same limits in the files of version 1."""
    files = {}
    for name, value in limits.items():
        if name == "memory.max":
            files["memory.limit_in_bytes"] = value
        else:
            files["cpu.cfs_quota_us"], files["cpu.cfs_period_us"] = value.split()
    return files


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def run_browser(page, *options):
    """Runs a browser and returns the finished process; its output is the page after the scripts have run. Works as
    root, too."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        return subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                               f"--user-data-dir={home}", *options, "--dump-dom", page.as_uri()], timeout=LIMIT,
                              capture_output=True, text=True, env=os.environ | {"HOME": home}, check=False)


@functools.cache
def browser_starts():
    """Whether the browser shows a page of plain text. A sandboxed browser may not be able to read temporary files."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        page.write_text("<p>It starts.</p>")
        return "It starts." in run_browser(page).stdout


def browser(test):
    """For tests that need a browser."""
    @functools.wraps(test)
    def with_browser(self):
        if not browser_starts():
            self.skipTest(f"{CHROMIUM} does not start here")
        test(self)
    return plain(unittest.skipUnless(CHROMIUM, "a browser is needed: chromium")(with_browser))


# Prefix of a program: writes the processor time and the elapsed time of its rank, in seconds, to cpu.RANK.
TIMED = """import os, resource, subprocess, sys, time
begun = time.monotonic()
code = subprocess.call(sys.argv[1:], close_fds=False)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
rank = os.environ.get('PMI_RANK', os.environ.get('OMPI_COMM_WORLD_RANK'))
with open('cpu.' + rank, 'w') as file:
    print(used.ru_utime + used.ru_stime, time.monotonic() - begun, file=file)
sys.exit(code)
"""


class Ended:
    """A finished run."""

    def __init__(self, code, out, err, record):
        self.code = code
        self.out = out
        self.err = lines_of_ranks(err)
        self.path = record
        self.records = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
        self.points = [r for r in self.records if r["record"] == "point"]

    @property
    def run(self):
        return self.records[0]

    @property
    def end(self):
        return self.records[-1]

    def errors(self):
        return [line for line in self.err if ": error: " in line]

    def warnings(self):
        return [line for line in self.err if ": warning: " in line]

    def remarks(self):
        """Returns the lines that measure-osu adds to its table, as one text."""
        return "".join(f"{line}\n" for line in self.err if line.startswith("#+"))


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own, in which record.jsonl is the record of a run."""
    place = None  # where the folder is created; None: with other temporary files
    launcher = None
    validate = None
    yield_helper = ""  # preloaded if ranks may share cores; empty: not needed
    timed = False  # True: ranks wait as they do outside of tests and do not yield their cores

    @classmethod
    def tools(cls, validate, launcher, yield_helper=""):
        cls.validate, cls.launcher = (str(pathlib.Path(path).resolve()) for path in (validate, launcher))
        cls.yield_helper = yield_helper

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=self.place)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.json = self.folder / "record.jsonl"

    def launch(self, program, *arguments, ranks=2, record=True, environment=None, preload=(), cores=None, cwd=None,
               preexec_fn=None):
        """Starts a program. ranks = 0: without launcher; cores: the only cores that the ranks may use."""
        yields = ranks > 2 or cores or preload or not self.timed
        libraries = [library for library in (self.yield_helper if yields else "", *preload) if library]
        variables = (OPEN_MPI_YIELDS if yields else {}) | (environment or {})
        command = [self.launcher, "-n", str(ranks)] if ranks else []
        command += ["env", "LD_PRELOAD=" + ":".join(libraries)] if libraries else []
        command += [program, *map(str, arguments)] + (["--json", str(self.json)] if record else [])
        bind = (lambda: os.sched_setaffinity(0, cores)) if cores else preexec_fn
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=cwd, env=os.environ | variables, preexec_fn=bind)
        self.addCleanup(process.kill)
        return process

    @contextlib.contextmanager
    def small(self, folder, size):
        with small(folder, size) as mounted:
            if not mounted:
                self.skipTest("mounting a small file system is not permitted")
            yield

    @contextlib.contextmanager
    def control_group(self, controller, **limits):
        """Returns a function that a process calls before it starts the program, to join a group with limits:
        memory_max="400M"."""
        with control_group(controller, {name.replace("_", "."): value for name, value in limits.items()}) as folder:
            if folder is None:
                self.skipTest(f"control groups of {controller} cannot be created: not permitted")
            yield lambda: (folder / "cgroup.procs").write_text("0")

    @staticmethod
    def fill(folder):
        """Fills the file system of a folder, except for new names."""
        with contextlib.suppress(OSError), (folder / "filler").open("wb") as filler:
            while True:
                filler.write(bytes(1 << 20))
                filler.flush()

    def without_rights(self, program):
        """Returns a function that a process calls before it starts the program, to lose write permission: root becomes
        nobody, other users stay as they are."""
        if os.geteuid() != 0:
            return None

        def become_nobody():
            os.setuid(65534)
        try:
            subprocess.run([program, "--version"], preexec_fn=become_nobody, check=True, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError):
            self.skipTest("the program cannot be started by another user")
        return become_nobody

    @staticmethod
    def commands(path):
        """Returns the command line of a process, given its folder in /proc; empty if the process has ended."""
        try:
            return (path / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            return []

    def skip_where_launcher_crashed(self, code):
        """Open MPI 5.0.7's launcher crashes if ':' joins programs. A crash of a rank has another code."""
        if OPEN_MPI and code == -signal.SIGSEGV:
            self.skipTest("the launcher crashes where ':' joins programs")

    def wait_for(self, condition, what):
        limit = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), limit, what)
            time.sleep(0.02)

    def assert_valid(self, ended):
        self.assert_valid_file(ended.path)

    def assert_valid_file(self, path):
        self.assertEqual(record_faults(self.validate, pathlib.Path(path).read_bytes()), [])


class TimedResult(unittest.TextTestResult):
    """Records the duration of each test case."""

    def __init__(self, *arguments, **words):
        super().__init__(*arguments, **words)
        self.times = []

    def startTest(self, test):
        self.begun = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.times.append((time.monotonic() - self.begun, test.id().rpartition(".")[2]))

    def print_times(self):
        """Prints the slowest cases in the format that tests/support/times.py reads."""
        for seconds, name in sorted(self.times, reverse=True)[:20]:
            if seconds >= 0.05:
                print(f"  {seconds:.2f} s  {name}")


def count_starts():
    """\\return a list that gets one element for each program that this process starts from now on"""
    starts = []
    sys.addaudithook(lambda event, _: starts.append(event) if event == "subprocess.Popen" else None)
    return starts


def main(options):
    """Runs the tests of the calling file and ends the program; the last line counts the test cases."""
    starts = count_starts()
    runner = unittest.TextTestRunner(verbosity=2, resultclass=TimedResult)
    result = unittest.main(argv=sys.argv[:1] + options, testRunner=runner, exit=False).result
    result.print_times()
    print(f"started {len(starts)} programs")
    failed = len(result.failures) + len(result.errors)
    passed = max(0, result.testsRun - failed - len(result.skipped))
    if passed + failed == 0 and result.skipped:
        print(f"skipped: {result.skipped[0][1]}")
        sys.exit(77)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)
