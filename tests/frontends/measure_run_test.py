#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure run and measure ab from outside: starts of a program with known times, and of mpiperf.

usage: measure_run_test.py MEASURE MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER SLOW_MEMCPY STAND_IN
       [UNITTEST OPTIONS]

YIELD_HELPER is what the launcher preloads where ranks may share cores; empty: nothing is needed. SLOW_MEMCPY is built
from slow_memcpy.c, STAND_IN from stand_in.cpp, whose first lines say what `ask` can ask it for.
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
        # What is gone on with has its launcher.
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
        lines = [json.loads(line) for line in (self.runs / name / "starts.jsonl").read_text().splitlines()]
        return [line for line in lines if line["record"] == "run"]

    def refused(self, *arguments, text, code=2, **keywords):
        ended = self.run_it(*arguments, **keywords)
        self.assertEqual((ended.code, len(ended.err)), (code, 1), ended.err)
        self.assertIn(text, ended.err[0])
        return ended

    # ---- what is seen

    @slow
    def test_starts_that_agree_end_a_run_only_after_half_of_its_budget(self):
        # Successive starts agree because the machine has been in one state.
        self.ask(step="0")
        begin = time.monotonic()
        ended = self.run_it("--name", "monday", "--calls", "Bcast", "--budget", "20s")
        self.assertGreater(time.monotonic() - begin, 9)
        self.assertIn("every point is known to +- 2 % within this run", ended.out)
        self.assertGreater(len(self.records("monday")), 6)

    @slow
    def test_a_run_ends_when_every_point_is_known(self):
        ended = self.run_it("--name", "monday")
        self.assertEqual((ended.code, ended.err), (0, []))
        lines = ended.out.splitlines()
        self.assertLessEqual(len(lines), 25)
        # Paths are as long as they are.
        self.assertLessEqual(max(len(line) for line in lines if "/" not in line), 80)
        self.assertIn("MPICH 4.0.2, 2 ranks on node1 (CPU, 2 cores)", lines[0])
        (row,) = [line.split() for line in lines if line.startswith("Bcast")]
        self.assertRegex(row[1], r"^(1\.0\dus|9\d\dns)$")
        self.assertRegex(row[2], r"^0\.\d%$")
        self.assertIn("every point is known to +- 2 %", ended.out)
        for name in ("starts.jsonl", "merged.jsonl"):
            self.assert_valid_file(self.runs / "monday" / name)
        self.assertIn("<html", (self.runs / "monday" / "index.html").read_text())
        records = self.records("monday")
        numbers = [run["campaign"]["launch"] for run in records]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertGreaterEqual(len(numbers), 6)
        # Each has an order of its own, which can be had again.
        for number, command in zip(numbers, (run["command"] for run in records)):
            self.assertIn("--shuffle", command)
            self.assertEqual(command[command.index("--seed") + 1], str(number))

    @harness.not_quick
    def test_the_second_run_is_compared_with_the_first(self):
        self.run_it("--name", "monday", "--calls", "Bcast,Scan,Allgather")
        same = self.run_it("--name", "tuesday", "--calls", "Bcast,Scan,Allgather")
        self.assertIn("Compared    with run monday", same.out)
        self.assertIn("nothing is slower or faster", same.out)
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
        # The last one that has something of it.
        self.assertIn("Compared", self.run_it("--calls", "Scan").out)
        other = self.run_it("--calls", "Gather")
        self.assertEqual((other.code, other.err), (0, []))
        self.assertNotIn("Compared", other.out)
        named = self.run_it("--calls", "Gather", "--compare", "monday")
        self.assertIn("nothing is compared: 'monday' has no point that this run has", named.err[0])

    @slow
    def test_the_base_is_the_latest_run_with_all_points_and_the_same_settings(self):
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
        # Without a run that has all, one that has most; operations without a comparison are counted.
        more = self.run_it("--name", "more", "--calls", "Bcast,Scan,Gather")
        text = " ".join(more.out.split())
        self.assertIn("Compared 2 of 3 operations with run full2 of", text)
        self.assertIn("nothing is slower or faster", text)
        # One with other settings is taken where it is named.
        named = self.run_it("--name", "named", *calls, "--compare", "other")
        self.assertIn("with run other of", named.out)
        self.assertIn("SIDE", named.out)

    @slow
    def test_runs_are_listed_and_deleted(self):
        def kept(*words):
            return self.end_of(self.launch(MEASURE, "run", "--folder", self.runs, *words, ranks=0, record=False))

        self.assertIn("There is no run in", kept("--list").out)
        for name in ("monday", "tuesday"):
            self.run_it("--name", name, "--calls", "Bcast")
        listed = kept("--list")
        self.assertEqual((listed.code, listed.err), (0, []))
        head, *rows = listed.out.splitlines()
        self.assertEqual(head.split(), ["run", "started", "(UTC)", "starts", "operations", "ranks", "MPI", "library", "end"])
        self.assertEqual([row.split()[0] for row in rows], ["tuesday", "monday"])
        self.assertTrue(all(row.endswith(" complete") for row in rows), rows)
        self.assertEqual(kept("--delete", "monday,nosuch").code, 2)
        self.assertTrue((self.runs / "monday").exists())
        self.assertEqual(kept("--delete", "monday").code, 0)
        self.assertFalse((self.runs / "monday").exists())
        self.assertNotIn("monday", kept("--list").out)
        for words, text in ((("--list", "--calls", "Bcast"), "--list and --calls do not go together"),
                            (("--delete", "tuesday", "--", "env"), "--delete and a launcher do not go together")):
            refused = kept(*words)
            self.assertEqual((refused.code, len(refused.err)), (2, 1), refused.err)
            self.assertIn(text, refused.err[0])

    @slow
    def test_a_run_without_a_start_deletes_nothing_of_others(self):
        # A folder that is no run.
        foreign = self.runs / "results" / "thesis.tex"
        foreign.parent.mkdir(parents=True)
        foreign.write_text("years")
        self.refused("--name", "results", launcher=("true",), text="start 1 left no record", code=1)
        self.assertEqual(list(foreign.parent.iterdir()), [foreign])
        # A run whose folder was renamed: its starts have another name.
        self.run_it("--name", "monday", "--calls", "Bcast")
        (self.runs / "monday").rename(self.runs / "tuesday")
        kept = (self.runs / "tuesday" / "starts.jsonl").read_bytes()
        self.ask(fail=" ".join(map(str, range(1, 99))))
        self.assertEqual(self.run_it("--resume", "tuesday").code, 1)
        self.assertEqual((self.runs / "tuesday" / "starts.jsonl").read_bytes(), kept)
        # A damaged one can be deleted.
        (self.runs / "tuesday" / "starts.jsonl").write_text("{broken\n")
        ended = self.end_of(self.launch(MEASURE, "run", "--folder", self.runs, "--delete", "tuesday", ranks=0,
                                        record=False))
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertFalse((self.runs / "tuesday").exists())

    @slow
    def test_a_gate_passes_only_where_everything_is_decided(self):
        """The table of docs/measure-run.md: situation, exit code and line."""
        page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "measure-run.md"
        rows = re.findall(r"^\| (.+?) \| ([034]) \| (?:`--fail-on: (.+?)`)? *\|$", page.read_text(), re.M)
        expected = {situation: (int(code), line) for situation, code, line in rows}
        found = {}

        def gate(situation, *words, **keywords):
            junit = self.folder / "junit.xml"
            ended = self.run_it("--fail-on", "slower", "--junit", junit, *words, **keywords)
            lines = [line.split("--fail-on: ")[1] for line in ended.err if "--fail-on: " in line]
            # Numbers differ from run to run.
            found[situation] = (ended.code, re.sub(r"[-+]?\d+\.\d+", "0.0", lines[0]) if lines else "")
            case = junit.read_text()
            self.assertEqual(case.count("<failure "), int(ended.code == 3), case)
            self.assertEqual(case.count("<error "), int(ended.code == 4), case)

        calls = ("--calls", "Bcast")
        gate("there is no earlier run with points and settings of this one", "--name", "first", *calls)
        gate("every operation is decided, and none is slower", *calls)
        self.ask(slow="Bcast 1.2")
        gate("an operation is slower", *calls, "--compare", "first")
        self.ask(slow="Bcast 1.04")
        gate("an operation is unclear", *calls, "--compare", "first")
        self.ask(slow="Memcpy 1.3 Bcast 1.2")
        gate("the machine was in no state that the earlier run saw", *calls, "--compare", "first")
        self.ask(slow="")
        gate("a named run has no point in common", "--calls", "Gather", "--compare", "first")
        gate("an operation is not in the earlier run", "--calls", "Bcast,Scan", "--compare", "first")
        starts = self.runs / "first" / "starts.jsonl"
        lines = starts.read_text().splitlines(keepends=True)
        end = next(i for i, line in enumerate(lines) if json.loads(line)["record"] == "end")
        starts.write_text("".join(lines[:end + 1]))
        gate("a run has a single start", *calls, "--compare", "first")
        numbers = {name: (code, re.sub(r"[-+]?\d+\.\d+", "0.0", line)) for name, (code, line) in expected.items()}
        self.assertEqual(found, {name: numbers.get(name) for name in found})
        self.assertEqual(set(numbers), set(found))

    @slow
    def test_a_run_that_did_not_end_is_not_the_last(self):
        self.run_it("--name", "monday", "--calls", "Bcast")
        self.ask(fail="3")
        self.assertEqual(self.run_it("--name", "tuesday", "--calls", "Bcast").code, 4)
        merged = self.runs / "tuesday" / "merged.jsonl"
        merged.write_text(merged.read_text().replace('"status":"complete"', '"status":"interrupted"'))
        self.ask(fail="")
        ended = self.run_it("--name", "wednesday", "--calls", "Bcast")
        self.assertIn("with run monday", ended.out)
        # One that is gone on with is compared with what was before it.
        self.assertIn("with run monday", self.run_it("--resume", "wednesday").out)
        lost = self.run_it("--calls", "Gather", "--compare", "monday")
        self.assertEqual((lost.code, len(lost.err)), (4, 1))

    @slow
    def test_a_run_with_fewer_than_six_starts_that_count_is_not_the_last(self):
        self.ask(stall="4")
        self.run_it("--name", "monday", "--calls", "Bcast")
        kept = self.runs / "monday" / "starts.jsonl"
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
    def test_a_damaged_file_of_another_run_is_no_reason_to_lose_this_one(self):
        for name in ("monday", "tuesday"):
            self.run_it("--name", name, "--calls", "Bcast")
        merged = self.runs / "tuesday" / "merged.jsonl"
        merged.write_text("{broken\n" + merged.read_text())
        ended = self.run_it("--name", "wednesday", "--calls", "Bcast")
        self.assertEqual((ended.code, len(ended.err)), (0, 1), ended.err)
        self.assertIn(f"warning: left out, because a file is damaged: {merged}:1:", ended.err[0])
        self.assertIn("with run monday", ended.out)
        self.assertFalse(list((self.runs / "wednesday").glob("*.part")))
        # One that is named is looked at before anything starts.
        (self.runs / "monday" / "starts.jsonl").write_text("{broken\n")
        before = len(self.starts())
        self.refused("--calls", "Bcast", "--compare", "monday", text="this line is broken")
        self.assertEqual(len(self.starts()), before)

    @slow
    def test_a_run_without_a_start_of_its_name_is_not_compared_in_silence(self):
        self.run_it("--name", "monday", "--calls", "Bcast")
        shutil.copytree(self.runs / "monday", self.runs / "copied")
        ended = self.run_it("--calls", "Bcast", "--compare", "copied")
        self.assertEqual((ended.code, len(ended.err)), (4, 1), ended.err)
        self.assertIn("warning: nothing is compared: run 'copied' has no complete start of that name", ended.err[0])
        self.assertNotIn("Compared", ended.out)

    @slow
    def test_a_damaged_command_is_not_gone_on_with(self):
        self.run_it("--name", "monday", "--calls", "Bcast")
        command = self.runs / "monday" / "command"
        command.write_bytes(command.read_bytes()[:-1])
        before = len(self.starts())
        self.refused("--resume", "monday", text=f"'{command}' is damaged: its last word has no end")
        self.assertEqual(len(self.starts()), before)

    @slow
    def test_what_has_no_size_stands_in_the_first_column(self):
        ended = self.run_it("--calls", "Barrier")
        self.assertRegex(ended.out, r"\nBarrier +(1\.0\dus|99\dns)")

    @slow
    def test_a_machine_that_has_changed_is_named_before_mpi(self):
        self.run_it("--calls", "Bcast,Scan")
        self.ask(slow="Memcpy 1.3 Bcast 1.2")
        ended = self.run_it("--calls", "Bcast,Scan", "--fail-on", "slower")
        self.assertRegex(ended.out, r"memory copy \+(29|30)\.\d % CHANGED")
        self.assertIn("nothing is compared: the machine was never in the same state in both runs",
                      " ".join(ended.out.split()))
        self.assertEqual((ended.code, len(ended.err)), (4, 2), ended.err)
        self.assertRegex(ended.err[0], "warning: --fail-on: (Bcast|Scan) is not decided: no state of the machine has two")
        (row,) = [line for line in ended.out.splitlines() if line.startswith("Bcast")]
        self.assertIn("machine +20", row)

    @harness.not_quick
    def test_values_are_those_of_the_most_frequent_state_of_the_machine(self):
        self.ask(state="Cacheline 4 Bcast 2.5")
        ended = self.run_it("--name", "monday", "--calls", "Bcast,Scan", "--sizes", "8")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertRegex(ended.out, r"(?m)^States +2: cache line (1\.00 us|999 ns|1 us) \(\d\d % of starts\), 4 us \(\d\d %\)")
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
        # Points that are exact enough are left out of the last starts.
        derived = bcast["derived"]
        valued = [state for state, value in zip(states, derived["medians_in_all_states"]) if value is not None]
        self.assertEqual({state for state, value in zip(states, derived["launch_medians"]) if value is not None}, {1})
        (other,) = derived["other_states"]
        self.assertEqual((other["state"], other["launches"]), (2, valued.count(2)))
        self.assertAlmostEqual(other["value"] / bcast["value"], 2.5, delta=0.03)
        self.assertIn("The machine was in 2 states", (self.runs / "monday" / "index.html").read_text())
        # In another run the second state is the usual one: only what MPI does itself differs.
        self.ask(state="Cacheline 0.25 Bcast 0.4", slow="Cacheline 4 Bcast 3")
        later = self.run_it("--name", "tuesday", "--calls", "Bcast,Scan", "--sizes", "8")
        self.assertRegex(later.out, r"slower: Bcast \+(19|20|21)[. ]")
        self.assertRegex(later.out, r"(?m)^Scan .*(same|unclear)")
        self.assertNotIn("CHANGED", later.out)
        # A state that the other run was never in.
        self.ask(state="", slow="Cacheline 16 Bcast 1.5")
        never = self.run_it("--calls", "Bcast,Scan", "--sizes", "8")
        self.assertRegex(never.out, r"(?m)^Bcast .* machine ")
        self.assertRegex(" ".join(never.out.split()), r"B has no start with cache line 4(\.0\d)? us or ")
        self.assertIn("nothing is compared: the machine was never in the same state", " ".join(never.out.split()))

    @slow
    def test_a_start_that_was_stopped_for_a_while_does_not_count(self):
        self.ask(stall="4")
        ended = self.run_it("--name", "monday", "--calls", "Bcast")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertIn("; 1 disturbed, 1 left out", " ".join(ended.out.split()))
        merged = [json.loads(line) for line in (self.runs / "monday" / "merged.jsonl").read_text().splitlines()]
        self.assertNotIn("launch 4", [launch["name"] for launch in merged[0]["options"]["launches"]])

    @slow
    def test_two_sides_are_measured_in_turn(self):
        ended = self.run_it("--name", "both", "--calls", "Bcast,Scan", "--against", "env SIDE=slow")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertIn("Compared    B: 'env SIDE=slow', with A: the command as it is\n", ended.out)
        self.assertIn("B is slower: Bcast +50 (", ended.out)
        self.assertRegex(ended.out, r"\n +8 B .* B over A\n")
        self.assertIn("differ in mpi_settings.SIDE", ended.out)
        sides = [run["campaign"]["id"] for run in self.records("both")]
        pairs = list(zip(sides[::2], sides[1::2]))
        self.assertEqual({frozenset(pair) for pair in pairs}, {frozenset(("both", "both-b"))})
        blocks = list(zip(pairs[::2], pairs[1::2]))
        self.assertGreaterEqual(len(blocks), 3)
        self.assertTrue(all(first == second[::-1] for first, second in blocks), "a side is the first more often")
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
        # The run itself is what later ones are compared with.
        self.assertIn("nothing is slower or faster", self.run_it("--calls", "Bcast,Scan").out)

    @slow
    def test_the_other_side_may_be_another_program(self):
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

    def test_the_plan_starts_nothing_and_names_every_command(self):
        ended = self.run_it("--plan", "--calls", "Bcast", "--sizes", "8,4k", "--against", "env SIDE=slow")
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertEqual(ended.out.count("Each start"), 2)
        self.assertIn(f"\nLook        env {MEASURE} doctor --duration 500ms\n", ended.out)
        self.assertIn("\nBudget      5 min at most: ", ended.out)
        self.assertIn("Bcast:8,4096 Memcpy:65536", ended.out)
        self.assertEqual(self.starts(), [])
        self.assertFalse(self.runs.exists())

    @slow
    def test_limits_are_written_and_kept(self):
        limits = self.folder / "limits"
        self.run_it("--calls", "Bcast", "--write-expect", limits)
        self.assertIn("node1: Bcast 8 = ", limits.read_text())
        self.assertEqual(self.run_it("--calls", "Bcast", "--expect", limits).code, 0)
        self.ask(slow="Bcast 1.3")
        ended = self.run_it("--calls", "Bcast", "--expect", limits)
        self.assertEqual((ended.code, len(ended.warnings())), (3, 4), ended.err)
        self.assertIn("--expect: Bcast 8 B takes 1.3 us", ended.err[0])

    @slow
    def test_a_run_that_gives_no_interval_writes_no_limit_and_says_so(self):
        limits = self.folder / "limits"
        self.ask(pause="4")
        words = ("--calls", "Bcast", "--budget", "20s", "--write-expect", limits)
        ended = self.run_it(*words)
        self.assertEqual(ended.code, 4)
        self.assertIn("--write-expect: no limits are written, because trust is poor: ", "".join(ended.err))
        self.assertFalse(limits.exists())
        ended = self.run_it(*words, "--force")
        self.assertEqual(ended.code, 4)
        self.assertIn("--write-expect: no limit is written, because no value has an interval", "".join(ended.err))
        self.assertRegex(limits.read_text(), "# no limit for Bcast 8: no interval is known\n")
        self.refused("--calls", "Bcast", "--expect", limits, text=f"--expect: there is no limit in '{limits}'")

    @slow
    def test_a_point_is_measured_on_while_the_level_of_its_operation_moves(self):
        # Its median is exact after 17 starts, but the first three were of another level.
        self.ask(early="Bcast 1.5 3", pause="0.2")
        self.run_it("--name", "monday", "--calls", "Bcast,Scan", "--precision", "1", "--budget", "20s")
        asked = [{word.partition(":")[0] for word in run["options"]["tests"]} for run in self.records("monday")]
        self.assertGreater(len(asked), 20)
        self.assertTrue(all("Bcast" in tests for tests in asked))
        self.assertNotIn("Scan", asked[-1])

    @slow
    def test_memory_and_files_are_told_as_bandwidths(self):
        ended = self.run_it("--name", "monday", "--what", "memory,io", "--sizes", "64k")
        self.assertEqual((ended.code, ended.err), (0, []))
        # Two ranks of 64 KiB in (1 + 6.55) us.
        for name in ("Mem_read", "Mem_write", "Mem_copy", "File_write", "File_read"):
            self.assertRegex(ended.out, rf"(?m)^{name} +17GB/s 0\.\d%")
        self.assertRegex(ended.out, r"(?m)^Mem_triad +\S+GB/s ")
        # The device is measured where there is one.
        self.assertNotEqual("\nFile_write_direct " in ended.out, "does not allow direct access" in ended.out)
        command = self.records("monday")[0]["command"]
        self.assertEqual(command[command.index("--scratch") + 1], str(self.runs))
        page = (self.runs / "monday" / "index.html").read_text()
        self.assertIn("bandwidth over size", page)
        again = self.run_it("--what", "io", "--sizes", "64k", "--io-folder", self.folder)
        self.assertIn("with run monday", again.out)
        self.refused("--what", "io", "--io-folder", self.folder / "none", text="is no folder")

    @slow
    def test_overlap_is_told_and_what_computes_is_no_value_of_its_own(self):
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
        self.assertIn("nothing is slower or faster", again.out)

    @slow
    def test_progress_is_one_line_on_a_terminal_and_few_on_a_pipe(self):
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
                         r"measure run: \d+ starts of [\d.]+ s; they find no difference below \S+ %$")
        self.assertEqual(early.splitlines()[0].split("\r")[-1], "measure run: env: looks at the machine")
        self.assertEqual(early.count("\n"), 1, early)
        self.assertRegex(line.split("\r")[-1],
                         r"measure run: start \d+ of \d+ \[#*-*\] \d+ s, \d+ s left; (Bcast|Scan) [\d.]+ [nu]s; worst ")
        first = piped.stderr.readline()
        piped.send_signal(signal.SIGINT)
        lines = [line for line in [first, *self.end_of(piped).err] if "starts done" in line]
        self.assertGreaterEqual(len(lines), 1, first)
        self.assertLessEqual(len(lines), (time.monotonic() - begin) / 2)
        self.assertNotIn("[", "".join(lines))

    @slow
    def test_a_comparison_that_can_find_nothing_says_so(self):
        calls = ("--calls", ",".join(f"Test{i}" for i in range(24)), "--sizes", "8")
        self.run_it(*calls)
        self.ask(slow="Test3 2")
        ended = self.run_it(*calls)
        # Every point is known after six starts.
        self.assertIn("no difference can be found with 6 starts of 24 operations", ended.out)
        self.assertNotIn("SLOWER", ended.out)

    @slow
    def test_a_budget_that_can_find_nothing_is_told_before_it_is_spent(self):
        self.ask(elapsed="20")
        ended = self.run_it("--name", "monday", "--budget", "20s", "--calls", "Bcast,Scan")
        # No room for more than the pilot; five starts of each side are needed, and a start takes 20 s.
        self.assertEqual((ended.code, ended.err),
                         (0, ["measure run: warning: no difference can be found with 3 starts of 2 operations: "
                              "--budget 2min or fewer --calls"]))
        # It is the start that takes so long, and not what is measured: nothing is left out.
        self.assertNotIn("measured in the pilot only", " ".join(ended.out.split()))
        first, *_, last = self.records("monday")[:6]
        self.assertEqual(last["options"]["tests"], first["options"]["tests"])

    @slow
    def test_what_the_budget_has_no_room_for_is_measured_in_the_pilot_only(self):
        # Eight points, and three controls twice.
        self.ask(cost="1.1")
        ended = self.run_it("--name", "monday", "--budget", "20s", "--calls", "Bcast,Scan")
        self.assertRegex(" ".join(ended.out.split()),
                         r"[1-7] of 8 points were measured in the pilot only: the budget has no room for 6 starts of all")
        first, *_, last = self.records("monday")[:6]
        self.assertLess(len(" ".join(last["options"]["tests"])), len(" ".join(first["options"]["tests"])))

    @slow
    def test_the_starts_of_runs_can_be_compared_and_joined_by_hand(self):
        self.run_it("--name", "monday", "--calls", "Bcast,Scan")
        self.ask(slow="Bcast 1.1")
        self.run_it("--name", "tuesday", "--calls", "Bcast,Scan", "--against", "env SIDE=slow")
        a, b = (self.runs / name / "starts.jsonl" for name in ("monday", "tuesday"))
        asked = [run["options"]["valid_runs"] for run in self.records("monday")]
        self.assertGreater(len(set(asked)), 1, "the starts are to differ in what was asked of them")
        measure = lambda *words: subprocess.run([MEASURE, *words], capture_output=True, text=True, check=False)
        joined = measure("merge", a)
        self.assertEqual((joined.returncode, joined.stderr), (0, ""))
        both = measure("compare", "--between", "campaign", b)
        self.assertEqual(both.returncode, 0, both.stderr)
        self.assertRegex(both.stdout, r"SLOWER +Bcast .* \+(49|50)\.\d ")
        mixed = measure("compare", a, b)
        self.assertEqual(mixed.returncode, 2)
        self.assertIn(f"'{b}': tuesday and tuesday-b are two sides: measure compare --between campaign", mixed.stderr)
        apart = measure("compare", "--by", "campaign", "--mixed", b, b)
        self.assertEqual(apart.returncode, 0, apart.stderr)
        self.ask(slow="Scan 1.2")
        self.run_it("--name", "wednesday", "--calls", "Bcast,Scan")
        two = measure("compare", a, self.runs / "wednesday" / "starts.jsonl")
        self.assertEqual(two.returncode, 0, two.stderr)
        self.assertRegex(two.stdout, r"SLOWER +Scan .* \+(19|20)\.\d ")

    def seen(self, page, width, height):
        """What a browser makes of a page in a window of that size: a frame, because windows have a least width."""
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
    def test_the_page_answers_on_a_desk_and_on_a_telephone(self):
        self.run_it("--name", "monday", "--what", "latency,bandwidth,collectives,memory")
        self.ask(slow="Bcast 1.1")
        self.run_it("--name", "tuesday", "--what", "latency,bandwidth,collectives,memory")
        for width, height in ((1280, 800), (390, 844)):
            with self.subTest(width):
                page = self.seen(self.runs / "tuesday" / "index.html", width, height)
                self.assertEqual(page["width"], width)
                self.assertLessEqual(page["needed"], width)
                self.assertLess(page["number"], height)
                # Times, bandwidths, ratios.
                self.assertEqual(page["plots"], 3)
                self.assertGreaterEqual(page["smallest"], 9)

    # ---- what goes wrong

    def test_wrong_use_is_refused_before_anything_starts(self):
        good = self.folder / "good"
        good.write_text("node1: Bcast 8 = 1us -5% +5%\n")
        for arguments, text in ((["--resume", "never"], "there is no run 'never'"),
                                (["--expect", self.folder / "none"], "cannot read"),
                                (["--write-expect", "/nonexistent/x"], "--write-expect: cannot write"),
                                (["--expect", good, "--write-expect", good], "is an input"),
                                (["--plan", "--compare", "never"], "--compare: there is no run 'never'")):
            with self.subTest(arguments):
                self.refused(*arguments, text=text)
        self.refused(launcher=("/nonexistent/mpiexec",), text="LAUNCHER: '/nonexistent/mpiexec' is no program")
        self.assertEqual(self.starts(), [])

    def test_a_folder_that_cannot_be_written_is_refused(self):
        (self.folder / "runs").write_text("a file")
        self.refused(text="cannot make the folder")
        self.assertEqual(self.starts(), [])

    @harness.not_quick
    def test_a_full_disk_leaves_what_is_complete(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))
        words = [MEASURE, "run", "--folder", str(self.runs), "--name", "monday", "--program", str(self.program),
                 "--precision", "0.01", "--", "env"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        ended = self.end_of(process)
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("File too large", ended.errors()[-1])
        self.assertIn("Bcast", ended.out)
        kept = [json.loads(line) for line in (self.runs / "monday" / "starts.jsonl").read_text().splitlines()[:-1]]
        self.assertGreaterEqual(sum(line["record"] == "end" for line in kept), 2)

    @slow
    def test_a_name_is_used_once(self):
        self.run_it("--name", "monday", "--calls", "Bcast")
        before = (self.runs / "monday" / "starts.jsonl").read_bytes()
        self.refused("--name", "monday", text="there is a run 'monday' already")
        self.assertEqual((self.runs / "monday" / "starts.jsonl").read_bytes(), before)

    def test_without_a_launcher_it_is_said_what_was_looked_for(self):
        ended = subprocess.run([MEASURE, "run", "--folder", str(self.runs), "--program", str(self.program)], text=True,
                               capture_output=True, env=os.environ | {"PATH": str(self.folder)}, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(ended.stderr, "^measure run: error: no launcher: PATH has none of .*; name one: ")

    def test_a_launcher_that_starts_nothing_is_named(self):
        self.refused(launcher=("true",), text="start 1 left no record", code=1)
        # It leaves no folder.
        self.assertEqual([path.name for path in self.runs.iterdir()], [".failed.log"])
        self.refused("--resume", "last", text="there is no run in")

    @slow
    def test_a_start_that_crashes_leaves_the_others_their_results(self):
        self.ask(fail="5")
        ended = self.run_it("--name", "monday", "--calls", "Bcast")
        self.assertEqual((ended.code, len(ended.err)), (4, 1), ended.err)
        self.assertIn("start 5 ended with exit code 7: mpiperf: error: the cat sat on the network", ended.err[0])
        self.assertNotIn(5, [run["campaign"]["launch"] for run in self.records("monday")])
        self.assertIn("Bcast", ended.out)

    @slow
    def test_starts_that_keep_crashing_end_the_run_with_what_there_is(self):
        self.ask(fail=" ".join(map(str, range(8, 100))), slow="Bcast 1")
        ended = self.run_it("--name", "monday", "--precision", "0.01", "--calls", "Bcast")
        self.assertEqual(ended.code, 1)
        self.assertIn("the run ended early: start 10 ended with exit code 7", ended.errors()[-1])
        self.assertEqual(len(self.records("monday")), 7)
        self.assertIn("Bcast", ended.out)

    @slow
    def test_a_start_that_leaves_nothing_leaves_the_others_their_results(self):
        self.ask(nothing="4")
        ended = self.run_it("--name", "monday", "--calls", "Bcast")
        self.assertEqual((ended.code, len(ended.err)), (4, 1), ended.err)
        self.assertIn("warning: start 4 left no record (--json FILE is added to the command)", ended.err[0])
        self.assertEqual(self.complete("monday")[:6], [1, 2, 3, 5, 6, 7])
        self.assertIn("\nBcast", ended.out)

    @slow
    def test_poor_trust_is_an_exit_code_where_that_is_asked_for(self):
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
    def test_a_start_that_hangs_is_ended(self):
        self.ask(hang="4")
        ended = self.run_it("--calls", "Bcast")
        self.assertEqual(ended.code, 4, ended.err)
        self.assertIn("start 4 did not end within 10 s", ended.err[0])

    @slow
    def test_a_start_that_is_late_is_repeated_with_a_longer_limit(self):
        # Either side has one.
        self.ask(hang="2")
        ended = self.run_it("--name", "both", "--calls", "Bcast", "--budget", "40s", "--against", "env SIDE=other")
        self.assertEqual(ended.code, 4, ended.err)
        self.assertEqual(sorted(line.split("warning: ")[-1] for line in ended.err if "did not end" in line),
                         ["start 2 of A did not end within 10 s", "start 2 of B did not end within 10 s"])
        self.assertGreaterEqual(len(self.complete("both")), 6)

    def test_several_processes_are_refused(self):
        for variables in ({"PMI_RANK": "0", "PMI_SIZE": "2"}, {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}):
            for words in (("run", "--plan"), ("ab", "--", "true", "--", "true")):
                with self.subTest(words=words, **variables):
                    ended = self.end_of(self.launch(MEASURE, *words, ranks=0, record=False, environment=variables))
                    self.assertEqual((ended.code, len(ended.err)), (2, 1), ended.err)
                    self.assertIn(f"error: 2 processes of 'measure {words[0]}' were launched: start it once", ended.err[0])
        others = {"PMI_RANK": "1", "PMI_SIZE": "2"}
        ended = self.end_of(self.launch(MEASURE, "run", "--plan", ranks=0, record=False, environment=others))
        self.assertEqual((ended.code, ended.out, ended.err), (2, "", []))
        # A batch script of Slurm has a rank, and is one process.
        alone = {"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}
        # So is a command in the shell of `srun -n 2 --pty bash`.
        typed = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_PTY_PORT": "42249", "PMI_RANK": "0",
                 "PMI_SIZE": "2"}
        for variables in (alone, typed):
            self.assertEqual(self.run_it("--plan", "--calls", "Bcast", environment=variables).code, 0)

    @slow
    def test_an_interrupted_run_tells_what_is_complete_and_is_gone_on_with(self):
        self.ask(pause="0.3")
        for name, number in (("monday", signal.SIGINT), ("tuesday", signal.SIGKILL)):
            process = self.begin("--name", name, "--calls", "Bcast")
            kept = self.runs / name / "starts.jsonl"
            self.wait_for(lambda: kept.exists() and kept.read_text().count('"end"') >= 2, "nothing was started")
            process.send_signal(number)
            ended = self.end_of(process)
            if number == signal.SIGINT:
                self.assertEqual(ended.code, 128 + number, ended.err)
                self.assertIn("broken off; measure run --resume monday goes on", ended.out)
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
    def test_what_is_gone_on_with_has_its_budget_or_the_one_that_is_named(self):
        self.ask(pause="0.3")
        process = self.begin("--name", "monday", "--calls", "Bcast", "--budget", "1min")
        self.wait_for(lambda: self.complete("monday"), "nothing was started")
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.end_of(process).code, 128 + signal.SIGINT)
        for words, budget in (([], 60), (["--budget", "5min"], 300)):
            with self.subTest(words=words):
                before = len(self.complete("monday"))
                ended = self.run_it("--resume", "monday", *words)
                self.assertEqual(ended.code, 0, ended.err)
                # What is left of it when the first start begins.
                asked = self.records("monday")[before]["command"]
                left = int(asked[asked.index("--time-budget") + 1].removesuffix("s"))
                self.assertTrue(budget - 30 < left < budget, left)

    @slow
    def test_broken_off_at_any_moment_nothing_is_lost_and_nothing_counts_twice(self):
        self.ask(pause="0.1")
        for number in (signal.SIGINT, signal.SIGKILL):
            names = [f"{number.name}-{i}" for i in range(10)]
            processes = [self.begin("--name", name, "--calls", "Bcast") for name in names]
            # Each after so many starts, half of them somewhat later.
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
            self.assertGreater(len({len(starts) for starts in kept.values()}), 3, "the moments were all alike")
            # Without a start it is gone on with as well, and may be begun again.
            begun = [(self.runs / name / "command").exists() and (kept[name] or i % 2 == 0)
                     for i, name in enumerate(names)]
            again = [self.begin("--resume", name) if resumes else self.begin("--name", name, "--calls", "Bcast")
                     for name, resumes in zip(names, begun)]
            for name, process in zip(names, again):
                ended = self.end_of(process)
                self.assertEqual(ended.code, 0, (name, ended.err))
                starts = self.complete(name)
                self.assertEqual(starts[:len(kept[name])], kept[name], "a start was lost")
                self.assertEqual(len(starts), len(set(starts)))
                self.assertGreaterEqual(len(starts), 6)
                self.assertEqual(len(self.records(name)), len(starts))
                self.assert_valid_file(self.runs / name / "starts.jsonl")

    def complete(self, name):
        """The numbers of the starts in a record that have an end."""
        path = self.runs / name / "starts.jsonl"
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        records = [json.loads(line) for line in lines if line.endswith("\n")]
        ends = sum(record["record"] == "end" for record in records)
        return [record["campaign"]["launch"] for record in records if record["record"] == "run"][:ends]

    @slow
    def test_on_a_full_disk_the_answer_is_still_told(self):
        self.runs.mkdir()
        with self.small(self.runs, "64k"):
            ended = self.run_it("--name", "monday", "--precision", "0.01")
            self.assertEqual(ended.code, 1, ended.err)
            self.assertEqual(len(ended.errors()), 1, ended.err)
            self.assertIn("No space left on device", ended.errors()[0])
            self.assertIn("\nBcast", ended.out)
            self.assertGreaterEqual(len(self.complete("monday")), 2)

    @slow
    def test_what_cannot_be_archived_is_still_there(self):
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
    def test_a_run_that_was_lengthened_stands_in_the_archive_once(self):
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
        # A run of that name with other starts is another one. Starts are told apart by the second.
        shutil.rmtree(self.runs / "monday")
        time.sleep(1)
        self.run_it("--calls", "Bcast", "--name", "monday")
        self.assertEqual(len(archive("list", "--ids", "label=monday").split()), 2)

    def records_of(self, path):
        return [line for line in path.read_text().splitlines() if line.startswith('{"record": "run"')]

    @slow
    def test_a_first_start_that_was_broken_off_in_its_first_line_is_none(self):
        for name, again in (("monday", ("--resume", "monday")), ("tuesday", ("--name", "tuesday", "--calls", "Bcast"))):
            with self.subTest(again):
                self.run_it("--name", name, "--calls", "Bcast")
                (self.runs / name / "merged.jsonl").unlink()
                kept = self.runs / name / "starts.jsonl"
                kept.write_text('{"record":"run","sch')
                ended = self.run_it(*again)
                self.assertEqual((ended.code, ended.err), (0, []))
                self.assertEqual(self.complete(name)[:3], [1, 2, 3])
                self.assert_valid_file(kept)

    @slow
    def test_two_do_not_write_one_run(self):
        self.ask(pause="2")
        process = self.begin("--name", "monday", "--calls", "Bcast")
        self.wait_for((self.runs / "monday" / "starts.jsonl").exists, "nothing was started")
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
    def test_pairs_are_counted_and_not_the_records_that_a_start_leaves(self):
        twice = self.folder / "twice"
        twice.write_text(f"""#!/bin/sh
for file; do :; done
'{self.program}' Bcast:8 --json "$file.1" && '{self.program}' Scan:8 --json "$file.2"
cat "$file.1" "$file.2" >"$file"
""")
        twice.chmod(0o755)
        ended = self.run_it("-n", "3", command="ab", launcher=(twice, "--", twice))
        self.assertEqual((ended.code, len(ended.err)), (0, 1), ended.err)
        self.assertIn("no difference can be found with 3 starts of 2 operations", ended.err[0])

    @harness.not_quick
    def test_pairs_that_are_complete_are_compared_where_a_later_one_fails(self):
        sides = (self.program, "Bcast:8,64", "--", "env", "SIDE=slow", self.program, "Bcast:8,64")
        self.ask(fail="4")
        ended = self.run_it("-n", "8", command="ab", launcher=sides)
        self.assertEqual((ended.code, len(ended.err)), (1, 3), ended.err)
        self.assertIn("not all pairs are complete", ended.warnings()[0])
        self.assertIn("no difference can be found with 3 starts of 1 operation", ended.warnings()[1])
        self.assertRegex(ended.errors()[0], "start 4 of [AB] ended with exit code 7")
        self.assertRegex(ended.out, r"Bcast .* \+(49|50)\.\d ")
        # Without a start of either there is nothing to compare.
        self.ask(fail="1")
        ended = self.run_it("-n", "8", command="ab", launcher=sides)
        self.assertEqual((ended.code, len(ended.err)), (1, 1), ended.err)

    @harness.not_quick
    def test_another_separator_may_stand_before_the_first_command_as_well(self):
        for before in ((), ("@@",)):
            with self.subTest(before):
                commands = (self.program, "Bcast:8", "@@", self.program, "Bcast:8")
                ended = self.run_it("-n", "4", "--separator", "@@", *before, *commands, command="ab", launcher=())
                self.assertEqual((ended.code, ended.err), (0, []))

    def test_ab_needs_records(self):
        self.refused("-n", "1", command="ab", launcher=("true", "--", "true"), code=1,
                     text="left no record (--json FILE is added to the command) (--wall times commands that write no")

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
    def test_a_command_that_fails_is_not_timed(self):
        fails = ("sh", "-c", "exit 3")
        self.refused("-n", "6", command="ab", launcher=(*fails, "--", *fails), code=1, text="ended with exit code 3")
        self.refused("-n", "6", "--wall", command="ab", launcher=("true", "--", *fails), code=1,
                     text="start 1 of B ended with exit code 3")
        # One that fails once, and writes a record after that, is no command without records.
        once = self.folder / "once"
        once.write_text(f"#!/bin/sh\n[ -e '{once}.tried' ] || {{ touch '{once}.tried'; exit 3; }}\n"
                        f"exec '{self.program}' Bcast:8 \"$@\"\n")
        once.chmod(0o755)
        self.refused("-n", "6", command="ab", launcher=(once, "--", once), code=1, text="ended with exit code 3")
        self.refused("-n", "6", "--wall", "--keep", "kept", command="ab", launcher=("true", "--", "true"), code=2,
                     text="--keep: commands that are timed as a whole (--wall) leave no records")

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

    # ---- the real thing

    @slow
    @plain
    def test_a_test_that_mpiperf_does_not_have_is_wrong_use(self):
        self.program = pathlib.Path(MPIPERF)
        launcher = (self.launcher, "-n", "2")
        for plan in ((), ("--plan",)):
            self.refused(*plan, "--calls", "Bogus", launcher=launcher,
                         text="--calls: there is no test 'Bogus' (mpiperf -q lists them)")
            self.refused(*plan, "--calls", "alreduce", launcher=launcher, text="did you mean 'Allreduce'?")
        limits = self.folder / "limits"
        limits.write_text("*: Bcst 8 = 1us -5% +5%\n")
        self.refused("--calls", "Bcast", "--expect", str(limits), launcher=launcher,
                     text="--expect: there is no test 'Bcst'; did you mean 'Bcast'? (mpiperf -q lists them)")
        self.assertFalse(self.runs.exists())

    @slow
    @plain
    def test_tests_may_be_written_in_either_case(self):
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
        self.assert_valid_file(self.runs / "real" / "starts.jsonl")
        for name in ("Bcast", "Barrier", "Trust", "Starts"):
            self.assertIn("\n" + name, ended.out)

    @figures
    def test_a_run_takes_as_long_as_its_plan_says(self):
        self.program = pathlib.Path(MPIPERF)
        words = ("--budget", "20s", "--sizes", "8,4k", "--calls", "Bcast,Barrier", "--precision", "0.01")
        plan = self.run_it("--plan", *words, launcher=(self.launcher, "-n", "2"))
        self.assertIn("\nBudget      20 s at most: ", plan.out)
        begin = time.monotonic()
        ended = self.run_it(*words, launcher=(self.launcher, "-n", "2"))
        self.assertIn(ended.code, (0, 4), ended.err)
        self.assertAlmostEqual(time.monotonic() - begin, 20, delta=0.3 * 20)

    @slow
    @plain
    def test_a_copy_that_takes_longer_is_the_machine_and_not_mpi(self):
        self.program = pathlib.Path(MPIPERF)
        for name, preloaded in (("plain", []), ("slow", [SLOW_MEMCPY])):
            libraries = ":".join(filter(None, [self.yield_helper, *preloaded]))
            helper = ["env", "LD_PRELOAD=" + libraries] if libraries else []
            # A run with another preloaded library is compared only where it is named.
            compared = ["--compare", "plain"] if preloaded else []
            ended = self.run_it("--budget", "20s", "--sizes", "8", "--calls", "Bcast", "--precision", "50",
                                "--name", name, *compared, launcher=(self.launcher, "-n", "2", *helper))
            self.assertIn(ended.code, (0, 4), ended.err)
        # A copy takes three times the time. Two short runs may share no state of the machine, or too few starts of one;
        # then the answer names the state that is missing.
        change = re.search(r"memory copy \+([\d.]+) %( CHANGED)?", ended.out)
        self.assertIsNotNone(change, ended.out)
        self.assertGreater(float(change[1]), 50)
        is_state_missing = re.search(r"\b[AB] has no start with", " ".join(ended.out.split()))
        self.assertTrue(change[2] or is_state_missing, ended.out)
        (row,) = [line for line in ended.out.splitlines() if line.startswith("Bcast")]
        self.assertNotRegex(row, "SLOWER|faster")


if __name__ == "__main__":
    harness.main(sys.argv[8:])
