#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure pairs from outside: results for the ranks of this machine, injected faults, and wrong arguments.

usage: measure_pairs_test.py MEASURE VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]

How reliably it finds slow pairs is tested with known times: unit tests with a model, and simulated networks.
"""
import csv
import json
import os
import pathlib
import signal
import sys
import time
import unittest

import harness
from harness import LIMIT, figures, slow

MEASURE = str(pathlib.Path(sys.argv[1]).resolve())
harness.ProgramTest.tools(*sys.argv[2:5])

QUICK = ("--repetitions", 2, "--trips", 3, "--windows", 2, "--size", "4k", "--window", 4)


class PairsTest(harness.ProgramTest):
    def pairs(self, *arguments, ranks=3, code=0, quick=True, **words):
        process = self.launch(MEASURE, "pairs", *(QUICK if quick else ()), *arguments, ranks=ranks, **words)
        out, err = process.communicate(timeout=LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        if code is not None:
            self.assertEqual(ended.code, code, out + err)
        for line in ended.records if self.json.exists() else []:
            if line["record"] == "summary":
                harness.schema(MEASURE, "pairs").validate(line["derived"])
        return ended

    def assert_says(self, ended, words):
        """Checks for words, wherever the text breaks its lines."""
        self.assertIn(words, " ".join(ended.out.split()))

    def refused(self, *arguments, **words):
        ended = self.pairs(*arguments, code=2, **words)
        self.assertEqual(len(ended.errors()), 1, ended.err)
        self.assertEqual(ended.out, "")
        return ended.errors()[0]


class MeasuredTest(PairsTest):
    @harness.not_quick
    def test_every_pair_is_in_the_record_and_in_the_table(self):
        for ranks in (2, 3, 4):
            ended = self.pairs("--csv", self.folder / "pairs.csv", ranks=ranks)
            self.assert_valid(ended)
            pairs = {(i, j) for i in range(ranks) for j in range(i + 1, ranks)}
            both = pairs | {(j, i) for i, j in pairs}
            for name, wanted, quantity in (("Pair_latency", pairs, "time"), ("Pair_bandwidth", both, "bandwidth")):
                points = [point for point in ended.points if point["benchmark"] == name]
                self.assertEqual({(point["at"]["from"], point["at"]["to"]) for point in points}, wanted)
                self.assertEqual(len(points), len(wanted))
                for point in points:
                    self.assertEqual(point["quantity"], quantity)
                    self.assertGreater(point["value"], 0)
                    self.assertEqual(point["valid"], 2)
                    self.assertEqual(point["stop_reason"], "count")
            rows = list(csv.DictReader((self.folder / "pairs.csv").read_text().splitlines()))
            self.assertEqual({(int(row["from"]), int(row["to"])) for row in rows if row["quantity"] == "latency"}, pairs)
            self.assertEqual({(int(row["from"]), int(row["to"])) for row in rows if row["quantity"] == "bandwidth"}, both)
            self.assertTrue(all(float(row["value"]) > 0 and row["n"] == "2" for row in rows))
            self.assertRegex(ended.out, rf"^# expected: {2 * (ranks - 1 + ranks % 2)} rounds, \d+ s\n")
            self.assert_says(ended, f"{len(pairs)} of {len(pairs)} pairs of {ranks} nodes, each 2 times")
            self.assert_says(ended, "Not tested: with fewer than 5 nodes")
            summary = next(r for r in ended.records if r["record"] == "summary")
            self.assertEqual(summary["derived"]["measured"], len(pairs))
            self.assertEqual(summary["derived"]["findings"], [])

    def test_one_quantity_can_be_selected(self):
        ended = self.pairs("--what", "latency", "--latency-size", 0, ranks=2)
        self.assertEqual([point["benchmark"] for point in ended.points], ["Pair_latency"])
        self.assertEqual(ended.points[0]["at"]["bytes"], 0)
        self.assertNotIn("bandwidth", ended.out)

    @harness.not_quick
    def test_each_mode_has_its_points(self):
        for mode, modes in (("alone", ["alone"]), ("loaded", ["loaded"]), ("both", ["hosts", "loaded"])):
            ended = self.pairs("--mode", mode, "--what", "latency", ranks=4)
            self.assertEqual([m for m in modes if any(p["at"]["mode"] == m for p in ended.points)], modes)
            self.assertEqual(len(ended.points), 6 * len(modes))
            self.assertEqual("loaded by the other pairs" in ended.out, mode == "both")

    @harness.not_quick
    def test_more_ranks_than_cores_get_no_statistical_test(self):
        ended = self.pairs(ranks=6, cores={0, 1} if (os.cpu_count() or 1) > 1 else {0})
        self.assert_says(ended, "Not tested: with more ranks than cores")
        self.assertTrue(all("oversubscribed" in point["flags"] for point in ended.points))

    def test_ranks_on_one_core_are_reported(self):
        ended = self.pairs("--what", "latency", "--latency-size", 0, ranks=2, cores={min(os.sched_getaffinity(0))})
        self.assert_says(ended, "note rank 0 and rank 1 are bound to the same core")

    def test_a_table_on_stdout_moves_the_text_to_stderr(self):
        ended = self.pairs("--csv", "-", ranks=2)
        self.assertTrue(ended.out.startswith("from,to,host_from"))
        self.assertEqual(len(ended.out.splitlines()), 1 + 1 + 2)
        self.assertTrue(any("pairs of 2 nodes" in line for line in ended.err))

    def test_other_commands_accept_the_record(self):
        self.pairs("--what", "latency", ranks=2)
        page, archive = self.folder / "report.html", self.folder / "archive.sqlite"
        for command in (("report", "-o", page), ("show",), ("archive", "add", "-a", archive)):
            process = self.launch(MEASURE, *command, self.json, ranks=0, record=False)
            _, err = process.communicate(timeout=LIMIT)
            self.assertIn(process.returncode, (0, 4), (command, err))
        self.assertIn("Pair_latency", page.read_text())
        self.assertTrue(archive.exists())

    @harness.not_quick
    def test_the_number_of_rounds_can_be_limited(self):
        ended = self.pairs("--rounds", 1, ranks=4)
        self.assertEqual(len([p for p in ended.points if p["benchmark"] == "Pair_latency"]), 2)
        self.assert_says(ended, "33 % of all pairs meet in 1 round")
        # Each repetition has the same rounds.
        self.assertTrue(all(point["valid"] == 2 for point in ended.points))


class PlanTest(PairsTest):
    def plan(self, *arguments, ranks=4):
        ended = self.pairs("--list", *arguments, ranks=ranks, quick=False)
        self.assertEqual(ended.points, [])
        return [line for line in ended.out.splitlines() if line.startswith("repetition")]

    @harness.not_quick
    def test_each_pair_meets_once_per_repetition(self):
        rounds = self.plan("--mode", "loaded", "--repetitions", 2)
        self.assertEqual(len(rounds), 2 * 3)
        for repetition in (rounds[:3], rounds[3:]):
            pairs = [pair for line in repetition for pair in line.partition(": ")[2].split()]
            self.assertEqual(sorted(pairs), ["0-1", "0-2", "0-3", "1-2", "1-3", "2-3"])

    @harness.not_quick
    def test_each_repetition_draws_a_new_order(self):
        rounds = [line.partition(": ")[2] for line in self.plan("--mode", "loaded", "--repetitions", 7, "--seed", 3)]
        self.assertEqual(len(rounds), 7 * 3)
        self.assertGreater(len({tuple(rounds[first:first + 3]) for first in range(0, 21, 3)}), 1)

    @slow
    def test_the_seed_determines_the_plan(self):
        self.assertEqual(self.plan("--seed", 3), self.plan("--seed", 3))
        self.assertNotEqual(self.plan("--seed", 3), self.plan("--seed", 4))

    @harness.not_quick
    def test_pairs_of_one_host_are_measured_one_at_a_time(self):
        self.assertTrue(all(" | " in line for line in self.plan()))


class FaultTest(PairsTest):
    @harness.not_quick
    def test_a_changed_byte_is_found(self):
        ended = self.pairs("--data-check", code=3, environment={"MEASURE_TEST_WRONG_BYTE": "2-1"})
        self.assert_says(ended, "data from rank 2 to rank 1 arrive corrupted: first wrong byte 7")
        summary = next(r for r in ended.records if r["record"] == "summary")
        finding, = summary["derived"]["findings"]
        self.assertEqual((finding["kind"], finding["members"]), ("corrupt", ["rank 2", "rank 1"]))
        self.pairs("--data-check")

    @slow
    def test_a_pair_without_an_answer_is_a_finding_and_the_run_continues(self):
        # A late answer counts as none: the asking rank has given up and reports it.
        for fault, pair, limits in (("SILENT", "1-2", 3), ("SILENT", "2-1", 3), ("LATE", "1-2", 6)):
            begin = time.monotonic()
            ended = self.pairs("--timeout", "2s", ranks=3, code=3, environment={f"MEASURE_TEST_{fault}": pair})
            self.assertLess(time.monotonic() - begin, limits * 2 + 3)  # + 3 s for the launch
            self.assert_says(ended, "no answer: rank 1 - rank 2 timed out twice (2 s)")
            self.assert_valid(ended)
            summary = next(r for r in ended.records if r["record"] == "summary")["derived"]
            finding, = summary["findings"]
            self.assertEqual((finding["kind"], finding["members"]), ("no answer", ["rank 1", "rank 2"]))
            latencies = [(p["at"]["from"], p["at"]["to"]) for p in ended.points if p["benchmark"] == "Pair_latency"]
            self.assertEqual(latencies, [(0, 1), (0, 2)])

    @figures
    @unittest.skipIf(harness.OPEN_MPI, "its ranks are numbered otherwise")
    @unittest.skipIf(len(os.sched_getaffinity(0)) < 6, "fewer than six cores")
    def test_a_slow_pair_of_bound_ranks_is_the_only_finding(self):
        cores = " ".join(map(str, sorted(os.sched_getaffinity(0))))
        bound = 'exec taskset -c "$(echo $CORES | cut -d " " -f $((PMI_RANK + 1)))" "$@"'
        for fault in ("1-3:1.5", *5 * [""]):
            environment = {"CORES": cores} | ({"MEASURE_TEST_PAIR": fault} if fault else {})
            process = self.launch("sh", "-c", bound, "sh", MEASURE, "pairs", "--what", "latency", "--latency-size", "64k",
                                  ranks=6, environment=environment)
            out, err = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 3 if fault else 0, out + err)
            ended = harness.Ended(process.returncode, out, err, self.json)
            summary = next(r for r in ended.records if r["record"] == "summary")["derived"]
            self.assertEqual([f["members"] for f in summary["findings"] if f["confirmed"]],
                             [["rank 1", "rank 3"]] if fault else [])

    @slow
    def test_an_injected_delay_appears_in_the_time_of_the_pair(self):
        ended = self.pairs("--what", "latency", environment={"MEASURE_TEST_PAIR": "0-2:1000"})
        times = {(p["at"]["from"], p["at"]["to"]): p["value"] for p in ended.points}
        self.assertGreater(times[0, 2], 10 * times[0, 1])
        self.assertGreater(times[0, 2], 10 * times[1, 2])

    @slow
    def test_a_pair_that_hangs_is_named(self):
        ended = self.pairs("--what", "latency", "--watchdog", "1s", code=None, environment={"MEASURE_TEST_PAIR": "1-2:1e12"})
        # Hydra kills ranks that have not ended yet, and may report that instead.
        self.assertIn(ended.code, (1, 9))
        self.assertEqual(ended.end["exit_code"], 1)
        self.assertTrue(any("rank 1 - rank 2" in line for line in ended.errors()), ended.err)
        self.assertEqual(ended.end["status"], "failed")

    @harness.not_quick
    def test_a_signal_leaves_the_results_so_far(self):
        process = self.launch(MEASURE, "pairs", "--repetitions", 1000, "--what", "latency", ranks=3)
        # One round has ended.
        self.assertRegex(process.stdout.readline(), r"^# expected: 3000 rounds, \d+ s$")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        number, codes = harness.after_signal_to_launcher(signal.SIGTERM)
        self.assertIn(ended.code, codes, out + err)
        self.assertEqual((ended.end["status"], ended.end["exit_code"]), ("interrupted", 128 + number))
        self.assertEqual({point["stop_reason"] for point in ended.points}, {"interrupted"})
        self.assert_valid(ended)

    @harness.not_quick
    def test_a_spent_budget_leaves_the_remaining_pairs_unmeasured(self):
        ended = self.pairs("--repetitions", 1000, "--time-budget", "500ms", code=4, quick=False)
        self.assertTrue(all(point["status"] == "exhausted" for point in ended.points))
        self.assert_says(ended, "0 of 3 pairs")
        self.assertNotIn("clean", ended.out)
        self.assert_valid(ended)


class CompareTest(PairsTest):
    @harness.not_quick
    def test_two_records_can_be_compared(self):
        runs = []
        for name, fault in (("old", {}), ("new", {"MEASURE_TEST_PAIR": "0-2:20"})):
            runs.append(self.folder / f"{name}.jsonl")
            self.pairs("--what", "latency", "--json", runs[-1], record=False, environment=fault)
        ended = self.pairs("--compare", "--what", "latency", *runs, ranks=2, quick=False)
        self.assert_valid(ended)
        self.assertEqual(ended.points, [])
        summary = next(r for r in ended.records if r["record"] == "summary")
        self.assertIn("fewer than 5 nodes", summary["derived"]["untested"])
        self.assertEqual(summary["derived"]["pairs"], 3)
        self.assertIn("as a whole against the reference", ended.out)

    @harness.not_quick
    def test_records_that_cannot_be_compared_are_refused(self):
        run, table = self.folder / "run.jsonl", self.folder / "pairs.csv"
        self.pairs("--what", "latency", "--json", run, "--csv", table, ranks=2, record=False)
        for words, text in (((run, run, "--what", "bandwidth"), "neither run has the quantity given by --what"),
                            ((run, table), "this is not a record file"), ((run, self.folder / "none"), "none")):
            with self.subTest(words):
                self.assertIn(text, self.refused("--compare", *words, quick=False, ranks=2, record=False))


class RefusedTest(PairsTest):
    def test_an_unwritable_table_is_refused(self):
        self.assertIn("/nowhere/pairs.csv", self.refused("--csv", "/nowhere/pairs.csv", record=False))

    @harness.not_quick
    def test_an_unusable_reference_is_refused(self):
        self.pairs("--what", "latency", ranks=2)
        self.assertIn("it has no bandwidth of these pairs", self.refused("--reference", self.json, record=False, ranks=2))
        self.assertIn("is an input", self.refused("--reference", self.json, ranks=2))
        self.pairs("--what", "latency", "--reference", self.json, ranks=2, record=False)

    def test_unknown_groups_are_refused(self):
        racks = self.folder / "racks"
        racks.write_text("other rack\n")
        self.assertIn("has no group", self.refused("--groups", racks, record=False))

    def test_a_selection_without_pairs_is_refused(self):
        # All ranks are on one socket, or not bound to a socket.
        self.assertRegex(self.refused("--per", "socket", record=False),
                         "all ranks are on the same socket or core|--per socket: rank 0 is not bound to a socket")

    @harness.not_quick
    def test_more_pairs_than_fit_into_the_memory_of_rank_0_are_refused(self):
        said = self.refused(environment={"MEASURE_TEST_PAIRS_MEMORY": "0.5 kB"})
        self.assertIn("the values of 3 pairs of 3 nodes need", said)
        self.assertIn("use fewer ranks, or --per host", said)
        self.assertEqual(self.json.read_text() if self.json.exists() else "", "")
        self.pairs(environment={"MEASURE_TEST_PAIRS_MEMORY": "100 kB"})

    def test_a_refused_run_overwrites_no_file(self):
        table = self.folder / "pairs.csv"
        table.write_text("kept")
        self.refused("--csv", table, "--size", 0, record=False)
        self.refused("--csv", table, ranks=1, record=False)
        self.assertEqual(table.read_text(), "kept")


if __name__ == "__main__":
    harness.main(sys.argv[5:])
