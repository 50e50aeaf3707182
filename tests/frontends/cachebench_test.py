#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cachebench from outside: command line, tables, records, files, its driver, and the plausibility of its values.

usage: cachebench_test.py CACHEBENCH VALIDATE_RECORDS LAUNCHER CACHEBENCH_RUN LLCBENCH_SH [UNITTEST OPTIONS]
"""
import math
import operator
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import unittest

import harness
from harness import LIMIT, figures, plain, slow
from llcbench_blocks import Block, BlockTest, blocks

CACHEBENCH, DRIVER, LIBRARY = (str(pathlib.Path(sys.argv[i]).resolve()) for i in (1, 4, 5))
harness.ProgramTest.tools(*sys.argv[2:4])

TESTS = "read write rmw handread handwrite handrmw memset memcpy".split()
OWN = "copy triad ntwrite".split()  # tests that the original does not have
BOTH_WAYS = ("rmw", "handrmw", "memcpy")
COLUMNS = "bytes MB/s ns best_MB/s median_MB/s mean_MB/s stddev passes B/cycle".split()
MIB = 2 ** 20
QUICK = ("-N", "-d", "2ms")


class CachebenchTest(BlockTest):
    program = CACHEBENCH


class CommandLine(CachebenchTest):
    def test_sizes_double_up_to_the_maximum_and_values_are_positive(self):
        read = self.measure("-r", "-x", 0, "-m", 12, "-d", "10ms")["read"]
        self.assertEqual(read.sizes(), [256, 512, 1024, 2048, 4096])
        for row in read.rows:
            for column, cell in row.items():
                # A single block has no spread.
                self.assertTrue((column, cell) in (("stddev", "-"), ("B/cycle", "-")) or math.isfinite(float(cell)))
            self.assertGreater(float(row["MB/s"]), 0)

    def test_output_to_a_pipe_has_one_test_and_each_size_once(self):
        found = self.measure("-m", 9, *QUICK)
        self.assertEqual(list(found), ["rmw"])
        self.assertEqual(found["rmw"].sizes(), [256, 384, 512])

    @unittest.skipUnless(shutil.which("script"), "the program `script` is needed to simulate a terminal")
    def test_output_to_a_terminal_has_five_tables_and_each_size_twice(self):
        shown = self.on_terminal("-m9", "-x0", *QUICK)
        self.assertEqual(re.findall(r"\t\t(.*) Cache Test", shown),
                         ["double Read", "double Write", "double RMW", "Memory Set Library", "Memory Copy Library"])
        self.assertEqual(shown.count("C Size\t\tNanosec\t\tMB/sec\t\t% Chnge\n-------\t\t"), 5)
        lines = re.findall(r"^(\d+) +([\d.]+) +([\d.]+) +([\d.]+)$", shown, re.MULTILINE)
        self.assertEqual([int(line[0]) for line in lines], [256, 256, 512, 512] * 5)
        self.assertEqual([line[3] for line in lines[::4]], ["1.00"] * 5)
        self.assertAlmostEqual(float(lines[1][3]), float(lines[1][1]) / float(lines[0][1]), delta=0.01)

    def test_each_size_is_repeated(self):
        ended = self.run_it("-r", "-x0", "-m9", "-e", 3, *QUICK)
        self.assertEqual(Block(ended.out).sizes(), [256, 256, 256, 512, 512, 512])
        self.assertEqual([p["at"]["repetition"] for p in ended.points], [0, 1, 2] * 2)

    def test_options_can_be_bundled(self):
        found = self.measure("-rwbsp", "-x1", "-m10", "-d0.001", "-e2", "-N")
        self.assertEqual(list(found), ["memset", "memcpy", "read", "write", "rmw"])
        self.assertEqual(found["rmw"].sizes(), [256, 256, 384, 384, 512, 512, 768, 768, 1024, 1024])

    def test_a_file_that_cannot_be_written_is_refused(self):
        self.assert_refused("-o", "/none/x", pattern="/none/x")

    @harness.not_quick
    def test_all_runs_every_test(self):
        ended = self.run_it("--test", "all", "--size", 512, "--type", "float", "--flavour", "vector", *QUICK)
        self.assert_valid(ended)
        self.assertEqual([p["benchmark"] for p in ended.points], TESTS + ["latency"] + OWN)
        self.assertEqual({p["status"] for p in ended.points}, {"converged"})

    def isas(self):
        """Returns the instruction sets of this CPU, from the message that refuses one that it lacks."""
        missing = "neon" if os.uname().machine == "x86_64" else "avx512"
        ended = self.run_it("-r", "--flavour", "vector", "--isa", missing, code=2, record=False)
        return re.search(f"not support {missing}; it supports (.*)$", ended.err[0])[1].split(", ")

    @harness.not_quick
    def test_every_usable_instruction_set_can_be_selected(self):
        usable = self.isas()
        self.assertEqual(usable[0], "scalar")
        for name in ("auto", *usable):
            ended = self.run_it("--test", "rmw,ntwrite", "--flavour", "vector", "--isa", name, "--size", "4k,1000",
                                *QUICK)
            self.assert_valid(ended)
            used = usable[-1] if name == "auto" else name
            for block in blocks(ended.out):
                self.assertIn(f" flavour=vector isa={used} ", block.head)
                if used in ("avx2", "avx512"):
                    self.assertIn("-m" + used, re.search("(?m)^# flags=.*", block.head)[0])
            self.assertEqual({(p["at"]["flavour"], p["at"]["isa"]) for p in ended.points}, {("vector", used)})
            self.assertEqual(ended.run["options"]["isa"], used)
        self.assertNotIn("isa", self.run_it("-r", "--size", 512, *QUICK).points[0]["at"])

    def test_sizes_beyond_the_memory_are_refused(self):
        ended = self.run_it("-p", "-m", 40, code=2, record=False)
        self.assertRegex(ended.err[0],
                         r"-m: vectors of 1 TiB need 2 TiB of memory, but only [\d.]+ [GMT]iB is available")


class Output(CachebenchTest):
    def test_the_head_describes_machine_and_settings(self):
        read = self.measure("-r", "--size", 512, "-d", "2ms")["read"]
        self.assertEqual(read.comments[0], "# cachebench test=read type=double w=8 flavour=user "
                                           "unit=MB/s (1 MB = 1048576 bytes) statistic=mean")
        self.assertEqual(read.columns, COLUMNS)
        for pattern in (r"host=\S+ os=\S+ arch=\S+ cpu=", "caches=", r"compiler=\S+ \d", "flags=-O2",
                        r"timer=monotonic_raw resolution=[\d.]+ ns", r"date=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
                        "fp_reassociation=no"):
            self.assertRegex(read.head, pattern)
        self.assertGreaterEqual(int(re.search(r"flush=(\d+)", read.head)[1]), 16 * MIB)
        self.assertIn("flush=none", self.measure("-r", "--size", 512, *QUICK)["read"].head)

    def test_plain_and_csv_formats_have_their_layout(self):
        plain = self.run_it("-rw", "-m9", "-x0", "--plain", *QUICK).out
        self.assertRegex(plain, r"\A(\d+ \d+\.\d{6}\n){2}\n\n(\d+ \d+\.\d{6}\n){2}\Z")
        csv = self.run_it("-rw", "-m9", "-x0", "--format", "csv", *QUICK).out.splitlines()
        self.assertEqual(csv[0], "test," + ",".join(COLUMNS))
        self.assertEqual([line.split(",")[:2] for line in csv[1:]],
                         [["read", "256"], ["read", "512"], ["write", "256"], ["write", "512"]])

    def test_csv_is_one_table(self):
        lines = self.run_it("--test", "read,latency", "-m9", "-x0", "--format", "csv", *QUICK).out.splitlines()
        names, *rows = (line.split(",") for line in lines)
        self.assertEqual(names, ["test", *COLUMNS, "best_ns", "median_ns", "mean_ns"])
        self.assertEqual({len(row) for row in rows}, {len(names)})
        self.assertEqual([row[0] for row in rows], ["read"] * 2 + ["latency"] * 2)
        latency = dict(zip(names, rows[-1]))
        self.assertEqual((latency["MB/s"], latency["ns"]), ("", latency["mean_ns"]))

    @harness.not_quick
    def test_rate_and_time_agree_with_each_other_and_with_the_record(self):
        for kind, width in (("double", 8), ("float", 4), ("char", 1)):
            ended = self.run_it("--test", ",".join(TESTS + OWN), "--size", "336,4k", "--type", kind, *QUICK)
            self.assert_valid(ended)
            points = iter(ended.points)
            for block in blocks(ended.out):
                w = 1 if block.name.startswith("mem") else width
                for row, point in zip(block.rows, points):
                    rate, ns = float(row["MB/s"]), float(row["ns"])
                    self.assertAlmostEqual(rate / (w / MIB / (ns * 1e-9)), 1, delta=1e-3)
                    self.assertAlmostEqual(point["value"] / MIB / rate, 1, places=6)
                    self.assertAlmostEqual(w / point["value"] / point["derived"]["time_per_access"], 1, places=9)
                    self.assertEqual(point["benchmark"], block.name)
                    self.assertEqual(point["at"]["bytes"], int(row["bytes"]))
                    self.assertEqual(point["derived"]["passes"], int(row["passes"]))
                    self.assertEqual((point["quantity"], point["unit"]), ("bandwidth", "B/s"))
                    per_cycle = point["derived"]["bytes_per_cycle"]
                    self.assertEqual(row["B/cycle"] == "-", per_cycle is None)
                    if per_cycle is not None:
                        self.assertAlmostEqual(float(row["B/cycle"]) / per_cycle, 1, delta=1e-3)
            tuned = [p for p in ended.points if p["benchmark"] == "handread" and p["at"]["bytes"] == 336][0]
            self.assertEqual(tuned["derived"]["bytes_touched"], 336 // width // 8 * 8 * width)
            # The rows have one common frequency.
            for point in ended.points:
                known = ended.run["core_frequency"]
                self.assertEqual(point["derived"]["bytes_per_cycle"], point["value"] / known if known else None)
        self.assertEqual({"level", "size", "line"}, set(ended.run["caches"][0]))
        self.assertIsNone(ended.run["mpi"])

    def test_outputs_are_written_to_files(self):
        self.run_it("-r", "-m9", "-o", "Linux-x.dat", "--info", *QUICK)
        self.assertEqual(Block((self.folder / "Linux-x.dat").read_text()).sizes(), [256, 384, 512])
        info = (self.folder / "Linux-x.info").read_text()
        self.assertRegex(info, r"(?m)^compiler: .*\n")
        self.assertIn("flavour: user", info)
        for _ in range(2):
            self.run_it("-r", "-m9", "-o", "y.dat", "--timestamp", *QUICK)
        stamped = sorted(path.name for path in self.folder.glob("y-*.dat"))
        self.assertEqual(len(stamped), 2)
        self.assertRegex(stamped[0], r"^y-\d{8}T\d{6}Z(-2)?\.dat$")

    @harness.not_quick
    def test_unusual_output_files_are_handled_safely(self):
        self.assert_results_are_safe("-r", "--size", "4k,8k", *QUICK, option="-o")

    @slow
    @harness.not_quick
    def test_an_interrupted_run_leaves_its_rows(self):
        for number, arguments in ((signal.SIGINT, ()), (signal.SIGTERM, ()), (signal.SIGTERM, ("--copies", 2)),
                                  (signal.SIGINT, ("--format", "csv")), (signal.SIGKILL, ())):
            with self.subTest(number.name, arguments=arguments):
                (self.folder / "x.dat").write_text("old\n")
                part = self.folder / "x.dat.part"
                process = self.launch(CACHEBENCH, "-r", "-N", "--size", "4k,1g", "-d", "20ms", "-e", 1000, "-o",
                                      "x.dat", *arguments, ranks=0, cwd=self.folder)
                self.wait_for(lambda: re.search(r"(?m)^\D*4096\b.*\n", self.text_of(part)), "no row")
                process.send_signal(number)
                _, err = process.communicate(timeout=LIMIT)
                last = self.text_of(part).splitlines()[-1]
                if number == signal.SIGKILL:
                    self.assertNotIn("#", last)
                else:
                    self.assertEqual(process.returncode, 128 + number)
                    self.assertIn("cachebench: warning: incomplete: the results so far are in ", err)
                    self.assertIn("x.dat.part'", err)
                    self.assertEqual(last == f"# INTERRUPTED by {number.name}", "csv" not in arguments)
                    self.assert_valid_file(self.json)
                self.assertEqual((self.folder / "x.dat").read_text(), "old\n")
                self.assertEqual({path.name for path in self.folder.iterdir()}, {"record.jsonl", "x.dat", part.name})
                # The name is free for the next run.
                self.run_it("-r", "--size", "4k", *QUICK, "-o", str(self.folder / "x.dat"))
                self.assertFalse(part.exists())
                self.assertNotIn("INTERRUPTED", (self.folder / "x.dat").read_text())

    @staticmethod
    def text_of(path):
        return path.read_text() if path.exists() else ""

    def test_copies_run_at_the_same_time_and_are_summed_up(self):
        ended = self.run_it("-rp", "--size", "4k,64k", "--copies", 2, *QUICK)
        self.assert_valid(ended)
        for block in blocks(ended.out):
            self.assertEqual([int(row["copy"]) for row in block.rows], [1, 2, 0] * 2)
            # The speed of one core next to others was not measured.
            self.assertEqual({row["B/cycle"] for row in block.rows}, {"-"})
            for one, two, both in zip(*[iter(block.values())] * 3):
                self.assertAlmostEqual(both / (one + two), 1, places=6)
        self.assertEqual([p["at"]["copy"] for p in ended.points], [1, 2] * 4)
        self.assertEqual([r["name"] for r in ended.records if r["record"] == "summary"], ["sum_of_copies"] * 4)

    def test_copies_end_with_the_run(self):
        process = self.launch(CACHEBENCH, "-r", "-N", "--size", "4k", "-d", 20, "--copies", 2, ranks=0)

        def children():
            """Returns the processes except the shell that removes files if the program is killed."""
            pids = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            return [pid for pid in pids if pathlib.Path("/proc", pid, "comm").read_text().strip() == "cachebench"]
        self.wait_for(lambda: len(children()) == 2, "no copies")
        copies = children()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.wait_for(lambda: not any(pathlib.Path("/proc", pid).exists() for pid in copies), "copies still run")

    def test_corrupted_data_are_found(self):
        for test in ("read", "handrmw", "memcpy", "latency"):
            ended = self.run_it("--test", f"{test},write", "--size", "4k", *QUICK, code=3,
                                environment={"MEASURE_TEST_CORRUPT": test})
            self.assert_valid(ended)
            error, = ended.errors()
            self.assertRegex(error, f"^cachebench: error: {test} bytes=4096 .*: .*element")
            first, second = blocks(ended.out)
            self.assertEqual(set(first.rows[0].values()), {"4096", "-", "0"})
            self.assertGreater(float(second.rows[0]["MB/s"]), 0)
            self.assertEqual([p["status"] for p in ended.points], ["crashed", "converged"])
        ended = self.run_it("-r", "--size", "4k", "--copies", 2, *QUICK, code=3,
                            environment={"MEASURE_TEST_CORRUPT": "read"})
        self.assertEqual(len(ended.errors()), 2)

    def test_a_block_too_short_for_the_timer_has_no_value(self):
        ended = self.run_it("-r", "--size", 256, "--constant-iterations", 1, "-N", code=4)
        self.assertIn("# note: 256: too short for the timer\n256 - - - - - - 0 -\n", ended.out)
        self.assert_valid(ended)
        self.assertIsNone(ended.points[0]["value"])

    def test_a_spent_time_budget_skips_the_remaining_points(self):
        ended = self.run_it("-r", "-N", "--size", "4k,8k,16k", "-d", "0.3", "--time-budget", "0.1", code=4)
        self.assert_valid(ended)
        self.assertEqual([p["status"] for p in ended.points[1:]], ["skipped", "skipped"])
        # On a busy machine the budget may run out before the first block ends.
        self.assertEqual(ended.out.count(": time_budget\n"), [p["status"] for p in ended.points].count("skipped"))

    def test_a_budget_spent_before_the_first_block_leaves_no_value(self):
        for copies in ((), ("--copies", 2)):
            ended = self.run_it("-r", "-N", "--size", "4M", "--time-budget", "1ms", *copies, code=4)
            self.assert_valid(ended)
            self.assertEqual({(p["status"], p["message"]) for p in ended.points}, {("skipped", "time_budget")})
            self.assertEqual({row["MB/s"] for row in Block(ended.out).rows}, {"-"})


class Figures(CachebenchTest):
    """Plausibility of the measured values, as far as it can be checked from outside."""

    def everything(self, *arguments):
        return self.measure("--test", ",".join(TESTS), "-N", "-d", "15ms", *arguments)

    @harness.not_quick
    def test_a_point_takes_the_requested_duration(self):
        for arguments, points, seconds in ((("-x0", "-m11", "-d", "0.1"), 4, 0.1), (("-x0", "-m9", "-d0.05"), 2, 0.05)):
            begun = time.monotonic()
            self.run_it("-r", "-N", *arguments)
            elapsed = time.monotonic() - begun
            self.assertGreaterEqual(elapsed, points * seconds)
            if os.environ.get("QUIET_MACHINE"):
                self.assertLess(elapsed, 2 * points * seconds + 1)

    def test_a_point_ends_at_the_requested_error_or_at_its_time_limit(self):
        point, = self.run_it("-r", "-N", "--size", "16k", "-d", 2, "--stderr", 0.1, "--raw").points
        self.assertGreaterEqual(point["valid"], 5)
        if point["status"] == "converged":
            self.assertLessEqual(point["derived"]["rse"], 0.1)
        else:
            self.assertGreaterEqual(sum(sample["time"] for sample in point["samples"]), 1)

    @figures
    def test_a_number_of_passes_gives_about_the_same_rate_as_a_duration(self):
        timed = self.measure("-w", "--size", "4k", "-N", "-d", "20ms")["write"].values()[0]
        fixed = self.measure("-w", "--size", "4k", "-N", "--constant-iterations", 20000)["write"]
        self.assertEqual(fixed.rows[0]["passes"], "20000")
        self.assertLess(abs(math.log2(fixed.values()[0] / timed)), 1.5)

    @plain
    def test_flavours_are_named(self):
        for name, flag in (("noopt", "flags=-O0"), ("user", "flags=-O2")):
            head = self.measure("-r", "--size", "16k", "--flavour", name, *QUICK)["read"].head
            self.assertIn(flag, head)
        head = self.measure("--test", "handread", "--size", "16k", *QUICK)["handread"].head
        self.assertIn("-fno-tree-loop-distribute-patterns" if "gcc" in head else "-fno-builtin", head)

    @figures
    def test_flavours_have_plausible_rates(self):
        found = {name: self.everything("--flavour", name, "--size", "16k")
                 for name in ("user", "O3native", "noopt", "free", "vector")}
        for flavour in found.values():
            for block in flavour.values():
                self.assertLess(max(block.values()), 2e6)
        user, noopt = found["user"], found["noopt"]
        self.assertGreaterEqual(user["handread"].values()[0], 1.5 * user["read"].values()[0])
        for test in ("read", "write", "rmw"):
            for name in ("user", "O3native", "free", "vector"):
                self.assertLess(noopt[test].values()[0], found[name][test].values()[0], (test, name))

    @figures
    def test_caches_are_faster_than_memory(self):
        for block in self.everything("--size", "16k,128M").values():
            near, far = block.values()
            self.assertGreater(near, far, block.name)

    def test_memcpy_counts_both_directions(self):
        ended = self.run_it("-sp", "--size", "16k", "--raw", *QUICK)
        for point, counted in zip(ended.points, (16384, 2 * 16384)):
            times = [sample["time"] for sample in point["samples"]]
            # All bytes divided by all time: blocks are weighted by their passes.
            passes = [sample.get("iterations", 1) for sample in point["samples"]]
            mean = sum(map(operator.mul, times, passes)) / sum(passes)
            self.assertAlmostEqual(point["value"] * mean / counted, 1, places=9)
            self.assertAlmostEqual(point["derived"]["best_bandwidth"] * min(times) / counted, 1, places=9)

    def test_latency_is_printed_as_a_time(self):
        ended = self.run_it("--latency", "--size", "16k,1M", *QUICK)
        self.assert_valid(ended)
        for point, shown in zip(ended.points, Block(ended.out).values("ns"), strict=True):
            self.assertEqual((point["quantity"], point["unit"]), ("time", "s"))
            self.assertAlmostEqual(point["value"] * 1e9 / shown, 1, delta=1e-3)

    @figures
    def test_latency_rises_with_the_size(self):
        found = self.measure("--latency", "--size", "16k,1M,128M", "-N", "-d", "30ms")
        near, middle, far = found["latency"].values("ns")
        self.assertLess(near, middle)
        self.assertLess(middle, far)
        self.assertGreater(far, 20)

    @figures
    def test_the_first_point_agrees_with_the_second(self):
        found = self.measure("--test", "handread", "--size", "4k", "-e3", "-N", "-d", "50ms")
        values = found["handread"].values("best_MB/s")
        self.assertLess(max(values) / min(values), 1.25)

    @figures
    def test_two_runs_agree(self):
        first, second = (self.measure("-r", "--size", "16k", "-N", "-d", "50ms")["read"].values("best_MB/s")[0]
                         for _ in range(2))
        self.assertLess(abs(first / second - 1), 0.1)


@unittest.skipUnless(shutil.which("objdump") and os.uname().machine == "x86_64", "no objdump for x86-64")
class Kernels(unittest.TestCase):
    def code(self, flavour, name):
        """Returns the instructions of the loop over doubles."""
        symbol = f"_ZN10cachebench{len(flavour)}{flavour}L{len(name)}{name}IdEEmRKNS_6PassesE"
        shown = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--disassemble={symbol}", CACHEBENCH],
                               capture_output=True, text=True, check=True).stdout
        lines = re.findall(r"^ +[0-9a-f]+:\t(.*)$", shown, re.MULTILINE)
        self.assertGreater(len(lines), 5, symbol)
        return lines

    def test_no_call_replaces_a_loop(self):
        self.assertNotIn("call", " ".join(self.code("user", "write")))

    @plain
    @harness.not_quick
    def test_a_loop_over_bytes_may_become_a_call(self):
        for flavour, becomes in (("user", False), ("free_hand", True)):
            shown = subprocess.run(["objdump", "-d", "--no-show-raw-insn", CACHEBENCH], capture_output=True, text=True,
                                   check=True).stdout
            loops = [text for text in shown.split("\n\n")
                     if re.match(rf"\w+ <_ZN10cachebench\d+{flavour}L\d+copy\w*Ih", text)]
            self.assertTrue(loops)
            self.assertEqual("memcpy" in "".join(loops), becomes, flavour)

    @plain
    @harness.not_quick
    def test_unoptimised_loops_keep_their_variables_in_memory(self):
        for flavour, kept in (("noopt", True), ("user", False), ("native", False), ("free_hand", False)):
            for name in ("read", "write", "modify"):
                # A counter below the frame pointer. The register alone may be a pointer, and saved registers may be in
                # that area.
                in_memory = re.search(r"add[lq]? +\$0x1,(?:%r\w+ mov +%r\w+,)?-0x[0-9a-f]+\(%rbp\)",
                                      " ".join(self.code(flavour, name))) is not None
                self.assertEqual(in_memory, kept, (flavour, name))

    @plain
    def test_tuned_loops_do_eight_operations_per_iteration(self):
        # The compiler may combine two operations into a vector, but not several iterations.
        for name, pattern in (("read", r"v?(?:(?:add|movu?)([sp])d|movhpd) +-?\w*\(%r[^i]"), ("modify", r"v?add([sp])d "),
                              ("write", r"(?:mov +%r\w+|v?mov(?:u|dq)(p|u)[sd]? +%xmm\d+),-?\w*\(")):
            found = [(line, match) for line in self.code("tuned", name) if (match := re.match(pattern, line))]
            operations = sum(2 if {"p", "u"} & set(match.groups()) else 1 for _, match in found)
            self.assertEqual(operations, 8, (name, [line for line, _ in found]))


class Driver(CachebenchTest):
    def drive(self, *arguments, code=0, **variables):
        environment = os.environ | {"CACHEBENCH": CACHEBENCH, "LLCBENCH_SH": LIBRARY, "CBOPTS": "-m 9 -N -d 2ms"}
        ended = subprocess.run([DRIVER, *arguments], env=environment | variables, cwd=self.folder, text=True,
                               capture_output=True, timeout=LIMIT, check=False)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended

    def test_the_driver_runs_all_tests(self):
        ended = self.drive("run", TYPE="float")
        progress = [line.split()[0] for line in ended.stdout.splitlines() if " .. done" in line]
        self.assertEqual(progress, "read write rmw handread handwrite handrmw memcpy memset".split())
        place = f"{os.uname().sysname}-{os.uname().nodename.split('.')[0]}"
        self.assertEqual(self.names("*.dat"), sorted(f"{place}_cache_{test}-float.dat" for test in TESTS))
        self.assertEqual(self.names("*.info"), [f"cacheperf-{os.uname().nodename.split('.')[0]}-float.info"])
        script, = self.names("*.gp")
        text = (self.folder / "results" / script).read_text()
        self.assertEqual(text.count('" using 1:2 title "'), 8)
        archive, = self.names("cacheperf-*-float.tar")
        with tarfile.open(self.folder / "results" / archive) as packed:
            self.assertEqual(sorted(packed.getnames()), sorted(self.names("*.dat") + self.names("*.info") + [script]))
        if shutil.which("gnuplot"):
            for extension in ("ps", "svg", "png"):
                for name in self.names(f"*.{extension}"):
                    self.assertGreater((self.folder / "results" / name).stat().st_size, 1000)
            self.assertEqual(len(self.names("*.ps") + self.names("*.svg")), 2)
        self.assertEqual(self.names("*.part"), [])

    def test_a_graph_can_show_several_machines(self):
        results = self.folder / "results"
        results.mkdir()
        for machine, unit in (("kiwi", "MB/s"), ("heron", "MB/s"), ("egret", "ns")):
            (results / f"Linux-{machine}_cache_read-double.dat").write_text(
                f"# cachebench test=read type=double unit={unit}\n1024 0.5\n2048 0.6\n")
        self.drive("machines", "Linux-kiwi,Linux-heron")
        text = (results / "machines_cache_read-double.gp").read_text()
        self.assertIn('"Linux-kiwi_cache_read-double.dat" using 1:2 title "Linux-kiwi"', text)
        self.assertIn('"Linux-heron_cache_read-double.dat" using 1:2 title "Linux-heron"', text)
        self.assertEqual(text.count('" using 1:2 title "'), 2)
        self.assertIn("are in MB/s", self.drive("machines", "Linux-kiwi,Linux-egret", code=2).stderr)
        for wrong, text in (("Linux-kiwi,nosuch", "no results with the prefix 'nosuch'"), ("", "no machines"),
                            ("Linux-kiwi,Linux-kiwi", "given twice")):
            self.assertIn(text, self.drive("machines", wrong, code=2).stderr)

    @harness.not_quick
    def test_the_driver_works_without_gnuplot(self):
        self.drive("run", CBOPTS="-m 9 -x 0 -N -d 1ms")
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in "env bash sed uname dirname cat mv rm head tail cut grep tr".split():
            (tools / tool).symlink_to(shutil.which(tool))
        ended = self.drive("graphs", PATH=str(tools))
        self.assertIn("gnuplot is not installed", ended.stdout)
        self.assertEqual(len(self.names("*.gp")), 1)

    @harness.not_quick
    def test_the_driver_returns_the_largest_exit_code(self):
        ended = self.drive("run", code=3, MEASURE_TEST_CORRUPT="write", CBOPTS="-m 9 -x 0 -N -d 1ms")
        self.assertEqual(ended.stdout.count(" .. done"), 7)
        self.assertEqual(ended.stdout.count("failed with exit code 3"), 1)
        self.assertIn("unknown action", self.drive("foo", code=2).stderr)
        self.drive("graphs", code=2, RESULTS="none")


if __name__ == "__main__":
    harness.main(sys.argv[6:])
