#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The common wrapper of all programs, from outside: exit codes, error lines, records, signals, watchdog.

usage: common_test.py PROBE VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import harness
from harness import LIMIT, plain, slow

PROBE = str(pathlib.Path(sys.argv[1]).resolve())
harness.ProgramTest.tools(*sys.argv[2:5])


class Ended(harness.Ended):
    """A finished run, with its output split into lines."""

    def __init__(self, process, record):
        out, err = process.communicate(timeout=LIMIT)
        super().__init__(process.returncode, out, err, record)
        # On SIGINT hydra prints lines itself.
        self.out = [line for line in out.splitlines() if not line.startswith("[mpiexec@")]


class CommonTest(harness.ProgramTest):
    def start(self, *arguments, **keywords):
        return self.launch(PROBE, *arguments, **keywords)

    def run_probe(self, *arguments, **keywords):
        return Ended(self.start(*arguments, **keywords), self.json)

    def wait_for_body(self, process):
        """Waits until the probe is in its body. Discards its previous output on stdout."""
        self.assertEqual(process.stdout.readline(), "begun\n")

    def rank_process(self, process, rank):
        """Returns the process ID of a rank below the launcher."""
        def descendants(parent):
            for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
                try:
                    fields = path.read_text().rsplit(")", 1)[1].split()
                except OSError:
                    continue
                if int(fields[1]) == parent:
                    yield int(path.parent.name)
                    yield from descendants(int(path.parent.name))

        for pid in descendants(process.pid):
            words = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            if f"PMI_RANK={rank}".encode() in words or f"OMPI_COMM_WORLD_RANK={rank}".encode() in words:
                return pid
        self.fail(f"no process of rank {rank}")

    def assert_end(self, ended, status, code):
        self.assert_valid(ended)
        self.assertEqual(ended.end["record"], "end")
        self.assertEqual((ended.end["status"], ended.end["exit_code"]), (status, code))

    def assert_one_line(self, ended, code, line):
        self.assertEqual((ended.code, ended.err), (code, [line]))

    def assert_interrupted(self, ended, number, to_launcher):
        number, codes = harness.after_signal_to_launcher(number) if to_launcher else (number, (128 + number,))
        self.assertIn(ended.code, codes)
        says = f"probe: error: interrupted by {number.name}"
        self.assertIn(ended.err, harness.after_signal_to_launcher_says(says) if to_launcher else ([says],))
        self.assert_end(ended, "interrupted", 128 + number)

    # Help and user errors.

    @harness.not_quick
    def test_help_and_version_are_printed_once(self):
        for ranks in (0, 1, 3):
            with self.subTest(ranks=ranks):
                shown = self.run_probe("--version", ranks=ranks, record=False)
                self.assertEqual((shown.code, len(shown.out), shown.err), (0, 1, []))
                self.assertRegex(shown.out[0], r"^probe \d+\.\d+\.\d+$")
                shown = self.run_probe("--help", ranks=ranks, record=False)
                self.assertEqual((shown.code, shown.err), (0, []))
                self.assertEqual(sum(line.startswith("Usage: probe ") for line in shown.out), 1)

    def test_a_wrong_command_line_ends_with_one_line_and_no_record(self):
        # Other refusals are tested in tests/unit/common_refusals_test.cpp.
        ended = self.run_probe("--json", str(self.json), "-Q", record=False)
        self.assert_one_line(ended, 2, "probe: error: unknown option '-Q' (see probe --help)")
        self.assertFalse(self.json.exists())

    def test_unusable_files_are_found_before_measuring(self):
        ended = self.run_probe("--json", "/nonexistent/x", record=False)
        self.assert_one_line(ended, 2, "probe: error: --json: cannot write '/nonexistent/x': No such file or directory")
        ended = self.run_probe("-i", "/nonexistent/y")
        self.assert_one_line(ended, 2, "probe: error: cannot read '/nonexistent/y': No such file or directory")

    def test_an_input_file_is_read_on_all_ranks(self):
        text = self.folder / "in.txt"
        text.write_text("one\ntwo\n")
        ended = self.run_probe("-i", str(text), "-npoints", "1")
        self.assertEqual((ended.code, ended.out[:2]), (0, ["one", "two"]))

    def test_all_faults_of_a_file_are_reported(self):
        ended = self.run_probe("-m", "faults")
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, ["probe: in.txt:1:2: error: first", "probe: in.txt:3:4: error: second"])
        self.assert_end(ended, "failed", 2)

    # Exit codes.

    @harness.not_quick
    def test_a_complete_run_exits_with_0_and_records_its_points(self):
        for ranks, environment in ((0, {}), (2, {}), (0, {"PROBE_SOLO": "1"})):
            with self.subTest(ranks=ranks, environment=environment):
                ended = self.run_probe(ranks=ranks, environment=environment)
                self.assertEqual((ended.code, ended.err), (0, []))
                self.assertEqual(ended.out, ["begun", "point 0", "point 1", "point 2"])
                self.assert_end(ended, "complete", 0)
                self.assertEqual([r["record"] for r in ended.records], ["run", "point", "point", "point", "end"])
                self.assertEqual(ended.records[0]["mpi"] is None, bool(environment))

    @harness.not_quick
    def test_the_code_of_one_rank_becomes_the_code_of_all(self):
        for mode, code in (("check", 3), ("incomplete", 4)):
            with self.subTest(mode=mode):
                ended = self.run_probe("-m", mode, "-r", "1")
                self.assertEqual((ended.code, ended.err), (code, []))
                self.assert_end(ended, "complete", code)

    @slow
    def test_a_failure_ends_with_the_one_line_of_the_rank_that_failed(self):
        for mode, code, text in (("usage", 2, "no such thing"), ("throw-all", 1, "everything\\nbroke"),
                                 ("throw-one", 1, "this rank broke"), ("fail", 1, "the file vanished")):
            with self.subTest(mode=mode):
                ended = self.run_probe("-m", mode, "-r", "1")
                self.assert_one_line(ended, code, "probe: error: " + text)
                self.assert_end(ended, "failed", code)
                self.assertEqual(ended.end["message"], ended.err[0])

    @slow
    @plain
    def test_a_rank_that_fails_alone_says_so_and_aborts(self):
        ended = self.run_probe("-m", "throw-lone", "-r", "1")
        self.assertEqual(ended.code, 1)
        self.assertEqual(ended.err.count("probe: error: this rank broke"), 1)
        self.assert_valid(ended)

    @slow
    @plain
    def test_a_failure_has_an_error_line_even_if_its_rank_cannot_print_it(self):
        ended = self.run_probe("-m", "fail-lone", "-r", "1")
        self.assertEqual(ended.code, 1)
        line = "probe: error: the run failed on a rank that could not report the reason"
        self.assertEqual(ended.err.count(line), 1, ended.err)
        self.assert_valid(ended)

    def test_a_spent_budget_leaves_skipped_points_and_exits_with_4(self):
        ended = self.run_probe("--time-budget", "1ns")
        self.assertEqual((ended.code, ended.err), (4, []))
        self.assert_end(ended, "complete", 4)
        points = [r for r in ended.records if r["record"] == "point"]
        self.assertEqual([(p["status"], p["message"]) for p in points], [("skipped", "time_budget")] * 3)

    @harness.not_quick
    def test_a_record_or_a_text_that_cannot_be_written_is_a_failure(self):
        ended = self.run_probe("--json", "/dev/full", record=False)
        self.assert_one_line(ended, 1, "probe: error: cannot write '/dev/full': No space left on device")
        with open("/dev/full", "w", encoding="utf-8") as full:
            ended = subprocess.run([PROBE], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(ended.stderr, "probe: error: cannot write the results to standard output\n")

    @harness.not_quick
    def test_an_error_that_the_file_system_reports_last_is_a_failure(self):
        for ranks, environment in ((2, {}), (0, {"PROBE_SOLO": "1"})):
            with self.subTest(ranks=ranks):
                ended = self.run_probe("-m", "late", ranks=ranks, environment=environment)
                self.assert_one_line(ended, 1, f"probe: error: cannot end the record: cannot write '{self.json}': Disk "
                                               "quota exceeded")
                self.assertEqual(ended.out[-1], "point 2")

    # Streams.

    @harness.not_quick
    def test_with_the_record_on_stdout_the_text_goes_to_stderr(self):
        ended = self.run_probe("--json", "-", "-npoints", "1", record=False)
        self.assertEqual([json.loads(line)["record"] for line in ended.out], ["run", "point", "end"])
        self.assertEqual(ended.err, ["begun", "point 0"])

    @harness.not_quick
    def test_an_active_hook_is_named_once_and_recorded(self):
        hook = {"MEASURE_TEST_PROBE": "7"}
        warning = "the test hook MEASURE_TEST_PROBE=7 is active"
        ended = self.run_probe(environment=hook)
        self.assertEqual(ended.err, ["probe: warning: " + warning])
        self.assertEqual(ended.records[0]["warnings"], [warning])
        ended = self.run_probe("--quiet", environment=hook)
        self.assertEqual((ended.code, ended.err), (0, []))

    def test_the_root_prints_progress_as_comment_lines(self):
        ended = self.run_probe("--progress", "always")
        self.assertEqual(ended.err[0], "# probe: Sleep index=0: 0 of 3 points done, 0 s")

    # Signals.

    @harness.not_quick
    def test_a_signal_to_the_launcher_stops_all_ranks(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                scratch = self.folder / "scratch"
                process = self.start("-m", "endless", "-t", str(scratch))
                self.wait_for_body(process)
                self.assertTrue(scratch.exists())
                process.send_signal(number)
                ended = Ended(process, self.json)
                self.assert_interrupted(ended, number, to_launcher=True)
                self.assertFalse(scratch.exists())

    def test_a_signal_to_one_rank_stops_all_ranks(self):
        process = self.start("-m", "endless")
        self.wait_for_body(process)
        os.kill(self.rank_process(process, 1), signal.SIGTERM)
        ended = Ended(process, self.json)
        self.assert_interrupted(ended, signal.SIGTERM, to_launcher=False)

    def test_a_program_without_mpi_handles_signals_too(self):
        process = self.start("-m", "endless", ranks=0, environment={"PROBE_SOLO": "1"})
        self.wait_for_body(process)
        process.send_signal(signal.SIGHUP)
        ended = Ended(process, self.json)
        self.assert_interrupted(ended, signal.SIGHUP, to_launcher=False)

    @slow
    def test_a_second_signal_ends_a_program_that_reaches_no_decision(self):
        scratch = self.folder / "scratch"
        process = self.start("-m", "deaf", "-t", str(scratch), ranks=0)
        self.wait_for_body(process)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        ended = Ended(process, self.json)
        self.assert_interrupted(ended, signal.SIGTERM, to_launcher=False)
        self.assertFalse(scratch.exists())

    @slow
    @plain
    def test_a_program_without_decisions_ends_five_seconds_after_a_signal(self):
        process = self.start("-m", "deaf")
        self.wait_for_body(process)
        begun = time.monotonic()
        # The signal goes to a rank, because Open MPI's launcher waits less long.
        for rank in (0, 1):
            os.kill(self.rank_process(process, rank), signal.SIGINT)
        ended = Ended(process, self.json)
        self.assertGreater(time.monotonic() - begun, 4.5)
        self.assertIn("probe: error: interrupted by SIGINT", ended.err)
        self.assert_end(ended, "interrupted", 130)

    def test_a_killed_rank_leaves_a_readable_record(self):
        process = self.start("-npoints", "100000")
        self.wait_for(lambda: self.json.exists() and self.json.read_text().count("\n") >= 3, "no points")
        os.kill(self.rank_process(process, 0), signal.SIGKILL)
        ended = Ended(process, self.json)
        self.assertNotEqual(ended.code, 0)
        self.assertEqual(ended.end["record"], "point")
        self.assert_valid(ended)

    # Watchdog.

    def run_until_ranks_leave_together(self, wanted, *arguments, check=lambda ended: None):
        """Ranks leave together at a whole second of the clock. Two ranks that choose it at different sides of half a
        second leave separately: the launcher then kills the later one and puts the signal into the exit code. So there
        are three attempts, and `check` examines each."""
        for _ in range(3):
            time.sleep((0.6 - time.time()) % 1)
            ended = self.run_probe(*arguments)
            check(ended)
            if ended.code == wanted:
                return ended
            self.assertEqual(ended.code, wanted | signal.SIGKILL, ended.err)
        self.fail(f"the launcher killed a rank in all three attempts: {ended.err}")

    @slow
    def test_the_watchdog_ends_a_run_that_hangs_on_one_rank(self):
        scratch = self.folder / "scratch"
        ended = self.run_until_ranks_leave_together(1, "-m", "hang", "-r", "1", "--watchdog", "3", "-t", str(scratch))
        spoken = "probe: error: no progress for 3 s: rank "
        self.assertIn(spoken + "1 in the body of Sleep index=0; --watchdog sets the limit", ended.err)
        self.assertEqual(sum(line.startswith(spoken + "0 ") for line in ended.err), 1)
        self.assert_end(ended, "failed", 1)
        self.assertTrue(ended.end["message"].startswith(spoken + "0 "))
        self.assertFalse(scratch.exists())

    @slow
    def test_no_record_follows_a_crash_report(self):
        ended = self.run_probe("-m", "slow-start", "--watchdog", "1")
        self.assertEqual((ended.code, ended.records), (1, []))
        self.assertIn("probe: error: no progress for 1 s: rank 0 before the first point; --watchdog sets the limit",
                      ended.err)

    @slow
    @plain
    def test_a_finished_run_keeps_its_exit_code_if_finalize_hangs(self):
        for mode, code in (("stay", 0), ("stay-check", 3)):
            # Open MPI's launcher reports a failure if ranks exit without returning from MPI_Finalize.
            wanted = code or (1 if harness.OPEN_MPI else 0)

            def check(ended, code=code):
                self.assert_end(ended, "complete", code)
                self.assertEqual(sum("MPI_Finalize does not return" in line for line in ended.err), 1, ended.err)

            self.run_until_ranks_leave_together(wanted, "-m", mode, "--watchdog", "4", check=check)

    @slow
    @plain
    def test_the_watchdog_ignores_ranks_that_wait_for_others(self):
        process = self.start("-m", "part", "--watchdog", "2")
        self.wait_for_body(process)
        time.sleep(3.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        ended = Ended(process, self.json)
        self.assert_interrupted(ended, signal.SIGTERM, to_launcher=True)


if __name__ == "__main__":
    harness.main(sys.argv[5:])
