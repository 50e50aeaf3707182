#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the bash completion of all programs: completion.bash plus tables from their --help and list outputs.

usage: completion.py completion.bash PAGE... OUTPUT PROGRAM..., with one program for each page, in the same order
"""
import pathlib
import re
import shlex
import sys

import help_text

FILES = {"FILE": "<file>", "MERGED": "<file>", "PREFIX": "<file>", "DIR": "<folder>", "FOLDER": "<folder>",
         "COMMAND": "<command>", "COMMANDS": "<command>", "LAUNCHER": "<command>"}


def argument(about, names):
    """The words for the arguments after the options: names that the program lists, files, or a command line."""
    if names:
        return names
    commands = [entry.label for entry in about.commands()]
    alternatives = [word for line in about.usage for word in re.findall(r"\[([a-z-]+(?:\|[a-z-]+)+)\]", line)]
    if commands or alternatives:
        files = [FILES["FILE"]] if any(line.endswith(" FILE...") for line in about.usage) else []
        return (commands or alternatives[0].split("|")) + files
    arguments = [entry for title, entries in about.sections for entry in entries if title == "Arguments"]
    labels = [entry.label.split()[0].strip("[].") for entry in arguments]
    return [FILES[label] for label in labels if label in FILES]


def values(entry, about, names):
    """The words that an option accepts. Its text may refer to another option ('as --timer')."""
    if entry.value == "NAMES":
        return names
    if entry.value in FILES:
        return [FILES[entry.value]]
    other = re.search(r"\bas (-[\w-]+)", entry.text)
    same = [option for option in about.options() if other and other[1] in option.names]
    return entry.values() or [value for option in same for value in option.values()]


class Tables:
    """The lines of the case statements."""

    def __init__(self):
        self.options, self.values, self.arguments = [], [], []

    @staticmethod
    def line(keys, words):
        return f"        {'|'.join(map(shlex.quote, keys))}) echo {shlex.quote(' '.join(words))} ;;"

    def add(self, key, about, names):
        options = [name for option in about.options() for name in option.names]
        self.options.append(self.line([key], options or ["--help"]))
        if words := argument(about, names):
            self.arguments.append(self.line([key], words))
        for option in about.options():
            # Flags get a line too, because an option without a line accepts any text.
            words = values(option, about, names) if option.value else ["<none>"]
            if words:
                self.values.append(self.line([f"{key} {name}" for name in option.names], words))

    def functions(self):
        for name, lines in (("options", self.options), ("values", self.values), ("arguments", self.arguments)):
            yield "\n".join([f"_libmeasure_{name}() {{", '    case "$*" in', *lines, "    esac", "}"])


def listed(program, option):
    """The first word of each line that an option prints."""
    text = help_text.output(program, option) if option else None
    return [line.split()[0] for line in (text or "").splitlines() if re.match(r"\w", line)]


def main():
    source, *rest = sys.argv[1:]
    count = len(rest) // 2
    tables = Tables()
    names = []
    for path, program in zip(rest[:count], rest[count + 1:]):
        keys, _ = help_text.read_page(pathlib.Path(path))
        name = pathlib.Path(path).stem
        about = help_text.help_of(program)
        for known in [name, *keys.get("Also", "").split()]:
            names.append(known)
            tables.add(known, about, listed(program, keys.get("List")))
        for words, own in help_text.commands_of(program, about):
            tables.add(" ".join([name, *words]), own, [])
    text = pathlib.Path(source).read_text(encoding="utf-8")
    text = text.replace("# @TABLES@", "\n\n".join(tables.functions())).replace("@PROGRAMS@", " ".join(names))
    pathlib.Path(rest[count]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
