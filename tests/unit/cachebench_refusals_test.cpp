// SPDX-License-Identifier: BSD-3-Clause
// Command lines of cachebench that are refused, and its help.
#include "cachebench/suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <string>

namespace {

program::Suite const& cachebench_suite() {
    static auto const suite = cachebench::suite();
    return suite;
}

}  // namespace

TEST_CASE("cachebench names the wrong option", "[cachebench]") {
    accepts(cachebench_suite(), "-m 9 -e 1 -x 0 -d 1 --type int --timer monotonic");
    accepts(cachebench_suite(), "-r --size 8");
    refuses(cachebench_suite(), "-m 8", {"-m"});
    refuses(cachebench_suite(), "-m abc", {"-m"});
    refuses(cachebench_suite(), "-m 70", {"-m"});
    refuses(cachebench_suite(), "-e 0", {"-e"});
    refuses(cachebench_suite(), "-x -1", {"-x"});
    refuses(cachebench_suite(), "-d -1", {"-d"});
    refuses(cachebench_suite(), "-d 0", {"-d"});
    refuses(cachebench_suite(), "--foo", {"--foo"});
    refuses(cachebench_suite(), "extra", {"extra"});
    refuses(cachebench_suite(), "--type foo", {"--type"});
    refuses(cachebench_suite(), "--size 0", {"--size"});
    refuses(cachebench_suite(), "-r --size 4", {"--size: '4' is too small for read (at least 8 bytes)"});
    refuses(cachebench_suite(), "--timer foo", {"--timer"});
    refuses(cachebench_suite(), "--timer mpi_wtime", {"--timer: mpi_wtime needs MPI; use monotonic_raw"});
}

TEST_CASE("cachebench refuses instruction sets that are unknown or have no effect", "[cachebench]") {
    accepts(cachebench_suite(), "-r --flavour vector --isa scalar");
    refuses(cachebench_suite(), "-r --flavour vector --isa mmx", {"--isa"});
    refuses(cachebench_suite(), "-r --isa scalar", {"--isa: requires --flavour vector"});
}

TEST_CASE("the help of cachebench shows the defaults", "[cachebench]") {
    auto const [code, text] = program::checked(cachebench_suite(), {"-h"});
    CHECK(code == 0);
    std::string words;
    for (auto const& word : words_of(text))
        words += word + ' ';
    for (std::string const part : {"Elements are 8-byte doubles", "-r -w -b -s -p on a terminal, -b to a file or pipe",
                                   "default 24", "default 5 s"})
        CHECK_THAT(words, Catch::Matchers::ContainsSubstring(part));
}
