#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""blasbench from outside: command line, libraries, tables, records, files, its driver, and the plausibility of its
values. Tests that need a library that is not installed are skipped.

usage: blasbench_test.py BLASBENCH VALIDATE_RECORDS LAUNCHER BLASBENCH_RUN LLCBENCH_SH [UNITTEST OPTIONS]
"""
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import unittest

import harness
from harness import LIMIT, figures, slow
from llcbench_blocks import Block, BlockTest, blocks

BLASBENCH, DRIVER, LIBRARY = (str(pathlib.Path(sys.argv[i]).resolve()) for i in (1, 4, 5))
harness.ProgramTest.tools(*sys.argv[2:4])

ROUTINES = "axpy gemv gemm trsv trsm syr2k".split()
COLUMNS = "size value n bytes iterations MFLOPS MB/s best median mean stddev".split()
MIB = 2 ** 20
QUICK = ("-N", "-i", 100)
RATIO = {"axpy": 12e6 / MIB, "gemv": 8e6 / MIB, "gemm": 8e6 / MIB}


def listed():
    """Returns the available libraries: the name and the rest of the line."""
    shown = subprocess.run([BLASBENCH, "--list-blas"], capture_output=True, text=True, check=True).stdout
    pairs = (line.split(None, 1) for line in shown.splitlines())
    return {name: text for name, text in pairs if not text.startswith("-")}


INSTALLED = listed()


def needs(*libraries):
    missing = [name for name in libraries if name not in INSTALLED]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


class BlasbenchTest(BlockTest):
    program = BLASBENCH

    def best(self, *arguments):
        """Returns the rate of the best block of a single call. Such a block is short enough to fit between other work
        of the machine."""
        points = self.run_it("-N", "-c", "-i", 1, *arguments).points
        return max(point["estimate"]["max"] for point in points)


class CommandLine(BlasbenchTest):
    def test_sizes_double_up_to_the_maximum_and_values_are_positive(self):
        block = self.block("-t", "-m", 12, "-x", 0)
        self.assertEqual(block.sizes(), [256, 512, 1024, 2048, 4096])
        for row in block.rows:
            self.assertTrue(all(math.isfinite(float(cell)) and float(cell) > 0 for cell in row.values()), row)

    def test_dimensions_can_be_listed_or_derived_from_sizes(self):
        self.assertEqual(self.block("-as", "-d", "-x0", "-m", 12, *QUICK).sizes(), [7, 10, 15, 21, 31])
        block = self.block("-t", "--n", "5,50", *QUICK)
        self.assertEqual(block.sizes(), [600, 60000])
        self.assertEqual(block.values("n"), [5, 50])

    def test_iterations_decrease_with_size_unless_constant(self):
        options = ("-v", "-x1", "-m", 12, "-N", "--blas", "builtin")
        self.assertEqual(self.block(*options, "-i", 1000).calls(), [1000, 666, 500, 333, 250, 166, 125, 83, 62])
        self.assertEqual(self.block(*options, "-i", 5, "-c").calls(), [5] * 9)

    @slow
    def test_a_search_for_an_unreachable_error_ends(self):
        ended = self.run_it("-v", "--n", 1, "-N", "--blas", "builtin", "-i", 1, "--stderr", "1e-9")
        self.assertEqual(ended.points[0]["status"], "exhausted")
        self.assertLess(ended.points[0]["attempts"], 130_000)

    @slow
    def test_a_point_takes_about_a_second_at_most(self):
        ended = self.run_it("-t", "--n", 500, "-N", "--blas", "builtin", "-i", 1_000_000)
        self.assertLess(ended.points[0]["iterations_per_sample"] * ended.points[0]["attempts"], 1_000_000)

    def test_blocks_are_short_and_there_are_at_least_three(self):
        ended = self.run_it("-vt", "--n", "4,400", "-N", "--blas", "builtin", "-i", 1000)
        for point in ended.points:
            self.assertGreaterEqual(point["attempts"], 3)
            self.assertLess(point["iterations_per_sample"], 1_000_000)

    @slow
    def test_the_printed_value_is_the_selected_statistic(self):
        for name in ("mean", "median", "best"):
            ended = self.run_it("-t", "--n", "20", "-N", "--blas", "builtin", "--statistic", name)
            (row,) = Block(ended.out).rows
            self.assertEqual((row["value"], ended.points[0]["derived"]["statistic"]), (row[name], name))
            self.assertGreaterEqual(float(row["best"]), float(row["mean"]))

    def test_list_prints_the_planned_points(self):
        ended = self.run_it("-t", "--n", "4", "--list", "--blas", "builtin", record=False)
        self.assertEqual(ended.out, "dgemm bytes=384 repetition=0 blas=builtin n=4 threads=1\n")

    def test_gemm_shapes_have_their_own_columns(self):
        ended = self.run_it("--gemm", "2x4x3,40x3x20", "--transpose", "NN,TN", "--blas", "builtin", *QUICK)
        self.assert_valid(ended)
        block = Block(ended.out)
        self.assertEqual(block.columns, COLUMNS[:2] + "m n k trans".split() + COLUMNS[3:])
        self.assertEqual([[row[c] for c in "m n k trans".split()] for row in block.rows],
                         [["2", "4", "3", "NN"], ["2", "4", "3", "TN"],
                          ["40", "3", "20", "NN"], ["40", "3", "20", "TN"]])
        # (2 x 3 + 3 x 4 + 2 x 4) x 8 and (40 x 20 + 20 x 3 + 40 x 3) x 8
        self.assertEqual(block.sizes(), [208, 208, 7840, 7840])
        self.assertEqual(block.field("flops"), "2mnk+2mn")
        self.assertEqual({p["status"] for p in ended.points}, {"converged"})
        self.assertEqual(ended.points[3]["at"], {"bytes": 7840, "m": 40, "n": 3, "k": 20, "trans": "TN",
                                                 "repetition": 0, "blas": "builtin", "threads": 1})
        options = ended.run["options"]
        self.assertEqual(options["dimensions"], {"gemm": ["2x4x3", "40x3x20"]})
        self.assertEqual((options["flops"], options["transpose"]), ({"gemm": "2mnk+2mn"}, ["NN", "TN"]))
        for row, point in zip(block.rows, ended.points):
            self.assertAlmostEqual(point["value"] * 1e-6 / float(row["MFLOPS"]), 1, delta=1e-5)

    def test_unused_options_are_not_recorded(self):
        ended = self.run_it("-t", "--n", 4, *QUICK)
        self.assertEqual(list(ended.points[0]["at"]), ["bytes", "repetition", "blas", "n", "threads"])
        self.assertNotIn("transpose", ended.run["options"])
        self.assertEqual(ended.run["options"]["threads"], 1)

    def test_square_matrices_can_be_transposed(self):
        ended = self.run_it("-vt", "--n", 5, "-l", "--transpose", "NT,TT", "--blas", "builtin", *QUICK)
        self.assertEqual([(p["benchmark"], p["at"].get("trans")) for p in ended.points],
                         [("daxpy", None), ("dgemm", "NT"), ("dgemm", "TT")])
        self.assertEqual([block.columns for block in blocks(ended.out)],
                         [COLUMNS, COLUMNS[:3] + ["trans"] + COLUMNS[3:]])

    def test_each_size_is_repeated(self):
        ended = self.run_it("-x0", "-m9", "-e", 3, *QUICK)
        self.assertEqual(Block(ended.out).sizes(), [256, 256, 256, 512, 512, 512])
        self.assertEqual([p["at"]["repetition"] for p in ended.points], [0, 1, 2] * 2)

    def test_options_can_be_bundled(self):
        found = blocks(self.run_it("-vat", "-x1", "-m12", "-e2", "-i1000", "-N").out)
        self.assertEqual([block.field("routine") for block in found], ["daxpy", "dgemv", "dgemm"])
        self.assertEqual(len(found[0].rows), 18)

    def test_a_file_that_cannot_be_written_is_refused(self):
        self.assert_refused("--output", "/none/x", pattern="/none/x")

    def test_sizes_beyond_the_memory_are_refused(self):
        self.assert_refused("-m", 44,
                            pattern=r"-m: gemm of dimension \d+ has operands of 16 TiB and needs .* is available")


class Libraries(BlasbenchTest):
    def without(self, *arguments, **keywords):
        return self.run_it(*arguments, environment={"MEASURE_TEST_BLAS_FOLDER": str(self.folder)}, **keywords)

    def test_without_libraries_the_builtin_loops_run(self):
        ended = self.without("-t", "-m9", *QUICK)
        self.assertEqual(Block(ended.out).field("blas"), "builtin")
        self.assertIn("library=built-in loops", ended.out)
        self.assertTrue(any("the reference BLAS is not installed" in line for line in ended.err))
        ended = self.without("--blas", "builtin", "--test", "all", "-m9", *QUICK)
        self.assertEqual(len(blocks(ended.out)), 6)

    def test_unknown_libraries_are_refused(self):
        self.assert_refused("--blas", "nosuch", pattern="'nosuch': .*No such file")

    def test_the_program_vblasbench_uses_a_vendor_library(self):
        (self.folder / "vblasbench").symlink_to(BLASBENCH)
        program = str(self.folder / "vblasbench")
        ended = self.run_it("-m9", code=2, record=False, program=program,
                            environment={"MEASURE_TEST_BLAS_FOLDER": str(self.folder)})
        self.assertIn("vblasbench: error: no vendor BLAS is installed", ended.errors()[0])
        vendors = [name for name in ("openblas", "blis", "mkl") if name in INSTALLED]
        if vendors:
            block = self.block("-m9", *QUICK, program=program)
            self.assertEqual(block.field("blas"), vendors[0])

    @needs("ref")
    def test_the_reference_library_is_identified(self):
        block = self.block("-m9", *QUICK)
        self.assertEqual(block.field("blas"), "ref")
        self.assertRegex(block.field("file"), r"/blas/libblas\.so\.3")
        self.assertIn("library=reference/unknown", block.head)

    @needs("ref", "openblas")
    def test_names_are_case_insensitive(self):
        self.assertEqual([block.field("blas") for block in
                          blocks(self.run_it("--blas", "OpenBLAS,REF", "--n", 5, *QUICK).out)], ["openblas", "ref"])

    @needs("ref", "openblas")
    def test_several_libraries_run_after_each_other(self):
        ended = self.run_it("--blas", "ref,openblas", "-at", "-m10", *QUICK)
        self.assert_valid(ended)
        found = blocks(ended.out)
        self.assertEqual([(b.field("routine"), b.field("blas")) for b in found],
                         [("dgemv", "ref"), ("dgemv", "openblas"), ("dgemm", "ref"), ("dgemm", "openblas")])
        self.assertEqual({tuple(b.sizes()) for b in found}, {(256, 384, 512, 768, 1024)})
        self.assertEqual([p["at"]["blas"] for p in ended.points], ["ref", "openblas"] * 10)
        self.assertNotEqual(found[0].field("file"), found[1].field("file"))
        self.assertEqual([b["name"] for b in ended.run["blas"]], ["ref", "openblas"])
        self.assertLessEqual({"name", "version", "file"}, set(ended.run["blas"][0]))
        csv = self.run_it("--blas", "ref,openblas", "-m9", "--format", "csv", *QUICK).out.splitlines()
        self.assertEqual(csv[0], "routine," + ",".join(COLUMNS) + ",blas")
        self.assertEqual([line.split(",")[-1] for line in csv[1:]], ["ref"] * 3 + ["openblas"] * 3)

    @needs("ref", "openblas")
    @figures
    def test_openblas_is_faster_in_gemm(self):
        # On a processor newer than OpenBLAS the library selects its slowest kernels.
        flags = pathlib.Path("/proc/cpuinfo").read_text()
        newer = {"OPENBLAS_CORETYPE": "Haswell"} if " avx2 " in flags and " fma " in flags else {}
        ref, openblas = blocks(self.run_it("--blas", "ref,openblas", "-to", "--size", "4M", "-N", "-i1",
                                           environment=newer).out)
        self.assertGreaterEqual(openblas.values()[0], 5 * ref.values()[0])

    @needs("openblas")
    def test_threads_are_named(self):
        ended = self.run_it("--blas", "openblas", "--threads", 2, "-m9", *QUICK)
        self.assertEqual(Block(ended.out).field("threads"), "2")
        self.assertEqual(ended.points[0]["at"]["threads"], 2)

    def test_numbers_of_threads_can_be_listed(self):
        self.assert_refused("--blas", "builtin", "--threads", "1,2",
                            pattern="--threads: builtin .* cannot change its number of threads within a run")
        for library in (name for name in ("openblas", "blis") if name in INSTALLED):
            ended = self.run_it("--blas", library, "--threads", "2,1", "-x0", "-m9", *QUICK)
            self.assert_valid(ended)
            self.assertEqual([block.field("threads") for block in blocks(ended.out)], ["2", "1"])
            self.assertEqual([(p["at"]["bytes"], p["at"]["threads"]) for p in ended.points],
                             [(256, 2), (256, 1), (512, 2), (512, 1)])
            self.assertEqual(ended.run["options"]["threads"], [2, 1])
            csv = self.run_it("--blas", library, "--threads", "2,1", "-x0", "-m9", "--format", "csv", *QUICK)
            lines = csv.out.splitlines()
            self.assertEqual(lines[0], "routine," + ",".join(COLUMNS) + ",threads")
            self.assertEqual([line.split(",")[-1] for line in lines[1:]], ["2", "2", "1", "1"])

    @needs("openblas")
    def test_threads_are_started(self):
        for threads in (1, 2):
            process = self.launch(BLASBENCH, "--blas", "openblas", "--threads", threads, "--n", 300, "-N",
                                  "-i", 100_000, ranks=0)
            status = pathlib.Path(f"/proc/{process.pid}/status")
            self.wait_for(lambda: self.json.exists() and self.json.stat().st_size > 0, "no record")
            self.assertIn(f"\nThreads:\t{threads}\n", status.read_text())
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=LIMIT)
            self.json.unlink()

    @needs("openblas")
    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one core only")
    @figures
    def test_two_threads_are_faster(self):
        one, two = (self.best("--blas", "openblas", "--threads", threads, "--n", 700, "-e", 2) for threads in (1, 2))
        self.assertGreater(two, 1.2 * one)
        for library in (name for name in ("openblas", "blis") if name in INSTALLED):
            points = self.run_it("-N", "-c", "-i", 1, "--blas", library, "--threads", "2,1", "--n", 700, "-e", 2).points
            two, one = (max(p["estimate"]["max"] for p in points if p["at"]["threads"] == n) for n in (2, 1))
            self.assertGreater(two, 1.2 * one, library)


class Output(BlasbenchTest):
    @unittest.skipUnless(shutil.which("script"), "the program `script` is needed to simulate a terminal")
    def test_a_terminal_gets_three_tables_and_each_size_twice(self):
        shown = self.on_terminal("-m10", "-x0", "-N", "-i", 1000)
        self.assertEqual(re.findall(r"^ *(.*) Cache Test$", shown, re.MULTILINE),
                         ["double AXPY", "double GEMV", "double GEMM"])
        self.assertEqual(re.findall(r"^ *(\S+) operations a call$", shown, re.MULTILINE),
                         ["2n", "2n^2+2n", "2n^3+2n^2"])
        rows = [line.split("\t") for line in shown.splitlines() if line[:1].isdigit()]
        self.assertEqual([int(row[0]) for row in rows], [256, 256, 512, 512, 1024, 1024] * 3)
        for i, (asked, used, fit, calls, ns, change, mflops, rate) in enumerate(rows):
            self.assertLessEqual(int(used), int(asked))
            self.assertLessEqual(float(fit), 100)
            self.assertGreater(int(calls), 0)
            routine = ("axpy", "gemv", "gemm")[i // 6]
            self.assertAlmostEqual(float(rate) / float(mflops) / RATIO[routine], 1, delta=2e-3)
            self.assertAlmostEqual(8 / MIB / (float(ns) * 1e-9) / float(rate), 1, delta=2e-3)
        self.assertEqual([row[5] for row in rows[::6]], ["100.00"] * 3)
        self.assertEqual([row[1] for row in rows[::2]],
                         "256 512 1024 192 504 960 216 384 864".split())

    @unittest.skipUnless(shutil.which("script"), "the program `script` is needed to simulate a terminal")
    def test_the_leading_dimension_can_be_fixed(self):
        for letters, asked, used in (("-tld", "26", "3 4 6 9 13 18 26"), ("-vld", "", "16 32 64 128 256 512 1024")):
            shown = self.on_terminal(letters, "-m14", "-x0", "-e1", *QUICK)
            rows = [line.split("\t") for line in shown.splitlines() if line[:1].isdigit()]
            self.assertEqual([row[1] for row in rows], used.split())
            self.assertEqual([row[0] for row in rows], [asked] * 7 if asked else used.split())
        held, free = (self.run_it("-t", *more, "-m10", *QUICK) for more in (("-l",), ()))
        self.assertEqual(Block(held.out).sizes(), Block(free.out).sizes())
        self.assertEqual({p["derived"]["leading_dimension"] for p in held.points}, {6})
        self.assertEqual([p["derived"]["leading_dimension"] for p in free.points], [3, 4, 4, 5, 6])

    def test_output_to_a_pipe_contains_gemm_only(self):
        block = self.block("-m9", *QUICK)
        self.assertEqual(block.field("routine"), "dgemm")
        self.assertEqual(block.sizes(), [256, 384, 512])
        self.assertEqual(block.columns, COLUMNS)

    def test_the_head_describes_machine_and_settings(self):
        block = self.block("-m9", "-x0", "-i100", "-c")
        self.assertRegex(block.comments[0], r"^# blasbench routine=dgemm precision=double w=8 blas=\w+ threads=1 "
                                            r"unit=MB/s \(1 MB = 1048576 bytes\) statistic=mean$")
        for pattern in (r"host=\S+ os=\S+ arch=\S+ cpu=", r"timer=monotonic_raw resolution=[\d.]+ ns",
                        r"date=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", r"library=.+ version=\S+ file=\S+",
                        "iterations=constant:100", r"alpha=1 beta=1 flops=2n\^3\+2n\^2 references=2n\^3\+2n\^2",
                        r"leading_dimension=n flush=\d+"):
            self.assertRegex(block.head, pattern)
        self.assertGreaterEqual(int(block.field("flush")), 16 * MIB)
        self.assertIn("flush=none", self.block("-m9", *QUICK).head)

    def test_the_record_says_how_operations_are_counted(self):
        options = self.run_it("-vt", "-m9", "-x0", *QUICK).run["options"]
        self.assertEqual(options["flops"], {"axpy": "2n", "gemm": "2n^3+2n^2"})
        self.assertEqual(options["references"], {"axpy": "3n", "gemm": "2n^3+2n^2"})

    def test_alpha_and_beta_determine_the_counted_operations(self):
        ended = self.run_it("-t", "--n", 20, "-o", "--alpha=-2.5", "--beta=0", "--blas", "builtin", *QUICK)
        self.assert_valid(ended)
        options = ended.run["options"]
        self.assertEqual((options["alpha"], options["beta"], options["flops"]), (-2.5, 0, {"gemm": "2n^3"}))
        self.assertIn("# alpha=-2.5 beta=0 flops=2n^3 references=2n^3+n^2 (", ended.out)
        (point,) = ended.points
        # 16 000 operations and 16 400 references of 8 bytes each.
        self.assertAlmostEqual(point["derived"]["bandwidth"] / point["value"], 16400 * 8 / 16000)
        self.assertEqual((self.run_it("-v", *QUICK).run["options"]["alpha"]), 1)

    def test_the_second_column_has_the_requested_unit(self):
        for routine in ("axpy", "gemv", "gemm"):
            for single in ((), ("-s",)):
                for row in self.block("--test", routine, *single, "-m9", "-o", *QUICK).rows:
                    self.assertEqual(row["value"], row["MFLOPS"])
                    ratio = RATIO[routine] / (2 if single else 1)
                    self.assertAlmostEqual(float(row["MB/s"]) / float(row["value"]) / ratio, 1, delta=1e-4)
        self.assertIn("unit=MFLOPS", self.block("-o", "-m9", *QUICK).comments[0])
        for row in self.block("-m9", *QUICK).rows:
            self.assertEqual(row["value"], row["MB/s"])

    def test_plain_and_csv_formats_have_their_layout(self):
        plain = self.run_it("-va", "-m9", "-x0", "--plain", *QUICK).out
        self.assertRegex(plain, r"\A(\d+ \d+\.\d{6}\n){2}\n\n(\d+ \d+\.\d{6}\n){2}\Z")
        csv = self.run_it("-va", "-m9", "-x0", "--format", "csv", *QUICK).out.splitlines()
        self.assertEqual(csv[0], "routine," + ",".join(COLUMNS))
        self.assertEqual([line.split(",")[:2] for line in csv[1:]],
                         [["daxpy", "256"], ["daxpy", "512"], ["dgemv", "256"], ["dgemv", "512"]])

    def test_the_record_agrees_with_what_is_printed(self):
        for single, letter in (((), "d"), (("-s",), "s")):
            ended = self.run_it("--test", "all", "-m10", "-x0", "--peak", 5000, *single, *QUICK)
            self.assert_valid(ended)
            self.assertIsNone(ended.run["mpi"])
            points = iter(ended.points)
            for routine, block in zip(ROUTINES, blocks(ended.out)):
                self.assertEqual(block.field("routine"), letter + routine)
                for row, point in zip(block.rows, points):
                    self.assertEqual(point["benchmark"], letter + routine)
                    self.assertEqual((point["quantity"], point["unit"]), ("rate", "flop/s"))
                    self.assertEqual((point["at"]["bytes"], point["at"]["n"]), (int(row["size"]), int(row["n"])))
                    derived = point["derived"]
                    self.assertEqual(derived["iterations"], int(row["iterations"]))
                    self.assertEqual(derived["bytes_used"], int(row["bytes"]))
                    self.assertLessEqual(derived["bytes_used"], point["at"]["bytes"])
                    for number, printed in ((point["value"] * 1e-6, "MFLOPS"), (derived["bandwidth"] / MIB, "MB/s"),
                                            (derived["efficiency"], "efficiency")):
                        self.assertAlmostEqual(number / float(row[printed]), 1, delta=1e-5)

    def test_solves_and_syr2k_have_positive_values(self):
        for routine, dimensions in (("trsv", [5, 7, 10, 15]), ("trsm", [4, 5, 8, 11]), ("syr2k", [3, 4, 6, 9])):
            block = self.block("--test", routine, "-m11", "-x0", *QUICK)
            self.assertEqual(block.values("n"), dimensions)
            self.assertTrue(all(math.isfinite(value) and value > 0 for value in block.values()))

    def test_values_are_never_zero_or_infinite(self):
        ended = self.run_it("-vat", "-c", "-i1", "-N", "-m", 12, "-x0")
        self.assertNotRegex(ended.out, r"(?i)\b(inf|nan)\b| 0\.000000")
        for block in blocks(ended.out):
            self.assertTrue(all(value > 0 for value in block.values()))
        below = re.search(r"\n# below timer resolution\n256 \d+\.\d+ 16 256 1 ", ended.out)
        self.assertEqual(below is not None, "near_timer_floor" in ended.points[0]["flags"])
        self.assertGreaterEqual(min(point["attempts"] for point in ended.points), 10)
        coarse = self.run_it("-c", "-i1", "-N", "--size", 256, "--timer", "gettimeofday")
        self.assertGreater(Block(coarse.out).values()[0], 0)

    def test_outputs_are_written_to_files(self):
        self.run_it("-m9", "--output", "Linux-x.dat", "--info", *QUICK)
        self.assertEqual(Block((self.folder / "Linux-x.dat").read_text()).sizes(), [256, 384, 512])
        self.assertRegex((self.folder / "Linux-x.info").read_text(), r"(?m)^blas \w+: .*\n(.*\n)*threads: 1$")
        self.run_it("-m9", "--output", "y.dat", "--timestamp", *QUICK)
        stamped, = (path.name for path in self.folder.glob("y-*.dat"))
        self.assertRegex(stamped, r"^y-\d{8}T\d{6}Z\.dat$")

    @harness.not_quick
    def test_unusual_output_files_are_handled_safely(self):
        self.assert_results_are_safe("-t", "--n", "5,6", *QUICK, option="--output")

    @harness.not_quick
    def test_an_interrupted_run_leaves_its_rows(self):
        process = self.launch(BLASBENCH, "-N", "-x", 1000, "-m", 20, "--output", "x.dat", ranks=0, cwd=self.folder)
        part = self.folder / "x.dat.part"
        self.wait_for(lambda: part.exists() and part.stat().st_size > 0, "no output")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"record.jsonl", "x.dat.part"})
        self.assertEqual(part.read_text().splitlines()[-1], "# INTERRUPTED by SIGINT")
        self.assert_valid_file(self.json)

    def test_a_spent_time_budget_skips_the_remaining_points(self):
        ended = self.run_it("-N", "--blas", "builtin", "--n", "300,301,302", "-i", 20, "--time-budget", "0.1", code=4)
        self.assert_valid(ended)
        self.assertEqual(ended.points[-1]["status"], "skipped")
        self.assertIn(": time_budget\n", ended.out)
        # The budget runs out during the search for the number of calls per block.
        ended = self.run_it("-N", "--blas", "builtin", "--n", 500, "--time-budget", "30ms", code=4)
        self.assert_valid(ended)
        self.assertEqual((ended.points[0]["status"], ended.points[0]["message"]), ("skipped", "time_budget"))
        self.assertEqual(Block(ended.out).rows[0]["value"], "-")


class Results(BlasbenchTest):
    @slow
    def test_results_are_correct(self):
        everything = ",".join(map(str, range(1, 65)))
        for library in ["builtin", *(name for name in INSTALLED if name != "builtin")]:
            for single in ((), ("-s",)):
                ended = self.run_it("--test", "all", "--n", everything, "--blas", library, "-N", "-i", 1, *single)
                self.assertEqual({p["status"] for p in ended.points}, {"converged"})

    @harness.not_quick
    def test_products_of_all_shapes_are_correct(self):
        shapes = "1x1x1,1x7x300,200x3x17,5x64x1,33x31x64"
        for library in ["builtin", *(name for name in INSTALLED if name != "builtin")]:
            for single in ((), ("-s",)):
                ended = self.run_it("--gemm", shapes, "--transpose", "NN,NT,TN,TT", "--blas", library, "-N", "-i", 1,
                                    *single)
                self.assertEqual([p["status"] for p in ended.points], ["converged"] * 20)

    def test_a_wrong_product_is_found(self):
        ended = self.run_it("--gemm", "2x4x3", "--transpose", "TN", "--blas", "builtin", *QUICK, code=3,
                            environment={"MEASURE_TEST_CORRUPT": "gemm"})
        error, = ended.errors()
        self.assertRegex(error, r"^blasbench: error: dgemm bytes=208 m=2 n=4 k=3 trans=TN .*: element \(1, 0\) is ")

    @harness.not_quick
    def test_wrong_results_are_found(self):
        for routine in ROUTINES:
            for single, letter in (((), "d"), (("-s",), "s")):
                ended = self.run_it("--test", f"{routine},{'gemv' if routine == 'gemm' else 'gemm'}", "--size", 256,
                                    *single, *QUICK, code=3, environment={"MEASURE_TEST_CORRUPT": routine})
                error, = ended.errors()
                self.assertRegex(error, rf"^blasbench: error: {letter}{routine} bytes=256 .*n=\d+.*: element \(")
                first, second = blocks(ended.out)
                self.assertEqual(first.rows[0]["value"], "-")
                self.assertGreater(second.values()[0], 0)
                self.assertEqual([p["status"] for p in ended.points], ["crashed", "converged"])
        self.assert_valid(ended)

    @figures
    def test_the_first_size_is_warmed_up(self):
        for library in INSTALLED:
            first, second = self.block("--blas", library, "-o", "--n", "20,24", "-N", "-c", "-i", 1).values()
            self.assertGreater(first, second / 10, library)

    @figures
    def test_two_runs_agree(self):
        first, second = (self.best("--n", 100, "-e", 20) for _ in range(2))
        self.assertLess(abs(first / second - 1), 0.1)

    def test_a_standard_error_is_reached(self):
        ended = self.run_it("--n", "32", "-N", "-i", 100, "--stderr", 0.2)
        point, = ended.points
        self.assertGreaterEqual(point["valid"], 5)
        # Values may not reach the error on a busy machine; the point says whether they did.
        self.assertEqual(point["status"], "converged" if point["derived"]["rse"] <= 0.2 else "exhausted")


class Driver(BlasbenchTest):
    def drive(self, *arguments, code=0, **variables):
        environment = os.environ | {"BLASBENCH": BLASBENCH, "LLCBENCH_SH": LIBRARY, "BBOPTS": "-m 9 -N -o -i 10"}
        ended = subprocess.run([DRIVER, *arguments], env=environment | variables, cwd=self.folder, text=True,
                               capture_output=True, timeout=LIMIT, check=False)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended

    def names(self, pattern):
        return sorted(path.name for path in (self.folder / "results").glob(pattern) if not path.is_symlink())

    def test_a_graph_can_show_several_machines(self):
        results = self.folder / "results"
        results.mkdir()
        for name in ("kiwi_blas-ref", "kiwi_blas-blis", "heron_blas-ref"):
            (results / f"Linux-{name}_daxpy.dat").write_text(
                f"# blasbench routine=daxpy blas={name.split('-')[1]} unit=MFLOPS\n# columns: bytes value\n8 1\n16 2\n")
        self.drive("machines", "Linux-kiwi,Linux-heron")
        titles = re.findall(r'using 1:2 title "(.*)"', (results / "machines_blas_daxpy.gp").read_text())
        self.assertEqual(titles, ["Linux-kiwi, blis", "Linux-kiwi, ref", "Linux-heron, ref"])
        self.assertIn("no results with the prefix 'nosuch'", self.drive("machines", "Linux-kiwi,nosuch", code=2).stderr)

    def assert_result(self, libraries, letter, ended):
        host = os.uname().nodename.split(".")[0]
        place = f"{os.uname().sysname}-{host}"
        data = [f"{place}_blas-{library}_{letter}{routine}.dat" for library in libraries
                for routine in ("axpy", "gemv", "gemm")]
        self.assertEqual(self.names("*.dat"), sorted(data))
        scripts = ["blasgraph.gp", "compare.gp", "vblasgraph.gp"] if len(libraries) > 1 else ["blasgraph.gp"]
        self.assertEqual(self.names("*.gp"), scripts)
        links = [v + letter + routine + ".dat" for v in ("", "v")[:len(libraries)]
                 for routine in ("axpy", "gemv", "gemm")]
        self.assertEqual(sorted(p.name for p in (self.folder / "results").iterdir() if p.is_symlink()), sorted(links))
        self.assertTrue((self.folder / "results" / links[0]).exists())
        with tarfile.open(self.folder / "results" / f"{host}-bp-datafiles.tar") as packed:
            self.assertEqual(sorted(packed.getnames()), sorted(data + scripts + [f"{host}.info"]))
        self.assertEqual(ended.stdout.count(" .. done"), len(data))
        if shutil.which("gnuplot"):
            self.assertEqual(len(self.names("*.ps")), len(scripts))
            for name in self.names("*.ps") + self.names("*.svg"):
                self.assertGreater((self.folder / "results" / name).stat().st_size, 1000)
        self.assertEqual(self.names("*.part"), [])

    def test_the_driver_runs_one_library(self):
        self.assert_result(["builtin"], "s", self.drive("run", BLAS="builtin", PRECISION="s", PEAK="5000"))
        self.assertIn("first 5000", (self.folder / "results" / "blasgraph.gp").read_text())

    @slow
    def test_the_driver_runs_reference_and_vendor_libraries(self):
        vendors = [name for name in ("openblas", "blis", "mkl") if name in INSTALLED]
        libraries = [name for name in ("ref", *vendors[:1]) if name in INSTALLED] or ["builtin"]
        self.assert_result(libraries, "d", self.drive())
        for action in ("datafiles", "graphs"):
            self.drive(action)

    @slow
    def test_the_driver_works_without_gnuplot(self):
        self.drive("run", BLAS="builtin")
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in "env bash sed uname dirname basename cat mv rm head tail cut grep tr".split():
            (tools / tool).symlink_to(shutil.which(tool))
        self.assertIn("gnuplot is not installed", self.drive("graphs", PATH=str(tools)).stdout)

    @harness.not_quick
    def test_the_driver_returns_the_largest_exit_code(self):
        ended = self.drive("run", code=3, MEASURE_TEST_CORRUPT="gemv", BLAS="builtin")
        self.assertEqual(ended.stdout.count(" .. done"), 2)
        self.assertEqual(ended.stdout.count("failed with exit code 3"), 1)
        self.assertIn("unknown action", self.drive("foo", code=2).stderr)
        self.drive("graphs", code=2, RESULTS="none")
        self.drive("run", code=2, PRECISION="x")

    def test_two_libraries_with_one_name_are_refused(self):
        ended = self.drive("run", code=2, BLAS="/old/libblas.so.3 ref /new/libblas.so.3")
        self.assertIn("two libraries are called libblas.so.3", ended.stderr)
        self.assertFalse((self.folder / "results").exists())


if __name__ == "__main__":
    harness.main(sys.argv[6:])
