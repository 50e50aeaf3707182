#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""File handling of the programs, from outside: two runs with one output, refused runs, full disks, endless input, and
names with terminal control characters.

usage: files_test.py PROBE FRONTENDS VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys

import harness
from harness import LIMIT, slow

PROBE = str(pathlib.Path(sys.argv[1]).resolve())
FRONTENDS = pathlib.Path(sys.argv[2]).resolve()
harness.ProgramTest.tools(*sys.argv[3:6])

MPIPERF, CACHEBENCH, MEASURE, B_EFF, B_EFF_IO = (
    str(FRONTENDS / name / name) for name in ("mpiperf", "cachebench", "measure", "b_eff", "b_eff_io"))
PMB, PMB_IO, SKAMPI, POST, REPORT = (
    str(FRONTENDS / folder / name) for folder, name in
    (("pmb", "PMB-MPI1"), ("pmb", "PMB-IO"), ("skampi", "skampi"), ("skampi", "skampi-post"),
     ("skampi", "skampi-report")))
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
BUSY = r"cannot write '.*': another run is writing it$"


class FilesTest(harness.ProgramTest):
    def run_it(self, program, *arguments, ranks=0, code=None, stdin=subprocess.DEVNULL, limits=None,
               environment=None):
        """Runs a program in the folder until it ends. \\param limits  largest size of a file, in bytes"""
        command = [self.launcher, "-n", str(ranks)] if ranks else []
        if self.yield_helper and ranks:
            command += ["env", "LD_PRELOAD=" + self.yield_helper]

        def limit():
            if limits:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limits, limits))
        done = subprocess.run([*command, program, *map(os.fsencode, map(str, arguments))], stdin=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, timeout=LIMIT,
                              env=os.environ | {"TMPDIR": str(self.folder)} | (environment or {}), preexec_fn=limit,
                              check=False)
        ended = harness.Ended(done.returncode, done.stdout.decode(errors="replace"),
                              done.stderr.decode(errors="surrogateescape"), self.json)
        if code is not None:
            self.assertEqual(ended.code, code, ended.err)
        return ended

    def refused(self, pattern, program, *arguments, code=2, **keywords):
        """The program prints one error line and nothing else."""
        ended = self.run_it(program, *arguments, code=code, **keywords)
        name = "probe" if program == PROBE else pathlib.Path(program).name
        self.assertEqual(len(ended.err), 1, ended.err)
        self.assertRegex(ended.err[0], f"^{name}( [a-z]+)?: (.*:1:1: )?error: .*" + pattern)
        return ended

    def file(self, name, text="old\n"):
        path = self.folder / name
        path.write_text(text)
        return path

    def contents(self):
        return {path.name: path.read_text() for path in self.folder.iterdir() if path.is_file()}

    def record(self):
        self.run_it(PROBE, "--json", "in.jsonl", code=0)
        return "in.jsonl"


class Locks(FilesTest):
    def begin(self, program, *arguments, until):
        process = subprocess.Popen([program, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for(until, "the first run has not begun")
        self.assertIsNone(process.poll())
        return process

    def has(self, name, at_least=1):
        path = self.folder / name
        return lambda: path.exists() and path.stat().st_size >= at_least

    @slow
    def test_the_second_of_two_runs_is_refused(self):
        cases = (
            (PROBE, ("-m", "endless", "--json", "a"), "a", "common_probe"),
            (MPIPERF, ("--noise", "60s", "--json", "m"), "m", "mpiperf"),
            (CACHEBENCH, ("-r", "-x", 0, "-m", 9, "-d", "60s", "-o", "b"), "b.part", "cachebench"))
        for program, arguments, grows, name in cases:
            with self.subTest(program=name):
                first = self.begin(program, *arguments, until=self.has(grows, 0 if name == "cachebench" else 1))
                before = self.contents()[grows]
                for second in (program, PROBE):
                    options = arguments if second == program else ("--json", arguments[-1])
                    self.refused(BUSY, second, *options)
                    self.assertTrue(self.contents()[grows].startswith(before))
                # The files of a killed run are taken over at once.
                first.kill()
                first.wait()
                self.run_it(PROBE, "--json", arguments[-1], code=0)
                self.assert_valid_file(self.folder / arguments[-1])

    @harness.not_quick
    def test_a_locked_file_is_recognised_under_every_name(self):
        self.file("a", "")
        (self.folder / "soft").symlink_to("a")
        (self.folder / "hard").hardlink_to(self.folder / "a")
        self.begin(PROBE, "-m", "endless", "--json", "a", until=self.has("a"))
        for name in ("soft", "hard", "./a", self.folder / "a"):
            self.refused(BUSY, PROBE, "--json", name)
            self.refused(BUSY, CACHEBENCH, "-r", "-x", 0, "-m", 9, "-d", "10ms", "-o", name)

    @harness.not_quick
    def test_two_runs_cannot_write_the_same_reports(self):
        process = self.launch(B_EFF, "--mem", "1M", "-f", self.folder / "x", record=False, cwd=self.folder)
        self.wait_for(self.has("x.prot"), "the first run has not begun")
        self.refused(r"--prefix: " + BUSY, B_EFF, "--mem", "1M", "-f", "x", "--quick", ranks=2)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)

    @harness.not_quick
    def test_two_runs_cannot_use_the_same_scratch_files(self):
        sizes = ",".join(["65536"] * 4000)
        first = self.launch(PMB_IO, "-iter", "1000,100000", "-msgsize", sizes, "C_Write_Expl", cwd=self.folder)
        self.wait_for(self.has("record.jsonl"), "the first run has not begun")
        owner = rf"PMB-IO, process \d+ on {socket.gethostname()}$"
        self.refused(rf"-file: cannot use 'pmb_out': another run is writing it: {owner}", PMB_IO, "C_Write_Expl")
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=LIMIT)
        self.assertFalse((self.folder / "pmb_out.lock").exists())

    @slow
    def test_one_file_cannot_be_used_for_two_options(self):
        self.file("in", SKAMPI_OUTPUT)
        self.refused("-o: 'x' is the file of --json$", POST, "-o", "x", "--json", "x", "in")
        (self.folder / "link").symlink_to("x")
        self.refused("-o: 'link' is the file of --json$", POST, "-o", "link", "--json", "x", "in")
        self.refused("--output: 'x' is the file of --json$", CACHEBENCH, "-r", "-o", "x", "--json", "./x")
        self.refused("--prefix: 'x.sum' is the file of --json$", B_EFF, "-f", "x", "--json", "x.sum", ranks=2)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["in", "link"])
        # A device is not a file.
        self.run_it(POST, "-o", "/dev/null", "--json", "/dev/null", "in", code=0)

    def test_an_input_is_never_overwritten(self):
        self.file("in", SKAMPI_OUTPUT)
        (self.folder / "hard").hardlink_to(self.folder / "in")
        self.file("config", "timer = mpi_wtime\n")
        before = self.contents()
        self.refused("-o: 'in' is an input$", POST, "-o", "in", "in")
        self.refused("-o: 'hard' is an input$", POST, "-o", "hard", "in")
        self.refused("--json: 'hard' is an input$", POST, "-o", "x", "--json", "hard", "in")
        self.refused("--json: 'config' is an input$", PROBE, "-i", "config", "--json", "config", ranks=2)
        self.refused("--json: 'config' is the file of --config$", MPIPERF, "--config", "config", "--json", "config")
        self.assertEqual(self.contents(), before)

    def test_an_input_named_like_a_part_file_is_never_overwritten(self):
        (self.folder / self.record()).rename(self.folder / "run.jsonl.part")
        before = self.contents()
        self.refused("-o: 'run.jsonl' is an input$", MEASURE, "report", "--format", "html",
                     "run.jsonl.part", "-o", "run.jsonl")
        self.assertEqual(self.contents(), before)
        (self.folder / "page.part").symlink_to("run.jsonl.part")
        self.refused("-o: cannot write 'page': '.*page.part' is a symbolic link$", MEASURE, "report", "run.jsonl.part",
                     "-o", "page")
        self.assertEqual(self.contents(), before | {"page.part": before["run.jsonl.part"]})


class Refused(FilesTest):
    """A refused run leaves all files unchanged and creates none."""

    def assert_unchanged(self, pattern, program, *arguments, **keywords):
        with self.subTest(program=program, arguments=arguments):
            before = self.contents()
            self.refused(pattern, program, *arguments, **keywords)
            self.assertEqual(self.contents(), before)

    NO_RECORD = r"--json: cannot write '/nonexistent/x': No such file or directory$"

    def test_refused_runs_of_the_skampi_tools_change_no_file(self):
        self.file("in", SKAMPI_OUTPUT)
        self.file("bad", "x\n")
        self.file("merged.out")
        record = ("--json", "/nonexistent/x")
        self.assert_unchanged(self.NO_RECORD, POST, "-o", "merged.out", *record, "in")
        self.assert_unchanged(self.NO_RECORD, POST, "-o", "new.out", *record, "in")
        self.assert_unchanged("not an output file of skampi", POST, "-o", "merged.out", "bad")
        (self.folder / "r").mkdir()
        for name in ("report.html", "report.tex", "gnuplot.log"):
            self.file(f"r/{name}")
        self.assert_unchanged(self.NO_RECORD, REPORT, "-o", "r", "--no-run", *record, "in")
        self.assertEqual(sorted(p.name for p in (self.folder / "r").iterdir()),
                         ["gnuplot.log", "report.html", "report.tex"])
        self.assertEqual((self.folder / "r/report.html").read_text(), "old\n")

    @harness.not_quick
    def test_refused_runs_of_measuring_programs_change_no_file(self):
        for name in ("out", "log.0", "x.prot", "x.short", "x.sum", "x.plot", "x.gps", "record.old"):
            self.file(name)
        record = ("--json", "/nonexistent/x")
        self.assert_unchanged(self.NO_RECORD, CACHEBENCH, "-r", "-o", "out", *record)
        self.assert_unchanged(self.NO_RECORD, MPIPERF, "Bcast", "-o", "out", "-l", "log", *record)
        self.assert_unchanged(self.NO_RECORD, B_EFF, "-f", "x", "--mem", "1M", *record, ranks=2)
        self.assert_unchanged(self.NO_RECORD, B_EFF_IO, "-MB", 1, "-MT", 2, "-f", "x", *record, ranks=2)
        self.assert_unchanged(self.NO_RECORD, PMB, "-o", "out", *record, "PingPong", ranks=2)
        # The opposite case: the record is usable and another output is not.
        self.assert_unchanged("", PROBE, "-m", "usage-early", "--json", "record.old")
        self.assert_unchanged("No such file", CACHEBENCH, "-r", "-o", "/nonexistent/x", "--json", "record.old")
        self.assert_unchanged("No such file", MPIPERF, "Bcast", "-l", "/nonexistent/x", "-o", "out", "--json", "new")
        self.assert_unchanged("No such file", B_EFF, "-f", "/nonexistent/x", "--mem", "1M", "--json", "record.old",
                              ranks=2)

    def test_a_record_on_a_full_disk_leaves_the_other_outputs(self):
        for name in ("x.prot", "x.sum"):
            self.file(name)
        self.assert_unchanged("No space left on device$", B_EFF, "-f", "x", "--mem", "1M", "--json", "/dev/full",
                              ranks=2, code=1)

    @harness.not_quick
    def test_unusable_paths_are_refused(self):
        (self.folder / "loop").symlink_to("loop")
        self.file("in", SKAMPI_OUTPUT)
        for name, reason in (("loop", "Too many levels of symbolic links"), ("x" * 256, "File name too long"),
                             ("/".join(["x" * 200] * 6), "File name too long|No such file or directory"),
                             ("/", "Is a directory"), ("in/x", "Not a directory")):
            for program, *arguments in ((PROBE, "--json"), (CACHEBENCH, "-r", "-o"), (POST, "in", "-o"),
                                        (MPIPERF, "Bcast", "-o"), (MEASURE, "doctor", "--json")):
                self.assert_unchanged(rf"cannot write '{name}': ({reason})$", program, *arguments, name)
        self.file("c", "@NODE n\n@NETWORK net\n@USER u\n@MEASUREMENTS\nMPI_Wtime { }\n")
        self.assert_unchanged("cannot write 'loop': Too many levels of symbolic links$", SKAMPI, "-f", "c", "-l",
                              "loop", ranks=2)
        for option in ("-l", "-o"):
            self.refused("cannot write 'x+': File name too long$", SKAMPI, "-f", "c", option, "x" * 256, ranks=2)


class Disks(FilesTest):
    def assert_full(self, program, *arguments, **keywords):
        with self.subTest(program=program):
            ended = self.refused("cannot write '.*': No space left on device$", program, *arguments, code=1, **keywords)
            self.assertFalse(any("Abort" in line or "TERMINATION" in line for line in ended.err), ended.err)

    @harness.not_quick
    def test_a_full_disk_gives_one_error_line_and_exit_code_1(self):
        self.file("in", SKAMPI_OUTPUT)
        self.assert_full(POST, "-o", "/dev/full", "in")
        self.assert_full(POST, "-o", "x", "--json", "/dev/full", "in")
        self.assert_full(CACHEBENCH, "-r", "-x", 0, "-m", 9, "-d", "10ms", "-o", "/dev/full")
        self.assert_full(PMB, "-o", "/dev/full", "-iter", 2, "PingPong", ranks=2)
        self.assert_full(MPIPERF, "Bcast", "-E", 5, "--progress", "never", "-o", "/dev/full", ranks=2)
        self.assert_full(MEASURE, "report", "-o", "/dev/full", "--format", "csv", self.record())

    def test_a_file_size_limit_gives_one_error_line(self):
        """SIGXFSZ would end the program silently and leave its temporary files."""
        record = self.record()
        before = set(self.contents())
        for form in ("html", "markdown"):
            ended = self.run_it(MEASURE, "report", "--format", form, "-o", "page", record, limits=512, code=1)
            self.assertRegex(ended.errors()[0], "cannot write '.*': File too large$")
            self.assertEqual(set(self.contents()), before)
        # MPI_Init creates files, too.
        ended = self.run_it(PROBE, "--json", "short", limits=512, environment={"PROBE_SOLO": "1"})
        self.assertEqual(ended.code, 1)
        self.assertEqual(ended.err, ["probe: error: cannot write 'short': File too large"])


class Inputs(FilesTest):
    def test_endless_input_is_refused(self):
        for program, *arguments in ((MPIPERF, "Bcast", "--config"), (PMB, "-input"), (SKAMPI, "-f"), (POST, "-o", "x"),
                                    (MEASURE, "report", "-o", "x.md")):
            with self.subTest(program=program):
                self.refused("cannot read '/dev/zero': it is a device", program, *arguments, "/dev/zero")
        self.assertEqual(self.contents(), {})

    @harness.not_quick
    def test_an_endless_pipe_is_refused(self):
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
            self.refused("cannot read '/dev/stdin': it has more than 64 MiB", PROBE, "-i", "/dev/stdin",
                         stdin=endless.stdout)
            endless.kill()
        with subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE) as endless:
            self.refused("cannot read 'standard input': a line has more than 64 MiB", MEASURE, "report", "-o", "x.md",
                         "-", stdin=endless.stdout)
            endless.kill()

    @harness.not_quick
    def test_pipes_and_standard_input_are_read(self):
        with open(self.folder / self.record(), "rb") as record:
            self.run_it(MEASURE, "report", "-o", "x.md", "-", stdin=record, code=0)
        with subprocess.Popen(["printf", r"one\ntwo\n"], stdout=subprocess.PIPE) as pipe:
            ended = self.run_it(PROBE, "-i", "/dev/stdin", stdin=pipe.stdout, code=0)
        self.assertTrue(ended.out.startswith("one\ntwo\n"))

    @harness.not_quick
    def test_many_errors_are_reported_briefly(self):
        self.file("names", "nothing\n" * 1000)
        ended = self.run_it(PMB, "-input", "names", code=2)
        self.assertEqual(len(ended.err), 21)
        self.assertEqual(ended.err[-1], "PMB-MPI1: error: 980 more errors are not shown")
        self.file("names", "x" * 3000000)
        ended = self.refused("there is no benchmark 'xxx", PMB, "-input", "names")
        self.assertLess(len(ended.err[0]), 5000)

    def test_names_with_terminal_control_characters_are_escaped(self):
        for name, shown in (("a\x1b[31mb", r"a\\x1b\[31mb"), ("a\nb", r"a\\nb"), ("a\udcffb", r"a\\xffb"),
                            ("a\u009bb", r"a\\xc2\\x9bb"), ("größe", "größe")):
            with self.subTest(name=shown):
                self.refused(f"cannot read '{shown}': No such file or directory$", PROBE, "-i", name)
                self.refused(f"cannot read '{shown}'", MEASURE, "report", "-o", "x.md", name)
                self.refused(f"cannot write '{shown}/x': No such file or directory$", PROBE, "--json", name + "/x")

    def test_no_command_enters_a_script(self):
        for program, *arguments in ((B_EFF_IO, "-MB", 1, "-MT", 2, "-f"), (B_EFF, "--mem", "1M", "-f")):
            self.refused("contains a control character", program, *arguments, "x\nsystem 'true'\n#", ranks=2)


if __name__ == "__main__":
    harness.main(sys.argv[6:])
