#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The API reference: doxygen reports no problem, and every public name is documented.

usage: api_reference.py TOP DOXYFILE     skipped (77) where there is no doxygen

Doxygen warns of most undocumented names, but neither of enumerators nor of names in an undocumented namespace. So the
names are read from its XML, which lists all of them. The search itself is tested with a header in which every second
name is undocumented.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

XML_OF_ALL_NAMES = "EXTRACT_ALL=YES\nWARN_IF_UNDOCUMENTED=NO\nGENERATE_HTML=NO\nGENERATE_XML=YES\n"
WARNINGS_FAIL = "GENERATE_HTML=NO\nGENERATE_XML=YES\nWARN_AS_ERROR=FAIL_ON_WARNINGS\n"
COMPOUNDS = {"class", "struct", "union", "namespace", "concept", "file"}

SEEDED = """// SPDX-License-Identifier: BSD-3-Clause
/// Seeded: a header with names that have no words.
#pragma once
#define MEASURE_MISSING_MACRO 1
namespace measure {
namespace missing_namespace {
void missing_function();
}
struct MissingStruct {};
/// Has words.
struct Some {
    int documented = 0;  ///< s
    int missing_field = 0;
    void missing_method();
private:
    int own_;
};
/// Has words.
enum class Kind {
    first,  ///< has words
    missing_enumerator,
};
using MissingAlias = int;
inline constexpr int missing_constant = 1;
/// Has words.
template <class T>
concept Documented = true;
template <class T>
concept MissingConcept = true;
namespace detail {
void own();
}
}
"""


def run(doxyfile, output, settings):
    """Returns doxygen's exit code and output."""
    text = doxyfile + f'\nOUTPUT_DIRECTORY = "{output}"\n' + settings
    done = subprocess.run(["doxygen", "-"], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def has_words(node):
    return any("".join(node.find(kind).itertext()).strip()
               for kind in ("briefdescription", "detaileddescription", "inbodydescription") if node.find(kind) is not None)


def place(node):
    location = node.find("location")
    return f"{location.get('file')}:{location.get('line')}" if location is not None else "?"


def is_public(member):
    # A macro without a value is an internal switch of the file.
    if member.get("kind") == "define":
        return member.find("initializer") is not None
    deleted = "delete" in (member.findtext("argsstring") or "").split(")")[-1]
    return member.get("prot") == "public" and not deleted and not member.findtext("definition", "").startswith("friend class")


def names(folder):
    """Yields (place, kind, name, whether it is documented) of each public name. Fortran names use the documentation in
    measure.h."""
    seen = set()
    for path in sorted(folder.glob("*.xml")):
        for compound in xml.parse(path).getroot().iter("compounddef"):
            if compound.get("kind") not in COMPOUNDS or compound.get("prot", "public") != "public":
                continue
            outer = compound.findtext("compoundname")
            if outer != "std" and not outer.endswith(".md"):
                yield place(compound), compound.get("kind"), outer, has_words(compound)
            for member in compound.iter("memberdef"):
                if member.get("id") in seen or not is_public(member):
                    continue
                seen.add(member.get("id"))
                name = f"{outer}::{member.findtext('name')}"
                yield place(member), member.get("kind"), name, has_words(member)
                for value in member.iter("enumvalue"):
                    yield place(member), "enumerator", f"{name}::{value.findtext('name')}", has_words(value)


def without_words(doxyfile, folder):
    code, said = run(doxyfile, folder, XML_OF_ALL_NAMES)
    assert code == 0, said
    return [(where, kind, name) for where, kind, name, words in names(folder / "xml") if not words]


def check_the_check(doxyfile, folder):
    seeded = folder / "seeded.hpp"
    seeded.write_text(SEEDED, encoding="utf-8")
    found = {name.split("::")[-1] for _, _, name in without_words(doxyfile + f'\nINPUT = "{seeded}"\n', folder)}
    expected = set(re.findall(r"\b(?:[Mm]issing|MEASURE_MISSING)\w+", SEEDED)) | {"measure"}
    assert found == expected, f"the check finds {sorted(found)} instead of {sorted(expected)}"


def check_floors(top):
    """Checks that the main page lists every header of the library, from low to high."""
    floors = subprocess.run([sys.executable, top / "tests/headers/floors.py", "--list", top], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.split()
    table = re.findall(r"^\| \d.*$", (top / "docs/api/main.md").read_text(encoding="utf-8"), re.MULTILINE)
    page = re.findall(r"@ref (\w+)\.hpp", "\n".join(table))
    assert [*page, "analysis", "measure"] == floors, f"docs/api/main.md lists {page} instead of {floors}"


def main(top, doxyfile):
    if shutil.which("doxygen") is None:
        print("skipped: there is no doxygen")
        return 77
    text = doxyfile.read_text(encoding="utf-8")
    check_floors(top)
    with tempfile.TemporaryDirectory(prefix="libmeasure-api-") as scratch:
        folders = [pathlib.Path(scratch) / name for name in ("seeded", "all", "reference")]
        for folder in folders:
            folder.mkdir()
        check_the_check(text, folders[0])
        missing = without_words(text, folders[1])
        for where, kind, name in missing:
            print(f"{where}: {kind} {name} is not documented")
        code, said = run(text, folders[2], WARNINGS_FAIL)
        print(said)
    print("every public name has its words" if not missing and code == 0 else f"{len(missing)} names without words")
    return 1 if missing or code != 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
