#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure from outside: merging records of several launches, and launching a program several times.

usage: measure_test.py MEASURE MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]

YIELD_HELPER is preloaded by the launcher if ranks may share cores; empty: not needed.
"""
import json
import math
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys

import harness
from harness import LIMIT, plain, slow

MEASURE, MPIPERF = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
harness.ProgramTest.tools(*sys.argv[3:6])

RUN = {"record": "run", "schema": 2, "suite": "own", "program": "halo", "version": "0.1.0", "command": ["halo"],
       "started": "2025-01-31T10:00:00Z", "mpi": {"library": "MPICH 4.0.2", "standard": "4.0"}, "ranks": 2,
       "hosts": [{"name": "node1", "ranks": "0-1", "cores": 2, "cpu": None}], "oversubscribed": False, "kernel": None,
       "clocksource": None, "governor": None, "compiler": "gcc",
       "timer": {"name": "tsc", "resolution": 1e-9, "overhead": 1e-8, "frequency": None}, "clock_sync": None,
       "options": {"seed": 1, "start": "slot", "shuffle": False}, "warnings": [], "fan_speed": 7}
END = {"record": "end", "status": "complete", "exit_code": 0, "elapsed": 1.0, "clock_sync_residual": None}

# Writes a record like a benchmark would: the number of the launch determines the time.
PROGRAM = """
import json, os, pathlib, signal, subprocess, sys, time
number = int(sys.argv[1])
out = pathlib.Path(sys.argv[sys.argv.index("--json") + 1])
print("a table of its own")
if "--fail" in sys.argv and number == 3:
    print("halo: error: the cat sat on the network", file=sys.stderr)
    sys.exit(7)
if f"--wait={number}" in sys.argv:
    if "--stubborn" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # A launcher's proxy has another session too.
    if "--proxy" in sys.argv:
        below = subprocess.Popen(["sleep", "300"], start_new_session=True)
        pathlib.Path("below").write_text(str(below.pid))
    out.write_text("begun")
    pathlib.Path("child").write_text(str(os.getpid()))
    time.sleep(300)
lines = json.loads(pathlib.Path("lines.json").read_text())[number - 1]
campaign, launch = os.environ["MEASURE_CAMPAIGN"].rsplit(":", 1)
lines[0]["campaign"] = {"id": campaign, "launch": int(launch)}
if "--nothing" not in sys.argv:
    out.write_text("".join(json.dumps(line) + "\\n" for line in lines))
sys.exit(4 if "--incomplete" in sys.argv else 0)
"""


def point(mean, median=None, size=8, error=0.25e-6, **more):
    median = mean if median is None else median
    estimate = {"mean": mean, "standard_error": error, "confidence": 0.95, "interval": None, "median": median,
                "median_interval": None, "min": median, "max": mean}
    return {"record": "point", "benchmark": "Bcast", "at": {"ranks": 2, "bytes": size}, "quantity": "time", "unit": "s",
            "value": mean, "status": "converged", "estimate": estimate, "attempts": 32, "valid": 30, "kept": 16,
            "invalid": {"late": 2}, "derived": {}, "flags": [], "elapsed": 0.5} | more


class MeasureTest(harness.ProgramTest):
    def run_it(self, *arguments, **keywords):
        process = self.launch(MEASURE, *arguments, ranks=0, **keywords)
        out, err = process.communicate(timeout=LIMIT)
        return harness.Ended(process.returncode, out, err, self.json)

    def file(self, name, *lines, torn=""):
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines) + torn)
        return path

    def launches(self, *points):
        """Writes a record file for each list of points."""
        return [self.file(f"{i}.jsonl", RUN, *those, END) for i, those in enumerate(points)]

    def refused(self, *arguments, text):
        ended = self.run_it(*arguments)
        self.assertEqual(ended.code, 2, ended.err)
        self.assertEqual(len(ended.err), 1, ended.err)
        self.assertIn(text, ended.err[0])
        self.assertFalse(self.json.exists())

    # ---- merge

    def test_launches_are_merged_in_the_order_of_their_times(self):
        # 1 .. 16 us, one after another: the medians of eight consecutive pairs are 1.5 .. 15.5 us.
        files = [self.file(f"{i}.jsonl", RUN | {"started": f"2026-01-31T12:00:{i:02}Z"}, point(i * 1e-6), END)
                 for i in range(1, 17)]
        ended = self.run_it("merge", *sorted(files))
        self.assertEqual((ended.code, ended.err), (0, []))
        low, high = ended.points[0]["estimate"]["median_interval"]
        self.assertAlmostEqual(low, 1.5e-6, delta=1e-12)
        self.assertAlmostEqual(high, 15.5e-6, delta=1e-12)
        self.assertEqual(ended.points[0]["derived"]["launch_medians"][-1], 16e-6)

    def test_launches_are_merged_point_by_point(self):
        means = [10e-6, 12e-6, 11e-6, 15e-6, 9e-6, 13e-6]
        medians = [10e-6, 11e-6, 11e-6, 12e-6, 9e-6, 14e-6]
        ended = self.run_it("merge", *self.launches(*[[point(*pair)] for pair in zip(means, medians)]))
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assert_valid(ended)
        (merged,) = ended.points
        self.assertEqual(merged["value"], 11e-6)
        self.assertEqual(merged["estimate"]["median_interval"], [9e-6, 14e-6])
        spread = statistics.stdev(means)
        self.assertAlmostEqual(merged["estimate"]["mean"], statistics.mean(means), delta=1e-15)
        self.assertAlmostEqual(merged["estimate"]["standard_error"], spread / math.sqrt(6), delta=1e-15)
        self.assertAlmostEqual(merged["derived"]["rse"], spread / statistics.mean(means) / math.sqrt(6), delta=1e-9)
        self.assertAlmostEqual(merged["derived"]["standard_error_within"], 0.25e-6 / math.sqrt(6), delta=1e-15)
        self.assertAlmostEqual(merged["derived"]["spread_ratio"], spread / 0.25e-6, delta=1e-9)
        self.assertEqual(merged["derived"]["launches"], means)
        self.assertEqual((merged["attempts"], merged["invalid"]), (192, {"late": 12}))
        heading, row = ended.out.splitlines()[1:]
        # Value, error and interval belong to the median: 68 % between the second and the fifth of six, 95 % between
        # all.
        self.assertAlmostEqual(merged["derived"]["median_error"], 1.0e-6, delta=1e-15)
        self.assertEqual(heading.split(), "benchmark ranks bytes launches median +- interval RSE spread".split())
        self.assertEqual(row.split()[:11], "Bcast 2 8 6 11.00 us 1.00 9.00 .. 14.00 9.09%".split())

    def test_the_run_line_is_that_of_the_first_launch(self):
        files = self.launches([point(1e-6)], [point(2e-6)])
        ended = self.run_it("merge", *files)
        self.assert_valid(ended)
        self.assertEqual(ended.run["command"], ["measure", "merge", *map(str, files), "--json", str(self.json)])
        self.assertEqual([ended.run[name] for name in ("suite", "program", "hosts", "fan_speed")],
                         ["own", "measure", RUN["hosts"], 7])
        self.assertEqual([launch["name"] for launch in ended.run["options"]["launches"]], list(map(str, files)))

    def test_files_may_hold_several_runs_and_be_torn(self):
        whole = self.file("whole", RUN, point(1e-6), END, RUN, point(3e-6), END)
        torn = self.file("torn", RUN, point(2e-6), torn='{"record":"point","bench')
        ended = self.run_it("merge", whole, torn)
        self.assertEqual((ended.code, ended.points[0]["value"]), (0, 2e-6))
        self.assertEqual(len(ended.warnings()), 1)
        self.assertIn("has no end line", ended.err[0])
        self.assertEqual([launch["name"] for launch in ended.run["options"]["launches"]],
                         [f"{whole}:1", f"{whole}:2", str(torn)])

    def test_a_record_of_another_schema_is_refused(self):
        for schema in (1, 3):
            other = self.file("other", RUN | {"schema": schema}, point(1e-6), END)
            self.refused("merge", other,
                         text=f"{other}:1:1: error: the record has schema {schema}, but only schema 2 is supported")

    def test_a_duplicate_run_counts_once(self):
        files = self.launches([point(1e-6), point(2e-6, size=64)], [point(3e-6), point(4e-6, size=64)])
        part = self.file("part", RUN, point(1e-6))
        ended = self.run_it("merge", part, *files, files[1])
        self.assertEqual((ended.code, len(ended.err)), (0, 1), ended.err)
        self.assertIn("is the same run as", ended.err[0])
        self.assertEqual([p["derived"]["launch_medians"] for p in ended.points], [[1e-6, 3e-6], [2e-6, 4e-6]])

    def test_merged_launches_are_not_merged_again(self):
        self.run_it("merge", *self.launches([point(1e-6)], [point(2e-6)]))
        merged = self.json.rename(self.folder / "merged")
        self.refused("merge", merged, text="is already merged from several launches")

    def test_costs_that_regions_measure_about_themselves_may_differ(self):
        def run(cost):
            return RUN | {"options": {"name": "jacobi", "empty_scope": cost, "scope_cost": 2 * cost}}
        ended = self.run_it("merge", self.file("a", run(1e-8), point(1e-6), END, run(2e-8), point(2e-6), END))
        self.assertEqual((ended.code, ended.err, len(ended.points)), (0, [], 1))

    def test_points_in_random_order_are_sorted(self):
        shuffled = RUN | {"options": RUN["options"] | {"shuffle": True}}
        first = self.file("a", shuffled, point(4e-6, size=64), point(1e-6, size=8), END)
        other = self.file("b", shuffled | {"options": shuffled["options"] | {"seed": 2}}, point(1e-6, size=8),
                          point(4e-6, size=64), END)
        ended = self.run_it("merge", first, other)
        self.assertEqual(ended.err, [])
        self.assertEqual([(p["at"]["bytes"], p["value"]) for p in ended.points], [(8, 1e-6), (64, 4e-6)])

    def start(self, name, tests, *points, campaign="monday", **options):
        """Returns a launch of mpiperf like those of `measure run`."""
        run = RUN | {"suite": "mpiperf", "program": "mpiperf", "campaign": {"id": campaign, "launch": 1},
                     "options": {"tests": tests, "shuffle": True} | options}
        return [run | {"started": f"2025-01-31T10:00:{name:02}Z"}, *points, END]

    def test_points_that_a_launch_did_not_plan_to_measure_are_not_missing(self):
        def sized(size, value=1e-6, **more):
            return point(value, **more) | {"at": {"ranks": 2, "count": size, "bytes": size}}
        first = self.start(1, ["Scan:8,64", "Bcast:8,64"], sized(64), sized(8), sized(64, benchmark="Scan"),
                           sized(8, benchmark="Scan"))
        ended = self.run_it("merge", self.file("a", *first, *self.start(2, ["Scan:8", "Bcast:64"],
                                                                        sized(8, benchmark="Scan"), sized(64))))
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertEqual([(p["benchmark"], p["at"]["bytes"]) for p in ended.points],
                         [("Scan", 8), ("Scan", 64), ("Bcast", 8), ("Bcast", 64)])
        self.assertEqual([(p["flags"], p.get("message")) for p in ended.points], [([], None)] * 4)
        # A test in the plan of a launch that has no point there is missing, as before.
        lost = self.start(2, ["Scan:8", "Bcast:8,64"], sized(8, benchmark="Scan"), sized(64))
        ended = self.run_it("merge", self.file("b", *first, *lost, *self.start(3, ["Bcast:64"], sized(64))))
        self.assertEqual(ended.code, 4)
        self.assertEqual([p["message"] for p in ended.points if p["flags"]], ["no value from 1 of 2 launches"])

    def test_two_sides_of_one_run_are_not_mixed(self):
        starts = self.start(1, ["Bcast:8"], point(1e-6), start="slot") + self.start(
            2, ["Bcast:8"], point(2e-6), campaign="monday-b", start="barrier")
        self.refused("merge", self.file("a", *starts),
                     text="(monday and monday-b are two sides of a run: compare them with measure compare --between "
                          "campaign)")

    def test_shown_rows_of_a_random_order_are_sorted(self):
        shuffled = RUN | {"options": RUN["options"] | {"shuffle": True}}
        points = [point(1e-6, benchmark=name, size=size) for name, size in
                  (("Scan", 64), ("Bcast", 16), ("Scan", 8), ("Bcast", 8))]
        rows = re.findall(r"(?m)^(Bcast|Scan) +(\d+)", self.run_it(self.file("a", shuffled, *points, END), record=False).out)
        self.assertEqual(rows, [("Bcast", "8"), ("Bcast", "16"), ("Scan", "8"), ("Scan", "64")])
        rows = re.findall(r"(?m)^(Bcast|Scan) +(\d+)", self.run_it(self.file("b", RUN, *points, END), record=False).out)
        self.assertEqual(rows, [("Scan", "64"), ("Bcast", "16"), ("Scan", "8"), ("Bcast", "8")])

    def test_a_point_missing_in_one_launch_is_flagged_and_makes_the_result_incomplete(self):
        ended = self.run_it("merge", *self.launches([point(1e-6), point(5e-6, size=16)], [point(3e-6)]))
        self.assertEqual(ended.code, 4)
        self.assert_valid(ended)
        self.assertEqual([round(p["value"], 12) for p in ended.points], [2e-6, 5e-6])
        self.assertEqual(ended.points[1]["flags"], ["missing_launches"])
        self.assertIn("no value from 1 of 2 launches", ended.out)
        self.assertIsNone(ended.points[1]["estimate"]["standard_error"])

    def test_launches_with_different_options_are_merged_only_on_request(self):
        first = self.file("a", RUN, point(1e-6), END)
        other = self.file("b", RUN | {"options": RUN["options"] | {"start": "barrier"}}, point(3e-6), END)
        self.refused("merge", first, other, text='differ in options.start: "slot" and "barrier"')
        ended = self.run_it("merge", "--mixed", first, other)
        self.assertEqual((ended.code, len(ended.warnings())), (0, 1))

    def test_launches_on_other_machines_are_merged_with_a_warning(self):
        first = self.file("a", RUN, point(1e-6), END)
        other = self.file("b", RUN | {"kernel": "Linux 7", "started": "2026-01-01T00:00:00Z"}, point(3e-6), END)
        ended = self.run_it("merge", "--join", first, other)
        self.assertEqual((ended.code, len(ended.warnings())), (0, 1))
        self.assertIn('differ in kernel: null and "Linux 7"', ended.err[0])
        self.assertEqual(self.run_it("merge", "--join", "--quiet", first, other).err, [])

    def test_launches_of_different_days_campaigns_and_settings_are_not_merged(self):
        def launch(name, **more):
            return self.file(name, RUN | more, point(1e-6), END)
        first = launch("a")
        self.refused("merge", first, launch("b", started="2025-11-30T10:00:00Z"), text="not started within 24 hours")
        self.assertEqual(self.run_it("merge", "--join", first, self.folder / "b").code, 0)
        self.json.unlink()
        one, other = (launch(f"s{x}", mpi_settings={"MPIR_CVAR_X": x}) for x in "12")
        self.refused("merge", "--join", one, other, text='differ in mpi_settings.MPIR_CVAR_X: "1" and "2"')

    def test_launches_that_disagree_are_flagged(self):
        ended = self.run_it("merge", *self.launches(*[[point(1e-6 + i * 1e-9)] for i in range(5)],
                                                      [point(16e-3)]))
        self.assertEqual(ended.points[0]["flags"], ["launches_disagree"])
        self.assertIn("[launches_disagree]", ended.out)
        self.assertAlmostEqual(ended.points[0]["value"], 1.0025e-6, delta=1e-12)

    def test_a_damaged_line_is_named(self):
        lines = [json.dumps(line) for line in (RUN, point(1e-6), point(2e-6, size=16), point(3e-6, size=32), END)]
        path = self.folder / "damaged"
        path.write_text("\n".join([*lines[:2], "x" + lines[2][1:], *lines[3:]]) + "\n")
        self.refused("merge", path, text=f"{path}:3:1: error: this line is broken")
        path.write_text("\n".join([lines[0], "a word of the launcher", *lines[1:]]) + "\n")
        ended = self.run_it("merge", path)
        self.assertEqual((ended.code, len(ended.points)), (0, 3))
        self.assertIn(f"{path}:2: this line is not a record: a word of the launcher", ended.err[0])

    def test_a_file_that_is_not_a_record_is_named(self):
        text = self.folder / "table.txt"
        text.write_text("bytes time\n8 1.0\n")
        self.refused("merge", text, text=f"{text}:1:1: error: this is not a record file")
        self.refused("merge", self.folder / "none", text="cannot read")

    def test_standard_input_is_read(self):
        (file,) = self.launches([point(1e-6)])
        with file.open("rb") as stream:
            ended = subprocess.run([MEASURE, "merge", "-", "--json", "-"], stdin=stream, capture_output=True, check=True)
        self.assertEqual(json.loads(ended.stdout.splitlines()[1])["value"], 1e-6)

    def test_an_input_is_never_overwritten(self):
        (file,) = self.launches([point(1e-6)])
        before = file.read_text()
        ended = self.run_it("merge", file, "--json", file, record=False)
        self.assertEqual((ended.code, file.read_text()), (2, before))

    # ---- launches

    def program(self, *times):
        self.file("halo.py").write_text(PROGRAM)
        self.file("lines.json").write_text(json.dumps([[RUN, point(time), END] for time in times]))
        return [sys.executable, "halo.py", "{}"]

    @harness.not_quick
    def test_a_program_is_launched_and_its_records_are_merged(self):
        kept = self.folder / "kept"
        ended = self.run_it("launches", "-n", "3", "--keep", kept, "--json", self.json, *self.program(1e-6, 5e-6, 2e-6),
                            record=False, cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assert_valid(ended)
        self.assertEqual((ended.points[0]["value"], ended.points[0]["derived"]["launches"]),
                         (2e-6, [1e-6, 5e-6, 2e-6]))
        self.assertNotIn("a table of its own", ended.out)
        self.assert_valid_file(kept)
        runs = [json.loads(line) for line in kept.read_text().splitlines() if '"run"' in line]
        self.assertEqual([run["campaign"]["launch"] for run in runs], [1, 2, 3])
        self.assertEqual(len({run["campaign"]["id"] for run in runs}), 1)
        self.assertEqual({launch["campaign"] for launch in ended.run["options"]["launches"]},
                         {runs[0]["campaign"]["id"]})
        self.assertNotIn("campaign", ended.run)
        again = self.run_it("merge", kept)
        self.assertEqual(again.points, ended.points)

    @harness.not_quick
    def test_a_failed_launch_is_named_with_its_exit_code_and_message(self):
        ended = self.run_it("launches", "-n", "3", "-o", self.json, "--", *self.program(1e-6, 3e-6, 9e-6), "--fail",
                            record=False, cwd=self.folder)
        self.assertEqual(ended.code, 1)
        self.assertEqual(ended.err[:2], ["halo: error: the cat sat on the network", "measure launches: warning: not all "
                                         "launches are complete; only 2 launches are merged"])
        self.assertEqual(len(ended.err), 3, ended.err)
        self.assertIn("launch 3 of 3 ended with exit code 7", ended.err[2])
        ended = self.run_it("launches", "-n", "2", "sleep", "1", record=False, cwd=self.folder)
        self.assertEqual((ended.code, ended.errors()), (1, [
            "measure launches: error: launch 1 of 2 ended with exit code 1: sleep 1 (the program may have rejected "
            "--json FILE, which is added to the command)"]))
        self.assert_valid(ended)
        self.assertEqual((round(ended.points[0]["value"], 12), ended.points[0]["derived"]["launches"]),
                         (2e-6, [1e-6, 3e-6]))
        self.assertEqual((ended.end["status"], ended.end["exit_code"]), ("failed", 1))

    @harness.not_quick
    def test_a_budget_determines_the_number_of_launches(self):
        program = self.program(1e-6, 2e-6, 3e-6, 4e-6)
        for options, launches in ((["--budget", "1ms"], 2), (["-n", "3", "--budget", "60min"], 3),
                                  (["-n", "1", "--budget", "60min"], 1)):
            ended = self.run_it("launches", *options, *program, record=False, cwd=self.folder)
            self.assertEqual((ended.code, ended.err), (0, []))
            lines = ended.out.splitlines()
            counted = "1 launch" if launches == 1 else f"{launches} launches"
            self.assertTrue(lines[0].startswith(f"# --budget: {counted} in "), lines)
            self.assertEqual(lines[1], f"# {counted} of halo")

    def test_an_incomplete_launch_counts_and_is_reported(self):
        ended = self.run_it("launches", "-n", "2", "--json", self.json, *self.program(1e-6, 3e-6), "--incomplete",
                            record=False, cwd=self.folder)
        self.assertEqual((ended.code, len(ended.warnings()), round(ended.points[0]["value"], 12)), (4, 2, 2e-6))

    def test_unwritable_outputs_are_refused_before_the_first_launch(self):
        for arguments, text in ((["-o", "/nonexistent/x", *self.program(1e-6)], "-o: cannot write '/nonexistent/x'"),
                                (["-o", "x", "--keep", "./x", *self.program(1e-6)], "--keep: './x' is the file of -o")):
            ended = self.run_it("launches", *arguments, record=False)
            self.assertEqual((ended.code, len(ended.err)), (2, 1), ended.err)
            self.assertIn(text, ended.err[0])

    def test_a_program_without_record_or_without_executable_is_an_error(self):
        ended = self.run_it("launches", *self.program(1e-6), "--nothing", record=False, cwd=self.folder)
        self.assertEqual(ended.code, 1)
        self.assertIn("left no record", ended.err[0])
        ended = self.run_it("launches", "/nonexistent/program", record=False)
        self.assertEqual(ended.code, 1)
        self.assertIn("exit code 127", ended.err[0])

    def begun(self, *arguments):
        """Returns measure launches and the process of its child, once the child waits."""
        process = self.launch(MEASURE, "launches", *arguments, ranks=0, record=False, cwd=self.folder,
                              environment={"TMPDIR": str(self.folder)})
        child = self.folder / "child"
        self.wait_for(lambda: child.exists() and child.read_text(), "the child has not begun")
        return process, int(child.read_text())

    @staticmethod
    def is_over(pid):
        """An orphan may stay a zombie, because no process may wait for it."""
        stat = pathlib.Path(f"/proc/{pid}/stat")
        try:
            return stat.read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            return True

    def test_an_interrupt_ends_the_child(self):
        process, pid = self.begun(*self.program(1e-6), "--wait=1")
        (folder,) = self.folder.glob("measure-launch.*")
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=LIMIT)
        self.assertEqual((process.returncode, err), (128 + signal.SIGTERM,
                                                     "measure launches: error: interrupted by SIGTERM\n"))
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)
        self.assertFalse(folder.exists())

    @harness.not_quick
    def test_an_interrupt_merges_the_complete_launches(self):
        process, _ = self.begun("-o", self.json, *self.program(1e-6, 3e-6, 9e-6), "--wait=3")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        self.assertEqual((ended.code, ended.err[-2:]),
                         (128 + signal.SIGINT, ["measure launches: warning: not all launches are complete; only 2 "
                                                "launches are merged",
                                                "measure launches: error: interrupted by SIGINT"]))
        self.assertTrue(ended.out.startswith("# 2 launches of halo\n"))
        self.assert_valid(ended)
        self.assertEqual(ended.points[0]["derived"]["launches"], [1e-6, 3e-6])
        self.assertEqual((ended.end["status"], ended.end["exit_code"]), ("interrupted", 130))

    def test_a_missing_folder_for_temporary_files_is_named(self):
        ended = self.run_it("launches", *self.program(1e-6), record=False, cwd=self.folder,
                            environment={"TMPDIR": "/nonexistent"})
        self.assertEqual((ended.code, len(ended.err)), (1, 1), ended.err)
        self.assertIn("cannot create a folder for temporary files: ", ended.err[0])
        self.assertIn(": check TMPDIR", ended.err[0])

    def launch_once_more(self):
        ended = self.run_it("launches", "-n", "1", *self.program(1e-6), record=False, cwd=self.folder,
                            environment={"TMPDIR": str(self.folder)})
        self.assertEqual((ended.code, ended.err), (0, []))

    @slow
    def test_a_killed_command_ends_its_child_and_the_next_run_removes_its_folder(self):
        for number, stays in ((signal.SIGKILL, 1), (signal.SIGPIPE, 0)):
            process, pid = self.begun(*self.program(1e-6), "--wait=1")
            (folder,) = self.folder.glob("measure-launch.*")
            process.send_signal(number)
            process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, -number)
            self.wait_for(lambda: self.is_over(pid), "the child still runs")
            self.assertEqual(list(self.folder.glob("measure-launch.*")), [folder] * stays)
            (self.folder / "child").unlink()
            self.launch_once_more()
            self.assertEqual(list(self.folder.glob("measure-launch.*")), [])

    @slow
    def test_the_folder_of_a_killed_command_stays_until_its_child_has_ended(self):
        process, pid = self.begun(*self.program(1e-6), "--wait=1", "--stubborn")
        (folder,) = self.folder.glob("measure-launch.*")
        process.kill()
        process.wait(timeout=LIMIT)
        self.launch_once_more()
        self.assertEqual(list(self.folder.glob("measure-launch.*")), [folder])
        os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=LIMIT)
        self.launch_once_more()
        self.assertEqual(list(self.folder.glob("measure-launch.*")), [])

    @slow
    def test_descendants_of_a_child_that_does_not_end_are_killed(self):
        process, pid = self.begun(*self.program(1e-6), "--wait=1", "--stubborn", "--proxy")
        below = int((self.folder / "below").read_text())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.wait_for(lambda: self.is_over(pid), "the child still runs")
        self.wait_for(lambda: self.is_over(below), "a process started by the child still runs")

    @plain
    @harness.not_quick
    def test_mpiperf_is_launched_and_its_records_are_merged(self):
        helper = ["env", "LD_PRELOAD=" + self.yield_helper] if self.yield_helper else []
        command = [self.launcher, "-n", "2", *helper, MPIPERF, "-X", "4", "--shuffle", "--seed", "{}", "-z", "barrier",
                   "-E", "8", "Barrier"]
        ended = self.run_it("launches", "-n", "2", "--keep", self.folder / "kept", "--json", self.json, *command,
                            record=False)
        self.assertEqual(ended.code, 0, ended.err)
        self.assert_valid(ended)
        self.assertEqual([p["at"]["count"] for p in ended.points], [1, 2, 4])
        runs = [json.loads(line) for line in (self.folder / "kept").read_text().splitlines() if '"run"' in line]
        self.assertEqual([run["campaign"]["launch"] for run in runs], [1, 2])
        self.assertEqual(runs[0]["mpi_settings"], runs[1]["mpi_settings"])
        self.assertLessEqual({"binding", "library_file"}, set(runs[0]["mpi_settings"]))
        self.assert_valid_file(self.folder / "kept")
        # Launches with a different MPI setting cannot be merged, even with --join.
        kept = self.folder / "other"
        self.run_it("launches", "-n", "1", "--keep", kept, "env", "MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD=7", *command,
                    record=False)
        self.json.unlink()
        self.refused("merge", "--join", self.folder / "kept", kept, text="MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD")
        self.assertEqual([launch["seed"] for launch in ended.run["options"]["launches"]], [1, 2])
        self.assertTrue(all(len(p["derived"]["launches"]) == 2 for p in ended.points))

    # ---- the program

    def test_documents_are_listed_and_described(self):
        listed = self.run_it("schema", record=False)
        self.assertEqual((listed.code, listed.err), (0, []))
        self.assertIn("guidelines      measure guidelines --json FILE\n", listed.out)
        schema = json.loads(self.run_it("schema", "guidelines", record=False).out)
        self.assertEqual(schema["properties"]["document"]["const"], "guidelines")
        table = self.run_it("schema", "guidelines", "--format", "md", record=False).out
        self.assertIn("| `checks[].left.time` | number | s | duration of one repetition: the median over launches |\n",
                      table)

    def test_an_unknown_document_is_one_error_line(self):
        for words, text in ((["guideline"], "unknown document 'guideline' (did you mean 'guidelines'?)"),
                            (["doctor", "pairs"], "only one document name is allowed"),
                            (["doctor", "--format", "x"], "--format")):
            ended = self.run_it("schema", *words, record=False)
            self.assertEqual((ended.code, len(ended.err), ended.out), (2, 1, ""), ended.err)
            self.assertIn(text, ended.err[0])

    def test_without_arguments_the_commands_are_listed(self):
        ended = self.run_it(record=False)
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertIn("\nCommands to measure:\n", ended.out)

    def test_a_folder_is_neither_a_command_nor_a_file(self):
        ended = self.run_it(self.folder, record=False)
        self.assertEqual((ended.code, ended.out), (2, ""))
        self.assertEqual(ended.err, [f"measure: error: '{self.folder}' is neither a command nor a file (see measure "
                                     "--help)"])

    # ---- show

    def test_a_file_is_shown_as_a_table(self):
        estimate = point(2e-6)["estimate"] | {"interval": [1.5e-6, 2.5e-6]}
        first = self.file("no suffix", RUN, point(2e-6, estimate=estimate, stop_reason="count"),
                          point(4e-6, size=64, flags=["trend"], status="exhausted", stop_reason="budget"),
                          point(None, size=96, status="no_valid_samples", estimate=None, flags=["trend"]), END)
        ended = self.run_it(first.name, record=False, cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertEqual(ended.out, """\
# no suffix: halo 0.1.0, MPICH 4.0.2, 2 ranks on node1 (2 cores),
#   2025-01-31T10:00:00Z
# all points: ranks=2
benchmark  bytes  value         +-  95 % interval   valid  stopped by         note
Bcast          8  2.000  us  0.250  1.500 .. 2.500  30/32  count
Bcast         64  4.000  us  0.250  -               30/32  exhausted: budget  a
Bcast         96      -          -  -               30/32  no_valid_samples   a
# a: trend
""")
        self.assertEqual(self.run_it("show", first.name, record=False, cwd=self.folder).out, ended.out)

    def test_an_interval_that_reaches_below_zero_is_shown_as_unknown(self):
        estimate = point(781e-9)["estimate"] | {"interval": [-1391.4e-9, 2953.5e-9], "standard_error": 0.04e-9}
        ended = self.run_it(self.file("few.jsonl", RUN, point(781e-9, estimate=estimate), END), record=False)
        self.assertEqual(ended.out.splitlines()[-1].split(), "Bcast 2 8 781.0 ns 0.04 - 30/32 converged".split())
        ended = self.run_it("report", "-o", "page.md", "--format", "markdown", "few.jsonl", record=False, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertNotIn("-1391", (self.folder / "page.md").read_text())

    def test_a_long_note_is_broken_into_lines(self):
        message = " ".join(f"word{i}" for i in range(30))
        crashed = point(None, size=96, status="no_valid_samples", estimate=None, message=message)
        ended = self.run_it(self.file("crashed.jsonl", RUN, crashed, END), record=False)
        notes = [line for line in ended.out.splitlines() if line.startswith(("# a: ", "#    "))]
        self.assertGreater(len(notes), 2)
        self.assertLessEqual(max(map(len, notes)), 80)
        self.assertEqual(" ".join(" ".join(notes).replace("#", " ").split()), "a: " + message)

    def test_points_with_the_same_flags_share_a_note(self):
        points = [point(1e-6, size=i, flags=["missing_launches"], message=f"no value from {i} of 9 launches")
                  for i in (1, 2, 3)]
        ended = self.run_it(self.file("merged.jsonl", RUN, *points, END), record=False)
        self.assertEqual([line for line in ended.out.splitlines() if line.startswith("# a")][-1],
                         "# a: missing_launches, no value from 1 of 9 launches, 2 other messages")

    def test_several_files_and_runs_are_shown_one_after_another(self):
        files = self.launches([point(1e-6)], [point(2e-6), {"record": "summary", "name": "b_eff", "value": 12.5,
                                                            "unit": "B/s", "derived": {}}])
        both = self.file("both.jsonl", RUN, point(3e-6), END, RUN)
        ended = self.run_it(*files, both, record=False)
        self.assertEqual((ended.code, len(ended.warnings())), (0, 1))
        parts = ended.out.split("\n\n")
        self.assertEqual([part.splitlines()[0].split(":")[0] for part in parts if part[0] == "#"],
                         [f"# {file}" for file in (*files, both, both)])
        self.assertIn("b_eff              12.5  B/s\n", ended.out)
        self.assertTrue(ended.out.endswith("# no points\n"))

    def test_points_can_be_selected_and_merged_ones_show_their_launches(self):
        self.run_it("merge", *self.launches([point(1e-6), point(4e-6, size=64)], [point(3e-6), point(4e-6, size=64)]))
        ended = self.run_it(self.json, "--filter", "bytes=8", record=False)
        self.assertEqual(ended.code, 0)
        heading, row = ended.out.splitlines()[-2:]
        self.assertEqual((heading.split()[7:], row.split()[:5]),
                         (["launches", "stopped", "by"], "Bcast 2 8 2.000 us".split()))
        self.assertEqual(row.split()[-2:], ["2", "converged"])

    # ---- regions

    def test_regions_are_shown_as_a_tree(self):
        def region(path, entries, totals, exclusives, **more):
            name = path.rsplit("/", 1)
            derived = {"name": name[-1], "entered_by": sum(total > 0 for total in totals)}
            if len(name) > 1:
                derived["parent"] = name[0]
            for key, times in (("total", totals), ("exclusive", exclusives)):
                derived[key] = {"min": min(times), "mean": sum(times) / len(times), "max": max(times)}
            # An interval of times with a negative lower end: a few long entries.
            estimate = point(1e-3)["estimate"] | {"interval": [-4e-6, 4e-4]}
            return point(1e-3, estimate=estimate) | {"benchmark": path, "at": {"ranks": 2}, "attempts": entries,
                                                     "derived": derived} | more
        # Rank 0 spends 6 ms in "solve", 1 ms of that in "solve/halo"; rank 1 spends 10 ms and 3 ms. Only rank 0 enters
        # "output", for the first time between the regions in "solve".
        run = RUN | {"suite": "regions", "program": "solver"}
        file = self.file("regions.jsonl", run,
                         region("solve", 2, [6e-3, 10e-3], [3e-3, 5e-3]),
                         region("solve/halo", 120, [1e-3, 3e-3], [1e-3, 3e-3], flags=["near_timer_floor"]),
                         region("output", 1, [4e-3, 0.0], [4e-3, 0.0]),
                         region("solve/sweep", 120, [2e-3, 2e-3], [2e-3, 2e-3]), END)
        ended = self.run_it("regions", file.name, record=False, cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertEqual(ended.out, """\
# regions.jsonl: solver 0.1.0, MPICH 4.0.2, 2 ranks on node1 (2 cores),
#   2025-01-31T10:00:00Z
# times in ms, means over all ranks; min, max: inclusive time of a rank;
#   share: of the total exclusive time, in %; imbalance: max / inclusive - 1, in %
region   entries  exclusive  share  inclusive    min     max  imbalance  ranks  note
solve          2      4.000   40.0      8.000  6.000  10.000       25.0
  halo       120      2.000   20.0      2.000  1.000   3.000       50.0         a
  sweep      120      2.000   20.0      2.000  2.000   2.000        0.0
output         1      2.000   20.0      2.000  0.000   4.000      100.0      1
# a: near_timer_floor
""")
        self.assertEqual(self.run_it(file.name, record=False, cwd=self.folder).out, ended.out)
        part = self.run_it("show", "--filter", "benchmark=solve/halo", file, record=False)
        self.assertIn("\nsolve/halo ", part.out)

    def test_a_file_without_regions_is_refused(self):
        ended = self.run_it("regions", self.file("a", RUN, point(1e-6), END), record=False)
        self.assertEqual((ended.code, len(ended.err), ended.out), (2, 1, ""))
        self.assertIn("a has no regions; set MEASURE_REGIONS=FILE", ended.err[0])

    def test_unreadable_input_is_one_error_line(self):
        for name, text in ((self.folder / "none.jsonl", "cannot read"), (self.file("other.json", {}), "'record' is missing")):
            ended = self.run_it(name, record=False)
            self.assertEqual((ended.code, len(ended.err), ended.out), (2, 1, ""))
            self.assertTrue(ended.err[0].startswith("measure show: "))
            self.assertIn(text, ended.err[0])


if __name__ == "__main__":
    harness.main(sys.argv[6:])
