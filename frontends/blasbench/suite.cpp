// SPDX-License-Identifier: BSD-3-Clause
#include "suite.hpp"

#include "library.hpp"
#include "llcbench/results.hpp"
#include "method.hpp"
#include "options.hpp"
#include "program/engine/campaign.hpp"
#include "report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
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

/// What is printed: with one library its rows as they come, with several library by library in the end. It is all the
/// report's own; the engine gets empty texts.
class Text {
public:
    Text(Shared const& shared, llcbench::Machine const& machine, llcbench::Results& results)
        : shared_{shared}, results_{results}, report_{results.stream(), shared.setup, machine,
                                                      shared.libraries.size()} {}

    [[nodiscard]] measure::Environment const& environment() const noexcept { return environment_; }

    std::string head(measure::Environment const& run) {
        environment_ = run;
        return {};
    }

    std::string begin(measure::Benchmark const& benchmark) {
        auto const& all = shared_.setup.series;
        series_ = &*std::find_if(all.begin(), all.end(), [&](Series const& each) {
            return full_name(*each.routine, shared_.setup.precision) == benchmark.name;
        });
        if (at_once())
            report_.begin(*series_, shared_.libraries.front(), environment_);
        return {};
    }

    std::string row(measure::Record const& record) {
        if (at_once())
            print(record);
        else
            records_.push_back(record);
        return {};
    }

    std::string end() {
        if (at_once())
            report_.end();
        for (Blas const& blas : at_once() ? std::span<Blas const>{} : shared_.libraries) {
            report_.begin(*series_, blas, environment_);
            for (auto const& record : records_)
                if (record.at.text("blas") == blas.name)
                    print(record);
            report_.end();
        }
        records_.clear();
        return {};
    }

private:
    [[nodiscard]] bool at_once() const noexcept { return shared_.libraries.size() == 1; }
    void print(measure::Record const& record) {
        report_.row(record);
        results_.check_row();
    }

    Shared const& shared_;
    llcbench::Results& results_;
    Report report_;
    measure::Environment environment_{};
    Series const* series_ = nullptr;
    std::vector<measure::Record> records_{};  ///< of a series
};

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
    Shared shared{.setup = setup, .libraries = libraries};
    auto program = program_of(shared);
    if (session.common().list) {
        program::list(program, session);
        return;
    }
    llcbench::Results results{setup.output, machine, session};
    if (auto const hook = session.test_hook("MEASURE_TEST_CORRUPT"))
        shared.damaged = *hook;
    session.add_to_run("blas", describe(libraries));
    session.add_to_run("caches", llcbench::value(machine.caches));

    Text text{shared, machine, results};
    program.page = {.head = [&](measure::Environment const& run) { return text.head(run); },
                    .begin = [&](measure::Benchmark const& benchmark) { return text.begin(benchmark); },
                    .row = [&](measure::Record const& r, measure::Measurement const&) { return text.row(r); },
                    .end = [&](measure::Benchmark const&) { return text.end(); }};
    program::run(program, {.options = describe(setup, options), .out = &results.stream()}, session);
    results.keep(text.environment(), libraries_info(libraries, setup));
}

}  // namespace

program::Suite suite(std::string const& command) {
    bool const vendor = std::filesystem::path{command}.filename().string().rfind('v', 0) == 0;
    program::CommonUse use{.list = true, .ranks = false, .config = true};
    use.defaults.retry = 0;
    return {.name = "blasbench",
            .program = vendor ? "vblasbench" : "blasbench",
            .summary = "Measures the rates of BLAS routines by the method of BLASBench.",
            .common = use,
            .uses_mpi = false,
            .prepare = [vendor](program::Parser& parser, program::CommonOptions const&) -> program::Body {
                auto const options = std::make_shared<Options>();
                declare(parser, *options);
                return [options, vendor](program::Session& session) { run(*options, vendor, session); };
            }};
}

}  // namespace blasbench
