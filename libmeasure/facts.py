#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of a measurement: one line of a C++ header each, from which all that repeats them is written.

usage: facts.py --generate OUTPUT_FOLDER   headers of a build: derived_numbers.hpp and c_structs.hpp
       facts.py --check                    compares the files below with what would be written
       facts.py --write                    writes them

A member of a struct in `C_STRUCTS` that is a number is a field of the C struct, by the same name. What measure.h lacks
is added at the struct's end: its order is binary interface. The Fortran module has its structs.
A `double` of `Estimate` and `Measurement` is also in a record: in `derived`, unless record_fields.hpp has it. Schema
and docs/records.md say so. Words are those of the C++ header.
"""

import difflib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
HEADERS = TOP / "libmeasure/include/measure"
FIELDS = TOP / "libmeasure/analysis/record/record_fields.hpp"
C_HEADER = TOP / "libmeasure/include/measure.h"
SCHEMA = TOP / "docs/record.schema.json"
PAGE = TOP / "docs/records.md"

REAL = {"double", "std::optional<double>", "seconds"}
WHOLE = {"std::int64_t", "int", "bool", "InvalidReason"}
# C struct: the C++ structs (header, name) that fill it, and what of them a field can be.
C_STRUCTS = {
    "measure_timer_info": ([("timer_info", "TimerInfo")], REAL | WHOLE),
    "measure_sync_report": ([("sync_report", "SyncReport")], REAL | WHOLE),
    "measure_harmony": ([("harmonize", "Harmony")], REAL | WHOLE),
    "measure_estimate": ([("statistics", "Estimate"), ("measurement", "Measurement")], REAL),
    "measure_counts": ([("measurement", "Measurement"), ("sample", "InvalidCounts")], {"std::int64_t"}),
    "measure_rank_summary": ([("sample", "RankSummary")], REAL | WHOLE),
    "measure_sample": ([("sample", "Sample")], REAL | WHOLE),
}
IN_RECORDS = C_STRUCTS["measure_estimate"][0]
RECORD_NAMES = {"relative_standard_error": "rse"}
WIDTH = 120


@dataclass
class Member:
    type: str
    name: str
    text: str

    @property
    def in_record(self):
        return RECORD_NAMES.get(self.name, self.name)


def members(header, struct):
    """The numbers of a C++ struct."""
    text = (HEADERS / f"{header}.hpp").read_text(encoding="utf-8")
    body = re.search(rf"^struct {struct} {{\n(.*?)^}};", text, re.MULTILINE | re.DOTALL)[1]
    types = "|".join(re.escape(t) for t in sorted(REAL | WHOLE))
    found = []
    for line in body.splitlines():
        if match := re.fullmatch(rf" {{4}}({types}) (\w+)(?:\{{.*?\}}| = [^;,]*)?;(?: +///< (.*))?", line):
            if not match[3]:
                sys.exit(f"{header}.hpp: '{match[2]}' of {struct} has no words behind it")
            found.append(Member(*match.groups()))
        elif match := re.fullmatch(r" {5,}///< (.*)", line):
            sys.exit(f"{header}.hpp: words of one line only: {match[1]}")
        elif re.match(rf" {{4}}({types}) [^(]*;", line):
            sys.exit(f"{header}.hpp: not understood: {line.strip()}")
    return found


def c_fields(struct, text):
    """[(type, name, words)] of a struct of measure.h."""
    body = c_body(text, struct)
    fields = re.findall(r"^    (double|int64_t) (\w+); +/\*\*< (.*) \*/$", body, re.MULTILINE)
    if len(fields) != body.count("\n"):
        sys.exit(f"measure.h: a line of {struct} is no field")
    return fields


def all_c_fields(struct):
    """The same with what it lacks."""
    fields = c_fields(struct, C_HEADER.read_text(encoding="utf-8"))
    sources, types = C_STRUCTS[struct]
    names = {name for _, name, _ in fields}
    for member in (m for source in sources for m in members(*source)):
        if member.type in types - {"InvalidReason"} and member.name not in names:
            fields.append(("double" if member.type in REAL else "int64_t", member.name, member.text.replace("`", "")))
    return fields


def c_body(text, struct):
    return re.search(rf"typedef struct {struct} {{\n(.*?)}} {struct};", text, re.DOTALL)[1]


def derived(source):
    """The numbers of a C++ struct that are in `derived` of a record."""
    elsewhere = set(re.findall(r"&(?:Estimate|Record)::(\w+)", FIELDS.read_text(encoding="utf-8")))
    return [m for m in members(*source) if m.type in REAL and m.name not in elsewhere]


def derived_numbers_hpp():
    lines = ["// Written by facts.py.", "#pragma once", ""]
    lines += [f'#include "measure/{header}.hpp"' for header, _ in IN_RECORDS]
    lines += ["", "namespace measure::detail {"]
    for source in IN_RECORDS:
        lines += ["", "/// Calls f(name, number) for each number that is in `derived`.", "template <class F>",
                  f"void for_each_derived({source[1]} const& x, F&& f) {{"]
        lines += [f'    f("{m.in_record}", x.{m.name});' for m in derived(source)]
        lines += ["}"]
    return "\n".join([*lines, "", "}  // namespace measure::detail", ""])


C_STRUCT = """
/// A struct of measure.h with the numbers of these structs of the library. What none of them has is NaN or 0.
template <class C, class... From>
[[nodiscard]] C c_struct(From const&... from) noexcept {
    C to;
    clear(to);
    (fill(to, from), ...);
    return to;
}

}  // namespace measure::c_api
"""


def c_structs_hpp():
    headers = sorted({header for sources, _ in C_STRUCTS.values() for header, _ in sources})
    lines = ["// Written by facts.py.", "#pragma once", "", '#include "measure.h"']
    lines += [f'#include "measure/{header}.hpp"' for header in headers]
    lines += ['#include "c_api/c_api.hpp"', "", "namespace measure::c_api {"]
    for struct, (sources, _) in C_STRUCTS.items():
        fields = c_fields(struct, C_HEADER.read_text(encoding="utf-8"))
        lines += ["", "/// No number is known.", f"inline void clear({struct}& to) noexcept {{"]
        lines += [f"    to.{name} = {'nan' if kind == 'double' else '0'};" for kind, name, _ in fields]
        lines += ["}"]
        names = {name for _, name, _ in fields}
        for source in sources:
            lines += [f"inline void fill({struct}& to, {source[1]} const& from) noexcept {{"]
            lines += [f"    to.{m.name} = c_value(from.{m.name});" for m in members(*source) if m.name in names]
            lines += ["}"]
    return "\n".join(lines) + "\n" + C_STRUCT


def with_c_structs(text):
    for struct in C_STRUCTS:
        fields = [(f"    {kind} {name};", words) for kind, name, words in all_c_fields(struct)]
        widest = max(len(field) for field, _ in fields)
        lines = [f"{field:{widest}} /**< {words} */\n" for field, words in fields]
        for line in (line for line in lines if len(line) > WIDTH + 1):
            sys.exit(f"measure.h: too long a line, use fewer words: {line.strip()}")
        text = text.replace(c_body(text, struct), "".join(lines))
    return text


def with_properties(text):
    lines = ",\n".join(f'            "{m.in_record}": {{ "$ref": "#/$defs/number_or_null" }}'
                       for source in IN_RECORDS for m in derived(source))
    return re.sub(r'("derived": \{\n +"type": "object",\n +"properties": \{\n).*?(\n {10}\})', rf"\g<1>{lines}\g<2>", text,
                  flags=re.DOTALL)


def with_table(text):
    rows = "".join(f"| `{m.in_record}` | {m.text} |\n" for source in IN_RECORDS for m in derived(source))
    return re.sub(r"(\| number \| meaning \|\n\| --- \| --- \|\n)(?:\|.*\n)*", rf"\g<1>{rows}", text)


WRITTEN = {C_HEADER: with_c_structs, SCHEMA: with_properties, PAGE: with_table}


def main():
    if sys.argv[1:2] == ["--generate"] and len(sys.argv) == 3:
        folder = Path(sys.argv[2])
        (folder / "derived_numbers.hpp").write_text(derived_numbers_hpp(), encoding="utf-8")
        (folder / "c_structs.hpp").write_text(c_structs_hpp(), encoding="utf-8")
        return 0
    if sys.argv[1:] not in (["--check"], ["--write"]):
        sys.exit(__doc__)
    differs = 0
    for path, written in WRITTEN.items():
        old = path.read_text(encoding="utf-8")
        new = written(old)
        if old == new:
            continue
        name = str(path.relative_to(TOP))
        differs = 1
        if sys.argv[1] == "--write":
            path.write_text(new, encoding="utf-8")
            print(f"{name} is written")
        else:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), name,
                                                       f"{name}, as facts.py writes it", n=0))
    return differs if sys.argv[1] == "--check" else 0


if __name__ == "__main__":
    sys.exit(main())
