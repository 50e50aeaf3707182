# SPDX-License-Identifier: BSD-3-Clause
"""Files of skampi: writes parameter files; reads and checks output files and journals."""
import math
import re

VARIABLES = ("length", "nodes", "chunks", "point")
FLAGS = {"refined", "maxrep", "time-limit", "below-overhead", "zero-time", "invalid-window", "fallback-barrier",
         "unsettled"}
NOT_CONVERGED = {"maxrep", "time-limit", "zero-time"}
STATUSES = {"ok", "skipped", "abandoned", "incomplete", "failed"}
STOPS = {"fixed", "accuracy", "limit", "exhausted", "noise_guard"}
HEAD_KEYS = ("VERSION DATE MACHINE NODE NETWORK USER MPILIB MPI_STANDARD OS COMPILER PROCS HOSTS TIMER WTICK_US "
             "WTIME_IS_GLOBAL SYNC EPS REPETITIONS CUT MEMORY RUN_ID CONFIG_HASH").split()
BLOCK_KEYS = "pattern type variation standard_error repetitions cut status".split()
SUFFIX = {"L": "-length", "N": "-nodes", "C": "-chunks"}


# Parameter files.

def block(name, **keys):
    return f"{name} {{ " + " ".join(f"{key} = {value};" for key, value in keys.items()) + " }"


def params(*blocks, **globals_):
    """Returns a parameter file; without blocks that of the default suite."""
    lines = ["@NODE a node", "@NETWORK shared memory", "@USER a tester"]
    lines += [f"@{key} {value}" for key, value in globals_.items()]
    lines += ["@MEASUREMENTS", *blocks] if blocks else []
    return "\n".join(lines) + "\n"


# Output files.

class Malformed(Exception):
    """The text does not have the layout of an output file or a journal."""


def demand(condition, what):
    if not condition:
        raise Malformed(what)


def take(lines, pattern):
    """Removes a line from the front and matches it."""
    demand(lines, f"the text ends before {pattern!r}")
    line = lines.pop(0)
    found = re.fullmatch(pattern, line)
    demand(found, f"{line!r} is not {pattern!r}")
    return found


def take_pairs(lines, mark):
    """Removes the "key = value" lines that begin with the mark."""
    pairs = []
    while lines and lines[0].startswith(mark + " "):
        pairs.append(take(lines, re.escape(mark) + r" ([a-z_]+) = (\S.*)").groups())
    return pairs


class Number(float):
    """A printed number that knows its rounding."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.rounding = 0.5 * 10.0 ** -len(text.partition(".")[2])
        return number

    def shows(self, value):
        return abs(self - value) <= 1.001 * self.rounding + 1e-12 * abs(value)


class Row:
    """One row of a measurement."""
    FRACTION = r"\d+\.\d{4,}"
    PATTERN = (rf"({'|'.join(VARIABLES)})= +(\d+) +(\d+) +(-?{FRACTION}) +({FRACTION}|---) +(\d+)"
               rf"((?: +(?:-?{FRACTION}|---))*)(?: +# (\S+))?")

    def __init__(self, lines):
        found = take(lines, self.PATTERN)
        self.variable = found[1]
        self.argument, self.length = int(found[2]), int(found[3])
        self.time, self.error = Number(found[4]), None if found[5] == "---" else Number(found[5])
        self.samples = int(found[6])
        demand((self.error is None) == (self.samples < 2), "only a single sample may have no error")
        self.node_times = [None if word == "---" else float(word) for word in found[7].split()]
        self.flags = found[8].split(",") if found[8] else []
        demand(len(set(self.flags)) == len(self.flags) and set(self.flags) <= FLAGS, f"flags {self.flags}")


class Block:
    """One measurement, from its begin line to its duration and the blank line after it."""

    def __init__(self, lines):
        before = list(lines)
        self.name = take(lines, r'# begin result "([A-Za-z0-9_.+-]{1,64})"')[1]
        pairs = take_pairs(lines, "#:")
        self.pairs = pairs
        self.overheads = [self.overhead(value) for key, value in pairs if key == "overhead"]
        pairs = [pair for pair in pairs if pair[0] != "overhead"]
        self.keys = dict(pairs)
        demand(len(self.keys) == len(pairs), f"{self.name}: repeated key")
        for key in BLOCK_KEYS:
            demand(key in self.keys, f"{self.name}: no key {key}")
        demand(self.status in STATUSES, f"{self.name}: status {self.status}")
        demand(self.status != "skipped" or "reason" in self.keys, f"{self.name}: skipped without reason")
        self.columns = take(lines, r"#\| (\S.*)")[1].split()
        self.variable = self.columns[0].removesuffix("=")
        demand(self.columns[0] == self.variable + "=" and self.variable in VARIABLES, str(self.columns))
        demand(self.columns[1:5] == ["bytes", "time_us", "stderr_us", "n"], str(self.columns))
        self.rows = []
        while lines and not lines[0].startswith("#"):
            self.rows.append(Row(lines))
        if unsettled := self.flagged("unsettled"):
            names = ", ".join(map(str, unsettled)) if self.variable != "point" else self.name
            take(lines, rf"# unsettled: {re.escape(names)}( [a-z]+)?: memory was touched for the first time while .*")
        self.trailer = dict(take_pairs(lines, "#."))
        take(lines, re.escape(f'# end result "{self.name}"'))
        self.duration = float(take(lines, r"# duration = (\d+(?:\.\d+)?) sec")[1])
        take(lines, "")
        self.text = "\n".join(before[:len(before) - len(lines)]) + "\n"
        self.check_rows()

    def texts(self, key):
        """Returns all values of a key."""
        return [value for name, value in self.pairs if name == key]

    @staticmethod
    def overhead(value):
        """Returns processes, time and standard error in us. Rows of the fallback also name their synchronisation."""
        found = re.fullmatch(r"(\d+) (-?\d+\.\d{4,}) (\d+\.\d{4,})(?: barrier)?", value)
        demand(found, f"overhead = {value}")
        return int(found[1]), Number(found[2]), Number(found[3])

    def check_rows(self):
        demand(self.status not in ("skipped", "abandoned", "failed") or not self.rows, f"{self.name}: rows")
        demand(self.status != "ok" or self.rows, f"{self.name}: no rows")
        demand(all(a < b for a, b in zip(self.arguments, self.arguments[1:])), f"{self.name}: {self.arguments}")
        demand(all(row.variable == self.variable for row in self.rows), f"{self.name}: varies several parameters")
        demand(all(len(row.node_times) == len(self.columns) - 5 for row in self.rows), f"{self.name}: columns")
        demand(not self.rows or self.overheads, f"{self.name}: rows without overhead")
        if self.rows:
            demand(self.trailer.get("stop") in STOPS, f"{self.name}: {self.trailer}")
            demand(self.status != "ok" or ("max_error" in self.trailer) == (self.trailer["stop"] != "fixed"),
                   f"{self.name}: {self.trailer}")
            demand(("paper_error" in self.trailer) == ("max_error" in self.trailer), f"{self.name}: {self.trailer}")
            refined = len(self.flagged("refined"))
            demand((int(self.trailer["points_initial"]), int(self.trailer["points_refined"]))
                   == (len(self.rows) - refined, refined), f"{self.name}: {self.trailer}")

    @property
    def status(self):
        return self.keys["status"]

    @property
    def arguments(self):
        return [row.argument for row in self.rows]

    def flagged(self, flag):
        """Returns the arguments of the rows with the flag."""
        return [row.argument for row in self.rows if flag in row.flags]

    def numbers(self, key):
        return [float(word) for word in self.keys[key].split()]

    def kept(self, samples):
        """Returns the number of samples that remain after the cut."""
        cut, = self.numbers("cut")
        return samples - 2 * math.floor(cut * samples + 1e-9)


class Output:
    """A complete output file."""

    def __init__(self, text):
        demand(text.endswith("\n") and text.isascii(), "a torn last line, or characters that are not ASCII")
        lines = text.split("\n")[:-1]
        take(lines, re.escape("# SKaMPI output format 1"))
        self.text = text
        self.head = []
        while lines and lines[0] != "#@END_HEADER":
            self.head.append(take(lines, r"#@([A-Z_]+) (.*)").groups())
        take(lines, "#@END_HEADER")
        for key in HEAD_KEYS:
            demand(self.values(key), f"no header key {key}")
        demand(len(self.values("HOSTS")) == int(self.value("PROCS")), f"hosts {self.values('HOSTS')}")
        self.blocks = []
        while lines and lines[0].startswith("# begin "):
            self.blocks.append(Block(lines))
        demand(len(set(self.names)) == len(self.names), f"repeated measurement: {self.names}")
        self.finished = bool(lines)
        if lines:
            take(lines, r"# Finished at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
            take(lines, r"# Total runtime \d+(?:\.\d+)? seconds")
        demand(not lines, f"{lines[:1]} after the end")

    def values(self, key):
        return [text for name, text in self.head if name == key]

    def value(self, key):
        value, = self.values(key)
        return value

    @property
    def names(self):
        return [one.name for one in self.blocks]

    def __getitem__(self, name):
        return next(one for one in self.blocks if one.name == name)


# Journals.

class Journal:
    """The lines of the last run; `runs` counts the runs in the file."""
    EXTENT = r"offset=(?P<offset>\d+) record=(?P<record>\d+)"
    LINES = {
        "RUN": r"(?P<id>\S+) \d+ procs=(?P<procs>\d+) config=(?P<config>\S+) out=(?P<out>\S+) date=\S+",
        "BEGIN": r"(?P<name>\S+)", "POINT": r"(?P<name>\S+) .+", "INTERRUPT": r"(?P<name>\S+)",
        "DONE": r"(?P<name>\S+) " + EXTENT, "ABANDON": r"(?P<name>\S+) " + EXTENT,
        "SKIP": r"(?P<name>\S+) " + EXTENT + " .+", "CRASH": r"(?P<name>\S+) (?P<count>\d+)", "END": r"(?P<id>\S+)",
    }

    def __init__(self, text):
        demand(text.endswith("\n"), "the last line is torn")
        self.lines = []
        self.runs = 0
        for line in text.splitlines():
            kind, _, rest = line.partition(" ")
            demand(kind in self.LINES, line)
            found = re.fullmatch(self.LINES[kind], rest)
            demand(found, line)
            if kind == "RUN":
                self.lines = []
                self.runs += 1
            self.lines.append((kind, found.groupdict()))
        demand(self.lines and self.lines[0][0] == "RUN", "no run")

    @property
    def run(self):
        return self.lines[0][1]

    @property
    def ended(self):
        return self.lines[-1] == ("END", {"id": self.run["id"]})

    def names(self, kind):
        """Returns the measurements that these lines name, in order."""
        return [fields["name"] for name, fields in self.lines if name == kind]

    def crashes(self):
        return [(fields["name"], int(fields["count"])) for kind, fields in self.lines if kind == "CRASH"]

    def extent(self):
        """Returns the sizes of the output file and of the record after the last finished measurement, in bytes."""
        extents = [fields for kind, fields in self.lines if kind in ("DONE", "SKIP", "ABANDON")]
        return (int(extents[-1]["offset"]), int(extents[-1]["record"])) if extents else (0, 0)
