#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpbench from outside: command line, blocks, records, files, its driver, and the plausibility of its values.

usage: mpbench_test.py MPBENCH VALIDATE_RECORDS LAUNCHER YIELD_HELPER MPBENCH_RUN LLCBENCH_SH [UNITTEST OPTIONS]
"""
import csv
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import time

import harness
from harness import LIMIT, figures, plain, slow
from llcbench_blocks import Block, blocks
from mpbench_blocks import BASE, COLUMNS, MIB, BlockTest

MPBENCH, DRIVER, LIBRARY = (str(pathlib.Path(sys.argv[i]).resolve()) for i in (1, 5, 6))
LAUNCHER = str(pathlib.Path(sys.argv[3]).resolve())
harness.ProgramTest.tools(*sys.argv[2:5])

PAIRS = "bandwidth roundtrip latency bibw isend irecv irsend".split()
COLLECTIVE = "broadcast reduce allreduce alltoall barrier".split()


class MpbenchTest(BlockTest):
    program = MPBENCH
    ranks = 2


class CommandLine(MpbenchTest):
    @harness.not_quick
    @plain
    def test_sizes_double_with_a_fixed_number_of_iterations(self):
        roundtrip = self.measure("-r", "-m", 10, "-i", 100)["roundtrip"]
        self.assertEqual(roundtrip.sizes(), [4, 8, 16, 32, 64, 128, 256, 512, 1024])
        self.assertEqual(roundtrip.columns, COLUMNS)
        self.assertEqual({row["iterations"] for row in roundtrip.rows}, {"100"})
        self.assertEqual({row["repetitions"] for row in roundtrip.rows}, {"1"})

    @slow
    @plain
    def test_long_messages_have_fewer_iterations(self):
        bandwidth = self.measure("-b", "-M", "4,1M,16M")["bandwidth"]
        counts = [int(row["iterations"]) for row in bandwidth.rows]
        self.assertEqual(counts[0], 500)
        self.assertLessEqual(counts[1], 256)
        self.assertLessEqual(counts[2], 16)
        exact = self.measure("-b", "-M", "4,16M", "-i", 20, "--exact-iterations")["bandwidth"]
        self.assertEqual([row["iterations"] for row in exact.rows], ["20", "20"])

    @plain
    def test_repetitions_and_bundled_options_are_accepted(self):
        ended = self.run_it("-le3", "-m", 3, "-i", 20)
        self.assertEqual(Block(ended.out).sizes(), [4, 4, 4, 8, 8, 8])
        self.assertEqual([p["at"]["repetition"] for p in ended.points], [0, 1, 2] * 2)

    @harness.not_quick
    def test_tests_run_in_the_order_given(self):
        self.assertEqual(list(self.measure("-lb", "--test", "barrier,isend", "-m", 3, "-i", 5)),
                         ["latency", "bandwidth", "barrier", "isend"])

    def test_one_task_is_refused(self):
        for ranks in (0, 1):
            self.assert_refused("-b", ranks=ranks, pattern="at least 2 tasks")

    def test_a_file_that_cannot_be_written_is_refused(self):
        self.assert_refused("-b", "-o", "/none/x", pattern="/none/x")
        self.assert_refused("-b", "-o", ".", pattern=r"'\.'")

    def test_a_flush_size_beyond_the_memory_is_refused(self):
        ended = self.run_it("-b", "-f", "--flush-size", "64G", "-m", 4, code=2, record=False)
        self.assertIn("64 GiB", ended.err[0])


class Output(MpbenchTest):
    def test_the_head_describes_machine_and_settings(self):
        bandwidth = self.measure("-b", "-M", 64, "-i", 10)["bandwidth"]
        self.assertEqual(bandwidth.comments[0],
                         "# mpbench test=bandwidth api=mpi tasks=2 unit=MB/s (1 MB = 1048576 bytes)")
        for pattern in (r"host=\S+ os=\S+ arch=\S+ cpu=.* mpi=\w+", r"compiler=\S+ \d",
                        r"timer=mpi_wtime resolution=[\d.]+ ns", r"date=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
                        "flush=none"):
            self.assertRegex(bandwidth.head, pattern)
        self.assertNotIn("timed=", bandwidth.head)
        self.assertIn("# timed=the send call alone, ", self.measure("-l", "-M", 64, "-i", 10)["latency"].head)

    @harness.not_quick
    def test_every_test_gives_numbers_that_agree_with_the_record(self):
        for options in (("-i", 20), ("-i", 1), ("-i", 3, "-X", "--flush-size", "64k")):
            ended = self.run_it("--test", "all,isend,irecv,irsend", "-M", "4,4k", *options)
            self.assert_valid(ended)
            points = iter(ended.points)
            found = blocks(ended.out)
            self.assertEqual(sorted(block.name for block in found), sorted(PAIRS + COLLECTIVE))
            for block in found:
                self.assert_numbers(block)
                for row in block.rows:
                    point = next(points)
                    self.assertEqual(point["benchmark"], block.name)
                    # The text has six decimals.
                    self.assertAlmostEqual(point["value"] / BASE[block.unit], float(row["value"]),
                                           delta=1e-6 + 1e-9 * float(row["value"]))
                    self.assertEqual(point["iterations_per_sample"], int(row["iterations"]))
                    self.assertEqual(point["at"]["ranks"], 2)
                    if block.name == "barrier":
                        self.assertEqual((row["tasks"], "bytes" in point["at"]), ("2", False))
                    else:
                        self.assertEqual(point["at"]["bytes"], int(row["bytes"]))
                    if block.name in ("isend", "irecv", "irsend"):
                        self.assertAlmostEqual(point["derived"]["bandwidth"] / MIB, float(row["MB/s"]),
                                               delta=1e-6 + 1e-9 * float(row["MB/s"]))
                    if block.name == "isend" and "-X" not in options:
                        self.assertAlmostEqual(point["derived"]["call_time"] * 1e6, float(row["call_us"]), delta=1e-6)
                    if "slowest" in row:
                        self.assertGreater(point["over_ranks"]["min"], 0)
            self.assertEqual("each operation separately" in found[0].head, "-X" in options)
            self.assertEqual({row["repetitions"] for row in found[0].rows}, {"3" if "-X" in options else "1"})

    @harness.not_quick
    def test_the_leading_value_is_the_selected_statistic_of_the_loops(self):
        for statistic in ("best", "median", "mean"):
            ended = self.run_it("-rl", "-M", 64, "-i", 20, "--stderr", "0.5", "--statistic", statistic)
            self.assertEqual(ended.run["options"]["statistic"], statistic)
            for block, point in zip(blocks(ended.out), ended.points):
                self.assertEqual(block.field("statistic"), statistic)
                row = block.rows[0]
                self.assertEqual(row["value"], row[statistic])
                self.assertEqual(point["derived"]["statistic"], statistic)
                best, rest = float(row["best"]), [float(row["median"]), float(row["mean"])]
                self.assertTrue(best >= max(rest) if block.name == "roundtrip" else best <= min(rest), row)

    @harness.not_quick
    def test_values_have_the_requested_units(self):
        for unit, title in (("kb", "KB/s (1 KB = 1024 bytes)"), ("si", "MB/s (1 MB = 1000000 bytes)")):
            ended = self.run_it("-b", "-M", "1M", "-i", 5, "--units", unit)
            block = Block(ended.out)
            self.assertTrue(block.comments[0].endswith("unit=" + title))
            base = {"kb": 1024, "si": 10 ** 6}[unit]
            self.assertAlmostEqual(block.values()[0] * base / ended.points[0]["value"], 1, places=6)

    def test_plain_and_csv_formats_have_their_layout(self):
        plain = self.run_it("-rl", "-m3", "-i5", "--plain").out
        self.assertRegex(plain, r"\A(\d+ \d+\.\d{6}\n){2}\n\n(\d+ \d+\.\d{6}\n){2}\Z")
        lines = self.run_it("-rl", "-m3", "-i5", "--format", "csv").out.splitlines()
        self.assertEqual(lines[0], "test," + ",".join(COLUMNS))
        self.assertEqual([line.split(",")[:2] for line in lines[1:]],
                         [["roundtrip", "4"], ["roundtrip", "8"], ["latency", "4"], ["latency", "8"]])

    def test_csv_is_one_table(self):
        text = self.run_it("-bB", "--test", "isend", "-m2", "-i5", "--format", "csv").out
        self.assertEqual(text.splitlines()[0], "test," + ",".join(COLUMNS) + ",tasks,slowest,MB/s,call_us")
        names, *rows = csv.reader(text.splitlines())
        self.assertEqual({len(row) for row in rows}, {len(names)})
        bandwidth, barrier, isend = (dict(zip(names, row)) for row in rows)
        self.assertEqual((bandwidth["bytes"], bandwidth["tasks"], bandwidth["stddev"]), ("4", "", ""))
        self.assertEqual((barrier["bytes"], barrier["tasks"], barrier["call_us"]), ("", "2", ""))
        self.assertGreater(float(isend["MB/s"]), 0)

    @plain
    @harness.not_quick
    def test_files_can_have_an_info_file_and_a_timestamp(self):
        self.run_it("-r", "-m3", "-i5", "-o", "r.dat", "--info")
        self.assertEqual(Block((self.folder / "r.dat").read_text()).sizes(), [4, 8])
        info = (self.folder / "r.info").read_text()
        for key in ("host", "cpu", "memory", "kernel", "compiler", "mpi", "command", "tasks"):
            self.assertRegex(info, f"(?m)^{key}: .")
        for _ in range(2):
            self.run_it("-r", "-m3", "-i5", "-o", "r.dat", "--timestamp")
        self.assertEqual(len(list(self.folder.glob("r-????????T??????Z*.dat"))), 2)
        self.assertEqual(list(self.folder.glob("*.part")), [])

    @plain
    def test_unusual_output_files_are_handled_safely(self):
        self.assert_results_are_safe("-r", "-m3", "-i5", option="-o")

    def test_repetitions_continue_to_the_requested_error(self):
        ended = self.run_it("-r", "-M", "1k", "-i", 50, "--stderr", "0.2", "--raw")
        self.assert_valid(ended)
        row = Block(ended.out).rows[0]
        self.assertGreaterEqual(int(row["repetitions"]), 5)
        times = [sample["time"] for sample in ended.points[0]["samples"]]
        self.assertEqual(len(times), int(row["repetitions"]))
        self.assertAlmostEqual(ended.points[0]["value"] * sum(times) / len(times), 1, places=9)
        # The mean may not reach the error on a busy machine; the point says whether it did. The stopping rule assumes
        # independent loops, the reported error does not.
        if ended.points[0]["status"] != "converged":
            self.assertEqual(ended.points[0]["status"], "exhausted")
        else:
            self.assertLessEqual(statistics.stdev(times) / len(times)**0.5, 0.2 * statistics.mean(times) * (1 + 1e-9))
            if "autocorrelated" not in ended.points[0]["flags"]:
                self.assertLessEqual(float(row["stderr"]), 0.2 * float(row["value"]) + 1e-6)

    @slow
    def test_verify_finds_wrong_data_in_every_test(self):
        self.run_it("--test", "all,isend,irecv,irsend", "-M", "4,12,4k", "-i", 3, "--verify")
        for test in "bandwidth roundtrip broadcast reduce alltoall irecv".split():
            ended = self.run_it("--test", test + ",barrier", "-M", "4k", "-i", 3, "--verify", code=3,
                                environment={"MEASURE_TEST_CORRUPT": test})
            self.assert_valid(ended)
            self.assertRegex(ended.errors()[0],
                             rf"^mpbench: error: {test} ranks=2 bytes=4096 repetition=0: rank [01] received wrong data "
                             "at offset 2048")
            first, second = blocks(ended.out)
            self.assertEqual(first.rows[0]["value"], "-")
            self.assert_numbers(second)
            self.assertEqual([p["status"] for p in ended.points], ["crashed", "converged"])
        # The remaining repetitions of that size are skipped.
        ended = self.run_it("-r", "-M", "4k", "-e", 3, "--verify", code=3,
                            environment={"MEASURE_TEST_CORRUPT": "roundtrip"})
        self.assertEqual([(p["status"], p["message"]) for p in ended.points[1:]], [("skipped", "wrong data")] * 2)
        self.assertEqual(len(ended.errors()), 1)

    def test_a_spent_time_budget_skips_the_remaining_points(self):
        ended = self.run_it("-b", "-M", "16M,8M,4M", "--exact-iterations", "-i", 100, "--time-budget", "0.1", code=4)
        self.assert_valid(ended)
        self.assertEqual([p["status"] for p in ended.points[1:]], ["skipped", "skipped"])
        self.assertEqual([row["value"] for row in Block(ended.out).rows[1:]], ["-", "-"])

    @harness.not_quick
    def test_a_signal_leaves_the_rows_so_far(self):
        process = self.launch(MPBENCH, "-b", "-M", "64,1M", "-i", 20, "-e", 100000, "-o", "x.dat", cwd=self.folder)
        part = self.folder / "x.dat.part"
        self.wait_for(lambda: part.exists() and re.search(r"(?m)^64 ", part.read_text()), "no row")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT)
        ended = harness.Ended(process.returncode, "", "", self.json)
        self.assertEqual(ended.end["status"], "interrupted")
        self.assertEqual(list(self.folder.glob("x.*")), [part])
        self.assertRegex(part.read_text(), r"(?m)^64 ")


class Tasks(MpbenchTest):
    @slow
    def test_collective_operations_work_on_any_number_of_tasks(self):
        for ranks in (3, 4, 5):
            found = self.measure("--test", ",".join(COLLECTIVE), "-M", "16,4k", "-i", 3, "--max-seconds", "0.2",
                                 "--verify", ranks=ranks)
            for block in found.values():
                self.assert_numbers(block)
                self.assertEqual("slowest" in block.columns, block.name != "broadcast")
            self.assertEqual(found["barrier"].rows[0]["tasks"], str(ranks))

    @slow
    def test_alltoall_counts_sent_data(self):
        ended = self.run_it("-a", "-M", "2,4,5,64", "-i", 3, "--max-seconds", "0.2", ranks=3)
        self.assertEqual(Block(ended.out).sizes(), [3, 63])
        self.assertEqual([p["status"] for p in ended.points], ["skipped", "converged", "converged"])
        progress = self.run_it("-a", "-M", "2,64", "-i", 3, "--progress", "always", ranks=3).err
        self.assertTrue(any("bytes=63 repetition=0: 1 of 2 points done" in line for line in progress), progress)
        ended = self.run_it("-a", "-M", "2", ranks=3)
        self.assertEqual((ended.out, [p["status"] for p in ended.points]), ("", ["skipped"]))
        self.assertIn("mpbench: warning: alltoall: skipped, because all sizes have fewer bytes than the 3 tasks",
                      ended.err)

    def test_list_prints_the_planned_points(self):
        ended = self.run_it("-aB", "-M", "2,4,8", "--list", "--ranks", 4, ranks=0, record=False)
        self.assertEqual(ended.out.splitlines(), ["alltoall bytes=4 repetition=0", "alltoall bytes=8 repetition=0",
                                                  "barrier repetition=0"])

    @slow
    @plain
    def test_sixteen_tasks_can_share_cores(self):
        ended = self.run_it("-cyB", "-M", "4,1k", "-i", 500, "--max-seconds", "0.3", ranks=16)
        for block in blocks(ended.out):
            self.assert_numbers(block)
            if os.cpu_count() < 16:
                self.assertIn("# oversubscribed: yes", block.head)
        if os.cpu_count() < 16:
            self.assertEqual(len(ended.warnings()), 1)
            self.assertIn("oversubscribed", ended.points[0]["flags"])

    @slow
    @plain
    def test_an_idle_task_sleeps(self):
        timer = self.folder / "timed.py"
        timer.write_text(harness.TIMED)
        # Both contain the start of the program.
        used, took = [], []
        for iterations in (10, 20000):
            ended = subprocess.run([LAUNCHER, "-n", "3", sys.executable, str(timer), MPBENCH, "-r", "-M", "1M",
                                    "--exact-iterations", "-i", str(iterations)], cwd=self.folder, capture_output=True,
                                   text=True, timeout=LIMIT, check=True)
            self.assert_numbers(Block(ended.stdout))
            cpu, seconds = map(float, (self.folder / "cpu.1").read_text().split())
            used.append(cpu)
            took.append(seconds)
        self.assertLess(used[1] - used[0], 0.1 * (took[1] - took[0]))


class Figures(MpbenchTest):
    """Plausibility of the measured values. The formulas are tested in the unit tests."""

    @figures
    def test_sending_is_cheaper_than_an_exchange(self):
        found = self.measure("-lr", "-M", 4, "-i", 5000)
        latency, rate = found["latency"].values()[0], found["roundtrip"].values()[0]
        self.assertLessEqual(latency, 1.2e6 / rate)

    @figures
    def test_both_directions_together_are_faster_than_one(self):
        found = self.measure("-bd", "-M", "64k", "-i", 500)
        self.assertGreater(found["bibw"].values()[0], 0.5 * found["bandwidth"].values()[0])

    def test_a_value_is_the_work_over_the_mean_time(self):
        """Each direction counts. A round trip counts as one, and latency is the time of one send."""
        work = {"bandwidth": 65536, "bibw": 2 * 65536, "roundtrip": 1}
        ended = self.run_it("-bdrl", "-M", "64k", "-i", 50, "-e", 2, "--raw")
        self.assertEqual(len(ended.points), 8)
        for point in ended.points:
            time_of_one = sum(s["time"] for s in point["samples"]) / len(point["samples"])
            name = point["benchmark"]
            truth = work[name] / time_of_one if name in work else time_of_one
            self.assertAlmostEqual(point["value"] / truth, 1, places=9)


class Driver(MpbenchTest):
    def drive(self, *arguments, code=0, **variables):
        environment = os.environ | {"MPBENCH": MPBENCH, "LLCBENCH_SH": LIBRARY, "LAUNCHER": LAUNCHER, "MAX_LOG": "4",
                                    "ITERATIONS": "5", "MPOPTS": "--max-seconds 0.1", "TASKS": "2",
                                    "MPBENCH_PVM": "nowhere", "CDPATH": ".:.."}
        if self.yield_helper:
            environment["LAUNCHER_OPTIONS"] = f"-genv LD_PRELOAD {self.yield_helper}"
        ended = subprocess.run([DRIVER, *arguments], env=environment | variables, cwd=self.folder, text=True,
                               capture_output=True, timeout=LIMIT, check=False)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended

    @slow
    def test_the_driver_runs_all_tests(self):
        ended = self.drive("run")
        self.assertIn("skipping PVM: cannot find mpbench-pvm", ended.stderr)
        self.assertIn("launcher: " + LAUNCHER, ended.stdout)
        progress = re.findall(r"^(\w+), (\d+) tasks, 5 iterations .. done", ended.stdout, re.MULTILINE)
        self.assertEqual(progress, [("barrier", n) for n in ("2", "4", "8", "16")] +
                         [(test, n) for test in ("latency", "roundtrip", "bandwidth") for n in "23"] +
                         [(test, "2") for test in ("broadcast", "reduce", "allreduce")])
        prefix = f"{os.uname().sysname}-{os.uname().nodename.split('.')[0]}_mpi"
        expected = {f"{prefix}_{name}.dat" for name in
                    "barrier latency-2 latency-3 roundtrip-2 roundtrip-3 bandwidth-2 bandwidth-3 broadcast reduce "
                    "allreduce".split()}
        self.assertEqual(set(self.names("*.dat")), expected)
        barrier = Block((self.folder / "results" / f"{prefix}_barrier.dat").read_text())
        self.assertEqual([row["tasks"] for row in barrier.rows], ["2", "4", "8", "16"])
        self.assertIn("launcher: ", (self.folder / "results" / f"{prefix}.info").read_text())
        self.assertEqual(len(self.names("*.gp")), 7)
        latency = (self.folder / "results" / f"{prefix}_latency.gp").read_text()
        self.assertIn('title "latency, 2 tasks"', latency)
        self.assertIn('title "latency, 3 tasks"', latency)
        with tarfile.open(self.folder / "results" / f"{prefix}.tar") as packed:
            self.assertEqual(set(packed.getnames()), expected | set(self.names("*.gp")) |
                             {f"{prefix}.info", "make_graphs.sh", "llcbench.sh"})
            packed.extractall(self.folder / "elsewhere")
        self.assertEqual(self.names("*.part*"), [])
        self.draw_elsewhere(prefix)

    def draw_elsewhere(self, prefix):
        """Draws graphs from the archive, with one of the files missing."""
        place = self.folder / "elsewhere"
        for path in list(place.glob("*.gp")) + [place / f"{prefix}_reduce.dat"]:
            path.unlink()
        ended = subprocess.run(["bash", str(place / "make_graphs.sh"), prefix], cwd=self.folder, text=True,
                               capture_output=True, timeout=LIMIT, check=True)
        drawn = sorted(path.name for path in place.glob("*.gp"))
        self.assertEqual(drawn, sorted(f"{prefix}_{name}.gp" for name in
                                       "allreduce bandwidth barrier broadcast latency roundtrip".split()))
        if not shutil.which("gnuplot"):
            self.assertIn("gnuplot is not installed", ended.stdout)
            return
        for extension in ("ps", "svg"):
            for name in drawn:
                self.assertGreater((place / name).with_suffix("." + extension).stat().st_size, 1000)

    def test_the_driver_works_without_gnuplot(self):
        results = self.folder / "results"
        results.mkdir()
        for name in ("x_mpi_latency-2.dat", "x_mpi_latency-3.dat"):
            (results / name).write_text("# mpbench test=latency api=mpi tasks=2 unit=us\n4 0.5 1 1 0 0\n")
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in "env bash sed uname dirname cat mv rm head tail cut grep tr".split():
            (tools / tool).symlink_to(shutil.which(tool))
        for name in ("make_graphs.sh", "llcbench.sh"):
            source = pathlib.Path(DRIVER).parent / name if name == "make_graphs.sh" else pathlib.Path(LIBRARY)
            shutil.copy(source, results)
        ended = subprocess.run(["bash", str(results / "make_graphs.sh"), "x_mpi"], env={"PATH": str(tools)}, text=True,
                               capture_output=True, timeout=LIMIT, check=True)
        self.assertIn("gnuplot x_mpi_latency.gp", ended.stdout)
        self.assertEqual(self.names("*.gp"), ["x_mpi_latency.gp"])

    @harness.not_quick
    def test_graphs_of_some_results_work_with_any_shell(self):
        results = self.folder / "results"
        results.mkdir()
        for test in ("latency", "barrier", "reduce"):
            (results / f"x_mpi_{test}.dat").write_text(f"# mpbench test={test} api=mpi tasks=2 unit=us\n"
                                                       "4 0.5 1 1 0 0\n8 0.6 1 1 0 0\n")
        script = pathlib.Path(DRIVER).parent / "make_graphs.sh"

        def draw(*tests, shell="bash"):
            for path in results.glob("*.gp"):
                path.unlink()
            ended = subprocess.run([shell, str(script), "results/x_mpi", *tests], cwd=self.folder, text=True,
                                   capture_output=True, timeout=LIMIT, check=False)
            return ended.returncode, ended.stderr, self.names("*.gp")

        both = (0, "", ["x_mpi_barrier.gp", "x_mpi_latency.gp"])
        for shell in filter(shutil.which, ("bash", "dash", "sh")):
            self.assertEqual(draw("latency,barrier", shell=shell), both, shell)
        self.assertEqual(draw("latency", "barrier"), both)
        self.assertIn("set yrange [0:]", (results / "x_mpi_barrier.gp").read_text())
        self.assertNotIn("set yrange", (results / "x_mpi_latency.gp").read_text())
        code, words, _ = draw("latency,bandwith")
        self.assertEqual(code, 2)
        self.assertRegex(words, r"^make_graphs\.sh: error: unknown test 'bandwith' \(.*bandwidth")
        (results / "x_mpi_bandwidth.dat").write_text('# mpbench test=bandwidth api=mpi tasks=2 unit=`date>owned`"\n'
                                                     "4 0.5 1 1 0 0\n8 0.6 1 1 0 0\n")
        self.assertEqual(draw("bandwidth")[0], 0)
        self.assertNotIn("`", (results / "x_mpi_bandwidth.gp").read_text())
        self.assertFalse((results / "owned").exists())
        (results / "x_mpi_latency.gp.part").mkdir()
        code, words, _ = draw("latency")
        self.assertEqual(code, 1)
        self.assertIn("make_graphs.sh: error: cannot write results/x_mpi_latency.gp\n", words)
        code, words, _ = draw("bibw")
        self.assertRegex(words, "^make_graphs.sh: error: there are no results of bibw with the prefix x_mpi in results")

    def test_a_graph_can_show_several_machines(self):
        results = self.folder / "results"
        results.mkdir()

        def write(name, tasks, unit="us"):
            (results / f"{name}.dat").write_text(f"# mpbench test={name} api=mpi tasks={tasks} unit={unit}\n4 0.5\n8 0.6\n")

        for machine in ("kiwi_mpi", "heron_mpi"):
            for tasks in (2, 3):
                write(f"{machine}_latency-{tasks}", tasks)
            write(f"{machine}_barrier", 2)
        write("kiwi_mpi_reduce", 2)
        write("heron_mpi_reduce", 2, "MB/s")
        script = pathlib.Path(DRIVER).parent / "make_graphs.sh"

        def draw(*arguments):
            ended = subprocess.run(["bash", str(script), *arguments], cwd=self.folder, text=True, capture_output=True,
                                   timeout=LIMIT, check=False)
            return ended.returncode, ended.stderr

        def curves(test):
            text = (results / f"machines_{test}.gp").read_text()
            self.assertIn(f'set title "{test}, several machines"', text)
            return re.findall(r'"(\S+\.dat)" using 1:2 title "([^"]+)"', text)

        self.assertEqual(draw("results/kiwi_mpi,results/heron_mpi", "latency,barrier"), (0, ""))
        self.assertEqual(draw("results/kiwi_mpi,egret_mpi")[0], 2)
        self.assertEqual(curves("latency"), [(f"{machine}_mpi_latency-{tasks}.dat", f"{machine}_mpi, {tasks} tasks")
                                             for machine in ("kiwi", "heron") for tasks in (2, 3)])
        self.assertEqual(curves("barrier"), [(f"{machine}_mpi_barrier.dat", f"{machine}_mpi")
                                             for machine in ("kiwi", "heron")])
        if shutil.which("gnuplot"):
            self.assertGreater((results / "machines_latency.svg").stat().st_size, 1000)
        code, words = draw("results/kiwi_mpi,results/heron_mpi", "reduce")
        self.assertEqual(code, 2)
        self.assertRegex(words, r"^make_graphs\.sh: error: the values of .*kiwi_mpi_reduce\.dat are in us, but the "
                                r"values of .*heron_mpi_reduce\.dat are not\n$")
        code, words = draw("results/kiwi_mpi,other/heron_mpi")
        self.assertEqual((code, words), (2, "make_graphs.sh: error: other and results are different folders; copy the "
                                            "data into one\n"))

    def test_impossible_driver_calls_are_refused(self):
        self.assertIn("cannot find the launcher nowhere", self.drive("run", code=2, LAUNCHER="nowhere").stderr)
        self.assertIn("cannot find mpbench-pvm", self.drive("run-pvm", code=2).stderr)
        self.assertIn("unknown action", self.drive("foo", code=2).stderr)
        self.drive("graphs", code=2)


if __name__ == "__main__":
    harness.main(sys.argv[7:])
