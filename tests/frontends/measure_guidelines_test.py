#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure guidelines from outside: violations, what is reported for other points, wrong files.

usage: measure_guidelines_test.py MEASURE MPIPERF VALIDATE_RECORDS LAUNCHER [YIELD_HELPER] [UNITTEST OPTIONS]
"""
import json
import pathlib
import random
import re
import subprocess
import sys

import harness
from harness import LIMIT, plain, slow

MEASURE, MPIPERF = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
harness.ProgramTest.tools(*sys.argv[3:6])

RUN = {"record": "run", "schema": 2, "suite": "mpiperf", "program": "mpiperf", "version": "0.1.0",
       "command": ["mpiperf"], "started": "2025-01-31T10:00:00Z", "mpi": {"library": "MPICH 4.0.2", "standard": "4.0"},
       "ranks": 4, "hosts": [{"name": "node1", "ranks": "0-3", "cores": 4, "cpu": None}], "oversubscribed": False,
       "kernel": None, "clocksource": None, "governor": None, "compiler": "gcc",
       "timer": {"name": "tsc", "resolution": 1e-9, "overhead": 1e-8, "frequency": None}, "clock_sync": None,
       "options": {"seed": 1, "start": "slot", "shuffle": False}, "warnings": []}
END = {"record": "end", "status": "complete", "exit_code": 0, "elapsed": 1.0, "clock_sync_residual": None}
# Microseconds for zero bytes, and per byte of the whole message.
COSTS = {"Bcast": (2.0, 1.0e-3), "Reduce": (2.2, 1.2e-3), "Allreduce": (3.0, 2.0e-3), "Scatter": (1.8, 0.8e-3),
         "Allgather": (2.2, 1.0e-3)}
BLOCKS = ("Scatter", "Allgather")
RULE = "Allreduce(n) <= Reduce(n) + Bcast(n)"


def point(benchmark, size, time, ranks=4):
    return {"record": "point", "benchmark": benchmark, "at": {"ranks": ranks, "count": size, "bytes": size},
            "quantity": "time", "unit": "s", "value": time, "status": "converged",
            "estimate": {"mean": time, "standard_error": time * 0.01, "confidence": 0.95, "interval": None,
                         "median": time, "median_interval": None, "min": time, "max": time},
            "attempts": 30, "valid": 30, "kept": 16, "invalid": {}, "derived": {}, "flags": [], "elapsed": 0.5}


def launch(slow=1.0, seed=None, noise=0.02, names=COSTS):
    """Returns a run in which Allreduce takes `slow` times as long from 1 KiB on."""
    noisy = random.Random(seed)
    lines = [RUN]
    for name in names:
        at_least, per_byte = COSTS[name]
        for whole in (2 ** k for k in range(5, 17)):
            time = (at_least + per_byte * whole) * 1e-6 * (slow if name == "Allreduce" and whole >= 1024 else 1)
            time *= noisy.lognormvariate(0, noise) if seed is not None else 1
            lines.append(point(name, whole // 4 if name in BLOCKS else whole, time))
    return [*lines, END]


class GuidelinesTest(harness.ProgramTest):
    def run_it(self, *arguments, text=None):
        done = subprocess.run([MEASURE, "guidelines", *map(str, arguments)], input=text, capture_output=True, text=True,
                              errors="replace", cwd=self.folder, timeout=LIMIT)
        return harness.Ended(done.returncode, done.stdout, done.stderr, self.json)

    def test_controls_are_not_reported_as_unchecked_points(self):
        controls = [point(name, 0, 1e-6) for name in ("Memcpy", "Cacheline", "Fixed_work")]
        starts = [line for seed in range(8) for line in [*launch(seed=seed)[:-1], *controls, END]]
        ended = self.run_it(self.file("in.jsonl", *starts))
        self.assertEqual((ended.code, ended.err), (0, []))

    def file(self, name, *lines, torn=""):
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines) + torn)
        return path

    def launches(self, name, seeds, **more):
        return self.file(name, *[line for seed in seeds for line in launch(seed=seed, **more)])

    def checked(self, *arguments, code=0):
        document = self.folder / "guidelines.json"
        ended = self.run_it("--json", document, *arguments)
        self.assertEqual(ended.code, code, ended.err)
        return harness.document(MEASURE, document.read_text()), ended

    def refused(self, *arguments, text, lines=1):
        ended = self.run_it(*arguments)
        self.assertEqual((ended.code, len(ended.err), ended.out), (2, lines, ""), ended.err)
        self.assertIn(text, ended.err[0])

    @harness.not_quick
    def test_a_library_without_violations_has_no_findings(self):
        for first in range(0, 100, 20):
            document, ended = self.checked("--strict", self.launches("clean", range(first, first + 5)))
            self.assertEqual((document["document"], document["counts"]["violated"]), ("guidelines", 0))
            self.assertGreater(document["counts"]["kept"], 100)
            self.assertEqual(ended.warnings(), [])

    @harness.not_quick
    def test_violations_are_found_with_sizes_and_factor(self):
        slow = self.launches("slow", range(5), slow=2.0)
        document, ended = self.checked(slow)
        found = [c for c in document["checks"] if c["guideline"] == RULE and c["verdict"] == "violated"]
        self.assertEqual([c["bytes"] for c in found], [2 ** k for k in range(10, 17)])
        for check in found:
            self.assertAlmostEqual(check["factor"] * sum(t["time"] * t["times"] for t in check["right"])
                                   / check["left"]["time"], 1, places=9)
            self.assertLess(check["interval"][0], check["factor"])
            self.assertLess(check["adjusted_p"], 0.05)
            self.assertEqual(check["launches"], 5)
        row = next(line for line in ended.out.splitlines() if line.startswith(RULE))
        self.assertIn("1 KiB .. 64 KiB", row)
        # Every violation is caused by Allreduce; Reduce must not be called slow because of it.
        self.assertEqual({c["left"]["operation"] for c in document["checks"] if c["verdict"] == "violated"},
                         {"Allreduce"})
        self.assertEqual(self.run_it("--strict", slow).code, 3)
        self.assertEqual(self.run_it("--strict", "--threshold", "200", slow).code, 0)
        self.assertEqual(self.run_it("--strict", "--filter", "bytes<512", slow).code, 0)

    def test_missing_measurements_are_listed_with_a_command(self):
        document, ended = self.checked(self.launches("some", range(3), names=("Bcast", "Scatter")))
        missing = {one["guideline"]: one["missing"] for one in document["unchecked"]}
        self.assertEqual(list(missing["Bcast(n) <= Scatter(n) + Allgather(n)"]), ["Allgather"])
        self.assertIn("Allreduce", missing[RULE])
        self.assertNotIn("Scatter(n) <= Bcast(n)", missing)
        self.assertTrue(all(command.startswith("measure launches -n 3 --keep more-") for command in
                            document["commands"]), document["commands"])
        # The commands measure only the missing points and fit the width of a terminal.
        wanted = [test.split(":") for command in document["commands"] for test in command.split("slot ")[1].split()]
        sizes = {}
        for name, counts in wanted:
            sizes.setdefault(name, []).extend(map(int, counts.split(",")))
        self.assertEqual(sizes["Allgather"], [2 ** k for k in range(3, 15)])
        self.assertFalse({"Bcast", "Scatter"} & set(sizes), document["commands"])
        several = [command for command in document["commands"] if re.search("[ :,][0-9]+[ ,]", command.split("slot ")[1])]
        self.assertTrue(several)
        self.assertLessEqual(max(map(len, several)), 96)
        self.assertIn("Not checked", ended.out)
        for command in document["commands"]:
            self.assertIn("# * " + command, ended.out.splitlines())

    def test_single_launches_and_loops_give_a_warning(self):
        document, ended = self.checked(self.file("one", *launch(seed=1)))
        self.assertEqual([c["launches"] for c in document["checks"]], [0] * len(document["checks"]))
        self.assertIn("only one launch of each point, and so no verdicts", ended.warnings()[0])
        # Three times the time is reported but is not a violation, so --strict does not fail.
        document, ended = self.checked("--strict", self.file("slow", *launch(seed=1, slow=3.0)))
        self.assertEqual((document["counts"]["violated"], document["counts"]["one launch"]),
                         (0, len(document["checks"])))
        self.assertEqual({c["p"] for c in document["checks"]}, {None})
        self.assertIn("Seen only in single launches (no verdict)", ended.out)
        loops = {**RUN, "suite": "pmb", "program": "PMB-MPI1", "options": {"start": "loop"}}
        _, ended = self.checked(self.file("loops", loops, *launch(seed=1)[1:]))
        self.assertTrue(any("calls in a loop overlap" in line for line in ended.warnings()), ended.err)

    @harness.not_quick
    def test_merged_records_count_all_their_launches(self):
        self.launches("all", range(4), slow=2.0)
        subprocess.run([MEASURE, "merge", "-o", "merged", "all"], cwd=self.folder, check=True, timeout=LIMIT,
                       stdout=subprocess.DEVNULL)
        apart, _ = self.checked("all")
        joined, _ = self.checked("merged")
        self.assertEqual([c["factor"] for c in joined["checks"]], [c["factor"] for c in apart["checks"]])
        self.assertEqual({c["launches"] for c in joined["checks"]}, {4})

    @harness.not_quick
    def test_output_formats_can_be_written_to_files(self):
        slow = self.launches("slow", range(3), slow=2.0)
        ended = self.run_it("--format", "md", "-o", "page.md", slow)
        self.assertEqual((ended.code, ended.out), (0, ""))
        self.assertIn("Allreduce(n)", (self.folder / "page.md").read_text())
        self.assertEqual(json.loads(self.run_it("--format", "json", slow).out)["document"], "guidelines")
        text = slow.read_text()
        self.assertEqual(json.loads(self.run_it("--json", "-", "-", text=text).out)["counts"],
                         json.loads(self.run_it("--format", "json", "-", text=text).out)["counts"])
        every = self.run_it("--all", slow).out
        self.assertIn("All checks", every)
        self.assertGreater(every.count("kept"), 50)

    def test_wrong_files_are_refused(self):
        good = self.file("good", *launch(seed=1))
        self.refused("nowhere", self.file("html", "<html>"), self.file("broken", RUN, torn="{x\n"), text="nowhere",
                     lines=3)
        self.refused("-o", good, good, text="is an input")
        self.refused("-o", "same", "--json", "same", good, text="is the file of -o")
        self.refused(self.file("few", RUN, point("Bcast", 8, 1e-6), END), text="nothing to check")
        torn = self.file("torn", *launch(seed=1), torn='{"record": "po')
        self.assertEqual(self.run_it(torn).code, 0)

    def test_hostile_values_are_handled_safely(self):
        lines = [RUN]
        for benchmark in ("Bcast", "Scatter", "Allgather", "Alltoall", "<script>"):
            for size in (0, -1, 1, 2 ** 62, 2 ** 63 - 1):
                for time in (1e300, 1e-300, 0.0, -1.0):
                    lines.append(point(benchmark, size, time))
        lines.append({**point("Bcast", 8, 1.0), "at": {"ranks": 2 ** 62, "bytes": 2 ** 62}})
        lines.append({**point("Bcast", 8, 1.0), "at": {"ranks": 0, "bytes": 5}})
        lines.append({**point("Bcast", 8, 1.0), "at": {"ranks": "two", "bytes": "\u0001"}})
        ended = self.run_it("--format", "json", self.file("odd", *lines))
        self.assertEqual(ended.code, 0, ended.err)
        json.loads(ended.out)

    @slow
    @plain
    def test_a_real_run_can_be_checked(self):
        record = self.folder / "real.jsonl"
        done = subprocess.run([MEASURE, "launches", "-n", "2", "--keep", record, "-o", "merged.jsonl", self.launcher,
                               "-n", "2", MPIPERF, "-z", "barrier", "-x", "8", "-X", "128", "--max-runs", "40",
                               "Allreduce", "Reduce", "Bcast", "Scatter", "Allgather", "Gather"],
                              cwd=self.folder, capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stderr)
        document, _ = self.checked(record)
        self.assertIn(RULE, [check["guideline"] for check in document["checks"]])
        self.assertEqual({check["launches"] for check in document["checks"]}, {2})


if __name__ == "__main__":
    harness.main(sys.argv[6:])
