#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure run and measure ab from outside, with a stand-in program of known times and with mpiperf.

usage: measure_run_test.py MEASURE MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER SLOW_MEMCPY STAND_IN
       [UNITTEST OPTIONS]

YIELD_HELPER is preloaded by the launcher if ranks may share cores; empty: not needed. SLOW_MEMCPY is built from
slow_memcpy.c, STAND_IN from stand_in.cpp, whose first lines describe what `ask` can request.
"""
import html
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import harness
from harness import LIMIT, figures, plain, slow

MEASURE, MPIPERF = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
SLOW_MEMCPY, STAND_IN = (str(pathlib.Path(path).resolve()) for path in sys.argv[6:8])
harness.ProgramTest.tools(*sys.argv[3:6])


class RunTest(harness.ProgramTest):
    def setUp(self):
        super().setUp()
        self.runs = self.folder / "runs"
        self.program = self.folder / "program" / "mpiperf"
        self.program.parent.mkdir()
        shutil.copy(STAND_IN, self.program)

    def begin(self, *arguments, command="run", launcher=("env",), environment=None):
        words = ["--folder", self.runs] if command == "run" else []
        named = "--program" in arguments or "--resume" in arguments
        words += ["--program", self.program] if command == "run" and not named else []
        # A resumed run uses its previous launcher.
        launched = [] if "--resume" in arguments or not launcher else ["--", *launcher]
        return self.launch(MEASURE, command, *words, *arguments, *launched, ranks=0,
                           record=False, environment=environment)

    def end_of(self, process):
        out, err = process.communicate(timeout=LIMIT)
        return harness.Ended(process.returncode, out, err, self.json)

    def run_it(self, *arguments, **keywords):
        return self.end_of(self.begin(*arguments, **keywords))

    def ask(self, **what):
        for name, text in what.items():
            (self.program.parent / name).write_text(text)

    def starts(self):
        path = self.program.parent / "starts"
        return path.read_text().splitlines() if path.exists() else []

    def records(self, name):
        lines = [json.loads(line) for line in (self.runs / name / "launches.jsonl").read_text().splitlines()]
        return [line for line in lines if line["record"] == "run"]

    def refused(self, *arguments, text, code=2, **keywords):
        ended = self.run_it(*arguments, **keywords)
        self.assertEqual((ended.code, len(ended.err)), (code, 1), ended.err)
        self.assertIn(text, ended.err[0])
        return ended

    # ---- results

    @slow
    def test_launches_that_agree_end_a_run_only_after_half_of_its_budget(self):
        # Consecutive launches may agree only because the machine stayed in one state.
        self.ask(step="0")
        begin = time.monotonic()
        ended = self.run_it("--name", "monday", "--calls", "Bcast", "--budget", "20s")
        self.assertGreater(time.monotonic() - begin, 9)
        self.assertIn("all points are known to +- 2 % within this run", ended.out)
        self.assertGreater(len(self.records("monday")), 6)

    @slow
    def test_a_run_ends_when_every_point_is_known(self):
        ended = self.run_it("--name", "monday")
        self.assertEqual((ended.code, ended.err), (0, []))
        lines = ended.out.splitlines()
        self.assertLessEqual(len(lines), 25)
        # Lines with paths may be longer.
        self.assertLessEqual(max(len(line) for line in lines if "/" not in line), 80)
        self.assertIn("MPICH 4.0.2, 2 ranks on node1 (CPU, 2 cores)", lines[0])
        (row,) = [line.split() for line in lines if line.startswith("Bcast")]
        self.assertRegex(row[1], r"^(1\.0\dus|9\d\dns)$")
        self.assertRegex(row[2], r"^0\.\d%$")
        self.assertIn("all points are known to +- 2 %", ended.out)
        for name in ("launches.jsonl", "merged.jsonl"):
            self.assert_valid_file(self.runs / "monday" / name)
        self.assertIn("<html", (self.runs / "monday" / "index.html").read_text())
        records = self.records("monday")
        numbers = [run["campaign"]["launch"] for run in records]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertGreaterEqual(len(numbers), 6)
        # Each launch has its own order, which its seed reproduces.
        for number, command in zip(numbers, (run["command"] for run in records)):
            self.assertIn("--shuffle", command)
            self.assertEqual(command[command.index("--seed") + 1], str(number))

    @harness.not_quick
    def test_the_second_run_is_compared_with_the_first(self):
        self.run_it("--name", "monday", "--calls", "Bcast,Scan,Allgather")
        same = self.run_it("--name", "tuesday", "--calls", "Bcast,Scan,Allgather")
        self.assertIn("Compared    with run monday", same.out)
        self.assertIn("no operation is slower or faster", same.out)
        self.ask(slow="Bcast 1.1")
        slower = self.run_it("--calls", "Bcast,Scan,Allgather", "--fail-on", "slower:5%")
        self.assertIn("with run tuesday", slower.out)
        self.assertRegex(slower.out, r"slower: Bcast \+(9\.\d|10) \((9|10)\.\.")
        self.assertNotIn("slower: Scan", slower.out)
        self.assertEqual((slower.code, len(slower.warnings())), (3, 1))
        chosen = self.run_it("--calls", "Bcast,Scan,Allgather", "--compare", "monday", "--fail-on", "faster")
        self.assertIn("with run monday", chosen.out)
        self.assertEqual(chosen.code, 0, chosen.err)
        self.assertNotIn("Compared", self.run_it("--calls", "Bcast", "--compare", "none").out)
        # Compared with the latest run that has these operations.
        self.assertIn("Compared", self.run_it("--calls", "Scan").out)
        other = self.run_it("--calls", "Gather")
        self.assertEqual((other.code, other.err), (0, []))
        self.assertNotIn("Compared", other.out)
        named = self.run_it("--calls", "Gather", "--compare", "monday")
        self.assertIn("no comparison: 'monday' has no point in common with this run", named.err[0])

    @slow
    def test_the_baseline_is_the_latest_run_with_all_points_and_the_same_settings(self):
        calls = ("--calls", "Bcast,Scan")
        self.run_it("--name", "full1", *calls)
        one = self.run_it("--name", "one", "--calls", "Bcast")
        self.assertIn("Compared    with run full1 of", one.out)
        self.run_it("--name", "sizes", *calls, "--sizes", "8,32")
        other = self.run_it("--name", "other", *calls, launcher=("env", "SIDE=other"))
        self.assertNotIn("Compared", other.out)
        self.assertIn("not compared: 3 earlier runs with other MPI settings", " ".join(other.out.split()))
        full2 = self.run_it("--name", "full2", *calls)
        self.assertIn("Compared    with run full1 of", full2.out)
        # If no run has all points, the one with most of them is used; operations without a baseline are counted.
        more = self.run_it("--name", "more", "--calls", "Bcast,Scan,Gather")
        text = " ".join(more.out.split())
        self.assertIn("Compared 2 of 3 operations with run full2 of", text)
        self.assertIn("no operation is slower or faster", text)
        # A run with other settings is used only if it is named.
        named = self.run_it("--name", "named", *calls, "--compare", "other")
        self.assertIn("with run other of", named.out)
        self.assertIn("SIDE", named.out)

    @slow
    def test_runs_are_listed_and_deleted(self):
        def kept(*words):
            return self.end_of(self.launch(MEASURE, "run", "--folder", self.runs, *words, ranks=0, record=False))

        self.assertIn("No runs in", kept("--list").out)
        for name in ("monday", "tuesday"):
            self.run_it("--name", name, "--calls", "Bcast")
        listed = kept("--list")
        self.assertEqual((listed.code, listed.err), (0, []))
        head, *rows = listed.out.splitlines()
        self.assertEqual(head.split(),
                         ["run", "started", "(UTC)", "launches", "operations", "ranks", "MPI", "library", "end"])
        self.assertEqual([row.split()[0] for row in rows], ["tuesday", "monday"])
        self.assertTrue(all(row.endswith(" complete") for row in rows), rows)
        self.assertEqual(kept("--delete", "monday,nosuch").code, 2)
        self.assertTrue((self.runs / "monday").exists())
        self.assertEqual(kept("--delete", "monday").code, 0)
        self.assertFalse((self.runs / "monday").exists())
        self.assertNotIn("monday", kept("--list").out)
        for words, text in ((("--list", "--calls", "Bcast"), "--list and --calls cannot be combined"),
                            (("--delete", "tuesday", "--", "env"), "--delete starts no program and takes no launcher")):
            refused = kept(*words)
            self.assertEqual((refused.code, len(refused.err)), (2, 1), refused.err)
            self.assertIn(text, refused.err[0])

    @slow
    def test_a_run_without_a_launch_deletes_no_foreign_files(self):
        # This folder is not a run.
        foreign = self.runs / "results" / "thesis.tex"
        foreign.parent.mkdir(parents=True)
        foreign.write_text("years")
        self.refused("--name", "results", launcher=("true",), text="launch 1 left no record", code=1)
        self.assertEqual(list(foreign.parent.iterdir()), [foreign])
        # A run whose folder was renamed: its launches still contain the old name.
        self.run_it("--name", "monday", "--calls", "Bcast")
        (self.runs / "monday").rename(self.runs / "tuesday")
        kept = (self.runs / "tuesday" / "launches.jsonl").read_bytes()
        self.ask(fail=" ".join(map(str, range(1, 99))))
        self.assertEqual(self.run_it("--resume", "tuesday").code, 1)
        self.assertEqual((self.runs / "tuesday" / "launches.jsonl").read_bytes(), kept)
        # A damaged run can be deleted.
        (self.runs / "tuesday" / "launches.jsonl").write_text("{broken\n")
        ended = self.end_of(self.launch(MEASURE, "run", "--folder", self.runs, "--delete", "tuesday", ranks=0,
                                        record=False))
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertFalse((self.runs / "tuesday").exists())

    @slow
    def test_a_gate_passes_only_if_every_comparison_is_decided(self):
        """Returns the table of docs/measure-run.md: situation, exit code and line."""
        page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "measure-run.md"
        rows = re.findall(r"^\| (.+?) \| ([034]) \| (?:`--fail-on: (.+?)`)? *\|$", page.read_text(), re.M)
        expected = {situation: (int(code), line) for situation, code, line in rows}
        found = {}

        def gate(situation, *words, **keywords):
            junit = self.folder / "junit.xml"
            ended = self.run_it("--fail-on", "slower", "--junit", junit, *words, **keywords)
            lines = [line.split("--fail-on: ")[1] for line in ended.err if "--fail-on: " in line]
            # Numbers differ between runs, so they are replaced.
            found[situation] = (ended.code, re.sub(r"[-+]?\d+\.\d+", "0.0", lines[0]) if lines else "")
            case = junit.read_text()
            self.assertEqual(case.count("<failure "), int(ended.code == 3), case)
            self.assertEqual(case.count("<error "), int(ended.code == 4), case)

        calls = ("--calls", "Bcast")
        gate("no earlier run has the same settings and a point in common", "--name", "first", *calls)
        gate("every operation is decided, and none is slower", *calls)
        self.ask(slow="Bcast 1.2")
        gate("an operation or one of its points is slower", *calls, "--compare", "first")
        self.ask(slow="Bcast 1.04")
        gate("an operation is unclear", *calls, "--compare", "first")
        self.ask(slow="Memcpy 1.3 Bcast 1.2")
        gate("the runs saw different states of the machine", *calls, "--compare", "first")
        self.ask(slow="")
        gate("a named run has no point in common", "--calls", "Gather", "--compare", "first")
        gate("an operation is not in the earlier run", "--calls", "Bcast,Scan", "--compare", "first")
        starts = self.runs / "first" / "launches.jsonl"
        lines = starts.read_text().splitlines(keepends=True)
        end = next(i for i, line in enumerate(lines) if json.loads(line)["record"] == "end")
        starts.write_text("".join(lines[:end + 1]))
        gate("a run has a single launch", *calls, "--compare", "first")
        numbers = {name: (code, re.sub(r"[-+]?\d+\.\d+", "0.0", line)) for name, (code, line) in expected.items()}
        self.assertEqual(found, {name: numbers.get(name) for name in found})
        self.assertEqual(set(numbers), set(found))

    @slow
    def test_last_skips_an_unfinished_run(self):
        self.run_it("--name", "monday", "--calls", "Bcast")
        self.ask(fail="3")
        self.assertEqual(self.run_it("--name", "tuesday", "--calls", "Bcast").code, 4)
        merged = self.runs / "tuesday" / "merged.jsonl"
        merged.write_text(merged.read_text().replace('"status":"complete"', '"status":"interrupted"'))
        self.ask(fail="")
        ended = self.run_it("--name", "wednesday", "--calls", "Bcast")
        self.assertIn("with run monday", ended.out)
        # A resumed run is compared with the runs before it.
        self.assertIn("with run monday", self.run_it("--resume", "wednesday").out)
        lost = self.run_it("--calls", "Gather", "--compare", "monday")
        self.assertEqual((lost.code, len(lost.err)), (4, 1))

    @slow
    def test_last_skips_a_run_with_fewer_than_six_usable_launches(self):
        self.ask(stall="4")
        self.run_it("--name", "monday", "--calls", "Bcast")
        kept = self.runs / "monday" / "launches.jsonl"
        lines = kept.read_text().splitlines(keepends=True)
        ends = [i for i, line in enumerate(lines) if json.loads(line)["record"] == "end"]
        kept.write_text("".join(lines[:ends[5] + 1]))
        self.assertEqual(self.complete("monday"), [1, 2, 3, 4, 5, 6])
        self.ask(stall="")
        ended = self.run_it("--name", "tuesday", "--calls", "Bcast")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertNotIn("Compared", ended.out)
        self.assertIn("with run monday", self.run_it("--calls", "Bcast", "--compare", "monday").out)

    @slow
    def test_a_damaged_file_of_another_run_does_not_spoil_this_one(self):
        for name in ("monday", "tuesday"):
            self.run_it("--name", name, "--calls", "Bcast")
        merged = self.runs / "tuesday" / "merged.jsonl"
        merged.write_text("{broken\n" + merged.read_text())
        ended = self.run_it("--name", "wednesday", "--calls", "Bcast")
        self.assertEqual((ended.code, len(ended.err)), (0, 1), ended.err)
        self.assertIn(f"warning: earlier run ignored, because a file is damaged: {merged}:1:", ended.err[0])
        self.assertIn("with run monday", ended.out)
        self.assertFalse(list((self.runs / "wednesday").glob("*.part")))
        # A baseline that is named is read before the first launch.
        (self.runs / "monday" / "launches.jsonl").write_text("{broken\n")
        before = len(self.starts())
        self.refused("--calls", "Bcast", "--compare", "monday", text="this line is broken")
        self.assertEqual(len(self.starts()), before)

    @slow
    def test_a_named_baseline_without_launches_is_reported(self):
        self.run_it("--name", "monday", "--calls", "Bcast")
        shutil.copytree(self.runs / "monday", self.runs / "copied")
        ended = self.run_it("--calls", "Bcast", "--compare", "copied")
        self.assertEqual((ended.code, len(ended.err)), (4, 1), ended.err)
        self.assertIn("warning: no comparison: run 'copied' has no complete launch whose campaign is 'copied'",
                      ended.err[0])
        self.assertNotIn("Compared", ended.out)

    @slow
    def test_a_run_with_a_damaged_command_is_not_resumed(self):
        self.run_it("--name", "monday", "--calls", "Bcast")
        command = self.runs / "monday" / "command"
        command.write_bytes(command.read_bytes()[:-1])
        before = len(self.starts())
        self.refused("--resume", "monday", text=f"'{command}' is damaged: its last word is incomplete")
        self.assertEqual(len(self.starts()), before)

    @slow
    def test_operations_without_a_size_are_in_the_first_column(self):
        ended = self.run_it("--calls", "Barrier")
        self.assertRegex(ended.out, r"\nBarrier +(1\.0\dus|99\dns)")

    @slow
    def test_a_changed_machine_is_named_before_mpi(self):
        self.run_it("--calls", "Bcast,Scan")
        self.ask(slow="Memcpy 1.3 Bcast 1.2")
        ended = self.run_it("--calls", "Bcast,Scan", "--fail-on", "slower")
        self.assertRegex(ended.out, r"memory copy \+(29|30)\.\d % CHANGED")
        self.assertIn("no comparison: the machine was never in the same state in both runs",
                      " ".join(ended.out.split()))
        self.assertEqual((ended.code, len(ended.err)), (4, 2), ended.err)
        self.assertRegex(ended.err[0],
                         "warning: --fail-on: (Bcast|Scan) is undecided: in the states that both sides share")
        (row,) = [line for line in ended.out.splitlines() if line.startswith("Bcast")]
        self.assertIn("machine +20", row)

    @harness.not_quick
    def test_values_belong_to_the_most_frequent_state_of_the_machine(self):
        self.ask(state="Cacheline 4 Bcast 2.5")
        ended = self.run_it("--name", "monday", "--calls", "Bcast,Scan", "--sizes", "8")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertRegex(ended.out,
                         r"(?m)^States +2: cache line (1\.00 us|999 ns|1 us) \(\d\d % of launches\), 4 us \(\d\d %\)")
        self.assertIn("second: Bcast x2.5, Scan x1.0", ended.out)
        self.assertIn("Trust       good\n", ended.out)
        (row,) = [line.split() for line in ended.out.splitlines() if line.startswith("Bcast")]
        self.assertRegex(row[1], r"^(1\.0\dus|9\d\dns)$")
        self.assertLess(float(row[2].rstrip("%!")), 2)
        self.assert_valid_file(self.runs / "monday" / "merged.jsonl")
        run, *points = [json.loads(line) for line in (self.runs / "monday" / "merged.jsonl").read_text().splitlines()]
        states = [launch["state"] for launch in run["options"]["launches"]]
        self.assertEqual(states, [2 if i % 3 == 0 else 1 for i in range(1, len(states) + 1)])
        self.assertEqual(run["machine_states"]["controls"], ["Cacheline"])
        (bcast,) = [point for point in points if point.get("benchmark") == "Bcast"]
        # The last launches omit points that are precise enough.
        derived = bcast["derived"]
        valued = [state for state, value in zip(states, derived["medians_in_all_states"]) if value is not None]
        self.assertEqual({state for state, value in zip(states, derived["launch_medians"]) if value is not None}, {1})
        (other,) = derived["other_states"]
        self.assertEqual((other["state"], other["launches"]), (2, valued.count(2)))
        self.assertAlmostEqual(other["value"] / bcast["value"], 2.5, delta=0.03)
        self.assertIn("The machine was in 2 states", (self.runs / "monday" / "index.html").read_text())
        # In another run the second state is the most frequent one: the comparison shows only the change of MPI.
        self.ask(state="Cacheline 0.25 Bcast 0.4", slow="Cacheline 4 Bcast 3")
        later = self.run_it("--name", "tuesday", "--calls", "Bcast,Scan", "--sizes", "8")
        self.assertRegex(later.out, r"slower: Bcast \+(19|20|21)[. ]")
        self.assertRegex(later.out, r"(?m)^Scan .*(same|unclear)")
        self.assertNotIn("CHANGED", later.out)
        # A state that did not occur in the other run.
        self.ask(state="", slow="Cacheline 16 Bcast 1.5")
        never = self.run_it("--calls", "Bcast,Scan", "--sizes", "8")
        self.assertRegex(never.out, r"(?m)^Bcast .* machine ")
        self.assertRegex(" ".join(never.out.split()), r"B has no launch with cache line 4(\.0\d)? us or ")
        self.assertIn("no comparison: the machine was never in the same state", " ".join(never.out.split()))

    @slow
    def test_a_launch_that_was_suspended_is_left_out(self):
        self.ask(stall="4")
        ended = self.run_it("--name", "monday", "--calls", "Bcast")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertIn("; 1 disturbed, 1 left out", " ".join(ended.out.split()))
        merged = [json.loads(line) for line in (self.runs / "monday" / "merged.jsonl").read_text().splitlines()]
        self.assertNotIn("launch 4", [launch["name"] for launch in merged[0]["options"]["launches"]])

    @slow
    def test_two_sides_are_launched_alternately(self):
        ended = self.run_it("--name", "both", "--calls", "Bcast,Scan", "--against", "env SIDE=slow")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertIn("Compared    B: 'env SIDE=slow', with A: the command unchanged\n", ended.out)
        self.assertIn("B is slower: Bcast +50 (", ended.out)
        self.assertRegex(ended.out, r"\n +8 B .* B over A\n")
        self.assertIn("differ in mpi_settings.SIDE", ended.out)
        sides = [run["campaign"]["id"] for run in self.records("both")]
        pairs = list(zip(sides[::2], sides[1::2]))
        self.assertEqual({frozenset(pair) for pair in pairs}, {frozenset(("both", "both-b"))})
        blocks = list(zip(pairs[::2], pairs[1::2]))
        self.assertGreaterEqual(len(blocks), 3)
        self.assertTrue(all(first == second[::-1] for first, second in blocks), "one side is first more often")
        archive = self.runs / "archive.sqlite"
        if archive.exists():
            listed = subprocess.run([MEASURE, "archive", "list", "-a", archive, "--json", "-"], capture_output=True,
                                    check=True).stdout
            sides = {run["label"]: run["program"] for run in json.loads(listed)["runs"]}
            self.assertEqual(set(sides), {"both", "both-other"})
            self.assertEqual(set(sides.values()), {run["program"] for run in self.records("both")})
            values = subprocess.run([MEASURE, "archive", "query", "-a", archive, "--json", "-", "benchmark=Bcast"],
                                    capture_output=True, check=True).stdout
            of_side = {point["label"]: point["value"] for point in json.loads(values)["points"]}
            self.assertGreater(of_side["both-other"], 1.4 * of_side["both"])
        # Later runs are compared with the plain side.
        self.assertIn("no operation is slower or faster", self.run_it("--calls", "Bcast,Scan").out)

    @slow
    def test_the_second_side_may_be_another_program(self):
        other = self.folder / "other" / "mpiperf"
        other.parent.mkdir()
        shutil.copy(self.program, other)
        (other.parent / "slow").write_text("Bcast 1.5")
        ended = self.run_it("--name", "both", "--calls", "Bcast,Scan", "--against-program", other)
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertIn("B is slower: Bcast +50 (", " ".join(ended.out.split()))
        self.assertNotRegex(ended.out, "(?m)^Scan .*(SLOWER|faster)")
        ours, theirs = self.starts(), (other.parent / "starts").read_text().splitlines()
        self.assertEqual({start.split(":")[0] for start in ours}, {"both"})
        self.assertEqual({start.split(":")[0] for start in theirs}, {"both-b"})

    def test_a_plan_launches_nothing_and_shows_every_command(self):
        ended = self.run_it("--plan", "--calls", "Bcast", "--sizes", "8,4k", "--against", "env SIDE=slow")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertEqual(ended.out.count("Each launch"), 2)
        self.assertIn(f"\nCheck       env {MEASURE} doctor --duration 500ms\n", ended.out)
        self.assertIn("\nBudget      at most 5 min: ", ended.out)
        self.assertIn("Bcast:8,4096 Memcpy:65536", ended.out)
        self.assertEqual(self.starts(), [])
        self.assertFalse(self.runs.exists())

    @slow
    def test_limits_are_written_and_checked(self):
        limits = self.folder / "limits"
        self.run_it("--calls", "Bcast", "--write-expect", limits)
        self.assertIn("node1: Bcast 8 = ", limits.read_text())
        self.assertEqual(self.run_it("--calls", "Bcast", "--expect", limits).code, 0)
        self.ask(slow="Bcast 1.3")
        ended = self.run_it("--calls", "Bcast", "--expect", limits)
        self.assertEqual((ended.code, len(ended.warnings())), (3, 4), ended.err)
        self.assertIn("--expect: Bcast 8 B takes 1.3 us", ended.err[0])

    @slow
    def test_a_run_with_poor_trust_writes_no_limits_and_says_so(self):
        limits = self.folder / "limits"
        self.ask(pause="4")
        words = ("--calls", "Bcast", "--budget", "20s", "--write-expect", limits)
        ended = self.run_it(*words)
        self.assertEqual(ended.code, 4)
        self.assertIn("--write-expect: no limits are written, because trust is poor: ", "".join(ended.err))
        self.assertFalse(limits.exists())
        ended = self.run_it(*words, "--force")
        self.assertEqual(ended.code, 4)
        self.assertIn("--write-expect: no limits are written, because no value has an interval", "".join(ended.err))
        self.assertRegex(limits.read_text(), "# no limit for Bcast 8: no interval is known\n")
        self.refused("--calls", "Bcast", "--expect", limits, text=f"--expect: '{limits}' contains no limit")

    @slow
    def test_a_point_is_measured_further_while_the_level_of_its_operation_changes(self):
        # Its median is precise after 17 launches, but the first three had another level.
        self.ask(early="Bcast 1.5 3", pause="0.2")
        self.run_it("--name", "monday", "--calls", "Bcast,Scan", "--precision", "1", "--budget", "20s")
        asked = [{word.partition(":")[0] for word in run["options"]["tests"]} for run in self.records("monday")]
        self.assertGreater(len(asked), 20)
        self.assertTrue(all("Bcast" in tests for tests in asked))
        self.assertNotIn("Scan", asked[-1])

    @slow
    def test_memory_and_files_are_reported_as_bandwidths(self):
        ended = self.run_it("--name", "monday", "--what", "memory,io", "--sizes", "64k")
        self.assertEqual((ended.code, ended.err), (0, []))
        # Two ranks with 64 KiB each in (1 + 6.55) us.
        for name in ("Mem_read", "Mem_write", "Mem_copy", "File_write", "File_read"):
            self.assertRegex(ended.out, rf"(?m)^{name} +17GB/s 0\.\d%")
        self.assertRegex(ended.out, r"(?m)^Mem_triad +\S+GB/s ")
        # The device is measured if it supports direct access.
        self.assertNotEqual("\nFile_write_direct " in ended.out, "does not support direct access" in ended.out)
        command = self.records("monday")[0]["command"]
        self.assertEqual(command[command.index("--scratch") + 1], str(self.runs))
        page = (self.runs / "monday" / "index.html").read_text()
        self.assertIn("bandwidth over size", page)
        again = self.run_it("--what", "io", "--sizes", "64k", "--io-folder", self.folder)
        self.assertIn("with run monday", again.out)
        self.refused("--what", "io", "--io-folder", self.folder / "none", text="is not a folder")

    @slow
    def test_overlap_is_reported_and_computing_has_no_row_of_its_own(self):
        ended = self.run_it("--name", "monday", "--calls", "Ibcast", "--sizes", "64k")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertIn("\nOverlap     Ibcast 64 KiB 90 % +- 0\n", ended.out)
        # (1 + 6.55) us.
        self.assertRegex(ended.out, r"(?m)^Ibcast +7\.5\dus 0\.\d%")
        command = self.records("monday")[0]["command"]
        self.assertEqual(command[command.index("-c") + 1], "2")
        merged = [json.loads(line) for line in (self.runs / "monday" / "merged.jsonl").read_text().splitlines()]
        self.assertEqual([line["benchmark"] for line in merged if line["record"] == "point"].count("Ibcast"), 1)
        again = self.run_it("--calls", "Ibcast", "--sizes", "64k")
        self.assertIn("no operation is slower or faster", again.out)

    @slow
    def test_progress_is_one_line_on_a_terminal_and_few_lines_in_a_pipe(self):
        self.ask(pause="0.3")
        ours, theirs = pty.openpty()
        words = [MEASURE, "run", "--folder", str(self.runs), "--program", str(self.program), "--calls", "Bcast,Scan",
                 "--precision", "0.01", "--budget", "20s"]
        begin = time.monotonic()
        piped = self.begin("--name", "piped", "--calls", "Bcast", "--precision", "0.01", "--budget", "20s")
        with subprocess.Popen([*words, "--name", "shown", "--", "env"], stdout=subprocess.DEVNULL,
                              stderr=theirs) as process:
            os.close(theirs)
            shown = b""
            while b"; worst " not in shown and (piece := os.read(ours, 4096)):
                shown += piece
            process.send_signal(signal.SIGINT)
        os.close(ours)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, shown)
        early, line = shown.decode().rsplit("\n", 1)
        self.assertRegex(early.split("\r")[-2],
                         r"measure run: \d+ launches of [\d.]+ s; they cannot detect differences below \S+ %$")
        self.assertEqual(early.splitlines()[0].split("\r")[-1], "measure run: env: checking the machine")
        self.assertEqual(early.count("\n"), 1, early)
        self.assertRegex(line.split("\r")[-1],
                         r"measure run: launch \d+ of \d+ \[#*-*\] \d+ s, \d+ s left; (Bcast|Scan) [\d.]+ [nu]s; worst ")
        first = piped.stderr.readline()
        piped.send_signal(signal.SIGINT)
        lines = [line for line in [first, *self.end_of(piped).err] if "launches done" in line]
        self.assertGreaterEqual(len(lines), 1, first)
        self.assertLessEqual(len(lines), (time.monotonic() - begin) / 2)
        self.assertNotIn("[", "".join(lines))

    @slow
    def test_a_comparison_without_power_says_so(self):
        calls = ("--calls", ",".join(f"Test{i}" for i in range(24)), "--sizes", "8")
        self.run_it(*calls)
        self.ask(slow="Test3 2")
        ended = self.run_it(*calls)
        # Every point is known after six launches.
        self.assertIn("6 launches of 24 operations cannot show a difference", ended.out)
        self.assertNotIn("SLOWER", ended.out)

    @slow
    def test_a_budget_too_small_for_a_comparison_is_reported_before_it_is_spent(self):
        self.ask(elapsed="20")
        ended = self.run_it("--name", "monday", "--budget", "20s", "--calls", "Bcast,Scan")
        # The budget allows the pilot only. Five launches per side would be needed, and a launch takes 20 s.
        self.assertEqual((ended.code, ended.err),
                         (0, ["measure run: warning: 3 launches of 2 operations cannot show a difference; "
                              "use --budget 2min or fewer --calls"]))
        # The time goes into starting the program, not into measuring, so no points are left out.
        self.assertNotIn("measured only in the pilot", " ".join(ended.out.split()))
        first, *_, last = self.records("monday")[:6]
        self.assertEqual(last["options"]["tests"], first["options"]["tests"])

    @slow
    def test_points_that_exceed_the_budget_are_measured_in_the_pilot_only(self):
        # Eight points, and three controls twice.
        self.ask(cost="1.1")
        ended = self.run_it("--name", "monday", "--budget", "20s", "--calls", "Bcast,Scan")
        self.assertRegex(" ".join(ended.out.split()),
                         r"[1-7] of 8 points were measured only in the pilot; the budget is too short for 6 launches "
                         "with all points")
        first, *_, last = self.records("monday")[:6]
        self.assertLess(len(" ".join(last["options"]["tests"])), len(" ".join(first["options"]["tests"])))

    @slow
    def test_the_launches_of_runs_can_be_compared_and_merged_by_hand(self):
        self.run_it("--name", "monday", "--calls", "Bcast,Scan")
        self.ask(slow="Bcast 1.1")
        self.run_it("--name", "tuesday", "--calls", "Bcast,Scan", "--against", "env SIDE=slow")
        a, b = (self.runs / name / "launches.jsonl" for name in ("monday", "tuesday"))
        asked = [run["options"]["valid_runs"] for run in self.records("monday")]
        self.assertGreater(len(set(asked)), 1, "all launches have the same options")
        measure = lambda *words: subprocess.run([MEASURE, *words], capture_output=True, text=True, check=False)
        joined = measure("merge", a)
        self.assertEqual((joined.returncode, joined.stderr), (0, ""))
        both = measure("compare", "--between", "campaign", b)
        self.assertEqual(both.returncode, 0, both.stderr)
        self.assertRegex(both.stdout, r"SLOWER +Bcast .* \+(49|50)\.\d ")
        mixed = measure("compare", a, b)
        self.assertEqual(mixed.returncode, 2)
        self.assertIn(f"'{b}': tuesday and tuesday-b are two sides of a run: compare them with measure compare "
                      "--between campaign", mixed.stderr)
        apart = measure("compare", "--by", "campaign", "--mixed", b, b)
        self.assertEqual(apart.returncode, 0, apart.stderr)
        self.ask(slow="Scan 1.2")
        self.run_it("--name", "wednesday", "--calls", "Bcast,Scan")
        two = measure("compare", a, self.runs / "wednesday" / "launches.jsonl")
        self.assertEqual(two.returncode, 0, two.stderr)
        self.assertRegex(two.stdout, r"SLOWER +Scan .* \+(19|20)\.\d ")

    def seen(self, page, width, height):
        """Returns the layout of a page in a window of that size: a frame, because windows have a minimum width."""
        look = """
          const frame = document.querySelector("iframe");
          const inner = frame.contentDocument;
          const is_seen = (element) => element.getClientRects().length && !element.closest("details:not([open])");
          const plots = [...inner.querySelectorAll("svg.plot")].filter(is_seen);
          const pixels = plots.flatMap((plot) => {
            const scale = plot.getBoundingClientRect().width / plot.viewBox.baseVal.width;
            return [...plot.querySelectorAll("text")].filter((text) => text.textContent.trim() && is_seen(text))
              .map((text) => parseFloat(frame.contentWindow.getComputedStyle(text).fontSize) * scale);
          });
          document.title = JSON.stringify({
            width: frame.contentWindow.innerWidth, needed: inner.documentElement.scrollWidth, plots: plots.length,
            number: inner.querySelector(".tiles .number").getBoundingClientRect().bottom,
            smallest: Math.min(...pixels)});
        """
        around = self.folder / "around.html"
        around.write_text(f'<title></title><iframe style="width:{width}px; height:{height}px; border:0" srcdoc="'
                          f'{html.escape(page.read_text())}"></iframe>'
                          f"<script>onload = () => {{ {look} }}</script>")
        done = harness.run_browser(around, "--window-size=1400,1000")
        title = re.search(r"<title>(\{.*?\})</title>", done.stdout)
        self.assertIsNotNone(title, done.stdout[-2000:])
        return json.loads(title[1])

    @slow
    @harness.browser
    def test_the_page_shows_the_results_on_a_desktop_and_on_a_phone(self):
        self.run_it("--name", "monday", "--what", "latency,bandwidth,collectives,memory")
        self.ask(slow="Bcast 1.1")
        self.run_it("--name", "tuesday", "--what", "latency,bandwidth,collectives,memory")
        for width, height in ((1280, 800), (390, 844)):
            with self.subTest(width):
                page = self.seen(self.runs / "tuesday" / "index.html", width, height)
                self.assertEqual(page["width"], width)
                self.assertLessEqual(page["needed"], width)
                self.assertLess(page["number"], height)
                # times, bandwidths, ratios
                self.assertEqual(page["plots"], 3)
                self.assertGreaterEqual(page["smallest"], 9)

    # ---- failures

    def test_wrong_arguments_are_refused_before_the_first_launch(self):
        good = self.folder / "good"
        good.write_text("node1: Bcast 8 = 1us -5% +5%\n")
        for arguments, text in ((["--resume", "never"], "no run 'never'"),
                                (["--expect", self.folder / "none"], "cannot read"),
                                (["--write-expect", "/nonexistent/x"], "--write-expect: cannot write"),
                                (["--expect", good, "--write-expect", good], "is an input"),
                                (["--plan", "--compare", "never"], "--compare: no run 'never'")):
            with self.subTest(arguments):
                self.refused(*arguments, text=text)
        self.refused(launcher=("/nonexistent/mpiexec",),
                     text="LAUNCHER: '/nonexistent/mpiexec' is not an executable program")
        self.assertEqual(self.starts(), [])

    def test_an_unwritable_folder_is_refused(self):
        (self.folder / "runs").write_text("a file")
        self.refused(text="cannot create the folder")
        self.assertEqual(self.starts(), [])

    @harness.not_quick
    def test_a_full_disk_leaves_the_complete_launches(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))
        words = [MEASURE, "run", "--folder", str(self.runs), "--name", "monday", "--program", str(self.program),
                 "--precision", "0.01", "--", "env"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        ended = self.end_of(process)
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("File too large", ended.errors()[-1])
        self.assertIn("Bcast", ended.out)
        kept = [json.loads(line) for line in (self.runs / "monday" / "launches.jsonl").read_text().splitlines()[:-1]]
        self.assertGreaterEqual(sum(line["record"] == "end" for line in kept), 2)

    @slow
    def test_a_name_can_be_used_once(self):
        self.run_it("--name", "monday", "--calls", "Bcast")
        before = (self.runs / "monday" / "launches.jsonl").read_bytes()
        self.refused("--name", "monday", text="run 'monday' already exists in")
        self.assertEqual((self.runs / "monday" / "launches.jsonl").read_bytes(), before)

    def test_a_missing_launcher_error_lists_the_names_that_were_searched(self):
        ended = subprocess.run([MEASURE, "run", "--folder", str(self.runs), "--program", str(self.program)], text=True,
                               capture_output=True, env=os.environ | {"PATH": str(self.folder)}, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(ended.stderr, "^measure run: error: no launcher found: none of .* is in PATH; pass one after --")

    def test_a_launcher_that_does_not_start_the_program_is_an_error(self):
        self.refused(launcher=("true",), text="launch 1 left no record", code=1)
        # No run folder is left.
        self.assertEqual([path.name for path in self.runs.iterdir()], [".failed.log"])
        self.refused("--resume", "last", text="no run in")

    @slow
    def test_a_crashed_launch_keeps_the_results_of_the_others(self):
        self.ask(fail="5")
        ended = self.run_it("--name", "monday", "--calls", "Bcast")
        self.assertEqual((ended.code, len(ended.err)), (4, 1), ended.err)
        self.assertIn("launch 5 ended with exit code 7: mpiperf: error: the cat sat on the network", ended.err[0])
        self.assertNotIn(5, [run["campaign"]["launch"] for run in self.records("monday")])
        self.assertIn("Bcast", ended.out)

    @slow
    def test_launches_that_keep_crashing_end_the_run_with_the_results_so_far(self):
        self.ask(fail=" ".join(map(str, range(8, 100))), slow="Bcast 1")
        ended = self.run_it("--name", "monday", "--precision", "0.01", "--calls", "Bcast")
        self.assertEqual(ended.code, 1)
        self.assertIn("the run ended early: launch 10 ended with exit code 7", ended.errors()[-1])
        self.assertEqual(len(self.records("monday")), 7)
        self.assertIn("Bcast", ended.out)

    @slow
    def test_a_launch_without_a_record_keeps_the_results_of_the_others(self):
        self.ask(nothing="4")
        ended = self.run_it("--name", "monday", "--calls", "Bcast")
        self.assertEqual((ended.code, len(ended.err)), (4, 1), ended.err)
        self.assertIn("warning: launch 4 left no record (--json FILE is added to the command)", ended.err[0])
        self.assertEqual(self.complete("monday")[:6], [1, 2, 3, 5, 6, 7])
        self.assertIn("\nBcast", ended.out)

    @slow
    def test_poor_trust_gives_an_exit_code_on_request(self):
        self.ask(attempts="64")
        warning = "measure run: warning: --strict: trust is poor: 75 % of the samples were invalid"
        for words, code, err in (((), 0, []), (("--strict",), 4, [warning])):
            with self.subTest(words):
                ended = self.run_it("--calls", "Bcast", "--compare", "none", *words)
                self.assertEqual((ended.code, ended.err), (code, err))
                self.assertIn("\nTrust       poor: 75 % of the samples were invalid", ended.out)
        self.ask(attempts="16")
        self.assertEqual(self.run_it("--calls", "Bcast", "--compare", "none", "--strict").code, 0)

    @slow
    def test_a_hanging_launch_is_ended(self):
        self.ask(hang="4")
        ended = self.run_it("--calls", "Bcast")
        self.assertEqual(ended.code, 4, ended.err)
        self.assertIn("launch 4 did not end within 10 s", ended.err[0])

    @slow
    def test_a_late_launch_is_repeated_with_a_longer_limit(self):
        # Both sides have such a launch.
        self.ask(hang="2")
        ended = self.run_it("--name", "both", "--calls", "Bcast", "--budget", "40s", "--against", "env SIDE=other")
        self.assertEqual(ended.code, 4, ended.err)
        self.assertEqual(sorted(line.split("warning: ")[-1] for line in ended.err if "did not end" in line),
                         ["launch 2 of A did not end within 10 s", "launch 2 of B did not end within 10 s"])
        self.assertGreaterEqual(len(self.complete("both")), 6)

    def test_several_processes_are_refused(self):
        for variables in ({"PMI_RANK": "0", "PMI_SIZE": "2"}, {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}):
            for words in (("run", "--plan"), ("ab", "--", "true", "--", "true")):
                with self.subTest(words=words, **variables):
                    ended = self.end_of(self.launch(MEASURE, *words, ranks=0, record=False, environment=variables))
                    self.assertEqual((ended.code, len(ended.err)), (2, 1), ended.err)
                    self.assertIn(f"error: 2 processes of 'measure {words[0]}' were started; start only one", ended.err[0])
        others = {"PMI_RANK": "1", "PMI_SIZE": "2"}
        ended = self.end_of(self.launch(MEASURE, "run", "--plan", ranks=0, record=False, environment=others))
        self.assertEqual((ended.code, ended.out, ended.err), (2, "", []))
        # A Slurm batch script has a rank but is a single process.
        alone = {"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}
        # The same holds for a command in the shell of `srun -n 2 --pty bash`.
        typed = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_PTY_PORT": "42249", "PMI_RANK": "0",
                 "PMI_SIZE": "2"}
        for variables in (alone, typed):
            self.assertEqual(self.run_it("--plan", "--calls", "Bcast", environment=variables).code, 0)

    @slow
    def test_an_interrupted_run_reports_its_results_and_can_be_resumed(self):
        self.ask(pause="0.3")
        for name, number in (("monday", signal.SIGINT), ("tuesday", signal.SIGKILL)):
            process = self.begin("--name", name, "--calls", "Bcast")
            kept = self.runs / name / "launches.jsonl"
            self.wait_for(lambda: kept.exists() and kept.read_text().count('"end"') >= 2, "no complete launch")
            process.send_signal(number)
            ended = self.end_of(process)
            if number == signal.SIGINT:
                self.assertEqual(ended.code, 128 + number, ended.err)
                self.assertIn("interrupted; continue with measure run --resume monday", ended.out)
                merged = json.loads((self.runs / name / "merged.jsonl").read_text().splitlines()[-1])
                self.assertEqual((merged["status"], merged["exit_code"]), ("interrupted", 130))
                self.assertIn("Bcast", ended.out)
            with kept.open("a") as file:
                file.write('{"record":"run","sch')
            before = len(self.records_of(kept))
            again = self.run_it("--resume", name if number == signal.SIGINT else "last")
            self.assertEqual(again.code, 0, again.err)
            launches = [run["campaign"]["launch"] for run in self.records(name)]
            self.assertEqual(len(launches), len(set(launches)))
            self.assertGreater(len(launches), before)
            self.assert_valid_file(kept)

    @slow
    def test_a_resumed_run_has_its_old_budget_or_a_new_one(self):
        self.ask(pause="0.3")
        process = self.begin("--name", "monday", "--calls", "Bcast", "--budget", "1min")
        self.wait_for(lambda: self.complete("monday"), "no complete launch")
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.end_of(process).code, 128 + signal.SIGINT)
        for words, budget in (([], 60), (["--budget", "5min"], 300)):
            with self.subTest(words=words):
                before = len(self.complete("monday"))
                ended = self.run_it("--resume", "monday", *words)
                self.assertEqual(ended.code, 0, ended.err)
                # The remaining budget when the first launch begins.
                asked = self.records("monday")[before]["command"]
                left = int(asked[asked.index("--time-budget") + 1].removesuffix("s"))
                self.assertTrue(budget - 30 < left < budget, left)

    @slow
    def test_a_run_interrupted_at_any_moment_loses_nothing_and_counts_nothing_twice(self):
        self.ask(pause="0.1")
        for number in (signal.SIGINT, signal.SIGKILL):
            names = [f"{number.name}-{i}" for i in range(10)]
            processes = [self.begin("--name", name, "--calls", "Bcast") for name in names]
            # Each run is interrupted after a given number of launches, half of them slightly later.
            left = list(enumerate(zip(names, processes)))
            while left:
                for i, (name, process) in list(left):
                    if process.poll() is not None or len(self.complete(name)) >= i // 2:
                        time.sleep(0.06 * (i % 2))
                        process.send_signal(number)
                        left.remove((i, (name, process)))
                time.sleep(0.01)
            for process in processes:
                ended = self.end_of(process)
                self.assertIn(ended.code, (0, 130, -number), ended.err)
                self.assertLessEqual(len(ended.errors()), 1, ended.err)
            kept = {name: self.complete(name) for name in names}
            self.assertGreater(len({len(starts) for starts in kept.values()}), 3, "too few different moments")
            # A run without a complete launch can be resumed, or begun again with the same name.
            begun = [(self.runs / name / "command").exists() and (kept[name] or i % 2 == 0)
                     for i, name in enumerate(names)]
            again = [self.begin("--resume", name) if resumes else self.begin("--name", name, "--calls", "Bcast")
                     for name, resumes in zip(names, begun)]
            for name, process in zip(names, again):
                ended = self.end_of(process)
                self.assertEqual(ended.code, 0, (name, ended.err))
                starts = self.complete(name)
                self.assertEqual(starts[:len(kept[name])], kept[name], "a launch was lost")
                self.assertEqual(len(starts), len(set(starts)))
                self.assertGreaterEqual(len(starts), 6)
                self.assertEqual(len(self.records(name)), len(starts))
                self.assert_valid_file(self.runs / name / "launches.jsonl")

    def complete(self, name):
        """Returns the numbers of the launches in a record that have an end."""
        path = self.runs / name / "launches.jsonl"
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        records = [json.loads(line) for line in lines if line.endswith("\n")]
        ends = sum(record["record"] == "end" for record in records)
        return [record["campaign"]["launch"] for record in records if record["record"] == "run"][:ends]

    @slow
    def test_on_a_full_disk_the_results_are_still_printed(self):
        self.runs.mkdir()
        with self.small(self.runs, "64k"):
            ended = self.run_it("--name", "monday", "--precision", "0.01")
            self.assertEqual(ended.code, 1, ended.err)
            self.assertEqual(len(ended.errors()), 1, ended.err)
            self.assertIn("No space left on device", ended.errors()[0])
            self.assertIn("\nBcast", ended.out)
            self.assertGreaterEqual(len(self.complete("monday")), 2)

    @slow
    def test_a_run_that_cannot_be_archived_is_kept(self):
        self.run_it("--calls", "Bcast", "--name", "monday")
        archive = self.runs / "archive.sqlite"
        if not archive.exists():
            self.skipTest("this build has no archives")
        archive.unlink()
        archive.mkdir()
        ended = self.run_it("--calls", "Bcast", "--name", "tuesday")
        self.assertEqual((ended.code, len(ended.err)), (4, 1), ended.err)
        self.assertIn("warning: not archived: ", ended.err[0])
        self.assertIn("with run monday", ended.out)
        self.assertIn("\nPage", ended.out)
        self.assertNotIn("\nArchive", ended.out)

    @slow
    def test_an_extended_run_is_in_the_archive_once(self):
        archive = lambda *words: subprocess.run([MEASURE, "archive", *words[:1], "-a", self.runs / "archive.sqlite",
                                                 *words[1:]], capture_output=True, text=True, check=False).stdout
        for name in ("monday", "tuesday"):
            self.run_it("--calls", "Bcast", "--name", name)
        if not (self.runs / "archive.sqlite").exists():
            self.skipTest("this build has no archives")
        (first,) = archive("list", "--ids", "label=monday").split()
        archive("mark", "--tag", "paper", "--note", "hot day", first)
        starts = len(self.complete("monday"))
        self.assertEqual(self.run_it("--resume", "monday").code, 0)
        self.assertGreater(len(self.complete("monday")), starts)
        runs = json.loads(archive("list", "--json", "-"))["runs"]
        self.assertEqual(sorted(run["label"] for run in runs), ["monday", "tuesday"])
        (again,) = [run for run in runs if run["label"] == "monday"]
        self.assertNotEqual(again["run"][:10], first)
        self.assertEqual((again["tags"], again["note"]), (["paper"], "hot day"))
        # A run with the same name but other launches is a different run. Launches are distinguished by their start in
        # seconds.
        shutil.rmtree(self.runs / "monday")
        time.sleep(1)
        self.run_it("--calls", "Bcast", "--name", "monday")
        self.assertEqual(len(archive("list", "--ids", "label=monday").split()), 2)

    def records_of(self, path):
        return [line for line in path.read_text().splitlines() if line.startswith('{"record": "run"')]

    @slow
    def test_a_first_launch_that_was_interrupted_in_its_first_line_is_ignored(self):
        for name, again in (("monday", ("--resume", "monday")), ("tuesday", ("--name", "tuesday", "--calls", "Bcast"))):
            with self.subTest(again):
                self.run_it("--name", name, "--calls", "Bcast")
                (self.runs / name / "merged.jsonl").unlink()
                kept = self.runs / name / "launches.jsonl"
                kept.write_text('{"record":"run","sch')
                ended = self.run_it(*again)
                self.assertEqual((ended.code, ended.err), (0, []))
                self.assertEqual(self.complete(name)[:3], [1, 2, 3])
                self.assert_valid_file(kept)

    @slow
    def test_two_processes_cannot_write_one_run(self):
        self.ask(pause="2")
        process = self.begin("--name", "monday", "--calls", "Bcast")
        self.wait_for((self.runs / "monday" / "launches.jsonl").exists, "no complete launch")
        self.refused("--resume", "monday", text="another run")
        self.assertEqual(self.end_of(process).code, 0)

    # ---- ab

    @harness.not_quick
    def test_two_commands_are_compared(self):
        ended = self.run_it("-n", "8", "--keep", self.folder / "kept", command="ab",
                            launcher=(self.program, "Bcast:8,64", "Scan:8", "--", "env", "SIDE=slow", self.program,
                                      "Bcast:8,64", "Scan:8"))
        self.assertEqual((ended.code, ended.err), (0, []))
        rows = [line for line in ended.out.splitlines() if line.startswith("SLOWER") and "Bcast" in line]
        self.assertGreaterEqual(len(rows), 1, ended.out)
        self.assertIn("50", rows[0])
        self.assertIn("'A' and 'B' differ in mpi_settings.SIDE: \"\" and \"slow\"", " ".join(ended.out.split()))
        self.assertLessEqual(max(len(line) for line in ended.out.splitlines() if line.startswith("#")), 80)
        self.assertFalse([line for line in ended.out.splitlines() if line.startswith("SLOWER") and "Scan" in line])
        for side in "ab":
            self.assert_valid_file(self.folder / f"kept-{side}.jsonl")
        sides = [line.split(":")[0][-1] for line in self.starts()]
        self.assertEqual(sorted(sides), ["a"] * 8 + ["b"] * 8)
        self.assertTrue(all(sides[i:i + 4] in (list("abba"), list("baab")) for i in range(0, 16, 4)), sides)

    @harness.not_quick
    def test_ab_counts_pairs_and_not_records(self):
        twice = self.folder / "twice"
        twice.write_text(f"""#!/bin/sh
for file; do :; done
'{self.program}' Bcast:8 --json "$file.1" && '{self.program}' Scan:8 --json "$file.2"
cat "$file.1" "$file.2" >"$file"
""")
        twice.chmod(0o755)
        ended = self.run_it("-n", "3", command="ab", launcher=(twice, "--", twice))
        self.assertEqual((ended.code, len(ended.err)), (0, 1), ended.err)
        self.assertIn("3 launches of 2 operations cannot show a difference", ended.err[0])

    @harness.not_quick
    def test_complete_pairs_are_compared_if_a_later_one_fails(self):
        sides = (self.program, "Bcast:8,64", "--", "env", "SIDE=slow", self.program, "Bcast:8,64")
        self.ask(fail="4")
        ended = self.run_it("-n", "8", command="ab", launcher=sides)
        self.assertEqual((ended.code, len(ended.err)), (1, 3), ended.err)
        self.assertIn("not all pairs are complete", ended.warnings()[0])
        self.assertIn("3 launches of 1 operation cannot show a difference", ended.warnings()[1])
        self.assertRegex(ended.errors()[0], "launch 4 of [AB] ended with exit code 7")
        self.assertRegex(ended.out, r"Bcast .* \+(49|50)\.\d ")
        # If no launch of a side succeeds, there is nothing to compare.
        self.ask(fail="1")
        ended = self.run_it("-n", "8", command="ab", launcher=sides)
        self.assertEqual((ended.code, len(ended.err)), (1, 1), ended.err)

    @harness.not_quick
    def test_another_separator_may_precede_the_first_command(self):
        for before in ((), ("@@",)):
            with self.subTest(before):
                commands = (self.program, "Bcast:8", "@@", self.program, "Bcast:8")
                ended = self.run_it("-n", "4", "--separator", "@@", *before, *commands, command="ab", launcher=())
                self.assertEqual((ended.code, ended.err), (0, []))

    def test_merged_output_requires_records(self):
        self.refused("-n", "1", command="ab", launcher=("true", "--", "true"), code=1,
                     text="left no record (--json FILE is added to the command) (use --wall for commands that write no")

    @harness.not_quick
    def test_commands_without_records_are_timed_as_a_whole(self):
        document = self.folder / "compared.json"
        sleeps = ("sleep", "0.1", "--", "sleep", "0.15")
        for wall in ([], ["--wall"]):
            with self.subTest(wall):
                ended = self.run_it("-n", "6", "--json", document, *wall, command="ab", launcher=sleeps)
                self.assertEqual((ended.code, len(ended.err)), (0, 0 if wall else 1), ended.err)
                if not wall:
                    self.assertIn("both commands are timed as a whole (--wall)", ended.err[0])
                self.assertRegex(ended.out.splitlines()[-1], r"^B is 1\.\d\d ± \d\.\d\d times slower than A$")
                (operation,) = json.loads(document.read_text())["operations"]
                self.assertEqual((operation["benchmark"], operation["verdict"]), ("wall_clock", "slower"))
                self.assertGreater(operation["ratio"], 1.2)

    @harness.not_quick
    def test_a_failing_command_is_not_timed(self):
        fails = ("sh", "-c", "exit 3")
        self.refused("-n", "6", command="ab", launcher=(*fails, "--", *fails), code=1, text="ended with exit code 3")
        self.refused("-n", "6", "--wall", command="ab", launcher=("true", "--", *fails), code=1,
                     text="launch 1 of B ended with exit code 3")
        # A command that fails once and then writes a record is not treated as one without records.
        once = self.folder / "once"
        once.write_text(f"#!/bin/sh\n[ -e '{once}.tried' ] || {{ touch '{once}.tried'; exit 3; }}\n"
                        f"exec '{self.program}' Bcast:8 \"$@\"\n")
        once.chmod(0o755)
        self.refused("-n", "6", command="ab", launcher=(once, "--", once), code=1, text="ended with exit code 3")
        self.refused("-n", "6", "--wall", "--keep", "kept", command="ab", launcher=("true", "--", "true"), code=2,
                     text="--keep and --wall cannot be combined: commands that are timed as a whole write no records")

    @slow
    @plain
    def test_other_programs_that_write_records_are_compared(self):
        programs = pathlib.Path(MPIPERF).parent.parent
        helper = ["env", "LD_PRELOAD=" + self.yield_helper] if self.yield_helper else []
        for suite, benchmark, *command in (
                ("cachebench", "read", programs / "cachebench/cachebench", "-r", "-N", "--size", "16k", "-d", "20ms"),
                ("pmb", "PingPong", self.launcher, "-n", 2, *helper, programs / "pmb/PMB-MPI1", "-iter", 200,
                 "-msgsize", 64, "PingPong")):
            with self.subTest(suite):
                kept = self.folder / suite
                ended = self.run_it("-n", 6, "--keep", kept, command="ab", launcher=(*command, "--", *command))
                self.assertEqual((ended.code, ended.errors()), (0, []), ended.err)
                self.assertRegex(ended.out, rf"(?m)^(SLOWER|faster|higher|lower|same|unclear) +{benchmark}\b")
                for side in "ab":
                    path = self.folder / f"{suite}-{side}.jsonl"
                    self.assert_valid_file(path)
                    lines = [json.loads(line) for line in path.read_text().splitlines()]
                    runs = [line for line in lines if line["record"] == "run"]
                    self.assertEqual([run["suite"] for run in runs], [suite] * 6)
                    self.assertEqual([run["campaign"]["launch"] for run in runs], list(range(1, 7)))
                    self.assertEqual([line["exit_code"] for line in lines if line["record"] == "end"], [0] * 6)

    # ---- real measurements

    @slow
    @plain
    def test_a_test_unknown_to_mpiperf_is_refused(self):
        self.program = pathlib.Path(MPIPERF)
        launcher = (self.launcher, "-n", "2")
        for plan in ((), ("--plan",)):
            self.refused(*plan, "--calls", "Bogus", launcher=launcher,
                         text="--calls: 'Bogus' is not a test; run mpiperf -q for the list")
            self.refused(*plan, "--calls", "alreduce", launcher=launcher, text="did you mean 'Allreduce'?")
        limits = self.folder / "limits"
        limits.write_text("*: Bcst 8 = 1us -5% +5%\n")
        self.refused("--calls", "Bcast", "--expect", str(limits), launcher=launcher,
                     text="--expect: 'Bcst' is not a test (did you mean 'Bcast'?); run mpiperf -q for the list")
        self.assertFalse(self.runs.exists())

    @slow
    @plain
    def test_test_names_are_case_insensitive(self):
        self.program = pathlib.Path(MPIPERF)
        plan = self.run_it("--plan", "--calls", "bcast,BCAST,file_read", "--io-folder", str(self.folder), "--sizes",
                           "64k", launcher=(self.launcher, "-n", "2"))
        self.assertEqual(plan.code, 0, plan.err)
        self.assertIn("Bcast:65536 File_read:65536 ", plan.out)

    @slow
    def test_mpiperf_is_measured(self):
        helper = ["env", "LD_PRELOAD=" + self.yield_helper] if self.yield_helper else []
        self.program = pathlib.Path(MPIPERF)
        begin = time.monotonic()
        ended = self.run_it("--budget", "20s", "--name", "real", "--sizes", "8,4k", "--calls", "Bcast,Barrier",
                            launcher=(self.launcher, "-n", "2", *helper))
        self.assertIn(ended.code, (0, 4), ended.err)
        self.assertLess(time.monotonic() - begin, 120)
        self.assert_valid_file(self.runs / "real" / "launches.jsonl")
        for name in ("Bcast", "Barrier", "Trust", "Launches"):
            self.assertIn("\n" + name, ended.out)

    @figures
    def test_a_run_takes_as_long_as_its_plan_says(self):
        self.program = pathlib.Path(MPIPERF)
        words = ("--budget", "20s", "--sizes", "8,4k", "--calls", "Bcast,Barrier", "--precision", "0.01")
        plan = self.run_it("--plan", *words, launcher=(self.launcher, "-n", "2"))
        self.assertIn("\nBudget      at most 20 s: ", plan.out)
        begin = time.monotonic()
        ended = self.run_it(*words, launcher=(self.launcher, "-n", "2"))
        self.assertIn(ended.code, (0, 4), ended.err)
        self.assertAlmostEqual(time.monotonic() - begin, 20, delta=0.3 * 20)

    @slow
    @plain
    def test_a_slower_memory_copy_is_attributed_to_the_machine_and_not_to_mpi(self):
        self.program = pathlib.Path(MPIPERF)
        for name, preloaded in (("plain", []), ("slow", [SLOW_MEMCPY])):
            libraries = ":".join(filter(None, [self.yield_helper, *preloaded]))
            helper = ["env", "LD_PRELOAD=" + libraries] if libraries else []
            # A run with another preloaded library is compared only if the baseline is named.
            compared = ["--compare", "plain"] if preloaded else []
            ended = self.run_it("--budget", "20s", "--sizes", "8", "--calls", "Bcast", "--precision", "50",
                                "--name", name, *compared, launcher=(self.launcher, "-n", "2", *helper))
            self.assertIn(ended.code, (0, 4), ended.err)
        # A memory copy is three times slower. Two short runs may have no state of the machine in common, or too few
        # launches of one; then the result names the missing state.
        change = re.search(r"memory copy \+([\d.]+) %( CHANGED)?", ended.out)
        self.assertIsNotNone(change, ended.out)
        self.assertGreater(float(change[1]), 50)
        is_state_missing = re.search(r"\b[AB] has no launch with", " ".join(ended.out.split()))
        self.assertTrue(change[2] or is_state_missing, ended.out)
        (row,) = [line for line in ended.out.splitlines() if line.startswith("Bcast")]
        self.assertNotRegex(row, "SLOWER|faster")


if __name__ == "__main__":
    harness.main(sys.argv[8:])
