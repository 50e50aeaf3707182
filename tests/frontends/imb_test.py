#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure-imb from outside: tables, counts, MPI calls.

usage: imb_test.py MEASURE_IMB VALIDATE_RECORDS LAUNCHER YIELD_HELPER TRACE_LIBRARY LINKS RARE_MPI [UNITTEST OPTIONS]

TRACE_LIBRARY is built from pmb_trace.cpp, RARE_MPI from rare_mpi.c. LINKS is a file whose lines begin with the names of
programs.
"""
import pathlib
import re
import statistics
import subprocess
import sys

import harness

NBC = ("Ibcast Iallgather Iallgatherv Igather Igatherv Iscatter Iscatterv Ialltoall Ialltoallv Ireduce "
       "Ireduce_scatter Iallreduce Ibarrier").split()
EXT = "Window Unidir_Get Unidir_Put Bidir_Get Bidir_Put Accumulate".split()

RMA = ("Unidir_put Bidir_put Unidir_get Bidir_get Put_local Put_all_local One_put_all All_put_all One_get_all "
       "All_get_all Exchange_put Exchange_get Accumulate Get_accumulate Fetch_and_op Compare_and_swap "
       "Truly_passive_put").split()
RMA_NAMED = ["Get_local", "Get_all_local"]
P2P = "PingPong PingPing Unirandom Birandom Corandom Stencil2D Stencil3D SendRecv_Replace".split()
MT = "PingPongMT PingPingMT SendRecvMT ExchangeMT UniBandMT BiBandMT BarrierMT BcastMT ReduceMT AllReduceMT".split()
MESSAGES = "      #bytes #repetitions      t[usec]   Mbytes/sec      Msg/sec"
# Each has two tables: operations completed one by one, and all together.
RMA_MODES = [name for name in RMA if re.match(r"(Unidir|Bidir|Put_local|.*[Aa]ccumulate|Fetch|Compare)", name)]
MPI1 = ("PingPong PingPing Sendrecv Exchange Allreduce Reduce Reduce_local Reduce_scatter Reduce_scatter_block Allgather "
        "Allgatherv Gather Gatherv Scatter Scatterv Alltoall Alltoallv Bcast Barrier").split()
NAMED = ("PingPongSpecificSource PingPongAnySource PingPingSpecificSource PingPingAnySource Uniband Biband").split()
# Benchmarks with a window on a single process, which Open MPI does not support.
SINGLE_WINDOW = [] if harness.OPEN_MPI else ["Put_all_local"]
# In Open MPI 4 windows of several groups at once would share one file.
SEPARATE_WINDOWS = {"OMPI_MCA_osc": "^rdma"} if harness.OPEN_MPI_4 else {}
SINGLE = "      #bytes #repetitions      t[usec]   Mbytes/sec"
PARALLEL = "      #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec"
COLLECTIVE = "      #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]"
RATE = "      #bytes #repetitions   Mbytes/sec      Msg/sec"
SHORT = ("-iter", 2, "-msglog", "0:3")
END = "\n\n\n# All processes entering MPI_Finalize\n\n# IMB-{}: finished{}\n"
# Rows and the sign of success as Ramble recognises them.
RAMBLE = [re.compile(r"^\s+(\d+)\s+(\d+)" + n * r"\s+(\d+\.\d+)" + "$", re.MULTILINE) for n in (2, 3, 4)]


def perfkit_tables(out):
    """Parses a text like PerfKitBenchmarker: for each table the title, groups, processes, ranks of the groups, modes,
    and the rows as numbers by heading, with the times in brackets at their end as tail."""
    tables = []
    for block in out.split("\n# Benchmarking ")[1:]:
        title, *lines = (line.strip() for line in block.splitlines())
        several = re.match(r".*?(?P<groups>\d+) groups of (?P<processes>\d+) processes", lines[0])
        found = several or re.match(r"# #processes = (?P<processes>\d+)", lines[0])
        ranks = {int(group): [int(rank) for rank in some.split()]
                 for group, some in re.findall(r"(?m)^# Group\s+(\d+):\s+(.*)", block)}
        head = next(i for i, line in enumerate(lines) if re.match(r".*#repetitions.*usec", line))
        modes = [mode[1] for line in lines[:head] if (mode := re.match(r"#\s+MODE: (\S+)", line))]
        rows = []
        for line in lines[head + 1:lines.index("", head)]:
            if line.startswith("["):
                rows[-1]["tail"] = [float(time) for time in line[1:-1].split(",")]
            else:
                rows.append(dict(zip(lines[head].split(), map(float, line.split()), strict=True)))
        tables.append((title, int(several["groups"]) if several else None, int(found["processes"]), ranks, modes, rows))
    return tables


class ImbTest(harness.ProgramTest):
    program = None
    trace = None
    links = None
    rare = None

    def run_it(self, part, *arguments, code=0, **words):
        self.json.unlink(missing_ok=True)
        process = self.launch(self.program, f"IMB-{part}", *arguments, **words)
        out, err = process.communicate(timeout=harness.LIMIT)
        ended = harness.Ended(process.returncode, out, err, self.json)
        if code is not None:
            self.assertEqual(ended.code, code, (arguments, out, err))
        if ended.records:
            self.assert_valid(ended)
        return ended

    def traced(self, part, *arguments, environment=None, **words):
        """Returns the calls of world rank 0 as (name, {word: value})."""
        path = self.folder / "trace"
        ended = self.run_it(part, *arguments, preload=[self.trace],
                            environment={"PMB_TRACE_FILE": str(path), **(environment or {})}, **words)
        calls = [line.split() for line in path.read_text().splitlines()]
        return ended, [(name, {key: int(value) for key, value in (word.split("=") for word in words)})
                       for name, *words in calls]

    @staticmethod
    def tables(out):
        """Returns (title, processes, rows) of each table, in order."""
        result = []
        for line in out.splitlines():
            if line.startswith("# Benchmarking "):
                result.append([line.removeprefix("# Benchmarking ").rstrip(), None, []])
            elif result and (found := re.match(r"# #processes = (\d+)|# \( \d+ groups of (\d+) processes", line)):
                result[-1][1] = int(found[1] or found[2])
            elif result and re.match(r"\s+\d+(\s+[\d.]+)+$", line):
                result[-1][2].append(line.split())
        return [tuple(table) for table in result]

    @staticmethod
    def rows_by_heading(out):
        """Yields title, processes and mode of the table of each row, and the numbers of the row by heading."""
        result, title, processes, mode, headings = [], None, None, None, None
        for line in out.splitlines():
            if line.startswith("# Benchmarking "):
                title, processes, mode, headings = line.removeprefix("# Benchmarking ").rstrip(), None, None, None
            elif found := re.match(r"# #processes = (\d+)", line):
                processes = int(found[1])
            elif found := re.match(r"#    MODE: (\S+)", line):
                mode = found[1].lower().replace("-", "_")
            elif "#repetitions" in line:
                headings = line.split()
            elif not line.strip():
                headings = None
            elif headings and not line.startswith("#"):
                numbers = dict(zip(headings, map(float, line.split()), strict=True))
                result.append((title, processes, mode, numbers))
        return result

    def assert_point_agrees(self, title, processes, mode, row, point):
        at, derived = point["at"], point.get("derived", {})
        self.assertEqual((point["benchmark"], at["ranks"], at.get("mode"), at.get("bytes")),
                         (title, processes, mode, row.get("#bytes")))
        self.assertEqual(point["iterations_per_sample"], row["#repetitions"])
        shown = {"t[usec]": (derived.get("t", point["value"]), 1e6), "t_ovrl[usec]": (point["value"], 1e6),
                 "t_min[usec]": (point["over_ranks"]["min"], 1e6), "t_avg[usec]": (point["over_ranks"]["mean"], 1e6),
                 "t_max[usec]": (point["over_ranks"]["max"], 1e6), "t_pure[usec]": (derived.get("t_pure"), 1e6),
                 "t_CPU[usec]": (derived.get("t_cpu"), 1e6), "overlap[%]": (derived.get("overlap"), 100),
                 "Mbytes/sec": (derived.get("bandwidth"), 1e-6), "Msg/sec": (derived.get("message_rate"), 1)}
        for heading, number in row.items():
            if heading in ("#bytes", "#repetitions"):
                continue
            value, factor = shown[heading]
            self.assertIsNotNone(value, (heading, point))
            # Two decimals; message rates are integers, which IMB-MT truncates.
            rounding = 1 if heading == "Msg/sec" else 0.005
            self.assertAlmostEqual(value * factor, number, delta=rounding + 1e-9 * abs(number), msg=(heading, point))
        for heading, name in (("Mbytes/sec", "bandwidth"), ("Msg/sec", "message_rate")):
            self.assertEqual(heading in row, name in derived, point)

    # Names.

    def test_the_default_benchmarks_run_in_the_original_order(self):
        ended = self.run_it("MPI1", "-iter", 1, "-msgsize", 4)
        self.assertEqual([title for title, *_ in self.tables(ended.out)], MPI1)
        self.assertEqual((ended.run["suite"], ended.run["program"]), ("imb", "IMB-MPI1"))

    def test_the_list_is_sorted_and_printed_once(self):
        expected = sorted(MPI1 + [f"{name} (non-default)" for name in NAMED], key=str.lower)
        for ranks in (1, 2):
            self.assertEqual(self.run_it("MPI1", "-list", ranks=ranks, record=False).out.splitlines(), expected)
        listed = {part: self.run_it(part, "-list", record=False).out.splitlines() for part in ("NBC", "EXT", "IO")}
        self.assertEqual(listed["NBC"],
                         sorted(NBC + [f"{name}_pure (non-default)" for name in NBC], key=str.lower))
        self.assertEqual(listed["EXT"], sorted(EXT, key=str.lower))
        self.assertEqual((len(listed["IO"]), listed["IO"]), (37, sorted(listed["IO"], key=str.lower)))
        self.assertEqual([name for name in listed["IO"] if "(" in name], [])

    @harness.not_quick
    def test_a_link_and_an_argument_name_a_part(self):
        names = [line.split()[0] for line in pathlib.Path(self.links).read_text().splitlines()]
        self.assertEqual(names, ["IMB-MPI1", "IMB-EXT", "IMB-IO", "IMB-NBC", "IMB-RMA", "IMB-P2P", "IMB-MT"])
        for name in (names[0], names[-1]):
            link = self.folder / ("lm_" + name)
            link.symlink_to(self.program)
            for command in ([link], [self.program, name]):
                out = subprocess.run([*command, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
                self.assertIn(name, out)

    def test_included_names_come_first_and_excluded_ones_are_omitted(self):
        ended = self.run_it("MPI1", "Bcast", "-include", "Uniband", "-exclude", "bcast,Barrier", "Gather,Barrier",
                            "-iter", 1, "-msgsize", 1)
        self.assertEqual([title for title, *_ in self.tables(ended.out)], ["Uniband", "Gather"])

    # Tables.

    @harness.slow
    def test_tables_equal_the_original_layout_exactly(self):
        rule = {4: 51, 5: 64, 6: 77}
        for name, head in (("PingPong", SINGLE), ("Sendrecv", PARALLEL), ("Gather", COLLECTIVE), ("Uniband", RATE),
                           ("Barrier", " #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]")):
            with self.subTest(name):
                line = "#" + rule[len(head.split())] * "-"
                head = head if name == "Barrier" else " " + head
                idle = "# ( 1 additional process waiting in MPI_Barrier)\n"
                ended = self.run_it("MPI1", name, *SHORT, ranks=3)
                self.assertIn(f"\n\n{line}\n# Benchmarking {name} \n# #processes = 2 \n{idle}{line}\n{head}\n", ended.out)
                self.assertTrue(ended.out.endswith(END.format("MPI1", " normally")), ended.out[-200:])
                if name == "Sendrecv":
                    self.assertIn(f"# Benchmarking {name} \n# #processes = 3 \n{line}\n{head}\n", ended.out)

    @harness.not_quick
    def test_one_sided_benchmarks_have_two_tables(self):
        ended = self.run_it("EXT", "-iter", "2,1,3", "-msglog", "6:7", "-iter_policy", "multiple_np", ranks=2)
        tables = self.tables(ended.out)
        self.assertEqual([title for title, *_ in tables], EXT[:1] + [name for name in EXT[1:] for _ in range(2)])
        self.assertEqual({tuple(row[0] for row in rows) for *_, rows in tables}, {("0", "64", "128")})
        self.assertIn("# #processes = 2 \n#" + 51 * "-" + "\n#\n#    MODE: AGGREGATE \n#\n " + SINGLE, ended.out)
        self.assertTrue(ended.out.endswith(END.format("EXT", " normally")))

    @harness.slow
    def test_passive_target_operations_have_their_tables(self):
        heads = {"One_put_all": SINGLE, "All_put_all": COLLECTIVE, "Exchange_get": COLLECTIVE, "Fetch_and_op": SINGLE,
                 "Truly_passive_put": "      #bytes #repetitions t_pure[usec] t_ovrl[usec]"}
        ended = self.run_it("RMA", "-iter", "3,1,2", "-msglog", "1:2", ranks=3)
        tables = self.tables(ended.out)
        self.assertEqual([(title, processes) for title, processes, _ in tables], [
            (name, processes) for name in RMA for processes in
            ([2, 2] if name in RMA_MODES else [2] if name.startswith("Truly") else [2, 3])])
        for title, _, rows in tables:
            self.assertEqual([row[0] for row in rows], ["4"] if title in ("Fetch_and_op", "Compare_and_swap") else
                             ["0", "4"] if "ccumulate" in title else ["0", "2", "4"])
        for name, head in heads.items():
            line = "#" + (13 * len(head.split()) - 1) * "-"
            idle = "# ( 1 additional process waiting in MPI_Barrier)\n"
            mode = "#\n#    MODE: NON-AGGREGATE \n#\n" if name in RMA_MODES else ""
            self.assertIn(f"\n\n{line}\n# Benchmarking {name} \n# #processes = 2 \n{idle}{line}\n{mode} {head}\n",
                          ended.out)
        self.assertEqual([int(row[1]) for title, _, rows in tables if title == "Unidir_put" for row in rows],
                         [2, 2, 2, 3, 3, 3])
        for point in ended.points:
            if point["benchmark"] == "Truly_passive_put":
                self.assertLess(0, point["derived"]["barrier"])
            if point["benchmark"] == "One_put_all":
                self.assertAlmostEqual(point["derived"]["bandwidth"] * point["value"], point["at"]["bytes"])
        self.assertTrue(ended.out.endswith(END.format("RMA", " normally")))
        # An atomic operation uses exactly two processes.
        ended = self.run_it("RMA", "-npmin", 3, "-iter", 1, "Fetch_and_op", "-multi", 0, ranks=3)
        self.assertEqual([processes for _, processes, _ in self.tables(ended.out)], [2, 2])
        ended = self.run_it("RMA", "Bidir_get", *SINGLE_WINDOW, *SHORT, ranks=1)
        self.assertIn("\n\n# !! Benchmark Bidir_get invalid for 1 processes !! \n\n", ended.out)
        self.assertEqual(self.run_it("RMA", "-list", record=False).out.splitlines(),
                         sorted(RMA + [f"{name} (non-default)" for name in RMA_NAMED], key=str.lower))

    @harness.slow
    def test_one_of_two_modes_can_be_selected(self):
        for mode, word in (("aggregate", "AGGREGATE"), ("non_aggregate", "NON-AGGREGATE")):
            for part, names in (("RMA", ["Unidir_put", "Exchange_put"]), ("EXT", ["Unidir_Put", "Window"]),
                                ("IO", ["S_Write_Indv", "Open_Close"])):
                ended = self.run_it(part, "-aggregate_mode", mode, "-iter", "2,1,2", "-msgsize", 8, "-npmin", 2, *names,
                                    cwd=self.folder)
                self.assertEqual([title for title, *_ in self.tables(ended.out)], names)
                self.assertEqual(re.findall(r"MODE: (\S+)", ended.out), [word])

    @harness.slow
    def test_the_lock_is_outside_the_timed_region(self):
        def last(name, *words, ranks=2):
            _, trace = self.traced("RMA", name, "-iter", "3,1,3", "-msgsize", 8, "-npmin", ranks, "-iter_policy", "off",
                                   "-warm_up", "off", *words, ranks=ranks)
            # If processes share cores, the library polls for the end of its barrier.
            trace = [(call.replace("Ibarrier", "Barrier"), words) for call, words in trace]
            names = [call for call, _ in trace]
            first = max(i for i, call in enumerate(names) if call.startswith("Win_lock"))
            return trace[first - 2:names.index("Barrier", first) + 1]

        def calls(trace):
            return [call.removeprefix("Win_") for call, _ in trace]

        def timed(lock, *inside):
            return ["Barrier", "Barrier", lock, "Wtime", *inside, "Wtime", "un" + lock, "Barrier"]
        self.assertEqual(calls(last("Unidir_put")), timed("lock", *["Put"] * 3, "flush"))
        self.assertEqual(calls(last("One_put_all", ranks=3)),
                         timed("lock_all", *["Put"] * 6, "flush_all"))
        self.assertEqual([words["to"] for call, words in last("One_put_all", ranks=3) if call == "Put"], [1, 2] * 3)
        self.assertEqual(calls(last("Get_local")), timed("lock", *["Get"] * 3, "flush_local"))
        self.assertEqual({words["from"] for call, words in last("Unidir_get") if call == "Get"}, {1})
        self.assertEqual(calls(last("Exchange_put")), timed("lock", *["Put", "Put", "flush"] * 3))
        exchange = last("Exchange_put", ranks=3)
        self.assertEqual([words["place"] for call, words in exchange if call == "Put"], [0, 8] * 3)
        self.assertEqual([words["to"] for call, words in exchange if call == "Win_flush"], [2, 1] * 3)

    def test_a_window_that_fails_on_one_process_skips_the_benchmark(self):
        ended = self.run_it("RMA", "Unidir_put", *SHORT, code=1, preload=[self.rare],
                            environment={"RARE_MPI": "Win_create"} | harness.LEAKS)
        self.assertEqual(len(ended.errors()), 1, ended.err)
        self.assertIn("MPI_Win_create", ended.errors()[0])

    @harness.slow
    def test_p2p_benchmarks_need_suitable_numbers_of_processes(self):
        refused = {1: P2P, 2: ["Stencil2D", "Stencil3D"], 3: ["PingPong", "PingPing", "Stencil2D", "Stencil3D"],
                   4: ["Stencil3D"]}
        for ranks, names in refused.items():
            ended = self.run_it("P2P", "-pause", 0, "-iter", 3, "-msglog", "1", ranks=ranks)
            for name in names:
                verb = "" if name == "Unirandom" else "is "
                noun = "process" if name == "SendRecv_Replace" else "processes"
                self.assertIn(f"\n\n# !! Benchmark {name} {verb}invalid for {ranks} {noun} !!\n\n", ended.out)
            left = [name for name in P2P if name not in names]
            self.assertEqual([(title, processes, [row[:2] for row in rows])
                              for title, processes, rows in self.tables(ended.out)],
                             [(name + (" (2 x 2)" if name == "Stencil2D" else ""), ranks,
                               [["0", "3"], ["1", "3"], ["2", "3"]]) for name in left])
            for name in left:
                size = " (2 x 2)" if name == "Stencil2D" else ""
                line = "#" + 64 * "-"
                self.assertIn(f"\n\n{line}\n# Benchmarking {name}{size}\n# #processes = {ranks}\n{line}\n {MESSAGES}\n",
                              ended.out)
            self.assertTrue(ended.out.endswith(END.format("P2P", " normally")))
            messages = {"Birandom": 2, "Stencil2D": 4}
            for point in ended.points:
                if point["status"] == "skipped":
                    continue
                derived, at, name = point["derived"], point["at"], point["benchmark"]
                count = messages.get(name, 1) * ranks
                self.assertAlmostEqual(derived["message_rate"] * point["value"], count)
                self.assertAlmostEqual(derived["bandwidth"], derived["message_rate"] * at["bytes"], places=3)
                parts = 2 if name == "PingPong" else messages.get(name, 1)
                self.assertAlmostEqual(derived["t"], point["over_ranks"]["mean"] / parts)
        ended = self.run_it("P2P", "-iter", "10,1", "-msgsz", "1m", "-msgsz", "1k", "-pause", 0, "PingPing")
        self.assertEqual([[row[:2] for row in rows] for *_, rows in self.tables(ended.out)],
                         [[["1048576", "1"], ["1024", "10"]]])
        ended = self.run_it("P2P", "-iter", 1, "-msglog", "1:2", "-pause", "1us", "-msgwr", "off", "-msgrd", "off", "pingpong")
        self.assertEqual([[row[0] for row in rows] for *_, rows in self.tables(ended.out)], [["2", "4"]])
        self.assertNotIn(" \n", ended.out)
        self.assertEqual(self.run_it("P2P", "-list", record=False).out.splitlines(), sorted(P2P, key=str.lower))

    @harness.not_quick
    def test_threads_communicate_concurrently(self):
        heads = {"PingPongMT": PARALLEL, "ExchangeMT": PARALLEL, "BcastMT": COLLECTIVE,
                 "BarrierMT": " #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]",
                 "BiBandMT": "      #bytes #repetitions  t_avg[usec]   Mbytes/sec      Msg/sec"}
        line = "#" + 77 * "-"
        ended = self.run_it("MT", "-thread_level", "Multiple", "-repeat", 4, "-warmup", 1, "-count", "1,4", ranks=2,
                            environment={"OMP_NUM_THREADS": "2"})
        self.assertTrue(ended.out.startswith("#" + 66 * "-" + "\n#    libmeasure "), ended.out[:200])
        self.assertIn("MT part    \n#" + 66 * "-" + "\n#\n\n" + line + "\n# Benchmarking PingPongMT\n", ended.out)
        tables = self.tables(ended.out)
        self.assertEqual([(title, processes) for title, processes, _ in tables], [(name, 2) for name in MT])
        for title, _, rows in tables:
            counts = [row[:2] for row in rows]
            self.assertEqual([counts[0][:1]] if title == "BarrierMT" else counts,
                             [["4"]] if title == "BarrierMT" else [["8", "4"], ["32", "4"]])
        for name, head in heads.items():
            window = "# window_size = 64\n" if "Band" in name else ""
            head = head if name == "BarrierMT" else " " + head
            self.assertIn(f"\n\n{line}\n# Benchmarking {name}\n# #processes = 2 (threads: 2)\n{window}{line}\n{head}\n",
                          ended.out)
        self.assertTrue(ended.out.endswith(END.format("MT", " normally")))
        factors = {"PingPongMT": 1, "PingPingMT": 1, "SendRecvMT": 2, "ExchangeMT": 4}
        for point in ended.points:
            self.assertEqual(point["at"]["threads"], 2)
            if (factor := factors.get(point["benchmark"])) is not None:
                self.assertAlmostEqual(point["derived"]["bandwidth"] * point["value"], factor * point["at"]["bytes"])
            if "Band" in point["benchmark"]:
                self.assertAlmostEqual(point["derived"]["message_rate"] * point["over_ranks"]["mean"], 2)
                self.assertEqual((point["at"]["window"], point["at"]["stride"]), (64, 1))
        # A process without a partner does not count.
        ended = self.run_it("MT", "-repeat", 2, "-warmup", 0, "-count", 1, "-noheader", "PingPongMT", "UniBandMT", ranks=3)
        self.assertTrue(ended.out.startswith("\n" + line), ended.out[:80])
        self.assertLess(0, ended.points[0]["over_ranks"]["min"])
        for ranks, words in ((1, []), (3, ["-stride", 2])):
            ended = self.run_it("MT", "-repeat", 2, "-count", 1, "UniBandMT", "BiBandMT", *words, ranks=ranks)
            self.assertIn(f"\n\n{line}\n# Benchmarking UniBandMT\n# #processes = {ranks} (threads: 1)\n# window_size = 64\n"
                          f"# NO SUCCESSFUL EXECUTIONS\n{line}\n\n\n", ended.out)
            self.assertEqual([point["status"] for point in ended.points], ["skipped"] * 2)
        self.assertEqual(self.run_it("MT", "-list", record=False).out.splitlines(), sorted(MT, key=str.lower))

    @harness.not_quick
    def test_each_thread_has_its_own_communicator(self):
        def traced(*words, ranks=2, threads=1):
            level = ["-thread_level", "multiple"] if threads > 1 else []
            return self.traced("MT", "-repeat", 3, "-warmup", 2, "-count", 2, *level, *words, ranks=ranks,
                               environment={"OMP_NUM_THREADS": str(threads)})[1]
        trace = traced("PingPongMT", threads=2)
        made = [words["new"] for name, words in trace if name == "Comm_dup_with_info"]
        sends = [words["comm"] for name, words in trace if name == "Send" and words["bytes"] == 8]
        self.assertEqual([len(made), len(set(made))], [2, 2])
        self.assertEqual(sorted(sends), sorted(made * 5))
        trace = traced("BcastMT")
        barriers = [words["comm"] for name, words in trace if name == "Barrier"]
        team = max(set(barriers), key=barriers.count)
        names = [name for name, words in trace if words.get("comm") == team and name in ("Barrier", "Bcast")]
        first = names.index("Bcast")
        # The warm-up, then the row.
        expected = [call for n in (2, 3) for call in ["Barrier"] + ["Bcast", *["Barrier"] * 5] * n]
        self.assertEqual(names[first - 1:][:len(expected)], expected)
        names = [name for name, words in traced("BcastMT", "-barrier", "off") if words.get("comm") == team]
        self.assertEqual(names.count("Bcast"), 5)
        self.assertNotIn("Barrier", names[names.index("Bcast"):][:5])
        sends = [words for name, words in traced("BcastMT", "-barrier", "special") if name == "Sendrecv"]
        self.assertEqual({(words["bytes"], words["to"], words["tag"]) for words in sends}, {(0, 1, 1010)})
        self.assertEqual(len(sends), 2 + 5 * 5)
        sends = [words for name, words in traced("PingPongMT", "-stride", 1, ranks=4)
                 if name == "Send" and words["bytes"] == 8]
        self.assertEqual({(words["to"], words["tag"]) for words in sends}, {(1, 0)})

    @harness.not_quick
    def test_the_partners_are_drawn_as_in_the_original(self):
        def drawn(n, processes):
            state = 0
            while n > 0:
                pair = []
                while len(pair) < 2:
                    state = (7560690468208412377 * state + 4343336064253945357) % 2**64
                    if (number := (state >> 24) % 2**32 % processes) not in pair:
                        pair.append(number)
                yield pair
                n -= 1
        _, trace = self.traced("P2P", "-pause", 0, "-iter", 5, "-msgsz", 8, "Unirandom", ranks=4)
        calls = [(name, words["to"] if name == "Send" else words["from"]) for name, words in trace
                 if name in ("Send", "Recv") and words["bytes"] == 8]
        # One repetition of 4 pairs is the warm-up; then the draws restart.
        expected = [pair for n in (4, 20) for pair in drawn(n, 4)]
        self.assertEqual(calls, [("Send", b) if a == 0 else ("Recv", a) for a, b in expected if 0 in (a, b)])
        _, trace = self.traced("P2P", "-pause", 0, "-iter", 1, "-msgsz", 8, "Stencil2D", "PingPong", "PingPing",
                               "SendRecv_Replace", ranks=4)
        calls = [(name, words.get("to", words.get("count"))) for name, words in trace
                 if name == "Waitall" or words.get("tag") == 0 and words["bytes"] == 8]
        self.assertEqual(calls[:5], [("Isend", 1), ("Isend", 1), ("Isend", 2), ("Isend", 2), ("Waitall", 8)])
        self.assertEqual(calls[5:], [("Send", 2), ("Send", 2), ("Sendrecv_replace", 1)])

    @harness.slow
    def test_non_blocking_collectives_show_their_overlap(self):
        for ranks in (1, 2, 3):
            ended = self.run_it("NBC", "-iter", 5, "-msgsize", 4096, "-npmin", ranks, "-check", "on", ranks=ranks)
            self.assertEqual([title for title, *_ in self.tables(ended.out)], NBC)
            for *_, rows in self.tables(ended.out):
                together, pure, computing, overlap = (float(word) for word in rows[0][-5 if len(rows[0]) > 5 else -4:][:4])
                hidden = 100 * max(0, min(1, (pure + computing - together) / max(pure, computing, 1e-9)))
                self.assertAlmostEqual(overlap, hidden, delta=2 / max(pure, computing) + 0.01)
            self.assertIn("# Results checking: all benchmarks successful", ended.out)
        ended = self.run_it("NBC", "Ibcast", "Ibarrier", "Ibcast_pure", "Ibarrier_pure", "-iter", 5, "-msgsize", 4)
        for head in ("       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n",
                     " #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n", " " + COLLECTIVE + "\n",
                     " #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"):
            self.assertIn("-\n" + head, ended.out)

    @harness.not_quick
    def test_files_are_measured_on_one_process_first_and_removed(self):
        ended = self.run_it("IO", "-iter", "3,1,2", "-msglog", 2, "S_Write_Indv", "P_Read_Shared", "C_IRead_Expl",
                            "Open_Close", "-cpu_secs", "0.001", cwd=self.folder)
        self.assertEqual([(title, processes) for title, processes, _ in self.tables(ended.out)],
                         [("S_Write_Indv", 1)] * 2 + [(name, processes) for name in
                                                      ("P_Read_Shared", "C_IRead_Expl", "Open_Close")
                                                      for processes in (1, 2)])
        self.assertIn("\n       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n", ended.out)
        self.assertEqual(list(self.folder.glob("IMB_out*")), [])

    @harness.not_quick
    def test_each_sync_mode_of_writes_makes_its_calls(self):
        # One sync after all writes, and one after each of three writes; V leaves no more repetitions. Two barriers
        # precede each loop.
        for words, syncs, barriers in (([], 2 * (1 + 3), 2 + 1 + 2 + 3), (["-sync_writes", "triple"], 8, 8),
                                       (["-sync_writes", "single"], 1 + 3, 2 + 2)):
            with self.subTest(words):
                ended, trace = self.traced("IO", "-npmin", 2, "-iter", "3,1,4", "-msgsize", 8, "-iter_policy", "off",
                                           "-warm_up", "off", "P_Write_Expl", *words, cwd=self.folder)
                team = [found["new"] for name, found in trace if name == "Comm_split"][-1]
                self.assertEqual([found["comm"] for name, found in trace if name == "Barrier"].count(team), barriers)
                self.assertEqual([name for name, _ in trace].count("File_sync"), syncs)
                self.assertEqual(ended.run["options"]["sync_writes"], words[-1] if words else "triple")

    @harness.not_quick
    def test_a_computing_process_calls_mpi_on_request(self):
        for words in ([], ["-tests_per_compute", 4]):
            ended, trace = self.traced("NBC", "Ibcast", "-npmin", 2, "-iter", 3, "-iter_policy", "off", "-warm_up", "off",
                                       "-msgsize", "1MiB", *words)
            tests = []
            for name, found in trace:
                if name == "Ibcast" and found["bytes"] == 2**20:
                    tests.append(0)
                elif name == "Wait" and tests and tests[-1] >= 0:
                    tests.append(-1)
                elif name == "Test" and tests and tests[-1] >= 0:
                    tests[-1] += 1
            tests = [count for count in tests if count >= 0]
            self.assertEqual((len(tests), tests[:3]), (6, [0] * 3))
            derived = ended.points[0]["derived"]
            # A process that loses its core may make no call in time.
            self.assertEqual(sum(tests[3:]) > 0, bool(words))
            self.assertEqual("tests" in derived, bool(words))
            if words:
                self.assertGreaterEqual(derived["tests"], sum(tests) / 3 - 1e-9)
                self.assertLessEqual(max(tests), 4)
            self.assertEqual(ended.run["options"]["tests_per_compute"], words[-1] if words else 0)

    @harness.not_quick
    def test_the_head_shows_groups_and_grids(self):
        ended = self.run_it("MPI1", "-multi", 0, "-map", "2x2", "PingPong", *SHORT, ranks=4)
        self.assertIn("# Benchmarking Multi-PingPong \n# ( 2 groups of 2 processes each running simultaneous ) \n"
                      "# Group  0:     0    2\n# \n# Group  1:     1    3\n# \n#---", ended.out)
        ended = self.run_it("MPI1", "-map", "2x2", "-npmin", 4, "Bcast", *SHORT, ranks=4)
        self.assertIn("# #processes = 4; rank order (rowwise): \n#     0    2\n#     1    3\n# \n#---", ended.out)

    @harness.slow
    def test_groups_on_a_grid_have_their_own_rows(self):
        ended = self.run_it("MPI1", "-multi", 1, "-map", "2x2", "Biband", "Barrier", "Exchange", "-iter", 2, "-msgsize", 8,
                            ranks=4)
        self.assertEqual([(title, processes, [row[0] for row in rows])
                          for title, processes, rows in self.tables(ended.out)],
                         [(prefix + name, processes, groups) for name in ("Biband", "Barrier", "Exchange")
                          for prefix, processes, groups in (("Multi-", 2, ["0", "1"]), ("", 4, ["0"]))])
        self.assertEqual(len(re.findall(r"(?m)^ +Group +#(?:bytes|repetitions) ", ended.out)), 6)
        self.assertEqual([point["at"]["group"] for point in ended.points], [0, 1, 0] * 3)

    @harness.not_quick
    def test_a_repeated_name_is_measured_again(self):
        for part, name, words in (("MPI1", "PingPong", SHORT),
                                  ("MT", "PingPongMT", ("-repeat", 2, "-warmup", 1, "-count", "1,4"))):
            one, other = self.tables(self.run_it(part, name, name, *words, ranks=3).out)
            self.assertEqual(one[:2], (name, 2 if part == "MPI1" else 3))
            self.assertEqual(other[:2], one[:2])
            self.assertEqual([(len(row), row[:2]) for row in one[2]], [(len(row), row[:2]) for row in other[2]])
            self.assertLess(1, len(one[2]))

    @harness.not_quick
    def test_benchmarks_that_need_more_processes_are_reported_on_one(self):
        ended = self.run_it("MPI1", "PingPong", "Uniband", "Gather", *SHORT, ranks=1)
        for name in ("PingPong", "Uniband"):
            self.assertIn(f"\n\n# !! Benchmark {name} invalid for 1 processes !! \n\n", ended.out)
        self.assertEqual([title for title, *_ in self.tables(ended.out)], ["Gather"])
        ended = self.run_it("MPI1", "-multi", 1, "Uniband", *SHORT, ranks=1)
        self.assertIn("\n\n# !! Benchmark Uniband invalid for 1 processes !! \n\n", ended.out)
        self.assertEqual([point["status"] for point in ended.points], ["skipped"])
        # Open MPI does not support a window on one process.
        names = EXT[1:5] if harness.OPEN_MPI else EXT
        ended = self.run_it("EXT", *names, "-iter", "1,1,1", "-msgsize", 8, ranks=1)
        self.assertEqual(re.findall(r"(?<=\n\n)# !! Benchmark (\S+) invalid for 1 processes !! \n\n", ended.out),
                         EXT[1:5])
        self.assertEqual([title for title, *_ in self.tables(ended.out)],
                         [] if harness.OPEN_MPI else ["Window", "Accumulate", "Accumulate"])

    def test_harnesses_find_their_rows(self):
        ended = self.run_it("MPI1", "PingPong", "Sendrecv", "Bcast", *SHORT)
        self.assertEqual([len(row.findall(ended.out)) for row in RAMBLE], [5, 5, 5])
        # It recognises success by the last line but one.
        self.assertEqual([line for line in ended.out.splitlines() if line][-2], "# All processes entering MPI_Finalize")
        # Excalibur's reader expects the name, directly below it the processes, then lines with #, and rows up to an
        # empty line.
        lines = self.run_it("MPI1", "uniband", *SHORT).out.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("# Benchmarking"))
        self.assertEqual(lines[at].split()[-1].lower(), "uniband")
        self.assertTrue(lines[at + 1].startswith("# #processes = ") and lines[at + 1].split("=")[1].strip() == "2")
        rest = [line for line in lines[at + 2:] if not line.startswith("#")]
        self.assertEqual(rest[0].split(), RATE.split())
        for row in rest[1:rest.index("")]:
            self.assertEqual(str(int(row.split()[3])), row.split()[3])

    @harness.not_quick
    def test_perfkitbenchmarker_finds_rows_tails_and_single_times(self):
        def measured(part, name):
            dump = self.folder / ("dump" + part)
            ended = self.run_it(part, "-multi", 0, "-map", "2x2", "-msglog", "10:10", "-off_cache", -1, "-iter", 20,
                                "-iter_policy", "off", "-zero_size", "off", "-show_tail", "yes", "-dumpfile", dump, name,
                                ranks=4, environment=SEPARATE_WINDOWS)
            tables = perfkit_tables(ended.out)
            for *_, rows in tables:
                self.assertEqual([(row["#bytes"], row["#repetitions"]) for row in rows], [(1024, 20)])
            return tables, dump
        groups = {0: [0, 2], 1: [1, 3]}
        tables, dump = measured("MPI1", "PingPong")
        self.assertEqual([table[:-1] for table in tables], [("Multi-PingPong", 2, 2, groups, [])])
        row, = tables[0][-1]
        self.assertLessEqual({"t_min[usec]", "t_max[usec]", "t_avg[usec]", "Mbytes/sec"}, set(row))
        self.assertEqual((len(row["tail"]), row["tail"]), (12, sorted(row["tail"])))
        lines = [line.split() for line in dump.read_text().splitlines()]
        self.assertEqual([int(length) for length, _ in lines], [1024] * 20)
        self.assertAlmostEqual(max(float(time) for _, time in lines), row["tail"][-1], delta=0.006)
        tables, dump = measured("NBC", "Ibcast")
        self.assertEqual([table[:-1] for table in tables],
                         [("Multi-Ibcast", 2, 2, groups, []), ("Ibcast", None, 4, {}, [])])
        self.assertLess(0, tables[0][-1][0]["t_pure[usec]"])
        self.assertFalse(dump.exists())
        tables, _ = measured("RMA", "Unidir_put")
        self.assertEqual([table[:-1] for table in tables],
                         [("Multi-Unidir_put", 2, 2, groups, [mode]) for mode in ("NON-AGGREGATE", "AGGREGATE")])

    # Numbers.

    @harness.not_quick
    def test_rates_follow_from_the_times(self):
        ended = self.run_it("MPI1", "PingPong", "Sendrecv", "Exchange", "-iter", 20, "-msgsize", "64KiB")
        for (_, _, rows), messages in zip(self.tables(ended.out), (1, 2, 4), strict=True):
            time = float(rows[0][2] if messages == 1 else rows[0][3])
            rate = float(rows[0][-1])
            self.assertAlmostEqual(rate, messages * 65536 / time, delta=rate * 0.006 / time + 0.01)
        # Any number larger than the number of processes means all of them.
        ended = self.run_it("MPI1", "Uniband", "Biband", "-iter", 3, "-msgsize", 1000, "-window_size", 8, "-npmin",
                            2**31 - 1, ranks=3)
        for (_, processes, rows), point, factor in zip(self.tables(ended.out), ended.points, (1, 2), strict=True):
            self.assertEqual(processes, 2)
            self.assertAlmostEqual(float(rows[0][2]), int(rows[0][3]) * 1000 / 1e6, delta=0.006)
            self.assertAlmostEqual(point["derived"]["message_rate"], factor * 8 / point["value"], places=3)
            self.assertEqual(point["at"]["window"], 8)

    @harness.slow
    def test_each_row_is_a_point_with_its_numbers(self):
        short = ("-iter", "3,1,2", "-msglog", "2:4")
        for part, *words in (("MPI1", "-iter", 3, "-msglog", "2:4", *MPI1, *NAMED), ("EXT", *short),
                             ("NBC", *short[2:], "-iter", 3, *NBC, "Ibcast_pure", "Ibarrier_pure"), ("RMA", *short),
                             ("IO", *short, "S_Write_Indv", "P_Read_Shared", "C_IRead_Expl", "Open_Close", "-cpu_secs",
                              0.001),
                             ("P2P", "-pause", 0, "-iter", 3, "-msglog", "1:3"),
                             ("MT", "-thread_level", "multiple", "-repeat", 4, "-warmup", 1, "-count", "1,4")):
            with self.subTest(part):
                ended = self.run_it(part, *words, cwd=self.folder, environment={"OMP_NUM_THREADS": "2"})
                rows = self.rows_by_heading(ended.out)
                points = [point for point in ended.points if point["status"] != "skipped"]
                self.assertEqual(len(points), len(rows))
                self.assertGreater(len(rows), 5)
                for row, point in zip(rows, points):
                    self.assert_point_agrees(*row, point)
                    self.assertEqual(point["at"].get("threads"), 2 if part == "MT" else None)

    @harness.figures
    def test_computing_takes_as_long_as_the_pure_call(self):
        # This must hold however the compute loop was compiled: it is calibrated.
        ended = self.run_it("NBC", "-iter", 20, "-iter_policy", "off", "-msgsize", "262144,1048576", "Ibcast",
                            "Iallgather", "Iallreduce", "Ialltoall", "-npmin", 2)
        shares = [row["t_CPU[usec]"] / row["t_pure[usec]"] for *_, row in self.rows_by_heading(ended.out)
                  if row["#bytes"]]
        self.assertEqual(len(shares), 8)
        self.assertAlmostEqual(statistics.median(shares), 1, delta=0.2, msg=shares)

    @harness.slow
    def test_repetitions_follow_the_policy(self):
        def counts(*arguments, part="MPI1", ranks=2):
            return [[int(row[1]) for row in rows] for *_, rows in self.tables(self.run_it(part, *arguments,
                                                                                        ranks=ranks).out)]
        self.assertEqual(counts("-msglog", "10:12", "-iter_policy", "multiple_np", "PingPong"), [[998, 666, 500, 332]])
        self.assertEqual(counts("-iter", "2,1", "-msglog", "19:21", "Alltoall"), [[2, 2, 1, 1]])
        self.assertEqual(counts("-iter", "3,1", "-msglog", "21:21", "-iter_policy", "off", "Bcast"), [[3, 3]])
        bcast, allreduce = counts("-iter", 7, "-msgsize", 4, "-npmin", 3, "-iter_policy", "auto", "Bcast", "Allreduce",
                                  ranks=3)
        self.assertEqual((bcast, allreduce), ([6], [7]))
        both, alone = counts("-iter", 7, "-msgsize", 4, "-npmin", 3, "-iter_policy", "auto", "Ireduce", "Ireduce_pure",
                             part="NBC", ranks=3)
        self.assertEqual((both, alone), ([6], [7]))

    @harness.not_quick
    def test_added_lengths_have_repetitions_between_those_of_their_neighbours(self):
        ended = self.run_it("MPI1", "-refine", 0.2, "-iter", "200,40", "-msgsize", "4,4194304", "Allreduce")
        rows = sorted((int(row[0]), int(row[1])) for row in self.tables(ended.out)[0][2])
        self.assertLess(2, len(rows))
        # At most as many as a shorter length, and at least as many as a longer one.
        self.assertEqual([n for _, n in rows], sorted((n for _, n in rows), reverse=True))

    def test_records_name_the_operation(self):
        ended = self.run_it("MPI1", "-iter", 2, "-msgsize", 8, "PingPong", "Reduce_scatter", "Barrier", "Uniband")
        self.assertEqual([(point.get("semantics") or {}).get("kind") for point in ended.points],
                         ["ping_pong", "collective", "barrier", None])
        self.assertEqual(ended.points[1]["semantics"]["size"], "block")

    def test_a_table_without_lengths_says_so(self):
        ended = self.run_it("MPI1", "-iter", 1, "-msglog", "0:1", "-zero_size", "off", "-check", "on", "Reduce",
                            "Bcast")
        self.assertIn("# no length is left", ended.out)
        self.assertIn("# Results checking: 0 of 2 benchmarks failed, 1 not checked\n", ended.out)
        self.assertIn("#   Reduce : not checked\n#   Bcast : Successful\n", ended.out)

    @harness.not_quick
    def test_too_little_time_or_memory_ends_only_one_table(self):
        ended = self.run_it("MPI1", "-time", "0.0001", "-msglog", 10, "PingPong", "Barrier", code=4)
        self.assertIn("# time-out: lengths from ", ended.out)
        self.assertEqual([title for title, *_ in self.tables(ended.out)], ["PingPong", "Barrier"])
        ended = self.run_it("MPI1", "-mem", "0.0005", "-iter", 1, "-msgsize", "1KiB,1MiB", "Bcast", ranks=3, code=4)
        self.assertEqual([(processes, [row[0] for row in rows]) for _, processes, rows in self.tables(ended.out)],
                         [(2, ["1024"]), (3, ["1024"])])
        self.assertTrue(ended.out.endswith(END.format("MPI1", ", exit 4")))
        # With checking, the data of each process need separate memory.
        memory = ("-mem", "0.0002", "-iter", 1, "-msgsize", "64KiB", "All_put_all")
        self.assertEqual(len(self.run_it("RMA", *memory).points), 1)
        self.assertIn("# 65536 bytes: needs 0.000244 GByte", self.run_it("RMA", *memory, "-check", "on", code=4).out)

    @harness.slow
    def test_rows_with_fewer_repetitions_are_named(self):
        ended = self.run_it("MPI1", "-time", "0.3", "-iter", "1000,4000", "-msgsize", "4MiB", "Alltoall")
        flagged = ["shortened" in point["flags"] for point in ended.points]
        self.assertEqual(flagged, [point["iterations_per_sample"] < 1000 for point in ended.points])
        self.assertEqual(ended.out.count("# shortened: 4194304 bytes: fewer repetitions than -iter allows, because of "
                                         "-time\n"),
                         sum(flagged))
        ended = self.run_it("MPI1", "-iter_policy", "off", "-iter", 10, "-msgsize", 65536, "Bcast")
        self.assertEqual(len(ended.points), 1)
        self.assertNotIn("shortened", ended.points[0]["flags"])

    @harness.not_quick
    def test_wrong_clocks_are_reported_for_the_synchronised_method(self):
        for ranks, groups in ((2, ()), (4, ("-multi", 0, "-npmin", 2))):
            ended = self.run_it("MPI1", "-method", "both", "Bcast", "-iter", 20, "-msgsize", 8, "-sync_alg", "none",
                                "-timer", "synthetic:monotonic,skew=rank*1s", *groups, ranks=ranks, code=4)
            point = ended.points[0]
            beside = point["derived"]["synchronised"]
            self.assertEqual((point["status"], beside["status"]), ("converged", "no_valid_samples"))
            self.assertIn("unsynchronised", beside["flags"])
            self.assertIn("unsynchronised", point["flags"])
            self.assertRegex(ended.out, r"no valid call of \d+ flags=\S*unsynchronised")

    @harness.not_quick
    def test_strict_applies_to_all_groups(self):
        ended = self.run_it("MPI1", "-method", "sync", "Bcast", "-iter", 20, "-msgsize", 8, "-sync_alg", "none",
                            "-strict", "-multi", 1, "-npmin", 2, "-timer", "synthetic:monotonic,skew=rank*1s", ranks=4,
                            code=4)
        groups = [point for point in ended.points if point["at"]["bytes"] == 8 and point["at"]["ranks"] == 2]
        self.assertEqual(len(groups), 2)
        for point in groups:
            self.assertIn("unsynchronised", point["flags"], point)

    @harness.slow
    def test_both_methods_appear_in_one_table(self):
        for ranks in (1, 2, 3):
            ended = self.run_it("MPI1", "-method", "both", "Bcast", "Barrier", "-npmin", ranks, "-iter", 20, "-msglog",
                                "0:1", ranks=ranks, code=None)
            self.assertEqual(ended.code, 4 if "no valid call" in ended.out else 0, ended.err)
            lines = [line for line in ended.out.splitlines() if line.startswith("# synchronised: ")]
            self.assertEqual(len(lines), 4)
            # Other programs on the machine may invalidate some calls of a row, or too many for the count.
            first = re.fullmatch(r"# synchronised: 0 bytes: (?:t=\d+\.\d\d usec(?: error=\d+\.\d%)? valid=(\d+)/\d+ "
                                 r"stop=(count|exhausted)|no valid call of \d+)(?: flags=\S+)?", lines[0])
            self.assertIsNotNone(first, lines[0])
            if first[1] is not None:
                self.assertEqual(first[2] == "count", int(first[1]) >= 20, lines[0])
            for line, point in zip(lines, ended.points):
                time = re.search(r"t=(\S+)", line)
                beside = point["derived"]["synchronised"]
                self.assertEqual(time is not None, "value" in beside)
                if time is not None:
                    self.assertAlmostEqual(float(time[1]), beside["value"] * 1e6, delta=0.006)
            self.assertEqual(len(RAMBLE[1].findall(ended.out)), 3)
        process = self.launch(self.program, "IMB-MPI1", "-method", "sync", "Bcast", "-iter", 20, "-msgsize", 8)
        out, err = process.communicate(timeout=harness.LIMIT)
        self.assertIn(process.returncode, (0, 4), err)
        self.assertIn("stderr[%]", out)

    # Calls.

    @harness.not_quick
    def test_collectives_are_timed_one_by_one_with_barriers(self):
        def calls(*arguments, ranks=2):
            _, trace = self.traced("MPI1", "Bcast", "-npmin", ranks, "-iter", 20, "-msgsize", 12, *arguments,
                                   ranks=ranks)
            bcasts = [words for name, words in trace if name == "Bcast" and words["bytes"] == 12]
            bcasts = [words for words in bcasts if words["comm"] == bcasts[-1]["comm"]]
            here = [(name, words) for name, words in trace if words.get("comm") == bcasts[-1]["comm"]]
            sends = {(words["bytes"], words["to"], words["tag"]) for name, words in here if name == "Sendrecv"}
            return bcasts, [name for name, _ in here], sends

        def loop(n, *behind):
            return ["Barrier"] * 2 + ["Bcast", *behind] * n
        bcasts, names, _ = calls()
        self.assertEqual({words["root"] for words in bcasts}, {0})
        # Two single calls to find the time, then the warm-up and the row.
        expected = [name for n in (1, 20, 10, 20) for name in loop(n, "Barrier")]
        self.assertEqual([name for name in names if name in ("Bcast", "Barrier")], expected)
        bcasts, names, _ = calls("-sync", "off", "-warm_up", "off")
        self.assertEqual([name for name in names if name in ("Bcast", "Barrier")], loop(1) + loop(20) + loop(20))
        bcasts, names, sends = calls("-imb_barrier", "on")
        self.assertNotIn("Barrier", names)
        self.assertEqual(names.count("Sendrecv"), 2 * 4 + 51)
        # Empty messages to the only other process.
        self.assertEqual(sends, {(0, 1, 1000)})
        bcasts, _, _ = calls("-root_shift", "on", ranks=3)
        self.assertEqual([words["root"] for words in bcasts[-20:]], [i % 3 for i in range(20)])

    @harness.not_quick
    def test_a_window_is_acknowledged_with_one_byte(self):
        for name, sends, receives in (("Uniband", 4, 0), ("Biband", 4, 4)):
            with self.subTest(name):
                _, trace = self.traced("MPI1", name, "-iter", 1, "-msgsize", 64, "-window_size", 4)
                last = max(i for i, (call, _) in enumerate(trace) if call == "Waitall")
                window = [call for call, _ in trace[last - sends:last + 2]]
                self.assertEqual(window, ["Isend"] * 4 + ["Waitall", "Recv"])
                self.assertEqual(trace[last][1]["count"], sends + receives)
                self.assertEqual(trace[last + 1][1]["bytes"], 1)

    def test_reduce_scatter_gives_each_process_the_length(self):
        _, trace = self.traced("MPI1", "Reduce_scatter", "-iter", 1, "-msgsize", 8)
        self.assertEqual({words["mine"] for name, words in trace if name == "Reduce_scatter"}, {2})

    @harness.not_quick
    def test_messages_have_the_requested_type(self):
        def sizes(*arguments):
            ended, trace = self.traced("MPI1", "PingPong", "-iter", 1, "-msgsize", "0,12", *arguments)
            return {words["bytes"] for call, words in trace if call == "Send"}, ended.out
        # 12 bytes are rounded up to a multiple of 8.
        found, out = sizes("-data_type", "double")
        self.assertLessEqual({0, 16}, found)
        self.assertNotIn(12, found)
        self.assertIn("# MPI_Datatype                   :   MPI_DOUBLE\n", out)
        for packing in ("base_vec", "resize", "resize_vec"):
            with self.subTest(packing):
                # Elements with twice the distance have the same number of bytes.
                self.assertLessEqual({0, 12}, sizes("-contig_type", packing)[0])
                for kind in ("char", "double"):
                    self.run_it("MPI1", "-contig_type", packing, "-data_type", kind, "-red_data_type", kind, "-iter", 2,
                                "-msgsize", "0,24", *MPI1, *NAMED)
        ended = self.run_it("MPI1", "-red_data_type", "int", "-iter", 2, "-msgsize", "3", "Allreduce", "Bcast")
        self.assertEqual([row[0] for _, _, rows in self.tables(ended.out) for row in rows], ["4", "3"])

    @harness.not_quick
    def test_the_tail_of_a_row_belongs_to_its_repetitions(self):
        dump = self.folder / "dump"
        ended = self.run_it("MPI1", "-show_tail", "yes", "-dumpfile", dump, "-iter", 20, "-iter_policy", "off", "-msgsize",
                            "0,64", "PingPong", "Allreduce")
        lines = [line.split(" ") for line in dump.read_text().splitlines()]
        self.assertEqual([int(length) for length, _ in lines], 2 * (20 * [0] + 20 * [64]))
        self.assertEqual(ended.out.count("\n# Each repetition is timed individually (-show_tail, -dumpfile)\n"), 1)
        times = [float(time) for _, time in lines]
        tails = [[float(x) for x in line.strip("[] ").split(",")] for line in ended.out.splitlines()
                 if line.startswith("[")]
        self.assertEqual((len(times), [len(tail) for tail in tails]), (80, [12] * 4))
        for i, tail in enumerate(tails):
            row = sorted(times[20 * i:20 * (i + 1)])
            self.assertEqual(tail, sorted(tail))
            self.assertAlmostEqual(tail[0], row[0], delta=0.006)
            self.assertAlmostEqual(tail[3], (row[9] + row[10]) / 2, delta=0.006)
            self.assertAlmostEqual(tail[-1], row[-1], delta=0.006)

    @harness.not_quick
    def test_mpi_is_initialised_with_the_requested_thread_level(self):
        for level, words in ((None, []), (None, ["single"]), (1, ["funneled"]), (2, ["SERIALIZED"]), (3, ["multiple"])):
            ended, trace = self.traced("MPI1", "Barrier", "-iter", 1, *(["-thread_level", *words] if words else []))
            self.assertEqual([found["level"] for name, found in trace if name == "Init_thread"],
                             [] if level is None else [level])
            self.assertEqual(ended.run["options"]["thread_level"], words[0].lower() if words else "single")

    def test_remarks_follow_an_empty_line(self):
        ended = self.run_it("MPI1", "-mem", "0.0000001", "-msgsize", "8,64", "-iter", 2, "Bcast", code=4)
        self.assertIn("t_avg[usec]\n", ended.out)
        below = ended.out[ended.out.rindex("t_avg[usec]\n"):].splitlines()
        self.assertRegex(below[1], r"^ +8 ")
        self.assertEqual(below[2], "")
        self.assertRegex(below[3], "^# 64 bytes: needs 1.19e-07 GByte per process")

    def test_rows_with_few_requested_repetitions_are_not_called_shortened(self):
        ended = self.run_it("EXT", "Unidir_Put", "-iter", "2,1", "-msgsize", 8)
        self.assertNotIn("shortened", ended.out)

    @harness.not_quick
    def test_an_option_without_effect_is_accepted_with_a_warning(self):
        ended = self.run_it("EXT", "Window", "-imb_barrier", "on", "-iter", "1,1,1", "-msgsize", 8)
        self.assertIn("-imb_barrier: only has an effect in IMB-MPI1 and IMB-NBC", "\n".join(ended.err))
        ended = self.run_it("IO", "S_Write_Indv", "-off_cache", 8, "-iter", "1,1,1", "-msgsize", 8, cwd=self.folder)
        self.assertIn("-off_cache: has no effect on files", "\n".join(ended.err))
        self.assertEqual(ended.run["options"]["off_cache"], 0)
        dump = self.folder / "dump"
        for part, words in (("NBC", ["Ibcast", "-iter", 1, "-msgsize", 8, "-check", "on"]),
                            ("RMA", ["Unidir_put", "-iter", 1, "-msgsize", 8, "-multi", 1]),
                            ("P2P", ["PingPong", "-iter", 1, "-msgsz", 8, "-pause", 0]),
                            ("MT", ["BcastMT", "-repeat", 1, "-warmup", 1, "-count", 1])):
            ended = self.run_it(part, *words, "-show_tail", "yes", "-dumpfile", dump)
            self.assertIn("-show_tail, -dumpfile: only have an effect in IMB-MPI1", "\n".join(ended.err))
            self.assertEqual((ended.run["options"]["show_tail"], dump.exists()), (False, False))

    # Data.

    @harness.slow
    def test_received_data_are_correct(self):
        for ranks in (1, 2, 3, 4):
            ended = self.run_it("MPI1", "-check", "on", "-iter", 3, "-msgsize", "4,20", "-off_cache", 0.01,
                                "-root_shift", "on", *MPI1, *NAMED, ranks=ranks)
            self.assertIn("# Results checking: all benchmarks successful", ended.out)
            self.run_it("MPI1", "-thread_level", "multiple", "-msg_pause", "on", "-iter", 2, "-msgsize", 8, "Bcast",
                        "-npmin", ranks, ranks=ranks)
            ended = self.run_it("MT", "-check", "on", "-repeat", 3, "-warmup", 1, "-count", "1,5", "-window_size", 3,
                                ranks=ranks)
            self.assertIn("# Results checking: all benchmarks successful", ended.out)
            for cold in ([], ["-off_cache", "0.001,20"]) if ranks > 1 or SINGLE_WINDOW else ():
                ended = self.run_it("RMA", "-check", "on", "-iter", "3,1,2", "-msgsize", 20, *cold, *RMA, *RMA_NAMED,
                                    ranks=ranks)
                self.assertIn("# Results checking: all benchmarks successful", ended.out)
        for allocation in ("serial", "continuous", "parallel"):
            ended = self.run_it("MT", "-check", "on", "-repeat", 3, "-warmup", 1, "-count", 16, "-malloc_algo", allocation,
                                "-malloc_align", 4096, "-thread_level", "multiple", "-barrier", "special",
                                environment={"OMP_NUM_THREADS": "2"})
            self.assertIn("# Results checking: all benchmarks successful", ended.out)
        ended = self.run_it("MT", "-check", "on", "-repeat", 3, "-count", 16, "PingPingMT", "BarrierMT", "AllReduceMT", code=3,
                            environment={"MEASURE_TEST_CORRUPT": "0:64:2"})
        self.assertIn("AllReduceMT : FAILED", ended.out)
        ended = self.run_it("RMA", "-check", "on", "-iter", 3, "-msgsize", 64, "One_put_all", "All_get_all", code=3,
                            environment={"MEASURE_TEST_CORRUPT": "0:64:2"})
        self.assertIn("All_get_all : FAILED", ended.out)
        for cold in ([], ["-off_cache", "2,48"]):
            ended = self.run_it("EXT", "-check", "on", "-iter", "3,1", "-msgsize", "64", *cold, ranks=2)
            self.assertIn("# Results checking: all benchmarks successful", ended.out)
        ended = self.run_it("NBC", "-check", "on", "-iter", 3, "-msgsize", 64, "-off_cache", 0.01, "-sync", "off",
                            "Iallreduce", "Ialltoall", ranks=2)
        self.assertIn("# Results checking: all benchmarks successful", ended.out)
        ended = self.run_it("MPI1", "-check", "on", "-iter", 3, "-msgsize", 64, "Scatter", "Gatherv", code=3,
                            environment={"MEASURE_TEST_CORRUPT": "0:64:1"})
        self.assertIn("Gatherv : FAILED", ended.out)

    # Refusals.

    def test_errors_that_depend_on_the_processes_are_one_line(self):
        for part, words, text, surroundings in (
                ("MPI1", ["-map", "3x3"], "-map: a grid of 3x3 needs more than 4 processes", {"ranks": 4}),
                ("MT", ["-thread_level", "multiple"], "OMP_NUM_THREADS", {"environment": {"OMP_NUM_THREADS": "all"}}),
                ("MT", ["-thread_level", "multiple"], "-thread_level: MPI does not provide MPI_THREAD_MULTIPLE",
                 {"preload": [self.rare], "environment": {"RARE_MPI": "threads"}})):
            with self.subTest(text):
                ended = self.run_it(part, *words, code=2, record=False, **surroundings)
                self.assertEqual((ended.out, len(ended.err)), ("", 1), ended.err)
                self.assertIn(text, ended.err[0])

    def test_a_link_with_an_unknown_name_is_refused(self):
        missing = self.folder / "lm_IMB-EXTRA"
        missing.symlink_to(self.program)
        ended = subprocess.run([missing, "IMB-XYZ"], capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stdout, len(ended.stderr.splitlines())), (2, "", 1))
        self.assertIn("'lm_IMB-EXTRA' is not a program", ended.stderr)

    @harness.not_quick
    def test_a_file_supplies_options_that_the_command_line_omits(self):
        path = self.folder / "options"
        path.write_text("iter = 2\nmsgsize = 8  # and 16\n")
        ended = self.run_it("MPI1", "--config", path, "-msgsize", 16, "PingPong")
        self.assertEqual([row[:2] for *_, rows in self.tables(ended.out) for row in rows], [["16", "2"]])
        path.write_text("thread_level = multiple\n")
        ended = self.run_it("MT", "--config", path, code=2, record=False)
        self.assertIn("-thread_level multiple: must be given on the command line", ended.err[0])


if __name__ == "__main__":
    ImbTest.program, ImbTest.trace = (str(pathlib.Path(path).resolve()) for path in (sys.argv[1], sys.argv[5]))
    ImbTest.links, ImbTest.rare = sys.argv[6], str(pathlib.Path(sys.argv[7]).resolve())
    ImbTest.tools(*sys.argv[2:5])
    harness.main(sys.argv[8:])
