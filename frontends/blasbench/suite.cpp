// SPDX-License-Identifier: BSD-3-Clause
#include "suite.hpp"

#include "campaign.hpp"
#include "library.hpp"
#include "options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <vector>

namespace blasbench {

namespace {

Search search_of(program::Session& session) {
    if (auto const folder = session.test_hook("MEASURE_TEST_BLAS_FOLDER"))
        return {.folder = *folder, .loader = false};
    return standard_search();
}

std::vector<Blas> open_libraries(Options const& options, bool vendor, program::Session& session) {
    Search const search = search_of(session);
    std::vector<Blas> result;
    for (auto const& name : options.libraries)
        result.push_back(open(name, search));
    if (result.empty()) {
        result.push_back(open_default(vendor, search));
        if (result.front().name == "builtin")
            session.warn("the reference BLAS is not installed: built-in loops are measured (--blas chooses another)");
    }
    for (Blas const& blas : result)
        if (has_too_old_kernels(blas))
            session.warn(fmt::format("{} does not know this processor and uses its {} kernels (the variable "
                                     "OPENBLAS_CORETYPE, Haswell for example, chooses others)",
                                     blas.product, blas.kernels));
    return result;
}

void run(Options const& options, bool vendor, program::Session& session) {
    // Libraries read it when they are opened.
    set_threads(options.threads);
    if (options.list) {
        session.text() << list(search_of(session)) << std::flush;
        return;
    }
    auto const machine = llcbench::machine();
    bool const terminal = ::isatty(session.common().json == "-" ? STDERR_FILENO : STDOUT_FILENO) != 0;
    Setup const setup = resolve(options, machine, terminal);
    auto const libraries = open_libraries(options, vendor, session);
    measure_all(setup, libraries, machine, session);
}

}  // namespace

program::Suite suite(std::string const& command) {
    bool const vendor = std::filesystem::path{command}.filename().string().rfind('v', 0) == 0;
    return {.name = "blasbench",
            .program = vendor ? "vblasbench" : "blasbench",
            .summary = "Measures the rates of BLAS routines by the method of BLASBench.",
            .common = {},
            .uses_mpi = false,
            .prepare = [vendor](program::Parser& parser, program::CommonOptions const&) -> program::Body {
                auto const options = std::make_shared<Options>();
                declare(parser, *options);
                return [options, vendor](program::Session& session) { run(*options, vendor, session); };
            }};
}

}  // namespace blasbench
