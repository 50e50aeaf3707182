# SPDX-License-Identifier: BSD-3-Clause
"""Wrong and odd command lines, generated from the option list of each program."""
import random
import re

import runs
from part import Case

VALUES = {
    "empty": "", "nan": "NaN", "negative": "-1", "huge number": "1e400", "2^64": "18446744073709551616",
    "2^31 - 1": "2147483647", "text": "text", "huge word": "x" * 5000, "control characters": "a\x1b[31mb\x07\nc",
    "invalid utf-8": "a\udcffb", "format": "%s%n{}", "a folder": ".", "full disk": "/dev/full",
    "endless": "/dev/zero", "missing file": "nonexistent/file"}
QUICK = 60  # seconds for command lines that measure nothing
TAKEN = 24  # command lines of each program in the short form
LAUNCHED = 60  # command lines of all programs together that run on two ranks


def plausible(entry):
    """Returns a value for the option, valid or not."""
    words = entry.values()
    default = re.search(r"\(default ([\w.%]+)", entry.text)
    return random.choice(words) if words else default[1] if default else random.choice(["1", "2", "x", "1k"])


def spelled(name, value):
    """Writes an option with its value in one of the two ways."""
    return [f"{name}={value}"] if name.startswith("--") and random.random() < 0.3 else [name, value]


def lines(about):
    """Yields (what is odd, words) for the options in a help text."""
    yield "unknown option", ["--no-such-option"]
    yield "unknown option with a value", ["--no-such-option=1"]
    yield "unknown letter", ["-~"]
    yield "control characters", ["a\x1b[2Jb\nc"]
    yield "unknown option with control characters", ["--\x1b[31m\n"]
    yield "huge word", ["--" + "y" * 100000]
    yield "empty word", [""]
    yield "--=", ["--=x"]
    options = [option for option in about.options() if not {"--help", "--version"} & set(option.names)]
    for option in options:
        name = random.choice(option.names)
        if not option.value:
            yield "a flag with a value", [f"{name}=1"]
            yield "a flag twice", [name, name]
            continue
        yield "a value is missing", [name, None]
        value = plausible(option)
        yield "given twice", [name, value, name, value]
        for kind, value in VALUES.items():
            yield kind, spelled(name, value)
    for _ in range(2 * len(options)):
        pair = random.sample(options, min(2, len(options)))
        yield "a pair", [word for option in pair for word in
                         [random.choice(option.names)] + ([plausible(option)] if option.value else [])]


def shown(words):
    return " ".join(repr(word if len(word) < 60 else f"{word[:20]}..{len(word)}") for word in words)


class Line(Case):
    """One run with such a command line."""
    column = "wrong codes"

    def __init__(self, world, program, kind, words, ranks):
        missing = words[-1:] == [None]  # no word may follow
        words = words[:-1] if missing else words
        behind = [] if missing else list(program.small)
        super().__init__(f"{program.name}: {kind}: {shown(words)}" + (f" on {ranks} ranks" if ranks else ""))
        self.program, self.ranks = program, ranks
        self.words = [*program.small, *words] if missing else [*words, *behind]
        self.odd = words
        self.world = world

    def run(self, folder):
        for name, content in self.program.inputs:
            (folder / name).write_bytes(content)
        before = runs.files(folder)
        command = self.program.command(self.world.build, *self.words)
        if self.ranks:
            command = self.world.launch(self.ranks, *command)
        run = self.watch([*runs.limited("as=17179869184"), *command], folder, limit=QUICK)
        if run.hung:
            return
        if run.code == 2:
            self.expect("left files", runs.files(folder) == before,
                        f"created: {sorted(set(runs.files(folder)) - set(before))}")
            self.assert_error_line(run)
        elif run.code == 1 and self.world.blames_the_disk(run):
            self.assert_error_line(run)
        else:
            self.expect("wrong codes", run.code in self.program.codes, f"exit code {run.code}: {run.lines[:4]}")
        text = run.err if self.words.count("--help") else run.out + run.err
        self.expect("wrong words", not runs.CONTROL.search(text), f"control characters: {text[:300]!r}")

    def assert_error_line(self, run):
        pattern = rf"(measure|{re.escape(self.program.name)}|{re.escape(self.program.name.split()[0])}( \w+)*): " \
                  r"(.*:\d+:\d+: )?error: ."
        errors = run.errors()
        of_file = [line for line in errors if re.match(r".*:\d+:\d+: error: ", line)]
        self.expect("wrong words", len(errors) == 1 or len(of_file) == len(errors) > 0,
                    f"{len(errors)} error lines: {run.lines[:4]}")
        self.expect("wrong words", all(re.match(pattern, line) for line in errors), f"{errors[:2]}")
        others = [line for line in run.lines if line not in errors and ": warning: " not in line]
        self.expect("wrong words", not others, f"more lines: {others[:3]}")


def cases(world, times):
    chosen = []
    for program in world.programs:
        about = program.help(world.build)
        made = list(lines(about))
        first, rest = made[:8], made[8:]
        random.shuffle(rest)
        chosen += [Line(world, program, kind, words, 0) for kind, words in first + rest[:TAKEN * times]]
    launched = [line for line in chosen if line.program.mpi]
    for line in random.sample(launched, min(len(launched), LAUNCHED * times)):
        line.ranks = 2
        line.name += " on 2 ranks"
    return chosen
