# SPDX-License-Identifier: BSD-3-Clause
"""Damaged records, outputs and parameter files as input of every program that reads them."""
import json
import random

import programs
import runs
from part import Case

QUICK = 60  # seconds
TAKEN = 24  # damaged files for each reader in the short form
ODD_VALUES = [None, True, "", "x", -1, 0, 1e308, 1e-320, 18446744073709551615, -9223372036854775808, [], {}, [[]],
              {"a": 1}, ["x"], "x" * 100000, "\ud7ff", "NaN", 0.5, "2025-99-99T99:99:99Z"]
ODD_BYTES = [b"\xff\xfe", b"\0", b"1e400", b"-1", b"18446744073709551616", b"99999999999999999999999999", b"NaN",
             b"\x1b[31m", b"\xc3", b"\n", b"{", b"}", b"[" * 100000, b'{"a":' * 50000, b'"', b"#", b"=", b"@",
             b"\\u0000",
             b"x" * 100000, b"..", b"\r", b"'", b":", b" " * 5000]
PARAMETERS = programs.SKAMPI_PARAMETERS.replace(
    "End_Argument = 16kB;", "Start_Argument = 4; End_Argument = 16kB; Stepwidth = 2; Max_Steps = 20; Node_Times = Yes;")

TREE = b"""{"collective=bcast": {
  "comm_type=intra": {"avg_msg_size<2048": {"algorithm=MPIR_Bcast_intra_binomial": {}},
                      "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}},
  "comm_type=inter": {"algorithm=MPIR_Bcast_inter_remote_send_local_bcast": {}}}}
"""


def record_of(benchmarks, factor=1):
    """Returns a record as mpiperf could have written it, with some operations at some sizes."""
    lines = [json.loads(line) for line in programs.GOLDEN.splitlines()]
    head = lines[0] | {"suite": "mpiperf", "program": "mpiperf", "started": f"2025-01-31T10:00:{factor:02d}Z"}
    point = next(line for line in lines if line["record"] == "point" and line["value"])
    made = [head]
    for benchmark in benchmarks:
        for size in (1, 8, 64, 512, 4096, 32768):
            value = factor * (1e-6 + size * 1e-9)
            estimate = dict(point["estimate"], mean=value, median=value, min=value / 2, max=value * 2,
                            interval=[value / 2, value * 2], quantiles={"0.5": value})
            made.append(point | {"benchmark": benchmark, "at": {"ranks": 2, "bytes": size}, "value": value,
                                 "estimate": estimate})
    return b"".join(json.dumps(line).encode() + b"\n" for line in made + lines[-1:])


RECORD = record_of(["Bcast", "Allreduce", "Allgather", "Gather"])
OTHER = record_of(["Bcast", "Allreduce", "Allgather", "Gather"], 2)


def odd_field(data):
    """Returns the record with one value removed, or replaced by an odd one."""
    lines = data.splitlines()
    number = random.randrange(len(lines))
    try:
        place = record = json.loads(lines[number])
    except ValueError:
        return data
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = random.choice(keys)
        if isinstance(place[key], (dict, list)) and place[key] and random.random() < 0.7:
            place = place[key]
            continue
        if isinstance(place, dict) and random.random() < 0.2:
            del place[key]
        else:
            place[key] = random.choice(ODD_VALUES)
        break
    lines[number] = json.dumps(record).encode()
    return b"\n".join(lines) + b"\n"


def flipped(data):
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(data)


def inserted(data):
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(ODD_BYTES) + data[at + random.choice((0, 0, 1, 5)):]


def rearranged(data):
    lines = data.splitlines(keepends=True)
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    if random.random() < 0.3:
        lines[a], lines[b] = lines[b], lines[a]
    elif random.random() < 0.5:
        del lines[a]
    else:
        lines.insert(b, lines[a])
    return b"".join(lines)


def beheaded(data):
    """Replaces the first letter of a line: readers must report the line, not ignore it."""
    lines = data.splitlines(keepends=True)
    at = random.randrange(len(lines))
    lines[at] = b"x" + lines[at][1:]
    return b"".join(lines)


def cut(data):
    return data[:random.randrange(len(data))]


def doubled(data):
    return data + data


def with_returns(data):
    return data.replace(b"\n", b"\r\n")


def emptied(_):
    return b""


DAMAGES = [flipped, inserted, inserted, rearranged, beheaded, cut, doubled, with_returns, emptied]


class Reader:
    def __init__(self, program, content, *words, others=(), ranks=0, takes=True):
        self.program, self.content, self.words, self.others = program, content, words, others
        self.ranks = ranks
        self.takes = takes  # accepts the file if it is not damaged
        self.is_record = content is RECORD


def readers(world):
    """A command that reads files, with its arguments. FILE is the damaged file, 'other' a good record."""
    named = {program.name: program for program in world.programs}
    other = [("other", OTHER)]
    made = [Reader("measure", RECORD, "FILE"), Reader("measure report", RECORD, "-o", "out.html", "FILE"),
            Reader("measure report", RECORD, "-o", "out.csv", "FILE"),
            Reader("measure report", RECORD, "-o", "out.md", "--models", "FILE"),
            Reader("measure compare", RECORD, "other", "FILE", others=other),
            Reader("measure compare", RECORD, "--format", "html", "-o", "out.html", "FILE", "other", others=other),
            Reader("measure merge", RECORD, "-o", "out.jsonl", "other", "FILE", others=other),
            Reader("measure archive add", RECORD, "-a", "out.sqlite", "FILE"),
            Reader("measure guidelines", RECORD, "FILE"), Reader("measure model", RECORD, "--json", "out.json", "FILE"),
            *(Reader("measure export", RECORD, "--format", form, "-o", "out", "FILE")
              for form in ("osu", "imb", "google-benchmark", "junit", "fom")),
            # These commands need their own records.
            Reader("measure profile", RECORD, "FILE", takes=False),
            Reader("measure pairs", RECORD, "--list", "--reference", "FILE", ranks=2, takes=False),
            Reader("measure run", b"# limits\n*: Bcast 8 = 0.5us -5% +10%\n*: Barrier 0 = 1us -100% +50%\n", "--plan",
                   "--expect", "FILE"),
            # The budget is spent before anything is launched.
            Reader("measure tune", TREE, "-o", "out", "--base", "FILE", "--collectives", "Bcast", "--budget", "1us",
                   "--", "true", takes=False),
            Reader("skampi", PARAMETERS.encode(), "--check", "-f", "FILE"),
            Reader("skampi-post", programs.SKAMPI_OUTPUT.encode(), "-o", "out", "FILE"),
            Reader("skampi-report", programs.SKAMPI_OUTPUT.encode(), "-o", "out", "--no-run", "FILE"),
            Reader("skampi-report", b'@OPTIONS\nminimum_data = 4;\nformat = html;\ntitle = "T";\n@COMPARISONS\n"x" '
                   b'{ measurements = MPI_Send-MPI_Recv; y = time; xscale = log; }\n', "-o", "out", "--no-run", "-c",
                   "FILE", "in.out",
                   others=programs.OUTPUT),
            Reader("PMB-MPI1", b"PingPong\nBcast\nAllreduce\n", "-input", "FILE", "--list"),
            Reader("IMB-MPI1", b"PingPong\nBcast\n# none\n", "-input", "FILE", "-list"),
            Reader("IMB-MPI1", b"0\n8\n1K\n64k\n", "-msglen", "FILE", "-iter", "1", "Bcast"),
            Reader("mpiperf", b"valid-runs = 5\nmax-count = 8 # small\ntimer = tsc\n", "--config", "FILE", "Bcast",
                   "--list"),
            Reader("cachebench", b"timer = monotonic\nsize = 4k,8k\n", "--config", "FILE", "--list"),
            Reader("mpiperf", b"0: 0\n", "--topology", "graph:FILE", "-X", "2", "-E", "1", "Neighbor_allgather"),
            Reader("mpiperf", b"0:\n", "--topology", "graph:FILE", "-X", "1", "-E", "1", "Neighbor_allgather"),
            Reader("osu_neighbor_allgather", b"0,1\n1,0\n", "-N", "graph:FILE", "-i", "1", "-x", "1", "-m", "4",
                   ranks=2),
            Reader("osu_latency", b"0,1\n4,2\n", "-D", "indx:FILE", "--list", ranks=2),
            Reader("b_eff_io", b"2 write scatter 1k romio_cb_write enable\n", "-MB", "1", "-MT", "2", "-i", "FILE",
                   "--list"),
            ]
    return [(named[reader.program], reader) for reader in made if reader.program in named]


class Damaged(Case):
    def __init__(self, program, reader, number, content, damage, world):
        shown = " ".join(word for word in reader.words if word != "other")
        super().__init__(f"{program.name} {shown}: {number} {damage}")
        self.program, self.reader, self.content, self.damage, self.world = program, reader, content, damage, world

    def run(self, folder):
        for name, content in self.reader.others:
            (folder / name).write_bytes(content)
        (folder / "damaged").write_bytes(self.content)
        words = [word.replace("FILE", "damaged") for word in self.reader.words]
        before = runs.files(folder)
        command = self.program.command(self.world.build, *words)
        if self.reader.ranks:
            command = self.world.launch(self.reader.ranks, *command)
        run = self.watch([*runs.limited("as=8589934592"), *command], folder, QUICK)
        if run.hung:
            return
        codes = (0, 2, 4) if self.damage != "nothing" or not self.reader.takes else (0,)
        self.expect("wrong codes", run.code in codes, f"exit code {run.code}: {run.lines[:4]}")
        if run.code == 4:  # the table shows which values are missing
            self.expect("wrong words", run.lines or run.out, "exit code 4 without a message")
        if run.code == 2:
            self.expect("wrong words", run.errors(), f"exit code 2 without an error line: {run.lines[:3]}")
            self.expect("left files", runs.files(folder) == before,
                        f"created: {sorted(set(runs.files(folder)) - set(before))}")
            long = [line for line in run.lines if len(line) > 6000]
            self.expect("wrong words", not long and len(run.lines) <= 25, f"{len(run.lines)} lines")
        if self.damage == "beheaded" and self.reader.is_record:
            self.expect("lost data", run.code != 0 or any("warning" in line for line in run.lines),
                        "a line that is not a record is not reported")
        text = run.err + (b"" if self.words_are_page() else run.out)
        found = runs.CONTROL.search(text)
        self.expect("wrong words", not found,
                    f"control characters: {found and text[max(0, found.start() - 80):][:120]!r}")

    def words_are_page(self):
        return "-" in self.reader.words


def cases(world, times):
    made = []
    for program, reader in readers(world):
        made.append(Damaged(program, reader, "", reader.content, "nothing", world))
        for number in range(TAKEN * times):
            damages = DAMAGES + [odd_field] * 6 if reader.is_record else DAMAGES
            damage = random.choice(damages)
            content = damage(reader.content)
            if random.random() < 0.2:
                content = random.choice(damages)(content or b"x")
            made.append(Damaged(program, reader, number, content, damage.__name__, world))
    return made
