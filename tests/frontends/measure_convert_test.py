#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure convert from outside: output of other programs becomes records that name their source and invent nothing.

usage: measure_convert_test.py MEASURE VALIDATE_RECORDS LAUNCHER MEASURE_OSU MEASURE_IMB PMB_MPI1 [UNITTEST OPTIONS]
"""
import json
import pathlib
import re
import socket
import subprocess
import sys

import harness
from harness import LIMIT

MEASURE, OSU, IMB, PMB = (str(pathlib.Path(path).resolve()) for path in (sys.argv[1], *sys.argv[4:7]))
harness.ProgramTest.tools(*sys.argv[2:4])

SKAMPI = """# SKaMPI output format 1
#@VERSION skampi 0.1.0
#@DATE 1999-03-04T05:06:07Z
#@MACHINE T3E
#@MPILIB Cray MPT 1.3
#@MPI_STANDARD 1.2
#@OS UNICOS/mk 2.0
#@PROCS 4
#@HOSTS 0 pe1
#@HOSTS 1 pe1
#@HOSTS 2 pe2
#@HOSTS 3 pe2
#@TIMER mpi_wtime
#@EPS 0.05
#@SYNC barrier
#@END_HEADER
# begin result "MPI_Bcast-length"
#: pattern = collective
#: type = MPI_Bcast
#: nodes = 4
#: cut = 0.25
#| length=  bytes  time_us  stderr_us   n
length= 8  8  2.5  0.1  8
# end result "MPI_Bcast-length"
# duration = 0.01 sec

# Finished at 1999-03-04T05:10:00Z
# Total runtime 233 seconds
"""
OSU_TEXT = """
# OSU MPI Broadcast Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       1.25              1.00              1.50        1000
8                       2.50              2.00              3.00        1000

# OSU MPI Latency Test v5.3.2
# Size          Latency (us)
0                       0.50
4                       0.75
# OSU MPI-CUDA Bandwidth Test v7.4
# Size      Bandwidth (MB/s)
1024                  512.00
# OSU MPI Multiple Bandwidth / Message Rate Test v7.4
# [ pairs: 4 ] [ window size: 16 ]
# Size                  MB/s        Messages/s
8                      80.00       10000000.00
# OSU MPI_Put Latency Test v7.4
# Window creation: MPI_Win_create
# Synchronization: MPI_Win_fence
# Size          Latency (us)
1                       0.00
2                       3.00
"""
IMB_TEXT = """#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#----------------------------------------------------------------
# Date                  : Thu Aug  8 09:17:34 2019
# Machine               : x86_64
# System                : Linux
# Release               : 4.18.0
# Version               : #1 SMP
# MPI Version           : 3.1
# MPI Thread Environment:

# Calling sequence was:

# ./IMB-MPI1 -npmin 2 PingPong Bcast

# Minimum message length in bytes:   0
# List of Benchmarks to run:

# PingPong
# Bcast
#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.50         0.00
         1000         1000         2.00       500.00
#----------------------------------------------------------------
# Benchmarking Bcast
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8          640         1.00         3.00         2.00
           16 out-of-mem.; needed X=   0.1 GB


# All processes entering MPI_Finalize
"""
PMB_TEXT = """#---------------------------------------------------
#    PALLAS MPI Benchmark Suite V2.2, MPI-1 part
#---------------------------------------------------
# Date       : Thu Aug  8 09:17:34 2002
# Machine    : 000123456700
# System     : AIX
# Release    : 1
# Version    : 5

#---------------------------------------------------
# Benchmarking PingPong
# ( #processes = 2 )
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            4         1000        20.00         0.19
"""


class Convert(harness.ProgramTest):

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def run_measure(self, *words, code=0):
        done = subprocess.run([MEASURE, *words], capture_output=True, text=True, timeout=LIMIT, cwd=self.folder,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr.splitlines()

    def refused(self, *words, text):
        _, err = self.run_measure(*words, code=2)
        self.assertEqual(len(err), 1, err)
        self.assertIn(text, err[0])

    def runs(self, name, text, *options):
        """Returns (run line, points) of each run. The file must be valid and contain no data of this machine."""
        self.run_measure("convert", self.file(name, text), "-o", "out.jsonl", *options)
        self.assert_valid_file(self.folder / "out.jsonl")
        written = (self.folder / "out.jsonl").read_text()
        self.assertNotIn(socket.gethostname(), written)
        found = []
        for record in map(json.loads, written.splitlines()):
            if record["record"] == "run":
                found.append((record, []))
            elif record["record"] == "point":
                found[-1][1].append(record)
        return found

    def test_skampi_output_is_converted(self):
        (run, points), = self.runs("skampi.out", SKAMPI)
        self.assertEqual((run["suite"], run["program"], run["version"], run["started"], run["ranks"], run["kernel"]),
                         ("skampi", "skampi", "0.1.0", "1999-03-04T05:06:07Z", 4, "UNICOS/mk 2.0"))
        self.assertEqual(run["mpi"], {"library": "Cray MPT 1.3", "standard": "1.2"})
        self.assertEqual(run["hosts"], [{"name": name, "ranks": ranks, "cores": None, "cpu": None}
                                        for name, ranks in (("pe1", "0-1"), ("pe2", "2-3"))])
        self.assertEqual((run["converted"]["machine"], run["compiler"]), ("T3E", None))
        self.assertEqual((run["timer"]["name"], run["timer"]["resolution"]), ("mpi_wtime", None))
        self.assertEqual([(p["benchmark"], p["at"], p["value"], p["valid"]) for p in points],
                         [("MPI_Bcast-length", {"ranks": 4, "bytes": 8}, 2.5e-6, 8)])
        self.refused("convert", "skampi.out", "--ranks", "8", text="--ranks 8: the text states 4 processes")
        self.refused("convert", "skampi.out", "--library", "MPICH", text="the text states 'Cray MPT 1.3'")
        self.refused("convert", "skampi.out", "--date", "2004-01-31", text="the text states '1999-03-04T05:06:07Z'")
        self.run_measure("convert", "skampi.out", "-o", "again", "--date", "1999-03-04", "--machine", "T3E")

    def test_osu_output_is_converted(self):
        self.refused("show", self.file("osu.txt", OSU_TEXT), text="osu.txt:2:1: error: the text does not state the "
                     "number of processes; give --ranks to 'measure convert'")
        runs = self.runs("osu.txt", OSU_TEXT, "--ranks", "16")
        self.assertEqual([(run["program"], run["version"], run["ranks"]) for run, _ in runs],
                         [("osu_bcast", "7.4", 16), ("osu_latency", "5.3.2", 2), ("osu_bw", "7.4", 2),
                          ("osu_mbw_mr", "7.4", 8), ("osu_put_latency", "7.4", 2)])
        for run, points in runs:
            self.assertEqual((run["suite"], run["started"], run["mpi"], run["hosts"], run["timer"]["name"]),
                             ("osu", None, {"library": "unknown", "standard": None}, [], "unknown"))
            self.assertEqual([p["estimate"] for p in points], [None] * len(points))
        (bcast, points), (_, latency), (_, bw), (_, rate), (_, put) = runs
        self.assertEqual(bcast["converted"]["assumed"], ["root"])
        self.assertEqual(points[1]["at"], {"ranks": 16, "bytes": 8, "type": "mpi_char", "root": "0"})
        self.assertEqual((points[1]["value"], points[1]["valid"], points[1]["flags"]), (2.5e-6, 1000, []))
        self.assertEqual(points[1]["over_ranks"], {"min": 2e-6, "mean": 2.5e-6, "max": 3e-6})
        self.assertEqual(points[1]["semantics"]["operation"], "Bcast")
        self.assertEqual([(p["value"], p["flags"]) for p in latency],
                         [(0.5e-6, ["samples_unknown"]), (0.75e-6, ["samples_unknown"])])
        self.assertEqual((bw[0]["unit"], bw[0]["value"], bw[0]["at"]["buffers"]), ("B/s", 512e6, "cuda"))
        self.assertEqual((rate[0]["value"], rate[0]["derived"]["message_rate"]), (80e6, 1e7))
        self.assertEqual((rate[0]["at"]["pairs"], rate[0]["at"]["window"]), (4, 16))
        self.assertEqual([(p["status"], p["value"]) for p in put], [("skipped", None), ("converged", 3e-6)])
        self.assertEqual((put[1]["at"]["window_creation"], put[1]["at"]["synchronization"]), ("create", "fence"))

    def test_options_supply_what_the_text_does_not_contain(self):
        bcast = OSU_TEXT[:OSU_TEXT.index("# OSU MPI Latency")]
        (run, _), = self.runs("b.txt", bcast, "--ranks", "4", "--library", "MVAPICH2 2.3", "--machine", "SP",
                              "--date", "2004-01-31")
        self.assertEqual((run["started"], run["mpi"]["library"], run["converted"]["machine"]),
                         ("2004-01-31", "MVAPICH2 2.3", "SP"))
        out, _ = self.run_measure("out.jsonl")
        self.assertIn("4 ranks on SP", out.replace("\n#  ", ""))
        latency = self.file("l.txt", OSU_TEXT[OSU_TEXT.index("# OSU MPI Latency"):OSU_TEXT.index("# OSU MPI-CUDA")])
        self.refused("convert", latency, "--ranks", "4", text="--ranks 4: the text states 2 processes")
        out, _ = self.run_measure(latency)
        self.assertIn("MPI library unknown, 2 ranks on an unknown machine, date unknown", out.replace("\n#  ", ""))
        self.assertRegex(out, r"(?m)^latency +0 .* - +converged")

    def test_imb_and_pmb_output_is_converted(self):
        (run, points), = self.runs("imb.txt", IMB_TEXT)
        self.assertEqual((run["suite"], run["program"], run["version"], run["started"], run["ranks"], run["kernel"]),
                         ("imb", "IMB-MPI1", "2021.7", "2019-08-08T09:17:34", 4, "Linux 4.18.0"))
        self.assertEqual((run["mpi"], run["command"]), ({"library": "unknown", "standard": "3.1"},
                                                        ["./IMB-MPI1", "-npmin", "2", "PingPong", "Bcast"]))
        self.assertEqual([(p["benchmark"], p["at"], p["value"], p["status"]) for p in points],
                         [("PingPong", {"ranks": 2, "bytes": 0}, 0.5e-6, "converged"),
                          ("PingPong", {"ranks": 2, "bytes": 1000}, 2e-6, "converged"),
                          ("Bcast", {"ranks": 4, "bytes": 8}, 3e-6, "converged"),
                          ("Bcast", {"ranks": 4, "bytes": 16}, None, "skipped")])
        self.assertAlmostEqual(points[1]["derived"]["bandwidth"], 500e6, places=3)
        self.assertEqual(points[2]["iterations_per_sample"], 640)
        self.assertEqual(points[2]["over_ranks"], {"min": 1e-6, "mean": 2e-6, "max": 3e-6})
        (run, points), = self.runs("pmb.txt", PMB_TEXT, "--machine", "SP")
        self.assertEqual((run["suite"], run["program"], run["started"], run["ranks"], run["converted"]["machine"]),
                         ("pmb", "PMB-MPI1", "2002-08-08T09:17:34", 2, "SP"))
        self.assertEqual([(p["at"], p["value"]) for p in points], [({"ranks": 2, "bytes": 4}, 20e-6)])

    def records(self, name, text):
        """Returns the records of a text by their kind."""
        out, _ = self.run_measure("convert", self.file(name, text))
        kinds = {"run": [], "point": [], "summary": [], "end": []}
        for line in map(json.loads, out.splitlines() if isinstance(out, str) else out):
            kinds[line["record"]].append(line)
        return kinds

    def test_a_torn_last_line_is_omitted_and_the_run_has_no_end(self):
        found = self.records("torn", "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n1    0.50\n2    0.75")
        self.assertEqual([point["value"] for point in found["point"]], [5e-7])
        self.assertEqual(found["end"], [])

    def test_texts_of_several_suites_and_impossible_dates_are_refused(self):
        self.refused("convert", self.file("mixed", IMB_TEXT + OSU_TEXT), text="this text has tables of several suites")
        self.refused("convert", self.file("s", SKAMPI), "--date", "2024-02-30", text="'2024-02-30' is not a date")

    def test_reduce_scatter_of_old_imb_versions_divides_its_length(self):
        for version, size in (("2018", "whole"), ("2021.7", "block")):
            (point,) = self.records(version, f"#    Intel(R) MPI Benchmarks {version}, MPI-1 part\n# Benchmarking "
                                    "Reduce_scatter\n# #processes = 2\n#bytes #repetitions t_min[usec] t_max[usec] "
                                    "t_avg[usec]\n8 10 1.0 2.0 1.5\n")["point"]
            self.assertEqual((point["semantics"]["size"], point["at"]["bytes"], point["value"]), (size, 8, 2e-6))

    def test_damaged_texts_are_refused_with_the_reason(self):
        for name, text, said in (("a", "", "neither a record nor a supported output file"), ("b", "hello\n", "neither a record"),
                                 ("c", "# OSU MPI Latency Test v7.4\n", "has no rows"),
                                 ("d", "# OSU MPI Wonder Latency Test v7.4\n", "no known program has the test"),
                                 ("e", OSU_TEXT.replace("0.75", "0.x5"), "'0.x5' is not a valid number"),
                                 ("f", OSU_TEXT.replace("4                       0.75", "4"), "this row has 1 words"),
                                 ("g", IMB_TEXT.replace("2.00       500.00", "2.00"), "this row has 3 words"),
                                 ("h", IMB_TEXT[:IMB_TEXT.index("# Benchmarking")], "has no rows"),
                                 ("i", IMB_TEXT.replace("Benchmarking B", "Benchmarking C"), "no benchmark 'Ccast'"),
                                 ("j", IMB_TEXT.replace("#processes = 2", ""), "does not state the number of processes"),
                                 ("k", SKAMPI[:SKAMPI.index("# begin")], "error")):
            with self.subTest(name):
                self.refused("convert", self.file(name, text), "--ranks", "4", text=said)
        self.run_measure("convert", self.file("skampi.out", SKAMPI), "-o", "r.jsonl")
        self.refused("convert", "r.jsonl", text="this file is already a record")

    def test_an_archive_accepts_converted_text(self):
        archive = ("archive", "-a", "a.sqlite")
        if "without" in subprocess.run([MEASURE, *archive, "list"], capture_output=True, text=True, cwd=self.folder,
                                       check=False, timeout=LIMIT).stderr:
            self.skipTest("no archives in this build")
        self.run_measure(*archive, "add", self.file("skampi.out", SKAMPI))
        self.run_measure(*archive, "add", self.file("imb.txt", IMB_TEXT))
        self.run_measure(*archive, "add", "--ranks", "4", "--machine", "SP", "--library", "IBM PE",
                         self.file("osu.txt", OSU_TEXT))
        out, _ = self.run_measure(*archive, "list")
        for text in ("T3E", "Cray MPT 1.3", "1999-03-04T05:06:07Z", "unknown", "2019-08-08T09:17:34", "SP", "IBM PE"):
            self.assertIn(text, out)
        self.assertNotIn(socket.gethostname(), out)
        exported, _ = self.run_measure(*archive, "export", out.split("1999")[0].split()[-1])
        self.assertEqual(json.loads(exported.splitlines()[0])["converted"]["machine"], "T3E")
        self.run_measure(*archive, "site", "www")
        pages = "".join(page.read_text() for page in (self.folder / "www").glob("*.html"))
        for text in ("T3E", "Cray MPT 1.3", "IBM PE"):
            self.assertTrue(text in pages, text)
        self.assertFalse("1970" in pages)
        self.assertTrue(re.search(r"(?s)pe1.{0,80}0-1.{0,80}unknown", pages))  # cores of a host
        self.run_measure("convert", "skampi.out", "-o", "r.jsonl")
        self.refused(*archive, "add", "--ranks", "4", "r.jsonl", text="this is a record")
        self.refused(*archive, "add", "--machine", "SP", "skampi.out", text="the text states 'T3E'")
        out, _ = self.run_measure(*archive, "add", "r.jsonl")
        self.assertIn("known", out)

    def own(self, *command, text_of):
        """Yields the points of a program's own record, and those converted from its text."""
        self.json.unlink(missing_ok=True)
        process = self.launch(*command)
        out, err = process.communicate(timeout=LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        self.assertEqual(ended.code, 0, ended.err)
        self.run_measure("convert", self.file("text", text_of(ended)), "-o", "out.jsonl", "--ranks", "2")
        converted = [json.loads(line) for line in (self.folder / "out.jsonl").read_text().splitlines()]
        run, points = converted[0], [r for r in converted if r["record"] == "point"]
        self.assertEqual([run[key] for key in ("suite", "program", "version", "ranks")],
                         [ended.run[key] for key in ("suite", "program", "version", "ranks")])
        self.assertEqual([(p["benchmark"], p["at"], p.get("semantics")) for p in points],
                         [(p["benchmark"], p["at"], p.get("semantics")) for p in ended.points])
        for mine, other in zip(ended.points, points):
            if other["value"] is not None:
                step = 0.0051 * (1e-6 if mine["quantity"] == "time" else 1e6)
                self.assertLessEqual(abs(mine["value"] - other["value"]), step, (mine, other))
                self.assertNotIn("samples_unknown", other["flags"])
                self.assertEqual((mine["attempts"], mine["valid"]), (other["attempts"], other["valid"]))
        return run, ended.run

    def test_output_of_our_programs_converts_to_their_records(self):
        def with_remarks(ended):
            first = [line for line in ended.err if line.startswith("#+ libmeasure")]
            return "\n".join([*first, ended.out, *(line for line in ended.err if line not in first), ""])
        for words in (["bcast"], ["latency"], ["bw"], ["barrier"], ["put_latency"], ["ibcast"]):
            sizes = [] if words == ["barrier"] else ["-m", "1:64"]
            self.own(OSU, "osu_" + words[0], *sizes, "-i", "20", "-x", "2", text_of=with_remarks)
        for program in ((IMB, "IMB-MPI1"), (PMB,)):
            sizes = ["-msglen", self.file("sizes", "8\n64\n")]
            run, own = self.own(*program, *sizes, "PingPong", "Bcast", "Barrier", text_of=lambda ended: ended.out)
            self.assertEqual(run["mpi"]["library"], own["mpi"]["library"])


if __name__ == "__main__":
    harness.main(sys.argv[7:])
