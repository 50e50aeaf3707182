#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""skampi-post and skampi-report from outside: merging, reports with and without gnuplot, records, faults.

usage: skampi_report_test.py SKAMPI_POST SKAMPI_REPORT VALIDATE_RECORDS [UNITTEST OPTIONS]
"""
import html.parser
import pathlib
import shutil
import subprocess
import sys
import unittest

import harness

POST, REPORT = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
harness.ProgramTest.tools(sys.argv[3], sys.executable)
GNUPLOT = shutil.which("gnuplot")
HEAD = {"MACHINE": "M_1", "NODE": "n & <m>", "NETWORK": "net", "USER": "u%#$", "MPILIB": "MPICH", "PROCS": "4",
        "TIMER": "mpi_wtime", "PARTNER": "3 41.2300 node2"}
PING_PONG = {"pattern": "point-to-point", "type": "MPI_Send-MPI_Recv", "nodes": "2", "overhead": "2 0.0451 0.0003",
             "status": "ok"}


def row(argument, time, flags="", variable="length", times=""):
    return f"{variable}= {argument} {argument} {time} {time / 20} 8 {times}" + (f"  # {flags}" if flags else "")


def block(name="MPI_Send-MPI_Recv", rows=(), keys=None):
    lines = [f'# begin result "{name}"']
    lines += [f"#: {key} = {value}" for key, value in (PING_PONG if keys is None else keys).items()]
    lines += [*rows, "#. stop = accuracy", f'# end result "{name}"', "# duration = 1.50 sec", ""]
    return "\n".join(lines) + "\n"


def output(*blocks, head=None, finished=True):
    lines = ["# SKaMPI output format 1"] + [f"#@{key} {value}" for key, value in (HEAD | (head or {})).items()]
    tail = "# Finished at 2025-01-31T10:09:12Z\n# Total runtime 552 seconds\n" if finished else ""
    return "\n".join(lines) + "\n#@END_HEADER\n" + "".join(blocks) + tail


def lengths(factor=1.0):
    return [row(m, factor * (10 + m / 100)) for m in (0, 4, 64, 1024, 16384, 1048576)]


class Page(html.parser.HTMLParser):
    """Fails if tags do not match. Collects links to the outside."""
    VOID = {"meta", "link", "img", "br", "hr"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags = [], [], [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.note(tag, attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.note(tag, attrs)

    def note(self, tag, attrs):
        self.tags.append(tag)
        self.ids += [value for key, value in attrs if key == "id"]
        self.links += [value for key, value in attrs if key in ("src", "href", "xlink:href")]

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> at {self.getpos()}"


class ReaderTest(harness.ProgramTest):
    """A test of programs that read output files."""

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def run_it(self, program, *arguments, record=False, **keywords):
        process = self.launch(program, *arguments, ranks=0, record=record, cwd=self.folder, **keywords)
        out, err = process.communicate(timeout=harness.LIMIT)
        return harness.Ended(process.returncode, out, err, self.json)

    def assert_refused(self, ended, *texts):
        self.assertEqual(ended.code, 2, ended.err)
        self.assertEqual(len(ended.errors()), 1, ended.err)
        for text in texts:
            self.assertIn(text, ended.errors()[0])


class Post(ReaderTest):

    def merge(self, *files, record=False, options=(), environment=None):
        ended = self.run_it(POST, "-o", "merged", *options, *files, record=record, environment=environment)
        self.assertEqual((ended.code, ended.errors()), (0, []), ended.err)
        text = (self.folder / "merged").read_text()
        return text, [line.split() for line in text.splitlines() if line.startswith(("length=", "nodes="))]

    def test_38_medians(self):
        files = [self.file(f"f{i}", output(block(rows=[row(4, time)] + [row(8, 7)] * (i == 1))))
                 for i, time in enumerate((10, 100, 12))]
        text, rows = self.merge(*files)
        self.assertEqual([(r[1], r[3], r[5], r[-1]) for r in rows],
                         [("4", "12.0000", "24", "files=3"), ("8", "7.0000", "8", "files=1")])
        self.assertIn("#@MERGED 3 files\n", text)
        _, rows = self.merge(*files, options=["--common"])
        self.assertEqual([(r[1], r[3]) for r in rows], [("4", "12.0000")])
        files = [self.file(f"g{i}", output(block(rows=[row(4, time)]))) for i, time in enumerate((10, 14))]
        self.assertEqual(self.merge(*files)[1][0][3], "12.0000")

    def test_39_merged_files_can_be_merged_again(self):
        one = self.file("one", output(block(rows=lengths())))
        text, rows = self.merge(one, self.file("two", output(block(rows=lengths()))))
        again, rows_again = self.merge(self.file("m", text), one)
        self.assertEqual([r[3] for r in rows_again], [r[3] for r in rows])
        self.assertEqual({r[-1] for r in rows_again}, {"files=3"})
        self.assertEqual(self.run_it(REPORT, "--no-run", self.file("m", again)).code, 0)

    # Refusals that need options and input files only are tested in tests/unit/skampi_report_refusals_test.cpp.

    def test_39_unreadable_and_unwritable_files_are_refused(self):
        one = self.file("one", output(block(rows=lengths())))
        self.assert_refused(self.run_it(POST, "-o", "merged", one, "missing"), "cannot read 'missing'")
        self.assert_refused(self.run_it(POST, "-o", "no/folder", one), "cannot write 'no/folder'")
        self.assert_refused(self.run_it(POST, "-o", "merged", "--json", "merged", one), "-o: 'merged' is the file of --json")
        self.assertFalse((self.folder / "merged").exists())

    def test_an_unfinished_file_gives_a_warning(self):
        one = self.file("one", output(block(rows=lengths()), finished=False) + '# begin result "torn"\nlength= 4')
        ended = self.run_it(POST, "-o", "merged", one)
        self.assertEqual(ended.code, 0)
        self.assertIn("belongs to an unfinished run", ended.warnings()[0])
        self.assertNotIn("torn", (self.folder / "merged").read_text())
        self.assertEqual(self.run_it(POST, "-q", "-o", "merged", one).err, [])

    def test_an_input_is_never_overwritten(self):
        one = self.file("merged", output(block(rows=lengths())))
        before = one.read_text()
        self.assert_refused(self.run_it(POST, "-o", "merged", one), "-o: 'merged' is an input")
        self.assertEqual(one.read_text(), before)

    def test_a_merged_record_is_valid(self):
        files = [self.file(f"f{i}", output(block(rows=lengths(i + 1)), block("s", keys={"status": "skipped"})))
                 for i in range(2)]
        ended = self.run_it(POST, "-o", "merged", *files, record=True)
        self.assertEqual(ended.code, 0)
        self.assert_valid(ended)
        self.assertEqual([p["at"] for p in ended.points[:2]], [{"ranks": 2, "bytes": 0}, {"ranks": 2, "bytes": 4}])
        point = ended.points[3]
        self.assertAlmostEqual(point["value"], 1.5 * 20.24e-6)
        self.assertEqual((point["derived"]["files"], point["valid"], point["estimate"]), (2, 16, None))
        self.assertAlmostEqual(point["derived"]["bandwidth"], 2 * 1024 / point["value"])
        self.assertEqual((ended.points[-1]["status"], ended.points[-1]["value"]), ("skipped", None))
        summaries = [r for r in ended.records if r["record"] == "summary"]
        self.assertEqual([(s["name"], s["value"]) for s in summaries], [("MPI_Send-MPI_Recv", 6), ("s", 0)])
        self.assertEqual(ended.run["options"]["inputs"][1]["machine"], "M_1")
        self.assertEqual(ended.run["converted"]["machine"], "M_1")
        self.assertEqual(ended.end["status"], "complete")

    def test_42_decimal_points_do_not_depend_on_the_locale(self):
        one = self.file("one", output(block(rows=lengths())))
        text, _ = self.merge(one)
        for locale in ("de_DE.UTF-8", "fr_FR.utf8"):
            self.assertEqual(self.merge(one, environment={"LC_ALL": locale})[0], text)

    @unittest.skipUnless(GNUPLOT, "needs gnuplot")
    def test_41_gnuplot_reads_the_file(self):
        self.merge(self.file("one", output(block(rows=lengths()))))
        done = subprocess.run([GNUPLOT, "-e", "set table 't'; plot 'merged' using 2:4"], cwd=self.folder, check=True,
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        points = [line.split()[:2] for line in (self.folder / "t").read_text().splitlines() if line.endswith("i")]
        self.assertEqual(points[3], ["1024", "20.24"])
        self.assertEqual(len(points), 6)

    def test_help_and_version_name_the_program(self):
        for program, name in ((POST, "skampi-post"), (REPORT, "skampi-report")):
            shown = self.run_it(program, "--help").out
            self.assertIn(f"Usage: {name}", shown)
            self.assertNotIn("--timer", shown)
            self.assertRegex(self.run_it(program, "--version").out, rf"^{name} \d+\.\d+\.\d+\n$")


class Report(ReaderTest):

    def setUp(self):
        super().setUp()
        self.directory = self.folder / "skampi-report"

    def tools(self, **scripts):
        """Returns an environment whose PATH contains only these programs."""
        folder = self.folder / "tools"
        folder.mkdir()
        for name, script in scripts.items():
            (folder / name).write_text("#!/bin/sh\n" + script + "\n")
            (folder / name).chmod(0o755)
        return {"PATH": str(folder)}

    def report(self, *arguments, environment=None, record=False):
        ended = self.run_it(REPORT, *arguments, environment=environment, record=record)
        self.assertEqual((ended.code, ended.errors()), (0, []), ended.err)
        path = self.directory / "report.html"
        self.text = path.read_text() if path.exists() else ""
        self.page = Page(self.text)
        self.assertEqual(len(self.page.ids), len(set(self.page.ids)))
        self.assertEqual([link for link in self.page.links if not link.startswith("#")], [])
        return ended

    def files(self):
        return {path.name for path in self.directory.iterdir()}

    def test_findings_come_first_and_include_the_comparison_with_another_run(self):
        gather = {"pattern": "collective", "nodes": "4"}
        rows = [row(m, time) for m, time in ((4, 10), (8, 10), (16, 10))]
        old = self.file("old", output(block("MPI_Gather-length", rows, gather), head={"RUN_ID": "r1"}))
        rows = [row(m, time) for m, time in ((4, 20), (8, 20), (16, 20))]
        new = self.file("new", output(block("MPI_Gather-length", rows, gather),
                                      block("Gather_SR-length", [row(4, 10), row(8, 10)], gather)))
        ended = self.report("--no-run", "--against", old, new, record=True)
        self.assertIn("files read 2, findings 2,", ended.out)
        findings = self.text[self.text.index("<h2"):self.text.index("Configuration</h2>")]
        self.assertIn("Findings", findings)
        for text in ("Compared with old", "longer", "4 to 16", "100", "Gather_SR-length"):
            self.assertIn(text, findings)
        self.assertEqual(ended.records[0]["options"]["against"], str(old))

    def example(self):
        waitsome = {"pattern": "master-worker", "nodes": "4", "chunks": "10"}
        bcast = {"pattern": "collective", "nodes": "4"}
        bars = [row(n, 5 * n, variable="nodes", times=" ".join(["3.5"] * n)) for n in (2, 3, 4, 5)]
        return (block("MPI_Wtime", ["point= 0 0 0.03 0.0001 8"], {"pattern": "simple"}), block(rows=lengths()),
                block("MPI_Ssend-MPI_Recv", lengths(1.4)), block("MPI_Waitsome-length", lengths(3), waitsome),
                block("MPI_Bcast-nodes", bars, bcast), block("three", lengths()[:3], bcast),
                block("MPI_Scan-length", [], bcast | {"status": "skipped", "reason": "needs 2 processes"}))

    def test_40_without_tools(self):
        ended = self.report(self.file("a", output(*self.example())), environment=self.tools())
        self.assertEqual(len(ended.warnings()), 1)
        self.assertIn("gnuplot", ended.warnings()[0])
        names = self.files()
        for name in ("report.html", "report_ps.gp", "report_pdf.gp", "p2p_MPI_Send-MPI_Recv.dat", "p2p_MPI_Send-MPI_Recv.gp",
                     "p2p_MPI_Send-MPI_Recv-bandwidth.gp", "mw_MPI_Waitsome-length-per-chunk.gp", "cmp_01.gp",
                     "col_MPI_Bcast-nodes-processes-largest.gp"):
            self.assertIn(name, names)
        self.assertFalse([name for name in names if name.endswith((".svg", ".png", ".pdf", ".ps"))])
        # The page contains its own plots.
        self.assertEqual(self.page.tags.count("svg"), len([name for name in names if name.endswith(".dat")]))
        for text in ("10485", "Comparison 1: All ping-pong variants", "rank 3 on node2 (latency 41.2300", "n &amp; &lt;m&gt;",
                     "skipped: needs 2 processes", "time per chunk", "0.045100"):
            self.assertIn(text, self.text)

    @unittest.skipUnless(GNUPLOT, "needs gnuplot")
    @harness.not_quick
    def test_40_with_gnuplot(self):
        environment = self.tools()
        (self.folder / "tools" / "gnuplot").symlink_to(GNUPLOT)
        ended = self.report(self.file("a", output(*self.example())), environment=environment)
        self.assertEqual(ended.warnings(), [])
        names = self.files()
        plots = {name[:-3] for name in names if name.endswith(".gp")} - {"report_ps", "report_pdf"}
        self.assertTrue((self.directory / "report.ps").read_bytes().startswith(b"%!PS"))
        self.assertEqual((self.directory / "report.ps").read_bytes().count(b"%%Page: "), len(plots))
        self.assertTrue((self.directory / "report.pdf").read_bytes().startswith(b"%PDF"))
        self.assertEqual(self.page.tags.count("svg"), len(plots))
        self.assertEqual({name[:-4] for name in names if name.endswith(".svg")}, plots)
        for stem in plots:
            self.assertIn("<svg", (self.directory / f"{stem}.svg").read_text())
        self.assertEqual((self.directory / "gnuplot.log").read_text(), "")
        self.assertNotIn("col_three", plots)
        self.assertIn("are not drawn: 10.000 at 0", self.text)
        self.assertIn("details", self.page.tags)

    @harness.not_quick
    def test_no_run_starts_no_tool_and_removes_old_files(self):
        a = self.file("a", output(*self.example()))
        script = "case $1 in report_*) ;; *) echo '<svg></svg>' > ${1%.gp}.svg ;; esac"
        environment = self.tools(gnuplot=script)
        self.report(a, environment=environment)
        self.assertTrue([name for name in self.files() if name.endswith(".svg")])
        ended = self.report("--no-run", a, environment=environment)
        self.assertEqual(ended.err, [])
        self.assertIn("svg", self.page.tags)  # the page's own plots
        self.assertFalse([name for name in self.files() if name.endswith((".svg", ".log"))])

    def test_a_record_named_like_a_file_of_the_report_is_refused(self):
        a = self.file("a", output(*self.example()))
        self.report("--no-run", a)
        before = {path: path.read_bytes() for path in self.directory.iterdir()}
        plot, = [path for path in before if path.suffix == ".dat"][:1]
        for name in ("report.html", plot.name):
            ended = self.run_it(REPORT, "--no-run", "--json", str(self.directory / name), a)
            self.assert_refused(ended, f"{name}' is the name of a report file")
            self.assertEqual({path: path.read_bytes() for path in self.directory.iterdir()}, before)

    def test_a_failing_tool_gives_a_warning(self):
        ended = self.report(self.file("a", output(block(rows=lengths()))),
                            environment=self.tools(gnuplot="echo trouble >&2; exit 3"))
        self.assertIn("gnuplot failed for 4 scripts ('p2p_MPI_Send-MPI_Recv.gp' first)", ended.warnings()[0])
        self.assertEqual((self.directory / "gnuplot.log").read_text(), 4 * "trouble\n")
        self.assertIn("1048576", self.text)

    def test_the_parameter_file_selects_the_format(self):
        self.file("p", "@OPTIONS\nformat = html; barchart = no; minimum_data = 7; title = \"A & B\";\n")
        self.report("-c", "p", self.file("a", output(*self.example())), environment=self.tools())
        self.assertEqual(self.files(), {"report.html"})
        self.assertIn("<h1>A &amp; B</h1>", self.text)

    def test_comparisons_appear_in_the_report(self):
        self.file(".skampi-report", "@COMPARISONS\n\"Mine & yours\" { measurements = MPI_Send-MPI_Recv, nothing, "
                                    "MPI_Ssend-MPI_Recv; y = bandwidth; }\n")
        ended = self.report(self.file("a", output(*self.example())), environment=self.tools())
        self.assertIn("comparison 'Mine & yours': there is no measurement named 'nothing'", ended.warnings()[0])
        self.assertIn("Comparison 1: Mine &amp; yours", self.text)
        self.assertNotIn("Comparison 2", self.text)
        script = (self.directory / "cmp_01.gp").read_text()
        self.assertIn("bandwidth [MB/s]", script)
        self.assertNotIn("nothing", script)

    def test_several_files_are_compared(self):
        a = self.file("a", output(block(rows=lengths())))
        b = self.file("b", output(block(rows=lengths(2)), head={"MACHINE": "it's"}))
        self.assertEqual(self.report("-o", "x/y", a, b, "--no-run").code, 0)
        script = (self.folder / "x/y/p2p_MPI_Send-MPI_Recv.gp").read_text()
        self.assertIn("title 'M_1'", script)
        self.assertIn("title 'it''s'", script)

    def test_a_record_names_the_source_of_its_files(self):
        a = self.file("a", output(block(rows=lengths())))
        b = self.file("b", output(block(rows=lengths(2))))
        ended = self.report(a, b, "--no-run", record=True)
        self.assert_valid(ended)
        self.assertEqual({p["at"]["file"] for p in ended.points}, {str(a), str(b)})
        self.assertEqual(len(ended.points), 12)
        self.assertEqual((ended.run["program"], ended.run["ranks"], ended.run["mpi"], ended.run["hosts"]),
                         ("skampi", 4, {"library": "MPICH", "standard": None}, []))
        self.assertEqual((ended.run["started"], ended.run["converted"]["machine"]), (None, "M_1"))
        other = self.file("c", output(block(rows=lengths(2)), head={"MACHINE": "T3E"}))
        self.assert_refused(self.run_it(REPORT, "--no-run", "--json", "r.jsonl", a, other), "different machines")

    def test_the_record_of_one_file_has_its_points(self):
        ended = self.report("--no-run", self.file("a", output(*self.example())), record=True)
        self.assert_valid(ended)
        self.assertEqual(ended.points[0]["at"], {"ranks": 1, "bytes": 0})
        chunked = [p for p in ended.points if p["benchmark"] == "MPI_Waitsome-length"]
        self.assertEqual(chunked[0]["at"], {"ranks": 4, "bytes": 0, "chunks": 10})
        self.assertAlmostEqual(chunked[0]["derived"]["time_per_chunk"], 3e-6)
        self.assertEqual(ended.end["status"], "complete")

    def test_bad_input_is_refused(self):
        a = self.file("a", output(block(rows=lengths())))
        self.assert_refused(self.run_it(REPORT, "missing"), "cannot read 'missing'")
        self.assert_refused(self.run_it(REPORT, self.file("bad", "x\n")), "bad:1:1: error: ")
        self.file("file", "")
        self.assert_refused(self.run_it(REPORT, "-o", "file/x", a), "file/x")
        self.assert_refused(self.run_it(REPORT, "-o", "file", a), "file")
        self.assertFalse(self.directory.exists())

    def test_43_an_unwritable_folder_is_refused(self):
        self.directory.mkdir(mode=0o555)
        self.folder.chmod(0o755)
        self.assert_refused(self.run_it(REPORT, self.file("a", output(block(rows=lengths()))),
                                        preexec_fn=self.without_rights(REPORT)), "cannot write")


if __name__ == "__main__":
    harness.main(sys.argv[4:])
