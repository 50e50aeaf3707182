# SPDX-License-Identifier: BSD-3-Clause
"""The bundled programs: how to run each briefly, what it leaves, and the options in its --help."""
import dataclasses
import functools
import pathlib
import re
import sys

import runs

sys.path.insert(0, str(runs.TOP / "tools/manual"))

import help_text  # noqa: E402

RECORD = "run.jsonl"
SKAMPI_PARAMETERS = """@NODE n
@NETWORK n
@USER u
@MEASUREMENTS
""" + "".join(f"{name} {{ End_Argument = 16kB; }}\n" for name in (
    "MPI_Send-MPI_Recv", "MPI_Sendrecv", "MPI_Bcast-length", "MPI_Reduce-length", "MPI_Gather-length"))
GOLDEN = (runs.TOP / "tests/unit/golden.jsonl").read_bytes()


@dataclasses.dataclass(frozen=True)
class Program:
    """A program, with the arguments of its shortest run."""
    path: str  # relative to the build folder
    words: tuple = ()  # arguments that always come first: the name of a link, a command
    small: tuple = ()  # arguments of a short run that succeeds
    inputs: tuple = ()  # (name, content) of the files that this run reads
    mpi: bool = True
    codes: tuple = (0,)  # possible exit codes of this run

    @property
    def name(self):
        """The prefix of its messages."""
        own = pathlib.Path(self.path).name
        return self.words[0] if own in ("measure-imb", "measure-osu") else " ".join([own, *self.words])

    def command(self, build, *arguments):
        return [build / self.path, *self.words, *arguments]

    @functools.lru_cache(maxsize=None)
    def help(self, build):
        return help_text.help_of(str(build / self.path), *self.words)


LISTED = ("--list",)
SKAMPI_INPUT = ((".skampi", SKAMPI_PARAMETERS.encode()),)
RECORDS = (("in.jsonl", GOLDEN),)
MEASURING = [
    Program("frontends/mpiperf/mpiperf", small=("Bcast", *LISTED)),
    Program("frontends/skampi/skampi", small=("--check",), inputs=SKAMPI_INPUT),
    *(Program(f"frontends/pmb/{name}", small=LISTED) for name in ("PMB-MPI1", "PMB-EXT", "PMB-IO")),
    *(Program("frontends/pmb/measure-imb", (f"IMB-{part}",), LISTED)
      for part in ("MPI1", "EXT", "IO", "NBC", "RMA", "P2P", "MT")),
    *(Program("frontends/osu/measure-osu", (f"osu_{name}",), LISTED)
      for name in ("latency", "bw", "mbw_mr", "allreduce", "iallgather", "put_latency", "neighbor_allgather", "init",
                   "latency_mt")),
    Program("frontends/mpbench/mpbench", small=LISTED),
    Program("frontends/b_eff/b_eff", small=("--quick", "--mem", "1M", *LISTED)),
    Program("frontends/b_eff_io/b_eff_io", small=("-MB", "1", "-MT", "2", *LISTED)),
    Program("examples/own_exchange", small=LISTED),
]
LOCAL = [
    Program("frontends/cachebench/cachebench", small=LISTED, mpi=False),
    Program("frontends/blasbench/blasbench", small=LISTED, mpi=False),
]
SKAMPI_OUTPUT = """# SKaMPI output format 1
#@MACHINE M
#@NODE n
#@NETWORK net
#@USER u
#@MPILIB MPICH
#@PROCS 2
#@TIMER mpi_wtime
#@END_HEADER
# begin result "MPI_Send-MPI_Recv"
#: pattern = point-to-point
#: type = MPI_Send-MPI_Recv
#: nodes = 2
#: overhead = 2 0.0451 0.0003
#: status = ok
length= 4 4 10.0 0.5 8
length= 64 64 11.0 0.5 8
#. stop = accuracy
# end result "MPI_Send-MPI_Recv"
# duration = 1.50 sec

# Finished at 2025-01-31T10:09:12Z
# Total runtime 552 seconds
"""
OUTPUT = (("in.out", SKAMPI_OUTPUT.encode()),)
SKAMPI_TOOLS = [
    Program("frontends/skampi/skampi-post", small=("-o", "out", "in.out"), inputs=OUTPUT, mpi=False),
    Program("frontends/skampi/skampi-report", small=("-o", "out", "--no-run", "in.out"), inputs=OUTPUT, mpi=False),
]
# Arguments that keep commands of `measure` short. Commands that are not listed get a record to read.
SMALL_COMMANDS = {
    ("run",): Program("", small=("--plan",), mpi=False),
    ("ab",): Program("", small=("-n", "6", "--", "false", "--", "false"), mpi=False, codes=(1, 2)),
    ("pairs",): Program("", small=LISTED),
    ("doctor",): Program("", small=("--duration", "100ms"), codes=(0, 3)),
    ("tune",): Program("", small=LISTED, mpi=False),
    ("profile",): Program("", small=("--library",), mpi=False),
    ("launches",): Program("", small=("-n", "2", "--", "true"), mpi=False, codes=(1, 2)),
    ("merge",): Program("", small=("in.jsonl", "in.jsonl"), inputs=RECORDS, mpi=False, codes=(0, 2, 4)),
    ("compare",): Program("", small=("in.jsonl", "in.jsonl"), inputs=RECORDS, mpi=False, codes=(0, 2, 4)),
    ("report",): Program("", small=("-o", "out.csv", "in.jsonl"), inputs=RECORDS, mpi=False),
    ("export",): Program("", small=("--format", "fom", "in.jsonl"), inputs=RECORDS, mpi=False),
    ("archive", "list"): Program("", mpi=False, codes=(0, 2)),
    ("archive", "query"): Program("", mpi=False, codes=(0, 2)),
    ("archive", "check"): Program("", mpi=False, codes=(0, 2)),
    ("archive", "site"): Program("", small=("out",), mpi=False, codes=(0, 2)),
}
READS = Program("", small=("in.jsonl",), inputs=RECORDS, mpi=False, codes=(0, 2, 4))
MEASURE = "frontends/measure/measure"


def commands(build):
    """Yields the commands of `measure` that its --help names."""
    tool = str(build / MEASURE)
    for words, about in help_text.commands_of(tool, help_text.help_of(tool)):
        if not about.commands():
            yield dataclasses.replace(SMALL_COMMANDS.get(tuple(words), READS), path=MEASURE, words=tuple(words))


def every(build):
    """Returns all programs that this build has."""
    tool = Program(MEASURE, small=("in.jsonl",), inputs=RECORDS, mpi=False)
    return [program for program in (*MEASURING, *LOCAL, *SKAMPI_TOOLS, tool, *commands(build))
            if (build / program.path).exists()]


@dataclasses.dataclass(frozen=True)
class Writer:
    """A program that writes a record and other files for a second or more."""
    path: str
    arguments: tuple
    outputs: frozenset
    mpi: bool = True
    words: tuple = ()
    codes: tuple = (0, 4)  # 4: the machine was too busy for some values

    @property
    def program(self):
        return pathlib.Path(self.path).name

    @property
    def name(self):
        return " ".join([self.program, *self.words])

    @property
    def unfinished(self):
        """The files that keep the rows of a run that ended early."""
        writes_parts = self.program in ("cachebench", "mpbench", "blasbench")
        return {f"{name}.part" for name in self.outputs} if writes_parts else set()

    def prepare(self, folder):
        if self.program == "skampi":
            (folder / ".skampi").write_text(SKAMPI_PARAMETERS)

    def command(self, world):
        command = [str(world.build / self.path), *self.words, *self.arguments, "--json", RECORD]
        return world.launch(2, *command) if self.mpi else command


def writer(path, arguments, *outputs, **words):
    return Writer(f"frontends/{path}", tuple(arguments.split()), frozenset(outputs), **words)


WRITERS = [
    writer("skampi/skampi", "-q", ".skampi", "skampi.out", "skampi.log"),
    writer("mpiperf/mpiperf", "-l log -E 20 --time-budget 5s Bcast Barrier", "log.0", "log.1"),
    writer("pmb/PMB-MPI1", "-iter 50 -msglog 0:12 -o table", "table"),
    writer("pmb/PMB-IO", "-iter 5 -msgsize 1024,65536 -o table", "table"),
    writer("b_eff/b_eff", "--quick --mem 1M -f x", "x.prot", "x.short", "x.sum", "x.plot", "x.gps"),
    writer("b_eff_io/b_eff_io", "-MB 64 -MT 64 -T 4 -N 2 --max-bytes 100 -f x", "x.prot", "x.sum", "x.plot", "x.gps"),
    writer("cachebench/cachebench", "-r -x 1 -m 16 -d 50ms -o table", "table", mpi=False),
]
# Writers that tests/long/kills does not repeat.
MORE_WRITERS = [
    writer("pmb/PMB-EXT", "-iter 50 -msglog 0:12 -o table", "table"),
    writer("pmb/measure-imb", "-iter 20000 -iter_policy off -msglog 0:12 Bcast Allreduce PingPong",
           words=("IMB-MPI1",)),
    writer("osu/measure-osu", "-i 20000 -m 1024", words=("osu_allreduce",)),
    writer("mpbench/mpbench", "-b -r -c -y -m 14 -i 3000 -o table", "table"),
    writer("blasbench/blasbench", "-t -m 16 --output table", "table", mpi=False),
]


def writers(build):
    return [one for one in WRITERS + MORE_WRITERS if (build / one.path).exists()]


class World:
    """The build under test."""

    def __init__(self, build):
        self.build = build
        self.launcher = str(build / "tools/mpiexec")
        # Ranks yield their cores, because there may be more ranks than cores.
        self.yields = next(map(str, (build / "tools/yield").glob("*.so")), "")
        self.programs = every(build)
        self.measure = build / MEASURE

    def launch(self, ranks, *command):
        yields = ["env", f"LD_PRELOAD={self.yields}"] if self.yields else []
        return [self.launcher, "-n", str(ranks), *yields, *command]

    @staticmethod
    def blames_the_disk(run):
        return any(re.search("No space left on device|File too large", line) for line in run.errors())
