// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/suite.hpp"

#include "blasbench/library.hpp"
#include "blasbench/main.hpp"
#include "blasbench/method.hpp"
#include "blasbench/options.hpp"
#include "blasbench/report.hpp"
#include "llcbench/page.hpp"
#include "program/engine/campaign.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
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
            session.warn("the reference BLAS is not installed; measuring built-in loops instead (--blas selects "
                         "another library)");
    }
    for (Blas const& blas : result)
        if (has_too_old_kernels(blas))
            session.warn(fmt::format("{} does not know this processor and uses its {} kernels (set "
                                     "OPENBLAS_CORETYPE, for example to Haswell, to select others)",
                                     blas.product, blas.kernels));
    if (options.threads.size() > 1)
        for (Blas const& blas : result)
            check_threads(blas, options.threads);
    return result;
}

/// Prints rows immediately if there is one library and one number of threads. Otherwise collects the rows of a series
/// and prints one block per library and number of threads at its end.
class Text final : public llcbench::Text {
public:
    Text(Shared const& shared, llcbench::Machine const& machine, std::ostream& out)
        : shared_{shared}, report_{out, shared.setup, machine, shared.libraries.size()} {}

    void begin(measure::Benchmark const& benchmark, measure::Environment const& run) override {
        environment_ = run;
        auto const& all = shared_.setup.series;
        series_ = &*std::find_if(all.begin(), all.end(), [&](Series const& each) {
            return full_name(*each.routine, shared_.setup.precision) == benchmark.name;
        });
        if (at_once())
            report_.begin(*series_, shared_.libraries.front(), shared_.setup.threads.front(), environment_);
    }

    void row(measure::Record const& record) override {
        if (at_once())
            report_.row(record);
        else
            records_.push_back(record);
    }

    void end() override {
        if (at_once()) {
            report_.end();
            return;
        }
        for (Blas const& blas : shared_.libraries)
            for (int const threads : shared_.setup.threads)
                block(blas, threads);
        records_.clear();
    }

private:
    [[nodiscard]] bool at_once() const noexcept {
        return shared_.libraries.size() == 1 && shared_.setup.threads.size() == 1;
    }

    void block(Blas const& blas, int threads) {
        report_.begin(*series_, blas, threads, environment_);
        for (auto const& record : records_)
            if (record.at.text("blas") == blas.name && record.at.integer("threads") == threads)
                report_.row(record);
        report_.end();
    }

    Shared const& shared_;
    Report report_;
    measure::Environment environment_{};
    Series const* series_ = nullptr;
    std::vector<measure::Record> records_{};  ///< of the current series
};

void run(Options const& options, bool vendor, program::Session& session) {
    // Libraries read the number of threads when they are opened.
    set_threads(*std::max_element(options.threads.begin(), options.threads.end()));
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
    program::warn_of_quota(session, *std::max_element(options.threads.begin(), options.threads.end()));
    session.add_to_run("blas", describe(libraries));
    session.add_to_run("caches", llcbench::value(machine.caches));

    Text text{shared, machine, results.stream()};
    llcbench::measure(std::move(program), {.options = describe(setup, options)}, text, results,
                      libraries_info(libraries, setup), session);
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
            .prepare = program::prepared<Options>(
                declare, [vendor](Options const& options, program::Session& session) { run(options, vendor, session); },
                [](Options const& options, program::CommonOptions const&, program::Supposed const&) {
                    // Checks the options as on a machine that does not report its memory.
                    if (!options.list)
                        static_cast<void>(resolve(options, {}, false));
                })};
}

int run_main(int argc, char** argv) { return program::run_main(argc, argv, suite(argc > 0 ? argv[0] : "blasbench")); }

}  // namespace blasbench
