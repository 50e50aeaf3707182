#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure report from outside: pages, tables and plots of records.

usage: measure_report_test.py MEASURE VALIDATE_RECORDS LAUNCHER [UNITTEST OPTIONS]
"""
import csv
import html.parser
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import harness
from harness import LIMIT

MEASURE = str(pathlib.Path(sys.argv[1]).resolve())
harness.ProgramTest.tools(*sys.argv[2:4])
GNUPLOT = shutil.which("gnuplot")

RUN = {"record": "run", "schema": 2, "suite": "own", "program": "halo", "version": "0.1.0", "command": ["halo"],
       "started": "2025-01-31T10:00:00Z", "mpi": {"library": "MPICH 4.0.2", "standard": "4.0"}, "ranks": 2,
       "hosts": [{"name": "node1", "ranks": "0-1", "cores": 2, "cpu": None}], "oversubscribed": False, "kernel": None,
       "clocksource": None, "governor": None, "compiler": "gcc",
       "timer": {"name": "tsc", "resolution": 1e-9, "overhead": 1e-8, "frequency": None},
       "clock_sync": {"algorithm": "ring", "duration": 0.001, "bound": 3e-7, "uncertainty": None, "drift": None,
                      "closure": -1e-8, "closure_bound": 6e-7, "rtt_min": 5e-7, "rtt_median": 5.5e-7, "rtt_max": 6e-7,
                      "offset_max": 0.25, "consistent": True, "hosts": 1, "edges": 2, "shared": 1, "poor": 0,
                      "messages": 400},
       "options": {"seed": 1, "start": "slot"}, "warnings": []}
END = {"record": "end", "status": "complete", "exit_code": 0, "elapsed": 1.0, "clock_sync_residual": 2e-7}
SCRIPT = "<script>alert(1)</script>"


def point(time, size, name="Bcast", **more):
    at = {"ranks": 2, "count": size // 4, "bytes": size} | more.pop("at", {})
    estimate = {"mean": time, "standard_error": time / 50, "confidence": 0.95, "interval": [time * 0.9, time * 1.1],
                "median": time, "median_interval": None, "min": time, "max": time * 2}
    return {"record": "point", "benchmark": name, "at": at, "quantity": "time", "unit": "s", "value": time,
            "status": "converged", "estimate": estimate, "attempts": 32, "valid": 30, "kept": 16,
            "invalid": {"late": 2}, "over_ranks": {"min": time / 2, "mean": time * 0.7, "max": time},
            "stop_reason": "interval", "derived": {"sync": {"bound": 3e-7, "residual": 1e-7}}, "flags": [],
            "elapsed": 0.5} | more


def sizes(factor=1.0, **more):
    return [point(factor * (1e-6 + size * 1e-9), size, **more) for size in (4, 64, 1024, 16384)]


class Page(html.parser.HTMLParser):
    """Fails if tags do not match. Collects links to the outside and the cells of tables."""
    VOID = {"meta", "link", "img", "br", "hr", "path", "rect", "circle", "use"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.cells, self.text = [], [], [], [], [], text
        self.feed(text)
        assert not self.open, self.open
        assert len(set(self.ids)) == len(self.ids), "an id stands twice"

    def note(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "xlink:href", "action", "data"):
                self.links.append(value)
            assert not name.startswith("on"), name

    def handle_starttag(self, tag, attrs):
        self.note(tag, attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_startendtag(self, tag, attrs):
        self.note(tag, attrs)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


class ReportTest(harness.ProgramTest):
    def run_it(self, *arguments, **keywords):
        keywords = {"record": False, "ranks": 0, "cwd": self.folder} | keywords
        process = self.launch(MEASURE, "report", *arguments, **keywords)
        out, err = process.communicate(timeout=LIMIT)
        return harness.Ended(process.returncode, out, err, self.json)

    def file(self, name, *lines):
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def page(self, *arguments, code=0):
        ended = self.run_it("-o", "r.html", *arguments)
        self.assertEqual(ended.code, code, ended.err)
        self.err = ended.err
        page = Page((self.folder / "r.html").read_text())
        self.assertEqual([link for link in page.links if not link.startswith("#")], [])
        self.assertNotIn("script", page.tags)
        self.assertIsNone(re.search(r"url\(|@import", page.text))
        self.assertIn("content=\"default-src 'none'; style-src 'unsafe-inline'\"", page.text)
        return page

    def test_files_with_equal_names_stay_separate(self):
        path = self.file("a.jsonl", RUN, *sizes(), END)
        self.file("a.json", RUN | {"started": "2026-02-01T00:00:00Z"}, *sizes(2.0), END)
        ended = self.run_it("-o", "-", "--format", "md", path, self.folder / "a.json", path)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("|  | a | a (2) | a (3) |", ended.out)

    def refused(self, *arguments, text, lines=1):
        ended = self.run_it(*arguments)
        self.assertEqual(ended.code, 2, ended.err)
        self.assertEqual(len(ended.err), lines, ended.err)
        self.assertIn(text, "\n".join(ended.err))
        self.assertFalse((self.folder / "r.html").exists())
        return ended.err

    def test_a_page_shows_error_count_and_stop_reason_of_every_point(self):
        page = self.page(self.file("a.jsonl", RUN, *sizes(), END))
        self.assertEqual(self.err, [])
        row = page.cells.index("1.004")
        self.assertEqual(page.cells[row - 3:row + 7], ["2", "1", "4", "1.004", "us", "0.020", "0.904 .. 1.104",
                                                       "30 of 32", "converged: interval", ""])
        self.assertIn("8 of 128 samples were invalid", page.text)
        self.assertIn("Spread over ranks", page.text)
        self.assertIn("residual at the end", page.text)
        self.assertEqual(page.tags.count("svg"), 3)  # time, size over time, clocks
        self.assertEqual(page.text.count('role="img"'), 3)
        self.assertIn(">16 KiB</text>", page.text)

    def test_a_run_of_one_rank_has_no_spread_over_ranks(self):
        same = {"over_ranks": {"min": 1e-6, "mean": 1e-6, "max": 1e-6}}
        host = {"ranks": 1, "hosts": [RUN["hosts"][0] | {"ranks": "0"}]}
        alone = [one | {"at": {"bytes": one["at"]["bytes"]}} | same for one in sizes()]
        page = self.page(self.file("a.jsonl", RUN | host, *alone, END))
        self.assertNotIn("Spread over ranks", page.text)
        # Without the coordinate, but with two ranks.
        page = self.page(self.file("b.jsonl", RUN, *alone, END))
        self.assertIn("Spread over ranks", page.text)

    def tiles(self, page):
        return re.findall(r'<dt>(.*?)</dt><dd class="number">(.*?)</dd>(.*)</div>', page.text)

    def test_a_page_begins_with_the_results(self):
        path = self.file("a.jsonl", RUN, *sizes(), END)
        page = self.page(path)
        # 1 us + 4 B * 1 ns, 1 us + 16384 B * 1 ns; 120 of 128 samples
        self.assertEqual(self.tiles(page), [("Bcast, 4 B", "1.004 us", "<dd>+- 0.020</dd>"),
                                            ("Bcast, 16 KiB", "17.38 us", "<dd>+- 0.35</dd>"),
                                            ("valid samples", "93.8 %", "<dd>120 of 128</dd>")])
        order = ["<h1>Report of a.jsonl", "halo with MPICH 4.0.2 on node1, ranks 2, 2025-01-31, 1 launch.", "class=\"tiles\"",
                 "<svg", ">Warnings</h2>", ">Results</h2>", "The plots are at the top", ">Environment</h2>", "<nav"]
        places = [page.text.index(text) for text in order]
        self.assertEqual(places, sorted(places))
        text = self.run_it("-o", "-", "--format", "md", path).out
        self.assertIn("| Bcast, 4 B | 1.004 us | +- 0.020 |  |", text)

    def test_the_first_numbers_for_several_files(self):
        summary = {"record": "summary", "name": "b_eff", "value": 2e9, "unit": "B/s", "derived": {"valid": False}}
        late = [point(1e-6, 4, name="Late", status="exhausted")]
        files = [self.file(f"{name}.jsonl", RUN, *sizes(i + 1), *more, END)
                 for i, (name, more) in enumerate({"a": [summary], "b": [], "c": late}.items())]
        tiles = self.tiles(self.page(*files))
        self.assertEqual(tiles[0], ("b_eff", "2.000 GB/s", '<dd>a</dd><dd class="bad">not valid</dd>'))
        self.assertEqual(tiles[1], ("Bcast, 4 B", "1.004 us", "<dd>+- 0.020, a</dd><dd>2 others: 2.008 .. 3.012 us</dd>"))
        self.assertEqual(tiles[3], ("Late", "1.000 us", '<dd>+- 0.020, c</dd><dd class="bad">exhausted</dd>'))

    # Summaries in the order in which b_eff_io writes them: types during the measurement, then partitions, the headline
    # last.

    def summary(self, name, value, **derived):
        return {"record": "summary", "name": name, "value": value, "unit": "B/s", "derived": derived}

    def effective(self, name, partitions, time=60, **run):
        """Writes a record of such a program, with one value for each number of processes."""
        lines = [RUN | {"suite": "b_eff_io", "program": "b_eff_io", "command": ["b_eff_io", "-N", "60", "-T", str(time)],
                        "options": {"scheduled_time": time, "max_bytes": 1000 + time}} | run]
        for ranks, value in partitions.items():
            lines += [self.summary("type_bandwidth", 3 * value, ranks=ranks, access=access, type=kind, time=0.5)
                      for access in ("write", "read") for kind in ("scatter", "shared")]
            lines += [self.summary("access_bandwidth", 2 * value, ranks=ranks, access=access)
                      for access in ("write", "read")]
        lines += [self.summary("partition_bandwidth", value, ranks=ranks, valid=False)
                  for ranks, value in partitions.items()]
        best = max(partitions, key=partitions.get)
        lines.append(self.summary("b_eff_io", partitions[best], ranks=best, valid=False))
        return self.file(f"{name}.jsonl", *lines, *sizes(), END)

    def figures(self, page):
        """Returns the titles of the plots and their images, in order."""
        return [(re.search(r"<title id[^>]*>(.*?)</title>", svg)[1], svg)
                for svg in re.findall(r"<svg.*?</svg>", page.text, flags=re.S)]

    def test_the_headline_is_the_first_number_and_the_first_row(self):
        page = self.page(self.effective("sp", {1: 4e7, 2: 6.3e7}))
        self.assertEqual([tile[:2] for tile in self.tiles(page)[:4]],
                         [("b_eff_io", "63.00 MB/s"), ("partition_bandwidth, ranks=1", "40.00 MB/s"),
                          ("partition_bandwidth, ranks=2", "63.00 MB/s"),
                          ("access_bandwidth, ranks=1, write", "80.00 MB/s")])
        rows = [cell for cell in page.cells if cell.startswith(("b_eff", "partition", "access", "type_"))]
        self.assertEqual([rows[0], rows[1], rows[3], rows[14]],
                         ["b_eff_io", "partition_bandwidth, ranks=1", "access_bandwidth, ranks=1, write",
                          "type_bandwidth, ranks=2, read, shared"])
        page = self.page(self.effective("one", {2: 6.3e7}))
        self.assertEqual([tile[0] for tile in self.tiles(page)[:3]],
                         ["b_eff_io", "partition_bandwidth", "access_bandwidth, write"])
        process = subprocess.run([MEASURE, self.folder / "sp.jsonl"], capture_output=True, text=True, check=True)
        names = [line.split("  ")[0] for line in process.stdout.splitlines() if "B/s" in line]
        self.assertEqual(names[:3], ["b_eff_io", "partition_bandwidth, ranks=1", "partition_bandwidth, ranks=2"])

    def test_headlines_of_several_systems_are_first_plotted_over_processes(self):
        page = self.page(self.effective("sp", {1: 4e7, 2: 6.3e7}),
                         self.effective("t3e", {1: 5e7, 2: 5.7e7}, hosts=[dict(RUN["hosts"][0], name="t3e")]))
        title, svg = self.figures(page)[0]
        self.assertEqual(title, "b_eff_io over processes")
        self.assertRegex(svg, r"<text[^>]*>sp</text>")
        self.assertRegex(svg, r"<text[^>]*>t3e</text>")
        self.assertRegex(svg, r"<text[^>]*>not valid</text>")
        self.assertIn("b_eff_io over processes: the summary partition_bandwidth of each run", page.text)
        self.assertNotIn("b_eff_io over scheduled_time", page.text)
        self.assertEqual(self.tiles(page)[0][:2], ("b_eff_io", "63.00 MB/s"))
        self.assertIn("not valid; t3e: 57.00 MB/s", self.tiles(page)[0][2])
        # Both values are in one row.
        place = page.cells.index("b_eff_io")
        self.assertEqual(page.cells[place - 3:place + 6], ["", "sp", "t3e", "b_eff_io", "63.00 MB/s", "57.00 MB/s",
                                                           "partition_bandwidth, ranks=1", "40.00 MB/s", "50.00 MB/s"])

    def test_a_single_value_per_system_is_plotted_as_a_point(self):
        files = [self.effective(name, {2: value}) for name, value in (("sp", 6.3e7), ("t3e", 5.7e7))]
        title, svg = self.figures(self.page(*files))[0]
        self.assertEqual(title, "b_eff_io over processes")
        for label in ("sp", "t3e"):
            self.assertRegex(svg, rf"<text[^>]*>{label}</text>")
        self.assertNotIn("b_eff_io over", self.page(files[0]).text)

    def test_headlines_are_plotted_over_an_option_given_by_the_user(self):
        files = [self.effective(f"sp{time}", {1: 1e6 * time, 2: 2e6 * time}, time) for time in (10, 60, 900)]
        page = self.page(*files)
        self.assertEqual([title for title, _ in self.figures(page)[:2]],
                         ["b_eff_io over processes", "b_eff_io over scheduled_time (-T)"])
        svg = self.figures(page)[1][1]
        for label in ("ranks=1", "ranks=2"):  # three files of one host that differ in their folders: one system
            self.assertRegex(svg, rf"<text[^>]*>{label}</text>")
        self.assertIn("Curves join runs that differ in options.max_bytes.", page.text)  # no axis: not set by the user
        self.assertNotIn("over max_bytes", page.text)
        # Files with the same label, and runs in one file, are one system.
        others = [self.effective(f"t{time}", {2: 3e6 * time}, time) for time in (10, 60)]
        joined = self.folder / "t.jsonl"
        joined.write_text("".join(path.read_text() for path in others))
        for arguments in ((*files, *others, "--labels", "sp,sp,sp,t3e,t3e"), (*files, joined, "--labels", "sp,sp,sp,t3e")):
            svg = self.figures(self.page(*arguments))[1][1]
            labels = re.findall(r"<text[^>]*>((?:sp|t3e)[^<]*)</text>", svg)
            self.assertEqual(labels, ["sp, ranks=1", "sp, ranks=2", "t3e, ranks=2"])

    def test_a_headline_without_a_number_of_processes_uses_that_of_its_run(self):
        files = [self.file(f"{n}.jsonl", RUN | {"suite": "b_eff", "ranks": n}, self.summary("b_eff", 1e8 * n),
                           self.summary("b_eff_at_lmax", 2e8 * n), *sizes(), END) for n in (2, 4)]
        page = self.page(*files)
        self.assertEqual(self.figures(page)[0][0], "b_eff over processes")
        self.assertEqual([tile[0] for tile in self.tiles(page)[:2]], ["b_eff", "b_eff_at_lmax"])

    def test_the_value_of_several_launches_is_their_median(self):
        lines = [line for value in (1e8, 9e8, 2e8)
                 for line in (RUN, self.summary("halo", value), *sizes(value / 1e8), END)]
        tile = self.tiles(self.page(self.file("a.jsonl", *lines)))[0]
        self.assertEqual(tile, ("halo", "200.0 MB/s", "<dd>median of 3 launches</dd>"))
        # Two summaries with equal name and coordinates are two rows.
        twice = self.file("b.jsonl", RUN, self.summary("own", 1e8, step=1), self.summary("own", 3e8, step=2), END)
        self.assertEqual([tile[:2] for tile in self.tiles(self.page(twice))],
                         [("own", "100.0 MB/s"), ("own (2)", "300.0 MB/s")])

    def test_plots_of_ten_files_are_visible_and_their_differences_summarised(self):
        files = [self.file(f"f{i}.jsonl", RUN | {"options": {"start": f"s{i}"}}, *sizes(),
                           *sizes(name=f"Own{i}")) for i in range(10)]
        page = self.page(*files)
        folded = re.sub(r"<details>.*?</details>", "", page.text, flags=re.S)
        self.assertEqual((folded.count("<svg"), page.text.count("<svg")), (22 + 1, 22 + 1))  # + the clocks
        self.assertRegex(page.text, r"f0.jsonl, \S*f1.jsonl, \S*f2.jsonl and 7 more: there is no end line")
        self.assertIn("The runs differ in start, which may cause differences in their results", page.text)
        self.assertIn("<details><summary><h2", page.text)  # the long environment table

    def test_warnings_precede_the_results_and_explain_themselves(self):
        lines = [RUN | {"warnings": ["the cat sat on the network"], "oversubscribed": True}, *sizes(),
                 point(1e-6, 8, flags=["near_timer_floor"], status="exhausted"),
                 point(1e-6, 12, flags=["refined"]) | {"estimate": None},
                 point(1e-6, 16) | {"value": None, "estimate": None, "status": "skipped", "message": "time_budget"}]
        page = self.page(self.file("a.jsonl", *lines))
        self.assertEqual(len(self.err), 1)
        self.assertIn("has no end line", self.err[0])
        warnings = page.text[page.text.index("warnings\">"):page.text.index("</div>", page.text.index("warnings\">"))]
        for text in ("no end line", "the cat sat", "more ranks than processing units", "1 of 7 points has no value",
                     "1 skipped (time_budget)", "1 of 7 points is exhausted", "1 of 7 points has no error", "near_timer_floor: the time is less"):
            self.assertIn(text, warnings)
        self.assertNotIn("refined", warnings)

    def test_programs_of_one_suite_differ_in_their_version_only(self):
        runs = [RUN | {"suite": "pmb", "program": program, "version": version}
                for program, version in (("PMB-EXT", "1.0.0"), ("PMB-IO", "1.0.0"), ("PMB-MPI1", "1.1.0"))]
        page = self.page(*[self.file(f"{i}.jsonl", run, *sizes(), END) for i, run in enumerate(runs)])
        self.assertEqual(re.findall(r'class="[a-z ]*m">(PMB[^<]*)<', page.text), ["PMB-MPI1 1.1.0 (pmb)"])

    def test_runs_are_curves_in_one_plot_and_their_differences_are_marked(self):
        other = RUN | {"mpi": {"library": "Open MPI 4.1", "standard": "3.1"}, "options": {"seed": 2, "start": "barrier"}}
        page = self.page(self.file("a.jsonl", RUN, *sizes(), END), self.file("b.jsonl", other, *sizes(2), END),
                         "--labels", "old,new", "--title", "T & T")
        self.assertIn("<title>T &amp; T</title>", page.text)
        marked = re.findall(r'class="[a-z ]*m">([^<]*)<', page.text)
        self.assertIn("Open MPI 4.1, MPI 3.1", marked)
        self.assertIn("barrier", marked)
        self.assertNotIn("2", marked)  # seeds may differ
        self.assertRegex(page.text, r"<text[^>]*>old</text>")

    def test_programs_of_several_suites_share_a_plot_that_names_their_methods(self):
        semantics = {"operation": "Bcast", "kind": "collective", "size": "whole", "share": 1.0, "messages": 0.0}
        first = self.file("m.jsonl", RUN | {"suite": "mpiperf", "program": "mpiperf"}, *sizes(semantics=semantics),
                          *sizes(name="Scan", semantics=semantics | {"operation": "Scan"}), END)
        rates = [record | {"quantity": "bandwidth", "unit": "B/s", "value": record["at"]["bytes"] / record["value"],
                           "estimate": None}
                 for record in sizes(2.0, name="broadcast", semantics=semantics)]
        second = self.file("b.jsonl", RUN | {"suite": "mpbench", "program": "mpbench", "options": {"seed": 1}}, *rates, END)
        page = self.page(first, second)
        title = "Operations measured by several programs"
        self.assertLess(page.text.index(title), page.text.index(">Results</h2>"))
        section = page.text[page.text.index(f">{title}</h2>"):page.text.index(">Results</h2>")]
        self.assertIn("The methods differ: synchronised starts or loop of calls and an acknowledgement at its end; slowest "
                      "process or root.", section)
        self.assertNotIn("Scan", section)
        label = "b: broadcast (loop of calls and an acknowledgement at its end, root)"
        row = page.cells.index(label)
        # Twice 1 us + 4 B * 1 ns, computed from a bandwidth.
        self.assertEqual(page.cells[row + 1:row + 5], ["2", "4", "2.008", "us"])
        self.assertIn("m: Bcast (synchronised starts, slowest process)", page.cells)
        self.assertNotIn(title, self.page(first).text)

    def test_launches_in_one_file_are_joined(self):
        page = self.page(self.file("a.jsonl", *[line for i in range(6) for line in (RUN, *sizes(1 + i / 10), END)]))
        self.assertIn("180 of 192 in 6 launches", page.cells)

    def test_value_error_and_interval_of_joined_launches_belong_to_the_median(self):
        # 1 1.1 1.2 1.3 1.4 and a disturbed launch: median 1.25, 68 % in 1.1 .. 1.4, 95 % in 1 .. 1000.
        times = [1, 1.1, 1.2, 1.3, 1.4, 1000]
        path = self.file("a.jsonl", *[line for t in times for line in (RUN, point(t * 1e-6, 8), END)])
        text = self.run_it("-o", "-", "--format", "md", path).out
        row = next(line for line in text.splitlines() if "in 6 launches" in line)
        self.assertEqual([cell.strip() for cell in row.split("|")[4:8]], ["1.250", "us", "0.150", "1.000 .. 1000.000"])
        self.assertIn("launches\\_disagree", row)
        rows = list(csv.DictReader(self.run_it("-o", "-", "--format", "csv", path).out.splitlines()))
        self.assertEqual([round(float(rows[0][name]) * 1e6, 9) for name in
                          ("value", "standard_error", "interval_low", "interval_high", "median")],
                         [1.25, 0.15, 1, 1000, 1.25])

    def test_launches_of_different_days_and_settings_have_separate_rows(self):
        runs = [RUN | {"started": f"2025-{day}T10:00:00Z", "mpi_settings": {"MPIR_CVAR_X": x}}
                for day, x in (("01-31", "1"), ("11-30", "1"), ("01-31", "2"))]
        path = self.file("a.jsonl", *[line for i, run in enumerate(runs) for line in (run, point(1e-6 + i, 8), END)])
        page = self.page(path)
        self.assertEqual(page.cells.count("30 of 32"), 3)
        self.assertIn("MPIR_CVAR_X=2", page.cells)
        page = self.page("--join", path)
        self.assertEqual((page.cells.count("60 of 64 in 2 launches"), page.cells.count("30 of 32")), (1, 1))

    def test_a_damaged_line_is_named(self):
        lines = [json.dumps(line) for line in (RUN, *sizes(), END)]
        path = self.folder / "damaged.jsonl"
        path.write_text("\n".join([*lines[:2], "x" + lines[2][1:], *lines[3:]]) + "\n")
        self.refused("-o", "r.html", path, text=f"{path}:3:1: error: this line is broken")

    def test_names_are_escaped_everywhere(self):
        run = RUN | {"suite": SCRIPT, "program": SCRIPT, "warnings": [SCRIPT], "command": [SCRIPT], "own": {"x": SCRIPT},
                     "hosts": [{"name": SCRIPT, "ranks": SCRIPT, "cores": 2, "cpu": SCRIPT}]}
        points = [p | {"message": SCRIPT, "flags": [SCRIPT]} for p in sizes(name=SCRIPT, at={SCRIPT: SCRIPT})]
        path = self.file("a.jsonl", run, *points, point(2e-6, 8, name="'\"`ls`$(ls)\\"), END)
        page = self.page(path, "--title", SCRIPT, "--labels", SCRIPT.replace(",", ""))
        self.assertNotIn("<script", page.text)
        ended = self.run_it("-o", "-", "--format", "md", path)
        self.assertNotIn("<script", ended.out)
        self.assertNotRegex(ended.out, r"[^\\]\|[^ \n]")

    def test_points_are_selected_by_conditions(self):
        path = self.file("a.jsonl", RUN, *sizes(), *sizes(name="Barrier"), END)
        page = self.page(path, "--filter", "benchmark=B?ast", "--filter", "bytes>=1KiB")
        self.assertIn("Not all of the 8 points are shown", page.text)
        self.assertEqual(page.cells.count("30 of 32"), 2)
        self.assertEqual(self.page(path, "--filter", "bytes=4,64").cells.count("30 of 32"), 4)
        self.assertEqual(self.page(path, "--filter", "benchmark~CAST", "--filter", "root!=3").cells.count("30 of 32"), 4)
        (self.folder / "r.html").unlink()
        self.refused("-o", "r.html", path, "--filter", "benchmark=X", text="none of 8 points matches")

    def test_tables_can_be_markdown_or_csv(self):
        a, b = self.file("a.jsonl", RUN, *sizes(), END), self.file("b.jsonl", RUN, *sizes(2), END)
        ended = self.run_it("-o", "r.md", a)
        self.assertEqual((ended.code, ended.out), (0, ""))
        text = (self.folder / "r.md").read_text()
        self.assertIn("| 2 | 1 | 4 | 1.004 | us | 0.020 | 0.904 .. 1.104 | 30 of 32 | converged: interval |  |\n", text)
        ended = self.run_it("-o", "-", "--format", "csv", a, b)
        rows = list(csv.DictReader(io.StringIO(ended.out)))
        self.assertEqual([row["run"] for row in rows], ["a"] * 4 + ["b"] * 4)
        self.assertEqual(float(rows[4]["value"]), 2 * float(rows[0]["value"]))

    def test_csv_has_columns_for_the_coordinates_of_all_points(self):
        barrier = point(1e-6, 8) | {"benchmark": "Barrier", "at": {"ranks": 2}}
        path = self.file("a.jsonl", RUN, barrier, point(2e-6, 8), END)
        rows = list(csv.DictReader(io.StringIO(self.run_it("-o", "-", "--format", "csv", path).out)))
        self.assertEqual([(row["ranks"], row["bytes"], row["other"]) for row in rows], [("2", "", ""), ("2", "8", "")])

    def test_plots_can_be_written_as_files(self):
        path = self.file("a.jsonl", RUN, *sizes(), END)
        self.assertEqual(self.run_it("-o", "plots", "--format", "svg", path).code, 0)
        self.assertEqual(self.run_it("-o", "p-%.svg", path).code, 0)
        names = sorted(p.name for p in (self.folder / "plots").iterdir())
        self.assertEqual(len(names), 3)
        self.assertEqual(sorted(p.name for p in self.folder.glob("p-*.svg")), ["p-" + name for name in names])
        for name in names:
            root = xml.etree.ElementTree.parse(self.folder / "plots" / name).getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")

    def test_only_pdf_needs_gnuplot(self):
        path = self.file("a.jsonl", RUN, *sizes(), END)
        nowhere = {"PATH": "/nonexistent"}
        ended = self.run_it("-o", "r.html", path, environment=nowhere)
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertEqual((self.folder / "r.html").read_text().count("<svg"), 3)
        self.assertEqual(self.run_it("-o", "plots-%.svg", path, environment=nowhere).code, 0)
        ended = self.run_it("-o", "x.pdf", path, environment=nowhere)
        self.assertEqual((ended.code, len(ended.err)), (2, 1))
        if GNUPLOT:
            self.assertEqual(self.run_it("-o", "r.pdf", path).code, 0)
            self.assertTrue((self.folder / "r.pdf").read_bytes().startswith(b"%PDF"))

    def test_a_failing_gnuplot_leaves_no_pdf(self):
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "gnuplot").write_text('#!/bin/sh\n[ "$1" = --version ] && echo gnuplot 5.4 && exit 0\nexit 1\n')
        (tools / "gnuplot").chmod(0o755)
        path = self.file("a.jsonl", RUN, *sizes(), END)
        self.assertEqual(self.run_it("-o", "plots.pdf", path, environment={"PATH": str(tools)}).code, 1)

    def test_samples_are_plotted_together_with_invalid_ones(self):
        samples = [{"stage": 1, "time": 1e-6 * (1 + i % 5), "span": None, "invalid": "late" if i == 7 else None}
                   for i in range(40)]
        page = self.page(self.file("a.jsonl", RUN, point(1e-6, 8, samples=samples), END))
        self.assertIn("Valid samples: share below", page.text)
        self.assertIn("40 samples in the order taken, 1 of them invalid", page.text)
        self.assertRegex(page.text, r"<text[^>]*>invalid: late</text>")

    def test_the_interval_belongs_to_the_value(self):
        less = [p | {"correction": 1e-7, "value": p["value"] - 1e-7} for p in sizes()]
        other = [p | {"value": 3 * p["value"]} for p in sizes(name="Other")]
        path = self.file("a.jsonl", RUN, *less, *other, END)
        page = self.page(path)
        row = page.cells.index("904.0")
        self.assertEqual(page.cells[row + 3], "803.6 .. 1004.4")
        self.assertIn("an overhead of 100 ns was subtracted", page.cells)
        row = page.cells.index("3.012")
        self.assertEqual(page.cells[row:row + 4], ["3.012", "us", "-", "-"])
        rows = list(csv.DictReader(io.StringIO(self.run_it("-o", "-", "--format", "csv", path).out)))
        self.assertAlmostEqual(float(rows[0]["interval_low"]), 803.6e-9)
        self.assertEqual([rows[4]["interval_low"], rows[4]["interval_high"]], ["", ""])

    def test_a_page_says_what_a_plot_does_not_show(self):
        alone = [point(1e-6, size, name="Alone", at={"root": size}) for size in (4, 64, 1024)]
        wide = sizes(name="Wide")
        wide[1]["estimate"]["interval"] = [1e-12, 1.0]
        bare = [p | {"estimate": None} for p in sizes(name="Bare")]
        samples = [{"stage": 1, "time": 1e-6 * (1 + i % 5), "span": None, "invalid": "late" if i % 2 else None}
                   for i in range(5000)]
        nothing = {"by_rank": [{"rank": i, "valid": 0, "mean": None} for i in range(2)]}
        page = self.page(self.file("a.jsonl", RUN, *alone, *wide, *bare, point(1e-6, 8, samples=samples,
                                                                              derived=nothing), END))
        self.assertNotIn("Alone", re.findall("<title id[^>]*>(.*?)</title>", page.text))
        self.assertIn("1 interval ends outside the plot.", page.text)
        self.assertIn("No value has an interval.", page.text)
        self.assertIn("5000 samples in the order taken, 2500 of them invalid. 1000 of them are not drawn.", page.text)
        self.assertNotIn("mean of each rank's valid samples", page.text)

    def test_summaries_have_sensible_digits_and_say_if_they_are_not_valid(self):
        summary = {"record": "summary", "name": "b", "value": 1e9, "unit": "B/s",
                   "derived": {"time": 0.08133016100009627, "transferred": 58770728.0, "valid": False,
                               "marks": ["QUICK"]}}
        page = self.page(self.file("a.jsonl", RUN, summary, END))
        self.assertIn("time: 0.0813302, transferred: 58770728, valid: false, marks: QUICK", page.cells)
        self.assertIn('m">1.000<', page.text)
        warnings = page.text[page.text.index("warnings\">"):page.text.index("</div>", page.text.index("warnings\">"))]
        self.assertIn("halo marks results of the whole run: b (not valid, QUICK)", warnings)
        self.assertIn("These records have no points", warnings)

    def test_many_runs_are_split_into_tables_that_fit_on_paper(self):
        page = self.page(*[self.file(f"r{i}.jsonl", RUN, *sizes(), END) for i in range(7)])
        self.assertEqual(page.cells.count("started"), 2)

    @harness.not_quick
    def test_a_page_with_thousands_of_points_stays_usable(self):
        many = [point(1e-6 * (1 + i % 7), 4 << (i % 12), name=f"B{i // 100}", at={"root": i % 100 // 12})
                for i in range(4000)]
        page = self.page(self.file("a.jsonl", RUN, *many, END))
        self.assertEqual(page.cells.count("30 of 32"), 4000)
        self.assertGreater(page.tags.count("details"), 70)
        self.assertLess(page.tags.count("svg"), 80)
        self.assertIn("60 of 80 plots are drawn", page.text)
        self.assertIn("8 of 9 curves are drawn", page.text)

    def test_a_file_that_is_not_a_record_is_named_and_nothing_is_written(self):
        good = self.file("a.jsonl", RUN, *sizes(), END)
        texts = {"html": b"<!DOCTYPE html><p>", "empty": b"", "binary": bytes(range(256)), "array": b"[1,2]\n",
                 "type": b'{"record":"run","schema":"x"}\n',
                 "huge": json.dumps(RUN).encode() + b'\n{"record":"point","value":1e400}\n',
                 "deep": b'{"record":"run","x":' + b"[" * 2000}
        for name, data in texts.items():
            (self.folder / name).write_bytes(data)
        err = self.refused("-o", "r.html", good, *texts, "none", text="cannot read 'none'", lines=len(texts) + 1)
        for name, line in zip((*texts, "none"), err):
            self.assertTrue(line.startswith(f"measure report: {name}:"), err)
        self.refused("--format", "html", "-o", good, good, text="is an input")
        self.refused("-o", "page.xyz", good, text="the suffix of 'page.xyz' does not name a format")
        self.refused("-o", "/nonexistent/r.html", good, text="/nonexistent/r.html")

    def test_standard_input_and_unusual_values_are_accepted(self):
        odd = [point(1e-6, 8) | {"value": None}, point(0.0, 16), point(-1e-6, 32), point(1e300, 64),
               point(1e-6, 1 << 62), point(1e-6, 0, over_ranks=None), point(1e-6, 5, estimate=None),
               point(1e-6, 6, derived={"stop": 7, "sync": 3, "by_rank": [1, None, {"mean": "x"}], "launches": 3})]
        process = subprocess.run([MEASURE, "report", "-o", "-", "-"], capture_output=True, timeout=LIMIT, check=False,
                                 input="".join(json.dumps(line) + "\n" for line in [RUN, *odd, END]).encode())
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        Page(process.stdout.decode())

    @harness.browser
    @harness.not_quick
    def test_a_browser_shows_the_page_without_errors_and_without_network(self):
        self.page(self.file("a.jsonl", RUN, *sizes(), END), self.file("b.jsonl", RUN, *sizes(2), END))
        log = self.folder / "net.json"
        process = harness.run_browser(self.folder / "r.html", "--enable-logging=stderr",
                                      "--disable-background-networking", f"--log-net-log={log}")
        self.assertEqual(process.stdout.count("<svg"), 3)
        self.assertEqual([line for line in process.stderr.splitlines() if "CONSOLE" in line], [])
        # Requests that the browser makes itself have no origin.
        asked = re.findall(r'"initiator":"([^"]*)"[^}]*"url":"(https?:[^"]*)"', log.read_text())
        self.assertEqual([url for origin, url in asked if origin != "not an origin"], [])


if __name__ == "__main__":
    harness.main(sys.argv[4:])
