#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure export from outside: the expressions with which harnesses read OSU and IMB tables; JSON, XML and line
formats.

usage: measure_export_test.py MEASURE VALIDATE_RECORDS LAUNCHER [UNITTEST OPTIONS]
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import xml.etree.ElementTree

import harness
from harness import LIMIT

MEASURE = str(pathlib.Path(sys.argv[1]).resolve())
harness.ProgramTest.tools(*sys.argv[2:4])

RUN = {"record": "run", "schema": 2, "suite": "mpiperf", "program": "mpiperf", "version": "0.1.0",
       "command": ["mpiperf"], "started": "2025-01-31T10:00:00Z", "mpi": {"library": "MPICH 4.0.2", "standard": "4.0"},
       "ranks": 4, "hosts": [{"name": "node1", "ranks": "0-3", "cores": 4, "cpu": "Some CPU"}],
       "oversubscribed": False, "kernel": None, "clocksource": None, "governor": "powersave", "compiler": "gcc",
       "timer": {"name": "tsc", "resolution": 1e-9, "overhead": 1e-8, "frequency": 2.5e9}, "clock_sync": None,
       "options": {"seed": 1, "start": "slot", "shuffle": False}, "warnings": []}
END = {"record": "end", "status": "complete", "exit_code": 0, "elapsed": 1.0, "clock_sync_residual": None}

# Ramble's expressions: headings with any blanks between the columns and none at the end, and rows of IMB.
OSU_HEADINGS = {"collective": r"^# Size\s+Avg Latency\(us\)$", "latency": r"^# Size\s+Latency \(us\)$",
                "bandwidth": r"^# Size\s+Bandwidth \(MB/s\)$", "barrier": r"^# Avg Latency\(us\)$",
                "nonblocking": r"^# Size\s+Overall\(us\)\s+Compute\(us\)\s+Pure Comm\.\(us\)\s+Overlap\(%\)$"}
IMB_LATENCY = r"^\s+(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)$"
IMB_SINGLE = r"^\s+(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)$"
IMB_PARALLEL = r"^\s+(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)$"


def point(benchmark="Allreduce", size=8, time=1.5e-6, ranks=4, **more):
    at = {"ranks": ranks} | ({} if size is None else {"count": size, "bytes": size})
    return {"record": "point", "benchmark": benchmark, "at": at, "quantity": "time", "unit": "s", "value": time,
            "status": "converged", "estimate": {"mean": time, "standard_error": time * 0.01, "confidence": 0.95,
                                                 "interval": None, "median": time, "median_interval": None,
                                                 "min": time, "max": time},
            "attempts": 30, "valid": 30, "kept": 16, "invalid": {}, "iterations_per_sample": 1,
            "over_ranks": {"min": time * 0.8, "mean": time * 0.9, "max": time}, "derived": {}, "flags": [],
            "elapsed": 0.5} | more


def without_value(status, message, **more):
    return point(**more) | {"value": None, "estimate": None, "over_ranks": None, "status": status, "message": message}


class ExportTest(harness.ProgramTest):
    def run_it(self, *arguments, text=None):
        done = subprocess.run([MEASURE, "export", *map(str, arguments)], input=text, capture_output=True, text=True,
                              cwd=self.folder, timeout=LIMIT)
        return harness.Ended(done.returncode, done.stdout, done.stderr, self.json)

    def file(self, name, *lines):
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def exported(self, style, *lines, warnings=0, end=END):
        ended = self.run_it("--format", style, self.file("in.jsonl", RUN, *lines, *([end] if end else [])))
        self.assertEqual((ended.code, len(ended.err)), (0, warnings), ended.err)
        self.warning = ended.err[0] if ended.err else ""
        return ended.out

    def test_controls_are_exported_only_if_nothing_else_was_measured(self):
        control = point("Cacheline", size=0)
        for style in ("osu", "imb", "google-benchmark", "junit", "fom"):
            with self.subTest(style):
                self.assertNotIn("Cacheline", self.exported(style, point(), control))
                self.assertIn("Allreduce", self.exported(style, point(), control))
                self.assertIn("Cacheline", self.exported(style, control))

    def test_rows_are_sorted_after_a_measurement_in_random_order(self):
        run = RUN | {"options": RUN["options"] | {"shuffle": True}}
        file = self.file("in.jsonl", run, *(point(size=size) for size in (64, 8, 1024)), END)
        for style in ("google-benchmark", "junit", "fom"):
            with self.subTest(style):
                sizes = re.findall(r"bytes[:=](\d+)", self.run_it("--format", style, file).out)
                self.assertEqual(list(dict.fromkeys(sizes)), ["8", "64", "1024"])

    def heading(self, text, kind):
        """Returns the lines after the heading, up to the next comment or empty line."""
        lines = text.splitlines()
        at = next(i for i, line in enumerate(lines) if re.match(OSU_HEADINGS[kind], line))
        rows = []
        for line in lines[at + 1:]:
            if not line or line.startswith("#"):
                break
            rows.append(line)
        return rows

    # ---- OSU

    def test_osu_tables_have_the_original_layout_and_harnesses_find_them(self):
        text = self.exported("osu", point(size=8192, time=3.25e-6), point(size=8), point(size=16, time=123.456e-6))
        self.assertEqual(self.heading(text, "collective"),
                         [f"{size:<10}{time:>18}" for size, time in ((8, "1.50"), (16, "123.46"), (8192, "3.25"))])
        self.assertTrue(text.startswith("\n# OSU MPI Allreduce Latency Test v7.4\n# "), text)
        self.assertRegex(text, r"(?m)^# Allreduce of .*: ranks=4; written by libmeasure \S+$")
        self.assertEqual(re.search(r"# OSU.*Test (v[0-9.]+)", text)[1], "v7.4")
        # ReFrame takes the first match for the size, so sizes must be ascending.
        self.assertEqual(float(re.search(r"^8\s+(\S+)", text, re.M)[1]), 1.5)

    def test_each_kind_of_point_has_its_osu_table(self):
        pingpong = point("Pingpong", time=0.4e-6, ranks=2)
        self.assertEqual(self.heading(self.exported("osu", pingpong), "collective"), ["8                       0.40"])
        self.assertIn("# OSU MPI Latency Test v7.4\n", self.exported("osu", pingpong))
        barrier = point("Barrier", size=None, time=2e-6)
        self.assertEqual(self.heading(self.exported("osu", barrier), "barrier"), ["             2.00"])
        derived = {"phases": {"compute": {"mean": 4e-6, "min": 4e-6, "max": 4e-6}}, "blocking_time": 3e-6,
                   "overlap": {"min": 0.5, "mean": 0.75, "max": 0.9}}
        nonblocking = self.heading(self.exported("osu", point("Ibcast", time=5e-6, derived=derived)), "nonblocking")
        self.assertEqual([float(x) for x in nonblocking[0].split()], [8, 5, 4, 3, 75])
        self.assertEqual(len(nonblocking[0]), 10 + 4 * 18)
        # Rates of mpbench: bytes of all blocks for alltoall, round trips per second.
        lines = [{**RUN, "suite": "mpbench", "program": "mpbench"},
                 point("bandwidth", 4194304, 12.5e9, 2, quantity="bandwidth", unit="B/s"),
                 point("alltoall", 64, 64 / 2e-6, quantity="bandwidth", unit="B/s"),
                 point("roundtrip", 8, 1e6, 2, quantity="rate", unit="1/s"), END]
        text = self.run_it("--format", "osu", self.file("mpbench.jsonl", *lines)).out
        self.assertEqual(self.heading(text, "bandwidth"), ["4194304             12500.00"])
        self.assertIn("OSU MPI Bandwidth Test", text)
        self.assertEqual(self.heading(text, "collective"), ["16                      2.00"])
        self.assertEqual(self.heading(text[text.index("OSU MPI Latency"):], "collective"),
                         ["8                       0.50"])
        # A one-sided operation: the table is that of the one-sided programs.
        put = point("put", ranks=2, semantics={"operation": "Put_flush", "kind": "message", "size": "whole",
                                               "share": 1, "messages": 0})
        self.assertEqual(self.heading(self.exported("osu", put), "latency"), ["8                       1.50"])

    def test_windows_of_messages_become_bandwidths_of_all_pairs(self):
        def stream(name, kind, messages, ranks):
            semantics = {"operation": name, "kind": kind, "size": "whole", "share": 1 / 64, "messages": messages}
            return point(name, 1000, 64e-6, ranks, semantics=semantics)
        # 64 messages take 64 us, 1 us each: one pair moves 1000 MB/s, two pairs twice as much, both directions four
        # times.
        lines = [stream("Stream", "stream", 1, 2), stream("Stream", "stream", 1, 4),
                 stream("Bistream", "streams", 2, 4)]
        rows = [line for line in self.exported("osu", *lines).splitlines() if line and not line.startswith("#")]
        self.assertEqual(rows, [f"{1000:<10}{rate:>18}" for rate in ("1000.00", "2000.00", "4000.00")])
        rows = [line.split() for line in self.exported("imb", *lines).splitlines() if line.startswith("         1000")]
        self.assertEqual(rows, [["1000", "30", "1000.00", "1000000"], ["1000", "30", "2000.00", "2000000"],
                                ["1000", "30", "4000.00", "4000000"]])

    def test_each_number_of_processes_has_its_own_table(self):
        text = self.exported("osu", point(ranks=2), point(ranks=4, time=2e-6))
        self.assertEqual(text.count("# OSU MPI Allreduce"), 2)
        self.assertIn("ranks=2", text)

    # ---- IMB

    def test_imb_tables_have_the_original_layout_and_harnesses_find_them(self):
        text = self.exported("imb", point(size=8), point(size=1024, time=2.5e-6), point("Bcast", ranks=2))
        lines = text.splitlines()
        at = lines.index("# Benchmarking Allreduce ")
        self.assertEqual(lines[at - 1], "#----------------------------------------------------------------")
        self.assertEqual(lines[at + 1], "# #processes = 4 ")
        self.assertEqual(lines[at + 3], "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]")
        self.assertEqual(lines[at + 4], "            8           30         1.20         1.50         1.35")
        self.assertEqual(re.match(IMB_LATENCY, lines[at + 5]).groups(), ("1024", "30", "2.00", "2.50", "2.25"))
        self.assertEqual(lines[at + 6], "")
        bcast = lines.index("# Benchmarking Bcast ")
        self.assertEqual(lines[bcast + 2], "# ( 2 additional processes waiting in MPI_Barrier)")
        self.assertIn("# All processes entering MPI_Finalize", lines)
        # Parsed like StackHPC's and Excalibur's scripts do.
        blocks = {}
        for i, line in enumerate(lines):
            if line.startswith("# Benchmarking "):
                self.assertTrue(lines[i + 1].startswith("# #processes = "))
                rest = [row for row in lines[i + 2:] if not row.startswith("#")]
                blocks[line.split()[-1].lower()] = (rest[0].split(), rest[1:rest.index("")])
        self.assertEqual(set(blocks), {"allreduce", "bcast"})
        self.assertEqual(blocks["allreduce"][0][0], "#bytes")
        self.assertEqual(len(blocks["allreduce"][1]), 2)

    def test_each_kind_of_point_has_its_imb_table(self):
        text = self.exported("imb", point("Pingpong", 1000, 0.5e-6, 2), point("Sendrecv", 1000, 1e-6, 2),
                             point("Barrier", None, 2e-6))
        rows = [line for line in text.splitlines() if line and not line.startswith("#") and "#rep" not in line]
        self.assertEqual(re.match(IMB_SINGLE, rows[0]).groups(), ("1000", "30", "0.50", "2000.00"))
        self.assertEqual(re.match(IMB_PARALLEL, rows[1]).groups(), ("1000", "30", "0.80", "1.00", "0.90", "2000.00"))
        self.assertIn("# Benchmarking PingPong \n", text)
        self.assertIn("\n       #bytes #repetitions      t[usec]   Mbytes/sec\n", text)
        self.assertIn("\n       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n", text)
        self.assertIn("\n #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n", text)
        self.assertRegex(rows[2], r"^ +30 +1\.60 +2\.00 +1\.80$")
        lines = [{**RUN, "suite": "mpbench", "program": "mpbench"},
                 point("bandwidth", 1000, 12.5e9, 2, quantity="bandwidth", unit="B/s"), END]
        text = self.run_it("--format", "imb", self.file("mpbench.jsonl", *lines)).out
        self.assertIn("# Benchmarking Uniband ", text)
        self.assertIn("\n       #bytes #repetitions   Mbytes/sec      Msg/sec\n", text)
        self.assertIn("\n         1000           30     12500.00     12500000\n", text)

    def test_an_incomplete_run_has_no_line_of_success(self):
        for end in (None, {**END, "status": "failed", "exit_code": 1}, {**END, "exit_code": 4}):
            ended = self.run_it("--format", "imb", self.file("cut.jsonl", RUN, point(), *([end] if end else [])))
            self.assertNotIn("entering MPI_Finalize", ended.out)

    # ---- google/benchmark

    def test_google_benchmark_has_a_repetition_for_each_launch(self):
        times = [1e-6, 1.1e-6, 1.3e-6]
        lines = [line for time in times for line in (RUN, point(time=time), END)]
        ended = self.run_it("--format", "google-benchmark", self.file("in.jsonl", *lines))
        self.assertEqual((ended.code, ended.err), (0, []))
        document = json.loads(ended.out)
        self.assertEqual(document["context"]["host_name"], "node1")
        self.assertEqual([document["context"][key] for key in ("date", "executable", "num_cpus", "mhz_per_cpu",
                                                               "cpu_scaling_enabled", "library_build_type",
                                                               "json_schema_version", "caches", "load_avg")],
                         ["2025-01-31T10:00:00Z", "mpiperf", 4, 2500, True, "release", 1, [], []])
        runs = [b for b in document["benchmarks"] if b["run_type"] == "iteration"]
        self.assertEqual([b["repetition_index"] for b in runs], [0, 1, 2])
        for entry, time in zip(runs, times):
            self.assertAlmostEqual(entry["real_time"], time * 1e9)
            self.assertEqual((entry["name"], entry["run_name"], entry["time_unit"], entry["repetitions"]),
                             ("Allreduce/ranks:4/count:8/bytes:8",) * 2 + ("ns", 3))
        whole = {b["aggregate_name"]: b for b in document["benchmarks"] if b["run_type"] == "aggregate"}
        self.assertEqual(set(whole), {"mean", "median", "stddev", "cv"})
        self.assertAlmostEqual(whole["median"]["real_time"], 1100)
        self.assertAlmostEqual(whole["stddev"]["real_time"], statistics.stdev(times) * 1e9)
        self.assertTrue(whole["mean"]["name"].endswith("_mean"))

    def test_google_benchmark_takes_samples_and_rates(self):
        raw = point(samples=[{"stage": 1, "time": 2e-6, "span": None, "invalid": None},
                             {"stage": 1, "time": 9.0, "span": None, "invalid": "late"},
                             {"stage": 1, "time": 4e-6, "span": None, "invalid": None}])
        rate = point("read", 64, 2e9, quantity="bandwidth", unit="B/s")
        found = json.loads(self.exported("google-benchmark", raw, rate))["benchmarks"]
        # The median of the valid samples is twice the value: a sample consists of two operations.
        self.assertEqual([round(b["real_time"]) for b in found if b["run_type"] == "iteration"][:2], [1000, 2000])
        last = found[-1]
        self.assertAlmostEqual(last["bytes_per_second"], 2e9)
        self.assertAlmostEqual(last["real_time"], 0.5)

    # ---- JUnit, figures of merit

    def test_junit_says_what_failed_and_why(self):
        odd = "<b> & \" \u0001 \ufffe ü"
        text = self.exported("junit", point(), without_value("crashed", odd, size=16),
                             without_value("skipped", "time_budget", size=32),
                             without_value("no_valid_samples", "", size=64), point(odd, flags=["defects"]))
        root = xml.etree.ElementTree.fromstring(text)
        (suite,) = root
        self.assertEqual([suite.get(k) for k in ("tests", "failures", "errors", "skipped")], ["6", "2", "1", "1"])
        cases = suite.findall("testcase")
        self.assertEqual(cases[0].get("name"), "ranks=4 count=8 bytes=8")
        self.assertEqual((cases[0].get("classname"), cases[0].get("time")), ("mpiperf.Allreduce", "0.500000"))
        self.assertEqual(cases[1].find("failure").get("message"), "<b> & \" ? ? ü")
        self.assertEqual(cases[2].find("skipped").get("message"), "time_budget")
        self.assertIsNotNone(cases[3].find("error"))
        self.assertEqual(cases[4].find("failure").get("type"), "defects")
        self.assertEqual({p.get("name") for p in cases[0].iter("property")},
                         {"quantity", "unit", "value", "standard_error", "verdict"})
        self.assertEqual(cases[5].get("name"), "run")
        cut = self.run_it("--format", "junit", self.file("cut.jsonl", RUN, point()))
        (suite,) = xml.etree.ElementTree.fromstring(cut.out)
        self.assertEqual(suite.get("errors"), "1")

    def test_junit_is_valid_xml_for_a_file_name_that_is_not_utf8(self):
        odd = self.folder / os.fsdecode(b"a\xff\xc3\xed\xa0\x80z.jsonl")
        odd.write_text("".join(json.dumps(line) + "\n" for line in (RUN, point(), END)))
        ended = self.run_it("--format", "junit", odd)
        self.assertEqual((ended.code, ended.err), (0, []))
        (suite,) = xml.etree.ElementTree.fromstring(ended.out)
        self.assertTrue(suite.get("name").endswith("a?????z.jsonl"), suite.get("name"))

    def test_every_figure_of_merit_matches_one_expression(self):
        summary = {"record": "summary", "name": "b eff", "value": 1.5e9, "unit": "B/s", "derived": {}}
        text = self.exported("fom", point("my bench/x", at={"ranks": 2, "kind": "a b,c=d"}), summary)
        found = [re.match(r"^FOM (\S+) (\S+) (\S+)$", line).groups() for line in text.splitlines()]
        self.assertEqual(found[0], ("my_bench_x/ranks=2,kind=a_b_c_d/time", "1.5e-06", "s"))
        self.assertEqual({name.split("/")[2] for name, _, _ in found},
                         {"time", "standard_error", "median", "min", "max", "summary"})
        self.assertEqual(found[-1], ("b_eff/-/summary", "1.5e+09", "B/s"))
        for _, value, _ in found:
            float(value)

    def test_exported_values_do_not_contain_subtracted_time(self):
        # skampi: 1.5 us minus 0.5 us of an empty measurement.
        bcast = point("MPI_Bcast-length", value=1e-6, correction=5e-7, over_ranks={"min": 1.3e-6, "mean": 1.4e-6, "max": 1.5e-6})
        path = self.file("skampi.jsonl", {**RUN, "suite": "skampi", "program": "skampi"}, bcast, END)
        found = dict(line.split()[1:3] for line in self.run_it("--format", "fom", path).out.splitlines())
        self.assertEqual({float(value) for name, value in found.items() if "error" not in name}, {1e-6})
        rows = [line for line in self.run_it("--format", "imb", path).out.splitlines() if re.match(IMB_LATENCY, line)]
        self.assertEqual(rows, ["            8           30         0.80         1.00         0.90"])

    # ---- all formats

    def test_points_that_a_format_cannot_hold_are_counted_in_one_warning(self):
        lines = [point(), without_value("skipped", "time_budget", size=16), point("memory", 8, 5, quantity="memory",
                                                                                  unit="B"), point("x", None)]
        for style, left in (("osu", 3), ("imb", 3), ("google-benchmark", 2), ("fom", 1)):
            self.exported(style, *lines, warnings=1)
            self.assertIn(f"{left} of 4 points cannot be represented in this format", self.warning)
        self.exported("junit", *lines)

    def test_launches_are_combined_and_files_stay_separate(self):
        a = self.file("a.jsonl", *[line for time in (1e-6, 3e-6, 2e-6) for line in (RUN, point(time=time), END)])
        b = self.file("b.jsonl", RUN, point(time=9e-6), END)
        ended = self.run_it("--format", "osu", a)
        self.assertEqual(self.heading(ended.out, "collective"), ["8                       2.00"])
        ended = self.run_it("--format", "fom", a, b)
        names = [line.split()[1] for line in ended.out.splitlines()]
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(any("/run=a,ranks=4" in name for name in names), names)

    def test_wrong_files_and_options_are_refused(self):
        good = self.file("good.jsonl", RUN, point(), END)
        for arguments, text in ((("--format", "osu", "-o", good, good), "is an input"),
                                (("--format", "osu", self.file("html", "<html>")), "error: "),
                                (("--format", "fom", "--filter", "bytes=9", good), "--filter")):
            ended = self.run_it(*arguments)
            self.assertEqual((ended.code, len(ended.err), ended.out), (2, 1, ""), ended.err)
            self.assertIn(text, ended.err[0])
        out = self.folder / "out.txt"
        ended = self.run_it("--format", "fom", "-o", out, "-", text=good.read_text())
        self.assertEqual((ended.code, ended.out), (0, ""))
        self.assertTrue(out.read_text().startswith("FOM Allreduce/ranks=4,count=8,bytes=8/time 1.5e-06 s\n"))

    def test_hostile_values_are_handled_safely(self):
        lines = [RUN]
        for value in (1e308, 1e-308, 0.0, -1.0):
            for size in (0, 2 ** 63 - 1, -5):
                for quantity, unit in (("time", "s"), ("bandwidth", "B/s"), ("rate", "1/s"), ("count", "1")):
                    lines.append(point("<script>\n\u0001", size, value, quantity=quantity, unit=unit))
        lines += [point("Bcast", at={"ranks": 2 ** 63 - 1, "bytes": 2 ** 63 - 1}), point("", at={})]
        path = self.file("odd.jsonl", *lines)
        for style in ("osu", "imb", "google-benchmark", "junit", "fom"):
            ended = self.run_it("--format", style, path)
            self.assertEqual(ended.code, 0, ended.err)
            self.assertNotIn("\u0001", ended.out)
            if style == "google-benchmark":
                json.loads(ended.out)
            if style == "junit":
                xml.etree.ElementTree.fromstring(ended.out)


if __name__ == "__main__":
    harness.main(sys.argv[4:])
