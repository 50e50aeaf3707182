#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The PMB programs from outside: command line, tables, records, checks, and MPI calls.

usage: pmb_test.py PMB-MPI1 PMB-EXT PMB-IO VALIDATE_RECORDS LAUNCHER YIELD_HELPER TRACE_LIBRARY RARE_MPI
    [UNITTEST OPTIONS]

YIELD_HELPER is preloaded if there are more ranks than cores; empty: not needed. TRACE_LIBRARY is built from
pmb_trace.cpp, RARE_MPI from rare_mpi.c.
"""
import csv
import functools
import json
import os
import pathlib
import re
import signal
import struct
import sys
import time
import unittest

import harness
from harness import LIMIT, figures, plain, slow

PROGRAMS = {part: str(pathlib.Path(path).resolve()) for part, path in zip(("MPI1", "EXT", "IO"), sys.argv[1:4])}
harness.ProgramTest.tools(*sys.argv[4:7])
TRACE, RARE = (str(pathlib.Path(path).resolve()) for path in sys.argv[7:9])

MPI1 = ("PingPong PingPing Sendrecv Exchange Allreduce Reduce Reduce_scatter Allgather Allgatherv Alltoall Bcast "
        "Barrier").split()
EXT = "Window Unidir_Get Unidir_Put Bidir_Get Bidir_Put Accumulate".split()
IO = [f"{letter}_{i}{verb}_{pointer}" for verb in ("Write", "Read")
      for letter, pointers in (("S", ("Indv", "Expl")), ("P", ("Indv", "Shared", "Priv", "Expl")),
                               ("C", ("Indv", "Shared", "Expl"))) for pointer in pointers for i in ("", "I")]
IO.append("Open_Close")
NAMES = {"MPI1": MPI1, "EXT": EXT, "IO": IO}
TRANSFERS = "PingPong PingPing Unidir_Get Unidir_Put Bidir_Get Bidir_Put".split()
PARALLEL = {"Sendrecv": 2, "Exchange": 4}  # number of messages that count for the throughput
SHORT_CPU = {"MPI1": (), "EXT": (), "IO": ("-cpu_secs", "0.001")}
SMALL = ("-iter", "5,1,5", "-msglog", "0:6")
# The component rdma of Open MPI 4 loses contributions of MPI_Accumulate, and aborts if a rank fails to make a window.
SOUND_WINDOWS = {"OMPI_MCA_osc": "^rdma"} if harness.OPEN_MPI_4 else {}
POWERS = [0] + [2 ** k for k in range(25)]


# The layout of a table, by the name of its benchmark.

def kind(name, multi):
    """Returns the kind of columns (one time, three times, three times without lengths, overlap) and whether there is a
    throughput. multi is the value of -multi or None."""
    if name in ("Barrier", "Open_Close"):
        return "sync", False
    if re.match(r"[SPC]_I(Write|Read)", name):
        return "overlap", False
    if name in TRANSFERS or name.startswith("S_"):
        return "times" if multi == 0 else "time", True
    return "times", name in PARALLEL or name[:2] in ("P_", "C_")


def heads(name, multi=None, check=False, single_calls=False, megabytes="Mbytes/sec"):
    form, throughput = kind(name, multi)
    result = ["Group"] if multi == 1 else []
    result += ["#repetitions"] if form == "sync" else ["#bytes", "#repetitions"]
    result += {"time": ["t[usec]"], "overlap": ["t_ovrl[usec]", "t_pure[usec]", "t_CPU[usec]", "overlap[%]"]}.get(
        form, ["t_min[usec]", "t_max[usec]", "t_avg[usec]"])
    result += [megabytes] if throughput else []
    result += ["stderr[%]", "discarded"] if single_calls else []
    return result + (["defects"] if check and form != "sync" and name != "Window" else [])


def modes(name):
    """Returns the modes of a benchmark's tables; None: the table shows no mode."""
    if name in ("Window", "Open_Close") or name in MPI1:
        return [None]
    if kind(name, None)[0] == "overlap" or "Read" in name:
        return ["AGGREGATE"]
    return ["AGGREGATE", "NON-AGGREGATE"]


def process_counts(name, processes, at_least):
    if name in TRANSFERS:
        return [2]
    if name.startswith("S_"):
        return [1]
    counts = [min(processes, at_least)]
    while counts[-1] < processes:
        counts.append(min(2 * counts[-1], processes))
    return counts


class Malformed(Exception):
    """The text does not have the layout of a table."""


def demand(condition, what):
    if not condition:
        raise Malformed(what)


class Table:
    """One table, from the rule above its title to its last row. Cells stay text; `row[head]` is a number."""
    WIDTH = 13
    INTEGERS = ("Group", "#bytes", "#repetitions", "Msg/sec", "discarded")
    PROCESSES = re.compile(r"# \( #processes = (\d+) \) ")
    GROUPS = re.compile(r"# \( (\d+) groups of (\d+) processes each running simultaneous \) ")
    GROUP = re.compile(r"# Group ( *\d+) {21}: (\d+(?: \d+)*) ?")
    WAITING = re.compile(r"# \( (?:1 additional process|(\d+) additional processes) waiting in MPI_Barrier\)")
    MODE = re.compile(r"#    MODE: (AGGREGATE|NON-AGGREGATE) ")

    def __init__(self, lines):
        """Removes the head from the front of the lines and reads it."""
        rule = lines.pop(0)
        self.title = self.match(re.compile(r"# Benchmarking (\S+) "), lines)[1]
        self.multi = self.title.startswith("Multi-")
        self.name = self.title.removeprefix("Multi-")
        self.groups = []
        if one := self.PROCESSES.fullmatch(lines[0]):
            lines.pop(0)
            self.processes = int(one[1])
        else:
            many = self.match(self.GROUPS, lines)
            self.processes = int(many[2])
            for g in range(int(many[1])):
                line = self.match(self.GROUP, lines)
                demand(line[1] == f"{g:4}", line[0])
                self.groups.append([int(rank) for rank in line[2].split()])
        self.waiting = 0
        if lines[0].startswith("# ( "):
            line = self.match(self.WAITING, lines)
            self.waiting = int(line[1] or 1)
            demand(line[1] != "1", line[0])
        demand(lines.pop(0) == rule, "the two rules must have equal lengths")
        self.mode = None
        if lines[0] == "#":
            lines.pop(0)
            self.mode = self.match(self.MODE, lines)[1]
            demand(lines.pop(0) == "#", "# after the mode")
        line = lines.pop(0)
        self.heads = line.split()
        demand(line == "".join(head.rjust(self.WIDTH) for head in self.heads), line)
        demand(rule == "#" + "-" * (self.WIDTH * len(self.heads) - 1), rule)
        self.rows = []
        self.comments = []
        self.blocks = 0  # of rows, separated by blank lines

    @staticmethod
    def match(pattern, lines):
        line = lines.pop(0)
        found = pattern.fullmatch(line)
        demand(found, f"{line!r} is not {pattern.pattern!r}")
        return found

    def add(self, line, begins_block):
        demand(len(line) == self.WIDTH * len(self.heads), line)
        cells = [line[k:k + self.WIDTH].lstrip(" ") for k in range(0, len(line), self.WIDTH)]
        for head, cell in zip(self.heads, cells):
            number = r"\d+" if head in self.INTEGERS else r"-|\d+\.\d\d" if head == "stderr[%]" else r"\d+\.\d\d"
            demand(re.fullmatch(number, cell), f"{head}: {cell!r} in {line!r}")
        self.blocks += begins_block
        self.rows.append(dict(zip(self.heads, (int(c) if h in self.INTEGERS else None if c == "-" else float(c)
                                               for h, c in zip(self.heads, cells)))))

    def column(self, head):
        return [row[head] for row in self.rows]

    def longest(self, row):
        return row[next(head for head in ("t_ovrl[usec]", "t_max[usec]", "t[usec]") if head in row)]


class Report:
    """The output of a run: the text before the tables, the tables, and the last line."""

    def __init__(self, text):
        demand(text == "" or text.endswith("\n"), "the last line is torn")
        lines = text.splitlines()
        self.header = []
        self.tables = []
        before = None
        while lines:
            if lines[0].startswith("#--") and lines[1:2] and lines[1].startswith("# Benchmarking "):
                demand(before == "", "a blank line must precede every table")
                self.tables.append(Table(lines))
                before = None
                continue
            line = lines.pop(0)
            if line.lstrip().startswith("#"):
                (self.tables[-1].comments if self.tables else self.header).append(line)
            elif line.strip():
                demand(self.tables, f"{line!r} before the first table")
                self.tables[-1].add(line, before == "")
            else:
                demand(line == "", "blanks on a blank line")
            before = line
        self.last = before

    @property
    def notices(self):
        comments = self.header + sum((table.comments for table in self.tables), [])
        return [line for line in comments if line.startswith("# !! Benchmark ")]


class Ended(harness.Ended):
    """A finished run, with its text taken apart."""

    def __init__(self, part, code, out, err, record):
        super().__init__(code, out, err, record)
        self.part = part
        self.program = "PMB-" + part

    @functools.cached_property
    def report(self):
        return Report(self.out)

    @property
    def tables(self):
        return self.report.tables

    def table(self, name):
        found, = [table for table in self.tables if table.name == name]
        return found

    @property
    def shapes(self):
        """Returns (benchmark, processes) of each table."""
        return [(table.name, table.processes) for table in self.tables]


class Call:
    """One line of a trace, and whether its communicator contains all started processes or only the active ones."""

    def __init__(self, line):
        self.name, *words = line.split()
        self.values = {key: int(value) for key, value in (word.split("=") for word in words)}
        self.where = None

    def __getitem__(self, key):
        return self.values[key]


def read_trace(path):
    calls = [Call(line) for line in path.read_text().splitlines()]
    places = {}
    for call in calls:
        if call.name == "Init":
            places[call["comm"]] = "world"
        call.where = places.get(call.values.get("comm"))
        if call.name == "Comm_dup":
            places[call["new"]] = call.where
        elif call.name == "Comm_split":
            places[call["new"]] = "team" if call.where == "world" else None
        elif call.name == "Comm_free":
            places.pop(call["comm"], None)
    return calls


def segments(calls, tables):
    """Returns the calls between a table's split and the next split, for each of the last `tables` tables."""
    splits = [n for n, call in enumerate(calls) if call.name == "Comm_split" and call.where == "world"][-tables:]
    return [calls[begin + 1:end] for begin, end in zip(splits, splits[1:] + [None])]


class PmbTest(harness.ProgramTest):
    # Scratch files are about data here, so they need no disk.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

    def setUp(self):
        super().setUp()
        self.work = self.folder / "work"
        self.work.mkdir()

    def start(self, part, *arguments, cwd=None, **keywords):
        return self.launch(PROGRAMS[part], *arguments, cwd=cwd or self.work, **keywords)

    def run_it(self, part, *arguments, limit=LIMIT, record=True, **keywords):
        self.json.unlink(missing_ok=True)
        process = self.start(part, *arguments, record=record, **keywords)
        out, err = process.communicate(timeout=limit)
        return Ended(part, process.returncode, out, err, self.json)

    def measure(self, part, *arguments, code=0, **keywords):
        """Runs a program; it must finish, with tables and a record that agree."""
        ended = self.run_it(part, *arguments, **keywords)
        self.assertEqual(ended.code, code, ended.err)
        self.assert_valid(ended)
        end = "finished normally" if code == 0 else f"finished, exit {code}"
        self.assertEqual(ended.report.last, f"# {ended.program}: {end}")
        self.assertEqual((ended.records[-1]["record"], ended.records[-1]["exit_code"]), ("end", code))
        self.assert_record_agrees(ended)
        return ended

    def trace(self, part, *arguments, **keywords):
        """Returns the run and the calls of rank 0."""
        path = self.folder / "trace"
        ended = self.measure(part, *arguments, preload=[TRACE], environment={"PMB_TRACE_FILE": str(path)}, **keywords)
        return ended, read_trace(path)

    def assert_record_agrees(self, ended):
        """Each row has a measured point with the same numbers."""
        rows = [(table, row) for table in ended.tables for row in table.rows]
        points = [point for point in ended.points if point["status"] != "skipped"]
        self.assertEqual(len(points), len(rows))
        for (table, row), point in zip(rows, points):
            self.assert_point_agrees(table, row, point)

    def assert_point_agrees(self, table, row, point):
        at = point["at"]
        self.assertEqual((point["benchmark"], at["ranks"]), (table.title, table.processes))
        self.assertEqual(at.get("bytes"), row.get("#bytes"))
        self.assertEqual(at.get("mode"), table.mode and table.mode.lower().replace("-", "_"))
        self.assertEqual(at.get("group"), row.get("Group"))
        self.assertEqual((point["quantity"], point["unit"]), ("time", "s"))
        derived = point.get("derived", {})
        shown = [("t_min[usec]", point["over_ranks"]["min"], 1e6), ("t_avg[usec]", point["over_ranks"]["mean"], 1e6),
                 ("t_max[usec]", point["over_ranks"]["max"], 1e6), ("t[usec]", point["value"], 1e6),
                 ("t_ovrl[usec]", point["value"], 1e6), ("t_pure[usec]", derived.get("t_pure"), 1e6),
                 ("t_CPU[usec]", derived.get("t_cpu"), 1e6), ("overlap[%]", derived.get("overlap"), 100),
                 ("Mbytes/sec", derived.get("bandwidth"), 1 / 2 ** 20), ("MB/s(10^6)", derived.get("bandwidth"), 1e-6),
                 ("defects", derived.get("defects"), 1)]
        for head, value, factor in shown:
            if head in row:
                self.assertIsNotNone(value, (head, point))
                rounding = 0.005 + 1e-9 * row[head]
                self.assertAlmostEqual(value * factor, row[head], delta=rounding, msg=(head, point))
        self.assertEqual("bandwidth" in derived, "Mbytes/sec" in row or "MB/s(10^6)" in row)
        if "stderr[%]" not in row:
            self.assertEqual(point["iterations_per_sample"], row["#repetitions"])
            self.assertEqual((point["attempts"], point["valid"], point["kept"]), (1, 1, 1))
            self.assertIsNone((point["estimate"] or {}).get("standard_error"))

    def assert_form(self, ended, multi=None, check=False):
        """Checks headings, modes and the order of the times in every table."""
        for table in ended.tables:
            self.assertEqual(table.heads, heads(table.name, multi, check), table.title)
            self.assertIn(table.mode, modes(table.name), table.title)
            for row in table.rows:
                if "t_avg[usec]" in row:
                    self.assertLessEqual(row["t_min[usec]"], row["t_avg[usec]"] + 0.005)
                    self.assertLessEqual(row["t_avg[usec]"], row["t_max[usec]"] + 0.005)

    def assert_usage(self, part, *arguments, names=(), ranks=(1, 4)):
        """The program prints one message and nothing on stdout, and exits with 2."""
        for n in ranks:
            ended = self.run_it(part, *arguments, ranks=n, record=False)
            self.assertEqual((ended.code, ended.out), (2, ""), (arguments, n, ended.err))
            self.assertEqual(len(ended.err), 1, ended.err)
            self.assertRegex(ended.err[0], rf"^PMB-{part}: (\S+: )?error: ")
            for name in names:
                self.assertIn(name, ended.err[0])

    def assert_throughput(self, table):
        """The throughput is that of the printed time, within the rounding to 0.01 us."""
        for row in table.rows:
            time_printed = table.longest(row)
            if time_printed >= 1:
                amount = PARALLEL.get(table.name, 1) * row["#bytes"] / 1.048576
                self.assertGreaterEqual(row["Mbytes/sec"], amount / (time_printed + 0.005) - 0.005, row)
                self.assertLessEqual(row["Mbytes/sec"], amount / (time_printed - 0.005) + 0.005, row)

    # Standard tables.

    @slow
    @plain
    def test_01_02_03_04_06_07_the_complete_standard_run_of_two_processes(self):
        # This takes 3 s if the cores are free.
        ended = self.measure("MPI1", limit=300)
        self.assert_form(ended)
        self.assertEqual(ended.shapes, [(name, 2) for name in MPI1])
        repetitions = [640, 320, 160, 80, 40, 20, 10]
        for table in ended.tables[:-1]:
            reduces = "educe" in table.name
            self.assertEqual(table.column("#bytes"), [0] + POWERS[3 if reduces else 1:24])
            self.assertEqual(table.column("#repetitions"), [1000] * (15 if reduces else 17) + repetitions)
        self.assertEqual(ended.table("Barrier").column("#repetitions"), [1000])
        for name in ("PingPong", "PingPing", *PARALLEL):
            self.assert_throughput(ended.table(name))
        # The points are flagged if the MPI library uses new memory.
        self.assertLessEqual({flag for point in ended.points for flag in point["flags"]}, {"unsettled"})

    @slow
    def test_01_05_07_every_benchmark_once_in_the_order_of_the_part(self):
        for part in NAMES:
            with self.subTest(part=part):
                ended = self.measure(part, "-iter", "3,1,3", "-msglog", "0:4", *SHORT_CPU[part])
                self.assert_form(ended)
                at_least = 1 if part == "IO" else 2
                self.assertEqual([(t.name, t.processes, t.mode) for t in ended.tables],
                                 [(name, q, mode) for name in NAMES[part] for q in process_counts(name, 2, at_least)
                                  for mode in modes(name)])
                self.assertEqual(list(self.work.iterdir()), [])

    @plain
    def test_all_selects_every_benchmark(self):
        ended = self.measure("MPI1", "-iter", 1, "-msglog", "0:1", "all")
        self.assertEqual(ended.shapes, [(name, 2) for name in MPI1])

    # Process counts.

    @slow
    def test_08_idle_processes(self):
        ended = self.measure("MPI1", *SMALL, "Sendrecv", ranks=3)
        self.assertEqual([(t.processes, t.waiting) for t in ended.tables], [(2, 1), (3, 0)])
        ended = self.measure("MPI1", *SMALL, "Sendrecv", ranks=5)
        self.assertEqual([(t.processes, t.waiting) for t in ended.tables], [(2, 3), (4, 1), (5, 0)])

    def counts(self, *arguments, ranks):
        return [t.processes for t in self.measure("MPI1", "-iter", 3, *arguments, "Barrier", ranks=ranks).tables]

    @slow
    @plain
    def test_09_process_counts_of_11_processes(self):
        self.assertEqual(self.counts(ranks=11), [2, 4, 8, 11])
        self.assertEqual(self.counts("-npmin", 5, ranks=11), [5, 10, 11])

    @plain
    @harness.not_quick
    def test_09_process_counts_of_4_processes(self):
        self.assertEqual(self.counts("-npmin", 4, ranks=4), [4])
        self.assertEqual(self.counts("-npmin", 99, ranks=4), [4])
        self.assertEqual(self.counts("-npmin", 1, ranks=4), [1, 2, 4])

    @slow
    @plain
    def test_10_a_single_transfer_uses_two_processes(self):
        for npmin in (1, 3, 5):
            ended = self.measure("MPI1", *SMALL, "-npmin", npmin, "PingPong", ranks=5)
            self.assertEqual([(t.processes, t.waiting) for t in ended.tables], [(2, 3)])

    def test_11_one_process(self):
        for ranks in (0, 1):
            ended = self.measure("MPI1", *SMALL, "PingPong", "Bcast", ranks=ranks)
            self.assertEqual(ended.report.notices, ["# !! Benchmark PingPong invalid for 1 process   !!"])
            self.assertRegex(ended.out, r"\n\n# !! Benchmark PingPong invalid for 1 process   !!\n\n")
            self.assertEqual(ended.shapes, [("Bcast", 1)])
            skipped = [point for point in ended.points if point["status"] == "skipped"]
            self.assertEqual([(point["benchmark"], point["value"]) for point in skipped], [("PingPong", None)])

    def test_11_only_single_transfers_on_one_process(self):
        ended = self.measure("MPI1", "PingPong", "PingPing", ranks=1)
        self.assertEqual((len(ended.report.notices), ended.tables), (2, []))

    @plain
    def test_11_all_other_benchmarks_run_on_one_process(self):
        ended = self.measure("MPI1", *SMALL, "-check", "on", ranks=1)
        self.assertEqual(ended.shapes, [(name, 1) for name in MPI1 if name not in TRANSFERS])
        self.assert_clean(ended)

    # Names.

    @harness.not_quick
    def test_12_names_in_any_letter_case(self):
        for name in ("pingpong", "PINGPONG", "PingPong"):
            ended = self.measure("MPI1", *SMALL, name)
            self.assertEqual([t.title for t in ended.tables], ["PingPong"])
            self.assertEqual(ended.tables[0].column("#bytes"), POWERS[:8])

    @plain
    def test_13_the_order_is_that_of_the_command_line(self):
        ended = self.measure("MPI1", "-iter", 2, "-msglog", "0:1", "Barrier", "PingPong", "Barrier")
        self.assertEqual([t.name for t in ended.tables], ["Barrier", "PingPong", "Barrier"])

    @plain
    @harness.not_quick
    def test_names_can_be_listed(self):
        ended = self.measure("MPI1", "-iter", 2, "-msglog", "0:1", "Reduce,PingPong", "bcast")
        self.assertEqual([t.name for t in ended.tables], ["Reduce", "PingPong", "Bcast"])
        ended = self.measure("MPI1", "-iter", 2, "-msglog", "0:1", "-exclude", "Barrier,bcast")
        self.assertEqual([t.name for t in ended.tables], [n for n in MPI1 if n not in ("Barrier", "Bcast")])

    @plain
    @harness.not_quick
    def test_20_names_from_files(self):
        first = self.folder / "first"
        first.write_bytes(b"# a comment\r\n\r\nPingPing and why it is here\r\n  \t \r\n  barrier\r\n")
        second = self.folder / "second"
        second.write_text("Bcast\n\n#Reduce\nReduce")
        few = ("-iter", 2, "-msglog", "0:1")
        for arguments, names in ((["-input", first], ["PingPing", "Barrier"]),
                                 (["Alltoall", "-input", second, "Bcast"], ["Alltoall", "Bcast", "Reduce", "Bcast"]),
                                 (["-input", second, "-input", first], ["Bcast", "Reduce", "PingPing", "Barrier"])):
            ended = self.measure("MPI1", *few, *arguments)
            self.assertEqual([t.name for t in ended.tables], names)

    # Groups.

    def test_14_groups_in_one_row(self):
        ended = self.measure("MPI1", *SMALL, "-multi", 0, "PingPong", ranks=4)
        self.assert_form(ended, multi=0)
        table, = ended.tables
        self.assertEqual((table.title, table.groups, table.waiting), ("Multi-PingPong", [[0, 1], [2, 3]], 0))
        self.assertEqual(table.column("#bytes"), POWERS[:8])
        self.assert_throughput(table)
        self.assertEqual({point["at"]["groups"] for point in ended.points}, {2})

    @harness.not_quick
    def test_14_groups_in_rows_of_their_own(self):
        ended = self.measure("MPI1", *SMALL, "-multi", 1, "PingPong", "Barrier", "-npmin", 2, ranks=4)
        self.assert_form(ended, multi=1)
        table = ended.tables[0]
        self.assertEqual((table.title, table.groups), ("Multi-PingPong", [[0, 1], [2, 3]]))
        self.assertEqual(table.column("Group"), [0, 1] * 8)
        self.assertEqual(table.column("#bytes"), [x for x in POWERS[:8] for _ in range(2)])
        self.assertEqual(table.blocks, 8)
        self.assertEqual([(t.title, t.processes, len(t.rows)) for t in ended.tables[1:]],
                         [("Multi-Barrier", 2, 2), ("Barrier", 4, 1)])
        self.assertEqual({point["at"]["groups"] for point in ended.points if point["at"]["ranks"] == 2}, {2})

    @harness.not_quick
    def test_15_a_single_group_has_no_multi_title(self):
        ended = self.measure("MPI1", *SMALL, "-multi", 1, "Sendrecv", ranks=4)
        self.assert_form(ended, multi=1)
        self.assertEqual([(t.title, t.processes, len(t.groups)) for t in ended.tables],
                         [("Multi-Sendrecv", 2, 2), ("Sendrecv", 4, 0)])
        self.assertEqual(ended.tables[1].column("Group"), [0] * 8)

    @harness.not_quick
    def test_16_processes_outside_all_groups(self):
        ended = self.measure("MPI1", *SMALL, "-multi", 0, "PingPong", "Bcast", ranks=5)
        for table in ended.tables[:2]:
            self.assertEqual((table.processes, table.groups, table.waiting), (2, [[0, 1], [2, 3]], 1))
        self.assertEqual([(t.title, t.processes, t.waiting) for t in ended.tables[2:]],
                         [("Bcast", 4, 1), ("Bcast", 5, 0)])

    @harness.not_quick
    def test_groups_of_single_processes_have_their_own_files(self):
        ended = self.measure("IO", "-iter", 2, "-msglog", "0:2", "-multi", 0, "-check", "on", "S_Write_Indv", ranks=3)
        for table in ended.tables:
            self.assertEqual((table.title, table.processes, table.groups), ("Multi-S_Write_Indv", 1, [[0], [1], [2]]))
        self.assert_clean(ended)

    # Calls.

    @slow
    def test_17_calls_of_bcast(self):
        ended, calls = self.trace("MPI1", "Bcast")
        segment, = segments(calls, 1)
        signs = {("Barrier", "team"): "b", ("Barrier", "world"): "B", ("Gather", "world"): "G", ("Bcast", "team"): "c"}
        seen = "".join("t" if call.name == "Wtime" else signs.get((call.name, call.where), "") for call in segment)
        rows = ended.tables[0].rows
        expected = "bbt" + "cc" + "t" + "".join("bbt" + "c" * row["#repetitions"] + "tBG" for row in rows)
        self.assertEqual(len(seen), len(expected))
        self.assertTrue(seen == expected, seen[:40])
        bcasts = [call for call in segment if (call.name, call.where) == ("Bcast", "team")]
        self.assertEqual([(call["bytes"], call["root"]) for call in bcasts[:2]], [(4194304, 0), (4194304, 1)])
        self.assertEqual([(call["bytes"], call["root"]) for call in bcasts[2:1002]], [(0, 0), (0, 1)] * 500)
        self.assertEqual([(call["bytes"], call["root"]) for call in bcasts[1002:1004]], [(1, 0), (1, 1)])

    @harness.not_quick
    def test_17_idle_processes_wait_in_the_barrier_of_the_world(self):
        _, calls = self.trace("MPI1", "-iter", 4, "-msglog", "2:3", "Reduce", ranks=3)
        for q, segment in zip((2, 3), segments(calls, 2)):
            # If ranks outnumber cores, the library polls for the end of its barriers.
            barriers = [call for call in segment if call.name in ("Barrier", "Ibarrier")]
            team = [call["size"] for call in barriers if call.where == "team"]
            self.assertEqual(team, [q] * 8)  # 2 for the warm-up and for each of 0, 4 and 8 bytes
            self.assertEqual(sum(call.where == "world" for call in barriers), 3)
            roots = [call["root"] for call in segment if call.name == "Reduce" and call.where == "team"]
            self.assertEqual(roots, [0, 1] + [i % q for i in range(4)] * 3)

    @slow
    @plain
    def test_18_two_clock_readings_for_each_row_and_the_warm_up(self):
        ended, calls = self.trace("MPI1", "Bcast", "Barrier", "PingPong", "Exchange")
        for table, segment in zip(ended.tables[:-1], segments(calls, 4)):
            readings = sum(call.name == "Wtime" for call in segment)
            self.assertEqual(readings, 2 * (len(table.rows) + 1), table.name)

    def transfers(self, name, ranks=2):
        """Returns the transfer calls on the active processes: 3 repetitions for length 4, without warm-up."""
        _, calls = self.trace("MPI1", "-iter", 3, "-msgsize", 4, "-n_warmup", 0, "-npmin", ranks, name, ranks=ranks)
        segment, = segments(calls, 1)
        return [call for call in segment if call.name in ("Wait", "Waitall") or
                (call.where == "team" and call.name in ("Send", "Isend", "Recv", "Sendrecv"))]

    def test_19_calls_of_pingpong(self):
        calls = self.transfers("PingPong")
        self.assertEqual([call.name for call in calls], ["Send", "Recv"] * 3)
        self.assertEqual({(c["bytes"], c["tag"], c["to"]) for c in calls[::2]}, {(4, 1, 1)})
        self.assertEqual({(c["bytes"], c["any_source"], c["any_tag"]) for c in calls[1::2]}, {(4, 1, 1)})

    def test_19_calls_of_pingping(self):
        calls = self.transfers("PingPing")
        self.assertEqual([call.name for call in calls], ["Isend", "Recv", "Wait"] * 3)
        self.assertEqual({(c["bytes"], c["tag"], c["to"]) for c in calls[::3]}, {(4, 1, 1)})
        self.assertEqual({(c["any_source"], c["any_tag"]) for c in calls[1::3]}, {(1, 1)})

    def test_19_calls_of_sendrecv(self):
        calls = self.transfers("Sendrecv", ranks=3)
        self.assertEqual([call.name for call in calls], ["Sendrecv"] * 3)
        self.assertEqual({(c["bytes"], c["to"], c["tag"], c["from"], c["any_tag"]) for c in calls}, {(4, 1, 1, 2, 1)})

    def test_19_calls_of_exchange(self):
        calls = self.transfers("Exchange", ranks=3)
        self.assertEqual([call.name for call in calls], ["Isend", "Isend", "Recv", "Recv", "Waitall"] * 3)
        for right, left, from_left, from_right, wait in zip(*(calls[k::5] for k in range(5))):
            self.assertEqual([(c["bytes"], c["to"], c["tag"]) for c in (right, left)], [(4, 1, 1), (4, 2, 1)])
            self.assertEqual([(c["from"], c["any_tag"]) for c in (from_left, from_right)], [(2, 1), (1, 1)])
            self.assertEqual(wait["count"], 2)

    @harness.not_quick
    def test_additional_benchmarks_run_without_defects(self):
        names = ["PingPongAnySource", "PingPingAnySource", "Reduce_local", "Reduce_scatter_block", "Gather", "Gatherv",
                 "Scatter", "Scatterv", "Alltoallv"]
        for ranks in (2, 3):
            ended = self.run_it("MPI1", *SMALL, "-check", "on", "-npmin", ranks, *names, ranks=ranks)
            self.assertEqual((ended.code, ended.run["options"]["mode"]), (0, "optional"), ended.err)
            self.assertEqual([table.name for table in ended.tables], names)
            self.assertLess(max(point["derived"]["defects"] for point in ended.points), 1)

    @harness.not_quick
    def test_message_rate_benchmarks_report_rates(self):
        for ranks in (2, 3):
            ended = self.run_it("MPI1", *SMALL, "-check", "on", "-window_size", 8, "Uniband", "Biband", ranks=ranks)
            self.assertEqual((ended.code, ended.run["options"]["mode"]), (0, "optional"), ended.err)
            self.assertEqual(ended.out.count("       #bytes #repetitions   Mbytes/sec      Msg/sec      defects\n"), 2)
            self.assertIn("#    -window_size : 8 (standard: 256)\n", ended.out)
            for point in ended.points:
                self.assertEqual((point["at"]["ranks"], point["at"]["window"]), (2, 8))
                self.assertLess(point["derived"]["defects"], 1)
                messages = 8 if point["benchmark"] == "Uniband" else 16
                self.assertAlmostEqual(point["derived"]["message_rate"] * point["value"], messages)
                self.assertAlmostEqual(point["derived"]["bandwidth"],
                                       point["derived"]["message_rate"] * point["at"]["bytes"], places=3)

    @harness.not_quick
    def test_specific_source_variants_receive_from_their_partner(self):
        for name in ("PingPongSpecificSource", "PingPingSpecificSource"):
            receives = [call for call in self.transfers(name) if call.name == "Recv"]
            self.assertEqual({(c["from"], c["any_source"]) for c in receives}, {(1, 0)})

    @harness.not_quick
    def test_one_sided_benchmarks_make_the_original_calls(self):
        name = {"Win_create": "w", "Win_fence": "f", "Put": "p", "Accumulate": "a", "Win_free": "x", "Wtime": "t"}

        def signs(*arguments):
            ended, calls = self.trace("EXT", "-iter", "3,1,2", "-msgsize", 8, "-n_warmup", 0, *arguments)
            found = [call for call in calls if call.name in name]
            begin = next(n for n, call in enumerate(found) if call.name == "Win_create")
            return ended, found[begin:], "".join(name[call.name] for call in found[begin:])

        ended, calls, seen = signs("Window")
        self.assertEqual(ended.tables[0].column("#repetitions"), [2])
        self.assertEqual(seen.replace("t", ""), "wfpfx" * 2)
        self.assertEqual({c["bytes"] for c in calls if c.name == "Win_create"}, {8})
        self.assertEqual({(c["bytes"], c["to"]) for c in calls if c.name == "Put"}, {(1, 0)})

        _, calls, seen = signs("Unidir_Put")
        self.assertEqual(seen, "wf" + "f" + "t" + "ppp" + "f" + "t" + "x" + "wf" + "t" + "pfpf" + "t" + "x")
        self.assertEqual([(c["bytes"], c["to"], c["place"]) for c in calls if c.name == "Put"],
                         [(8, 1, 0), (8, 1, 8), (8, 1, 16), (8, 1, 0), (8, 1, 8)])
        self.assertEqual({(c["bytes"], c["unit"]) for c in calls if c.name == "Win_create"}, {(2 ** 20, 1)})

        _, calls, seen = signs("Accumulate")
        self.assertEqual(seen.replace("f", ""), "w" + "t" + "aaa" + "t" + "x" + "w" + "t" + "aa" + "t" + "x")
        self.assertRegex(seen, "^wf+taaaftxwf+tafaftx$")
        self.assertEqual([(c["bytes"], c["to"], c["place"]) for c in calls if c.name == "Accumulate"],
                         [(8, 0, 0), (8, 0, 2), (8, 0, 4), (8, 0, 0), (8, 0, 2)])
        self.assertEqual({c["unit"] for c in calls if c.name == "Win_create"}, {4})
        self.assertEqual({c["assertion"] for c in calls if c.name == "Win_fence"}, {0})

    @harness.not_quick
    def test_method_options_change_the_calls(self):
        _, calls = self.trace("MPI1", "-iter", 4, "-msgsize", 8, "-n_barr", 3, "-n_warmup", 5, "-root_shift", "off",
                              "Bcast")
        segment, = segments(calls, 1)
        bcasts = [call for call in segment if (call.name, call.where) == ("Bcast", "team")]
        self.assertEqual([call["root"] for call in bcasts], [0] * 9)
        self.assertEqual(sum((call.name, call.where) == ("Barrier", "team") for call in segment), 6)
        _, calls = self.trace("MPI1", "-iter", 4, "-msgsize", 8, "-warm_up", "off", "Bcast")
        segment, = segments(calls, 1)
        self.assertEqual(sum((call.name, call.where) == ("Bcast", "team") for call in segment), 4)

    # Wrong arguments. Refusals that need options only are tested in tests/unit/pmb_refusals_test.cpp.

    def test_an_unwritable_output_is_refused(self):
        for option in ("-o", "--json"):
            self.assert_usage("MPI1", option, "/missing/file", "PingPong", names=["/missing/file"], ranks=(1, 2))

    # Help and lists.

    @plain
    def test_22_41_help(self):
        shown = {option: self.run_it("MPI1", option, ranks=0, record=False) for option in ("-help", "--help", "-h")}
        for ended in shown.values():
            self.assertEqual((ended.code, ended.out.count("Usage: PMB-MPI1"), ended.err), (0, 1, []))
            self.assertEqual(ended.out, shown["--help"].out)
        for flag in ("npmin", "multi", "input", "iter", "msglog", "msglen", "msgsize", "time", "check", "mem", "json"):
            self.assertRegex(shown["-help"].out, rf"-{flag}\b")
        self.assertEqual(self.run_it("MPI1", "-help", record=False).out, shown["--help"].out)

    @plain
    def test_22_list(self):
        for part, names in NAMES.items():
            for option in ("-list", "--list"):
                ended = self.run_it(part, option, ranks=0, record=False)
                self.assertEqual((ended.code, ended.err), (0, []))
                words = ended.out.split()
                for name in names:
                    self.assertIn(name, words)

    @plain
    def test_41_version(self):
        for part in NAMES:
            for option in ("-version", "--version"):
                ended = self.run_it(part, option, ranks=0, record=False)
                self.assertEqual(ended.code, 0)
                self.assertRegex(ended.out, rf"\APMB-{part} \d+\.\d+\.\d+\n\Z")

    @slow
    @plain
    def test_41_spellings_of_an_option(self):
        for words in (["-npmin", "2"], ["--npmin", "2"], ["--npmin=2"], ["-npmin=2"]):
            ended = self.measure("MPI1", "-iter", 2, *words, "Barrier", ranks=3)
            self.assertEqual([t.processes for t in ended.tables], [2, 3])
        for words in (["--n-warmup", "0"], ["-n_warmup=0"], ["-n-warmup", "0"], ["--n_warmup", "0"]):
            self.measure("MPI1", "-iter", 2, *words, "Barrier")

    @plain
    def test_41_the_record_on_standard_output(self):
        ended = self.run_it("MPI1", *SMALL, "--json", "-", "PingPong", record=False)
        self.assertEqual(ended.code, 0, ended.err)
        kinds = [json.loads(line)["record"] for line in ended.out.splitlines()]
        self.assertEqual(kinds, ["run"] + ["point"] * 8 + ["end"])
        report = Report("".join(line + "\n" for line in ended.err))
        self.assertEqual(len(report.tables[0].rows), 8)

    @slow
    @plain
    def test_42_the_example_command_lines(self):
        (self.work / "PMB_SELECT_MPI1").write_text("#\n# Names\n#\nPingPong\nBcast\n")
        few = ["-iter", 1, "-msglog", "0:1"]
        every = [(name, q) for name in MPI1 for q in process_counts(name, 3, 2)]
        from_5 = [(name, q) for name in MPI1 for q in process_counts(name, 3, 5)]
        for words, shapes in (([], every), (["PingPing", "Reduce"], [("PingPing", 2), ("Reduce", 2), ("Reduce", 3)]),
                              (["-npmin", 5], from_5),
                              (["-npmin", 4, "-input", "PMB_SELECT_MPI1"], [("PingPong", 2), ("Bcast", 3)]),
                              (["-multi", 0, "PingPong", "Barrier", "-npmin", 7], [("PingPong", 2), ("Barrier", 3)]),
                              (["-npmin", 7, "PingPong", "-multi", 0, "Barrier"], [("PingPong", 2), ("Barrier", 3)])):
            self.assertEqual(self.measure("MPI1", *words, *few, ranks=3).shapes, shapes)

    # One-sided benchmarks.

    @slow
    @plain
    def test_23_standard_tables_of_one_sided_benchmarks(self):
        names = ("Window", "Unidir_Get")
        ended = self.measure("EXT", *names)
        self.assert_form(ended)
        self.assertEqual([(t.name, t.mode) for t in ended.tables],
                         [(name, mode) for name in names for mode in modes(name)])
        for table in ended.tables:
            self.assertEqual(table.column("#bytes"), [0] + POWERS[3:24])
            self.assertEqual(table.column("#repetitions"),
                             [1000] * 15 + [640, 320, 160, 80, 40, 20, 10] if table.mode == "AGGREGATE" else
                             [100] * 18 + [80, 40, 20, 10])

    @harness.not_quick
    def test_24_accumulate_on_three_processes(self):
        ended = self.measure("EXT", *SMALL, "-check", "on", "Accumulate", "Window", ranks=3, environment=SOUND_WINDOWS)
        self.assertEqual([(t.name, t.processes) for t in ended.tables],
                         [("Accumulate", 2)] * 2 + [("Accumulate", 3)] * 2 + [("Window", 2), ("Window", 3)])
        self.assert_form(ended, check=True)
        self.assert_clean(ended)

    # Files.

    @plain
    @harness.not_quick
    def test_25_standard_tables_of_single_writes(self):
        ended = self.measure("IO", "S_Write_Indv")
        self.assert_form(ended)
        self.assertEqual([(t.processes, t.waiting, t.mode) for t in ended.tables],
                         [(1, 1, "AGGREGATE"), (1, 1, "NON-AGGREGATE")])
        for table, repetitions in zip(ended.tables, ([50] * 20 + [32, 16, 8, 4, 2, 1], [10] * 22 + [8, 4, 2, 1])):
            self.assertEqual(table.column("#bytes"), POWERS)
            self.assertEqual(table.column("#repetitions"), repetitions)
            self.assert_throughput(table)

    def sizes(self):
        return {path.name: path.stat().st_size for path in self.work.iterdir()}

    @plain
    @harness.not_quick
    def test_26_names_and_sizes_of_files(self):
        large = ("-iter", "2,16,2", "-msglog", "23:24", "-keep")
        self.measure("IO", *large, "P_Write_Priv")
        self.assertEqual(self.sizes(), {"pmb_out_0": 8388608, "pmb_out_1": 8388608})
        self.measure("IO", *large, "P_Write_Shared")
        self.assertEqual(self.sizes()["pmb_out"], 16777216)

    @plain
    @harness.not_quick
    def test_26_names_of_files_of_groups(self):
        self.measure("IO", "-iter", 2, "-msglog", "0:4", "-keep", "-multi", 1, "P_Write_Priv")
        self.assertEqual(set(self.sizes()), {"pmb_out_g0_0", "pmb_out_g1_1", "pmb_out_g0_1"})

    @plain
    def test_both_modes_write_to_one_file(self):
        # The aggregate table has written 4 MByte; the other one rewrites 1 of them and creates no new file.
        self.measure("IO", "-iter", "4,16,1", "-msgsize", 2 ** 20, "-keep", "S_Write_Expl", ranks=1)
        self.assertEqual((self.work / "pmb_out_0").stat().st_blocks * 512, 4 * 2 ** 20)

    @plain
    def test_26_place_of_files(self):
        self.measure("IO", "-iter", 2, "-msglog", "0:4", "-keep", "-file", self.folder / "elsewhere", "C_Write_Expl")
        self.assertEqual(self.sizes(), {})
        self.assertTrue((self.folder / "elsewhere").exists())

    @slow
    def test_27_no_file_is_left(self):
        self.measure("IO", "-iter", 2, "-msglog", "0:4", "S_Read_Expl", "P_Write_Priv", "C_Write_Shared", "Open_Close")
        self.assertEqual(self.sizes(), {})

    @slow
    def test_28_blocks_lie_where_they_belong(self):
        # 29 bytes on 3 processes: 12, 12 and 5.
        whole = b"".join(b"".join(struct.pack("=i", 10000000 * (1 + rank) + i) for i in range(3))[:size]
                         for rank, size in enumerate((12, 12, 5)))
        for name in ("C_Write_Indv", "C_Write_Expl", "C_Write_Shared", "C_IWrite_Indv", "P_Write_Indv", "P_Write_Expl"):
            with self.subTest(name=name):
                self.measure("IO", "-iter", "3,16,3", "-msgsize", 29, "-keep", "-npmin", 3, *SHORT_CPU["IO"], name,
                             ranks=3)
                self.assertEqual((self.work / "pmb_out").read_bytes()[:3 * 29], whole * 3)

    @slow
    def test_29_overlap(self):
        for name in ("P_IRead_Expl", "S_IWrite_Indv", "C_IWrite_Shared"):
            ended = self.measure("IO", "-iter", 3, "-msglog", "4:18", *SHORT_CPU["IO"], name)
            self.assert_form(ended)
            self.assertTrue(any("MFlop" in line or "Mflop" in line for line in ended.report.header))
            for row in (row for table in ended.tables for row in table.rows):
                overlapped, pure, cpu = (row[head] for head in ("t_ovrl[usec]", "t_pure[usec]", "t_CPU[usec]"))
                ends = [max(0, min(1, (pure + cpu - overlapped + e) / s)) if (s := min(pure, cpu) + d) > 0 else 0
                        for e in (-0.015, 0.015) for d in (-0.005, 0.005)]
                self.assertTrue(100 * min(ends) - 0.005 <= row["overlap[%]"] <= 100 * max(ends) + 0.005, row)

    def test_30_open_close(self):
        ended = self.measure("IO", "Open_Close")
        self.assert_form(ended)
        self.assertEqual([(t.processes, t.column("#repetitions")) for t in ended.tables], [(1, [10]), (2, [10])])

    # Checking.

    def assert_clean(self, ended):
        """No column of defects has a value other than 0, and the summary says so."""
        for table in ended.tables:
            if "defects" in table.heads:
                self.assertEqual(set(table.column("defects")), {0.0}, table.title)
        self.assertRegex("\n".join(ended.tables[-1].comments), r"(?i)all .*successful")
        self.assertEqual([line for line in ended.warnings() if "more processes than cores" not in line], [])

    @slow
    def test_31_every_benchmark_is_free_of_defects(self):
        for part in NAMES:
            with self.subTest(part=part):
                ended = self.measure(part, *SMALL, "-check", "on", *SHORT_CPU[part])
                self.assert_form(ended, check=True)
                self.assert_clean(ended)
                self.assertEqual(list(dict.fromkeys(t.name for t in ended.tables)), NAMES[part])
                for point in ended.points:
                    self.assertEqual("checked" in point["flags"], "defects" in point["derived"])
                    self.assertIn("optional_mode", point["flags"])

    @slow
    @plain
    @slow
    def test_31_every_benchmark_is_free_of_defects_on_three_processes(self):
        for part in NAMES:
            with self.subTest(part=part):
                ended = self.measure(part, "-iter", 4, "-msgsize", "1,20", "-check", "on", "-npmin", 3,
                                     *SHORT_CPU[part], ranks=3)
                self.assert_clean(ended)

    @harness.not_quick
    def test_31_collectives_of_groups_are_free_of_defects(self):
        ended = self.measure("MPI1", *SMALL, "-check", "on", "-multi", 1, "PingPong", "Exchange", "Alltoall", ranks=4)
        self.assert_form(ended, multi=1, check=True)
        self.assert_clean(ended)

    def assert_defect(self, ended, length, repetition, position=None, got=None, expected=None):
        """The rows of one length of one benchmark have a defect, one in each mode; a warning describes the first."""
        rows = [(t, row) for t in ended.tables for row in t.rows if row.get("defects")]
        self.assertTrue(rows, ended.out)
        name = rows[0][0].name
        self.assertEqual([(t.name, t.mode, row["#bytes"], row["defects"]) for t, row in rows],
                         [(name, mode, length, 1.0) for mode in modes(name)], ended.out)
        told = next(line for line in ended.warnings() if name in line)
        numbers = [float(n) for n in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", told)]
        for value in (length, repetition, position, got, expected):
            if value is not None:
                self.assertTrue(any(abs(n - value) <= 1e-4 * max(1, abs(value)) for n in numbers), (value, told))
        summary = "\n".join(ended.tables[-1].comments)
        self.assertRegex(summary, rf"{name} *: *FAILED")
        self.assertEqual([p["at"]["bytes"] for p in ended.points if "defects" in p["flags"]], [length] * len(rows))

    def test_31_a_falsified_message_is_found(self):
        # The first two receives belong to the warm-up. Element 3 of rank 1 is 3.2; it is changed to -1 - 3.2.
        ended = self.measure("MPI1", "-check", "on", "-iter", 30, "-msglog", "0:7", "PingPong", "Bcast", code=3,
                             preload=[TRACE], environment={"PMB_TRACE_FAULT": "20"})
        self.assert_defect(ended, 64, 17, 12, -4.2, 3.2)
        self.assertRegex("\n".join(ended.tables[-1].comments), "Bcast *: *Successful")

    def corrupted(self, part, name, rank, repetition, *arguments, ranks=2):
        hook = f"{rank}:64:{repetition}"
        ended = self.measure(part, *SMALL, "-check", "on", *arguments, name, ranks=ranks, code=3,
                             environment={"MEASURE_TEST_CORRUPT": hook})
        self.assertTrue(any(hook in warning for warning in ended.records[0]["warnings"]))
        return ended

    @slow
    def test_31_corrupted_messages_are_found(self):
        # The rank receives in that repetition; its first expected element is 0.1 (rank of the sender + 1).
        cases = (("PingPong", 1, 3, 0.1), ("PingPing", 0, 3, 0.2), ("Sendrecv", 1, 3, 0.1), ("Exchange", 0, 4, 0.2),
                 ("Allreduce", 1, 0, 0.3), ("Reduce", 1, 3, 0.3), ("Reduce_scatter", 0, 2, 0.3),
                 ("Allgather", 0, 3, 0.1), ("Allgatherv", 1, 3, 0.1), ("Alltoall", 0, 3, 0.1), ("Bcast", 1, 2, 0.1))
        for name, rank, repetition, expected in cases:
            with self.subTest(name=name):
                self.assert_defect(self.corrupted("MPI1", name, rank, repetition), 64, repetition, 0, None, expected)

    @plain
    @harness.not_quick
    def test_31_corrupted_windows_are_found(self):
        for name, rank in (("Unidir_Put", 1), ("Unidir_Get", 1), ("Bidir_Put", 0), ("Bidir_Get", 0), ("Accumulate", 0)):
            with self.subTest(name=name):
                self.assert_defect(self.corrupted("EXT", name, rank, 2), 64, 2)

    @slow
    @plain
    def test_31_corrupted_files_are_found(self):
        for name in ("S_Write_Indv", "P_Write_Expl", "P_Write_Priv", "C_Write_Shared", "S_Read_Indv", "P_Read_Expl",
                     "C_Read_Indv", "C_Read_Shared", "P_Read_Priv"):
            with self.subTest(name=name):
                ended = self.corrupted("IO", name, 0, 2, "-npmin", 2)
                self.assert_defect(ended, 64, 2)
                self.assertEqual(self.sizes(), {})

    @harness.not_quick
    def test_a_file_that_fails_to_open_on_one_process_ends_the_run(self):
        for name in ("P_Write_Indv", "P_Write_Shared"):
            ended = self.run_it("IO", *SMALL, name, preload=[RARE],
                                environment={"RARE_MPI": "File_open"} | harness.LEAKS)
            self.assertEqual((ended.code, len(ended.errors())), (1, 1), ended.err)
            self.assertIn("MPI_File_open", ended.errors()[0])

    def test_a_window_that_fails_on_one_process_ends_the_run(self):
        ended = self.run_it("EXT", *SMALL, "Unidir_Put", preload=[RARE],
                            environment={"RARE_MPI": "Win_create"} | harness.LEAKS | SOUND_WINDOWS)
        self.assertEqual((ended.code, len(ended.errors())), (1, 1), ended.err)
        self.assertIn("MPI_Win_create", ended.errors()[0])

    # Standard and optional mode.

    def optional(self, ended):
        warned = [line for line in ended.report.header if "obtained in optional mode" in line]
        changed = [line for line in ended.report.header if "(standard: " in line]
        self.assertLessEqual(len(warned), 1)
        self.assertEqual({"optional_mode" in point["flags"] for point in ended.points}, {bool(warned)})
        return bool(warned), changed

    @slow
    @plain
    def test_32_standard_mode(self):
        for arguments in ([], ["-npmin", 2], ["-mem", 1], ["--quiet"], ["-timer", "mpi_wtime"], ["-timer", "wtime"],
                          ["-mbyte", "1048576"]):
            ended = self.measure("MPI1", *arguments, "Barrier")
            self.assertEqual(self.optional(ended), (False, []), arguments)

    @slow
    @plain
    def test_32_optional_mode(self):
        warned, changed = self.optional(self.measure("MPI1", "-iter", 5, "Barrier"))
        self.assertTrue(warned)
        self.assertEqual(len(changed), 1)
        self.assertRegex(changed[0], r"^#    .*iter.* : .*\b5\b.* \(standard: .*\b1000\b.*\)$")
        for arguments in (["-iter", "1000,40,100"], ["-n_barr", 2], ["-check", "on"], ["-timer", "monotonic"],
                          ["-n_warmup", 0], ["-zero_size", "off"], ["-root_shift", "off"], ["-time", 10],
                          ["-msglog", "0:22"]):
            warned, changed = self.optional(self.measure("MPI1", *arguments, "Barrier"))
            self.assertTrue(warned, arguments)

    @plain
    @harness.not_quick
    def test_the_header_describes_the_run(self):
        for part, title in (("MPI1", "MPI-1 part"), ("EXT", "MPI-2 one-sided part"), ("IO", "MPI-2 I/O part")):
            benchmark = {"MPI1": "PingPong", "EXT": "Window", "IO": "C_Read_Expl"}[part]
            ended = self.measure(part, *SMALL, "-multi", 0, benchmark)
            header = ended.report.header
            rule = "#" + "-" * 51
            self.assertEqual((header[0], header[2]), (rule, rule))
            self.assertRegex(header[1], rf"^#    PMB-{part} \d+\.\d+\.\d+ \(PMB 2\.2 method\), {title}$")
            for word in ("Date", "Machine", "System", "Release", "Version", "MPI", "Timer", "Command"):
                self.assertTrue(any(re.match(rf"# {word} +: \S", line) for line in header), word)
            what = "io portion" if part == "IO" else "message length"
            self.assertTrue(any(re.match(rf"# Minimum {what} in bytes: +0$", line) for line in header))
            self.assertTrue(any(re.match(rf"# Maximum {what} in bytes: +64$", line) for line in header))
            for text in ("MPI_Datatype ", "MPI_Datatype for reductions", "MPI_Op "):
                self.assertEqual(any(line.startswith("# " + text) for line in header), part != "IO", text)
            self.assertIn("# List of Benchmarks to run:", header)
            self.assertIn(f"# (Multi-){benchmark}", header)

    @plain
    @harness.not_quick
    def test_33_volume_limits_repetitions(self):
        ended = self.measure("MPI1", "-iter", "10,1", "PingPong")
        self.assertEqual(ended.tables[0].column("#repetitions"), [10] * 18 + [8, 4, 2, 1, 1, 1])

    @slow
    @plain
    def test_34_lengths(self):
        ended = self.measure("MPI1", "-iter", 2, "-msglog", "3:5", "PingPong", "Reduce")
        self.assertEqual([t.column("#bytes") for t in ended.tables], [[0, 8, 16, 32]] * 2)
        ended = self.measure("MPI1", "-iter", 2, "-msglog", "2", "PingPong", "Reduce")
        self.assertEqual([t.column("#bytes") for t in ended.tables], [[0, 1, 2, 4], [0, 4]])
        ended = self.measure("MPI1", "-iter", 2, "-msglog", "1:3", "-zero_size", "off", "PingPong")
        self.assertEqual(ended.tables[0].column("#bytes"), [2, 4, 8])
        lengths = self.folder / "lengths"
        lengths.write_text("# lengths\n1k\n3\n2m\n")
        ended = self.measure("MPI1", "-iter", 2, "-msglen", lengths, "PingPong", "Allreduce")
        self.assertEqual([t.column("#bytes") for t in ended.tables], [[1024, 3, 2097152], [1024, 4, 2097152]])
        ended = self.measure("MPI1", "-iter", 2, "-msgsize", "8,0,8388608", "PingPong")
        self.assertEqual(ended.tables[0].column("#bytes"), [8, 0, 8388608])

    @slow
    @plain
    def test_35_a_time_limit_lowers_the_repetitions(self):
        ended = self.run_it("MPI1", "-time", 0.2, "-iter", "1000000,100000", "-msglog", "16:22", "PingPong")
        self.assertIn(ended.code, (0, 4))
        self.assert_valid(ended)
        self.assert_record_agrees(ended)
        table, = ended.tables
        cut = [line for line in table.comments if line.startswith("# time-out: lengths from ")]
        self.assertEqual(len(cut), ended.code == 4)
        # Zero bytes, and 64 KiB to 4 MiB. On a busy machine the time may not suffice for the last ones; then the table
        # says so.
        self.assertEqual(len(table.rows) == 8, ended.code == 0)
        for row in table.rows[1:]:
            self.assertGreaterEqual(row["#bytes"], 65536)
            self.assertLess(row["#repetitions"], min(1000000, 100000 * 2 ** 20 // row["#bytes"]))
            # A row shows half of a round trip.
            if os.environ.get("QUIET_MACHINE"):
                self.assertLess(2 * row["t[usec]"] * row["#repetitions"], 400000)

    # Other formats and methods.

    @slow
    @plain
    def test_rounds_repeat_the_measurement_and_add_columns(self):
        ended = self.run_it("MPI1", *SMALL[2:], "-rounds", 3, "PingPong", "Barrier")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertNotIn("-rounds : ", ended.out)
        heads = [line.split() for line in ended.out.splitlines() if "#repetitions" in line]
        self.assertTrue(all(head[-4:] == ["#rounds", "min[usec]", "median[usec]", "spread[%]"] for head in heads))
        for point in ended.points:
            times = sorted(point["derived"]["rounds"])
            self.assertEqual(len(times), 3)
            self.assertEqual(point["value"], point["derived"]["rounds"][0])
            self.assertEqual((point["derived"]["rounds_min"], point["derived"]["rounds_median"]), (times[0], times[1]))
            self.assertAlmostEqual(point["derived"]["rounds_spread"], (times[2] - times[0]) / times[1])
        lengths = [point["at"].get("bytes") for point in ended.points if point["benchmark"] == "PingPong"]
        self.assertEqual(lengths, sorted(lengths))
        # Lengths that are rounded to the same value have separate rows.
        ended = self.run_it("MPI1", "-iter", "3000,1000", "-iter_policy", "dynamic", "-msgsize", "1,2,4,1048576",
                            "-rounds", 3, "Reduce")
        self.assertEqual([point["at"]["bytes"] for point in ended.points], [4, 4, 4, 1048576])
        self.assertEqual([len(point["derived"]["rounds"]) for point in ended.points], [3] * 4)
        for option in (("-start", "slot"), ("-stderr", "0.1"), ("-refine", "0.1")):
            ended = self.run_it("MPI1", "-rounds", 2, *option)
            self.assertEqual(ended.code, 2)
            self.assertIn("-rounds: ", ended.err[0])

    def test_an_unknown_option_is_not_read_as_a_short_one(self):
        ended = self.run_it("MPI1", "-off_cache", "1")
        self.assertEqual(ended.code, 2)
        self.assertIn("unknown option '-off_cache'", ended.err[0])
        self.assertFalse((self.work / "ff_cache").exists())

    def test_36_csv(self):
        ended = self.run_it("MPI1", *SMALL, "-format", "csv", "PingPong", "Exchange", "Bcast", "Barrier")
        self.assertEqual(ended.code, 0, ended.err)
        self.assert_valid(ended)
        lines = [line for line in ended.out.splitlines() if line and not line.startswith("#")]
        rows = list(csv.DictReader(lines))
        self.assertEqual(len(rows), len(ended.points))
        for row, point in zip(rows, ended.points):
            numbers = [float(cell) for cell in row.values() if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", cell or "")]
            self.assertIn(point["benchmark"], row.values())
            for value in [point["value"] * 1e6, point["iterations_per_sample"], point["at"].get("bytes", 0),
                          point["derived"].get("bandwidth", 0) / 2 ** 20]:
                self.assertTrue(value == 0 or any(abs(n - value) <= 0.005 + 1e-9 * value for n in numbers),
                                (value, row))

    @plain
    def test_36_megabytes_of_one_million_bytes(self):
        ended = self.measure("MPI1", *SMALL, "-mbyte", 1000000, "PingPong")
        self.assertEqual(ended.tables[0].heads, heads("PingPong", megabytes="MB/s(10^6)"))

    @plain
    def test_36_output_in_a_file(self):
        path = self.folder / "tables"
        ended = self.run_it("MPI1", *SMALL, "-o", path, "PingPong")
        self.assertEqual((ended.code, ended.out), (0, ""))
        ended.out = path.read_text()
        self.assert_record_agrees(ended)
        self.assertEqual(ended.report.last, "# PMB-MPI1: finished normally")

    @slow
    @plain
    def test_37_every_line_without_a_comment_is_a_row(self):
        for part, options, ranks, rest in (("EXT", ["Unidir_Put", "Accumulate", "Window"], 2, []),
                                           ("MPI1", ["-multi", 0, "PingPong", "Exchange"], 4, []),
                                           ("MPI1", ["-multi", 1, "PingPong", "Exchange"], 4, ["Group"])):
            ended = self.measure(part, *SMALL, *options, ranks=ranks)
            lines = [line.split() for line in ended.out.splitlines()
                     if line.strip() and not line.lstrip().startswith("#")]
            words = [line[0] for line in lines if not all(re.fullmatch(r"\d+(\.\d\d)?", word) for word in line)]
            self.assertEqual(sorted(set(words)), rest)

    @slow
    def test_methods_with_single_calls_print_an_error_per_row(self):
        for arguments in (["-start", "slot"], ["-start", "barrier"], ["-iter_policy", "stderr"], ["-stderr", 0.2]):
            with self.subTest(arguments=arguments):
                ended = self.run_it("MPI1", "-iter", 50, "-msglog", "2:4", *arguments, "PingPong", "Bcast", "Barrier")
                self.assertIn(ended.code, (0, 4), ended.err)
                self.assert_valid(ended)
                for table in ended.tables:
                    self.assertEqual(table.heads, heads(table.name, single_calls=True))
                self.assertTrue(self.optional(ended)[0])

    def test_a_single_call_has_no_standard_error(self):
        ended = self.run_it("MPI1", "-iter", 1, "-msgsize", 8, "-start", "barrier", "Bcast", "PingPong")
        self.assertEqual(ended.code, 0, ended.err)
        for table in ended.tables:
            self.assertEqual((table.column("#repetitions"), table.column("stderr[%]")), ([1], [None]))
        for point in ended.points:
            self.assertIsNone((point["estimate"] or {}).get("standard_error"))
            self.assertNotIn("relative_error", point["derived"])

    def test_single_calls_accept_every_stopping_rule(self):
        ended = self.run_it("MPI1", "-msgsize", 8, "-start", "barrier", "-stop", "count:24", "-trim", 10, "-confidence",
                            0.9, "Bcast")
        point, = ended.points
        self.assertEqual((point["valid"], point["kept"], point["stop_reason"]), (24, 20, "count"))
        self.assertEqual(point["estimate"]["confidence"], 0.9)
        self.assertEqual((ended.run["options"]["stop"], ended.run["options"]["trim"]), ("count:24", 0.1))
        self.assertIn("-stop", " ".join(self.optional(ended)[1]))

    @harness.not_quick
    def test_refinement_adds_lengths(self):
        ended = self.measure("MPI1", "-iter", 20, "-msgsize", "4,65536", "-refine", 0.2, "Allreduce")
        lengths = ended.tables[0].column("#bytes")
        self.assertGreater(len(lengths), 2)
        self.assertEqual(len(set(lengths)), len(lengths))
        self.assertTrue(all(x % 4 == 0 and 4 <= x <= 65536 for x in lengths))
        # Lengths that are rounded to the same value count once for the refinement.
        ended = self.measure("MPI1", "-iter", 20, "-msgsize", "1,2,4,65536", "-refine", 0.2, "Allreduce")
        self.assertEqual(ended.tables[0].column("#bytes")[:4], [4, 4, 4, 65536])

    @figures
    def test_two_messages_at_once_take_longer_than_one(self):
        ended = self.measure("MPI1", "-iter", 20, "-msglog", "21:22", *(["PingPong", "PingPing", "Sendrecv"] * 4))
        ping, both, pair = (min(table.longest(table.rows[-1]) for table in ended.tables if table.name == name)
                            for name in ("PingPong", "PingPing", "Sendrecv"))
        self.assertTrue(0.8 <= both / ping <= 2.5, (ping, both))
        self.assertGreaterEqual(pair / ping, 0.8)

    # Early ends.

    def long_run(self, *arguments, rows=4):
        lengths = ",".join(["4096"] * 4000)
        process = self.start("MPI1", "-iter", "2000,100000", "-msgsize", lengths, *arguments, "Sendrecv")
        limit = time.monotonic() + LIMIT
        while not self.json.exists() or self.json.read_text().count("\n") <= rows:
            self.assertLess(time.monotonic(), limit, "no rows")
            self.assertIsNone(process.poll(), "ended before it was killed")
            time.sleep(0.01)
        return process

    def assert_cut_short(self, out):
        rows = Report(out).tables[0].rows
        self.assertGreaterEqual(len(rows), 1)
        self.assertNotIn("finished", out.splitlines()[-1])
        self.assert_valid_file(self.json)

    def test_38_a_killed_launcher_leaves_complete_rows(self):
        tables = self.folder / "tables"
        process = self.long_run("-o", tables)
        process.kill()
        process.communicate(timeout=LIMIT)
        self.assert_cut_short(tables.read_text())
        self.assertEqual({json.loads(line)["record"] for line in self.json.read_text().splitlines()[1:]}, {"point"})

    def test_38_a_killed_process_leaves_complete_rows(self):
        process = self.long_run()
        victims = [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")
                   if self.words(path)[:1] == [PROGRAMS["MPI1"]] and str(self.json) in self.words(path)]
        self.assertEqual(len(victims), 2)
        os.kill(victims[0], signal.SIGKILL)
        out, _ = process.communicate(timeout=LIMIT)
        # The launcher adds its own lines.
        self.assert_cut_short(out.split("\n==", 1)[0].rstrip("\n") + "\n")
        self.assertNotEqual(process.returncode, 0)

    @staticmethod
    def words(path):
        try:
            return (path / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            return []

    @slow
    def test_38_an_interrupted_run_says_so(self):
        process = self.long_run()
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=LIMIT)
        self.assert_cut_short(out)
        self.assertIn("# PMB-MPI1: INTERRUPTED by SIGTERM\n", out)
        end = json.loads(self.json.read_text().splitlines()[-1])
        self.assertEqual((end["record"], end["status"], end["exit_code"]), ("end", "interrupted", 143))

    def test_38_an_interrupted_run_leaves_no_files(self):
        process = self.start("IO", "-iter", "1000,100000", "-msgsize", ",".join(["65536"] * 4000), "C_Write_Expl")
        limit = time.monotonic() + LIMIT
        while not self.json.exists() or self.json.read_text().count("\n") < 3:
            self.assertLess(time.monotonic(), limit, "no rows")
            time.sleep(0.01)
        self.assertIn("pmb_out", self.sizes())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
        self.assertEqual(self.sizes(), {})

    @slow
    def test_a_spent_budget_skips_the_remaining_points(self):
        ended = self.run_it("MPI1", "--time-budget", "300ms", "-iter", "1000,100000", "PingPong", "Sendrecv", "Bcast")
        self.assertEqual(ended.code, 4, ended.err)
        self.assert_valid(ended)
        self.assertEqual(ended.report.last, "# PMB-MPI1: finished, exit 4")
        self.assertEqual({p["message"] for p in ended.points if p["status"] == "skipped"}, {"time_budget"})

    @slow
    @plain
    def test_39_files_that_cannot_be_created(self):
        for place in ("/missing/x", "/proc/pmb_out"):
            for name in ("C_Write_Expl", "P_Write_Priv", "S_Read_Indv", "Open_Close"):
                ended = self.run_it("IO", "-iter", 2, "-msglog", "0:1", "-file", place, name, "S_Write_Expl")
                self.assertEqual(ended.code, 1, ended.err)
                self.assert_valid(ended)
                self.assertTrue(any(place in line for line in ended.err), ended.err)
                self.assertFalse(any("Abort" in line or "BAD TERMINATION" in line for line in ended.err), ended.err)

    @unittest.skipIf(harness.OPEN_MPI, "its shared pointers need no space on the disk")
    @harness.not_quick
    def test_39_a_full_disk_is_reported_if_the_shared_pointer_has_no_space(self):
        with self.small(self.work, "1m"):
            self.fill(self.work)
            for name in ("C_Write_Shared", "P_Write_Shared"):
                ended = self.run_it("IO", "-iter", 2, "-msgsize", 64, name)
                self.assertEqual((ended.code, len(ended.errors())), (1, 1), ended.err)
                self.assertRegex(ended.errors()[0], rf"{name}.*: cannot write '.*': No space left on device")
                self.assertEqual(os.listdir(self.work), ["filler"])

    def test_39_messages_need_no_files(self):
        self.measure("MPI1", "-iter", 2, "-msglog", "0:1", "PingPong", "Bcast", cwd="/proc")

    @plain
    @harness.not_quick
    def test_40_lengths_that_need_too_much_memory(self):
        ended = self.measure("MPI1", "Alltoall", "-npmin", 4, "-mem", 0.01, "-iter", 2, "-msglog", "19:21", ranks=4,
                             code=4)
        table, = ended.tables
        self.assertEqual(table.column("#bytes"), [0, 524288, 1048576])
        comment, = [line for line in table.comments if "2097152 bytes" in line]
        # 2 x 4 x 2097152 bytes are 2^-6 of 2^30.
        self.assertEqual(comment, "# 2097152 bytes: needs 0.0156 GByte per process, -mem allows 0.01")
        skipped = [point for point in ended.points if point["status"] == "skipped"]
        self.assertEqual([(p["at"]["bytes"], p["value"]) for p in skipped], [(2097152, None)])

    @plain
    def test_40_other_benchmarks_continue(self):
        ended = self.measure("MPI1", "Allgather", "PingPong", "-mem", 0.01, "-iter", 2, "-msglog", "20:22", code=4)
        lengths = [0, 1048576, 2097152, 4194304]
        self.assertEqual([t.column("#bytes") for t in ended.tables], [lengths[:-1], lengths])

    @plain
    def test_quiet_suppresses_warnings(self):
        ended = self.run_it("MPI1", *SMALL, "--quiet", "PingPong", environment={"MEASURE_TEST_CORRUPT": "1:64:0"})
        self.assertEqual((ended.code, ended.err), (0, []))
        self.assertEqual(len(ended.tables), 1)


if __name__ == "__main__":
    harness.main(sys.argv[9:])
