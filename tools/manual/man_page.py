#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual page of a program from its --help output and from pages/PROGRAM.txt.

usage: man_page.py VERSION PAGE OUTPUT PROGRAM
"""
import pathlib
import re
import sys

import help_text

EXIT_STATUS = """\
  0  done
  1  failed while running: MPI or I/O error, out of memory, no progress
  2  usage error: wrong option or input file, too few processes, output that cannot be written
  3  a requested check failed
  4  results are incomplete or below the requested quality
  128+N  ended by signal N"""


def escaped(text):
    special = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}
    text = "".join(special.get(letter, letter) for letter in text)
    return "\\&" + text if text.startswith(".") else text


def bold(text):
    return f"\\fB{escaped(text)}\\fR"


def label(entry):
    """Formats a label: option names in bold and placeholders in italics; a label without options in bold."""
    if not entry.names:
        return bold(entry.label)
    names = ", ".join(bold(name) for name in entry.names)
    return names + (f" \\fI{escaped(entry.value)}\\fR" if entry.value else "")


class Page:
    def __init__(self, name, version):
        self.lines = [f'.TH {escaped(name.upper())} 1 "" "libmeasure {version}" "User Commands"',
                      ".nh", ".ad l"]

    def section(self, title):
        self.lines.append(f".SH {title}")

    def subsection(self, title):
        self.lines.append(f'.SS "{escaped(title)}"')

    def paragraphs(self, texts):
        for number, text in enumerate(texts):
            self.lines += [".PP"] * (number > 0) + [escaped(text)]

    def entries(self, entries):
        for entry in entries:
            self.lines += [".TP", label(entry), escaped(entry.text) or "\\&"]

    def blocks(self, blocks):
        """Writes handwritten blocks: paragraphs, lists of entries, and commands ('$ ...')."""
        for number, lines in enumerate(blocks):
            if lines[0].startswith("$ "):
                self.lines += [".PP"] * (number > 0) + [".nf", ".RS 4"]
                self.lines += [bold(line.removeprefix("$ ")) for line in lines] + [".RE", ".fi"]
            elif lines[0].startswith("  "):
                self.entries(help_text.entries(lines))
            else:
                self.lines += [".PP"] * (number > 0) + [escaped(help_text.joined(lines))]


def synopsis(page, name, usage, launcher):
    for number, line in enumerate(usage or [f"{name} [options]"]):
        words = line.split(" ", 1)
        before = bold("mpiexec -n") + " \\fIN\\fR " if launcher else ""
        page.lines += [".br"] * (number > 0)
        page.lines.append(before + bold(words[0]) + (" " + escaped(words[1]) if len(words) > 1 else ""))


def write(name, keys, sections, program, version):
    about = help_text.help_of(program)
    page = Page(name, version)
    page.section("NAME")
    page.lines.append(f"{escaped(name)} \\- {escaped(keys['Name'])}")
    page.section("SYNOPSIS")
    synopsis(page, name, about.usage, keys.get("Launcher") == "yes")
    page.section("DESCRIPTION")
    variables = [text for text in about.about + about.notes if text.startswith("Variables: ")]
    page.paragraphs([text for text in about.about if text not in variables])
    if "DESCRIPTION" in sections:
        page.lines += [".PP"] * bool(about.about)
        page.blocks(sections.pop("DESCRIPTION"))
    if not about.sections:
        page.lines += [".PP", f"Run {bold(name + ' --help')} for the options."]
    options(page, name, about, program)
    notes = [text for text in about.notes if text not in variables]
    if notes:
        page.section("NOTES")
        page.paragraphs(notes)
    page.section("EXIT STATUS")
    page.blocks(sections.pop("EXIT STATUS", [EXIT_STATUS.splitlines()]))
    environment(page, variables, sections)
    for title, blocks in sections.items():
        page.section(title)
        page.blocks(blocks)
    page.section("SEE ALSO")
    page.lines.append(", ".join(f"{bold(other)}(1)" for other in keys["See"].split()))
    return "\n".join(page.lines) + "\n"


def options(page, name, about, program):
    if about.sections:
        page.section("OPTIONS")
    for number, (title, entries) in enumerate(about.sections):
        if number or title != "Options":
            page.subsection(title)
        page.entries(entries)
    for words, own in help_text.commands_of(program, about):
        page.subsection(" ".join([name, *words]))
        page.paragraphs(own.about)
        for _, entries in own.sections:
            page.entries(entries)


def environment(page, variables, sections):
    """Writes the environment section. The help of a driver has one paragraph: 'Variables: NAME text; NAME ...'."""
    if variables or "ENVIRONMENT" in sections:
        page.section("ENVIRONMENT")
    for text in variables:
        for part in re.split(r"; |\. (?=[A-Z])", text.removeprefix("Variables: ").removesuffix(".")):
            names = re.match(r"(?:[A-Z_]{4,}(?: \([^)]*\))?(?:, | |$))+", part)
            if names:
                page.entries([help_text.Entry(names[0].rstrip(), part[names.end():])])
            elif not part.startswith("The exit code"):
                page.lines.append(escaped(part))
    page.blocks(sections.pop("ENVIRONMENT", []))


def main():
    version, page, output, program = sys.argv[1:]
    page, output = pathlib.Path(page), pathlib.Path(output)
    keys, sections = help_text.read_page(page)
    output.write_text(write(page.stem, keys, sections, program, version), encoding="utf-8")


if __name__ == "__main__":
    main()
