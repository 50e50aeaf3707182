// SPDX-License-Identifier: BSD-3-Clause
// Command lines of b_eff that are refused.
#include "b_eff/suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <string>

namespace {

program::Suite const& b_eff_suite() {
    static auto const suite = b_eff::suite();
    return suite;
}

}  // namespace

TEST_CASE("b_eff names the wrong option", "[b_eff]") {
    accepts(b_eff_suite(), "");
    accepts(b_eff_suite(), "--mem 16 -f x -yrange 1:9 --rmax 10 --random 1 --reps 20 --methods nonblocking,sendrecv "
                           "--start slot --loop classic");
    for (std::string const words :
         {"--mem 0", "--mem -5", "--mem abc", "--mem 1e99", "--mem 16MB", "--mem 1023k", "-yrange 5", "-yrange 0:1",
          "-yrange 9:1", "--rmax 0", "--random 0", "--random 1001", "--reps 99", "--reps 21", "--methods foo",
          "--start free", "--ranks 4", "--loop fast", "--quick --loop classic"})
        refuses(b_eff_suite(), words, {words.substr(0, words.find(' '))});
    refuses(b_eff_suite(), "--methods sendrecv,sendrecv", {"--methods", "names sendrecv twice"});
    refuses(b_eff_suite(), "-f", {"-f"});
    refuses(b_eff_suite(), "--foo", {"--foo"});
    refuses(b_eff_suite(), "extra", {"extra"});
}

TEST_CASE("b_eff needs at least 2 and at most 65536 processes", "[b_eff]") {
    program::Supposed const alone{.ranks = 1};
    for (char const* const words : {"", "--quick", "--list"})
        refuses(b_eff_suite(), words, {"b_eff needs at least 2 processes"}, alone);
    accepts(b_eff_suite(), "--list --ranks 2", alone);
    refuses(b_eff_suite(), "--list --ranks 1", {"at least 2 processes"});
    accepts(b_eff_suite(), "--list --ranks 65536");
    refuses(b_eff_suite(), "--list --ranks 65537", {"65536"});
}
