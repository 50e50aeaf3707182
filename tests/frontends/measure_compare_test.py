#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure compare from outside: verdicts, formats, wrong files. Recomputes the p-values.

usage: measure_compare_test.py MEASURE VALIDATE_RECORDS LAUNCHER [UNITTEST OPTIONS]
"""
import contextlib
import html.parser
import itertools
import json
import math
import os
import pathlib
import pty
import random
import re
import statistics
import subprocess
import sys

import harness
from harness import LIMIT, plain

MEASURE = str(pathlib.Path(sys.argv[1]).resolve())
harness.ProgramTest.tools(*sys.argv[2:4])

RUN = {"record": "run", "schema": 2, "suite": "own", "program": "halo", "version": "0.1.0", "command": ["halo"],
       "started": "2025-01-31T10:00:00Z", "mpi": {"library": "MPICH 4.0.2", "standard": "4.0"}, "ranks": 2,
       "hosts": [{"name": "node1", "ranks": "0-1", "cores": 2, "cpu": None}], "oversubscribed": False, "kernel": None,
       "clocksource": None, "governor": None, "compiler": "gcc",
       "timer": {"name": "tsc", "resolution": 1e-9, "overhead": 1e-8, "frequency": None}, "clock_sync": None,
       "options": {"seed": 1, "start": "slot", "shuffle": False}, "warnings": []}
END = {"record": "end", "status": "complete", "exit_code": 0, "elapsed": 1.0, "clock_sync_residual": None}
TEN = [1.0, 1.01, 0.99, 1.002, 0.998, 1.005, 0.995, 1.003, 0.997, 1.001]


def point(median, size=8, **more):
    estimate = {"mean": median, "standard_error": None, "confidence": 0.95, "interval": None, "median": median,
                "median_interval": [median * 0.95, median * 1.05], "min": median, "max": median}
    return {"record": "point", "benchmark": "Bcast", "at": {"ranks": 2, "bytes": size}, "quantity": "time", "unit": "s",
            "value": median, "status": "converged", "estimate": estimate, "attempts": 30, "valid": 30, "kept": 16,
            "invalid": {}, "derived": {}, "flags": [], "elapsed": 0.5} | more


def enumerated_p(xs, ys):
    """Returns the two-sided p of the rank sum, over all ways to divide the values between the sides."""
    pooled = sorted(xs + ys)
    rank = {value: statistics.mean(i for i, other in enumerate(pooled, 1) if other == value) for value in pooled}
    ranks = [rank[value] for value in xs + ys]
    mean = len(xs) * (len(pooled) + 1) / 2
    observed = abs(sum(ranks[:len(xs)]) - mean) - 1e-9
    sums = [abs(sum(some) - mean) for some in itertools.combinations(ranks, len(xs))]
    return sum(distance >= observed for distance in sums) / len(sums)


class Page(html.parser.HTMLParser):
    """Collects the elements of a page and checks that end tags match."""
    VOID = {"meta", "link", "br", "img", "hr"}

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.addresses = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()


class CompareTest(harness.ProgramTest):
    def run_it(self, *arguments, text=None):
        done = subprocess.run([MEASURE, "compare", *map(str, arguments)], input=text, capture_output=True, text=True,
                              errors="replace", cwd=self.folder, timeout=LIMIT)
        return harness.Ended(done.returncode, done.stdout, done.stderr, self.json)

    def file(self, name, *lines, torn=""):
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines) + torn)
        return path

    def runs(self, name, times, factor=1.0, run=RUN, **more):
        """Returns a file with one run for each time."""
        return self.file(name, *[line for time in times for line in (run, point(time * factor, **more), END)])

    def compared(self, *arguments, code=0):
        """Returns the document of --json, and the run of the command."""
        document = self.folder / "compared.json"
        ended = self.run_it("--json", document, *arguments)
        self.assertEqual(ended.code, code, ended.err)
        return harness.document(MEASURE, document.read_text()), ended

    def refused(self, *arguments, text, lines=1):
        ended = self.run_it(*arguments)
        self.assertEqual((ended.code, len(ended.err)), (2, lines), ended.err)
        self.assertIn(text, ended.err[0])
        self.assertEqual(ended.out, "")
        return ended

    # ---- programs of different suites

    def of_suite(self, name, times, suite, benchmark, semantics, point_of, **options):
        run = RUN | {"suite": suite, "program": suite, "options": RUN["options"] | options}
        return self.file(name, *[line for time in times
                                 for line in (run, point_of(time) | {"benchmark": benchmark, "semantics": semantics}, END)])

    BCAST = {"operation": "Bcast", "kind": "collective", "size": "whole", "share": 1.0, "messages": 0.0}

    def mpbench(self, name, times):
        """Returns broadcasts of 8 bytes, recorded as bandwidths."""
        def point_of(time):
            rate = 8 / time
            record = point(rate) | {"quantity": "bandwidth", "unit": "B/s", "at": {"ranks": 2, "bytes": 8, "repetition": 0}}
            record["estimate"] |= {"median_interval": [8 / (time * 1.05), 8 / (time * 0.95)]}
            return record
        return self.of_suite(name, times, "mpbench", "broadcast", self.BCAST, point_of, iterations=500, start=None)

    def test_a_bandwidth_and_a_time_of_one_operation_are_compared_and_their_methods_named(self):
        a = self.of_suite("a", TEN, "mpiperf", "Bcast", self.BCAST, point)
        document, ended = self.compared(a, self.mpbench("b", [time * 1.1 for time in TEN]))
        (found,) = document["points"]
        self.assertEqual((found["benchmark"], found["quantity"], found["verdict"]), ("Bcast", "time", "slower"))
        self.assertAlmostEqual(found["ratio"], 1.1)
        self.assertAlmostEqual(found["a"], statistics.median(TEN))
        self.assertEqual([difference["field"] for difference in document["differences"]], ["method"])
        (warning,) = ended.err
        self.assertIn("A is measured by mpiperf (synchronised starts, slowest process), B by mpbench (loop of calls and "
                      "an acknowledgement at its end, root): a difference may come from the methods", warning)

    def test_sides_selected_by_program_with_equal_methods_give_a_firm_verdict(self):
        a = self.of_suite("a", TEN, "mpiperf", "Bcast", self.BCAST, point)
        b = self.of_suite("b", TEN, "pmb", "Bcast of PMB", self.BCAST, point, root_shift=False)
        document, ended = self.compared("--between", "program", a, b)
        self.assertEqual(document["counts"], {"same": 1})
        self.assertTrue(ended.err[0].endswith("B by pmb (synchronised starts, slowest process)"), ended.err)

    def test_the_first_of_two_benchmarks_of_one_operation_is_used(self):
        run = RUN | {"suite": "skampi", "program": "skampi"}
        lines = [line for time in TEN for line in
                 (run, point(time) | {"benchmark": "MPI_Bcast-length", "semantics": self.BCAST},
                  point(time * 2) | {"benchmark": "MPI_Bcast-length-SM", "semantics": self.BCAST}, END)]
        document, ended = self.compared(self.file("a", *lines), self.mpbench("b", TEN))
        self.assertEqual(document["counts"], {"same": 1})
        self.assertTrue(any("A has several values of some points, only the first is used: MPI_Bcast-length-SM "
                            "ranks=2 bytes=8 is not compared" in line for line in ended.err), ended.err)

    def test_programs_without_a_common_operation_have_nothing_to_compare(self):
        a = self.of_suite("a", TEN, "mpiperf", "Scan", self.BCAST | {"operation": "Scan"}, point)
        ended = self.run_it(a, self.mpbench("b", TEN))
        self.assertEqual(ended.code, 2, ended.err)
        self.assertIn("nothing to compare", ended.err[-1])
        self.assertLessEqual(len(ended.err), 2, ended.err)

    # ---- verdicts

    def test_a_slowdown_of_10_percent_is_found(self):
        document, ended = self.compared(self.runs("a", TEN), self.runs("b", TEN, 1.1))
        self.assertEqual((ended.err, document["document"], document["counts"]), ([], "comparison", {"slower": 1}))
        (found,) = document["points"]
        self.assertAlmostEqual(found["ratio"], 1.1)
        self.assertLess(found["interval"][0], 1.1)
        self.assertLess(1.1, found["interval"][1])
        self.assertAlmostEqual(found["p"], 2 / math.comb(20, 10))
        self.assertEqual((found["n_a"], found["n_b"], found["noise_floor"]), (10, 10, None))
        self.assertEqual([(o["points"], o["verdict"]) for o in document["operations"]], [(1, "slower")])
        heading, row = (next(line for line in ended.out.splitlines() if line.startswith(word))
                        for word in ("verdict", "SLOWER"))
        self.assertEqual(heading.split(), "verdict benchmark ranks bytes A B unit change % interval % p".split())
        self.assertEqual(row.split()[:8], ["SLOWER", "Bcast", "2", "8", "1.000", "1.101", "s", "+10.0"])
        self.assertIn("# 10+10 launches\n", ended.out)

    @harness.not_quick
    def test_the_same_program_has_verdict_same(self):
        random.seed(5)
        launches = lambda: [line for _ in range(10) for line in
                            (RUN, *[point(1e-6 * random.lognormvariate(0, 0.006), size=i) for i in range(1, 101)], END)]
        document, _ = self.compared(self.file("a", *launches()), self.file("b", *launches()))
        self.assertEqual(len(document["points"]), 100)
        self.assertGreaterEqual(document["counts"]["same"], 95, document["counts"])
        self.assertNotIn("slower", document["counts"])

    def test_p_values_equal_those_of_an_exhaustive_computation(self):
        random.seed(3)
        cases = [([random.randrange(1, 9) for _ in range(n)], [random.randrange(1, 12) for _ in range(m)])
                 for n, m in ((5, 5), (6, 4), (8, 7), (2, 9), (7, 7))]
        sides = ([], [])
        for side in (0, 1):
            for i in range(max(len(case[side]) for case in cases)):
                sides[side].extend([RUN, *[point(case[side][i], size=k, benchmark=f"B{k}")
                                           for k, case in enumerate(cases) if i < len(case[side])], END])
        document, _ = self.compared(self.file("a", *sides[0]), self.file("b", *sides[1]))
        ps = [enumerated_p(*case) for case in cases]
        found = {p["at"]["bytes"]: p for p in document["points"]}
        running = 0
        for done, k in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
            self.assertAlmostEqual(found[k]["p"], ps[k], places=12)
            running = max(running, min(1, (len(ps) - done) * ps[k]))
            self.assertAlmostEqual(found[k]["adjusted_p"], running, places=12)
            self.assertAlmostEqual(found[k]["ratio"], statistics.median(cases[k][1]) / statistics.median(cases[k][0]))

    @harness.not_quick
    def test_a_result_is_reproducible_and_reversed_for_exchanged_sides(self):
        a, b = self.runs("a", TEN), self.runs("b", TEN, 1.1)
        first, again, back = (self.compared(*sides)[0]["points"][0] for sides in ((a, b), (a, b), (b, a)))
        self.assertEqual(first, again)
        self.assertEqual((first["verdict"], back["verdict"]), ("slower", "faster"))

    def test_operations_have_verdicts_even_if_their_points_are_unclear(self):
        random.seed(8)
        side = lambda by: [line for _ in range(8) for line in
                           (RUN, *[point(1e-6 * by * random.lognormvariate(0, 0.08), size=2 ** k, benchmark=name)
                                   for name in ("Bcast", "Reduce", "Scan") for k in range(7)], END)]
        document, ended = self.compared(self.file("a", *side(1)), self.file("b", *side(1.1)))
        self.assertEqual(document["operation_counts"], {"slower": 3})
        self.assertGreater(document["counts"]["unclear"], 10)
        for operation in document["operations"]:
            self.assertEqual(operation["points"], 7)
            self.assertLess(operation["interval"][0], operation["ratio"])
            self.assertLess(operation["ratio"], operation["interval"][1])
            self.assertGreater(operation["interval"][0], 1)
            sizes = [p for p in document["points"] if p["benchmark"] == operation["benchmark"]]
            self.assertTrue(all(p["adjusted_p"] >= operation["adjusted_p"] for p in sizes))
            self.assertTrue(all((p["adjusted_p"] < 0.05) == (p["interval"][0] > 1 or p["interval"][1] < 1)
                                for p in sizes), sizes)
        self.assertIn("# 3 operations: 3 slower; 21 points: ", ended.out)
        self.assertLess(ended.out.index("# Operations, 8+8 launches"), ended.out.index("# Bcast ranks=2, 8+8 launches"))

    def of_three(self, name, factors):
        """Returns launches of several operations at two sizes."""
        return self.file(name, *[line for t in TEN for line in
                                 (RUN, *[point(t * by, size=size, benchmark=operation) for operation, by in factors.items()
                                         for size in (8, 64)], END)])

    @harness.not_quick
    def test_differences_come_first_and_only_they_show_their_points(self):
        a = self.of_three("a", {"Bcast": 1, "Scan": 1, "Reduce": 1, "Gather": 1})
        b = self.of_three("b", {"Bcast": 1.1, "Scan": 1.001, "Reduce": 1.5, "Gather": 0.5})
        out = self.run_it(a, b).out
        first_words = lambda text: [line.split()[:2] for line in text.splitlines()
                                    if line.split()[0:1] in (["SLOWER"], ["faster"], ["same"])]
        self.assertEqual(first_words(out)[:4], [["SLOWER", "Reduce"], ["SLOWER", "Bcast"], ["faster", "Gather"],
                                                ["same", "Scan"]])
        self.assertEqual([words[1] for words in first_words(out)[4:]], ["8", "64"] * 3)
        self.assertIn("The points of 1 operation without a difference are not shown; use --all to show them",
                      out.replace("\n#  ", ""))
        self.assertEqual([line for line in out.splitlines() if len(line) > 80 and str(self.folder) not in line], [])
        everything = self.run_it("--all", a, b).out
        self.assertEqual([words[1] for words in first_words(everything)[4:]], ["8", "64"] * 4)
        self.assertNotIn("left out", everything)

    def test_a_terminal_shows_colours_unless_they_are_switched_off(self):
        a, b = self.of_three("a", {"Bcast": 1, "Gather": 1}), self.of_three("b", {"Bcast": 2, "Gather": 0.5})

        def on_terminal(**environment):
            terminal, end = pty.openpty()
            process = subprocess.Popen([MEASURE, "compare", a, b], stdout=end, cwd=self.folder,
                                       env={"PATH": os.environ["PATH"], "TERM": "xterm"} | environment)
            os.close(end)
            text = b""
            with contextlib.suppress(OSError):  # the other end is closed
                while part := os.read(terminal, 4096):
                    text += part
            os.close(terminal)
            self.assertEqual(process.wait(timeout=LIMIT), 0)
            return text.decode()

        shown = on_terminal()
        self.assertIn("\x1b[31mSLOWER\x1b[0m   Bcast", shown)
        self.assertIn("\x1b[32mfaster\x1b[0m   Gather", shown)
        self.assertNotIn("\x1b", on_terminal(NO_COLOR="1") + on_terminal(TERM="dumb") + self.run_it(a, b).out)
        page = self.run_it("--format", "html", a, b).out
        self.assertRegex(page, r'class="[^"]*\bbad">SLOWER<')
        self.assertRegex(page, r'class="[^"]*\bgood">faster<')
        # The page begins with the number of slower operations.
        tiles = re.search(r'<dl class="tiles">(.*?)</dl>', page, re.DOTALL)[1]
        self.assertRegex(tiles.split("</div>")[0],
                         r'<dt>Bcast\b.*</dt><dd class="number">\+\d+\.\d %</dd><dd>.* \.\. .*</dd><dd class="bad">SLOWER<')
        self.assertIn("faster", tiles.split("</div>")[1])
        self.assertNotIn("tiles", self.run_it("--format", "markdown", a, b).out)

    def test_barrier_counts_once_for_any_number_of_sizes(self):
        run = RUN | {"suite": "mpiperf"}
        side = lambda by: [line for t in TEN for line in
                           (run, *[point(t * by, size=2 ** k, benchmark="Barrier") for k in range(7)], END)]
        document, _ = self.compared(self.file("a", *side(1)), self.file("b", *side(1.1)))
        ((found,), (operation,)) = document["points"], document["operations"]
        self.assertEqual((found["at"], found["verdict"], found["adjusted_p"]), ({"ranks": 2}, "slower", found["p"]))

    @harness.not_quick
    def test_pairs_of_single_launches_have_no_verdict(self):
        random.seed(2)
        samples = lambda time: [{"stage": 1, "time": time * random.lognormvariate(0, 0.02), "span": None,
                                 "invalid": None} for _ in range(30)]
        runs = []
        for i in range(8):
            # Launches differ by 20 %, samples of one launch by 2 %.
            times = [1e-6 * (1 + k) * random.lognormvariate(0, 0.2) for k in range(21)]
            runs.append(self.file(f"r{i}", RUN | {"started": f"2025-01-31T10:00:{i:02}Z"},
                                  *[point(t, size=k, samples=samples(t)) for k, t in enumerate(times)], END))
        for a, b in zip(runs, runs[1:]):
            document, ended = self.compared("--fail-on", "slower", "--fail-on", "faster", "--fail-on", "unclear", a, b,
                                            code=4)
            self.assertEqual(document["counts"], {"one launch": 21})
            self.assertEqual({(p["p"], p["adjusted_p"], p["interval"]) for p in document["points"]}, {(None,) * 3})
            rows = [line for line in ended.out.splitlines() if line.startswith("one launch ")]
            self.assertEqual(len(rows), 22)
            # change, interval, p
            self.assertEqual({tuple(row.split()[-3:]) for row in rows}, {("-", "-", "-")})
            self.assertEqual([line for line in ended.err if "no verdict" not in line],
                             ["measure compare: warning: --fail-on: Bcast is undecided: "
                              "one side has a single launch"])
            self.assertEqual(document["means"], [])
        document, ended = self.compared("--single", "--fail-on", "slower", runs[0], runs[1], code=4)
        (found, *_) = document["points"]
        self.assertEqual((found["verdict"], found["p"]), ("one launch", None))
        a, b = found["a"], found["b"]
        self.assertEqual([round(x, 9) for x in found["interval"]],
                         [round(b * 0.95 / (a * 1.05), 9), round(b * 1.05 / (a * 0.95), 9)])
        self.assertEqual(len(document["means"]), 1)

    def test_one_disturbed_launch_does_not_change_the_verdict(self):
        disturbed = TEN[:4] + [TEN[4] * 1000] + TEN[5:]
        a, b, same = self.runs("a", TEN), self.runs("b", disturbed, 2), self.runs("same", disturbed)
        for options in ([], ["--noise", same], ["--own-noise"]):
            self.assertEqual(self.compared(*options, a, b)[0]["counts"], {"slower": 1})
            document, _ = self.compared(*options, b, a)
            self.assertEqual(document["counts"], {"faster": 1})
            self.assertIn("launches of A disagree", document["points"][0]["remarks"])
        self.assertEqual(self.compared(a, same)[0]["counts"], {"same": 1})

    def test_sides_launched_one_after_the_other_give_a_warning(self):
        def side(name, factor, hours):
            return self.file(name, *[line for t, hour in zip(TEN, hours) for line in
                                     (RUN | {"started": f"2025-01-31T{hour:02}:00:00Z"}, point(t * factor), END)])
        a = side("a", 1, range(10))
        text = "all launches of one side were made before the launches of the other side"
        self.assertIn(text, self.run_it(a, side("b", 1.1, range(10, 20))).err[0])
        self.assertIn(text, self.run_it(side("b", 1.1, range(10, 20)), a).err[0])
        self.assertEqual(self.run_it(a, side("c", 1.1, range(1, 11))).err, [])
        self.assertEqual(self.run_it(a, side("d", 1, range(10, 20))).err, [])

    def test_too_few_launches_are_reported_with_the_required_number(self):
        _, ended = self.compared(self.runs("a", TEN[:3]), self.runs("b", TEN[:3], 2))
        self.assertIn("too few launches to show a difference at 1 operation: at least 4", ended.err[0])

    def test_merged_records_are_compared_by_the_values_of_their_launches(self):
        merged = point(1.1, derived={"launch_medians": [t * 1.1 for t in TEN]})
        document, _ = self.compared(self.runs("a", TEN), self.file("m", RUN, merged, END))
        self.assertEqual((document["points"][0]["n_b"], document["points"][0]["verdict"]), (10, "slower"))

    # ---- sides, groups, noise

    def test_a_side_may_consist_of_several_files(self):
        files = [self.runs(f"{side}{i}", TEN[i:i + 2], factor) for side, factor in (("a", 1), ("b", 1.1))
                 for i in range(0, 10, 2)]
        document, _ = self.compared(*files[:5], "--", *files[5:])
        self.assertEqual((len(document["a"]), len(document["b"]), document["counts"]), (10, 10, {"slower": 1}))
        self.refused(*files, text="more than two files to compare")

    def test_launches_of_one_side_must_have_equal_settings(self):
        other = RUN | {"options": RUN["options"] | {"start": "barrier"}}
        mixed = self.file("mixed", RUN, point(1), END, other, point(2), END)
        self.refused(mixed, mixed, text="differ in options.start")
        self.assertEqual(self.run_it("--mixed", mixed, mixed).code, 0)
        ended = self.run_it(self.runs("a", TEN), self.runs("b", TEN, run=other))
        self.assertEqual((ended.code, len(ended.warnings())), (0, 1))
        self.assertIn("differ in options.start", ended.out)

    def test_groups_and_sides_by_the_two_values_of_a_field(self):
        other = RUN | {"mpi": {"library": "Open MPI 4.1.4", "standard": "3.1"}}
        lines = lambda factor: [line for t in TEN for run, by in ((RUN, 1), (other, factor))
                                for line in (run, point(t * by), END)]
        both, later = self.file("both", *lines(1.5)), self.file("later", *lines(3))
        document, ended = self.compared("--by", "mpi.library", both, later)
        self.assertEqual([(p["group"], p["verdict"]) for p in document["points"]],
                         [("MPICH 4.0.2", "same"), ("Open MPI 4.1.4", "slower")])
        self.assertEqual([(m["group"], round(m["ratio"], 9)) for m in document["means"]],
                         [("MPICH 4.0.2", 1), ("Open MPI 4.1.4", 2)])
        self.assertIn("# mpi.library: MPICH 4.0.2", ended.out)
        document, ended = self.compared("--between", "mpi.library", both)
        self.assertEqual([(p["ratio"], p["n_a"]) for p in document["points"]], [(1.5, 10)])
        self.assertIn("# B: mpi.library=Open MPI 4.1.4, 10 launches of halo", ended.out)
        self.refused("--by", "colour", both, both, text="--by: no point has 'colour'")

    def test_noise_turns_verdicts_into_unclear_and_never_adds_one(self):
        a, b = self.runs("a", TEN), self.runs("b", TEN, 1.03)
        self.assertEqual(self.compared(a, b)[0]["counts"], {"slower": 1})
        # exp(1.96 sqrt(2) Q_n), where Q_n of these values is 2.2219 * 0.512 times the third smallest distance,
        # ln(1.03/1).
        noise = self.runs("noise", [1, 1.03, 1.01, 1.06])
        document, ended = self.compared("--noise", noise, a, b)
        self.assertEqual(document["counts"], {"unclear": 1})
        logs = sorted(abs(math.log(x / y)) for x, y in itertools.combinations([1, 1.03, 1.01, 1.06], 2))
        floor = math.exp(1.959964 * math.sqrt(2) * 2.2219 * 0.512 * logs[2]) - 1
        self.assertAlmostEqual(document["points"][0]["noise_floor"], floor, places=6)
        self.assertIn("within the noise floor of", document["points"][0]["why"])
        self.assertEqual(self.compared("--noise", noise, a, self.runs("c", TEN, 1.0001))[0]["counts"], {"same": 1})
        document, _ = self.compared("--own-noise", "--threshold", "0.1%", a, b)
        self.assertTrue(0.005 < document["points"][0]["noise_floor"] < 0.0203, document["points"])
        self.assertEqual(document["counts"], {"slower": 1})
        document, _ = self.compared("--noise", self.runs("elsewhere", [1, 2], size=64), a, b)
        self.assertEqual(document["points"][0]["remarks"], ["no noise floor is known"])

    def test_noise_above_a_quarter_gives_a_warning_and_exit_code_4(self):
        a, b = self.runs("a", TEN), self.runs("b", TEN, 4)
        document, ended = self.compared("--noise", self.runs("noise", [1, 1.5, 0.8, 1.2, 0.7]), a, b, code=4)
        self.assertEqual(len(ended.err), 1)
        self.assertIn("the launches of --noise are too different to measure noise", ended.err[0])
        self.assertGreater(document["points"][0]["noise_floor"], 0.25)

    # ---- launches of one series with one set of settings

    def test_mpi_settings_are_listed_first_and_not_mixed_in_a_side(self):
        runs = [RUN | {"mpi_settings": {"MPIR_CVAR_X": x, "binding": "0|1"}, "kernel": f"Linux {x}"} for x in "12"]
        a, b = (self.runs(name, TEN, by, run=run) for name, by, run in (("a", 1, runs[0]), ("b", 1.1, runs[1])))
        document, ended = self.compared(a, b)
        self.assertEqual([d["field"] for d in document["differences"]], ["mpi_settings.MPIR_CVAR_X", "kernel"])
        self.assertEqual((ended.err, document["counts"]), ([], {"slower": 1}))
        self.assertLess(ended.out.index("mpi_settings.MPIR_CVAR_X: \"1\" and \"2\""), ended.out.index("slower"))
        self.refused(a, b, "--", b, text="differ in mpi_settings.MPIR_CVAR_X")
        self.assertEqual(self.run_it("--mixed", a, b, "--", b).code, 0)
        document, _ = self.compared("--between", "mpi_settings.MPIR_CVAR_X", self.file(
            "both", *[line for t in TEN for run, by in zip(runs, (1, 2)) for line in (run, point(t * by), END)]))
        self.assertEqual(document["counts"], {"slower": 1})

    @harness.not_quick
    def test_contents_of_files_may_differ_only_together_with_the_setting_that_names_them(self):
        def side(name, file, content):
            return self.runs(name, TEN, run=RUN | {"mpi_settings": {"RULES": file, "RULES (content)": content}})
        a, b, changed = side("a", "/a", "0a"), side("b", "/b", "0b"), side("c", "/b", "0c")
        self.refused(b, changed, "--", b, text='differ in mpi_settings.RULES (content): "0b" and "0c"')
        by = ("--by", "mpi_settings.RULES")
        ended = self.run_it(*by, a, b, "--", b, a)
        self.assertEqual(ended.code, 0, ended.err)
        self.refused(*by, a, b, changed, "--", b, a, text='differ in mpi_settings.RULES (content): "0b" and "0c"')
        self.assertEqual(self.run_it("--mixed", *by, a, b, changed, "--", b, a).code, 0)

    @harness.not_quick
    def test_launches_of_one_side_must_be_from_one_series(self):
        def side(name, day, **more):
            return self.runs(name, TEN, run=RUN | {"started": f"2025-{day}T10:00:00Z"} | more)
        january, november, next_day = side("a", "01-31"), side("b", "11-30"), side("c", "02-01")
        self.refused(january, november, "--", january, text="were not started within 24 hours")
        self.refused(january, "--", november, january, text="(use --join to combine them anyway)")
        self.assertEqual(self.run_it(january, next_day, "--", november).code, 0)
        self.assertEqual(self.run_it("--join", january, november, "--", november).code, 0)

    def test_a_damaged_line_is_named_and_prevents_the_comparison(self):
        a = self.runs("a", TEN)
        lines = self.runs("b", TEN, 1.0001).read_text().splitlines()
        damaged = self.folder / "damaged"
        damaged.write_text("\n".join(lines[:4] + ["x" + lines[4][1:]] + lines[5:]) + "\n")
        self.refused(a, damaged, text=f"{damaged}:5:1: error: this line is broken")
        (self.folder / "chatty").write_text("\n".join(["[mpiexec] hello"] + lines) + "\n")
        ended = self.run_it(a, "chatty")
        self.assertEqual((ended.code, len(ended.err)), (0, 1))
        self.assertIn("chatty:1: this line is not a record: [mpiexec] hello", ended.err[0])

    def test_points_on_one_side_only_are_listed_and_counted(self):
        lost = point(1, size=64) | {"value": None, "status": "crashed", "message": "data check", "estimate": None}
        a = self.file("a", RUN, point(1), point(1, size=16), point(1, size=64), END)
        b = self.file("b", RUN, point(1), lost, END)
        document, ended = self.compared("--single", a, b, code=4)
        self.assertEqual([(m["at"]["bytes"], m["only_in"], m["reason"]) for m in document["missing"]],
                         [(16, "a", "not measured"), (64, "a", "crashed: data check")])
        self.assertEqual(document["means"][0]["missing"], 2)
        self.assertIn("2 on one side only", ended.out)
        self.assertIn("incomparable: 2 points on one side only", ended.out)
        self.refused(self.runs("c", TEN), self.runs("d", TEN, size=32),
                     text="the sides have no point in common")
        zeros = self.file("f", RUN, point(0), END)
        self.refused("--single", a, zeros, text="Bcast ranks=2 bytes=8 of B: the value 0 is not above zero")

    def test_a_failed_check_exits_with_3(self):
        a, b = self.runs("a", TEN), self.runs("b", TEN, 1.1)
        for words, code in ((["slower"], 3), (["slower:5%"], 3), (["slower:20%"], 0), (["faster"], 0), (["unclear"], 0)):
            self.assertEqual(self.run_it("--fail-on", *words, a, b).code, code, words)
        self.assertEqual(self.run_it("--fail-on", "faster", "--fail-on", "unclear", b, a).code, 3)

    # ---- formats and files

    def test_all_formats_escape_foreign_text(self):
        run = RUN | {"program": "<script>alert(1)</script>|x"}
        name = "<img src=x onerror=alert(1)>|`*\x1b[31m"
        a, b = (self.runs(side, TEN, by, run=run, benchmark=name) for side, by in (("a", 1), ("b", 1.1)))
        texts = {}
        for kind in ("text", "markdown", "json", "html"):
            ended = self.run_it("--format", kind, a, b)
            self.assertEqual((ended.code, ended.err), (0, []))
            self.assertIn("slower", ended.out)
            texts[kind] = ended.out
        self.assertNotIn("\x1b", texts["text"] + texts["markdown"] + texts["html"])
        self.assertEqual(json.loads(texts["json"])["points"][0]["benchmark"], name)
        page = Page(texts["html"])
        self.assertNotIn("script", page.tags)
        self.assertNotIn("img", page.tags)
        self.assertEqual(page.addresses, [address for address in page.addresses if address.startswith("#")])
        rows = [line for line in texts["markdown"].splitlines() if line.startswith("|")]
        self.assertGreater(len(rows), 3)
        self.assertNotIn("<img", texts["markdown"])

    @plain
    def test_a_page_shows_the_ratios_as_a_plot(self):
        line = lambda by: [x for t in TEN for x in (RUN, *[point(t * by, size=2 ** k) for k in (3, 0, 2, 1)], END)]
        ended = self.run_it("--format", "html", "-o", "page.html", self.file("a", *line(1)), self.file("b", *line(1.1)))
        self.assertEqual((ended.code, ended.out, ended.err), (0, "", []))
        page = Page((self.folder / "page.html").read_text())
        self.assertIn("table", page.tags)
        self.assertIn("svg", page.tags)
        # A curve goes from left to right, whatever the order of the measurements.
        line = re.search(r'class="line"[^>]* d="M([^"]*)"', (self.folder / "page.html").read_text())[1]
        places = [float(place.split()[0]) for place in line.split("L")]
        self.assertEqual((len(places), places), (4, sorted(places)))
        self.assertFalse((self.folder / "page.html.part").exists())

    def test_outputs_go_to_the_requested_files(self):
        a, b = self.runs("a", TEN), self.runs("b", TEN, factor=1.0001)
        ended = self.run_it("--json", "-", a, b)
        self.assertEqual(json.loads(ended.out)["counts"], {"same": 1})
        self.assertIn("# A and B compared", ended.err)
        before = a.read_text()
        self.refused("-o", a, a, b, text=f"-o: '{a}' is an input")
        self.refused("--json", a, a, b, text=f"--json: '{a}' is an input")
        self.refused("-o", "x", "--json", "./x", a, b, text="--json: './x' is the file of -o")
        self.refused("-o", "/nonexistent/x", a, b, text="cannot write '/nonexistent/x")
        self.assertEqual(a.read_text(), before)

    def test_standard_input_can_be_a_side(self):
        a = self.runs("a", TEN)
        ended = self.run_it(a, "-", text=self.runs("b", TEN, factor=1.0001).read_text())
        self.assertEqual((ended.code, ended.err), (0, []))

    def test_a_duplicate_run_counts_once(self):
        a, b = self.runs("a", TEN), self.runs("b", TEN, factor=1.1)
        document, ended = self.compared("--format", "md", a, a, "--", b)
        self.assertEqual((document["points"][0]["n_a"], document["points"][0]["n_b"]), (10, 10))
        self.assertEqual(len(ended.err), 1)
        self.assertIn(f"'{a}:1' is the same run as '{a}:1' (and 9 more duplicates); each run counts once", ended.err[0])
        (warning,) = self.run_it(a, b, "--", a).err
        self.assertIn("are the same run on both sides", warning)

    def test_merging_adds_no_differences_between_the_sides(self):
        files = []
        for name, factor in (("a", 1.0), ("b", 1.1)):
            file = self.folder / f"{name}.merged"
            starts = self.runs(name, TEN, factor=factor)
            subprocess.run([MEASURE, "merge", "--quiet", starts, "-o", file], stdout=subprocess.DEVNULL, check=True)
            files.append(file)
        document, ended = self.compared(*files)
        self.assertEqual((ended.err, document["differences"], document["counts"]), ([], [], {"slower": 1}))
        self.assertEqual(document["points"][0]["n_a"], 10)

    def test_more_ranks_than_cores_give_a_warning(self):
        crowded = RUN | {"oversubscribed": True}
        ended = self.run_it(self.runs("a", TEN, run=crowded), self.runs("b", TEN, factor=1.0001, run=crowded))
        self.assertIn("more ranks than cores", ended.err[0])

    def test_torn_and_unfinished_files_are_accepted(self):
        a = self.runs("a", TEN)
        torn = self.file("torn", RUN, point(1), torn='{"record":"point","bench')
        ended = self.run_it("--quiet", a, torn)
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertIn("has no end line", self.run_it(a, torn).err[0])

    @harness.not_quick
    def test_all_foreign_files_are_named(self):
        a = self.runs("a", TEN)
        texts = {"binary": b"\x00\xff\xfe\x7fELF", "page": b"<html><script>x</script></html>\n", "other": b'{"a": 1}\n',
                 "list": b"[1, 2]\n", "empty": b"", "deep": b'{"record":' + b"[" * 100000 + b"\n",
                 "number": json.dumps(RUN).encode() + b'\n{"record":"point","value":1e400}\n',
                 "types": json.dumps(RUN).encode() + b'\n{"record":"point","benchmark":7}\n',
                 "bytes": json.dumps(RUN).encode() + b'\n{"record":"point","benchmark":"\xff\xfe"}\n'}
        for name, content in texts.items():
            (self.folder / name).write_bytes(content)
        ended = self.run_it(a, *list(texts)[:3], "--", *list(texts)[3:])
        self.assertEqual((ended.code, len(ended.err)), (2, len(texts)))
        for name, line in zip(texts, ended.err):
            self.assertRegex(line, f"^measure compare: {name}:[12]:1: error: ")
        self.refused(a, "nonexistent", text="cannot read 'nonexistent'")
        self.refused(a, self.folder, text=f"{self.folder}:1:1: error: cannot read")

    # ---- states of the machine

    def launches_in(self, name, letters, by="", factor=1.0, line=30e-9):
        """Returns a launch for each letter: a Bcast takes about 1 us in '.', 2 us in 'H', 4 us in 'M' and 8 us in 'L',
        times `factor` for letters in `by`."""
        lines = []
        for i, letter in enumerate(letters):
            wobble = TEN[i * 3 % 10]
            level = ".HML".index(letter)
            bcast = wobble * 1e-6 * 2 ** level * (factor if letter in by else 1)
            control = TEN[i % 10] * line * 4 ** level
            lines += [RUN | {"suite": "mpiperf", "program": "mpiperf"}, point(bcast),
                      point(control, benchmark="Cacheline", at={"ranks": 2, "bytes": 0}), END]
        return self.file(name, *lines)

    def test_launches_are_compared_within_states_of_the_machine(self):
        few, many = "HH........", "HHHHHHHH.."
        document, ended = self.compared(self.launches_in("a", few), self.launches_in("b", many))
        (bcast,) = document["operations"]
        self.assertNotIn(bcast["verdict"], ("slower", "faster"))
        self.assertAlmostEqual(bcast["ratio"], 1, delta=0.01)
        self.assertEqual([(state["n_a"], state["n_b"]) for state in document["states"]], [(8, 2), (2, 8)])
        self.assertAlmostEqual(document["states"][1]["centres"]["Cacheline"] * 1e9, 120, delta=2)
        self.assertIn("# The machine was in 2 states: cache line 30 ns (50 % of launches), 120 ns (50\n", ended.out)
        # Controls are reported separately and are not operations.
        self.assertEqual([control["benchmark"] for control in document["controls"]], ["Cacheline"])
        self.assertFalse(document["controls"][0]["changed"])
        self.assertEqual(document["means"][0]["points"], 1)
        slower, _ = self.compared(self.launches_in("a", few), self.launches_in("b", many, by=".H", factor=1.1))
        self.assertEqual(slower["operations"][0]["verdict"], "slower")
        self.assertAlmostEqual(slower["operations"][0]["ratio"], 1.1, delta=0.01)

    def test_a_change_in_one_state_only_is_reported_as_such(self):
        half = "H." * 12
        document, ended = self.compared(self.launches_in("a", half), self.launches_in("b", half, by="H", factor=1.2))
        (bcast,) = document["operations"]
        verdicts = {state["verdict"] for state in bcast["by_state"]}
        self.assertEqual(verdicts, {"same", "slower"}, bcast)
        self.assertEqual(bcast["verdict"], "slower")
        self.assertIn("SLOWER +20.", ended.out)

    def test_a_change_in_one_of_four_states_is_reported_as_such(self):
        quarter = ".HML" * 12
        document, _ = self.compared(self.launches_in("a", quarter), self.launches_in("b", quarter, by="L", factor=1.2))
        (bcast,) = document["operations"]
        self.assertEqual([state["verdict"] for state in bcast["by_state"]], ["same", "same", "same", "slower"], bcast)

    def test_sides_without_a_common_state_have_no_comparison(self):
        document, ended = self.compared(self.launches_in("a", "." * 10), self.launches_in("b", "H" * 10))
        self.assertEqual([o["verdict"] for o in document["operations"]], ["machine"])
        self.assertTrue(document["controls"][0]["changed"])
        self.assertIn("No state has launches of both sides, so there is no comparison",
                      " ".join(ended.out.replace("#", "").split()))
        self.compared("--fail-on", "unclear", self.launches_in("a", "." * 10), self.launches_in("b", "H" * 10), code=3)

    def test_records_of_controls_only_are_compared_like_operations(self):
        lines = lambda factor: [line for t in TEN for line in
                                (RUN | {"suite": "mpiperf"}, point(t * 1e-6 * factor, benchmark="Memcpy"), END)]
        document, _ = self.compared(self.file("a", *lines(1)), self.file("b", *lines(1.2)))
        self.assertEqual([o["verdict"] for o in document["operations"]], ["slower"])

    def test_sides_are_named_once_and_campaigns_may_have_different_tests(self):
        def starts(name, tests):
            run = RUN | {"campaign": {"id": name, "launch": 1}, "options": RUN["options"] | {"tests": tests}}
            (self.folder / name).mkdir()
            return self.file(f"{name}/launches.jsonl", *[line for t in TEN for line in (run, point(t), END)])
        a, b = starts("monday", ["Bcast"]), starts("tuesday", ["Bcast", "Scan"])
        ended = self.run_it(a, b)
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertNotIn("The sides differ", ended.out)
        self.assertRegex(ended.out, r"(?m)^# A: 10 launches of halo[^:]*: monday/launches.jsonl$")
        self.assertRegex(ended.out, r"(?m)^# B: 10 launches of halo[^:]*: tuesday/launches.jsonl$")

    def test_hostile_values_are_handled_safely(self):
        odd = [point(value, size=i) for i, value in enumerate((1e308, 1e-308, 5e-324, 0, -1))]
        document, ended = self.compared(self.file("a", RUN, *odd, END), self.file("b", RUN, *reversed(odd), END))
        self.assertEqual(len(document["points"]) + len(document["missing"]), 3, document)
        self.assertEqual(ended.errors(), [])
        huge = point(1) | {"derived": {"launch_medians": ["x", None, {}, [], True, 1e308]}}
        document, _ = self.compared(self.file("c", RUN, huge, END), self.file("d", RUN, point(1), END))
        self.assertEqual((document["points"][0]["n_a"], document["points"][0]["a"]), (1, 1e308))


if __name__ == "__main__":
    harness.main(sys.argv[4:])
