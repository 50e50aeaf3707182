#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""skampi from outside: parameter files, measurements, statistics, refinement, recovery.

usage: skampi_test.py SKAMPI VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]

YIELD_HELPER is preloaded if there are more ranks than cores; empty: not needed. If PMB-MPI1 was built next to skampi,
skampi's ping-pong is compared with that of PMB-MPI1.
"""
import collections
import functools
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import harness
from harness import LIMIT, figures, plain, slow
from skampi_files import (FLAGS, NOT_CONVERGED, SUFFIX, Journal, Output, block, demand, params)

SKAMPI = str(pathlib.Path(sys.argv[1]).resolve())
PMB = pathlib.Path(SKAMPI).parents[1] / "pmb" / "PMB-MPI1"
harness.ProgramTest.tools(*sys.argv[2:5])

SIMPLE = "MPI_Wtime MPI_Comm_rank MPI_Comm_size MPI_Iprobe Buffer_attach".split()
EXCHANGES = ("MPI_Send-MPI_Recv MPI_Send-MPI_Iprobe_Recv MPI_Send-MPI_Irecv MPI_Send-MPI_Recv_with_Any_Tag "
             "MPI_Ssend-MPI_Recv MPI_Isend-MPI_Recv MPI_Bsend-MPI_Recv MPI_Sendrecv MPI_Sendrecv_replace "
             "MPI_Issend-MPI_Recv").split()
MASTERS = "MPI_Waitsome MPI_Waitany MPI_Recv_Any_Source MPI_Send MPI_Ssend MPI_Isend MPI_Bsend".split()
THREE = "-length -nodes-short -nodes-long"
COLLECTIVES = {
    "MPI_Bcast": THREE, "MPI_Barrier": "-nodes",
    **dict.fromkeys("MPI_Reduce MPI_Allreduce MPI_Reduce_Bcast MPI_Reduce_scatter MPI_Reduce_Scatterv MPI_Scan".split(),
                    "-length -nodes"),
    **dict.fromkeys("MPI_Alltoall MPI_Alltoallv MPI_Gather Gather_SR Gather_ISWA MPI_Gatherv MPI_Allgather "
                    "MPI_Allgatherv MPI_Scatter MPI_Scatterv".split(), THREE),
    "MPI_Commsplit": "-nodes", "MPI_Alltoall_Isend_Irecv": "", "MPI_Comm_dup": "", "Bcast_SR": "",
}
ONE_SIDED = [f"MPI_{access}-{epoch}" for access in ("Put", "Get", "Accumulate") for epoch in ("fence", "pscw", "lock")]
KERNELS = "Halo_2D Halo_3D Transpose CG_iteration".split()
DEFAULT = (SIMPLE + EXCHANGES + ["MPI_Waitsome-length", "MPI_Waitsome-chunks", "MPI_Waitsome-nodes"]
           + [name + "-length" for name in MASTERS[1:]]
           + [name + suffix for name, suffixes in COLLECTIVES.items() for suffix in suffixes.split()])

# The worked example: a curve with a jump.
JUMP = "jump:10,0.010,3000,45,0.008"
EXAMPLE = {"Start_Argument": 256, "End_Argument": 16384, "Stepwidth": 2, "Multiple_of": 4, "Min_Distance": 8,
           "Standard_Error": 0.05}
STRAIGHT = "jump:5,0.001"
FEW = {"Scale": "Fixed_log", "Start_Argument": 4, "End_Argument": 64, "Stepwidth": 4}  # 4, 16, 64
TINY = {"MEMORY": "64kB", "MINREPDEFAULT": 2, "MAXREPDEFAULT": 2}  # short runs, for tests that do not examine times
# Measurements for recovery tests: all patterns, and rank 1 takes part in the first, the middle and the last.
MEMBERS = ["MPI_Send-MPI_Recv", "MPI_Wtime", "MPI_Bcast-length", "MPI_Comm_rank", "MPI_Waitsome-length"]
RECOVERY = params(*(block(name, **({} if name in SIMPLE else FEW)) for name in MEMBERS), **TINY)


class Ended(harness.Ended):
    """A finished run, with the output file and the journal in its folder."""

    def __init__(self, code, out, err, record):
        super().__init__(code, out, err, record)
        self.files = {path.name: path.read_bytes() for path in record.parent.iterdir() if path.is_file()}
        # On SIGINT hydra prints lines itself.
        self.out = "".join(line for line in out.splitlines(True) if not line.startswith("[mpiexec@"))

    def output(self, name="skampi.out"):
        return Output(self.files[name].decode())

    @functools.cached_property
    def blocks(self):
        return self.output().blocks

    def __getitem__(self, name):
        return self.output()[name]

    @property
    def journal(self):
        return Journal(self.files["skampi.log"].decode())

    def rows(self):
        return [row for one in self.blocks for row in one.rows]

    def summary(self, name):
        found, = [r for r in self.records if r["record"] == "summary" and r["name"] == name]
        return found


class SkampiTest(harness.ProgramTest):
    def clean(self):
        for path in self.folder.iterdir():
            if path.is_file():
                path.unlink()

    def snapshot(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def restore(self, files):
        self.clean()
        for name, data in files.items():
            (self.folder / name).write_bytes(data)

    def configure(self, text):
        # Written as bytes, so that line ends stay unchanged.
        (self.folder / ".skampi").write_bytes(text.encode() if isinstance(text, str) else text)

    def start(self, *arguments, text=None, **keywords):
        if text is not None:
            self.configure(text)
        return self.launch(SKAMPI, *arguments, cwd=self.folder, **keywords)

    def run_it(self, *arguments, limit=LIMIT, **keywords):
        process = self.start(*arguments, **keywords)
        out, err = process.communicate(timeout=limit)
        return Ended(process.returncode, out, err, self.json)

    def measure(self, text, *arguments, code=0, **keywords):
        """Runs skampi anew; it must finish with a complete output file and a record that agrees with it."""
        self.clean()
        ended = self.run_it(*arguments, text=text, **keywords)
        self.assert_complete(ended, code)
        return ended

    def check(self, text, *arguments, ranks=2):
        """Returns the output of --check for a good parameter file: a line for each measurement."""
        self.clean()
        ended = self.run_it("--check", *arguments, text=text, ranks=ranks, record=False)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(set(self.snapshot()), {".skampi"})
        return [line for line in ended.out.splitlines() if line and not line.startswith("#")]

    @staticmethod
    def names(lines):
        return [line.split()[0] for line in lines]

    # Output and record.

    def assert_complete(self, ended, code=0, output="skampi.out"):
        self.assertEqual(ended.code, code, ended.err)
        if code == 0:
            self.assertEqual(ended.errors(), [])
        self.assert_valid(ended)
        self.assertEqual((ended.end["record"], ended.end["exit_code"]), ("end", code))
        written = ended.output(output)
        self.assertTrue(written.finished)
        journal = ended.journal
        self.assertTrue(journal.ended)
        self.assertEqual((journal.run["id"], journal.run["config"], journal.run["procs"]),
                         tuple(map(written.value, ("RUN_ID", "CONFIG_HASH", "PROCS"))))
        self.assertEqual(sorted(journal.names("DONE") + journal.names("SKIP") + journal.names("ABANDON")),
                         sorted(written.names))
        self.assert_record_agrees(ended, written)

    def assert_record_agrees(self, ended, written):
        points = collections.defaultdict(list)
        for point in ended.points:
            points[point["benchmark"]].append(point)
        self.assertEqual(set(points), set(written.names))
        for one in written.blocks:
            summary = ended.summary(one.name)
            self.assertEqual((summary["value"], summary["unit"]), (len(one.rows), "1"))
            self.assertEqual(summary["derived"]["status"], one.status)
            if one.rows:
                self.assert_curve_agrees(one, points[one.name], summary["derived"])
            else:
                self.assert_no_curve(one, points[one.name])

    def assert_no_curve(self, one, points):
        point, = points
        self.assertEqual((point["value"], point["estimate"]), (None, None))
        self.assertTrue(point["message"])
        verdict = {"skipped": "skipped", "abandoned": "crashed", "failed": "crashed", "incomplete": "skipped"}
        self.assertEqual(point["status"], verdict[one.status])

    def assert_curve_agrees(self, one, points, derived):
        varied = {"length": "bytes", "nodes": "ranks", "chunks": "chunks"}.get(one.variable)
        arguments = [point["at"][varied] if varied else 0 for point in points]
        self.assertEqual(sorted(arguments), one.arguments)
        initial = len(one.rows) - len(one.flagged("refined"))
        self.assertEqual(arguments[:initial], sorted(arguments[:initial]), "initial points must be first and ascending")
        for row in one.rows:
            self.assert_row_agrees(one, row, points[arguments.index(row.argument)])
        self.assertEqual(derived["stop"], one.trailer["stop"])
        self.assertEqual(derived["points_initial"], initial)
        self.assertEqual(derived["points_refined"], len(one.rows) - initial)
        if "max_error" in one.trailer:
            self.assertAlmostEqual(derived["max_error"], float(one.trailer["max_error"]), delta=0.000051)
            self.assertAlmostEqual(derived["paper_error"], float(one.trailer["paper_error"]), delta=0.000051)

    def assert_row_agrees(self, one, row, point):
        where = (one.name, row.argument, point)
        derived = point["derived"]
        self.assertEqual((point["quantity"], point["unit"]), ("time", "s"))
        self.assertTrue(row.time.shows(point["value"] * 1e6), where)
        self.assertTrue(row.error.shows(derived["standard_error_population"] * 1e6), where)
        self.assertAlmostEqual(point["value"], point["estimate"]["mean"] - point["correction"], delta=1e-15)
        self.assertEqual((point["valid"], point["kept"]), (row.samples, one.kept(row.samples)))
        self.assertEqual(point["valid"] + sum(point["invalid"].values()), point["attempts"])
        self.assertEqual({flag.replace("_", "-") for flag in point["flags"]} & FLAGS, set(row.flags))
        self.assertEqual(point["status"], "exhausted" if NOT_CONVERGED & set(row.flags) else "converged", where)
        self.assertEqual(point["value"] < 0, "below-overhead" in row.flags, where)
        self.assert_stopped_by_rule(one, row, point, where)
        self.assert_place(one, row, point, where)
        if point["iterations_per_sample"] == 1:
            self.assertTrue(any(nodes == point["at"]["ranks"] and time_us.shows(point["correction"] * 1e6)
                                for nodes, time_us, _ in one.overheads), (one.overheads, where))

    def assert_stopped_by_rule(self, one, row, point, where):
        least, most = one.numbers("repetitions")
        self.assertLessEqual(row.samples, most)
        if "time-limit" not in row.flags:
            self.assertGreaterEqual(row.samples, least)
        if not NOT_CONVERGED & set(row.flags):
            epsilon, = one.numbers("standard_error")
            self.assertLess(point["derived"]["standard_error_population"] / point["estimate"]["mean"], epsilon, where)

    def assert_place(self, one, row, point, where):
        pattern = one.keys["pattern"]
        self.assertEqual(point["derived"]["pattern"], pattern)
        processes = {"simple": 1, "point-to-point": 2, "one-sided": 2}.get(pattern)
        if processes:
            self.assertEqual(point["at"]["ranks"], processes)
        if one.variable == "length":
            self.assertEqual(row.length, row.argument)
        self.assertEqual(point["at"].get("bytes", 0), row.length)
        if pattern == "point-to-point" and point["value"] > 0:
            self.assertAlmostEqual(derived_ratio(point, "bandwidth", 2 * row.length / point["value"]), 1, places=9,
                                   msg=where)
        if pattern == "master-worker" and point["value"] > 0:
            self.assertAlmostEqual(
                derived_ratio(point, "time_per_chunk", point["value"] / point["at"]["chunks"]), 1, places=9, msg=where)

    # User errors. Refusals that need options and parameter files only are tested in
    # tests/unit/skampi_refusals_test.cpp.

    def assert_usage(self, *arguments, names=(), text=None):
        ended = self.run_it(*arguments, text=text, record=False)
        self.assertEqual((ended.code, ended.out), (2, ""), (arguments, ended.err))
        self.assertEqual(len(ended.err), 1, ended.err)
        self.assertRegex(ended.err[0], r"^skampi: (\S+: )?error: ")
        for name in names:
            self.assertIn(name, ended.err[0])

    # Parameter files.

    @harness.not_quick
    def test_the_default_parameter_file_lacks_only_the_identification(self):
        for options, name in (([], ".skampi"), (["mine"], "mine")):
            ended = self.run_it("--write-default-config", *options, record=False)
            self.assertEqual(ended.code, 0, ended.err)
            self.assertIn(name, self.snapshot())
        before = self.snapshot()
        self.assert_usage("--write-default-config", "mine", names=["mine"])
        self.assertEqual(self.snapshot(), before)
        self.assertEqual(before[".skampi"], before["mine"])
        lines = self.check((self.folder / "mine").read_text().replace("FILL_IN", "something"))
        self.assertEqual(self.names(lines), DEFAULT)

    def test_all_errors_of_a_file_are_reported_on_several_ranks(self):
        text = params("MPI_Wtime { Scael = Fixed_log; }", "MPI_Bcast-length { Scale = Blah; }")
        ended = self.run_it(text=text, ranks=3)
        self.assertEqual((ended.code, ended.out, len(ended.err)), (2, "", 2), ended.err)
        self.assertEqual(set(self.snapshot()), {".skampi"})
        for line, place in zip(ended.err, ("5:13", "6:28")):
            self.assertRegex(line, rf"^skampi: (\./)?\.skampi:{place}: error: ")

    def test_measurements_can_be_selected_by_name(self):
        lines = self.check(params(), "--only", "MPI_Bcast-*", "--only", "MPI_W*", "--skip", "*-long",
                           "--skip", "*-chunks")
        self.assertEqual(self.names(lines), ["MPI_Wtime", "MPI_Waitsome-length", "MPI_Waitsome-nodes",
                                             "MPI_Waitany-length", "MPI_Bcast-length", "MPI_Bcast-nodes-short"])

    @harness.not_quick
    def test_file_names_on_the_command_line_override_the_parameter_file(self):
        text = params("MPI_Wtime { }", OUTFILE="one.out", LOGFILE="one.log", **TINY)
        for options, files in (([], ["one.out", "one.log"]),
                               (["-o", "two.out", "-l", "two.log"], ["two.out", "two.log"])):
            self.clean()
            (self.folder / "mine").write_text(text)
            ended = self.run_it("-f", "mine", *options, record=False)
            self.assertEqual(ended.code, 0, ended.err)
            self.assertEqual(set(self.snapshot()), {"mine", *files})
            self.assertEqual(ended.output(files[0]).names, ["MPI_Wtime"])

    # Command lines.

    def test_help_and_version_are_printed_once(self):
        shown = self.run_it("--help", record=False)
        self.assertEqual((shown.code, shown.err), (0, []))
        self.assertEqual(shown.out.count("Usage: skampi"), 1)
        shown = self.run_it("-V", record=False)
        self.assertEqual((shown.code, shown.err), (0, []))
        self.assertRegex(shown.out, r"\Askampi \d+\.\d+\.\d+\n\Z")

    def routines(self):
        """Returns pattern, variations and default measurements of each listed routine."""
        ended = self.run_it("--list", ranks=0, record=False)
        self.assertEqual(ended.code, 0, ended.err)
        found = {}
        for line in ended.out.splitlines():
            words = line.split()
            if not words or line.startswith("#"):
                continue
            origin = next(k for k, word in enumerate(words) if word in ("paper", "later", "new"))
            demand(words[0] not in found, f"{words[0]} twice")
            found[words[0]] = (words[1], "".join(words[2:origin]).replace(",", ""),
                               [word for word in words[origin + 1:] if word != "-"])
        return found

    def test_every_routine_is_listed_with_its_variations(self):
        routines = self.routines()
        want = [("simple", SIMPLE), ("point-to-point", EXCHANGES), ("master-worker", MASTERS),
                ("collective", list(COLLECTIVES)), ("one-sided", ONE_SIDED), ("kernel", KERNELS)]
        for pattern, names in want:
            listed = [name for name, (its, _, _) in routines.items() if its == pattern]
            self.assertEqual(sorted(listed), sorted(names))
        self.assertEqual([name for _, _, names in routines.values() for name in names], DEFAULT)
        for name, (pattern, variations, _) in routines.items():
            without_length = name in ("MPI_Barrier", "MPI_Commsplit", "MPI_Comm_dup")
            want = {"simple": "-", "point-to-point": "L", "one-sided": "L", "kernel": "LN",
                    "collective": "N" if without_length else "LN"}.get(pattern, variations)
            self.assertEqual(variations, want, name)
        self.assertEqual(routines["MPI_Waitsome"][1], "LNC")

    # Measurements.

    def every_routine(self):
        """Returns a block for each routine and each parameter that can be varied."""
        blocks = []
        for name, (pattern, variations, _) in self.routines().items():
            for letter in variations:
                alone = letter == "-" or pattern in ("point-to-point", "one-sided")
                keys = {"L": {"Scale": "Fixed_log", "Start_Argument": 8, "End_Argument": 64, "Stepwidth": 8},
                        "N": {"Default_Message_Length": 64}, "C": {"End_Argument": 3}, "-": {}}[letter]
                blocks.append(block(name + ("" if alone else SUFFIX[letter]), **keys))
        return blocks

    def assert_every_routine_runs(self, ranks):
        blocks = self.every_routine()
        ended = self.measure(params(*blocks, **TINY), ranks=ranks)
        self.assertEqual([one.name for one in ended.blocks], self.names(blocks))
        want = {"point": [0], "length": [8, 64], "nodes": list(range(2, ranks + 1)), "chunks": [1, 2, 3]}
        for one in ended.blocks:
            self.assertEqual((one.status, one.arguments), ("ok", want[one.variable]), one.name)

    @slow
    def test_every_routine_runs_on_two_processes(self):
        self.assert_every_routine_runs(2)

    @slow
    def test_every_routine_runs_on_three_processes(self):
        self.assert_every_routine_runs(3)

    @harness.not_quick
    def test_kernels_run_on_four_processes(self):
        # Some kernels work on numbers of 8 bytes.
        keys = FEW | {"Start_Argument": 8, "Stepwidth": 8}
        ended = self.measure(params(*(block(name + "-length", **keys) for name in KERNELS), **TINY), ranks=4)
        self.assertEqual([one.arguments for one in ended.blocks], [[8, 64]] * len(KERNELS))

    @harness.not_quick
    def test_one_process_measures_local_operations_and_skips_the_others(self):
        for ranks in (0, 1):
            ended = self.measure(params(**TINY), ranks=ranks)
            self.assertEqual([one.name for one in ended.blocks], DEFAULT)
            for one in ended.blocks:
                self.assertEqual((one.status, one.arguments), ("ok", [0]) if one.name in SIMPLE else ("skipped", []))
                if one.name not in SIMPLE:
                    self.assertRegex(one.keys["reason"], r"\d process")

    def partner(self, key):
        """Returns rank and latency of the selected partner and of the nearest one, with rank 2 slow."""
        slow = "SKAMPI_TEST_SLOW_RANK"
        text = params(block("MPI_Send-MPI_Recv", **FEW), PARTNER=key, **TINY)
        ended = self.measure(text, "--cost-model", STRAIGHT, ranks=4, environment={slow: "2:30000"})
        written = ended.output()
        self.assertTrue(any(slow in text for text in written.values("TEST_HOOK")))
        self.assertTrue(any(slow in warning for warning in ended.run["warnings"]))
        return [(int(rank), float(latency), host) for rank, latency, host in
                (written.value(which).split() for which in ("PARTNER", "NEAREST"))]

    @slow
    @plain
    def test_the_partner_of_largest_latency_is_chosen(self):
        chosen, nearest = self.partner("Max")
        self.assertEqual(chosen[0], 2)
        self.assertGreaterEqual(chosen[1], 30000)
        self.assertIn(nearest[0], (1, 3))

    @slow
    @plain
    def test_the_partner_of_smallest_latency_is_chosen_on_request(self):
        chosen, nearest = self.partner("Min")
        self.assertIn(chosen[0], (1, 3))
        self.assertEqual(chosen, nearest)

    @slow
    def test_different_groups_of_equal_size_have_separate_overheads(self):
        # Ranks 0 and 2, then 0 and 1: rank 0 knows the overhead of the first group, rank 1 does not.
        keys = {"Variation": "None", "Default_Message_Length": 8}
        text = params(block("MPI_Send-MPI_Recv", **keys), block("MPI_Barrier-nodes", End_Argument=2),
                      block("near", Type="MPI_Send-MPI_Recv", Partner="Min", **keys), block("MPI_Bcast-nodes"), **TINY)
        ended = self.measure(text, ranks=3, environment={"SKAMPI_TEST_SLOW_RANK": "2:20000"})
        self.assertEqual(ended.output().value("PARTNER").split()[0], "2")
        point, = [p for p in ended.points if p["benchmark"] == "near"]
        self.assertLess(point["estimate"]["min"], 20000e-6)

    def test_an_exchange_is_a_round_trip(self):
        # Each exchange has one late reply: half an exchange would take less than the delay.
        ended = self.measure(params(block("MPI_Send-MPI_Recv", **FEW)),
                             environment={"SKAMPI_TEST_SLOW_RANK": "1:2000"})
        self.assertEqual({(p["semantics"]["operation"], p["semantics"]["share"]) for p in ended.points},
                         {("Send", 0.5)})
        for row in ended.rows():
            self.assertGreaterEqual(row.time, 2000)

    @figures
    def test_an_exchange_takes_twice_the_time_of_pmb_pingpong(self):
        if not PMB.exists():
            self.skipTest(f"there is no {PMB}")
        # The best of several repetitions, because other programs use the machine too.
        keys = {"Type": "MPI_Send-MPI_Recv", "Variation": "None", "Default_Message_Length": 1024}
        ended = self.measure(params(*(block(f"exchange{k}", **keys) for k in range(10)), MINREPDEFAULT=200,
                                    MAXREPDEFAULT=400))
        halves = self.launch(str(PMB), "-iter", 200, "-msglog", "9:10", *["PingPong"] * 10, record=False,
                             cwd=self.folder)
        out, _ = halves.communicate(timeout=LIMIT)
        half = min(float(words[2]) for words in map(str.split, out.splitlines()) if words[:1] == ["1024"])
        whole = min(row.time for row in ended.rows())
        self.assertTrue(1.5 <= whole / half <= 2.7, (whole, half))

    @figures
    def test_a_synchronous_send_takes_no_less_than_a_standard_one(self):
        pairs = range(10)
        keys = {"Variation": "None", "Default_Message_Length": 8, "Min_Repetition": 200, "Max_Repetition": 400}
        ended = self.measure(params(*(block(f"{name}{k}", Type=f"MPI_{name}-MPI_Recv", **keys)
                                      for k in pairs for name in ("Send", "Ssend"))))
        times = {one.name: one.rows[0].time for one in ended.blocks}
        self.assertGreaterEqual(sum(times[f"Ssend{k}"] >= times[f"Send{k}"] for k in pairs), 9, times)

    @slow
    def test_all_exchanges_work_without_data_and_with_the_longest_message(self):
        # Two buffers, each with half of the memory.
        ended = self.measure(params(*(block(name, Scale="Fixed_log", Start_Argument=0, Stepwidth=1024)
                                      for name in EXCHANGES), MEMORY="64kB"))
        self.assertEqual([one.arguments for one in ended.blocks], [[0, 4, 4096, 32768]] * 10)
        for row in ended.rows():
            self.assertTrue(0 < row.time < 1e6, row.time)

    @harness.not_quick
    def test_process_counts_vary_from_two_to_all(self):
        ended = self.measure(params("MPI_Bcast-nodes { }", "MPI_Barrier-nodes { }", "MPI_Waitsome-nodes { }", **TINY),
                             ranks=3)
        for one in ended.blocks:
            self.assertEqual(one.arguments, [2, 3])
            for row in one.rows:
                self.assertTrue(math.isfinite(row.time))
                self.assertNotEqual(row.time, 0)
        self.assertEqual([row.length for row in ended["MPI_Bcast-nodes"].rows], [256, 256])

    def test_short_and_long_process_count_curves_differ_in_length(self):
        ended = self.measure(params("MPI_Bcast-nodes-short { }",
                                    "MPI_Bcast-nodes-long { Default_Message_Length = 64kB; }"))
        self.assertEqual([row.length for row in ended.rows()], [256, 65536])

    @harness.not_quick
    def test_barrier_and_window_synchronisation_both_measure(self):
        ended = self.measure(params(block("MPI_Bcast-length", **FEW), block("MPI_Bcast-length-SM", **FEW)))
        barrier, window = ended.blocks
        self.assertEqual((barrier.keys["sync"], window.keys["sync"]), ("barrier", "window"))
        self.assertEqual(barrier.arguments, window.arguments)
        self.assertEqual(barrier.trailer["samples_invalid"], "0")
        if not window.flagged("fallback-barrier"):
            replaced = [sum(p["invalid"].values()) for p in ended.points if p["benchmark"] == window.name]
            self.assertEqual(window.trailer["samples_invalid"], str(sum(replaced)))
        for row in window.rows:
            self.assertEqual("invalid-window" in row.flags, "fallback-barrier" in row.flags)

    @slow
    def test_a_window_on_more_processes_than_cores_stops_by_its_rule(self):
        ended = self.measure(params(block("MPI_Bcast-length-SM", **FEW)), ranks=4)
        one, = ended.blocks
        for row in one.rows:
            self.assertGreaterEqual(row.samples, 8)
            self.assertNotIn("time-limit", row.flags)
        # The barrier's time is subtracted from the rows of the fallback only.
        fallback = [overhead for overhead in one.texts("overhead") if overhead.endswith(" barrier")]
        self.assertEqual(bool(fallback), bool(one.flagged("fallback-barrier")))

    @figures
    def test_local_operations_take_little_time(self):
        for row in self.measure(params(*(block(name) for name in SIMPLE[:4]))).rows():
            self.assertTrue(0.001 <= row.time <= 5, row.time)
            self.assertEqual(row.length, 0)

    @harness.not_quick
    def test_masters_work_with_fewer_and_more_chunks_than_workers(self):
        keys = {"Scale": "Fixed_linear", "Start_Argument": 0, "End_Argument": 64, "Stepwidth": 64}
        blocks = [block(f"{name}{chunks}", Type=name, Variation="Length", Default_Chunks=chunks, **keys)
                  for name in MASTERS for chunks in (1, 3, 10)]
        ended = self.measure(params(*blocks, **TINY), ranks=4)
        for one in ended.blocks:
            self.assertEqual((one.status, one.arguments), ("ok", [0, 64]))
        self.assertEqual({p["at"]["chunks"] for p in ended.points if p["benchmark"].endswith("10")}, {10})
        self.assertEqual({p["at"]["ranks"] for p in ended.points}, {4})

    def test_buffered_sends_detach_their_buffer(self):
        names = ["MPI_Bsend-MPI_Recv", "MPI_Bsend-length", "Buffer_attach"]
        ended = self.measure(params(*(block(name + again, Type=name.removesuffix("-length"),
                                            **({} if name in SIMPLE else FEW))
                                      for again in ("", "-again") for name in names), **TINY))
        self.assertEqual({one.status for one in ended.blocks}, {"ok"})

    @slow
    def test_a_wrong_message_fails_only_its_measurement(self):
        names = ["MPI_Send-MPI_Recv", "MPI_Send-MPI_Iprobe_Recv", "MPI_Bsend-MPI_Recv", "MPI_Sendrecv_replace",
                 "MPI_Waitsome-length", "MPI_Recv_Any_Source-length", "MPI_Isend-length", "MPI_Bcast-length",
                 "MPI_Reduce-length", "MPI_Allreduce-length", "MPI_Reduce_scatter-length", "MPI_Reduce_Scatterv-length",
                 "MPI_Scan-length", "MPI_Alltoallv-length", "MPI_Alltoall_Isend_Irecv-length", "Gather_SR-length",
                 "Gather_ISWA-length", "MPI_Gather-nodes", "MPI_Allgatherv-length", "MPI_Scatter-length",
                 "Bcast_SR-length", "MPI_Put-fence", "MPI_Get-lock", "MPI_Accumulate-pscw", "Halo_2D-length",
                 "Halo_3D-nodes", "Transpose-length", "CG_iteration-length"]
        for before, name, after in zip(["MPI_Wtime"] + names, names, names[1:] + ["MPI_Comm_rank"]):
            with self.subTest(name=name):
                blocks = [block(one, **({} if one in SIMPLE or one.endswith("-nodes") else FEW))
                          for one in (before, name, after)]
                ended = self.measure(params(*blocks, **TINY), "--cost-model", STRAIGHT, code=3,
                                     environment={"SKAMPI_TEST_CORRUPT": name})
                self.assertEqual([one.status for one in ended.blocks], ["ok", "failed", "ok"])
                self.assertTrue(any("SKAMPI_TEST_CORRUPT" in text for text in ended.output().values("TEST_HOOK")))

    @harness.not_quick
    def test_exit_code_of_a_wrong_message_outranks_an_abandoned_measurement(self):
        self.clean()
        self.crash(RECOVERY, MEMBERS[0])
        ended = self.run_it("--cost-model", STRAIGHT, "--skip-crashed", environment={"SKAMPI_TEST_CORRUPT": MEMBERS[2]})
        self.assert_complete(ended, code=3)
        self.assertEqual([ended[name].status for name in MEMBERS], ["abandoned", "ok", "failed", "ok", "ok"])

    def test_a_measurement_without_memory_is_skipped(self):
        text = params("MPI_Alltoall-nodes-long { Default_Message_Length = 64kB; }", "MPI_Wtime { }", MEMORY="64kB")
        ended = self.measure(text)
        self.assertEqual([one.status for one in ended.blocks], ["skipped", "ok"])
        self.assertIn("memory", ended.blocks[0].keys["reason"])

    @slow
    def test_times_of_single_processes_are_printed_on_request(self):
        for columns, most in ((3, 16), (2, 2), (1, 1), (0, 0)):
            ended = self.measure(params(block("MPI_Bcast-length", Node_Times="Yes", **FEW), MAXNODETIMES=most, **TINY),
                                 ranks=3)
            for row in ended.rows():
                self.assertEqual(len(row.node_times), columns)
                if columns == 2:
                    self.assertEqual(row.node_times, sorted(row.node_times))
            self.assertEqual(ended.blocks[0].columns[5:], {3: ["node0_us", "node1_us", "node2_us"],
                                                           2: ["min_us", "max_us"], 1: ["median_us"], 0: []}[columns])
        ended = self.measure(params(block("MPI_Send-MPI_Recv", Node_Times="Yes", **FEW), "MPI_Wtime { }", **TINY))
        self.assertEqual([len(one.rows[0].node_times) for one in ended.blocks], [2, 0])

    # Statistics.

    @harness.not_quick
    def test_rows_follow_from_their_samples(self):
        text = params(block("MPI_Send-MPI_Recv", **FEW), block("MPI_Allreduce-length", **FEW), block("MPI_Wtime"),
                      block("MPI_Waitsome-length", **FEW), block("MPI_Barrier-nodes"),
                      block("MPI_Bcast-length", Cut_Quantile=0.29, Min_Repetition=100, Max_Repetition=100, **FEW))
        ended = self.measure(text, "--raw")
        for one in ended.blocks:
            for row, point in zip(one.rows, [p for p in ended.points if p["benchmark"] == one.name]):
                self.assert_follows_from_samples(row, point, 29 if one.numbers("cut") == [0.29] else row.samples // 4)

    def assert_follows_from_samples(self, row, point, cut):
        times = sorted(s["time"] * 1e6 for s in point["samples"] if not s.get("invalid"))
        n = len(times)
        mean = math.fsum(times) / n
        error = math.sqrt(math.fsum((x - mean) ** 2 for x in times) / n) / math.sqrt(n)
        kept = times[cut:n - cut]
        self.assertEqual((n, len(kept)), (row.samples, point["kept"]))
        self.assertTrue(row.time.shows(math.fsum(kept) / len(kept) - point["correction"] * 1e6), (row.time, point))
        self.assertTrue(row.error.shows(error), (row.error, error))

    def sample_counts(self, model, **keys):
        ended = self.measure(params(block("MPI_Send-MPI_Recv", Scale="Fixed_log", **keys)), "--cost-model", model)
        return [row.samples for row in ended.rows()]

    @harness.not_quick
    def test_without_noise_every_point_stops_at_the_minimum_count(self):
        self.assertEqual(set(self.sample_counts(STRAIGHT)), {8})

    @harness.not_quick
    def test_noise_requires_the_sample_count_of_the_rule(self):
        # 0.1 / sqrt(n) < 0.03 from 12 samples on.
        counts = self.sample_counts(STRAIGHT + ",noise=0.1,seed=1")
        self.assertEqual(len(counts), 39)
        self.assertTrue(8.5 <= sum(counts) / len(counts) <= 13.5, counts)

    def test_too_much_noise_stops_at_the_maximum_count(self):
        ended = self.measure(params(block("MPI_Send-MPI_Recv", Scale="Fixed_log", Start_Argument=4, End_Argument=1024,
                                          Stepwidth=4)), "--cost-model", STRAIGHT + ",noise=0.3,seed=2")
        self.assertEqual(ended.blocks[0].arguments, [4, 16, 64, 256, 1024])
        self.assertEqual([(row.samples, row.flags) for row in ended.rows()], [(32, ["maxrep"])] * 5)

    @harness.not_quick
    def test_outliers_are_cut(self):
        ended = self.measure(params(block("MPI_Send-MPI_Recv", Scale="Fixed_log", Max_Repetition=64)), "--cost-model",
                             "jump:5,0.001,noise=0.01,outlier=0.1:100,seed=1")
        for row in ended.rows():
            self.assertAlmostEqual(row.time / (5 + 0.001 * row.argument), 1, delta=0.02)
        self.assertIn(64, [row.samples for row in ended.rows()])

    @slow
    @plain
    def test_higher_accuracy_never_needs_fewer_samples(self):
        totals = [sum(self.sample_counts(STRAIGHT + ",noise=0.1,seed=3", Standard_Error=epsilon))
                  for epsilon in (0.1, 0.05, 0.03, 0.02)]
        self.assertEqual(totals, sorted(totals))
        self.assertLess(totals[0], totals[-1])

    @harness.not_quick
    def test_a_model_is_recorded(self):
        model = STRAIGHT + ",noise=0.1,seed=3"
        text = params(block("MPI_Send-MPI_Recv", **FEW), **TINY)
        first, second = (self.measure(text, "--cost-model", model) for _ in range(2))
        self.assertEqual(first.output().value("COST_MODEL"), model)
        self.assertEqual([row.time for row in first.rows()], [row.time for row in second.rows()])
        self.assertEqual(self.measure(text).output().values("COST_MODEL"), [])

    @figures
    def test_overheads_are_small_and_positive(self):
        names = ["MPI_Send-MPI_Recv", "MPI_Waitsome-length", "MPI_Bcast-length-SM", "MPI_Bcast-length"]
        ended = self.measure(params("MPI_Wtime { }", *(block(name, **FEW) for name in names)))
        for one in ended.blocks:
            for _, value, _ in one.overheads:
                self.assertGreater(value, 0)
                # With barrier synchronisation the overhead may contain a barrier.
                self.assertLess(value, 1000 if one.name == "MPI_Bcast-length" else 5, one.name)

    def test_an_overhead_is_measured_again_for_higher_accuracy(self):
        keys = {"Type": "MPI_Bcast", "Variation": "None", "Max_Repetition": 8}
        ended = self.measure(params(*(block(f"epsilon-{i}", Standard_Error=epsilon, **keys)
                                      for i, epsilon in enumerate((0.99, 0.000001, 0.99))), MINREPDEFAULT=2))
        coarse, fine, again = (one.overheads for one in ended.blocks)
        for before, epsilon, after in ((coarse, 0.000001, fine), (fine, 0.99, again)):
            exact_enough = all(error < epsilon * value for _, value, error in before)
            self.assertEqual(after == before, exact_enough, (before, epsilon, after))

    @slow
    def test_a_point_ends_at_its_time_limit(self):
        keys = {"Time_Measurement": 0.05, "Standard_Error": 1e-9, "Max_Repetition": 2000000}
        ended = self.measure(params(block("MPI_Send-MPI_Recv", **FEW, **keys)))
        self.assertEqual(ended.blocks[0].status, "ok")
        self.assertEqual(ended.blocks[0].flagged("time-limit"), [4, 16, 64])
        for limit in ("0.001", "0.000001"):
            ended = self.measure(params(block("MPI_Send-MPI_Recv", **FEW, **keys, Time_Suite=limit)), code=4)
            self.assertEqual(ended.blocks[0].status, "incomplete")
            self.assertLess(len(ended.rows()), 3)

    @harness.not_quick
    def test_a_clock_that_is_too_coarse_is_flagged(self):
        ended = self.measure(params(block("MPI_Bcast-length", Scale="Fixed_log", Start_Argument=4, End_Argument=4)),
                             "--timer", "synthetic:monotonic,quant=100s")
        row, = ended.rows()
        self.assertEqual((row.samples, row.time), (32, 0))
        self.assertIn("zero-time", row.flags)

    # Refinement.

    def refined(self, model=JUMP, name="MPI_Send-MPI_Recv", **keys):
        one, = self.measure(params(block(name, **keys)), "--cost-model", model).blocks
        return one

    def test_a_jump_is_bracketed(self):
        one = self.refined(**EXAMPLE)
        self.assertEqual(one.arguments, [256, 512, 1024, 2048, 2896, 3024, 3160, 3444, 4096, 8192, 16384])
        self.assertEqual(one.flagged("refined"), [2896, 3024, 3160, 3444])
        self.assertEqual(one.trailer["stop"], "accuracy")
        # The narrowest segment around the jump: 128 / 2896.
        self.assertAlmostEqual(float(one.trailer["max_error"]), 0.0442, delta=0.00005)
        for row in one.rows:
            m = row.argument
            self.assertAlmostEqual(row.time, 10 + 0.010 * m if m < 3000 else 45 + 0.008 * m, delta=1e-4)

    def test_a_collective_operation_is_refined_like_a_message(self):
        one = self.refined(name="MPI_Bcast-length", **EXAMPLE)
        self.assertEqual(one.flagged("refined"), [2896, 3024, 3160, 3444])

    @slow
    def test_a_straight_line_is_not_refined(self):
        for keys in ({}, {"Stepwidth": 2}, {"Scale": "Dynamic_linear", "Stepwidth": 4096, "End_Argument": 65536}):
            one = self.refined(STRAIGHT, **keys)
            self.assertEqual((one.flagged("refined"), one.trailer["stop"]), ([], "accuracy"))
            self.assertAlmostEqual(float(one.trailer["max_error"]), 0, places=9)

    def test_refinement_stops_at_the_maximum_number_of_points(self):
        one = self.refined(**EXAMPLE, Max_Steps=9)
        self.assertEqual(one.arguments, [256, 512, 1024, 2048, 2896, 3444, 4096, 8192, 16384])
        self.assertEqual(one.trailer["stop"], "limit")
        # 548 / 2896
        self.assertAlmostEqual(float(one.trailer["max_error"]), 0.1892, delta=0.00005)

    def test_initial_points_beyond_the_maximum_number_are_thinned(self):
        one = self.refined(STRAIGHT, Start_Argument=4, End_Argument=1024, Stepwidth=2, Max_Steps=5)
        # Of 4 8 16 32 64 128 256 512 1024 every second one and the last.
        self.assertEqual(one.arguments, [4, 16, 64, 256, 1024])
        self.assertEqual(one.keys["coarsened"], "2")

    @harness.not_quick
    def test_arguments_are_multiples_and_keep_their_distance(self):
        for multiple, distance in ((12, 100), (1, 1), (64, 300)):
            keys = EXAMPLE | {"Start_Argument": 250, "End_Argument": 16387, "Multiple_of": multiple,
                              "Min_Distance": distance, "Standard_Error": 0.001}
            one = self.refined(**keys)
            self.assertEqual((one.arguments[0], one.arguments[-1]),
                             (-(-250 // multiple) * multiple, 16387 // multiple * multiple))
            refined = one.flagged("refined")
            self.assertTrue(refined)
            self.assertEqual([m for m in one.arguments if m % multiple], [])
            for a, b in zip(one.arguments, one.arguments[1:]):
                self.assertTrue(b - a >= distance or not {a, b} & set(refined), (a, b))

    def test_a_refinement_ends_if_no_segment_can_be_split(self):
        one = self.refined(**EXAMPLE | {"Min_Distance": 2000, "End_Argument": 512})
        self.assertEqual(one.arguments, [256, 512])
        self.assertEqual((one.flagged("refined"), one.trailer["stop"]), ([], "exhausted"))
        self.assertEqual(float(one.trailer["max_error"]), 0)

    @harness.not_quick
    def test_fixed_scales_are_never_refined(self):
        one = self.refined(Scale="Fixed_log", Start_Argument=4, End_Argument=1024, Multiple_of=4)
        self.assertEqual(one.arguments, [4, 8, 12, 16, 24, 32, 44, 64, 92, 128, 180, 256, 364, 512, 724, 1024])
        self.assertEqual((one.flagged("refined"), one.trailer["stop"]), ([], "fixed"))
        one = self.refined(Scale="Fixed_lin", Start_Argument=2000, End_Argument=5000, Stepwidth=1000)
        self.assertEqual((one.arguments, one.trailer["stop"]), ([2000, 3000, 4000, 5000], "fixed"))

    def test_a_linear_scale_is_refined_in_the_middle(self):
        one = self.refined(Scale="Dynamic_linear", Start_Argument=2000, End_Argument=5000, Stepwidth=1000, Max_Steps=5)
        self.assertEqual(one.flagged("refined"), [2500])

    @harness.not_quick
    def test_a_logarithmic_scale_may_begin_at_zero(self):
        one = self.refined(STRAIGHT, Scale="Fixed_log", Start_Argument=0, End_Argument=32, Stepwidth=2)
        self.assertEqual(one.arguments, [0, 4, 8, 16, 32])
        one = self.refined(STRAIGHT, End_Argument=32, Stepwidth=2)
        self.assertEqual((one.arguments, one.trailer["stop"]), ([0, 4, 8, 16, 32], "accuracy"))

    @slow
    def test_noise_causes_no_refinement(self):
        model = STRAIGHT + ",noise=0.1,seed=1"
        one = self.refined(model)
        self.assertEqual(one.trailer["points_initial"], "39")
        self.assertLessEqual(len(one.flagged("refined")), 6)
        one = self.refined(model, Noise_Guard="No")
        self.assertEqual((len(one.rows), one.trailer["stop"]), (64, "limit"))

    @staticmethod
    def paper_error(rows):
        """Computes the largest error of a segment from the rows, with the formula of the paper."""
        def miss(at, p, q):
            return abs(at.time - p.time - (q.time - p.time) / (q.argument - p.argument) * (at.argument - p.argument))

        errors = []
        for i, (b, c) in enumerate(zip(rows, rows[1:])):
            terms = [c.argument / b.argument - 1]
            if i + 2 < len(rows):
                terms.append(miss(b, c, rows[i + 2]) / b.time)
            if i > 0:
                terms.append(miss(c, rows[i - 1], b) / c.time)
            errors.append(min(terms))
        return max(errors)

    def test_a_refinement_ended_by_the_noise_guard_reports_the_error_of_the_paper(self):
        model = "jump:100,0.001,9000,140,0.001,noise=0.6,seed=4"
        keys = {"Start_Argument": 16, "End_Argument": 65536, "Stepwidth": 4}
        ended = self.measure(params(block("MPI_Send-MPI_Recv", **keys)), "--cost-model", model)
        one, = ended.blocks
        self.assertEqual((one.trailer["stop"], one.trailer["max_error"]), ("noise_guard", "0.0000"))
        error = self.paper_error(one.rows)
        self.assertGreater(error, 0.03)
        self.assertAlmostEqual(float(one.trailer["paper_error"]), error, delta=0.0001)
        self.assertIn(f"MPI_Send-MPI_Recv: the noise guard ended refinement at {len(one.rows)} points; the error "
                      f"by the paper's rule is {100 * float(one.trailer['paper_error']):.1f} %", ended.out)
        guarded = ended.out.count("noise guard")
        ended = self.measure(params(block("MPI_Send-MPI_Recv", **keys, Noise_Guard="No")), "--cost-model", model)
        one, = ended.blocks
        self.assertEqual(one.trailer["paper_error"], one.trailer["max_error"])
        self.assertEqual((guarded, ended.out.count("noise guard")), (1, 0))

    # Recovery.

    def crash(self, text, name, *arguments):
        """Runs skampi, which aborts inside a measurement."""
        ended = self.run_it("--cost-model", STRAIGHT, *arguments, text=text, environment={"SKAMPI_TEST_ABORT": name})
        self.assertNotEqual(ended.code, 0)
        self.assert_cut_short(ended)
        return ended

    def kill(self, text, name, rank):
        """Runs skampi and kills a rank inside a measurement."""
        process = self.start("--cost-model", STRAIGHT, text=text, environment={"SKAMPI_TEST_HANG": name})
        self.wait_for_begin(name, process)
        os.kill(self.rank_process(rank), signal.SIGKILL)
        out, err = process.communicate(timeout=LIMIT)
        self.assertNotEqual(process.returncode, 0)
        ended = Ended(process.returncode, out, err, self.json)
        self.assert_cut_short(ended)
        return ended

    def hang(self, text, name):
        """Runs skampi, which hangs inside a measurement until the watchdog ends it."""
        ended = self.run_it("--cost-model", STRAIGHT, "--watchdog", "1s", text=text,
                            environment={"SKAMPI_TEST_HANG": name})
        self.assertEqual(ended.code, 1)
        self.assertTrue(any("no progress" in line for line in ended.errors()), ended.err)
        self.assert_cut_short(ended)
        return ended

    def assert_cut_short(self, ended):
        """The run can be resumed: complete blocks, no tail, and the journal knows which part of the files is valid."""
        self.assert_valid(ended)
        self.assertFalse(ended.journal.ended)
        self.assertFalse(ended.output().finished)
        offset, record = ended.journal.extent()
        if ended.blocks:
            self.assertEqual(Output(ended.output().text[:offset]).text, ended.output().text)
            self.assertEqual(self.json.read_bytes()[record - 1:record], b"\n")

    def wait_for_begin(self, name, process):
        def begun():
            self.assertIsNone(process.poll(), "ended before it was killed")
            path = self.folder / "skampi.log"
            return path.exists() and f"BEGIN {name}\n" in path.read_text()
        self.wait_for(begun, f"{name} has not begun")

    def rank_process(self, rank):
        """Returns the process ID of a rank."""
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_text().split("\0")
                variables = (path / "environ").read_text().split("\0")
            except OSError:
                continue
            ours = SKAMPI in words and str(self.json) in words
            if ours and {f"PMI_RANK={rank}", f"OMPI_COMM_WORLD_RANK={rank}"} & set(variables):
                return int(path.name)
        self.fail(f"no process of rank {rank}")

    def assert_goes_on(self, before, ended):
        """Finished measurements are still there, byte for byte."""
        if before.blocks:
            self.assertTrue(ended.output().text.startswith(before.output().text))

    def assert_recovered(self, ended, order, crashed, times):
        """The run is complete: every measurement once, in that order. One has crashed that often."""
        self.assert_complete(ended)
        self.assertEqual(ended.output().names, order)
        self.assertEqual({one.status for one in ended.blocks}, {"ok"})
        journal = ended.journal
        self.assertEqual((journal.runs, journal.names("DONE")), (1, order))
        self.assertEqual(collections.Counter(journal.names("BEGIN")),
                         {name: 1 + times * (name == crashed) for name in order})
        self.assertEqual(journal.crashes(), [(crashed, k + 1) for k in range(times)])
        self.assertEqual(len([r for r in ended.records if r["record"] == "run"]), 1)

    @slow
    def test_a_measurement_that_crashes_is_moved_to_the_end(self):
        for place, victim in ((0, MEMBERS[0]), (2, MEMBERS[2] + ":1"), (4, MEMBERS[4] + ":2")):
            with self.subTest(victim=victim):
                self.clean()
                name = MEMBERS[place]
                others = [one for one in MEMBERS if one != name]
                first = self.crash(RECOVERY, victim)
                self.assertEqual(first.output().names, MEMBERS[:place])
                self.assertEqual(first.journal.names("BEGIN"), MEMBERS[:place + 1])
                second = self.crash(RECOVERY, victim)
                self.assertEqual(second.output().names, others)
                self.assert_goes_on(first, second)
                third = self.run_it("--cost-model", STRAIGHT)
                self.assert_goes_on(second, third)
                self.assert_recovered(third, others + [name], name, 2)

    @slow
    @plain
    def test_a_killed_rank_is_recovered_from(self):
        for place, rank in ((0, 1), (2, 0), (4, 1)):
            with self.subTest(victim=MEMBERS[place], rank=rank):
                self.assert_one_recovery(place, lambda name, rank=rank: self.kill(RECOVERY, name, rank))

    @slow
    @plain
    def test_a_hang_is_recovered_from(self):
        for place in (0, 2, 4):
            with self.subTest(victim=MEMBERS[place]):
                self.assert_one_recovery(place, lambda name: self.hang(RECOVERY, name))

    def assert_one_recovery(self, place, end_in):
        self.clean()
        name = MEMBERS[place]
        first = end_in(name)
        self.assertEqual(first.output().names, MEMBERS[:place])
        second = self.run_it("--cost-model", STRAIGHT)
        self.assert_goes_on(first, second)
        self.assert_recovered(second, [one for one in MEMBERS if one != name] + [name], name, 1)

    @harness.not_quick
    def test_crashed_measurements_are_repeated_by_their_number_of_crashes(self):
        self.clean()
        first, second = MEMBERS[0], MEMBERS[2]
        self.crash(RECOVERY, first)
        # First 1 and 2, which never crashed; then the second crashes before the first is tried again.
        self.crash(RECOVERY, second)
        self.crash(RECOVERY, first)
        ended = self.run_it("--cost-model", STRAIGHT)
        self.assert_complete(ended)
        self.assertEqual(ended.output().names, [MEMBERS[1], MEMBERS[3], MEMBERS[4], second, first])
        self.assertEqual(ended.journal.crashes(), [(first, 1), (second, 1), (first, 2)])

    @harness.not_quick
    def test_a_run_after_a_complete_one_uses_a_new_file(self):
        text = params("MPI_Wtime { }", block("MPI_Send-MPI_Recv", **FEW), **TINY)
        self.measure(text)
        kept = self.snapshot()["skampi.out"]
        for name in ("skampi.out.1", "skampi.out.2"):
            ended = self.run_it()
            self.assert_complete(ended, output=name)
            self.assertEqual(ended.journal.run["out"], name)
            self.assertIn(name, ended.out)
        self.assertEqual(ended.journal.runs, 3)
        self.assertEqual(self.snapshot()["skampi.out"], kept)
        self.assertEqual(len({Output(data.decode()).value("RUN_ID") for name, data in self.snapshot().items()
                              if name.startswith("skampi.out")}), 3)

    def assert_refused(self, *arguments, names=(), **keywords):
        """Exit code 2 and one error line; all files stay unchanged."""
        before = self.snapshot()
        ended = self.run_it("--cost-model", STRAIGHT, *arguments, **keywords)
        self.assertEqual((ended.code, ended.out, len(ended.errors())), (2, "", 1), ended.err)
        for name in names:
            self.assertIn(name, ended.errors()[0])
        self.assertEqual(self.snapshot(), before)

    @harness.not_quick
    def test_an_unfinished_run_with_other_settings_is_not_resumed(self):
        self.crash(RECOVERY, MEMBERS[2])
        files = self.snapshot()
        self.assert_refused(ranks=1, names=["2", "1"])
        self.assert_refused("--only", "MPI_Wtime")
        edited = RECOVERY.replace("End_Argument = 64", "End_Argument = 256").encode()
        self.restore(files | {".skampi": edited})
        self.assert_refused()
        self.restore(files | {".skampi": RECOVERY.replace("@MINREPDEFAULT 2\n", "").encode()})
        self.assert_refused()
        self.restore({name: data for name, data in files.items() if name != "skampi.out"})
        self.assert_refused(names=["skampi.out"])
        self.restore(files | {"skampi.out": files["skampi.out"][:-10]})
        self.assert_refused(names=["skampi.out"])
        other = files["skampi.out"].replace(b"#@RUN_ID ", b"#@RUN_ID 1") * 2
        self.restore(files | {"skampi.out": other})
        self.assert_refused(names=["skampi.out", "is not the output file of the run"])
        self.restore(files | {"skampi.log": b"RUN\n" + files["skampi.log"]})
        self.assert_refused(names=["skampi.log"])

    @harness.not_quick
    def test_a_fresh_run_does_not_touch_the_unfinished_one(self):
        self.crash(RECOVERY, MEMBERS[2])
        files = self.snapshot()
        self.configure(RECOVERY.replace("End_Argument = 64", "End_Argument = 256"))
        ended = self.run_it("--cost-model", STRAIGHT, "--fresh")
        self.assert_complete(ended, output="skampi.out.1")
        self.assertEqual(ended.output("skampi.out.1").names, MEMBERS)
        after = self.snapshot()
        self.assertEqual(after["skampi.out"], files["skampi.out"])
        self.assertTrue(after["skampi.log"].startswith(files["skampi.log"]))
        self.assertEqual(ended.journal.crashes(), [])

    @harness.not_quick
    def test_a_fresh_run_replaces_a_lost_output_file(self):
        self.crash(RECOVERY, MEMBERS[2])
        (self.folder / "skampi.out").unlink()
        self.assert_complete(self.run_it("--cost-model", STRAIGHT, "--fresh"))

    @harness.not_quick
    def test_comments_and_a_torn_line_do_not_prevent_a_recovery(self):
        self.crash(RECOVERY, MEMBERS[2])
        files = self.snapshot()
        order = [name for name in MEMBERS if name != MEMBERS[2]] + [MEMBERS[2]]
        for changed in ({".skampi": b"@COMMENT other words\n" + RECOVERY.encode()},
                        {"skampi.log": files["skampi.log"] + b"CRASH MPI_B"},
                        {"skampi.out": files["skampi.out"] + b'# begin result "MPI_B'}):
            self.restore(files | changed)
            self.assert_recovered(self.run_it("--cost-model", STRAIGHT), order, MEMBERS[2], 1)

    @harness.not_quick
    def test_a_recovery_without_the_old_record_begins_a_new_one(self):
        self.crash(RECOVERY, MEMBERS[2])
        self.json.unlink()
        ended = self.run_it("--cost-model", STRAIGHT)
        self.assertEqual(ended.code, 0, ended.err)
        self.assert_valid(ended)
        self.assertEqual({p["benchmark"] for p in ended.points}, set(MEMBERS[2:]))
        self.assertEqual(set(ended.output().names), set(MEMBERS))

    @harness.not_quick
    def test_a_recovery_does_not_touch_another_record(self):
        self.crash(RECOVERY, MEMBERS[2])
        other = self.folder / "other.jsonl"
        own = self.json.read_text()
        for text, why in (("x" * 100000, "is not the record"),
                          (own.replace("run_id\":\"", "run_id\":\"9"), "is not the record"),
                          (own.partition("\n")[0] + "\n", "does not have the length that the log states")):
            other.write_text(text)
            ended = self.run_it("--cost-model", STRAIGHT, "--json", other, record=False)
            self.assertEqual((ended.code, len(ended.err)), (2, 1), ended.err)
            self.assertIn(f"--json: '{other}' {why}", ended.err[0])
            self.assertEqual(other.read_text(), text)
        # A run without a record in between.
        self.assertNotEqual(self.run_it("--cost-model", STRAIGHT, record=False,
                                        environment={"SKAMPI_TEST_ABORT": MEMBERS[4]}).code, 0)
        ended = self.run_it("--cost-model", STRAIGHT)
        self.assertEqual(ended.code, 2)
        self.assertIn("has points of the run", ended.err[0])
        self.assertEqual(self.json.read_text(), own)
        self.json.unlink()
        self.assertEqual(self.run_it("--cost-model", STRAIGHT).code, 0)

    @harness.not_quick
    def test_a_recovery_uses_the_same_partners(self):
        pairs = params(block("MPI_Wtime"), block("MPI_Send-MPI_Recv", **FEW), MEMORY="64kB")
        slow = "SKAMPI_TEST_SLOW_RANK"
        ended = self.run_it(text=pairs, ranks=3, environment={slow: "2:20000", "SKAMPI_TEST_ABORT": "MPI_Send-MPI_Recv"})
        self.assertNotEqual(ended.code, 0)
        self.json.unlink()
        ended = self.run_it(ranks=3, environment={slow: "1:20000"})
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(ended.run["options"]["partner_rank"], 2)
        self.assertEqual(ended.output().value("PARTNER").split()[0], "2")
        for row in ended.output()["MPI_Send-MPI_Recv"].rows:
            self.assertLess(row.time, 20000)

    @slow
    def test_crashed_measurements_can_be_abandoned(self):
        self.crash(RECOVERY, MEMBERS[2])
        ended = self.run_it("--cost-model", STRAIGHT, "--skip-crashed")
        self.assert_complete(ended, code=4)
        self.assertEqual({one.name: one.status for one in ended.blocks},
                         {name: "abandoned" if name == MEMBERS[2] else "ok" for name in MEMBERS})
        self.assertEqual(ended.journal.names("ABANDON"), [MEMBERS[2]])
        again = self.run_it("--cost-model", STRAIGHT, "--skip-crashed")
        self.assert_complete(again, output="skampi.out.1")

    @slow
    def test_an_interrupted_measurement_keeps_its_place(self):
        names = ["MPI_Wtime", "MPI_Send-MPI_Recv", "MPI_Barrier-nodes"]
        slow = block(names[1], Scale="Fixed_linear", Start_Argument=0, End_Argument=240, Stepwidth=4)
        text = params(block(names[0]), slow, block(names[2]), MEMORY="64kB")
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number.name):
                self.clean()
                process = self.start(text=text, environment={"SKAMPI_TEST_SLOW_RANK": "1:5000"})
                self.wait_for_begin(names[1], process)
                process.send_signal(number)
                out, err = process.communicate(timeout=LIMIT)
                first = Ended(process.returncode, out, err, self.json)
                number, codes = harness.after_signal_to_launcher(number)
                self.assertIn(first.code, codes)
                self.assert_cut_short(first)
                self.assertEqual((first.end["status"], first.end["exit_code"]), ("interrupted", 128 + number))
                self.assertEqual(first.output().names, names[:1])
                self.assertEqual(first.journal.lines[-1], ("INTERRUPT", {"name": names[1]}))
                second = self.run_it()
                self.assert_goes_on(first, second)
                self.assert_complete(second)
                self.assertEqual(second.output().names, names)
                self.assertEqual((second.journal.crashes(), second.journal.names("BEGIN")),
                                 ([], names[:1] + names[1:2] * 2 + names[2:]))

    # Output.

    @plain
    def test_gnuplot_reads_the_output_file(self):
        if not shutil.which("gnuplot"):
            self.skipTest("there is no gnuplot")
        ended = self.measure(params(block("MPI_Send-MPI_Recv", **EXAMPLE), "MPI_Wtime { }"), "--cost-model", JUMP)
        script = ("set print '-'; stats 'skampi.out' using 2:4 nooutput; "
                  "print STATS_records, STATS_invalid, STATS_max_x; "
                  "set terminal dumb; set output 'plot.txt'; plot 'skampi.out' using 2:4")
        shown = subprocess.run(["gnuplot", "-e", script], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual([float(word) for word in shown.stdout.split()], [len(ended.rows()), 0, 16384])
        self.assertTrue((self.folder / "plot.txt").read_text().strip())

    @slow
    @plain
    def test_decimal_points_do_not_depend_on_the_locale(self):
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", "--no-archive", self.folder / "de_DE.UTF-8"],
                              capture_output=True, check=False) if shutil.which("localedef") else None
        if not made or not (self.folder / "de_DE.UTF-8").exists():
            self.skipTest("a locale with a decimal comma cannot be made")
        # The C library leaks the data that it loads from LOCPATH.
        locale = {"LOCPATH": str(self.folder), "LC_ALL": "de_DE.UTF-8"} | harness.LEAKS
        text = params(block("MPI_Send-MPI_Recv", **EXAMPLE), "MPI_Wtime { }", STANDARDERRORDEFAULT="0.03")
        ended = self.measure(text, "--cost-model", JUMP, environment=locale)
        self.assertEqual(len(ended.rows()), 12)
        self.assertEqual([one.numbers("standard_error") for one in ended.blocks], [[0.05], [0.03]])

    @harness.not_quick
    def test_an_unwritable_file_is_found_before_measuring(self):
        text = params(block("MPI_Wtime"), **TINY)
        for option in ("-o", "-l", "--json"):
            self.assert_usage(option, "/nonexistent/x", names=["/nonexistent/x"], text=text)
            self.assertEqual(set(self.snapshot()), {".skampi"})
        # No file is left that would turn the next run into a recovery.
        ended = self.run_it(record=False)
        self.assertEqual(ended.code, 0, ended.err)

    @harness.not_quick
    def test_foreign_files_stay_unchanged(self):
        text = params(block("MPI_Wtime"), **TINY)
        (self.folder / "a-folder").mkdir()
        os.mkfifo(self.folder / "pipe")
        (self.folder / "notes").write_text("one line\n")
        for arguments in (["-l", "notes"], ["-o", "x", "-l", "x"], ["-o", "x", "--json", "x"], ["--json", ".skampi"],
                          ["-l", "x", "--json", "./x"], ["-o", "a-folder"], ["-l", "pipe"]):
            with self.subTest(arguments=arguments):
                self.assert_usage(*arguments, names=[arguments[-1]], text=text)
                self.assertEqual(self.snapshot(), {".skampi": text.encode(), "notes": b"one line\n"})

    @harness.not_quick
    def test_a_run_ends_with_one_line(self):
        text = params("MPI_Wtime { }", block("MPI_Send-MPI_Recv", **FEW),
                      "MPI_Alltoall-nodes { Default_Message_Length = 64kB; }", **TINY)
        ended = self.measure(text, "--progress", "always")
        line, = ended.out.splitlines()
        for words in (r"skampi\.out", "2 ok|ok[ :=]+2", "1 skipped|skipped[ :=]+1"):
            self.assertRegex(line, words)
        self.assertTrue(ended.err)
        self.assertEqual(self.measure(text, "--progress", "never").out, ended.out)
        quiet = self.measure(text, "--quiet")
        self.assertEqual((quiet.out, quiet.err), ("", []))

    def test_a_record_on_standard_output_moves_the_closing_line_to_standard_error(self):
        ended = self.run_it("--json", "-", text=params("MPI_Wtime { }", **TINY), record=False)
        self.assertEqual(ended.code, 0)
        self.assertEqual([json.loads(line)["record"] for line in ended.out.splitlines()],
                         ["run", "point", "summary", "end"])
        self.assertTrue(any("skampi.out" in line for line in ended.err))

    def test_the_output_file_says_what_was_measured(self):
        text = params(block("MPI_Reduce-length", Op="MPI_MAX", Datatype="MPI_DOUBLE", Scale="Fixed_log", Stepwidth=2,
                            Start_Argument=8, End_Argument=64), COMMENT="first\n  goes on", MACHINE="a machine",
                      TIMER="Wtime", **TINY)
        ended = self.measure(text, ranks=3)
        written = ended.output()
        for key, value in (("NODE", "a node"), ("NETWORK", "shared memory"), ("USER", "a tester"),
                           ("MACHINE", "a machine"), ("COMMENT", "first goes on"), ("PROCS", "3")):
            self.assertEqual(written.value(key), value)
        self.assertEqual(written.value("REPETITIONS").split(), ["2", "2"])
        keys = written["MPI_Reduce-length"].keys
        for key, value in (("pattern", "collective"), ("type", "MPI_Reduce"), ("variation", "length"),
                           ("scale", "fixed_log"), ("nodes", "3"), ("datatype", "MPI_DOUBLE"), ("op", "MPI_MAX"),
                           ("root", "0"), ("sync", "barrier"), ("time_suite", "disabled")):
            self.assertEqual(keys.get(key), value, key)
        self.assertRegex(keys["range"], r"^8 - 64\b")
        self.assertEqual(written["MPI_Reduce-length"].arguments, [8, 16, 32, 64])

    # Time.

    @slow
    @plain
    def test_a_spent_budget_leaves_a_block_for_every_measurement(self):
        self.clean()
        begin = time.monotonic()
        ended = self.run_it("--time-budget", "2s", text=params())
        # One point of each measurement may exceed the budget.
        self.assertLess(time.monotonic() - begin, 10 if os.environ.get("QUIET_MACHINE") else 60)
        self.assertEqual([one.name for one in ended.blocks], DEFAULT)
        statuses = {one.status for one in ended.blocks}
        self.assertLessEqual(statuses, {"ok", "incomplete", "skipped"})
        self.assert_complete(ended, code=0 if statuses == {"ok"} else 4)
        for one in ended.blocks:
            if one.status == "skipped":
                self.assertEqual(one.keys["reason"], "time-budget")
                self.assertEqual([p["message"] for p in ended.points if p["benchmark"] == one.name], ["time_budget"])


def derived_ratio(point, name, value):
    """Returns the ratio of the recorded value to the expected one."""
    return point["derived"][name] / value if value else 1 + point["derived"][name]


if __name__ == "__main__":
    harness.main(sys.argv[5:])
