#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf with parts written by users: operations by PMPI and by plugins, logs, configuration files.

usage: mpiperf_own_test.py MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER PMPI ODD_PLUGIN [PLUGIN...]
           [UNITTEST OPTIONS]

The plugins are those of examples/mpiperf_plugin. Their tests are skipped if the examples are not built.
"""
import pathlib
import re
import signal
import sys
import unittest

import harness
from harness import LIMIT, plain, slow
from mpiperf_harness import MPIPERF, Mpiperf

PMPI, ODD = (str(pathlib.Path(path).resolve()) for path in sys.argv[5:7])
PLUGINS = [str(pathlib.Path(path).resolve()) for path in sys.argv[7:] if path.endswith(".so")]
RING = [word for path in PLUGINS for word in ("--plugin", path)]
LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9}: \S.*")


class OwnTest(Mpiperf):
    # PMPI.

    def broadcasts(self, *arguments):
        """Returns the run, and for each rank the number of broadcasts outside and inside of runs."""
        path = self.folder / "counts"
        ended = self.run_it(*arguments, preload=[PMPI], environment={"MPIPERF_PMPI_COUNTS": str(path)})
        self.assertIn(ended.code, (0, 4), ended.err)
        return ended, [tuple(map(int, path.with_suffix(f".{rank}").read_text().split())) for rank in (0, 1)]

    def runs(self, ended):
        """Returns the runs of all points: attempts and 4 runs before the first attempt. A point that missed all of its
        slots is measured again, with barriers."""
        attempts = [point["attempts"] for point in ended.points]
        attempts += [p["derived"]["lost_in_slots"] for p in ended.points if "start_fell_back" in p["flags"]]
        return sum(attempts) + 4 * len(attempts)

    @harness.not_quick
    def test_40_the_flag_is_1_in_runs_and_0_outside(self):
        for start in ("slot", "barrier", "roundtime"):
            ended, counts = self.broadcasts("--settle", "off", "--retry", 0, "-z", start, "-R", 24, "-X", 1, "Bcast")
            runs = self.runs(ended)
            self.assertEqual([inside for _, inside in counts], [runs, runs], start)
            self.assertGreater(min(outside for outside, _ in counts), 10)

    def test_40_the_flag_in_a_loop_without_synchronisation(self):
        _, counts = self.broadcasts("-z", "nosync", "-R", 50, "-X", 1, "Bcast")
        self.assertEqual([inside for _, inside in counts], [51, 51])

    def test_40_verification_uses_the_measured_operation(self):
        ended, counts = self.broadcasts("--settle", "off", "-z", "barrier", "-R", 12, "-x", 8, "-X", 8, "--verify", "Bcast")
        runs = self.runs(ended)
        self.assertEqual([inside for _, inside in counts], [runs + 1, runs + 1])

    # Plugins.

    @unittest.skipUnless(PLUGINS, "the examples are not built")
    def test_tests_of_plugins_are_listed_like_other_tests(self):
        self.assertEqual([line.split()[0] for line in self.run_it(*RING, "-q", record=False).out.splitlines()][-2:],
                         ["RingAllreduce", "BinomialBcast"])
        listed = self.run_it(*RING, "--list", "-X", 1, "ringallreduce", "BINOMIALBCAST", record=False)
        self.assertEqual(listed.out.splitlines(),
                         ["RingAllreduce ranks=2 count=1 bytes=8", "BinomialBcast ranks=2 count=1 bytes=1"])
        self.assert_usage(*RING, "--root", 5, "BinomialBcast", names=["--root"])

    @unittest.skipUnless(PLUGINS, "the examples are not built")
    @harness.not_quick
    def test_plugins_are_measured_on_1_2_and_3_processes(self):
        ended = self.measure("-z", "barrier", *RING, "-E", 2, "-p", 1, "-g", 1, "-x", 0, "-X", 10, "-s", 5,
                             "RingAllreduce", "BinomialBcast", "--verify", ranks=3)
        self.assertEqual([line for line in ended.warnings() if "cannot check" in line], [])
        self.assertEqual([(p["benchmark"], p["at"]["ranks"], p["at"]["count"]) for p in ended.points],
                         [(b, n, c) for b in ("RingAllreduce", "BinomialBcast") for n in (1, 2, 3) for c in (0, 5, 10)])
        self.assertEqual(ended.run["options"]["plugins"], PLUGINS)
        for point in ended.points:
            self.assertGreater(point["value"], 0)
            self.assertGreater(point["correction"], 0)

    @unittest.skipUnless(PLUGINS, "the examples are not built")
    def test_plugins_support_cold_buffers_and_rotating_roots(self):
        ended = self.measure("-z", "barrier", *RING, "-d", "--max-mem", "1MiB", "--rotate-root", "-E", 20, "-X", 1,
                             "BinomialBcast")
        self.assertGreater(ended.points[0]["derived"]["footprint"]["blocks"], 8)

    @harness.not_quick
    def test_unusable_plugins_are_refused(self):
        self.assert_usage("--plugin", "nosuch.so", "Bcast", names=["--plugin nosuch.so", "No such file"])
        self.assert_usage("--plugin", PMPI, "Bcast", names=[PMPI, "mpiperf_plugin_version"])
        for oddity, names in (("version", ["version 99", "version 1"]), ("clash", ["BCAST", "already"]),
                              ("refuses", ["rank 1", "42"]), ("differs", ["rank 1", "Even"])):
            self.assert_usage("--plugin", ODD, "Barrier", names=names, environment={"MPIPERF_ODD": oddity},
                              ranks=2 if names[0] == "rank 1" else 0)

    @harness.not_quick
    def test_a_test_of_a_plugin_can_have_its_own_counts(self):
        ended = self.measure("-z", "barrier", "--plugin", ODD, "odd:2,9", environment={"MPIPERF_ODD": ""})
        self.assertEqual([(p["benchmark"], p["at"]["count"]) for p in ended.points], [("Odd", 2), ("Odd", 9)])

    def odd(self, oddity, *arguments):
        return self.run_it("-z", "barrier", "--retry", 0, "--plugin", ODD, "-X", 2, *arguments, "Odd",
                           environment={"MPIPERF_ODD": oddity})

    def test_a_failing_init_ends_the_run_with_its_message(self):
        ended = self.odd("init")
        self.assertEqual((ended.code, len(ended.errors())), (1, 1), ended.err)
        self.assertIn("Odd: init failed: no luck today", ended.err[0])

    def test_an_init_without_memory_skips_the_point(self):
        ended = self.odd("memory")
        self.assertEqual(ended.code, 4, ended.err)
        self.assertEqual(["no_memory" in point["flags"] for point in ended.points], [False, True])

    @harness.not_quick
    def test_invalid_sizes_on_one_process_leave_no_other_waiting(self):
        ended = self.odd("lopsided")
        self.assertEqual((ended.code, len(ended.errors())), (2, 1), ended.err)
        self.assertIn("Odd: buffer sizes of -1 and 0 bytes are not valid", ended.errors()[0])
        ended = self.odd("hungry")
        self.assertEqual(ended.code, 4, ended.err)
        self.assertEqual(["no_memory" in point["flags"] for point in ended.points], [True, True])

    def test_exceptions_invalidate_runs(self):
        ended = self.odd("run", "-R", 16)
        self.assertEqual(ended.code, 1)
        for point in ended.points:
            self.assertEqual((point["status"], point["invalid"]), ("crashed", {"failed": 16}))

    def test_a_wrong_result_leaves_no_value(self):
        ended = self.odd("wrong")
        self.assertEqual(ended.code, 3)
        for point in ended.points:
            self.assertEqual((point["status"], point["value"]), ("crashed", None))
            self.assertIn("Odd gives a wrong result", point["message"])

    # Logs.

    def lines(self, path):
        lines = path.read_text().splitlines()
        for line in lines:
            self.assertRegex(line, LOG_LINE)
        self.assertEqual(lines, sorted(lines, key=lambda line: line[:29]))
        return [line[31:] for line in lines]

    def test_each_process_writes_a_log(self):
        path = self.folder / "log"
        ended = self.measure("--settle", "off", "-l", path, "-o", self.folder / "ranks", "--raw", "-X", 2, "Bcast")
        valid = [[f"run {i + 1}" for i, s in enumerate(p["samples"]) if s["invalid"] is None] for p in ended.points]
        for rank in (0, 1):
            lines = self.lines(path.with_suffix(f".{rank}"))
            self.assertEqual(lines[0], f"log opened by process {rank} of 2; times are UTC")
            self.assertEqual(lines[-1], "log closed")
            for text in ("timer mpi_wtime, ", "test Bcast ranks=2 count=2 bytes=2 begins", "pool of 1 block, ",
                         "clocks synchronised by linear in ", "local offset ", "broadcast bound ",
                         "end of warm-up: 4 runs, ", "slot length ", "end of stage 1: 8 runs, ",
                         "test Bcast ranks=2 count=2 bytes=2 ends"):
                self.assertTrue(any(line.startswith(text) for line in lines), (text, lines))
        logged = [line for line in self.lines(path.with_suffix(".0")) if re.match(r"run \d+: ", line)]
        self.assertEqual([line.split(":")[0] for line in logged], sum(valid, []))
        times = [s["time"] for p in ended.points for s in p["samples"] if s["invalid"] is None]
        for line, time in zip(logged, times):
            self.assertAlmostEqual(float(line.split()[2]), time * 1e6, delta=0.00051)
        slots = [float(match[1]) for match in re.finditer(r"slot length .*?([\d.]+) us$",
                                                          path.with_suffix(".0").read_text(), re.MULTILINE)]
        lengths = []
        for point in ended.points:
            lengths += [b for a, b in zip([None, *point["derived"]["slot_lengths"]], point["derived"]["slot_lengths"])
                        if a != b]
        self.assertEqual(len(slots), len(lengths))
        for logged, length in zip(slots, lengths):
            self.assertAlmostEqual(logged, length * 1e6, delta=0.00051)

    def test_only_the_master_writes_a_log(self):
        self.measure("-l", "log", "-m", "-z", "barrier", "-X", 1, "Bcast", cwd=self.folder)
        self.assertEqual(sorted(path.name for path in self.folder.glob("log*")), ["log.0"])
        self.assertIn("end of stage 1: 8 runs, 0 invalid", "\n".join(self.lines(self.folder / "log.0")))

    def test_unusable_log_files_are_refused(self):
        self.assert_usage("-l", "/nonexistent/log", "Bcast", names=["/nonexistent/log.0"])
        self.assert_usage("-l", f"{self.folder}/", "Bcast", names=["-l", "is a directory"])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_log_on_a_full_disk_ends_the_run_on_all_ranks(self):
        (self.folder / "log.1").symlink_to("/dev/full")
        ended = self.run_it("-l", self.folder / "log", "-X", 2, "-R", 16, "Bcast")
        self.assertEqual((ended.code, len(ended.err)), (1, 1), ended.err)
        self.assertIn("log.1': No space left", ended.err[0])
        self.assertEqual((ended.end["status"], ended.end["exit_code"]), ("failed", 1))

    @slow
    @plain
    def test_a_killed_run_leaves_a_readable_log(self):
        path = self.folder / "log"
        process = self.launch(MPIPERF, "-l", path, "--retry", 0, "-z", "barrier", "-X", "1MiB", "-s", 1, "Allreduce")
        self.wait_for(lambda: self.json.exists() and self.json.read_text().count("\n") >= 5, "no points")
        process.kill()
        process.communicate(timeout=LIMIT)
        # The fourth point is in the record, so the third one must have ended in the log, too.
        self.assertTrue(any(line.startswith("test Allreduce ranks=2 count=3 bytes=24 ends: ")
                            for line in self.lines(path.with_suffix(".0"))))

    @slow
    @plain
    def test_an_interrupted_run_logs_its_last_point(self):
        path = self.folder / "log"
        process = self.launch(MPIPERF, "-l", path, "--retry", 0, "-z", "barrier", "-X", "1MiB", "-s", 1, "Allreduce")
        self.wait_for(lambda: self.json.exists() and self.json.read_text().count("\n") >= 2, "no points")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
        tests = [line.split()[-1] for line in self.lines(path.with_suffix(".0")) if line.startswith("test ")]
        # The signal takes effect within a point or between two points.
        self.assertEqual(len(tests) - tests.count("begins"), self.json.read_text().count('"record":"point"'))
        self.assertIn(tests.count("begins") - len(tests) // 2, (0, 1))

    # Configuration.

    def config(self, *lines):
        path = self.folder / "mpiperf.conf"
        path.write_text("\n".join(lines) + "\n")
        return path

    def test_options_on_the_command_line_override_those_in_a_file(self):
        path = self.config("# doubles", "min-count = 4", "  max-count=8 # and not more", "", "no-trim = true",
                           "cold = false", "start = barrier", "timer = monotonic", "valid-runs = 3")
        ended = self.measure("--config", path, "-X", 16, "--timer", "monotonic_raw", "Bcast")
        self.assertEqual([point["at"]["count"] for point in ended.points], [4, 8, 16])
        options = ended.run["options"]
        self.assertEqual((options["trim"], options["cold"], options["start"], options["valid_runs"]),
                         (0, False, "barrier", 3))
        self.assertEqual(ended.run["timer"]["name"], "monotonic_raw")

    def test_a_report_does_not_overwrite_the_configuration(self):
        path = self.config("max-count = 4")
        for option in "-o", "--json":
            self.assert_usage("--config", path, option, f"{self.folder}/./{path.name}", "Bcast",
                              names=[option, "--config"])
        self.assertEqual(path.read_text().strip(), "max-count = 4")

    def test_a_missing_configuration_is_refused(self):
        self.assert_usage("--config", "/nonexistent/x", "Bcast", names=["/nonexistent/x"])


if __name__ == "__main__":
    harness.main([word for word in sys.argv[7:] if not word.endswith(".so")])
