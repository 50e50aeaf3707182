# SPDX-License-Identifier: BSD-3-Clause
"""Parses the --help output of a program, from which manual pages and completion are made."""
import dataclasses
import os
import re
import subprocess
import sys

SECONDS = 60
ENTRY = re.compile(r"  (\S.*?)(?:  +(\S.*))?$")
BARE_ENTRY = re.compile(r"(\S+(?:, \S+)*)  +(\S.*)$")  # in the short help of the drivers
# A list of words in a text: 'clock: a, b (the other one), c (default a)', 'table or csv'.
ITEM = r"(?!or\b)[A-Za-z][\w+-]*"
ASIDE = r" \([^)]*\)"
LIST = re.compile(rf"(?:^|: |^of )({ITEM}(?:{ASIDE})?(?:(?:, | or ){ITEM}(?:{ASIDE})?)+)(?=$|[ ,.])")
NAMED = {"NAME", "LIST", "KIND", "WHO", "UNIT", "WHEN", "TYPE"}


@dataclasses.dataclass
class Entry:
    """An option, argument or command, such as '-p, --min-procs N', and its description."""
    label: str
    text: str = ""

    @property
    def names(self):
        """The names of an option; empty for arguments."""
        return [word.rstrip(",") for word in self.label.split() if word.startswith("-")]

    @property
    def value(self):
        """The placeholder after the name of an option; empty for a flag."""
        return " ".join(word for word in self.label.split() if not word.startswith("-"))

    def values(self):
        """The words that an option accepts, if its text lists them."""
        if "|" in self.value:
            return self.value.strip("[]").split("|")
        found = LIST.search(self.text) if self.value in NAMED else None
        return re.split(", | or ", re.sub(ASIDE, "", found[1])) if found else []


@dataclasses.dataclass
class Help:
    usage: list = dataclasses.field(default_factory=list)  # lines without the word "usage"
    about: list = dataclasses.field(default_factory=list)  # paragraphs
    sections: list = dataclasses.field(default_factory=list)  # (title, entries)
    notes: list = dataclasses.field(default_factory=list)  # paragraphs after the last section

    def options(self):
        return [entry for _, entries in self.sections for entry in entries if entry.names]

    def commands(self):
        return [entry for title, entries in self.sections for entry in entries if title.startswith("Commands")]


def joined(lines):
    return " ".join(line.strip() for line in lines)


def entries(lines, pattern=ENTRY):
    """Returns labels with their texts. Lines with more indentation continue a text."""
    found = []
    for line in lines:
        begun = pattern.match(line) if not line.startswith("   ") else None
        if begun:
            found.append(Entry(begun[1], begun[2] or ""))
        else:
            found[-1].text = joined([found[-1].text, line]).strip()
    return found


def parse(text):
    """Parses a help text. Empty lines separate its parts: usage, paragraphs, sections with a title, paragraphs."""
    result = Help()
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.splitlines()
        if re.match("usage: ", lines[0], re.IGNORECASE):
            result.usage = [line.split(": ", 1)[-1].strip() for line in lines]
        elif lines[0].endswith(":") and len(lines) > 1 and lines[1].startswith("  "):
            result.sections.append((lines[0][:-1], entries(lines[1:])))
        elif BARE_ENTRY.match(lines[0]):
            result.sections.append(("Arguments", entries(lines, BARE_ENTRY)))
        elif result.sections:
            result.notes.append(joined(lines))
        else:
            result.about.append(joined(lines))
    return result


def output(*command):
    """Returns the output of a program. If it fails, reports this and returns None: a page without options is better
    than a failed build. For example, login nodes may not allow MPI programs to start."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=SECONDS, env=os.environ | {"LC_ALL": "C"})
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{' '.join(command)}: {error}", file=sys.stderr)
        return None
    if done.returncode:
        print(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}", file=sys.stderr)
        return None
    return done.stdout


def help_of(program, *command):
    text = output(program, *command, "--help")
    return parse(text) if text else Help()


def commands_of(program, about, *before):
    """Yields (words, help) for each command of a program, including the commands in groups."""
    for command in about.commands():
        words = [*before, command.label]
        own = help_of(program, *words)
        yield words, own
        yield from commands_of(program, own, *words)


def read_page(path):
    """Reads the handwritten page of a program: 'Key: value' lines, then sections of paragraphs under capital titles."""
    head, _, rest = path.read_text(encoding="utf-8").partition("\n\n")
    keys = dict(line.split(": ", 1) for line in head.splitlines())
    sections = {}
    for block in re.split(r"\n\s*\n", rest.strip("\n")) if rest.strip() else []:
        lines = block.splitlines()
        if re.fullmatch("[A-Z ]+", lines[0]):
            blocks = sections[lines.pop(0)] = []
        if lines:
            blocks.append(lines)
    return keys, sections
