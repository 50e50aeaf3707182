#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files that `meson install` creates, whether they can be moved, and whether other projects can build with them.

usage: install_test.py SOURCE BUILD LAUNCHER MPI MPIFORT [unittest options]

MPI is its name for pkg-config; MPIFORT is empty if there is none. With SLOW_TESTS in the environment, tests that
compile the library again also run.
"""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "frontends"))
import harness
from harness import slow

SOURCE = BUILD = LAUNCHER = MPI = FORTRAN = None
HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 100  # seconds for a compiler on a busy machine
# Minimum number of exported names of each library.
LIBRARIES = {"libmeasure": 100, "libmeasure_analysis": 100, "libmeasure_regions": 15, "libmeasure_program": 10}
# Ranks and options. Two ranks with slots would take long on a busy machine; other tests cover them.
EXAMPLES = {"fifteen_lines.cpp": ("2", "--start", "barrier", "--bytes", "8"), "pure_c.c": ("1",),
            "fortran_halo.f90": ("1",)}
WITH_REGIONS = ("regions_in_an_application.cpp", "regions_in_c.c", "regions_in_fortran.f90")


def run(command, cwd=None, seconds=LIMIT, **environment):
    """Runs a command that must succeed and returns its output."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=seconds, env=os.environ | environment)
    if done.returncode:
        raise AssertionError(f"{command} ends with {done.returncode}:\n{done.stdout}")
    return done.stdout


@functools.cache
def scratch():
    folder = tempfile.TemporaryDirectory(prefix="libmeasure-install-")
    unittest.addModuleCleanup(folder.cleanup)
    return pathlib.Path(folder.name)


@functools.cache
def installed():
    """One installation for all tests, in a place that the build does not know."""
    run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", scratch() / "staged"])
    prefix, = (path.parent for path in (scratch() / "staged").glob("**/include") if (path / "measure").is_dir())
    return prefix.rename(scratch() / "first")


@functools.cache
def moved_without_blank():
    """A copy in a path without blanks: a shell would split the output of pkg-config."""
    return pathlib.Path(shutil.copytree(installed(), scratch() / "third/place", symlinks=True))


@functools.cache
def moved():
    """A copy in a path with a blank."""
    return pathlib.Path(shutil.copytree(installed(), scratch() / "a second place", symlinks=True))


def files(prefix):
    return {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_symlink() or path.is_file()}


def one(prefix, pattern):
    found, = prefix.glob(pattern)
    return found


class Tree(unittest.TestCase):
    """The installed files and their contents."""

    def test_only_expected_files_are_installed(self):
        library = r"lib(/[\w-]+-linux-gnu|64)?"
        wanted = [r"bin/[\w-]+", r"include/(measure/\w+\.hpp|measure\w*\.(h|hpp)|mpiperf_plugin\.hp?p?)",
                  library + r"/libmeasure\w*\.(a|so(\.\d+)*)", library + r"/pkgconfig/libmeasure[\w-]*\.pc",
                  library + r"/cmake/libmeasure/libmeasure-\w[\w-]*\.cmake", r"libexec/libmeasure/linear_broadcast",
                  r"libexec/libmeasure/osu-micro-benchmarks/mpi/(pt2pt/)?[\w-]+/osu_\w+", r"libexec/libmeasure/imb/IMB-\w+",
                  r"include/(\w+/)*\w+\.mod", r"share/man/man1/[\w-]+\.1", r"share/bash-completion/completions/[\w-]+",
                  r"share/libmeasure/[\w./-]+"]
        unknown = [path for path in sorted(files(installed())) if not any(re.fullmatch(one, path) for one in wanted)]
        self.assertEqual(unknown, [])

    def test_every_file_has_an_install_tag(self):
        plan = json.loads((BUILD / "meson-info/intro-install_plan.json").read_text())
        parts = {source: what["tag"] for kind in plan.values() for source, what in kind.items()}
        self.assertEqual([source for source, tag in parts.items() if tag not in ("runtime", "devel", "man")], [])
        for source in ("libmeasure.f90", "libmeasure_regions.f90"):
            self.assertEqual(parts[str(BUILD / "libmeasure/fortran" / source)], "devel")

    def test_no_file_contains_the_build_or_staging_path(self):
        for name in sorted(files(installed())):
            path = installed() / name
            if path.is_symlink() or path.suffix == ".a":
                continue
            binary = path.read_bytes().startswith(b"\x7fELF")
            # For a program only what the loader reads: debugging information may contain source paths.
            text = run(["readelf", "-d", path]) if binary else path.read_text()
            for place in (BUILD, SOURCE, scratch() / "staged"):
                self.assertNotIn(f"{place}/", text, path)
            if name.startswith(("bin/", "libexec/")) and binary:
                self.assertRegex(text, r"RUNPATH.*\[\$ORIGIN/\.\./", path)
            if re.search(r"libmeasure(_program|_regions)?\.so", name):
                self.assertRegex(text, r"RUNPATH.*\[\$ORIGIN\]", path)

    def test_each_program_has_a_manual_page_and_completion(self):
        programs = {path.name for path in (installed() / "bin").iterdir()}
        pages = {path.stem for path in (installed() / "share/man/man1").iterdir()}
        completions = {path.name for path in (installed() / "share/bash-completion/completions").iterdir()}
        self.assertEqual(programs, pages)
        self.assertEqual(programs | {"libmeasure"}, completions)

    def test_links_of_programs_are_where_harnesses_look_and_lead_to_one_file(self):
        mpi = "libexec/libmeasure/osu-micro-benchmarks/mpi"
        for prefix in (installed(), moved()):
            links = [path for path in (prefix / mpi).rglob("*") if path.is_symlink()]
            self.assertLessEqual({"startup", "pt2pt", "pt2pt/persistent", "collective", "one-sided"},
                                 {str(path.parent.relative_to(prefix / mpi)) for path in links})
            self.assertEqual({path.resolve() for path in links}, {(prefix / "bin/measure-osu").resolve()})
            suite = list((prefix / "libexec/libmeasure/imb").iterdir())
            self.assertLessEqual({"IMB-MPI1", "IMB-EXT", "IMB-IO", "IMB-NBC"}, {path.name for path in suite})
            self.assertEqual({path.resolve() for path in suite}, {(prefix / "bin/measure-imb").resolve()})
        folders = run([moved() / "bin/measure-osu", "--path"], LD_LIBRARY_PATH="").strip()
        self.assertEqual(set(folders.split(":")), {str(path.parent.resolve()) for path in links})
        self.assertIn("osu_bcast", run(["sh", "-c", "osu_bcast --version"], LD_LIBRARY_PATH="",
                                       PATH=f"{folders}:{os.environ['PATH']}"))
        self.assertIn("osu_bcast", run([moved() / mpi / "collective/osu_bcast", "--version"], LD_LIBRARY_PATH=""))
        self.assertIn("IMB-NBC", run([moved() / "libexec/libmeasure/imb/IMB-NBC", "--version"], LD_LIBRARY_PATH=""))

    def test_links_next_to_the_programs_have_the_requested_prefix(self):
        # The links are created by the original build files, in a project without anything else, which needs no
        # compiler.
        project = scratch() / "links"
        shutil.copytree(SOURCE / "frontends/common/links", project / "links")
        shutil.copytree(SOURCE / "tools/manual/links", project / "pages")
        shutil.copy(SOURCE / "meson_options.txt", project)
        osu, imb = ((SOURCE / "frontends" / suite / "meson.build").read_text() for suite in ("osu", "pmb"))
        (project / "meson.build").write_text("project('links', meson_version: '>=1.0.0')\nlinked = {}\n"
                                             + osu[osu.index("osu_collectives = "):osu.index("# Folder of the links")]
                                             + imb[imb.index("linked += "):]
                                             + "subdir('links')\nsubdir('pages')\n")
        options = [f"-D{suite}_{option}" for suite in ("osu", "imb") for option in ("bin=true", "prefix=lm_")]
        run(["meson", "setup", "--prefix", "/here", "--bindir", "bin", "--libexecdir", "libexec", "--mandir",
             "share/man", *options, project / "build"], cwd=project)
        # No link is installed without a target.
        prefix = project / "staged/here"
        for folder, ending in (("bin", ""), ("share/man/man1", ".1")):
            (prefix / folder).mkdir(parents=True)
            for program in ("measure-osu" + ending, "measure-imb" + ending):
                (prefix / folder / program).symlink_to(installed() / folder / program)
        run(["meson", "install", "-C", project / "build", "--quiet", "--destdir", project / "staged"])

        def links(top):
            return {path.relative_to(top): path.resolve() for path in (top / "libexec").rglob("*")
                    if path.is_symlink()}
        # In libexec the links always have the published names, because harnesses expect them.
        self.assertEqual(links(prefix), links(installed()))
        beside = {path.name: os.readlink(path) for path in (prefix / "bin").iterdir()
                  if not path.name.startswith("measure-")}
        self.assertEqual(beside, {"lm_" + path.name: program.name for path, program in links(prefix).items()})
        pages = {path.name: os.readlink(path) for path in (prefix / "share/man/man1").iterdir()
                 if not path.name.startswith("measure-")}
        self.assertEqual(pages, {name + ".1": program + ".1" for name, program in beside.items()})
        for name, said in (("lm_osu_bw", "\nosu_bw "), ("lm_IMB-P2P", "IMB-P2P")):
            self.assertIn(said, run([prefix / "bin" / name, "--version"], LD_LIBRARY_PATH=""))

    def test_programs_run_from_the_place_they_are_moved_to(self):
        for path in sorted((moved() / "bin").iterdir()):
            self.assertTrue(run([path, "--help"], LD_LIBRARY_PATH="").strip(), path)
        needed = run(["ldd", moved() / "bin/mpiperf"], LD_LIBRARY_PATH="")
        self.assertIn(f"{moved().name}/bin/../lib", needed)

    def test_the_soname_is_that_of_the_minor_version(self):
        for name in LIBRARIES:
            library = one(installed(), f"lib/**/{name}.so").resolve()
            version = re.fullmatch(rf"{name}\.so\.(\d+\.\d+)\.\d+", library.name)
            self.assertRegex(run(["readelf", "-d", library]), rf"SONAME.*\[{name}\.so\.{version[1]}\]")

    def test_the_shared_libraries_export_their_own_names_only(self):
        own = re.compile(r"_Z(T[ISVW]|Z|GVZ)?NK?7measure|measure_")
        for name, least in LIBRARIES.items():
            symbols = run(["nm", "-D", "--defined-only", one(installed(), f"lib/**/{name}.so")]).splitlines()
            names = [line.split()[-1] for line in symbols]
            self.assertGreater(len(names), least)
            self.assertEqual([name for name in names if not own.match(name)], [])


class Manual(unittest.TestCase):
    def pages(self):
        return sorted((installed() / "share/man/man1").glob("*.1"))

    def test_pages_have_their_sections_in_order(self):
        order = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "NOTES", "EXIT STATUS", "ENVIRONMENT", "FILES",
                 "EXAMPLES", "SEE ALSO"]
        needed = {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"}
        for page in self.pages():
            titles = re.findall(r"^\.SH (.*)$", page.read_text(), re.MULTILINE)
            self.assertEqual(titles, [title for title in order if title in titles], page)
            self.assertLessEqual(needed, set(titles), page)

    def test_pages_name_every_option_of_the_help(self):
        for name in ("mpiperf", "skampi", "b_eff", "b_eff_io", "mpbench", "cachebench", "blasbench", "PMB-MPI1"):
            page = re.sub(r"\\f.|\\", "", (installed() / f"share/man/man1/{name}.1").read_text())
            asked = set(re.findall(r"(?<= )--[\w-]+", run([installed() / "bin" / name, "--help"])))
            self.assertTrue(asked)
            self.assertLessEqual(asked, set(re.findall(r"--[\w-]+", page)), name)

    def test_commands_have_sections_of_their_own(self):
        text = (installed() / "share/man/man1/measure.1").read_text()
        for command in ("run", "ab", "show"):
            self.assertIn(f'.SS "measure {command}"\n', text)

    def test_pages_format_without_warnings(self):
        groff = shutil.which("groff")
        if not groff:
            self.skipTest("there is no groff")
        for page in self.pages():
            self.assertEqual(run([groff, "-man", "-ww", "-z", "-Tutf8", page]), "", page)

    def test_references_between_pages_lead_to_pages(self):
        known = {page.stem for page in self.pages()} | {"gnuplot"}
        for page in self.pages():
            see = page.read_text().partition(".SH SEE ALSO\n")[2].replace("\\-", "-")
            self.assertLessEqual(set(re.findall(r"\\fB([\w-]+)\\fR\(1\)", see)), known | {"mpbench-pvm"}, page)


class Completion(unittest.TestCase):
    def complete(self, *words, cwd=None):
        """Returns what bash would offer for the last word."""
        program = words[0]
        script = ('. "$1"; shift; set -- "$@"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _libmeasure "$1"; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        file = installed() / "share/bash-completion/completions" / program
        return run(["bash", "--norc", "-c", script, "bash", file, *words], cwd=cwd).split()

    def test_options_come_from_the_help(self):
        self.assertEqual(self.complete("mpiperf", "--sync-"), ["--sync-patience", "--sync-drift", "--sync-alg"])
        self.assertEqual(self.complete("measure", "launches", "--ke"), ["--keep"])
        self.assertEqual(self.complete("measure", "run", "--against"), ["--against", "--against-mpiexec",
                                                                        "--against-program"])
        self.assertIn("-npmin", self.complete("PMB-MPI1", "-n"))

    def test_well_known_values_are_offered(self):
        self.assertEqual(self.complete("mpiperf", "--timer", "mono"), ["monotonic", "monotonic_raw"])
        self.assertEqual(self.complete("mpiperf", "--timer", "=", "t"), ["tsc"])
        self.assertEqual(self.complete("mpiperf", "--sync-alg", "h"), ["hca3", "hier"])
        self.assertIn("roundtime", self.complete("mpiperf", "--raw", "-z", ""))
        self.assertEqual(self.complete("PMB-MPI1", "-start", "ba"), ["barrier"])
        self.assertEqual(self.complete("cachebench", "--test", "read,hand"),
                         ["read,handread", "read,handwrite", "read,handrmw"])
        self.assertEqual(self.complete("mpiperf", "--reorder", "o"), ["on", "off"])
        self.assertEqual(self.complete("cachebench", "--isa", "avx"), ["avx2", "avx512"])
        self.assertIn("auto", self.complete("cachebench", "--isa", ""))

    def test_offered_values_are_accepted(self):
        for name in self.complete("mpiperf", "--sync-alg", ""):
            run([installed() / "bin/mpiperf", "--sync-alg", name, "--list", "Bcast"])
        for name in self.complete("mpiperf", "-z", ""):
            run([installed() / "bin/mpiperf", "-z", name, "--list", "Bcast"])

    def test_benchmarks_are_offered_in_any_letter_case(self):
        self.assertEqual(self.complete("mpiperf", "iallgather"), ["Iallgather", "Iallgatherv"])
        self.assertEqual(self.complete("PMB-MPI1", "PingPong", "red"),
                         ["Reduce", "Reduce_scatter", "Reduce_local", "Reduce_scatter_block"])
        self.assertEqual(self.complete("blasbench-run", "d"), ["datafiles"])
        self.assertEqual(self.complete("measure", ""),
                         ["run", "ab", "pairs", "doctor", "tune", "profile", "launches", "merge", "show", "regions", "report",
                          "guidelines", "model", "schema", "archive", "compare", "convert", "export"])
        if "Commands:" in run([installed() / "bin/measure", "archive", "--help"]):  # built with SQLite
            self.assertEqual(self.complete("measure", "archive", "ex"), ["export"])
            self.assertEqual(self.complete("measure", "archive", "export", "--ou"), ["--output"])

    def test_files_are_offered_for_options_that_take_a_file(self):
        folder = scratch() / "completion"
        folder.mkdir(exist_ok=True)
        (folder / "some.jsonl").touch()
        for words in (("mpiperf", "--json", "so"), ("skampi-post", "so"), ("measure", "merge", "--mixed", "so"), ("measure", "so"),
                      ("measure", "launches", "-n", "3", "env", "so"), ("measure", "run", "--expect", "so"),
                      ("measure", "run", "--", "env", "so"), ("measure", "ab", "-n", "6", "--", "env", "so")):
            self.assertEqual(self.complete(*words, cwd=folder), ["some.jsonl"], words)
        (folder / "some_site").mkdir(exist_ok=True)
        if "Commands:" in run([installed() / "bin/measure", "archive", "--help"]):  # built with SQLite
            self.assertEqual(self.complete("measure", "archive", "site", "so", cwd=folder), ["some_site"])
        self.assertEqual(self.complete("measure", "run", "--folder", "so", cwd=folder), ["some_site"])

    def test_free_text_is_not_completed(self):
        self.assertEqual(self.complete("mpiperf", "--seed", ""), [])


class Outside(unittest.TestCase):
    """Other projects: the files in docs/install.md, built against the installed copy and run."""

    def project(self, route):
        folder = pathlib.Path(tempfile.mkdtemp(prefix=route + "-", dir=scratch()))
        shutil.copytree(HERE / route, folder, dirs_exist_ok=True)
        shutil.copy(HERE / "program.cpp", folder)
        return folder

    def assert_works(self, program):
        output = run([LAUNCHER, "-n", "2", program], LD_LIBRARY_PATH="")
        # On a busy machine there may be no value.
        self.assertRegex(output, r"(?m)^2 processes: .*\bvalid.*, stopped: ")

    def here_and_there(self, build):
        """Builds after the copy was moved; in tools/check --all also before."""
        places = [scratch() / f"{build.__name__} {number}".replace(" ", "_") for number in ("first", "second")]
        shutil.copytree(installed(), places[0], symlinks=True)
        if os.environ.get("SLOW_TESTS"):
            build(places[0])
        places[0].rename(places[1])
        build(places[1])

    def with_pkg_config(self, prefix):
        folder = self.project("pkg-config")
        run(["bash", "-eu", "build.sh"], folder, PKG_CONFIG_PATH=str(one(prefix, "lib/**/pkgconfig")))
        self.assert_works(folder / "program")

    def with_cmake(self, prefix, *words):
        folder = self.project("cmake")
        run(["cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}", *words], folder)
        run(["cmake", "--build", "build"], folder)
        self.assert_works(folder / "build/program")

    def test_pkg_config(self):
        self.here_and_there(self.with_pkg_config)

    def test_cmake(self):
        self.here_and_there(self.with_cmake)

    def analysis(self, route):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="analysis-", dir=scratch()))
        for source in (HERE / "analysis" / route, SOURCE / "examples/two_launches.cpp"):
            shutil.copy(source, folder)
        return folder

    def assert_compares_without_mpi(self, program):
        record = SOURCE / "tests/unit/golden.jsonl"
        self.assertIn("Bcast ", run([program, record, record], LD_LIBRARY_PATH=""))
        self.assertNotRegex(run(["ldd", program], LD_LIBRARY_PATH=""), r"libmpi|libmeasure\.so")

    def test_analysis_with_pkg_config(self):
        folder = self.analysis("build.sh")
        where = {"PKG_CONFIG_PATH": str(one(moved_without_blank(), "lib/**/pkgconfig"))}
        self.assertNotIn("mpi", run(["pkg-config", "--cflags", "--libs", "libmeasure-analysis"], **where))
        run(["bash", "-eu", "build.sh"], folder, **where)
        self.assert_compares_without_mpi(folder / "two_launches")

    def test_analysis_with_cmake(self):
        """The project must not look for MPI."""
        folder = self.analysis("CMakeLists.txt")
        run(["cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_PREFIX_PATH={moved()}", "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON"],
            folder)
        run(["cmake", "--build", "build"], folder)
        self.assert_compares_without_mpi(folder / "build/two_launches")

    def test_pkg_config_names_the_dependencies_of_the_archive(self):
        where = {"PKG_CONFIG_PATH": str(one(installed(), "lib/**/pkgconfig"))}
        for package, needs in (("libmeasure", ["libmeasure-analysis", MPI]), ("libmeasure-regions", ["libmeasure"])):
            requires = run(["pkg-config", "--print-requires", package], **where).splitlines()
            self.assertEqual([one.split()[0] for one in requires], needs)
        shared = run(["pkg-config", "--libs-only-l", "libmeasure"], **where).split()
        archive = run(["pkg-config", "--static", "--libs-only-l", "libmeasure"], **where).split()
        self.assertNotIn("-lfmt", shared)
        self.assertLessEqual(set(shared) | {"-lfmt", "-lstdc++"}, set(archive))

    def test_cmake_accepts_versions_of_the_same_interface(self):
        def fits(asked):
            text = f'set(PACKAGE_FIND_VERSION {asked})\n'
            for part, number in zip(("MAJOR", "MINOR", "PATCH"), (asked.split(".") + ["0", "0"])[:3]):
                text += f"set(PACKAGE_FIND_VERSION_{part} {number})\n"
            file = one(installed(), "lib/**/libmeasure-config-version.cmake")
            script = scratch() / "asked.cmake"
            script.write_text(text + f'include("{file}")\nmessage("${{PACKAGE_VERSION_COMPATIBLE}}")\n')
            return run(["cmake", "-P", script]).strip() == "TRUE"

        version = re.search(r'PACKAGE_VERSION "(\d+)\.(\d+)\.(\d+)"',
                            one(installed(), "lib/**/libmeasure-config-version.cmake").read_text())
        major, minor, patch = map(int, version.groups())
        self.assertTrue(fits(f"{major}.{minor}"))
        self.assertTrue(fits(f"{major}.{minor}.{patch}"))
        self.assertFalse(fits(f"{major}.{minor}.{patch + 1}"))
        self.assertFalse(fits(f"{major}.{minor + 1}"))
        self.assertFalse(fits(f"{major + 1}.0"))

    def find_without_compiler(self, defined, components=""):
        """Calls find_package in a project without languages, with an MPI library that defines that macro."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="found-", dir=scratch()))
        (folder / "mpi.h").write_text(f"#define {defined} 1\n")
        (folder / "FindMPI.cmake").write_text(f"""
            add_library(MPI::MPI_C INTERFACE IMPORTED)
            set_target_properties(MPI::MPI_C PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "{folder}")
            set(MPI_FOUND TRUE)""")
        (folder / "CMakeLists.txt").write_text(f"""
            cmake_minimum_required(VERSION 3.18)
            project(program LANGUAGES NONE)
            set(CMAKE_MODULE_PATH "${{CMAKE_SOURCE_DIR}}")
            find_package(libmeasure REQUIRED {components})""")
        package = one(installed(), "lib/**/libmeasure-config.cmake").parent
        return run(["cmake", "-B", "build", f"-Dlibmeasure_DIR={package}"], folder)

    def test_cmake_refuses_another_mpi_library(self):
        with self.assertRaisesRegex(AssertionError, "mpi.h\\s+belongs\\s+to\\s+another\\s+MPI\\s+library"):
            self.find_without_compiler("NEITHER_OF_THEM")

    def test_cmake_says_which_component_is_missing(self):
        macro = "OPEN_MPI" if MPI == "ompi-c" else "MPICH_VERSION"
        self.find_without_compiler(macro, "COMPONENTS regions program OPTIONAL_COMPONENTS fortran")
        for missing in ("fortran", "nonsense"):
            with self.assertRaisesRegex(AssertionError, rf"has\s+no\s+component\s+'{missing}'"):
                self.find_without_compiler(macro, "COMPONENTS program " + missing)

    @slow
    def test_cmake_with_the_archive(self):
        self.with_cmake(installed(), "-Dlibmeasure_USE_STATIC_LIBS=ON")

    def languages(self, route, project="languages", examples=EXAMPLES):
        """A project with the examples in C++, C and Fortran, or without Fortran if MPI has none here."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix=project + "-", dir=scratch()))
        for name in (route, *(name for name in examples if FORTRAN or not name.endswith(".f90"))):
            place = SOURCE / "examples" if name in examples else HERE / project
            shutil.copy(place / name, folder)
        if not FORTRAN:
            text = (folder / route).read_text()
            for word in (" Fortran)", " fortran)", ", 'fortran'"):
                text = text.replace(word, ")" if word[-1] == ")" else "")
            (folder / route).write_text("".join(line for line in text.splitlines(keepends=True)
                                                if "fortran" not in line))
        return folder

    def assert_examples_work(self, folder):
        for source in sorted(folder.glob("*.*")):
            if source.name in EXAMPLES:
                # 4: on a busy machine there may be no value
                ranks, *options = EXAMPLES[source.name]
                done = subprocess.run([LAUNCHER, "-n", ranks, folder / "build" / source.stem, *options],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
                self.assertIn(done.returncode, (0, 4), done.stdout)
                self.assertRegex(done.stdout, r"(?m)^ +8 B .*valid, stopped: |^ring  +2  +8 ")

    def build_with_pkg_config(self, folder):
        (folder / "build").mkdir()
        for path in folder.glob("*.*"):
            shutil.copy(path, folder / "build")
        tools = scratch() / "tools"
        tools.mkdir(exist_ok=True)
        if FORTRAN and not (tools / "mpifort").exists():
            (tools / "mpifort").symlink_to(FORTRAN)
        run(["bash", "-eu", "build.sh"], folder / "build", PATH=f"{tools}:{os.environ['PATH']}",
            PKG_CONFIG_PATH=str(one(moved_without_blank(), "lib/**/pkgconfig")))

    def build_with_cmake(self, folder, *words):
        run(["cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_PREFIX_PATH={moved()}", *words], folder)
        run(["cmake", "--build", "build"], folder)

    def test_languages_with_pkg_config(self):
        folder = self.languages("build.sh")
        self.build_with_pkg_config(folder)
        self.assert_examples_work(folder)
        for name in ("pure_c", "fortran_halo") if FORTRAN else ("pure_c",):
            self.assertNotIn("libmeasure_regions", run(["ldd", folder / "build" / name], LD_LIBRARY_PATH=""))

    @slow
    def test_languages_with_cmake(self):
        for words in ((), ("-Dlibmeasure_USE_STATIC_LIBS=ON",)):
            folder = self.languages("CMakeLists.txt")
            self.build_with_cmake(folder, *words)
            self.assert_examples_work(folder)

    def regions(self, route):
        return self.languages(route, "regions", WITH_REGIONS)

    def assert_regions_work(self, folder, shared=True):
        programs = [source.stem for source in sorted(folder.glob("*.*")) if source.name in WITH_REGIONS]
        self.assertEqual(len(programs), 3 if FORTRAN else 2)
        for name in programs:
            record = folder / f"{name}.jsonl"
            run([LAUNCHER, "-n", "2", folder / "build" / name], LD_LIBRARY_PATH="", MEASURE_REGIONS=str(record))
            first, *_, last = map(json.loads, record.read_text().splitlines())
            self.assertEqual((first["suite"], first["ranks"], last["record"]), ("regions", 2, "end"))
            loaded = run(["ldd", folder / "build" / name], LD_LIBRARY_PATH="")
            self.assertEqual("libmeasure_regions.so" in loaded, shared, loaded)

    def test_regions_with_pkg_config(self):
        folder = self.regions("build.sh")
        self.build_with_pkg_config(folder)
        self.assert_regions_work(folder)

    def test_regions_with_cmake(self):
        folder = self.regions("CMakeLists.txt")
        self.build_with_cmake(folder)
        self.assert_regions_work(folder)

    @slow
    def test_regions_with_cmake_and_the_archive(self):
        folder = self.regions("CMakeLists.txt")
        self.build_with_cmake(folder, "-Dlibmeasure_USE_STATIC_LIBS=ON")
        self.assert_regions_work(folder, shared=False)

    @slow
    def test_cmake_in_one_language(self):
        """A C or Fortran project has no other compiler to find MPI or to link the archive."""
        cases = [("C", "pure_c.c", "libmeasure")] + ([("Fortran", "fortran_halo.f90", "fortran")] if FORTRAN else [])
        for language, source, target in cases:
            folder = pathlib.Path(tempfile.mkdtemp(prefix=language, dir=scratch()))
            shutil.copy(SOURCE / "examples" / source, folder)
            (folder / "CMakeLists.txt").write_text(f"""
                cmake_minimum_required(VERSION 3.18)
                project(alone LANGUAGES {language})
                find_package(libmeasure REQUIRED)
                add_executable({pathlib.Path(source).stem} {source})
                target_link_libraries({pathlib.Path(source).stem} PRIVATE libmeasure::{target})""")
            run(["cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_PREFIX_PATH={moved()}",
                 "-Dlibmeasure_USE_STATIC_LIBS=ON"], folder)
            run(["cmake", "--build", "build"], folder)
            self.assert_examples_work(folder)

    def set_up_as_subproject(self, folder):
        """Puts these sources into the project's subprojects/ and configures it. The project uses none of their
        programs."""
        (folder / "subprojects").mkdir(exist_ok=True)
        (folder / "subprojects/libmeasure").symlink_to(SOURCE)
        flavour = "openmpi" if MPI == "ompi-c" else MPI
        run(["meson", "setup", "build", "-Doptimization=0", "-Dunity=subprojects", "-Dunity_size=1000",
             f"-Dlibmeasure:mpi={flavour}"], folder)
        self.assertNotIn("mpiperf", run(["meson", "introspect", "--targets", "build"], folder))

    @harness.not_quick
    def test_a_meson_subproject_builds_only_what_is_used(self):
        folder = self.project("meson")
        self.set_up_as_subproject(folder)
        built = run(["ninja", "-C", "build", "-n", "-v"], folder)
        self.assertIn("libmeasure", built)
        self.assertNotIn("libmeasure_program", built)

    @slow
    def test_a_meson_subproject_works(self):
        """One outer project builds all three, so that libmeasure is compiled once."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="meson-", dir=scratch()))
        (folder / "subprojects").mkdir()
        projects = {"program": self.project("meson"), "languages": self.languages("meson.build"),
                    "regions": self.regions("meson.build")}
        for name, project in projects.items():
            shutil.copytree(project, folder / "subprojects" / name)
        (folder / "meson.build").write_text("project('all', default_options: ['cpp_std=c++20'])\n" + "".join(
            f"subproject('{name}')\n" for name in projects))
        self.set_up_as_subproject(folder)
        run(["ninja", "-C", "build"], folder, seconds=900)
        for name, project in projects.items():
            (project / "build").symlink_to(folder / "build/subprojects" / name)
        self.assert_works(projects["program"] / "build/program")
        self.assert_examples_work(projects["languages"])
        self.assert_regions_work(projects["regions"])


class Documentation(unittest.TestCase):
    def test_the_documented_files_are_the_tested_files(self):
        text = (SOURCE / "docs/install.md").read_text()
        for file in ("program.cpp", "pkg-config/build.sh", "cmake/CMakeLists.txt", "meson/meson.build",
                     "analysis/build.sh", "analysis/CMakeLists.txt", "languages/build.sh", "languages/CMakeLists.txt",
                     "languages/meson.build", "regions/build.sh", "regions/CMakeLists.txt", "regions/meson.build"):
            lines = (HERE / file).read_text().splitlines(keepends=True)
            shown = "".join(line for line in lines if "SPDX" not in line)
            self.assertIn(shown, text, file)


def main():
    global SOURCE, BUILD, LAUNCHER, MPI, FORTRAN
    SOURCE, BUILD, LAUNCHER = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
    MPI, FORTRAN = sys.argv[4:6]
    harness.main(sys.argv[6:])


if __name__ == "__main__":
    main()
