# SPDX-License-Identifier: BSD-3-Clause
"""Names that a shell, a page, a plot script, a table or a database could interpret: in records, in files, and as file
names."""
import csv
import html.parser
import io
import json
import os
import random
import re
import shutil
import subprocess
import xml.etree.ElementTree

import damaged
import programs
import runs
from part import Case

MARK = "PWNED"
NAMES = [
    f"$(touch {MARK})", f"`touch {MARK}`", f"; touch {MARK} ;", f"| touch {MARK}", f"&& touch {MARK}",
    f"' ; touch {MARK} ; '",
    f'" ; touch {MARK} ; "', f"-o {MARK}", f"--{MARK}", f"<script>{MARK}()</script>", f'"><img src=x onerror={MARK}()>',
    f"' onload='{MARK}()", f"</title><script>{MARK}</script>", f"]]><script>{MARK}</script>",
    f"</style><svg onload={MARK}()>",
    f"<!--{MARK}", f"javascript:{MARK}()", f"&lt;script&gt;{MARK}", f"'; system('touch {MARK}'); '",
    f'"; system("touch {MARK}"); "', f"x\nsystem 'touch {MARK}'\n#", f"@`touch {MARK}`", f"%s%n{MARK}",
    f"{{/:Bold {MARK}}}",
    f"=cmd|'/c touch {MARK}'!A1", f"+{MARK}", f"-{MARK}", f"@SUM({MARK})", f"\t={MARK}",
    f"'); DROP TABLE run; -- {MARK}",
    f"' OR 1=1 -- {MARK}", f"*/ #error {MARK} /*", f"\\\n#error {MARK}", f"\\input{{{MARK}}}",
    f"\\write18{{touch {MARK}}}",
    f"../{MARK}", f"../../{MARK}/x", f"/dev/null/{MARK}", f"\x1b]0;{MARK}\x07", f"\x1b[31m{MARK}", f"a\r\n{MARK}",
    f"{MARK}\x00x",
    f"\u202e{MARK}", f"[x](javascript:{MARK})", f"![x](http://{MARK}/)", f"|{MARK}|", f"{MARK}" * 2000, "", " ",
    "ü" * 300]
LETTER = re.compile(r"[A-Za-z]")


class Page(html.parser.HTMLParser):
    """Returns the parts of a page that a browser would interpret."""

    def __init__(self):
        super().__init__()
        self.policy, self.orders, self.within = False, [], None

    def handle_starttag(self, tag, attributes):
        self.within = tag
        values = dict(attributes)
        if tag == "meta" and (values.get("http-equiv") or "").lower() == "content-security-policy":
            self.policy = "default-src 'none'" in (values.get("content") or "")
        if tag in ("img", "iframe", "object", "embed", "base", "form", "link") and MARK in str(values):
            self.orders.append((tag, values))
        for name, value in attributes:
            if name.startswith("on") or (name in ("href", "src", "xlink:href") and re.match(
                    r"\s*(javascript|data|https?|file|//)", value or "")) and MARK in (value or ""):
                self.orders.append((tag, name, value))

    def handle_endtag(self, tag):
        self.within = None

    def handle_data(self, data):
        if self.within in ("script", "style") and MARK in data:
            self.orders.append((self.within, data[:200]))

    def handle_comment(self, data):
        if MARK in data:
            self.orders.append(("comment", data[:200]))


class Hostile(Case):
    def look_at(self, folder, before, run):
        """The outputs are harmless, and no other file appears."""
        for name in set(runs.files(folder)) - set(before):
            if name != "out" and not name.startswith(("out/", "out.", "archive.sqlite")):
                self.expect("left files", False, f"created '{name}'")
        for path in folder.rglob("out*"):
            if path.is_file():
                self.look_into(path)
        for place in (folder, folder.parent, folder.parent.parent):
            self.expect("left files", MARK not in os.listdir(place), f"'{MARK}' was created in {place}")
        self.expect("wrong words", not runs.CONTROL.search(run.err), f"control characters: {run.err[:200]!r}")

    def look_into(self, path):
        data = path.read_bytes()
        text = data.decode(errors="surrogateescape")
        looks = {".html": self.page, ".svg": self.picture, ".csv": self.table, ".md": self.markdown, ".h": self.header,
                 ".json": json.loads, ".xml": self.xml, ".gp": self.script, ".gps": self.script}
        try:
            looks.get(path.suffix, lambda _: None)(path if path.suffix == ".h" else text)
        except (ValueError, SyntaxError, xml.etree.ElementTree.ParseError) as error:
            self.expect("wrong words", False, f"{path.name} cannot be read: {error}")

    def page(self, text):
        page = Page()
        page.feed(text)
        page.close()
        self.expect("wrong words", page.policy, "a page without a Content-Security-Policy")
        self.expect("wrong words", not page.orders, f"a page contains active content: {page.orders[:3]}")

    def picture(self, text):
        root = xml.etree.ElementTree.fromstring(text)
        for element in root.iter():
            bad = element.tag.endswith("script") or any(name.startswith("on") for name in element.attrib)
            self.expect("wrong words", not bad, f"a picture contains active content: {element.tag} {element.attrib}")

    @staticmethod
    def xml(text):
        xml.etree.ElementTree.fromstring(text)

    def table(self, text):
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                bad = cell[:1] in ("=", "+", "-", "@", "\t", "\r") and LETTER.search(cell.replace("e", ""))
                self.expect("wrong words", not bad, f"a cell is a formula: {cell[:80]!r}")

    def markdown(self, text):
        bad = re.search(r"<(script|img|svg|iframe)|\]\(javascript:", text)
        self.expect("wrong words", not bad, f"active Markdown: {bad and text[max(0, bad.start() - 60):][:160]!r}")

    def header(self, path):
        compiler = shutil.which("cc")
        if compiler:
            done = subprocess.run([compiler, "-fsyntax-only", "-x", "c", str(path)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, check=False)
            self.expect("wrong words", done.returncode == 0, f"a header file does not compile: {done.stderr[:300]!r}")

    def script(self, text):
        """Checks a plot script: no text outside quotes starts a command, and no backtick is inside double quotes."""
        for line in text.splitlines():
            rest = re.sub(r"'(''|[^'])*'", "", line)
            rest = re.sub(r'"(\\.|[^"\\`])*"', "", rest).split("#")[0]
            bad = re.search(r"\bsystem\b|`|^\s*!|\b(load|call|popen|shell)\b", rest)
            self.expect("wrong words", not bad, f"a script contains active content: {line[:200]!r}")


class Itself(Hostile):
    """Checks that the checks above find hostile output."""

    def __init__(self):
        super().__init__("the checks themselves")

    def run(self, folder):
        policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"
        bad = {"a.html": "<p>", "b.html": f"{policy}<script>{MARK}()</script>",
               "c.html": f"{policy}<p onclick='{MARK}()'>",
               "d.html": f"{policy}<a href='javascript:{MARK}()'>", "e.html": f"{policy}<img src=x alt={MARK}>",
               "a.svg": "<svg><script/></svg>", "b.svg": "<svg onload='x'/>", "a.csv": "1,=A1+B1\n", "a.md": "<script>",
               "a.json": "{", "a.xml": "<a>", "a.gp": f"set title 'x'\nsystem 'touch {MARK}'\n",
               "b.gp": f'set title "`touch {MARK}`"\n', "a.h": "#error x\n"}
        good = {"g.html": f"{policy}<p title='&lt;script&gt;{MARK}'>&lt;script&gt;{MARK}()",
                "g.svg": f"<svg><text>{MARK}</text></svg>",
                "g.csv": "-1.5e-06,'=A1\n", "g.gp": f"set title 'it''s system `{MARK}`'\n", "g.h": "/* x */\n"}
        for name, content in (bad | good).items():
            (folder / name).write_text(content)
            seen = Hostile(name)
            seen.look_into(folder / name)
            self.expect("wrong codes", bool(seen.faults) == (name in bad) or (name == "a.h" and not shutil.which("cc")),
                        f"{name}: {seen.faults}")


def hostile_record(name, where):
    """Our record with the name in a benchmark, a host, a label of the run, a flag and a key."""
    lines = [json.loads(line) for line in damaged.RECORD.splitlines()]
    for line in lines:
        if line["record"] == "run" and where != "benchmark":
            line.update({"host": {"hosts": [dict(line["hosts"][0], name=name, cpu=name)]},
                         "run": {"command": [name, name], "compiler": name, "kernel": name, "program": name,
                                 "suite": name},
                         "mpi": {"mpi": {"library": name, "standard": name}},
                         "option": {"options": {name or "x": name, "title": name}}}.get(where, {}))
        elif line["record"] == "point" and where == "benchmark":
            line["benchmark"] = name or "x"
        elif line["record"] == "point" and where == "flag":
            line["flags"] = [name]
            line["at"] = dict(line["at"], **{name or "x": 1})
        elif line["record"] == "point" and where == "message":
            line.update(status="skipped", message=name, value=None, estimate=None)
            line.pop("stop_reason", None)
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


PLACES = ["benchmark", "host", "run", "mpi", "option", "flag", "message"]
RECORD_COMMANDS = [
    ("report", "-o", "out.html", "in"), ("report", "-o", "out.md", "in"), ("report", "-o", "out.csv", "in"),
    ("report", "--format", "svg", "-o", "out", "in"), ("compare", "--format", "html", "-o", "out.html", "in", "other"),
    ("compare", "--all", "--format", "markdown", "-o", "out.md", "in", "other"),
    ("model", "--json", "out.json", "in"),
    ("export", "--format", "junit", "-o", "out.xml", "in"), ("export", "--format", "google-benchmark", "-o",
                                                             "out.json", "in"),
    ("export", "--format", "osu", "-o", "out.txt", "in"), ("guidelines", "--format", "markdown", "-o", "out.md", "in"),
    ("show", "in"), ("report", "--models", "-o", "out.html", "in", "other"), ("archive",)]


class InRecord(Hostile):
    def __init__(self, world, name, where, words):
        super().__init__(f"measure {' '.join(words)}: {name[:40]!r} as {where}")
        self.world, self.hostile, self.where, self.words = world, name, where, words

    def run(self, folder):
        (folder / "in").write_bytes(hostile_record(self.hostile, self.where))
        (folder / "other").write_bytes(damaged.OTHER)
        before = runs.files(folder)
        steps = [self.words] if self.words != ("archive",) else [
            ("archive", "add", "in", "other", f"--note=n{self.hostile}".replace("\0", "")),
            ("archive", "check"), ("archive", "list", "--csv", "out.csv"), ("archive", "site", "out")]
        for words in steps:
            run = self.watch([self.world.measure, *words], folder)
            self.expect("wrong codes", run.code in (0, 2, 4), f"exit code {run.code}: {run.lines[:3]}")
            if run.code == 2 and words == steps[0]:
                break  # not a possible file name
            self.expect("wrong words", b"\x1b" not in run.out, f"control characters: {run.out[:200]!r}")
        self.look_at(folder, before, run)


class InSkampi(Hostile):
    def __init__(self, world, name, plots):
        super().__init__(f"skampi-report{'' if plots else ' --no-run'}: {name[:40]!r}")
        self.world, self.hostile, self.plots = world, name, plots

    def run(self, folder):
        text = programs.SKAMPI_OUTPUT
        for word in ("M\n", "net\n", "MPICH\n"):
            text = text.replace(word, self.hostile.replace("\n", " ") + "\n")
        text = text.replace('result "MPI_Send-MPI_Recv"', f'result "{self.hostile}"', random.choice((0, 2)))
        (folder / "in").write_bytes(text.encode(errors="surrogateescape"))
        before = runs.files(folder)
        run = self.watch([self.world.build / "frontends/skampi/skampi-report", "-o", "out",
                          *(() if self.plots else ("--no-run",)), "in"], folder)
        self.expect("wrong codes", run.code in (0, 2, 4), f"exit code {run.code}: {run.lines[:3]}")
        for path in folder.rglob("*.tex"):
            self.expect("wrong words", not re.search(rf"\\(input|write18)\{{.*{MARK}",
                                                     path.read_text(errors="replace")),
                        f"{path.name} contains active content")
        self.look_at(folder, before, run)


class AsFile(Hostile):
    """The name of an output: exactly that file is created."""

    def __init__(self, world, name, program, *words):
        super().__init__(f"{program.name} {' '.join(words)}: the file {name[:40]!r}")
        self.world, self.hostile, self.program, self.words = world, name, program, words

    def run(self, folder):
        inside = folder / "a/b"
        inside.mkdir(parents=True)
        for name, content in (*self.program.inputs, ("in", damaged.RECORD)):
            (inside / name).write_bytes(content)
        before = runs.files(folder)
        words = [word.replace("NAME", self.hostile) for word in self.words]
        command = self.program.command(self.world.build, *words)
        run = self.watch(self.world.launch(2, *command) if self.program.name == "b_eff" else command, inside)
        self.expect("wrong codes", run.code in (0, 1, 2, 4), f"exit code {run.code}: {run.lines[:3]}")
        self.expect("wrong words", run.code != 1 or self.world.blames_the_disk(run), f"exit code 1: {run.lines[:3]}")
        self.expect("wrong words", not runs.CONTROL.search(run.err), f"control characters: {run.err[:200]!r}")
        new = set(runs.files(folder)) - set(before)
        for name in new:
            if name.endswith((".gp", ".gps")):
                self.script((folder / name).read_text(errors="replace"))
        self.expect("left files", run.code == 0 or not new, f"exit code {run.code}, created {sorted(new)}")
        wanted = os.path.normpath("a/b/" + words_path(self.hostile))
        for name in new:
            asked = os.fsencode(wanted).decode(errors="backslashreplace")
            self.expect("left files", name.startswith(asked),
                        f"created '{name}', not '{asked}'")
        ran = [name for name in new if os.path.basename(name) == MARK and MARK != os.path.basename(self.hostile)]
        self.expect("left files", not ran, f"a command was run: {ran}")


def words_path(name):
    return name.lstrip("/") if name.startswith("/") else name


class AsText(Hostile):
    """Notes, tags, labels and machines of an archive are returned unchanged; SQL that writes is refused."""

    def __init__(self, world, name, option):
        super().__init__(f"measure archive add --{option} {name[:40]!r}")
        self.world, self.hostile, self.option = world, name, option

    def run(self, folder):
        (folder / "in").write_bytes(damaged.RECORD)
        run = self.watch([self.world.measure, "archive", "add", "in", f"--{self.option}={self.hostile}"], folder)
        self.expect("wrong codes", run.code in (0, 2), f"exit code {run.code}: {run.lines[:3]}")
        if run.code:
            return
        listed = self.watch([self.world.measure, "archive", "list", "--json", "-"], folder)
        self.expect("lost data", listed.code == 0 and json.dumps(self.hostile)[1:-1].encode() in json.dumps(
            json.loads(listed.out)).encode(), f"not in the list: {listed.out[:300]!r}")
        for statement in ("DELETE FROM run", f"ATTACH DATABASE '{MARK}' AS x", "PRAGMA writable_schema=1",
                          f"SELECT writefile('{MARK}', 'x')", f"VACUUM INTO '{MARK}'", "SELECT 1; DROP TABLE run"):
            run = self.watch([self.world.measure, "archive", "query", "--sql", statement], folder)
            self.expect("wrong codes", run.code == 2, f"{statement}: exit code {run.code}")
        again = self.watch([self.world.measure, "archive", "list", "--json", "-"], folder)
        self.expect("lost data", again.out == listed.out, "the archive has changed")
        self.expect("left files", set(runs.files(folder)) <= {"in", "archive.sqlite"}, f"{sorted(runs.files(folder))}")


def cases(world, times):
    named = {program.name: program for program in world.programs}
    made = [Itself()]
    for name in NAMES:
        for words in random.sample(RECORD_COMMANDS, min(len(RECORD_COMMANDS), 3 * times)):
            for where in random.sample(PLACES, min(len(PLACES), times)):
                made.append(InRecord(world, name, where, words))
        made.append(InSkampi(world, name, random.random() < 0.3))
        if name and "\0" not in name:
            made += [AsText(world, name, option) for option in random.sample(
                ("tag", "label", "note", "machine"), min(4, times))]
    outputs = [("measure report", "--format", "html", "-o", "NAME", "in"), ("measure merge", "-o", "NAME", "in", "in"),
               ("measure archive add", "-a", "NAME", "in"),
               ("measure export", "--format", "osu", "-o", "NAME", "in"), ("measure model", "--json", "NAME", "in"),
               ("measure run", "--plan", "--name", "NAME"), ("measure run", "--plan", "--folder", "NAME"),
               ("cachebench", "-r", "-x", "0", "-m", "9", "-d", "5ms", "-o", "NAME"),
               ("skampi-post", "-o", "NAME", "in.out"), ("skampi-report", "-o", "NAME", "in.out"),
               ("b_eff", "-f", "NAME", "--quick", "--mem", "1M"),
               ("mpiperf", "Bcast", "-X", "2", "-E", "1", "-l", "NAME", "--json", "NAME.jsonl"),
               ("PMB-MPI1", "PingPong", "-iter", "1", "-o", "NAME"), ("skampi", "--check", "-o", "NAME", "-l",
                                                                      "NAME.log")]
    for name in NAMES:
        if "\0" not in name:
            for program, *words in random.sample(outputs, min(len(outputs), 3 * times)):
                if program in named:
                    made.append(AsFile(world, name, named[program], *words))
    return made
