// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/suite.hpp"

#include "cachebench/copies.hpp"
#include "cachebench/frequency.hpp"
#include "cachebench/main.hpp"
#include "cachebench/method.hpp"
#include "cachebench/options.hpp"
#include "cachebench/report.hpp"
#include "llcbench/page.hpp"
#include "program/engine/campaign.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <ostream>
#include <utility>
#include <vector>

namespace cachebench {

namespace {

class Text final : public llcbench::Text {
public:
    Text(Shared const& shared, llcbench::Machine const& machine, std::ostream& out, program::Session& session)
        : shared_{shared}, session_{session}, report_{out, shared.setup, machine, shared.frequency} {}

    void begin(measure::Benchmark const& benchmark, measure::Environment const& run) override {
        test_ = &test(benchmark.name);
        report_.begin(*test_, run);
    }

    void row(measure::Record const& record) override {
        if (record.status == measure::PointStatus::no_valid_samples)
            session_.warn(fmt::format("{}: {} bytes: {}", record.benchmark, record.at.bytes("bytes"), record.message));
        report_.row(record);
        if (shared_.setup.copies > 0)
            add_copy(record);
    }

    void end() override { report_.end(); }

private:
    /// Collects the copies of a point. After the last one prints the sum of all copies.
    void add_copy(measure::Record const& record) {
        copies_.push_back(record);
        if (record.at.integer("copy") < shared_.setup.copies)
            return;
        auto const together = sum(std::exchange(copies_, {}));
        if (!together || test_->work == Work::latency)
            return;
        report_.row(*together);
        session_.summary({.name = "sum_of_copies",
                          .value = *together->value,
                          .unit = "B/s",
                          .derived = measure::Value::Object{{"benchmark", record.benchmark},
                                                            {"bytes", record.at.bytes("bytes")},
                                                            {"type", shared_.setup.type->name},
                                                            {"flavour", shared_.setup.flavour->name},
                                                            {"repetition", record.at.integer("repetition")},
                                                            {"copies", shared_.setup.copies}}});
    }

    Shared const& shared_;
    program::Session& session_;
    Report report_;
    Test const* test_ = nullptr;
    std::vector<measure::Record> copies_{};  ///< copies of the current point
};

void run(Options const& options, program::Session& session) {
    auto const machine = llcbench::machine();
    bool const terminal = ::isatty(session.common().json == "-" ? STDERR_FILENO : STDOUT_FILENO) != 0;
    auto const setup = resolve(options, machine, terminal);
    Shared shared{.setup = setup, .seed = session.common().seed};
    auto program = program_of(shared);
    if (session.common().list) {
        program::list(program, session);
        return;
    }
    llcbench::Results results{setup.output, machine, session};
    if (auto const hook = session.test_hook("MEASURE_TEST_CORRUPT"))
        shared.damaged = *hook;
    if (setup.copies > usable_cores())
        session.warn("--copies: more copies than cores, so copies share cores");
    program::warn_of_quota(session, std::max(setup.copies, 1));
    session.add_to_run("caches", llcbench::value(machine.caches));
    // Not measured with copies: the core may be slower while other cores are busy.
    if (setup.copies == 0)
        shared.frequency = core_frequency();
    session.add_to_run("core_frequency", shared.frequency);

    Text text{shared, machine, results.stream(), session};
    llcbench::measure(std::move(program), {.options = describe(setup, options)}, text, results, build(setup), session);
}

}  // namespace

program::Suite suite() {
    program::CommonUse use{.seed = true, .list = true, .ranks = false, .config = true};
    use.defaults.retry = 0;
    return {.name = "cachebench",
            .program = "cachebench",
            .summary = "Measures the bandwidth of memory and caches by the method of CacheBench.",
            .common = use,
            .uses_mpi = false,
            .prepare = program::prepared<Options>(
                declare, run, [](Options const& options, program::CommonOptions const&, program::Supposed const&) {
                    // Checks the options as on a machine that does not report its memory.
                    static_cast<void>(resolve(options, {}, false));
                })};
}

int run_main(int argc, char** argv) { return program::run_main(argc, argv, suite()); }

}  // namespace cachebench
