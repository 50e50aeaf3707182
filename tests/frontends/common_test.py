#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The wrapper that all programs share, from outside: exit codes, error lines, records, signals, watchdog.

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
    """A run that is over; its text in lines."""

    def __init__(self, process, record):
        out, err = process.communicate(timeout=LIMIT)
        super().__init__(process.returncode, out, err, record)
        # On SIGINT hydra writes lines of its own.
        self.out = [line for line in out.splitlines() if not line.startswith("[mpiexec@")]


class CommonTest(harness.ProgramTest):
    def start(self, *arguments, **keywords):
        return self.launch(PROBE, *arguments, **keywords)

    def run_probe(self, *arguments, **keywords):
        return Ended(self.start(*arguments, **keywords), self.json)

    def wait_for_body(self, process):
        """Until the probe is in its body. What it has written to stdout so far is lost."""
        self.assertEqual(process.stdout.readline(), "begun\n")

    def rank_process(self, process, rank):
        """Process id of a rank below the launcher."""
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

    # Questions and faults of the user.

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
        # Others: tests/unit/common_refusals_test.cpp.
        ended = self.run_probe("--json", str(self.json), "-Q", record=False)
        self.assert_one_line(ended, 2, "probe: error: unknown option '-Q' (see probe --help)")
        self.assertFalse(self.json.exists())

    def test_files_that_cannot_be_used_are_found_before_measuring(self):
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
    def test_a_complete_run(self):
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
    def test_a_rank_that_is_lost_alone_says_so_and_aborts(self):
        ended = self.run_probe("-m", "throw-lone", "-r", "1")
        self.assertEqual(ended.code, 1)
        self.assertEqual(ended.err.count("probe: error: this rank broke"), 1)
        self.assert_valid(ended)

    @slow
    @plain
    def test_a_failure_whose_rank_never_comes_to_say_it_has_a_line_too(self):
        ended = self.run_probe("-m", "fail-lone", "-r", "1")
        self.assertEqual(ended.code, 1)
        line = "probe: error: the run has failed on a rank that cannot say why"
        self.assertEqual(ended.err.count(line), 1, ended.err)
        self.assert_valid(ended)

    def test_a_spent_budget_leaves_skipped_points_and_4(self):
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
    def test_what_the_file_system_tells_at_last_is_a_failure(self):
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
    def test_an_active_hook_is_named_once_and_stands_in_the_record(self):
        hook = {"MEASURE_TEST_PROBE": "7"}
        warning = "the test hook MEASURE_TEST_PROBE=7 is active"
        ended = self.run_probe(environment=hook)
        self.assertEqual(ended.err, ["probe: warning: " + warning])
        self.assertEqual(ended.records[0]["warnings"], [warning])
        ended = self.run_probe("--quiet", environment=hook)
        self.assertEqual((ended.code, ended.err), (0, []))

    def test_progress_is_comment_lines_of_the_root(self):
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

    def test_a_program_without_mpi_obeys_signals_too(self):
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
    def test_five_seconds_after_a_signal_a_program_without_decisions_ends(self):
        process = self.start("-m", "deaf")
        self.wait_for_body(process)
        begun = time.monotonic()
        # Not to the launcher: Open MPI's has less patience.
        for rank in (0, 1):
            os.kill(self.rank_process(process, rank), signal.SIGINT)
        ended = Ended(process, self.json)
        self.assertGreater(time.monotonic() - begun, 4.5)
        self.assertIn("probe: error: interrupted by SIGINT", ended.err)
        self.assert_end(ended, "interrupted", 130)

    def test_a_killed_rank_leaves_a_record_that_can_be_read(self):
        process = self.start("-npoints", "100000")
        self.wait_for(lambda: self.json.exists() and self.json.read_text().count("\n") >= 3, "no points")
        os.kill(self.rank_process(process, 0), signal.SIGKILL)
        ended = Ended(process, self.json)
        self.assertNotEqual(ended.code, 0)
        self.assertEqual(ended.end["record"], "point")
        self.assert_valid(ended)

    # Watchdog.

    def run_until_ranks_leave_together(self, wanted, *arguments, check=lambda ended: None):
        """Ranks leave together at a whole second. Two that choose it on either side of half a second do not: the
        launcher kills the later one and adds the signal to the exit code. So there are three attempts, and `check`
        looks at each."""
        for _ in range(3):
            time.sleep((0.6 - time.time()) % 1)
            ended = self.run_probe(*arguments)
            check(ended)
            if ended.code == wanted:
                return ended
            self.assertEqual(ended.code, wanted | signal.SIGKILL, ended.err)
        self.fail(f"three times the launcher killed a rank: {ended.err}")

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
    def test_after_a_crash_report_no_record_begins(self):
        ended = self.run_probe("-m", "slow-start", "--watchdog", "1")
        self.assertEqual((ended.code, ended.records), (1, []))
        self.assertIn("probe: error: no progress for 1 s: rank 0 before the first point; --watchdog sets the limit",
                      ended.err)

    @slow
    @plain
    def test_a_run_that_is_over_keeps_its_code_where_finalize_hangs(self):
        for mode, code in (("stay", 0), ("stay-check", 3)):
            # Open MPI's launcher takes it for a failure that they have not come through MPI_Finalize.
            wanted = code or (1 if harness.OPEN_MPI else 0)

            def check(ended, code=code):
                self.assert_end(ended, "complete", code)
                self.assertEqual(sum("MPI_Finalize does not return" in line for line in ended.err), 1, ended.err)

            self.run_until_ranks_leave_together(wanted, "-m", mode, "--watchdog", "4", check=check)

    @slow
    @plain
    def test_ranks_that_wait_for_others_are_not_watched(self):
        process = self.start("-m", "part", "--watchdog", "2")
        self.wait_for_body(process)
        time.sleep(3.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        ended = Ended(process, self.json)
        self.assert_interrupted(ended, signal.SIGTERM, to_launcher=True)


if __name__ == "__main__":
    harness.main(sys.argv[5:])
