#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""measure archive from outside: records come back unchanged after all kinds of failures, and the site is readable.

usage: measure_archive_test.py MEASURE VALIDATE_RECORDS LAUNCHER [UNITTEST OPTIONS]
"""
import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import time

import harness
from harness import LIMIT, plain

MEASURE = str(pathlib.Path(sys.argv[1]).resolve())
harness.ProgramTest.tools(*sys.argv[2:4])

RUN = {"record": "run", "schema": 2, "suite": "mpiperf", "program": "mpiperf", "version": "0.1.0",
       "command": ["mpiperf"], "started": "2025-01-31T10:00:00Z", "mpi": {"library": "MPICH 4.0.2", "standard": "4.0"}, "ranks": 2,
       "hosts": [{"name": "node1", "ranks": "0-1", "cores": 2, "cpu": "Example CPU"}], "oversubscribed": False,
       "kernel": "Linux 6.1", "clocksource": None, "governor": None, "compiler": "gcc",
       "timer": {"name": "tsc", "resolution": 1e-9, "overhead": 1e-8, "frequency": None}, "clock_sync": None,
       "options": {"seed": 1}, "warnings": []}
END = {"record": "end", "status": "complete", "exit_code": 0, "elapsed": 1.0, "clock_sync_residual": None}
EVIL = "<script>alert(1)</script>\"'&\x1b[31m\u00e9"


def point(value, size=8, benchmark="Bcast", **more):
    estimate = value and {"mean": value, "standard_error": value / 20, "confidence": 0.95,
                          "interval": [value * 0.9, value * 1.1], "median": value, "median_interval": None,
                          "min": value, "max": value}
    return {"record": "point", "benchmark": benchmark, "at": {"ranks": 2, "bytes": size}, "quantity": "time",
            "unit": "s", "value": value, "status": "converged", "estimate": estimate, "attempts": 32, "valid": 30,
            "kept": 16, "invalid": {}, "derived": {}, "flags": [], "elapsed": 0.5} | more


def started(day, hour=10):
    return {"started": f"2025-02-{day:02}T{hour:02}:00:00Z"}


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def many(runs, points):
    """Returns a file with that many runs."""
    own = lines(*[point(1e-6 * (1 + i), 8 << i) for i in range(points)], END)
    return b"".join(lines(RUN | started(1 + i % 28) | {"options": {"seed": i}}) + own for i in range(runs))


class ArchiveTest(harness.ProgramTest):
    def setUp(self):
        super().setUp()
        self.archive = self.folder / "archive.sqlite"

    def command(self, action, *arguments):
        return [MEASURE, "archive", action, *([] if action.startswith("-") else ["-a", str(self.archive)]),
                *map(str, arguments)]

    def run_it(self, action, *arguments, code=0, text=True, **words):
        done = subprocess.run(self.command(action, *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT, **({"stdin": subprocess.DEVNULL} | words))
        err = done.stderr.decode()
        self.assertEqual(done.returncode, code, (done.stdout, err))
        self.err = err.splitlines()
        return done.stdout.decode() if text else done.stdout

    def refused(self, action, *arguments, text, code=2, **words):
        self.run_it(action, *arguments, code=code, **words)
        self.assertEqual(len(self.err), 1, self.err)
        self.assertIn(text, self.err[0])

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return path

    def add(self, name, *records, options=()):
        """Returns the ID of the only run of a file."""
        out = self.run_it("add", *options, self.file(name, lines(*records)))
        return out.split()[1]

    def json_of(self, *arguments):
        return harness.document(MEASURE, self.run_it(*arguments, "--json", "-"))

    def values(self, *conditions):
        return [round(p["value"] * 1e6, 6) for p in self.json_of("query", *conditions)["points"]]

    # ---- records

    def test_control_characters_in_names_and_texts_do_not_reach_the_terminal(self):
        name = b"a\n\x1b[31m\xff\xc2\x9b.jsonl"
        path = os.fsencode(self.folder) + b"/" + name
        with open(path, "wb") as file:
            file.write(lines(RUN | {"program": "p\x1b[2J"}, point(1e-6), END))
        out = self.run_it("add", os.fsdecode(path))
        self.assertEqual(len(out.splitlines()), 1)
        self.assertIn("a??[31m??.jsonl", out)
        out += self.run_it("remove", out.split()[1])
        self.assertEqual(re.findall(r"[^\x20-\x7e\n]", out), [])

    def test_exported_records_equal_the_added_files(self):
        first = b"[hydra] chatter\n" + lines(RUN, point(1e-6)) + b"more chatter \xff\n" + lines(END)
        torn = lines(RUN | started(2), point(2e-6)) + b'{"record":"point","bench'
        both = self.file("both.jsonl", first + torn)
        out = self.run_it("add", both)
        self.assertEqual(len(self.err), 1)
        self.assertIn("both.jsonl:1: this line and 1 more are not records: [hydra] chatter", self.err[0])
        ids = [line.split()[1] for line in out.splitlines()]
        self.assertEqual([self.run_it("export", i, text=False) for i in ids], [first, torn])
        self.assertEqual(self.run_it("export", *ids, text=False), both.read_bytes())
        self.run_it("export", "-o", self.folder / "out", ids[0])
        self.assertEqual((self.folder / "out").read_bytes(), first)
        self.refused("export", *reversed(ids), text="in the middle of a line")
        runs = self.json_of("list")["runs"]
        self.assertEqual([r["run"] for r in runs], [hashlib.sha256(b).hexdigest() for b in (first, torn)])
        self.assertEqual([(r["points"], r["status"]) for r in runs], [(1, "complete"), (1, "cut")])
        self.assertIn("2 runs, none damaged", self.run_it("check"))

    def test_a_known_run_is_recognised_and_a_later_state_replaces_it(self):
        part = lines(RUN, point(1e-6)) + b'{"record":"po'
        whole = lines(RUN, point(1e-6), point(2e-6, 16), END)
        before = self.run_it("add", "--tag", "paper", "--label", "mine", self.file("a", part)).split()
        self.assertEqual(self.run_it("add", self.file("b", part)).split()[:2], ["known", before[1]])
        after = self.run_it("add", self.file("c", whole)).split()
        self.assertEqual(after[0], "replaced")
        self.assertIn(f"(was {before[1]})", " ".join(after))
        self.assertEqual(self.run_it("add", self.folder / "a").split()[:2], ["older", after[1]])
        other = self.run_it("add", self.file("d", lines(RUN, point(3e-6), END))).split()
        self.assertEqual(other[0], "added")
        self.assertIn("both are kept", self.err[0])
        kept = {r["run"][:10]: r for r in self.json_of("list")["runs"]}
        self.assertEqual(set(kept), {after[1], other[1]})
        self.assertEqual((kept[after[1]]["label"], kept[after[1]]["tags"]), ("mine", ["paper"]))

    def test_a_run_from_standard_input_can_be_marked_and_removed(self):
        out = self.run_it("add", "--json", "-", "-", stdin=self.file("a", lines(RUN, END)).open())
        run = harness.document(MEASURE, out)["runs"][0]
        self.assertEqual((run["what"], run["file"]), ("added", "-"))
        self.run_it("mark", "--tag", "a b", "--tag", "c", "--machine", "box", "--note", "hot day", run["run"][:6])
        self.run_it("mark", "--untag", "c", run["run"])
        found = self.json_of("list", "tag=a b", "machine=box")["runs"][0]
        self.assertEqual((found["tags"], found["note"]), (["a b"], "hot day"))
        self.assertIn("removed", self.run_it("remove", run["run"][:4]))
        self.assertEqual(self.run_it("list", "--ids"), "")

    # ---- searching

    def fill(self):
        """Fills the archive with runs of two machines and two libraries."""
        openmpi = {"mpi": {"library": "Open MPI 4.1.4", "standard": "3.1"}}
        other = {"hosts": [{"name": "fat", "ranks": "0-1", "cores": 64, "cpu": "Other CPU"}]}
        return [self.add("1", RUN | started(1), point(1e-6), point(2e-6, 4096), point(5e-6, 8, "Barrier"), END,
                         options=["--tag", "paper"]),
                self.add("2", RUN | openmpi | started(2), point(1.5e-6), point(3e-6, 4096), END),
                self.add("3", RUN | other | started(3), point(7e-6, flags=["migrated"]), point(None, 4096,
                         status="skipped", message="time"), END)]

    def test_conditions_select_points(self):
        first, second, third = self.fill()
        self.assertEqual(self.values("bytes=8"), [1, 5, 1.5, 7])
        self.assertEqual(self.values("benchmark!=Barrier", "bytes=8"), [1, 1.5, 7])
        self.assertEqual(self.values("bytes>=4KiB", "value>0"), [2, 3])
        self.assertEqual(self.values("value<2us", "mpi~open"), [1.5])
        self.assertEqual(self.values("value>=2us", "machine=node# (Example CPU)"), [2, 5, 3])
        self.assertEqual(self.values("cpu=Other CPU,Third", "value>0"), [7])
        self.assertEqual(self.values("cores>=64", "verdict=converged"), [7])
        self.assertEqual(self.values("flag=migrated"), [7])
        self.assertEqual(self.values("at.bytes=8", "ranks=2", "tag=paper"), [1, 5])
        self.assertEqual(self.values("started=2025-02-02"), [1.5, 3])
        self.assertEqual(self.values("started<=2025-02-01", "started>2025-01"), [1, 2, 5])
        self.assertEqual(self.values("tag=", "bytes=8"), [1.5, 7])
        self.assertEqual(self.values(f"id={second}"), [1.5, 3])
        self.assertEqual(self.run_it("list", "--ids", "benchmark=Barrier").split(), [first])
        self.assertEqual(self.run_it("list", "--ids", "host!=node1").split(), [third])
        # Both conditions must hold for one point: there is no Barrier of 4 KiB.
        self.assertEqual(self.run_it("list", "--ids", "benchmark=Barrier", "bytes=4096"), "")
        self.refused("query", "bites=8", text="did you mean 'bytes'?")

    def test_runs_are_compared_like_files(self):
        ids = self.fill()
        self.run_it("compare", "--quiet", ids[0], ids[1])
        sides = [ids[0], "--", ids[1]]
        report = json.loads(self.run_it("compare", "--quiet", "--json", "-", "-o", self.folder / "text", *sides))
        self.assertEqual([point["benchmark"] for point in report["points"]], ["Bcast", "Bcast"])
        self.refused("compare", "--quiet", ids[0], "dead", text="no run matches 'dead'")

    def test_runs_can_be_named_by_label_date_and_place(self):
        runs = {label: [RUN | started(day) | {"campaign": {"id": label, "launch": launch}}
                        for launch, day in enumerate(days, 1)]
                for label, days in (("spring", (1, 2)), ("summer", (3, 4)))}
        for label, starts in runs.items():
            file = self.file(label, lines(*[line for run in starts for line in (run, point(1e-6 * starts[0]["campaign"]["launch"]), END)]))
            self.run_it("add", "--label", label, file)
        alone = self.add("alone", RUN | started(5), point(4e-6), END)

        def sides(*words):
            report = json.loads(self.run_it("compare", "--quiet", "--json", "-", "-o", self.folder / "text", *words))
            return [[run["started"] for run in report[side]] for side in "ab"]
        days = lambda *some: [started(day)["started"] for day in some]
        self.assertEqual(sides("spring", "summer"), [days(1, 2), days(3, 4)])
        self.assertEqual(sides("last~2", "last~1"), [days(1, 2), days(3, 4)])
        self.assertEqual(sides("last~1", "last"), [days(3, 4), days(5)])
        self.assertEqual(sides("2025-02-03", alone), [days(3), days(5)])
        (self.folder / "text").unlink()
        for word, text in (("sumer", "did you mean 'summer'?"),
                           ("last~3", f"contains {alone}, summer, spring, the last from 2025-02-05"),
                           ("last~x", "no run matches 'last~x'"), ("2024", "no run matches '2024'")):
            self.refused("compare", "--quiet", word, "spring", text=text)

    def test_no_output_replaces_the_archive(self):
        ids = self.fill()
        more = self.file("more", lines(RUN | started(7), END))
        link = self.folder / "link"
        link.symlink_to(self.archive)
        self.refused("list", "--json", link, text="is an input")
        for action in (["export", ids[0], "-o"], ["query", "--csv"], ["add", more, "--json"],
                       ["compare", ids[0], ids[1], "-o"], ["compare", ids[0], ids[1], "--json"]):
            self.refused(*action, self.archive, text="is an input")
        self.refused("add", more, "--json", more, text="is an input")
        self.refused("query", "--csv", self.folder / "x", "--json", self.folder / "x", text="is the file of --csv")
        self.assertIn("3 runs, none damaged", self.run_it("check"))

    def test_queries_print_tables_csv_json_and_sql_results(self):
        ids = self.fill()
        table = self.run_it("query", "benchmark=B*s?").splitlines()
        self.assertEqual(table, self.run_it("query", "benchmark=Bcast").splitlines())
        self.assertEqual(table[0].split(), "run machine mpi benchmark ranks bytes value interval verdict flags".split())
        self.assertEqual(len(table), 7)
        self.assertTrue(table[1].startswith(ids[0]))
        rows = list(csv.DictReader(io.StringIO(self.run_it("query", "value>0", "--csv", "-"))))
        self.assertEqual([float(row["value"]) for row in rows[:2]], [1e-6, 2e-6])
        self.assertEqual((rows[0]["at.bytes"], rows[0]["unit"]), ("8", "s"))
        found = self.json_of("query", "flag=migrated")["points"][0]
        self.assertEqual((found["at"], found["flags"]), ({"ranks": 2, "bytes": 8}, ["migrated"]))
        self.assertEqual([round(limit * 1e6, 6) for limit in found["interval"]], [6.3, 7.7])
        # Joined launches have the median as value, with its interval; the standard error is that of the mean.
        joined = point(9e-6, derived={"launches": [9e-6], "launch_medians": [8e-6]}) | {"value": 8e-6}
        joined["estimate"] |= {"median": 8e-6, "median_interval": [7e-6, 8.5e-6]}
        self.add("joined", RUN | started(9), joined, END)
        found = self.json_of("query", "started=2025-02-09")["points"][0]
        self.assertEqual((found["value"], found["interval"]), (8e-6, [7e-6, 8.5e-6]))
        self.run_it("remove", found["run"])
        self.assertEqual(self.json_of("query", "--sql", "SELECT count(*) AS n FROM run")["rows"], [{"n": 3}])
        for text in ("DELETE FROM run", "SELECT 1; SELECT 2", "ATTACH 'x' AS y", "SELECT nothing"):
            self.run_it("query", "--sql", text, code=2)
            self.assertEqual(len(self.err), 1)
        self.assertEqual(len(self.json_of("list")["runs"]), 3)
        for unknown in ("dead", "xyz", ids[0][:3]):
            self.run_it("export", unknown, code=2)

    # ---- what goes wrong

    def test_all_files_that_are_not_records_are_named(self):
        good = self.file("good", lines(RUN, END))
        bad = [self.file("html", b"<!DOCTYPE html><p>no"), self.file("binary", bytes(range(256)) * 9),
               self.file("empty", b""), self.file("json", b'{"a": 1}\n'),
               self.file("middle", lines(RUN) + b'{"record":"point"\n' + lines(END)),
               self.file("huge", lines(RUN, point(1e-6)).replace(b"1e-06", b"1e400")),
               self.file("deep", lines(RUN) + b'{"record":"x","y":' + b"[" * 99999 + b"]" * 99999 + b"}\n"),
               self.file("newer", lines(RUN | {"schema": 3}))]
        self.run_it("add", good, *bad, self.folder / "none", self.folder, code=2)
        self.assertEqual(len(self.err), len(bad) + 2, self.err)
        for path, line in zip(bad, self.err):
            self.assertRegex(line, re.escape(f"measure archive add: {path}:") + r"\d+:\d+: error: ")
        self.assertFalse(self.archive.exists())
        out = self.run_it("add", "--skip-broken", good, *bad, code=4)
        self.assertEqual((len(out.splitlines()), len(self.err)), (1, len(bad)))

    def test_files_that_are_not_archives_are_refused(self):
        record = self.file("record", lines(RUN, END))

        def all_refuse(text):  # reading, adding and changing
            for action in (["list"], ["add", record], ["check"]):
                self.refused(*action, text=text)

        self.refused("list", text="does not exist; create it with")
        self.archive.write_bytes(b"no database at all\n" * 99)
        all_refuse("not an archive, because it is not an SQLite database")
        self.archive.unlink()
        with sqlite3.connect(self.archive) as other:
            other.execute("CREATE TABLE run(id)")
        other.close()
        all_refuse("not an archive, but a database of another program")
        self.archive.unlink()
        self.run_it("add", record)
        with sqlite3.connect(self.archive) as newer:
            newer.execute("PRAGMA user_version = 2")
        newer.close()
        all_refuse("the archive has schema 2, but this program supports only schema 1")
        self.archive.unlink()
        self.archive.mkdir()
        self.refused("list", text="not an archive, but a directory")

    def test_a_damaged_archive_causes_no_crash(self):
        self.run_it("add", self.file("a", many(30, 10)))
        whole = self.archive.read_bytes()
        self.archive.write_bytes(whole[:len(whole) // 2])
        for action in (["list"], ["query"], ["check"]):
            done = subprocess.run(self.command(*action), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
            self.assertIn(done.returncode, (0, 1, 2, 3), done)
            self.assertLessEqual(len(done.stderr.splitlines()), 1, done)
        self.archive.write_bytes(whole.replace(b"1e-06", b"2e-06", 1))
        self.assertIn("has changed since it was added", self.run_it("check", code=3))

    @harness.not_quick
    def test_a_full_disk_leaves_the_archive_unchanged(self):
        self.run_it("add", self.file("a", lines(RUN, END)))
        before = self.archive.read_bytes()

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 4096, len(before) + 4096))

        self.run_it("add", self.file("b", many(200, 10)), code=1, preexec_fn=limit, restore_signals=False)
        self.assertEqual(len(self.err), 1)
        self.assertEqual(len(self.run_it("list", "--ids").split()), 1)
        self.assertIn("1 runs", self.run_it("check"))

    def test_a_read_only_archive_can_be_read(self):
        run = self.add("a", RUN, END)
        before = self.file("b", lines(RUN | started(5), END))
        self.archive.chmod(0o444)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        as_nobody = self.without_rights(MEASURE)
        self.assertIn(run, self.run_it("list", preexec_fn=as_nobody))
        self.refused("add", before, text="cannot be written", preexec_fn=as_nobody)
        self.archive = self.folder / "new.sqlite"
        self.refused("add", before, text="cannot be opened", preexec_fn=as_nobody)

    def test_a_device_is_refused_as_an_archive(self):
        self.archive = pathlib.Path("/dev/zero")
        self.refused("add", self.file("a", lines(RUN, END)),
                     text="'/dev/zero': not an archive, because it is not a regular file")

    @plain
    @harness.not_quick
    def test_a_killed_add_leaves_no_partial_run(self):
        self.run_it("add", self.file("a", lines(RUN, END)))
        journal = pathlib.Path(f"{self.archive}-journal")
        more = self.file("b", many(400, 12))
        process = subprocess.Popen(self.command("add", more), stdout=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        self.wait_for(lambda: journal.exists() or process.poll() is not None, "nothing is written")
        process.kill()
        process.wait()
        self.assertIn(len(self.run_it("list", "--ids").split()), (1, 401))
        self.assertIn("runs, none damaged", self.run_it("check"))
        self.run_it("add", more)
        self.assertEqual(len(self.run_it("list", "--ids").split()), 401)

    def test_several_processes_may_add_at_once(self):
        files = [self.file(f"{i}", lines(RUN | started(1 + i), point(1e-6), END)) for i in range(6)]
        running = [subprocess.Popen(self.command("add", path), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                   for path in files]
        for process in running:
            _, err = process.communicate(timeout=LIMIT)
            self.assertEqual((process.returncode, err), (0, b""))
        self.assertEqual(len(self.run_it("list", "--ids").split()), 6)

    @plain
    @harness.not_quick
    def test_a_thousand_runs_are_searched_quickly(self):
        self.run_it("add", self.file("a", many(1000, 6)))
        begun = time.monotonic()
        self.assertEqual(len(self.run_it("list", "--ids", "benchmark=Bcast").split()), 1000)
        self.assertEqual(len(self.run_it("query", "bytes=64").splitlines()), 1001)
        self.assertLess(time.monotonic() - begun, 20)

    # ---- the site

    def site(self, *arguments, **words):
        return self.run_it("site", self.folder / "site", *arguments, **words)

    def pages(self):
        return {str(path.relative_to(self.folder / "site")): path.read_bytes()
                for path in (self.folder / "site").rglob("*") if path.is_file()}

    def test_a_site_depends_only_on_the_runs_and_follows_removals(self):
        ids = self.fill()
        self.site("--no-plots", "--title", "Ours")
        pages = self.pages()
        self.assertEqual(sorted(name.split("-")[0] for name in pages if name.endswith(".html")),
                         ["benchmark"] * 2 + ["index.html"] + ["library"] * 2 + ["machine"] * 2 + ["run"] * 3)
        sums = subprocess.run(["sha256sum", "-c", "--quiet", "--strict", "site.sha256"], cwd=self.folder / "site")
        self.assertEqual(sums.returncode, 0)
        for name, text in pages.items():
            for link in re.findall(rb'href="([^"]*)"', text):
                self.assertIn(link.decode(), pages, name)
            self.assertNotRegex(text, rb"https?://")
        self.assertIn("(0 written, 0 removed)", self.site("--no-plots", "--title", "Ours"))
        mine = self.file("site/notes.txt", b"of the user")
        changed = next(path for path in (self.folder / "site").glob("library-Open*"))
        changed.write_text("changed by hand")
        self.run_it("remove", ids[1])
        self.site("--no-plots", "--title", "Ours")
        self.assertEqual(len(self.err), 1)
        self.assertIn("it was changed", self.err[0])
        left = self.pages()
        self.assertEqual({name for name in left if name.startswith("library")},
                         {changed.name, *(n for n in pages if n.startswith("library-MPICH"))})
        self.assertTrue(mine.exists())
        self.assertEqual(sum(name.startswith("run-") for name in left), 2)

    def test_runs_of_different_days_and_settings_have_separate_rows_on_a_site(self):
        for name, day, x, value in (("1", "2025-01-31", "1", 1e-6), ("2", "2025-11-30", "1", 3e-6),
                                    ("3", "2025-11-30", "2", 7e-6)):
            self.add(name, RUN | {"started": day + "T10:00:00Z", "mpi_settings": {"MPIR_CVAR_X": x}}, point(value), END)
        self.site("--no-plots")
        page = next(text.decode() for name, text in self.pages().items() if name.startswith("benchmark-"))
        values = page[page.index(">Values<"):page.index(">Runs<")]
        self.assertIn("3.000 us", values)
        self.assertIn("7.000 us", values)
        self.assertNotIn("2.000 us", values)
        self.site("--no-plots", "--join")
        page = next(text.decode() for name, text in self.pages().items() if name.startswith("benchmark-"))
        values = page[page.index(">Values<"):page.index(">Runs<")]
        self.assertIn("2.000 us", values)
        self.assertIn("7.000 us", values)

    def test_a_record_with_a_damaged_line_is_refused(self):
        whole = [json.dumps(line) for line in (RUN, point(1e-6), point(2e-6, 64), END)]
        path = self.file("damaged", ("\n".join([*whole[:2], "x" + whole[2][1:], whole[3]]) + "\n").encode())
        self.refused("add", path, text="damaged:3:1: error: this line is broken")

    def test_a_site_does_not_overwrite_a_foreign_folder(self):
        self.fill()
        index = self.file("site/index.html", b"mine")
        self.refused("site", self.folder / "site", text="does not belong to an earlier site")
        self.assertEqual((index.read_bytes(), len(self.pages())), (b"mine", 1))
        self.file("taken", b"")
        self.refused("site", "--no-plots", self.folder / "taken", text="cannot make the folder")
        self.refused("site", "--no-plots", self.folder / "new", "tag=none", text="no runs for a site")

    def test_texts_of_users_are_escaped(self):
        evil = RUN | {"program": EVIL, "command": [EVIL], "kernel": EVIL, "compiler": EVIL, "warnings": [EVIL],
                      "mpi": {"library": EVIL, "standard": "4.0"}, "options": {EVIL: [EVIL]}, "more": {EVIL: EVIL},
                      "hosts": [{"name": EVIL, "ranks": "0-1", "cores": 2, "cpu": EVIL}]}
        self.add("evil", evil, point(1e-6, benchmark=EVIL, at={EVIL: EVIL, "bytes": 8}, flags=[EVIL], message=EVIL), END,
                 options=["--label", "<b>", "--note", EVIL, "--tag", EVIL])
        self.assertNotIn("\x1b", self.run_it("list") + self.run_it("query"))
        self.site("--title", "<i>&")
        for name, text in self.pages().items():
            self.assertRegex(name, r"^[A-Za-z0-9./-]+$")
            if name.endswith(".html"):
                for mark in (b"<script>alert", b"\x1b", b"<b>", b"<i>&"):
                    self.assertNotIn(mark, text, name)

    @harness.browser
    @harness.not_quick
    def test_a_browser_shows_sorts_and_filters_the_site(self):
        self.fill()
        self.site()
        page = next((self.folder / "site").glob("benchmark-mpiperf-Bcast-*"))
        self.assertIn(b"<svg", page.read_bytes())
        act = """
          const data = document.querySelector("table.data");
          const rows = () => [...data.tBodies[0].rows].map((row) => row.cells[at].textContent.trim()).join("|");
          const head = [...data.tHead.rows[0].cells].find((cell) => cell.textContent === "value");
          const at = head.cellIndex;
          const results = [rows()];
          head.firstChild.click(); results.push(rows());
          head.firstChild.click(); results.push(rows(), head.getAttribute("aria-sort"));
          document.title = JSON.stringify(results);
        """
        # The page forbids all scripts except its own.
        mine = base64.b64encode(hashlib.sha256(act.encode()).digest()).decode()
        copy = self.folder / "site/copy.html"
        copy.write_text(page.read_text().replace("script-src ", f"script-src 'sha256-{mine}' ") +
                        f"<script>{act}</script>")
        done = harness.run_browser(copy)
        title = re.search(r"<title>(\[.*?\])</title>", done.stdout)
        self.assertIsNotNone(title, done.stdout[-2000:])
        as_written, up, down, order = json.loads(title[1])
        self.assertEqual(as_written.split("|"), ["1.000 us", "2.000 us", "1.500 us", "3.000 us", "7.000 us", ""])
        self.assertEqual(up.split("|"), ["1.000 us", "1.500 us", "2.000 us", "3.000 us", "7.000 us", ""])
        self.assertEqual(down.split("|"), ["7.000 us", "3.000 us", "2.000 us", "1.500 us", "1.000 us", ""])
        self.assertEqual(order, "descending")

    # ---- the commands

    def test_commands_are_listed_and_unknown_ones_refused(self):
        self.assertIn("export", self.run_it("--help"))
        done = subprocess.run([MEASURE, "archive", "melt"], stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "measure archive: error: 'melt' is not a command (see measure archive --help)\n"))
        environment = os.environ | {"MEASURE_ARCHIVE": str(self.archive)}
        self.add("a", RUN, END)
        done = subprocess.run([MEASURE, "archive", "list", "--ids"], stdout=subprocess.PIPE, env=environment)
        self.assertEqual(len(done.stdout.split()), 1)
        before = subprocess.run([MEASURE, "archive", "-a", self.archive, "list", "--ids"], stdout=subprocess.PIPE)
        self.assertEqual(before.stdout, done.stdout)

    def test_the_default_archive_is_that_of_measure_run(self):
        file = self.file("a", lines(RUN, END))
        without = {name: text for name, text in os.environ.items()
                   if name not in ("MEASURE_ARCHIVE", "XDG_DATA_HOME", "HOME")}
        for variables, place in ((("XDG_DATA_HOME",), "measure"), (("HOME",), ".local/share/measure")):
            with self.subTest(place):
                data = self.folder / "-".join(variables)
                data.mkdir()
                environment = without | {name: str(data) for name in variables}
                subprocess.run([MEASURE, "archive", "add", file], env=environment, check=True,
                               stdout=subprocess.DEVNULL)
                self.assertTrue((data / place / "archive.sqlite").exists())
        done = subprocess.run([MEASURE, "archive", "list"], env=without, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("no archive; name one with -a FILE", done.stderr)

    def test_a_joined_run_has_the_program_of_its_launches(self):
        starts = [{"name": "launch 1", "program": "mpiperf", "campaign": "monday"}]
        self.add("a", RUN | {"program": "measure", "options": {"launches": starts}}, point(1e-6), END)
        self.add("b", RUN | started(2) | {"program": "measure", "suite": "pmb", "options": {"launches": [{}]}}, END)
        self.add("c", RUN | started(3) | {"program": "measure"}, point(1e-6), END)
        self.assertEqual([run["program"] for run in self.json_of("list")["runs"]], ["mpiperf", "PMB-MPI1", "measure"])


if __name__ == "__main__":
    harness.main(sys.argv[4:])
