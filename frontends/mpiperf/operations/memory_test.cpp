// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/memory_test.hpp"

#include "mpiperf/rules.hpp"

#include <measure/mpi_error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

namespace mpiperf {

measure::Bytes page_delta(measure::Bytes now, measure::Bytes before, measure::Bytes page) noexcept {
    auto const delta = now - before;
    return delta < page && -delta < page ? 0 : delta;
}

MemoryModel memory_model(std::vector<double> processes, std::vector<double> taken) {
    MemoryModel model{std::move(processes), std::move(taken), {}};
    auto const line = measure::fit_line(model.processes, model.taken);
    if (!std::isnan(line.slope))
        model.line = line;
    return model;
}

std::vector<std::int64_t> memory_processes(Options const& o, int world) {
    int const last = std::min(o.max_ranks.value_or(world), world);
    return progression(std::min(o.min_ranks.value_or(2), last), last, o.rank_step, true);
}

std::vector<measure::Point> memory_points(std::span<std::int64_t const> processes, std::span<std::string const> tests,
                                          int world) {
    std::vector<measure::Point> points{{{"ranks", std::int64_t{world}}, {"phase", "init"}}};
    for (auto const n : processes)
        for (auto const* const phase : {"communicator", "contact"})
            points.push_back({{"ranks", n}, {"phase", phase}});
    for (auto const& test : tests)
        points.push_back({{"ranks", std::int64_t{world}}, {"phase", test}});
    return points;
}

MemoryTest::MemoryTest(measure::Comm const& world, std::vector<std::int64_t> processes)
    : world_{world}, processes_{std::move(processes)} {
    // The first look loads code into memory, so it does not count.
    static_cast<void>(process_memory());
    peek("init", world.size());
}

void MemoryTest::peek(std::string_view phase, int processes) {
    auto const now = process_memory();
    auto const before = phases_.empty() ? now.resident : phases_.back().memory.resident;
    phases_.push_back({std::string{phase}, processes, now, page_delta(now.resident, before, page_size())});
}

namespace {

/// Sends one byte between every two processes, which sets up their connections.
void touch_all(measure::Comm const& comm) {
    constexpr int tag = 1;
    std::array<char, 2> bytes{};
    for (int k = 1; k < comm.size(); ++k)
        measure::check(MPI_Sendrecv(&bytes[0], 1, MPI_BYTE, (comm.rank() + k) % comm.size(), tag, &bytes[1], 1,
                                    MPI_BYTE, (comm.rank() + comm.size() - k) % comm.size(), tag, comm.native(),
                                    MPI_STATUS_IGNORE),
                       "MPI_Sendrecv");
}

}  // namespace

void MemoryTest::meet() {
    // All communicators live until the end, because a later one would reuse the memory of a freed one.
    std::vector<measure::Comm> made;
    for (auto const n : processes_) {
        bool const mine = world_.rank() < n;
        MPI_Comm raw = MPI_COMM_NULL;
        measure::check(MPI_Comm_split(world_.native(), mine ? 0 : MPI_UNDEFINED, world_.rank(), &raw),
                       "MPI_Comm_split");
        if (mine)
            made.push_back(world_.take(raw));
        world_.idle_barrier();
        peek("communicator", static_cast<int>(n));
        if (mine)
            touch_all(made.back());
        world_.idle_barrier();
        peek("contact", static_cast<int>(n));
    }
}

namespace {

/// Spread over the processes of a phase. \param all  values of the world, on the root
template <class Member>
measure::RankSpread over(std::vector<ProcessMemory> const& all, int processes, Member member) {
    std::vector<double> values;
    for (auto const& m : std::span{all}.first(static_cast<std::size_t>(processes)))
        values.push_back(static_cast<double>(m.*member));
    auto const [low, high] = std::minmax_element(values.begin(), values.end());
    return {*low, measure::mean(values), *high};
}

measure::Value value_of(measure::RankSpread const& o) {
    return measure::Value::Object{{"min", o.min}, {"mean", o.mean}, {"max", o.max}};
}

double mean_of(std::vector<measure::Bytes> const& values, int processes) {
    std::vector<double> const numbers(values.begin(), values.begin() + processes);
    return measure::mean(numbers);
}

}  // namespace

MemoryRow MemoryTest::row(Phase const& phase) const {
    MemoryRow r{.processes = phase.processes, .phase = phase.name};
    auto const all = world_.gather(phase.memory);
    auto const deltas = world_.gather(phase.delta);
    if (!world_.is_root())
        return r;
    r.resident = over(all, r.processes, &ProcessMemory::resident);
    r.peak = over(all, r.processes, &ProcessMemory::peak).max;
    r.delta = mean_of(deltas, r.processes);
    r.details["delta"] = r.delta;
    for (auto const& [name, member] : {std::pair{"peak", &ProcessMemory::peak},
                                       {"anonymous", &ProcessMemory::anonymous},
                                       {"file", &ProcessMemory::file},
                                       {"shared", &ProcessMemory::shared},
                                       {"huge", &ProcessMemory::huge}})
        r.details[name] = value_of(over(all, r.processes, member));
    return r;
}

std::vector<MemoryRow> MemoryTest::rows() {
    std::vector<MemoryRow> rows;
    for (; reported_ < phases_.size(); ++reported_)
        rows.push_back(row(phases_[reported_]));
    return rows;
}

MemoryModel MemoryTest::model() const {
    std::vector<double> processes;
    std::vector<double> taken;
    auto const& first = phases_.front();
    for (auto const& phase : phases_) {
        if (phase.name != "contact")
            continue;
        auto const all = world_.gather(page_delta(phase.memory.resident, first.memory.resident, page_size()));
        if (!world_.is_root())
            continue;
        processes.push_back(phase.processes);
        taken.push_back(mean_of(all, phase.processes));
    }
    return memory_model(std::move(processes), std::move(taken));
}

measure::Record memory_record(MemoryRow const& row) {
    return {.benchmark = std::string{memory_test},
            .at = {{"ranks", std::int64_t{row.processes}}, {"phase", row.phase}},
            .quantity = measure::Quantity::memory,
            .value = row.resident.mean,
            .attempts = 1,
            .valid = 1,
            .kept = 1,
            .over_ranks = row.resident,
            .derived = row.details};
}

measure::Summary memory_summary(MemoryModel const& model, std::vector<std::string> const& variables) {
    measure::Summary summary{.name = "memory_per_process", .value = {}, .unit = "B"};
    if (model.line) {
        summary.value = model.line->slope;
        summary.derived["a"] = model.line->at(0);
        summary.derived["b"] = model.line->slope;
    }
    summary.derived["processes"] = measure::Value::Array(model.processes.begin(), model.processes.end());
    summary.derived["taken"] = measure::Value::Array(model.taken.begin(), model.taken.end());
    summary.derived["mpi_variables"] = measure::Value::Array(variables.begin(), variables.end());
    return summary;
}

namespace {

constexpr std::string_view memory_legend =
    R"(# Phase     init: before the processes communicate; communicator: a communicator of [Procs] processes is created;
#           contact: each of these has sent a byte to every other; name of a test: after this test
# RSS_      resident memory of a process in KiB: minimum, mean, maximum over the processes
# HWM_max   largest resident memory that any process ever had, in KiB
# dRSS      mean change of resident memory since the previous phase, in KiB
)";

std::string in_kib(double bytes) { return fmt::format("{:.1f}", bytes / static_cast<double>(measure::kibi)); }

std::string model_text(MemoryModel const& model) {
    if (!model.line)
        return "# Model of memory taken by a process: none, it needs at least two numbers of processes\n";
    return fmt::format("# Model of memory taken by a process that has met p processes: {} KiB + {} KiB p\n",
                       in_kib(model.line->at(0)), in_kib(model.line->slope));
}

std::string variables_text(std::vector<std::string> const& variables) {
    return variables.empty() ? "# Variables of the MPI library (MPI_T): none\n"
                             : fmt::format("# Variables of the MPI library (MPI_T): {}\n", fmt::join(variables, ", "));
}

}  // namespace

std::vector<std::string> memory_columns() {
    return {"Benchmark", "Procs", "Phase", "RSS_min", "RSS_mean", "RSS_max", "HWM_max", "dRSS"};
}

std::string memory_lines(std::span<MemoryRow const> rows, std::vector<std::string> const& titles) {
    auto const own = memory_columns();
    std::string text;
    for (auto const& r : rows) {
        std::vector<std::string> const cells{
            std::string{memory_test},          fmt::format("{}", r.processes),     r.phase,
            fmt::format("{}", r.resident.min), fmt::format("{}", r.resident.mean), fmt::format("{}", r.resident.max),
            fmt::format("{}", r.peak),         fmt::format("{}", r.delta)};
        std::vector<std::string> line;
        for (auto const& title : titles) {
            auto const place = static_cast<std::size_t>(std::ranges::find(own, title) - own.begin());
            line.push_back(place < cells.size() ? cells[place] : std::string{});
        }
        text += fmt::format("{}\n", fmt::join(line, ","));
    }
    return text;
}

std::string memory_table(std::span<MemoryRow const> rows, MemoryModel const& model,
                         std::vector<std::string> const& variables) {
    auto text =
        fmt::format("# {:-<99}\n# {}\n{}# {:<7}{:<22}{:<14}{:<14}{:<14}{:<14}{}\n", "", memory_test, memory_legend,
                    "[Procs]", "[Phase]", "[RSS_min]", "[RSS_mean]", "[RSS_max]", "[HWM_max]", "[dRSS]");
    for (auto const& r : rows) {
        std::array const values{r.resident.min, r.resident.mean, r.resident.max, r.peak, r.delta};
        std::string line = fmt::format("  {:<7}{:<22}", r.processes, r.phase);
        for (double const value : values)
            line += fmt::format("{:<14}", in_kib(value));
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text + model_text(model) + variables_text(variables);
}

std::vector<std::string> mpi_variables() {
    std::vector<std::string> names;
#ifdef MPIPERF_HAVE_TOOLS
    int provided = 0;
    int count = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return names;
    if (MPI_T_pvar_get_num(&count) != MPI_SUCCESS)
        count = 0;
    for (int i = 0; i < count; ++i) {
        std::array<char, 256> name{};
        int length = static_cast<int>(name.size());
        int described = 0;
        int verbosity = 0, kind = 0, bind = 0, readonly = 0, continuous = 0, atomic = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum values = MPI_T_ENUM_NULL;
        if (MPI_T_pvar_get_info(i, name.data(), &length, &verbosity, &kind, &type, &values, nullptr, &described, &bind,
                                &readonly, &continuous, &atomic) != MPI_SUCCESS)
            continue;
        // Open MPI lists each name once per communicator.
        if (std::string text = name.data(); std::ranges::find(names, text) == names.end())
            names.push_back(std::move(text));
    }
    MPI_T_finalize();
#endif
    return names;
}

}  // namespace mpiperf
