// SPDX-License-Identifier: BSD-3-Clause
// Command lines and libraries that blasbench refuses, and its help.
#include "blasbench/library.hpp"
#include "blasbench/options.hpp"
#include "blasbench/suite.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/kiwi.hpp"
#include "support/refused.hpp"

#include <measure/error.hpp>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <optional>
#include <string>

namespace {

program::Suite const& blasbench_suite() {
    static auto const suite = blasbench::suite("blasbench");
    return suite;
}

/// Checks a refusal on a machine with 4 GiB of memory.
void need_memory(test::Words const& words, std::string const& text) {
    CAPTURE(words);
    auto const options = test::parsed<blasbench::Options>(words);
    CHECK_THROWS_AS(resolve(options, test::kiwi(), false), measure::UsageError);
    CHECK_THROWS_WITH(resolve(options, test::kiwi(), false),
                      Catch::Matchers::ContainsSubstring(text) &&
                          Catch::Matchers::ContainsSubstring("only 4 GiB is available"));
}

/// The file of a library; empty if it is not installed.
std::optional<std::filesystem::path> installed(std::string const& library) {
    try {
        return blasbench::open(library, blasbench::standard_search()).file;
    } catch (measure::UsageError const&) {
        return std::nullopt;
    }
}

/// The error message if a folder contains this file in place of the reference library. \param name  name of the folder;
/// must differ between calls because the loader does not open a second file at a known path
std::string disguised(std::filesystem::path const& file, std::string const& name) {
    test::Folder const folder;
    auto const place = folder.path() / name;
    std::filesystem::create_directories(place / "blas");
    std::filesystem::create_symlink(file, place / "blas" / "libblas.so.3");
    try {
        static_cast<void>(blasbench::open("ref", {.folder = place.string(), .loader = false}));
    } catch (measure::UsageError const& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("blasbench names the wrong option", "[blasbench]") {
    accepts(blasbench_suite(), "-m 9 -e 1 -i 1 -x 0 --threads 2 --test all --timer monotonic --blas /some/file.so");
    accepts(blasbench_suite(), "--size 24");
    refuses(blasbench_suite(), "-m 8", {"-m"});
    refuses(blasbench_suite(), "-m 0", {"-m"});
    refuses(blasbench_suite(), "-m abc", {"-m"});
    refuses(blasbench_suite(), "-m 64", {"-m"});
    refuses(blasbench_suite(), "-e 0", {"-e"});
    refuses(blasbench_suite(), "-e -1", {"-e"});
    refuses(blasbench_suite(), "-i 0", {"-i"});
    refuses(blasbench_suite(), "-x -1", {"-x"});
    refuses(blasbench_suite(), "-q", {"-q"});
    refuses(blasbench_suite(), "extra", {"extra"});
    refuses(blasbench_suite(), "--n 0", {"--n"});
    refuses(blasbench_suite(), "--threads 0", {"--threads"});
    refuses(blasbench_suite(), "--threads 1,0", {"--threads: '0'"});
    refuses(blasbench_suite(), "--size 23", {"--size: '23' is too small for gemm"});
    refuses(blasbench_suite(), "--test foo", {"--test"});
    refuses(blasbench_suite(), "--timer foo", {"--timer"});
    refuses(blasbench_suite(), "--timer mpi_wtime", {"--timer: mpi_wtime needs MPI; use monotonic_raw"});
    refuses(blasbench_suite(), "--blas ''", {"--blas"});
    refuses(blasbench_suite(), "--blas ref,Ref", {"names ref twice"});
}

TEST_CASE("blasbench refuses wrong shapes", "[blasbench]") {
    accepts(blasbench_suite(), "--gemm 4x4x4 --transpose NT,TT");
    refuses(blasbench_suite(), "--gemm 4x4", {"--gemm: '4x4' is not of the form MxNxK"});
    refuses(blasbench_suite(), "--gemm 4x4x0", {"--gemm: '0'"});
    refuses(blasbench_suite(), "--gemm ''", {"--gemm: '' is not of the form MxNxK"});
    refuses(blasbench_suite(), "--gemm 4x4x4 --n 4", {"--nmin and --gemm cannot be combined"});
    refuses(blasbench_suite(), "--gemm 4x4x4 --test all", {"--gemm cannot be combined with"});
    refuses(blasbench_suite(), "--gemm 4x4x4 -d", {"--gemm and -d cannot be combined"});
    refuses(blasbench_suite(), "--gemm 2000000000x2000000000x1", {"too large for gemm"});
    refuses(blasbench_suite(), "-v --transpose NT", {"--transpose: applies only to GEMM"});
    refuses(blasbench_suite(), "--transpose XX", {"--transpose: 'XX'"});
    // Only --list-blas does not check what would be measured.
    accepts(blasbench_suite(), "-v --transpose NT --list-blas");
}

TEST_CASE("blasbench refuses problems that need more memory than available", "[blasbench]") {
    need_memory({"-m", "44"}, "-m: gemm of dimension 856158 has operands of 16 TiB and needs 16 TiB of memory, ");
    need_memory({"--gemm", "2000000x2000000x1"}, "needs 29.1 TiB of memory");
}

TEST_CASE("blasbench states why it cannot use a library", "[blasbench]") {
    auto const search = blasbench::standard_search();
    CHECK_THROWS_WITH(blasbench::open("nosuch", search), Catch::Matchers::StartsWith("--blas: cannot use 'nosuch': ") &&
                                                             Catch::Matchers::ContainsSubstring("No such file"));
    Dl_info libc{};
    REQUIRE(dladdr(reinterpret_cast<void*>(&std::getenv), &libc) != 0);
    CHECK_THROWS_WITH(blasbench::open(libc.dli_fname, search),
                      Catch::Matchers::ContainsSubstring("undefined symbol: daxpy_"));
    CHECK_THROWS_WITH(blasbench::open("libopenblas64.so.0", search), Catch::Matchers::ContainsSubstring("64-bit"));
}

TEST_CASE("blasbench does not accept a vendor library as the reference library", "[blasbench]") {
    if (auto const openblas = installed("openblas"))
        CHECK_THAT(disguised(*openblas, "first"),
                   Catch::Matchers::ContainsSubstring("is not the reference library but OpenBLAS"));
    else
        WARN("OpenBLAS is not installed; this case is not tested");
    // A library that does not identify its vendor is recognised by its folder.
    auto const blis = installed("blis");
    if (auto const file = blis.value_or("").parent_path() / "libblas.so.3"; blis && exists(file))
        CHECK_THAT(disguised(file, "second"),
                   Catch::Matchers::ContainsSubstring("is not the reference library but a vendor's ") &&
                       Catch::Matchers::ContainsSubstring("blis"));
    else
        WARN("BLIS is not installed; this case is not tested");
}

TEST_CASE("the help of blasbench shows the defaults", "[blasbench]") {
    auto const [code, text] = program::checked(blasbench_suite(), {"-h"});
    CHECK(code == 0);
    std::string words;
    for (auto const& word : words_of(text))
        words += word + ' ';
    for (std::string const part :
         {"default 24", "default 100000", "-v -a -t on a terminal, -t to a file or pipe", "--list-blas"})
        CHECK_THAT(words, Catch::Matchers::ContainsSubstring(part));
}
