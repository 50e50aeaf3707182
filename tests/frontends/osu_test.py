#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure-osu from outside: tables, counts, MPI calls.

usage: osu_test.py MEASURE_OSU VALIDATE_RECORDS LAUNCHER YIELD_HELPER TRACE LINKS MEASURE RARE_MPI CORRUPT
       [UNITTEST OPTIONS]

TRACE is built from osu_trace.c, RARE_MPI from rare_mpi.c, CORRUPT from mpiperf_corrupt.cpp.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import harness

SHORT = ("-i", 3, "-x", 1)
# equals measure::clock_flags
CLOCK_FLAGS = {"clocks_disagree", "sync_degraded", "sync_poor", "unsynchronised", "unverified"}
NUMBER = r" +[0-9]+\.[0-9]{2}"
ROW = re.compile(rf"[0-9]+{NUMBER}(?:{NUMBER})*(?: +[0-9]+)?")
BARRIER_ROW = re.compile(rf"{NUMBER}(?:{NUMBER})*(?: +[0-9]+)?")
# Ramble's expressions: headings up to their ends, and the numbers in a row. None: Ramble does not read such tables.
LATENCIES = r"\s+P50 Tail Lat\(us\)\s+P90 Tail Lat\(us\)\s+P99 Tail Lat\(us\)"
RATES = r" P50 Tail BW\(MB/s\) P90 Tail BW\(MB/s\) P99 Tail BW\(MB/s\)\s*$"
PARTS = r"\s+Overall\(us\)\s+Compute\(us\)\s+Pure Comm\.\(us\)\s+Overlap\(%\)"
RAMBLE = {
    "single": (r"#\s+Size\s+Latency \(us\)\s*$", 2),
    "single tail": (r"# Size\s+Latency \(us\)" + LATENCIES + "$", 5),
    "mean": (r"#\s+Size\s+Avg Latency\(us\)\s*$", 2),
    "mean tail": (r"# Size\s+Avg Latency\(us\)" + LATENCIES + "$", 5),
    "parts": (r"#\s+Size" + PARTS + r"\s*$", None),
    "parts tail": (r"# Size" + PARTS + "".join(rf"  P{p} Tail Lat\(us\)" for p in (50, 90, 99)) + r"\s*$", None),
    "rate": (r"# Size\s+Bandwidth \(MB/s\)\s*$", 2),
    "rate tail": (r"# Size\s+Bandwidth \(MB/s\)" + RATES, 5),
    "rates": (r"# Size\s+MB/s\s+Messages/s\s*$", 3),
    "rates tail": (r"# Size\s+MB/s\s+Messages/s" + RATES, 6),
    "barrier": (r"# Avg Latency\(us\)\s*$", 1),
    "barrier tail": (r"# Avg Latency\(us\)" + LATENCIES + r"\s*$", 4),
}


class OsuTest(harness.ProgramTest):
    program = None
    trace = None
    links = None  # file with the names and folders of the links
    measure_tool = None
    rare = None
    corrupt = None

    def run_it(self, name, *arguments, code=0, **words):
        process = self.launch(self.program, *([f"osu_{name}"] if name else []), *arguments, **words)
        out, err = process.communicate(timeout=harness.LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        if code is not None:
            self.assertEqual(ended.code, code, (name, arguments, out, err))
        if ended.records:
            self.assert_valid(ended)
        return ended

    @staticmethod
    def names():
        out = subprocess.run([OsuTest.program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
        return [line.split()[0].removeprefix("osu_") for line in out.splitlines()]

    @staticmethod
    def ranks_of(name):
        return 3 if "neighbor" in name else 2

    @staticmethod
    def is_persistent_collective(name):
        return name in RELATIVES and name.endswith("_persistent")

    @staticmethod
    def lacks(name):
        """Open MPI 4.1 implements MPI 3.1, which has no persistent collectives."""
        return "persistent" in harness.LACKS and OsuTest.is_persistent_collective(name)

    @staticmethod
    def rows(out):
        return [line.split() for line in out.splitlines() if line and not line.startswith("#")]

    def rows_and_points(self, ended):
        """Yields each row of the tables with its point of the record."""
        self.assertTrue(ended.points)
        return zip(self.rows(ended.out), ended.points, strict=True)

    def traced(self, name, *arguments, ranks=2, environment=None, **words):
        """Returns the run and the calls of each rank."""
        prefix = self.folder / "trace"
        ended = self.run_it(name, *arguments, ranks=ranks, preload=[self.trace],
                            environment={"OSU_TRACE": str(prefix), **(environment or {})}, **words)
        return ended, [pathlib.Path(f"{prefix}.{rank}").read_text().splitlines() for rank in range(ranks)]

    # Names.

    @harness.slow
    def test_every_program_prints_its_table_and_a_record(self):
        for name in self.names():
            if "_fan_" in name:  # needs two hosts: tests/hosts
                continue
            with self.subTest(name):
                startup = name in ("hello", "init")
                sizes = () if startup or "barrier" in name or name in ("fop_latency", "cas_latency") else ("-m", "8:16")
                self.json.unlink(missing_ok=True)
                ended = self.run_it(name, *(() if startup else SHORT), *sizes, ranks=self.ranks_of(name), code=None)
                # Some libraries lack persistent collectives, others implement them incorrectly.
                lacks = self.is_persistent_collective(name) and ended.code == 4
                self.assertEqual(ended.code, 4 if lacks else 0, ended.err)
                self.assertEqual(ended.run["suite"], "osu")
                self.assertEqual(ended.run["program"], "osu_" + name)
                self.assertEqual({p["benchmark"] for p in ended.points}, set() if name == "hello" else {name})
                rows = [line for line in ended.out.splitlines() if line and not line.startswith("#")]
                if lacks:
                    self.assertRegex("\n".join(ended.warnings()),
                                     r"this MPI library (has no MPI_|(fails|delivers wrong data) in the second )")
                elif not startup:
                    self.assertEqual(len(rows), len(ended.points))
                    for row in rows:
                        self.assertTrue((BARRIER_ROW if "barrier" in name else ROW).fullmatch(row), row)
                self.assertEqual([line for line in ended.out.splitlines() if line != line.rstrip()
                                  and not line.startswith(("# Dimensions", "# Number"))], [])

    def test_the_links_match_the_listed_names(self):
        listed = subprocess.run([self.program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
        folders = {line.split()[0]: line.split()[1] for line in listed.splitlines()}
        links = dict(line.split() for line in pathlib.Path(self.links).read_text().splitlines() if line)
        self.assertEqual(links, folders)
        self.assertEqual(len(self.names()), 77)

    def test_a_link_and_an_argument_name_a_program(self):
        link = self.folder / "x-osu_bcast"
        link.symlink_to(self.program)
        for command in ([link], [self.program, "osu_bcast"]):
            out = subprocess.run([*command, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertTrue(out.startswith("# OSU MPI Broadcast Latency Test v7.4\n"), out)
            self.assertIn("\nosu_bcast ", out)
        missing = self.folder / "osu_latenc"
        missing.symlink_to(self.program)
        ended = subprocess.run([missing, "-m", "8"], capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stdout, len(ended.stderr.splitlines())), (2, "", 1))
        self.assertIn("'osu_latenc' is not a program; did you mean 'osu_latency'?", ended.stderr)
        ended = subprocess.run([self.program, "latency"], capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertIn("'latency' is not a program; did you mean 'osu_latency'?", ended.stderr)

    # Tables.

    @harness.slow
    def test_harnesses_find_their_numbers(self):
        for name, kind in (("put_latency", "single"), ("latency", "mean"), ("allreduce", "mean"), ("iallreduce", "parts"),
                           ("bw", "rate"), ("put_bw", "rate"), ("mbw_mr", "rates"), ("barrier", "barrier")):
            for words, tail in (([], ""), (["-z"], " tail")):
                with self.subTest(name, words=words):
                    sizes = () if name == "barrier" else ("-m", "8:16")
                    out = self.run_it(name, *words, *SHORT, *sizes, record=False).out
                    lines = out.splitlines()
                    found = [known for line in lines for known, (heading, _) in RAMBLE.items() if re.match(heading, line)]
                    self.assertEqual(found, [kind + tail], out)
                    self.assertRegex(out, r"(?m)^# OSU.*Test v7\.4$")
                    self.assertEqual("# Datatype: MPI_CHAR." in lines, name != "barrier")
                    rows = self.rows(out)
                    self.assertEqual(len(rows), 1 if name == "barrier" else 2)
                    if (numbers := RAMBLE[kind + tail][1]) is not None:
                        size = "" if name == "barrier" else r"[0-9]+\s+"
                        row = size + r"\s+".join(["[0-9.]+"] * (numbers - (name != "barrier")))
                        self.assertEqual([line.split() for line in lines if re.fullmatch(rf"\s*{row}\s*", line)], rows)
                    if tail:
                        for row in rows:
                            tails = [float(x) for x in row[-3:]]
                            self.assertEqual(tails, sorted(tails))
                            self.assertGreater(tails[0], 0)

    @harness.slow
    def test_pages_of_the_older_version_are_reproduced_exactly(self):
        latency, mean, rate = ["Latency (us)"], ["Avg Latency(us)"], ["Bandwidth (MB/s)"]
        spread = ["Min Latency(us)", "Max Latency(us)", "Iterations"]
        parts = ["Overall(us)", "Compute(us)", "Pure Comm.(us)", "Overlap(%)"]
        all_parts = parts[:2] + ["Coll. Init(us)", "MPI_Test(us)", "MPI_Wait(us)"] + parts[2:]
        sums = "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n"
        window = "# Window creation: MPI_Win_allocate\n# Synchronization: MPI_Win_{}\n"
        flush, pscw = window.format("flush"), window.format("post/start/complete/wait")
        pairs = "# [ pairs: 1 ] [ window size: 64 ]\n"
        for name, words, title, below, headings in (
                ("latency", [], "# OSU MPI Latency", "", latency),
                ("bw", [], "# OSU MPI Bandwidth", "", rate),
                ("bibw", [], "# OSU MPI Bi-Directional Bandwidth", "", rate),
                ("mbw_mr", [], "# OSU MPI Multiple Bandwidth / Message Rate", pairs, ["MB/s", "Messages/s"]),
                ("multi_lat", [], "# OSU MPI Multi Latency", "", latency),
                ("allreduce", [], "\n# OSU MPI Allreduce Latency", "", mean),
                ("bcast", ["-f"], "\n# OSU MPI Broadcast Latency", "", mean + spread),
                ("barrier", [], "\n# OSU MPI Barrier Latency", "", ["# " + mean[0]]),
                ("barrier", ["-f"], "\n# OSU MPI Barrier Latency", "", ["# " + mean[0]] + spread),
                ("iallreduce", [], "\n# OSU MPI Non-blocking Allreduce Latency", sums, parts),
                ("iallreduce", ["-f"], "\n# OSU MPI Non-blocking Allreduce Latency", sums, all_parts),
                ("ibarrier", [], "\n# OSU MPI Non-blocking Barrier Latency", sums, parts),
                ("ibarrier", ["-f"], "\n# OSU MPI Non-blocking Barrier Latency", sums, all_parts),
                ("put_latency", [], "# OSU MPI_Put Latency", flush, latency),
                ("put_bw", [], "# OSU MPI_Put Bandwidth", flush, rate),
                ("put_bibw", [], "# OSU MPI_Put Bi-directional Bandwidth", pscw, rate),
                ("get_latency", [], "# OSU MPI_Get latency", flush, latency),
                ("acc_latency", [], "# OSU MPI_Accumulate latency", flush, latency),
                ("fop_latency", [], "# OSU MPI_Fetch_and_op latency", flush, latency),
                ("cas_latency", [], "# OSU MPI_Compare_and_swap latency", flush, latency)):
            with self.subTest(name, words=words):
                is_barrier, has_one_size = "barrier" in name, name in ("fop_latency", "cas_latency")
                sizes = () if is_barrier or has_one_size else ("-m", "8:8")
                out = self.run_it(name, "--format", "5.3", "--plain", "-i", 10, "-x", 1, *sizes, *words,
                                  record=False).out
                # Without sizes the first column of a blocking barrier is as wide as its heading.
                widths = [17 if heading.startswith("#") else 12 if heading == "Iterations" else 18
                          for heading in headings]
                columns = "".join(heading.rjust(width) for heading, width in zip(headings, widths))
                head = (f"{title} Test v5.3\n{below}"
                        f"{'' if is_barrier else '# Size    '}{columns}\n")
                self.assertEqual(out[:len(head)], head)
                size = "" if is_barrier else "8         "
                cells = out[len(head):].split()[0 if is_barrier else 1:]
                self.assertEqual(len(cells), len(headings), out)
                self.assertEqual(out[len(head):],
                                 size + "".join(cell.rjust(width) for cell, width in zip(cells, widths)) + "\n")
                for heading, cell in zip(headings, cells):
                    self.assertRegex(cell, "^10$" if heading == "Iterations" else r"^[0-9]+\.[0-9]{2}$", heading)

    @harness.not_quick
    def test_the_arguments_that_reframe_passes_are_accepted(self):
        ended = self.run_it("latency", "-m", "8:8", "-x", 10, "-i", 100, "D", "D", record=False)
        self.assertEqual(len(re.findall(r"(?m)^8\s+(\S+)", ended.out)), 1)
        self.assertEqual(len(ended.warnings()), 1)
        self.assertEqual(self.run_it("bw", "-m", 4096, *SHORT, "--plain", "H", "H", record=False).err, [])

    def test_additional_lines_go_to_stderr_or_are_suppressed(self):
        ended = self.run_it("bcast", "-m", "8:16", *SHORT, "--method", "both", code=None)
        *head, first, last = ended.out.splitlines()
        self.assertEqual(head, ["", "# OSU MPI Broadcast Latency Test v7.4", "# Datatype: MPI_CHAR.",
                                "# Size       Avg Latency(us)"])
        self.assertEqual([line.split()[0] for line in (first, last) if ROW.fullmatch(line)], ["8", "16"])
        own = ended.remarks().splitlines()
        self.assertEqual(own[0], f"#+ libmeasure {ended.run['version']}")
        self.assertEqual([line.split()[1].split("=")[0] for line in own[1:]], ["method", "bytes", "bytes"])
        for line in own:
            self.assertIsNone(re.search(r"\d\s+\d", line), line)
        for word in ("--plain", "--quiet"):
            ended = self.run_it("bcast", "-m", "8:8", *SHORT, word, record=False)
            self.assertEqual((ended.remarks(), len(self.rows(ended.out))), ("", 1), word)
        self.assertIn("#+ libmeasure ", self.run_it("hello", record=False).remarks())

    def test_path_names_the_folder_of_an_installation(self):
        ended = subprocess.run([self.program, "--path"], capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stdout), (2, ""))
        self.assertRegex(ended.stderr, r"^measure-osu: error: --path: folder "
                                       r"'/.*/libexec/libmeasure/osu-micro-benchmarks/mpi' does not exist; "
                                       r"meson install creates the links\n$")

    def test_the_record_can_be_written_to_standard_output(self):
        process = self.launch(self.program, "osu_bw", *SHORT, "-m", "8:8", "--json", "-", record=False)
        out, err = process.communicate(timeout=harness.LIMIT)
        self.assertEqual([json.loads(line)["record"] for line in out.splitlines()][0], "run")
        self.assertRegex(err, r"(?m)^8 +[0-9]+\.[0-9]{2}$")

    def test_each_type_has_its_own_block(self):
        ended = self.run_it("latency", "-T", "all", "-i", 7, "-x", 0, "-m", "2:8")
        self.assertEqual(re.findall(r"# Datatype: (\S+)\.", ended.out), ["MPI_CHAR", "MPI_INT", "MPI_FLOAT"])
        self.assertEqual([(p["at"]["type"], p["at"]["bytes"]) for p in ended.points],
                         [("mpi_char", 2), ("mpi_char", 4), ("mpi_char", 8), ("mpi_int", 4), ("mpi_int", 8),
                          ("mpi_float", 4), ("mpi_float", 8)])
        self.assertEqual({p["attempts"] for p in ended.points}, {7})

    def test_window_sizes_are_columns_of_each_table(self):
        ended = self.run_it("mbw_mr", "-V", "-m", "8:16", *SHORT)
        tables = [block.splitlines() for block in ended.out.split("\n\n")]
        self.assertEqual(tables[1][0], "# Uni-directional Bandwidth (MB/sec)")
        self.assertEqual(tables[2][0], "# Message Rate Profile")
        for heading in (tables[1][2], tables[2][1]):
            self.assertEqual(heading, "#      " + "".join(f"  {w:>10}" for w in (1, 2, 4, 8, 16, 32, 64, 128)))
        self.assertEqual([p["at"]["window"] for p in ended.points][::2], [1, 2, 4, 8, 16, 32, 64, 128])

    # Numbers.

    @harness.not_quick
    def test_printed_values_follow_from_the_samples(self):
        ended = self.run_it("latency", "-m", "8:64", "-i", 20, "-x", 2, "--raw")
        for row, point in self.rows_and_points(ended):
            times = [s["time"] for s in point["samples"]]
            self.assertEqual(len(times), 20)
            self.assertAlmostEqual(float(row[1]), sum(times) / 20 / 2 * 1e6, delta=0.006)
            self.assertAlmostEqual(point["value"], sum(times) / 20 / 2, delta=1e-12)
        ended = self.run_it("bw", "-m", "8:64", "-i", 20, "-x", 2, "-W", 16, "--raw")
        for row, point in self.rows_and_points(ended):
            mean = sum(s["time"] for s in point["samples"]) / 20
            self.assertAlmostEqual(float(row[1]), 16 * point["at"]["bytes"] / mean / 1e6, delta=0.006)
            self.assertEqual(point["quantity"], "bandwidth")
            self.assertAlmostEqual(point["value"] / 1e6, float(row[1]), delta=0.006)

    def test_rates_and_bandwidths_of_pairs_agree(self):
        ended = self.run_it("mbw_mr", "-m", "8:64", *SHORT)
        for row, _ in self.rows_and_points(ended):
            size, bandwidth, rate = map(float, row)
            self.assertAlmostEqual(rate * size / 1e6, bandwidth, delta=0.01)
        self.assertEqual({p["at"]["pairs"] for p in ended.points}, {1})

    @harness.slow
    def test_means_over_ranks_lie_between_the_ranks(self):
        ended = self.run_it("allreduce", "-f", "-m", "8:64", "-i", 50)
        for row, point in self.rows_and_points(ended):
            mean, least, most = (float(x) for x in row[1:4])
            self.assertEqual(row[4], "50")
            self.assertAlmostEqual(mean, (least + most) / 2, delta=0.011)
            for shown, key in ((least, "min"), (mean, "mean"), (most, "max")):
                self.assertAlmostEqual(shown, point["over_ranks"][key] * 1e6, delta=0.006)
            self.assertGreaterEqual(point["derived"]["slowest"]["median"], 0)

    def test_overlap_follows_from_the_printed_values(self):
        ended = self.run_it("iallreduce", "-f", "-m", "8:64", "-t", 2, "-i", 50)
        for row, point in self.rows_and_points(ended):
            d = point["derived"]
            share = 100 - 100 * (point["value"] - d["compute"]) / d["pure"]
            self.assertAlmostEqual(d["overlap_unclipped"] * 100, share, delta=1e-6)
            self.assertAlmostEqual(d["overlap"], max(0, share / 100), delta=1e-8)
            self.assertEqual(len(row), 10)
            shown = [d[key] * 1e6 for key in ("compute", "init", "test", "wait", "pure", "pure_min", "pure_max")]
            for text, value in zip(row[1:], [point["value"] * 1e6, *shown, d["overlap"] * 100]):
                self.assertAlmostEqual(float(text), value, delta=0.006)
            self.assertGreater(d["test"], 0)

    @harness.not_quick
    def test_iterations_depend_on_the_size(self):
        ended = self.run_it("bw", "-m", "8192:16384")
        self.assertEqual([p["attempts"] for p in ended.points], [100, 20])

    def test_both_methods_appear_next_to_each_other(self):
        ended = self.run_it("bcast", "-m", "8:16", "--method", "both", "-i", 50, code=None)
        missed = [point for point in ended.points if point["derived"]["synchronised"]["valid"] == 0]
        self.assertEqual(ended.code, 4 if missed else 0, ended.err)
        for point in ended.points:
            beside = point["derived"]["synchronised"]
            # A busy machine may make all starts late, or the clocks too inexact for a ratio; the line says so.
            ratio = "" if CLOCK_FLAGS & set(point["flags"]) else r"ratio=\S+ "
            known = "- status=no_valid"
            if beside["valid"] > 0:
                known = fr"\S+us error=\S+us of=\d+/\d+ stop=\w+ {ratio}valid="
            self.assertEqual("value" in beside, beside["valid"] > 0)
            self.assertRegex(ended.remarks(), fr"#\+ bytes={point['at']['bytes']} .* synchronised={known}")
        self.assertEqual(ended.run["options"]["method"], "both")
        ended = self.run_it("bcast", "-m", "8:8", "--method", "sync", "-i", 50, code=None)
        self.assertIn(ended.code, (0, 4))
        self.assertEqual(ended.code == 4, "status=no_valid_samples" in ended.remarks(), ended.err)
        self.assertIn("#+ method=sync\n", ended.remarks())
        self.assertEqual(ended.run["options"]["start"], "slot")

    @harness.not_quick
    def test_wrong_clocks_are_reported_for_the_synchronised_method(self):
        skewed = ("-m", "8:8", "-i", 50, "--sync-alg", "none", "--timer", "synthetic:monotonic,skew=rank*1s")
        ended = self.run_it("bcast", *skewed, "--method", "both", code=4)
        point, = ended.points
        beside = point["derived"]["synchronised"]
        self.assertEqual((point["valid"], beside["valid"], beside["status"]), (50, 0, "no_valid_samples"))
        self.assertIn("unsynchronised", beside["flags"])
        self.assertIn("unsynchronised", point["flags"])
        self.assertRegex(ended.remarks(), r"synchronised=- status=no_valid_samples valid=50/50 flags=\S*unsynchronised")
        self.assertNotIn("ratio=", ended.remarks())
        # Without a synchronised time of the call, the computing time is unknown.
        ended = self.run_it("ibcast", *skewed, "--method", "sync", code=4)
        self.assertEqual(self.rows(ended.out), [])
        self.assertEqual([p["status"] for p in ended.points], ["no_valid_samples"])

    @harness.not_quick
    def test_strict_applies_to_the_synchronised_method(self):
        for words in ((), ("--strict",)):
            ended = self.run_it("bcast", "-m", "8:8", "-i", 50, "--sync-alg", "none", "--method", "both", *words,
                                "--timer", "synthetic:monotonic,skew=rank*2us", code=None)
            point, = ended.points
            doubts = {"unsynchronised", "unverified", "clocks_disagree"} & set(point["flags"])
            self.assertTrue(doubts, point)
            if words or point["derived"]["synchronised"]["valid"] == 0:
                self.assertEqual(ended.code, 4)
            else:
                self.assertEqual(ended.code, 0)
            self.assertNotIn("ratio=", ended.remarks())

    def test_synchronised_measurements_accept_every_stopping_rule(self):
        ended = self.run_it("bcast", "-m", "8:8", "--method", "sync", "--start", "barrier", "--stop", "count:24",
                            "--trim", 10, "--confidence", 0.9, "--batch", 3)
        point, = ended.points
        self.assertEqual((point["valid"], point["kept"], point["iterations_per_sample"]), (24, 20, 3))
        self.assertEqual(point["stop_reason"], "count")
        self.assertEqual(point["estimate"]["confidence"], 0.9)
        self.assertEqual((ended.run["options"]["stop"], ended.run["options"]["trim"]), ("count:24", 0.1))
        ended = self.run_it("bcast", "-m", "8:8", "-i", 50, "--method", "both", "--start", "barrier", "--stop",
                            "count:24")
        point, = ended.points
        self.assertEqual((point["valid"], point["derived"]["synchronised"]["valid"]), (50, 24))
        self.assertIn(" of=24/24 stop=count ", ended.remarks())

    # Records.

    @harness.not_quick
    def test_an_export_has_the_rows_of_the_table(self):
        if not self.measure_tool:
            self.skipTest("measure is not built")
        for name, sizes in (("latency", ("-m", "8:16")), ("bw", ("-m", "8:16")), ("allreduce", ("-m", "8:16")),
                            ("put_latency", ("-m", "8:16")), ("iallgather", ("-m", "8:16")), ("barrier", ())):
            with self.subTest(name):
                self.json.unlink(missing_ok=True)
                ended = self.run_it(name, *SHORT, *sizes)
                out = subprocess.run([self.measure_tool, "export", "--format", "osu", self.json],
                                     stdout=subprocess.PIPE, text=True, check=True).stdout
                self.assertEqual(self.rows(out), self.rows(ended.out))
                heading = [line for line in ended.out.splitlines() if re.match("# (Size|Avg)", line)]
                self.assertEqual([line for line in out.splitlines() if re.match("# (Size|Avg)", line)], heading)
        report = subprocess.run([self.measure_tool, self.json], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn("barrier", report)
        subprocess.run([self.measure_tool, "compare", self.json, self.json], stdout=subprocess.PIPE, check=True)
        page = subprocess.run([self.measure_tool, "report", "-o", "-", "--format", "md", self.json],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn("barrier", page)

    # Calls.

    def test_latency_calls_send_and_receive_only(self):
        _, (first, second) = self.traced("latency", "-m", "8:8", "-i", 5, "-x", 2)
        calls = [c for c in first if c.endswith("tag 1")]
        self.assertEqual(calls, ["Send 8 to 1 tag 1", "Recv 8 from 1 tag 1"] * 7)
        begin = first.index("Send 8 to 1 tag 1", [i for i, c in enumerate(first) if c == calls[0]][2])
        self.assertEqual(first[begin:begin + 10], ["Send 8 to 1 tag 1", "Recv 8 from 1 tag 1"] * 5)
        self.assertEqual([c for c in second if c.endswith("tag 1")],
                         ["Recv 8 from 0 tag 1", "Send 8 to 0 tag 1"] * 7)

    def test_printed_sizes_are_those_of_the_messages(self):
        ended, (first, _) = self.traced("latency", "-m", "7:7", "-T", "mpi_int", "-i", 5, "-x", 0, "-c", "-u", 0)
        self.assertEqual({c for c in first if c.endswith("tag 1")}, {"Send 4 to 1 tag 1", "Recv 4 from 1 tag 1"})
        self.assertEqual([row[::2] for row in self.rows(ended.out)], [["4", "Pass"]])
        self.assertEqual([p["at"]["bytes"] for p in ended.points], [4])
        self.assertIn("sizes are rounded down to whole elements of MPI_INT (4 bytes)", "\n".join(ended.warnings()))
        ended, (first, _) = self.traced("bw", "-m", "7:7", "-T", "mpi_int", "-i", 2, "-x", 0, "-W", 8)
        self.assertEqual(sum(c.startswith("Isend 4 to 1 ") for c in first), 16)
        point, = ended.points
        samples = 8 * 4 / point["value"]  # seconds per window
        self.assertAlmostEqual(float(self.rows(ended.out)[0][1]), 8 * 4 / samples / 1e6, delta=0.006)

    @harness.slow
    def test_data_checks_pass_for_sizes_between_two_elements(self):
        for name in self.names():
            if "_fan_" in name or name in ("hello", "init") or "barrier" in name or self.lacks(name):
                continue
            with self.subTest(name):
                self.json.unlink(missing_ok=True)
                sizes = () if name in ("fop_latency", "cas_latency") else ("-m", "7:7")
                ended = self.run_it(name, "-c", *SHORT, *sizes, "-T", "mpi_int", ranks=self.ranks_of(name), code=None)
                if ended.code == 2:
                    self.assertRegex(ended.errors()[0], "unknown option '-[cT]'")
                    continue
                for point in ended.points:
                    if point["status"] == "skipped":
                        self.assertTrue(self.is_persistent_collective(name), point)
                    else:
                        self.assertEqual(point["derived"]["validation"], "pass", ended.err)
                        self.assertIn(point["at"].get("bytes", 8), (4, 8))

    def test_messages_have_the_requested_type(self):
        for name, words in (("latency", []), ("latency_mt", ["-t", "1:1"])):
            with self.subTest(name):
                _, (first, _) = self.traced(name, *words, "-T", "mpi_int,mpi_float", "-m", "8:8", "-i", 5, "-x", 0,
                                            environment={"OSU_TRACE_TYPES": "1"})
                self.assertEqual([c for c in first if c.startswith("Send 8 to 1 tag 1 ")],
                                 ["Send 8 to 1 tag 1 of MPI_INT"] * 5 + ["Send 8 to 1 tag 1 of MPI_FLOAT"] * 5)

    @harness.not_quick
    def test_bandwidth_sends_windows_and_waits_for_an_answer(self):
        for window, buffers in ((64, "single"), (4, "single"), (64, "multiple")):
            with self.subTest(window=window, buffers=buffers):
                _, (first, second) = self.traced("bw", "-i", 3, "-x", 1, "-m", "8:8", "-W", window, "-b", buffers)
                sends = [c for c in first if c.startswith("Isend 8 to 1 tag 100")]
                self.assertEqual(len(sends), 4 * window)
                places = {int(c.split()[-1], 16) for c in sends}
                self.assertEqual(len(places), window if buffers == "multiple" else 1)
                self.assertEqual({place % 4096 for place in places}, {0})
                begin = first.index(sends[0])
                self.assertEqual(first[begin + window:begin + window + 2],
                                 [f"Waitall {window}", "Recv 1 from 1 tag 101"])
                self.assertEqual(second.count("Send 1 to 0 tag 101"), 4)

    def test_in_bidirectional_tests_each_side_waits_in_its_own_order(self):
        _, (first, second) = self.traced("bibw", "-i", 1, "-x", 0, "-m", "8:8", "-W", 2)
        def kinds(calls):
            return [c.split(" at ")[0] for c in calls if re.match("I(send|recv) 8|Waitall", c)]
        self.assertEqual(kinds(first), ["Irecv 8 from 1 tag 10"] * 2 + ["Isend 8 to 1 tag 100"] * 2 + ["Waitall 2"] * 2)
        self.assertEqual(kinds(second),
                         ["Irecv 8 from 0 tag 100"] * 2 + ["Isend 8 to 0 tag 10"] * 2 + ["Waitall 2"] * 2)

    def test_persistent_messages_are_only_started_in_the_loop(self):
        _, (first, _) = self.traced("bw_persistent", "-i", 3, "-x", 1, "-m", "8:8", "-W", 4)
        self.assertEqual(first.count("Startall 4"), 4)
        self.assertEqual([c for c in first if c.startswith("Isend 8")], [])

    def test_collectives_are_separated_by_barriers_and_barriers_are_not(self):
        _, (first, _) = self.traced("bcast", "-i", 5, "-x", 2, "-m", "7:7")
        places = [i for i, c in enumerate(first) if c == "Bcast 7"]
        self.assertEqual(len(places), 7)
        for a, b in zip(places, places[1:]):
            self.assertIn("Barrier", first[a + 1:b])
        _, (first, _) = self.traced("barrier", "-i", 50, "-x", 2)
        runs = re.findall(r"(?:^Barrier\n)+", "\n".join(first) + "\n", re.MULTILINE)
        self.assertIn(len(max(runs, key=len).split()), (50, 51))  # one barrier begins the stage

    def test_one_sided_samples_contain_only_the_measured_operations(self):
        # Ten samples of two operations, after two for warm-up.
        _, (first, second) = self.traced("put_latency", "-m", "8:8", "-i", 20, "-x", 2)
        self.assertEqual([c for c in first if c.startswith(("Win_", "Put"))],
                         ["Win_lock", *["Put 8 to 1", "Win_flush"] * 22, "Win_unlock"])
        self.assertEqual([c for c in second if c.startswith(("Win_", "Put"))], [])

    @harness.slow
    def test_one_sided_programs_make_the_calls_of_their_synchronisation(self):
        op = "Put 8 to {}"
        once = {
            "lock": (["Win_lock", op, "Win_unlock"], []),
            "lock_all": (["Win_lock_all", op, "Win_unlock_all"], []),
            "flush": ([op, "Win_flush"], []),
            "flush_local": ([op, "Win_flush_local"], []),
            "fence": (["Win_fence", op, "Win_fence", "Win_fence"], ["Win_fence", "Win_fence", op, "Win_fence"]),
            "pscw": (["Win_start", op, "Win_complete", "Win_post", "Win_wait"],
                     ["Win_post", "Win_wait", "Win_start", op, "Win_complete"]),
        }
        for way, expected in once.items():
            with self.subTest(way):
                _, calls = self.traced("put_latency", "-s", way, "-m", "8:8", "-i", 5, "-x", 2)
                for rank in (0, 1):
                    outer = ["Win_lock"] if way.startswith("flush") and rank == 0 else []
                    seen = [c for c in calls[rank] if c.startswith(("Win_", "Put"))]
                    self.assertEqual(seen, outer + [c.format(1 - rank) for c in expected[rank]] * 7 +
                                     (["Win_unlock"] if outer else []))

    @harness.not_quick
    def test_roots_rotate_and_buffers_can_be_in_place(self):
        _, (first, _) = self.traced("gather", "-k", "rotate", "-m", "7:7", "-i", 4, "-x", 0)
        self.assertEqual([c for c in first if c.startswith("Gather 7")],
                         ["Gather 7 root 0", "Gather 7 root 1"] * 2)
        _, (first, _) = self.traced("allreduce", "-l", "-m", "7:7", "-i", 4, "-x", 0)
        self.assertEqual(first.count("Allreduce 7 in place"), 4)

    # Data.

    @harness.slow
    def test_data_are_checked_after_the_loop(self):
        for name in ("latency", "latency_mt", "bw", "bibw", "latency_persistent", "allreduce", "gather", "ialltoall",
                     *(() if self.lacks("alltoallw_persistent") else ("alltoallw_persistent",)), "reduce_scatter",
                     "fop_latency", "cas_latency", "acc_latency", "neighbor_alltoall", "bcast"):
            with self.subTest(name):
                sizes = () if name in ("fop_latency", "cas_latency") else ("-m", "8:16")
                types = ("-T", "mpi_int") if name in ("cas_latency", "allreduce") else ()
                ended = self.run_it(name, "-c", *SHORT, *sizes, *types, ranks=self.ranks_of(name))
                self.assertEqual({row[-1] for row in self.rows(ended.out)},
                                 {"passed" if name.endswith("_latency") else "Pass"})
                self.assertEqual({p["derived"]["validation"] for p in ended.points}, {"pass"})

    @harness.slow
    def test_windows_of_all_kinds_deliver_their_data(self):
        for kind in ("allocate", "create", "dynamic"):
            for way in ("fence", "pscw", "lock", "lock_all", "flush_local"):
                ended = self.run_it("get_acc_latency", "-c", "-w", kind, "-s", way, *SHORT, "-m", "8:8", "-T",
                                    "mpi_int")
                self.assertEqual(self.rows(ended.out)[0][-1], "passed", (kind, way))
                self.assertEqual([(p["at"]["window_creation"], p["at"]["synchronization"]) for p in ended.points],
                                 [(kind, way)])

    def test_a_window_that_fails_on_one_process_ends_the_run(self):
        for kind, call in (("create", "Win_create"), ("dynamic", "Win_attach")):
            ended = self.run_it("put_latency", "-w", kind, *SHORT, "-m", "8:8", code=1, preload=[self.rare],
                                environment={"RARE_MPI": call})
            self.assertEqual(len(ended.errors()), 1)
            self.assertIn(f"rank 1: MPI_{call}: ", ended.errors()[0])

    def test_persistent_collectives_with_wrong_data_have_no_values(self):
        if self.lacks("bcast_persistent"):
            self.skipTest("no persistent collectives")
        ended = self.run_it("bcast_persistent", *SHORT, "-m", "8:16", code=4, preload=[self.corrupt],
                            environment={"MPIPERF_CORRUPT": "bcast_init"})
        reason = "this MPI library delivers wrong data in the second Bcast_init on 2 processes"
        self.assertEqual([(p["status"], p["message"]) for p in ended.points], [("skipped", reason)] * 2)
        self.assertEqual(self.rows(ended.out), [])
        self.assertIn(f"#+ bytes=16 status=skipped: {reason}\n", ended.remarks())
        self.assertEqual(len(ended.warnings()), 1)

    @harness.not_quick
    def test_a_wrong_byte_ends_the_program(self):
        folder = self.folder / "faults"
        ended = self.run_it("latency", "-clog:" + str(folder), "-u", 0, "-i", 2, "-x", 1, "-m", "8:16", code=3,
                            preload=[self.trace], environment={"OSU_TRACE_FAULT": "4"})
        self.assertEqual([row[-1] for row in self.rows(ended.out)], ["Fail"])
        self.assertEqual(self.rows(ended.out)[0][:2], ["8", "-"])
        self.assertEqual(len(ended.errors()), 1)
        self.assertIn("message 0 of rank 1: byte 7 of 8 is wrong", ended.errors()[0])
        self.assertEqual([p["status"] for p in ended.points], ["crashed", "skipped"])
        self.assertEqual([path.name for path in folder.iterdir()], ["log-0.log"])
        self.assertEqual((folder / "log-0.log").read_text(),
                         "osu_latency bytes=8: message 0 of rank 1: byte 7 of 8 is wrong, 80 instead of 81\n")
        again = self.run_it("latency", "-clog:" + str(folder), *SHORT, code=2)
        self.assertEqual(again.out, "")
        # The rank that sees the error continues with the others until the checked loop ends.
        for name, words, fault in (("latency", [], "OSU_TRACE_FAULT"), ("latency_mt", ["-t", "2:2"], "OSU_TRACE_FAULT"),
                                   ("bcast", [], "OSU_TRACE_BCAST_FAULT")):
            ended = self.run_it(name, *words, "-c", "-i", 2, "-x", 1, "-m", "8:16", code=3, preload=[self.trace],
                                environment={fault: "5"})
            self.assertEqual([row[-1] for row in self.rows(ended.out)], ["Fail"])
            self.assertEqual(len(ended.errors()), 1)

    def test_an_unwritable_log_is_reported(self):
        folder = str(self.folder)
        while len(folder) < 3900:
            folder += "/" + 100 * "x"
            pathlib.Path(folder).mkdir()
        # The name of the folder has the maximum length; that of a file in it is longer.
        folder += "/" + (4090 - len(folder)) * "x"
        ended = self.run_it("latency", "-clog:" + folder, "-u", 0, "-i", 2, "-x", 1, "-m", "8:8", code=3,
                            preload=[self.trace], environment={"OSU_TRACE_FAULT": "4"})
        self.assertEqual(len(ended.errors()), 1)
        self.assertTrue(ended.errors()[0].endswith(" byte 7 of 8 is wrong, 80 instead of 81 (log not written)"))

    def test_each_host_has_its_own_folder_of_logs(self):
        # Separate working directories stand for separate hosts.
        script = 'mkdir -p rank$R && cd rank$R && exec "$@"'.replace("$R", "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}")
        process = self.launch("sh", "-c", script, "sh", self.program, "osu_bcast", "-clog:faults", "-i", 2, "-x", 1,
                              "-m", "8:8", preload=[self.trace], environment={"OSU_TRACE_BCAST_FAULT": "5"},
                              cwd=self.folder)
        out, err = process.communicate(timeout=harness.LIMIT)
        self.assertEqual(process.returncode, 3, out + err)
        self.assertNotIn("log not written", err)
        self.assertEqual([path.name for path in (self.folder / "rank0" / "faults").iterdir()], [])
        self.assertIn("osu_bcast bytes=8: ", (self.folder / "rank1" / "faults" / "log-1.log").read_text())

    # Ranks, refusals, ends.

    @harness.not_quick
    def test_an_odd_rank_is_left_out(self):
        for name in ("mbw_mr", "multi_lat"):
            ended = self.run_it(name, "-m", "8:8", *SHORT, ranks=3)
            self.assertEqual([(p["at"]["pairs"], p["at"]["ranks"]) for p in ended.points], [(1, 2)])
        ended = self.run_it("mbw_mr", "-p", 1, "-m", "8:8", *SHORT, ranks=4)
        self.assertEqual([p["at"]["pairs"] for p in ended.points], [1])
        ended = self.run_it("multi_lat", "-z", "-m", "8:8", *SHORT, ranks=4)
        self.assertEqual([p["at"]["pairs"] for p in ended.points], [2])
        self.assertEqual(len(self.rows(ended.out)[0]), 5)

    @harness.slow
    @harness.plain
    def test_a_rank_without_a_partner_uses_no_processor_time(self):
        timer = self.folder / "timed.py"
        timer.write_text(harness.TIMED)
        for name, iterations in (("mbw_mr", 150), ("multi_lat", 4000)):
            # Both contain the start of the program.
            used, took = [], []
            for number in (2, iterations):
                process = self.launch(sys.executable, timer, self.program, f"osu_{name}", "-m", "1M:1M", "-i", number,
                                      "-x", 1, ranks=3, record=False, cwd=self.folder)
                out, err = process.communicate(timeout=harness.LIMIT)
                self.assertEqual(process.returncode, 0, (out, err))
                self.assertEqual(len(self.rows(out)), 1, out)
                cpu, seconds = map(float, (self.folder / "cpu.2").read_text().split())
                used.append(cpu)
                took.append(seconds)
            self.assertLess(used[1] - used[0], 0.1 * (took[1] - took[0]), (name, used, took))

    @harness.slow
    def test_more_ranks_than_cores_are_reported_in_record_and_page(self):
        cores = set(sorted(os.sched_getaffinity(0))[:2])
        for name in ("mbw_mr", "multi_lat", "allreduce"):
            with self.subTest(name):
                self.json.unlink(missing_ok=True)
                ended = self.run_it(name, "-i", 20, "-x", 2, "-m", "1k", ranks=8, cores=cores)
                self.assertEqual([p["at"]["bytes"] for p in ended.points], [1 << i for i in range(11)])
                self.assertTrue(ended.run["oversubscribed"])
                self.assertEqual([p["at"]["bytes"] for p in ended.points if "oversubscribed" not in p["flags"]], [])
                flags = re.findall(r"(?m)^#\+ bytes=\d+ .* flags=(\S+)$", ended.remarks())
                self.assertEqual(["oversubscribed" in listed.split(",") for listed in flags], [True] * 11, ended.err)
                if name != "allreduce":
                    self.assertEqual({p["at"]["pairs"] for p in ended.points}, {4})

    @harness.not_quick
    def test_both_sides_may_have_different_numbers_of_threads(self):
        for teams in ("1:2", "2:2", "3:1"):
            ended = self.run_it("latency_mt", "-t", teams, "-m", "8:8", "-i", 150, "-x", 2, "-z")
            self.assertEqual(len(re.findall(r"(?m)^# Size ", ended.out)), 1)
            sender, receiver = teams.split(":")
            self.assertTrue(ended.out.startswith(f"# Number of Sender threads: {sender} \n"
                                                 f"# Number of Receiver threads: {receiver}\n\n# OSU"), ended.out)
            self.assertEqual([(p["at"]["threads"], p["attempts"]) for p in ended.points], [(teams, 10)])
            self.assertEqual(ended.points[0]["iterations_per_sample"], 15)
            self.assertGreater(ended.points[0]["value"], 0)
            tails = ended.points[0]["derived"]["percentiles"].values()
            self.assertLessEqual(ended.points[0]["estimate"]["min"], min(tails) * 1.001)
            self.assertGreaterEqual(ended.points[0]["estimate"]["max"] * 1.001, max(tails))

    def test_sizes_are_skipped_without_thread_multiple(self):
        ended = self.run_it("latency_mt", "-m", "8:8", *SHORT, code=4, preload=[self.rare],
                            environment={"RARE_MPI": "threads"})
        self.assertEqual([p["status"] for p in ended.points], ["skipped"])
        self.assertIn("MPI does not provide MPI_THREAD_MULTIPLE", ended.points[0]["message"])
        self.assertEqual(self.rows(ended.out), [])

    @harness.slow
    def test_forked_processes_have_ended_when_the_program_ends(self):
        ended = self.run_it("latency_mp", "-t", "2:1", "-m", "8:8", *SHORT)
        self.assertIn("# Number of forked processes in sender: 2\n", ended.out)
        self.assertEqual(len(self.rows(ended.out)), 1)
        commands = {path.name: self.commands(path) for path in pathlib.Path("/proc").glob("[0-9]*")}
        self.assertEqual([process for process, words in commands.items()
                          if words[:2] == [self.program, "osu_latency_mp"]], [])

    @harness.slow
    def test_collectives_work_on_four_ranks(self):
        for name in ("allreduce", "alltoall", "barrier", "iallreduce", "neighbor_alltoall"):
            sizes = () if name == "barrier" else ("-m", "8:8")
            ended = self.run_it(name, "-i", 5, "-x", 2, *sizes, ranks=4)
            self.assertEqual(len(self.rows(ended.out)), 1)

    @harness.slow
    def test_a_message_may_be_one_element_of_a_derived_type(self):
        for name, ranks in (("latency", 2), ("latency_mt", 2), ("bibw", 2), ("bw_persistent", 2), ("alltoall", 3), ("iallgatherv", 3),
                            ("neighbor_alltoallw", 3), ("alltoall_persistent", 2)):
            with self.subTest(name):
                lacks = self.lacks(name)
                ended = self.run_it(name, "-D", "vect:8:4", "-m", "4:32", *SHORT, ranks=ranks, code=4 if lacks else 0)
                self.assertEqual({p["at"]["ddt"] for p in ended.points}, {"vect:8:4"})
                if lacks:
                    self.assertIn("this MPI library has no MPI_Alltoall_init", "\n".join(ended.warnings()))
                    self.assertEqual([p["status"] for p in ended.points], ["skipped"] * 3)
                    continue
                self.assertEqual([(row[0], row[-1]) for row in self.rows(ended.out)],
                                 [("8", "4"), ("16", "8"), ("32", "16")])
                self.assertRegex(ended.out, "\n# Size .*     Transmit Size\n")
        # A rate counts the sent data.
        rate, = self.run_it("mbw_mr", "-D", "vect:8:4", "-m", "64:64", *SHORT).points
        self.assertAlmostEqual(rate["value"] / rate["derived"]["message_rate"], 32)
        runs = self.folder / "runs"
        runs.write_text("0,1\n5,3\n")
        ended = self.run_it("latency", "-D", f"indx:{runs}", "-m", "4:8", *SHORT)
        self.assertEqual([(row[0], row[-1]) for row in self.rows(ended.out)], [("4", "1"), ("8", "4")])

    def test_the_dimensions_of_the_neighbour_grid_are_printed(self):
        ended = self.run_it("neighbor_allgather", "-m", "8:8", *SHORT, ranks=3)
        self.assertRegex(ended.out, r"^# Dimensions size = 3 \n# Time took to create topology graph:\d+\.\d\d us\.\n\n")

    def test_neighbours_can_be_read_from_a_file(self):
        graph = self.folder / "graph"
        graph.write_text("# 0 hears both, 2 hears 1\n1,0\n2,0\n1,2\n")
        ended = self.run_it("neighbor_alltoallv", "-N", f"graph:{graph}", "-c", "-m", "8:8", *SHORT, ranks=3)
        self.assertEqual(len(self.rows(ended.out)), 1)
        self.assertNotIn("Dimensions size", ended.out)
        self.assertEqual([p["derived"]["validation"] for p in ended.points], ["pass"])

    def test_a_loop_whose_times_do_not_fit_into_memory_is_skipped(self):
        if os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") > 250e9:
            self.skipTest("there is enough memory")
        ended = self.run_it("latency", "-i", 2**31 - 1, "-m", "8:8", code=4)
        point, = ended.points
        self.assertEqual(point["status"], "skipped")
        self.assertEqual(point["message"],
                         "out of memory: the times of 2147483647 iterations need 103079215056 bytes")
        self.assertEqual(len(ended.warnings()), 1)

    def test_sizes_beyond_the_memory_limit_are_skipped(self):
        ended = self.run_it("allgather", "-M", "1M", "-m", "262144:", *SHORT, ranks=4)
        self.assertEqual([row[0] for row in self.rows(ended.out)], ["262144"])
        self.assertEqual(len([w for w in ended.warnings() if "-M" in w]), 1)
        self.assertEqual([(p["at"]["bytes"], p["status"]) for p in ended.points][1:],
                         [(524288, "skipped"), (1048576, "skipped")])

    def test_errors_that_depend_on_the_ranks_are_one_line(self):
        for name, ranks, text in (("latency", 3, "exactly 2 processes are needed, but there are 3"),
                                  ("neighbor_allgather", 2, "2 processes make a grid with a side of 2"),
                                  ("bw_fan_in", 2, "at least 2 hosts with equal numbers of processes are needed")):
            with self.subTest(name):
                ended = self.run_it(name, code=2, ranks=ranks)
                self.assertEqual((ended.out, len(ended.err)), ("", 1), ended.err)
                self.assertIn(text, ended.err[0])

    @harness.slow
    def test_a_signal_leaves_complete_rows(self):
        process = self.launch(self.program, "osu_alltoall", "-i", 100000)
        self.wait_for(lambda: self.json.exists() and self.json.read_text().count('"point"') >= 1, "no point")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=harness.LIMIT)
        _, codes = harness.after_signal_to_launcher(signal.SIGTERM)
        self.assertIn(process.returncode, codes, err)
        rows = [line for line in out.splitlines() if line and not line.startswith("#")]
        self.assertTrue(rows)
        self.assertEqual([row for row in rows if not ROW.fullmatch(row)], [])
        self.assertEqual(harness.Ended(process.returncode, out, err, self.json).end["status"], "interrupted")

    @harness.not_quick
    def test_a_rank_that_is_sometimes_late_changes_the_mean_and_not_the_median(self):
        ended = self.run_it("bcast", "-i", 400, "-x", 10, "-m", "8:8", preload=[self.trace],
                            environment={"OSU_TRACE_LATE": "20"})
        point, = ended.points
        # Rank 1 takes 10 ms in one call of 20, and rank 0 does not wait for it. So the mean over both is at least 250
        # us.
        self.assertGreater(float(self.rows(ended.out)[0][1]), 240)
        self.assertLess(point["derived"]["slowest"]["median"], 120e-6)
        self.assertIn("disturbed", point["flags"])
        median = re.search(r"#\+ bytes=8 median=([0-9.]+)us", ended.remarks())
        self.assertLess(float(median[1]), 120)

    @harness.slow
    def test_a_rank_that_hangs_is_named_by_the_watchdog(self):
        ended = self.run_it("bcast", "-i", 100, "-x", 10, "-m", "8:16", "--watchdog", "3s", code=1, preload=[self.trace],
                            environment={"OSU_TRACE_HANG": "150"})
        self.assertRegex("\n".join(ended.err), r"no progress for 3 s: rank 1 in the body of bcast .*bytes=16")

    @harness.slow
    def test_a_loop_longer_than_the_limit_of_the_watchdog_continues(self):
        # The passive target makes no call while the loop of the origin runs.
        for name, words in (("latency", ()), ("put_latency", ("-s", "lock")), ("latency_mt", ("-t", "1:1"))):
            with self.subTest(name):
                # A call takes between one and fifty microseconds, depending on the load of the machine.
                iterations = 20_000
                while True:
                    self.json.unlink(missing_ok=True)
                    ended = self.run_it(name, *words, "-m", "1:1", "-i", iterations, "-x", 0, "--watchdog", "2s")
                    point, = ended.points
                    self.assertEqual(point["status"], "converged")
                    if point["elapsed"] > 4:
                        break
                    iterations = int(iterations * max(2, 6 / point["elapsed"]))

    @harness.not_quick
    def test_a_spent_budget_ends_with_the_rows_so_far(self):
        ended = self.run_it("latency", "-i", 2000, "--time-budget", "0.01s", code=4)
        self.assertEqual(ended.points[-1]["status"], "skipped")

    def test_points_are_listed_without_measuring(self):
        out = subprocess.run([self.program, "osu_bw", "-m", "8:16", "--list", "--ranks", "2"], stdout=subprocess.PIPE,
                             text=True, check=True).stdout
        self.assertEqual(out.splitlines(), [f"bw ranks=2 bytes={size} window=64 type=mpi_char" for size in (8, 16)])

    @harness.not_quick
    def test_startup_programs_print_the_number_of_processes(self):
        self.assertIn("This is a test with 2 processes\n", self.run_it("hello", "-z").out)
        found = re.search(r"^nprocs: 2, min: (\d+) ms, max: (\d+) ms, avg: (\d+) ms$", self.run_it("init", "-z").out,
                          re.MULTILINE)
        least, most, mean = (int(x) for x in found.groups())
        self.assertTrue(0 <= least <= mean <= most)

    @harness.not_quick
    def test_a_session_can_replace_mpi_init(self):
        for word in ("-I", "--session"):
            ended = self.run_it("init", word, "-z", code=4 if harness.OPEN_MPI else 0)
            self.assertIs(ended.run["options"]["session"], True)
            if harness.OPEN_MPI:
                self.assertIn("this MPI library has no MPI_Session_init", "\n".join(ended.warnings()))
                continue
            self.assertRegex(ended.out, r"(?m)^nprocs: 2, min: \d+ ms, max: \d+ ms, avg: \d+ ms$")
            self.assertIn("#+ measured: an MPI session and its communicator instead of MPI_Init\n", ended.remarks())
            self.assertLess(0, ended.points[0]["over_ranks"]["min"])
        self.assertNotIn("session", self.run_it("init").run["options"])


RELATIVES = set()


if __name__ == "__main__":
    OsuTest.program, validator, launcher, yields, OsuTest.trace, OsuTest.links = sys.argv[1:7]
    OsuTest.measure_tool = str(pathlib.Path(sys.argv[7]).resolve())
    OsuTest.program = str(pathlib.Path(OsuTest.program).resolve())
    OsuTest.tools(validator, launcher, yields)
    listing = subprocess.run([OsuTest.program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    RELATIVES = {line.split()[0].removeprefix("osu_") for line in listing.splitlines()
                 if line.split()[1] == "collective"}
    OsuTest.trace, OsuTest.rare = (str(pathlib.Path(path).resolve()) for path in (OsuTest.trace, sys.argv[8]))
    OsuTest.corrupt = str(pathlib.Path(sys.argv[9]).resolve())
    harness.main(sys.argv[10:])
