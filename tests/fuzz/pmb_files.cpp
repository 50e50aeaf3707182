// SPDX-License-Identifier: BSD-3-Clause
// Files of -input and -msglen, and command lines of PMB and IMB, as words that a zero byte ends.
#include "fuzz.hpp"
#include "options.hpp"

#include <array>

namespace {

void resolve(pmb::Part part, std::vector<std::string> const& words, std::string_view file) {
    fuzz::properly([&] {
        pmb::Options options{part};
        program::CommonOptions const common;
        program::Parser parser{"IMB", "test"};
        pmb::declare(parser, options);
        (void)parser.parse(words);
        (void)pmb::resolve(options, common, [&](std::string const&) { return std::string{file}; });
    });
}

}  // namespace

void fuzz::parse(std::string_view text) {
    // The other parts read files in the same way.
    for (auto const part : {pmb::Part::mpi1, pmb::Part::imb_mpi1, pmb::Part::imb_io})
        for (char const* const option : {"-input", "-msglen"})
            resolve(part, {option, "file"}, text);
    for (auto const part : {pmb::Part::mpi1, pmb::Part::imb_mpi1, pmb::Part::imb_p2p, pmb::Part::imb_mt})
        resolve(part, program::split(text, '\0'), "PingPong\n");
}
