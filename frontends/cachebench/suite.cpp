// SPDX-License-Identifier: BSD-3-Clause
#include "suite.hpp"

#include "campaign.hpp"
#include "options.hpp"

#include <unistd.h>

#include <memory>

namespace cachebench {

namespace {

void run(Options const& options, program::Session& session) {
    auto const machine = llcbench::machine();
    bool const terminal = ::isatty(session.common().json == "-" ? STDERR_FILENO : STDOUT_FILENO) != 0;
    measure_all(resolve(options, machine, terminal), machine, session);
}

}  // namespace

program::Suite suite() {
    return {.name = "cachebench",
            .program = "cachebench",
            .summary = "Measures the bandwidth of memory and caches by the method of CacheBench.",
            .common = {.seed = true},
            .uses_mpi = false,
            .prepare = [](program::Parser& parser, program::CommonOptions const&) -> program::Body {
                auto const options = std::make_shared<Options>();
                declare(parser, *options);
                return [options](program::Session& session) { run(*options, session); };
            }};
}

}  // namespace cachebench
