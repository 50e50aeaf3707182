#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpbench-pvm from outside, with its own daemons: values, ends of runs, and what they leave.

usage: mpbench_pvm_test.py MPBENCH_PVM VALIDATE_RECORDS MPBENCH_RUN LLCBENCH_SH [UNITTEST OPTIONS]
MPBENCH_PVM is empty if it was not built.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import harness
from harness import LIMIT, plain, slow
from llcbench_blocks import Block, blocks
from mpbench_blocks import MIB, BlockTest

if not sys.argv[1]:
    print("skipped: mpbench-pvm is not built, because there is no PVM")
    sys.exit(77)
if not shutil.which("pvm") or not shutil.which("pvmgs"):
    print("skipped: there is no PVM daemon here (pvm, pvmgs)")
    sys.exit(77)
PROGRAM, DRIVER, LIBRARY = (str(pathlib.Path(sys.argv[i]).resolve()) for i in (1, 3, 4))
harness.ProgramTest.tools(sys.argv[2], "none")

# libpvm never frees the names of its sockets.
os.environ |= harness.LEAKS

TESTS = "bandwidth roundtrip latency broadcast reduce allreduce bibw alltoall barrier".split()
ROOT = os.getuid() == 0


class Daemon:
    """A daemon for this test only. Its folder is in /tmp because names of sockets are short."""

    def __init__(self, path=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
        self.environment = {"PVM_TMP": str(self.folder)} | ({"PVM_ALLOW_ROOT": "1"} if ROOT else {})
        (self.folder / "hosts").write_text(f"* ep={path or pathlib.Path(shutil.which('pvmgs')).parent}\n")
        self.say("quit", str(self.folder / "hosts"))

    def say(self, word, *arguments):
        # Otherwise the daemon stays in the process group of the console and receives the signals of a terminal.
        subprocess.run(["pvm", *arguments], input=word + "\n", text=True, env=os.environ | self.environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT, start_new_session=True,
                       check=False)

    def sockets(self):
        """Returns its own sockets, and those of tasks with direct routes."""
        return list(self.folder.glob("pvmtmp*"))

    def processes(self, word):
        """Returns the processes of the daemon whose command contains this word."""
        found = []
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if word.encode() in place.joinpath("cmdline").read_bytes() and \
                        f"PVM_TMP={self.folder}".encode() in place.joinpath("environ").read_bytes():
                    found.append(int(place.name))
            except OSError:  # it has ended, or belongs to another user
                pass
        return sorted(found)

    def others(self):
        return self.processes("--serve-as-pvm-task")

    def stop(self):
        self.say("halt")
        shutil.rmtree(self.folder)


class PvmTest(BlockTest):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)

    def begin(self, *arguments, daemon=None, environment=None, record=True):
        self.json.unlink(missing_ok=True)
        return self.launch(PROGRAM, *arguments, ranks=0, record=record, cwd=self.folder,
                           environment=(daemon or self.daemon).environment | (environment or {}))

    def end(self, process, code, arguments=()):
        out, err = process.communicate(timeout=LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        self.assertEqual(ended.code, code, (arguments, err))
        return ended

    def run_it(self, *arguments, code=0, **keywords):
        return self.end(self.begin(*arguments, **keywords), code, arguments)

    def assert_rows_stay(self):
        """The values before the early end are in a .part file, which marks them as incomplete."""
        part = self.folder / "x.dat.part"
        self.assertGreater(part.read_text().count("\n"), 12)
        part.unlink()

    def assert_nothing_left(self):
        self.wait_for(lambda: not self.daemon.others(), "other tasks still run")
        self.assertEqual(list(self.folder.glob("x.dat*")), [])


class Measuring(PvmTest):
    @harness.not_quick
    def test_every_test_delivers_correct_data(self):
        for tasks in (2, 3):
            ended = self.run_it("--tasks", tasks, "--test", "all", "-M", "4,4k,64k", "-i", 10, "--verify")
            self.assert_valid(ended)
            self.assertIsNone(ended.run["mpi"])
            found = blocks(ended.out)
            self.assertEqual([block.name for block in found], TESTS)
            points = iter(ended.points)
            for block in found:
                self.assert_numbers(block)
                self.assertIn(f" api=pvm tasks={tasks} ", block.comments[0])
                self.assertRegex(block.head, r"(?m)^# pvm=3\.\d\S* route=direct hosts=1\b")
                self.assertEqual("includes=one barrier in each iteration" in block.head,
                                 block.name in ("broadcast", "reduce", "allreduce"))
                for row in block.rows:
                    point = next(points)
                    self.assertEqual((point["benchmark"], point["at"]["ranks"]), (block.name, tasks))
                    if block.unit == "MB/s":
                        self.assertAlmostEqual(point["value"] / MIB, float(row["value"]), delta=1e-6 + 1e-9 *
                                               float(row["value"]))
        # Every task has closed its routes.
        self.wait_for(lambda: len(self.daemon.sockets()) == 1, "routes are still open")

    @plain
    @harness.not_quick
    def test_long_messages_in_both_directions_at_once(self):
        ended = self.run_it("--test", "bibw,alltoall,broadcast", "-M", "16M", "-i", 2, "--exact-iterations", "--verify")
        self.assertEqual([p["status"] for p in ended.points], ["converged"] * 3)

    def test_wrong_data_are_reported(self):
        for test in ("roundtrip", "allreduce"):
            ended = self.run_it("--tasks", 3, "--test", test, "-M", "4k", "-i", 3, "--verify", code=3,
                                environment={"MEASURE_TEST_CORRUPT": test})
            self.assertRegex(ended.errors()[-1],
                             rf"^mpbench-pvm: error: {test} ranks=3 bytes=4096 repetition=0: "
                             r"(rank \d received wrong data at offset 2048, )*rank 2 received wrong data at offset 2048$")
            self.assertEqual(Block(ended.out).rows[0]["value"], "-")

    def test_tasks_that_share_cores_are_reported(self):
        ended = self.run_it("--tasks", 12, "-cyB", "-M", "1k", "-i", 5)
        for block in blocks(ended.out):
            self.assert_numbers(block)
            self.assertEqual("# oversubscribed: yes" in block.head, os.cpu_count() < 12)

    @harness.not_quick
    def test_an_idle_task_sleeps(self):
        process = self.begin("--tasks", 3, "-r", "-M", "1k", "-i", 1000, "-e", 100000, record=False)
        self.wait_for(lambda: len(self.daemon.others()) == 2, "the tasks do not run")
        before, begun = self.ticks(), time.monotonic()
        used = [0, 0]

        def has_worked():
            used[:] = [after - then for then, after in zip(before, self.ticks())]
            return max(used) >= 0.2 * os.sysconf("SC_CLK_TCK")

        # On a busy machine the other task needs a while to use that much.
        self.wait_for(has_worked, "no task works")
        elapsed = time.monotonic() - begun
        process.terminate()
        self.end(process, 143)
        self.assertLess(min(used), 0.1 * elapsed * os.sysconf("SC_CLK_TCK"))

    def ticks(self):
        """Returns the processor time of each of the other tasks, in clock ticks."""
        fields = [pathlib.Path(f"/proc/{task}/stat").read_text().rpartition(")")[2].split()
                  for task in self.daemon.others()]
        return [int(words[11]) + int(words[12]) for words in fields]


class Endings(PvmTest):
    def begin_long(self, test, **keywords):
        process = self.begin("--tasks", 3, "--test", test, "-M", "1k", "-i", 100, "-e", 1000000, "--quiet", "-o",
                             "x.dat", **keywords)
        part = self.folder / "x.dat.part"
        self.wait_for(lambda: part.exists() and part.read_text().count("\n") > 12, "nothing is measured")
        return process

    @slow
    def test_a_killed_task_ends_the_run(self):
        for test, victim in (("bandwidth", 1), ("barrier", 0), ("reduce", 1)):
            process = self.begin_long(test)
            os.kill(self.daemon.others()[victim], signal.SIGKILL)
            ended = self.end(process, 1)
            self.assertEqual(len(ended.errors()), 1, ended.err)
            self.assertRegex(ended.errors()[0], r"^mpbench-pvm: error: task [12] ended too early; ")
            self.assert_valid(ended)
            self.assertEqual((ended.end["status"], ended.end["exit_code"]), ("failed", 1))
            self.assert_rows_stay()
            self.assert_nothing_left()

    @slow
    def test_a_signal_ends_all_tasks(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            process = self.begin_long("roundtrip")
            process.send_signal(number)
            ended = self.end(process, code)
            self.assertEqual(len(ended.err), 1, ended.err)
            self.assertEqual(ended.end["status"], "interrupted")
            self.assert_rows_stay()
            self.assert_nothing_left()

    @harness.not_quick
    def test_the_others_do_not_outlive_the_master(self):
        process = self.begin_long("allreduce")
        process.kill()
        process.communicate(timeout=LIMIT)
        self.wait_for(lambda: not self.daemon.others(), "other tasks still run")

    @harness.not_quick
    def test_a_killed_daemon_ends_the_run(self):
        daemon = Daemon()
        self.addCleanup(shutil.rmtree, daemon.folder)
        process = self.begin_long("barrier", daemon=daemon)
        os.kill(daemon.processes("pvmd")[0], signal.SIGKILL)
        ended = self.end(process, 1)
        self.assertIn("PVM failed", ended.errors()[-1])
        self.wait_for(lambda: not daemon.others(), "other tasks still run")


class Refusals(PvmTest):
    def refused(self, pattern, *arguments, **keywords):
        ended = self.run_it(*arguments, code=2, **keywords)
        self.assertEqual((len(ended.err), ended.out), (1, ""), ended.err)
        self.assertRegex(ended.err[0], "^mpbench-pvm: error: " + pattern)

    def test_errors_before_the_measurement_leave_no_task(self):
        self.refused("--output: cannot write '/nowhere/x", "-b", "-o", "/nowhere/x", record=False)
        self.refused(".*mpi_wtime", "-b", "--timer", "mpi_wtime", record=False)
        self.refused(".* only for tasks that PVM starts", "--serve-as-pvm-task", record=False)
        self.assert_nothing_left()

    def test_help_needs_no_daemon(self):
        ended = self.run_it("--help", record=False, environment={"PVM_TMP": str(self.folder)})
        self.assertTrue(ended.out.startswith("Usage: mpbench-pvm"), ended.out)

    def test_a_missing_daemon_is_reported(self):
        self.refused("no PVM daemon is running", "-b", environment={"PVM_TMP": str(self.folder)})

    def test_a_missing_group_server_is_reported(self):
        daemon = Daemon("/nowhere")
        self.addCleanup(daemon.stop)
        for test in ("-r", "-B"):
            self.refused(".*group server pvmgs.*ep=", test, daemon=daemon)

    @unittest.skipUnless(ROOT, "only root is refused by PVM")
    def test_root_is_refused_without_explicit_permission(self):
        environment = {name: value for name, value in os.environ.items() if name != "PVM_ALLOW_ROOT"}
        ended = subprocess.run([PROGRAM, "-b"], env=environment, text=True, capture_output=True, timeout=LIMIT,
                               check=False)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (2, "", 1))
        self.assertIn("PVM_ALLOW_ROOT=1", ended.stderr)


class Driver(BlockTest):
    def setUp(self):
        super().setUp()
        self.before = self.traces()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PVM_")}
        self.environment |= {"MPBENCH_PVM": PROGRAM, "LLCBENCH_SH": LIBRARY, "MAX_LOG": "4", "ITERATIONS": "5",
                             "MPOPTS": "--max-seconds 0.1", "TASKS": "3", "BARRIER_TASKS": "2 3"}
        if ROOT:
            self.environment["PVM_ALLOW_ROOT"] = "1"

    @staticmethod
    def traces():
        """Returns what a daemon of the driver leaves in /tmp, and its files."""
        return {path for pattern in ("mpbench-run.*", f"pvm[dl].{os.getuid()}")
                for path in pathlib.Path("/tmp").glob(pattern)}

    def assert_no_traces(self):
        self.wait_for(lambda: self.traces() <= self.before, "a daemon or files are left")

    def drive(self, action, code=0):
        ended = subprocess.run([DRIVER, action], env=self.environment, cwd=self.folder, text=True, capture_output=True,
                               timeout=LIMIT, check=False)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended

    @slow
    def test_the_driver_starts_its_own_daemon(self):
        ended = self.drive("run-pvm")
        self.assertIn("PVM daemon: started for this run", ended.stdout)
        prefix = f"{os.uname().sysname}-{os.uname().nodename.split('.')[0]}_pvm"
        files = {path.name.removeprefix(prefix + "_") for path in (self.folder / "results").glob("*.dat")}
        self.assertEqual(files, {name + ".dat" for name in "barrier latency-2 latency-3 roundtrip-2 roundtrip-3 "
                                 "bandwidth-2 bandwidth-3 broadcast reduce allreduce".split()})
        barrier = Block((self.folder / "results" / f"{prefix}_barrier.dat").read_text())
        self.assertEqual([row["tasks"] for row in barrier.rows], ["2", "3"])
        self.assertIn("\npvm: 3.", (self.folder / "results" / f"{prefix}.info").read_text())
        self.assertTrue((self.folder / "results" / f"{prefix}.tar").exists())
        self.assert_no_traces()
        self.assertIn("_pvm_latency", self.drive("graph-pvm").stdout)
        self.drive("graph-mpi", code=2)

    @slow
    @plain
    def test_a_running_daemon_is_used_and_kept(self):
        daemon = Daemon()
        self.addCleanup(daemon.stop)
        self.environment |= {"PVM_TMP": str(daemon.folder), "BARRIER_TASKS": "2", "PAIR_TASKS": "2"}
        self.assertIn("PVM daemon: one that was already running", self.drive("run-pvm").stdout)
        self.assertEqual(len(daemon.processes("pvmd")), 1)

    @harness.not_quick
    def test_a_signal_leaves_nothing(self):
        self.environment |= {"MPOPTS": "-e 100000", "ITERATIONS": "500"}
        process = subprocess.Popen([DRIVER, "run-pvm"], env=self.environment, cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.wait_for(lambda: list((self.folder / "results").glob("*.part")), "nothing is measured")
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 143)
        self.assert_no_traces()
        self.assertEqual(list((self.folder / "results").glob("*.part*")), [])

    @unittest.skipUnless(ROOT, "only root is refused by PVM")
    def test_root_gets_instructions(self):
        del self.environment["PVM_ALLOW_ROOT"]
        self.assertIn("PVM_ALLOW_ROOT=1", self.drive("run-pvm", code=2).stderr)


if __name__ == "__main__":
    harness.main(sys.argv[5:])
