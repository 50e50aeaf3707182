// SPDX-License-Identifier: BSD-3-Clause
#include "osu/campaign.hpp"

#include "bodies/fan.hpp"
#include "bodies/grid.hpp"
#include "bodies/memory.hpp"
#include "osu/method.hpp"
#include "osu/rules.hpp"
#include "osu/startup.hpp"
#include "osu/table.hpp"
#include "program/engine/campaign.hpp"
#include "program/runtime/files.hpp"

#include <measure/agree.hpp>
#include <measure/environment_info.hpp>
#include <measure/main.hpp>
#include <measure/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace osu {

namespace {

using measure::Point;
using measure::Record;

std::vector<int> windows(Options const& o) {
    if (!o.vary_window)
        return {o.window};
    std::vector<int> list;
    for (int window = o.keeps_7_4() ? 1 : 8; window <= 128; window *= 2)
        list.push_back(window);
    return list;
}

/// The points of the program, block by block.
struct Blocks {
    std::vector<Block> blocks{};
    std::vector<Sizes> sizes{};  ///< [blocks]
};

/// \throws measure::UsageError if this number of processes cannot measure the program
Blocks blocks_of(Row const& row, Options const& options, int processes) {
    check(row, options, processes);
    Blocks all;
    for (auto const type : types(row, options))
        for (int const window : windows(options)) {
            all.blocks.push_back({type, window});
            all.sizes.push_back(sizes(row, options, type, processes));
        }
    return all;
}

/// Rejects counts that exceed MPI's int before anything is measured.
void check_counts(Row const& row, Options const& options, Blocks const& all, int processes) {
    for (std::size_t i = 0; i < all.blocks.size(); ++i)
        for (auto const bytes : all.sizes[i].measured) {
            auto const count = bytes / mpi(all.blocks[i].type).size();
            if (row.collective != nullptr)
                bodies::check_counts(row.collective->shape, row.name, count, processes);
            else if (!options.derivation.is_on())
                static_cast<void>(measure::to_int(count, "elements of a message"));
        }
}

class Campaign {
public:
    Campaign(Row const& row, Options const& options, program::Session& session)
        : row_{row}, o_{options}, session_{session}, world_{session.world()},
          processes_{session.common().ranks.value_or(world_.size())},
          setting_{.row = row, .options = options, .common = session.common()}, all_{blocks_of(row, options,
                                                                                               processes_)} {}

    void operator()() {
        auto const all = program();
        if (session_.common().list)
            return program::list(all, session_);
        prepare();
        program::run(all, context(), session_);
    }

private:
    [[nodiscard]] bool has_fans() const { return row_.pattern == Pattern::fan; }
    [[nodiscard]] int pair_count() const { return has_fans() ? fan_pairs_ : o_.pairs.value_or(processes_ / 2); }

    [[nodiscard]] std::string type_name(Type type) const {
        return handle(setting_, type) == MPI_SIGNED_CHAR ? "MPI_SIGNED_CHAR" : mpi(type).name;
    }

    /// Makes the graph of the neighbours. The measured time excludes the preparation of its input.
    void make_topology() {
        auto const& n = o_.neighbourhood;
        bool const is_grid = n.file.empty();
        std::vector<bodies::Edge> edges;
        if (is_grid)
            facts_.sides = bodies::grid_sides(world_.size(), n.dimensions);
        else
            edges = edges_from(program::read_file(world_, n.file), n.file, world_.size());
        double const begin = MPI_Wtime();
        topology_ = is_grid ? bodies::grid_neighbourhood(world_, facts_.sides, n.radius)
                            : bodies::graph_neighbourhood(world_, edges);
        double const mine = std::max(0.0, MPI_Wtime() - begin);
        facts_.topology_time = measure::over_ranks(world_, mine).mean * 1e6;
        setting_.topology = &*topology_;
    }

    void find_fans() {
        auto hosts = world_.gather(world_.host_name());
        hosts.resize(static_cast<std::size_t>(world_.size()));
        for (auto& host : hosts)
            world_.broadcast(host);
        auto const roles = bodies::fan_roles(hosts);
        if (roles.empty())
            throw measure::UsageError("at least 2 hosts with equal numbers of processes are needed");
        fan_ = roles[static_cast<std::size_t>(world_.rank())];
        setting_.fan = &fan_;
        for (auto const& role : roles)
            fan_pairs_ += role.is_hub ? static_cast<int>(role.peers.size()) : 0;
    }

    /// Creates the folder of the logs. It must not exist on the root's host. Hosts that do not share this file system
    /// get their own folder. Collective.
    void make_folder(std::string const& folder) const {
        auto const make = [&](bool may_be_there) {
            std::error_code error;
            if (!std::filesystem::create_directory(folder, error) && (error || !may_be_there))
                throw measure::UsageError(
                    fmt::format("-c: cannot create '{}': {}", folder, error ? error.message() : "it already exists"));
        };
        measure::on_root(world_, [&] { make(false); });
        measure::agree_on_failure(world_, [&] { make(true); });
    }

    void prepare() {
        check_counts(row_, o_, all_, processes_);
        facts_ = {.pairs = pair_count()};
        setting_.reduced_char = summed_char(world_);
        setting_.trials = &trials_;
        setting_.room = bodies::room_for_buffers(world_);
        if (row_.has_neighbours())
            make_topology();
        if (has_fans())
            find_fans();
        if (row_.collective != nullptr && !bodies::has(*row_.collective, row_.relative))
            session_.warn(fmt::format("this MPI library has no MPI_{}",
                                      bodies::relative_name(row_.collective->name, row_.relative)));
        if (auto const folder = o_.log_folder(); !folder.empty())
            make_folder(folder);
        if (!all_.sizes.front().cut.empty())
            session_.warn(fmt::format("-M: sizes above {} bytes are skipped", all_.sizes.front().measured.back()));
        for (std::size_t i = 0; i < all_.blocks.size(); ++i)
            if (auto const& type = mpi(all_.blocks[i].type); all_.sizes[i].is_rounded)
                session_.warn(fmt::format("-m: sizes are rounded down to whole elements of {} ({} bytes)", type.name,
                                          type.size()));
        if (std::find(o_.words.begin(), o_.words.end(), "D") != o_.words.end())
            session_.warn("'D D' is ignored: the buffers are in host memory");
        if (row_.is(forks))
            children_.emplace(world_.is_root() ? o_.teams.sender : o_.teams.receiver);
    }

    [[nodiscard]] measure::Program program() {
        measure::Program program{.name = "osu"};
        program.axes = {{"ranks", {std::int64_t{row_.is(pairs) ? 2 * pair_count() : processes_}}},
                        {"bytes", {std::int64_t{0}}}};
        for (std::size_t i = 0; i < all_.blocks.size(); ++i)
            program.benchmarks.push_back(benchmark(i));
        program.plan.start = measure::FreeStart{};
        program.plan.start_falls_back = false;  // the heading of the table names the start of all rows
        if (o_.method != Method::osu)
            program.plan.start = measure::start_from(session_.common().start, sync());
        program.page = {.head = [](measure::Environment const&) { return std::string{}; },
                        .begin = [this](measure::Benchmark const&) { return begin(); },
                        .row = [this](Record const& record, measure::Measurement const&) { return row(record); },
                        .end = [this](measure::Benchmark const&) { return end(); }};
        program.after = [this](measure::Benchmark const& benchmark) {
            remark();
            leave_out(benchmark);
        };
        return program;
    }

    [[nodiscard]] measure::Sync sync() const { return measure::sync_from(session_.common().sync_alg); }

    [[nodiscard]] program::RunContext context() const {
        program::RunContext context{.retries = 0};
        option_table(&row_).describe(o_, context.options);
        bool const synchronises = o_.method != Method::osu;
        if (synchronises)
            context.sync = sync();
        context.options["start"] = synchronises ? session_.common().start : "osu";
        context.options["sync_alg"] = synchronises ? session_.common().sync_alg : "none";
        return context;
    }

    [[nodiscard]] measure::Benchmark benchmark(std::size_t i) {
        measure::Benchmark benchmark{.name = row_.name, .summary = row_.title};
        auto const& all = all_.sizes[i].measured;
        benchmark.axes = {{"bytes", {}}};
        if (!row_.is_barrier())
            benchmark.axes.front().values.assign(all.begin(), all.end());
        benchmark.complete = [this, i](Point& at) { complete_point(at, row_, o_, all_.blocks[i], pair_count()); };
        benchmark.semantics = semantics(row_, o_.sync_name(row_));
        benchmark.loop = [this, i](measure::Comm const& team, measure::Plan const& plan,
                                   std::vector<Point> const& points) {
            if (is_wrong_)
                throw measure::SkipPoint("the data of an earlier size were wrong");
            try {
                found_ = measure_point(setting_, all_.blocks[i], team, plan, points.front());
            } catch (measure::SkipPoint const& obstacle) {
                session_.warn(obstacle.what());
                throw;
            }
            is_wrong_ = !found_.measurement.data_error.empty();
            return std::vector{found_.measurement};
        };
        benchmark.finish = [this](Record& record, measure::Measurement const& m) {
            complete(setting_, record, m, found_);
            if (record.value && found_.synchronised)
                session_.add_synchronised(record, *found_.synchronised);
        };
        return benchmark;
    }

    // ---- the page; on the root

    [[nodiscard]] std::string begin() {
        auto const i = next_++;
        if (i > 0 && all_.blocks[i].type == all_.blocks[i - 1].type)
            return {};
        records_.clear();
        if (i == 0)
            session_.remark(signature(o_, measure::version()));
        return lines_before(row_, o_, facts_, type_name(all_.blocks[i].type), i == 0);
    }

    [[nodiscard]] std::string row(Record const& record) {
        records_.push_back(record);
        bool const failed = record.derived.find("validation") != nullptr && !record.value;
        if (o_.vary_window || (!record.value && !failed))
            return {};
        return measure::table_row(columns(row_, o_), measure::TableForm::text, record);
    }

    [[nodiscard]] std::string end() {
        return o_.vary_window && ends_table() ? varied_windows(o_, records_) : std::string{};
    }

    /// Whether the block just finished is the last block of its table.
    [[nodiscard]] bool ends_table() const {
        return next_ == all_.blocks.size() || all_.blocks[next_].type != all_.blocks[next_ - 1].type;
    }

    /// Prints the lines after the table. Called by all ranks.
    void remark() {
        if (world_.is_root() && ends_table())
            session_.remark(remarks(row_, o_, o_.vary_window ? std::span<Record const>{} : records_));
    }

    /// Reports the sizes of the finished block that exceed the memory limit. Called by all ranks.
    void leave_out(measure::Benchmark const& benchmark) {
        auto const i = left_out_++;
        for (auto const bytes : all_.sizes[i].cut) {
            Point at{{"ranks", std::int64_t{processes_}}, {"bytes", bytes}};
            benchmark.complete(at);
            session_.left_out(measure::make_record(row_.name, at, measure::PointStatus::skipped, "--mem-limit"));
        }
    }

    Row const& row_;
    Options const& o_;
    program::Session& session_;
    measure::Comm const& world_;
    int processes_;
    Setting setting_;
    Blocks all_;
    RunFacts facts_;
    std::optional<measure::Comm> topology_;
    std::optional<Children> children_;
    bodies::PersistentTrials trials_;
    bodies::FanRole fan_;
    int fan_pairs_ = 0;
    Found found_;                  ///< results of the latest point
    bool is_wrong_ = false;        ///< whether its data were wrong
    std::size_t next_ = 0;         ///< next block
    std::size_t left_out_ = 0;     ///< next block whose skipped sizes are reported
    std::vector<Record> records_;  ///< records of the current type, for all windows
};

}  // namespace

void check_program(Row const& row, Options const& options, program::CommonOptions const& common,
                   program::Supposed const& supposed) {
    int const processes = common.ranks.value_or(supposed.ranks);
    auto const all = blocks_of(row, options, processes);
    if (common.list)
        return;
    check_counts(row, options, all, processes);
    if (auto const& file = options.neighbourhood.file; row.has_neighbours() && !file.empty())
        static_cast<void>(edges_from(program::supposed_file(supposed, file), file, processes));
}

void measure_program(Row const& row, Options const& options, program::Session& session) {
    Campaign{row, options, session}();
}

}  // namespace osu
