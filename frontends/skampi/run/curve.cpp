// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/curve.hpp"

#include "skampi/output/number.hpp"
#include "skampi/run/argument_sequence.hpp"
#include "skampi/run/bench.hpp"
#include "skampi/run/content.hpp"
#include "skampi/run/output_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace skampi {
namespace {

using Steady = measure::SteadyClock;

constexpr char const* out_of_time = "time limit before all initial points";
constexpr char const* out_of_memory = "out of memory";

/// The name of a row's argument.
std::string variable(Variation v) { return v == Variation::none ? "point" : std::string{name(v)}; }

/// The message of the root before each point.
struct Order {
    std::int64_t argument = 0;
    bool goes_on = false;
};

class Curve {
public:
    Curve(Context const& context, Task const& task, std::optional<measure::seconds> limit)
        : context_{context}, world_{context.session.world()}, task_{task}, arguments_{task}, limit_{limit} {
        if (task.time_suite && (!limit_ || *task.time_suite < *limit_))
            limit_ = task.time_suite;
    }

    Block measure(std::function<void(Row const&)> const& measured) {
        check();
        for (std::int64_t index = 0; fault_.empty(); ++index) {
            auto const order = next_order();
            if (!order.goes_on)
                break;
            if (auto const result = measure_point(order.argument, index))
                note(*result, order.argument, measured);
        }
        if (fault_.empty() && rows_.empty() && without_memory_ == 0 && world_.is_root())
            context_.session.left_out(record_without_value(task_, {}, measure::PointStatus::skipped, out_of_time));
        return block();
    }

private:
    [[nodiscard]] measure::seconds elapsed() const { return Steady::now() - begun_; }

    /// Processes that take no part wait in the meeting without spinning.
    Order next_order() {
        static_cast<void>(context_.session.meet());
        Order order;
        if (world_.is_root())
            if (auto const next = arguments_.next(limit_ && elapsed() >= *limit_); next) {
                order = {*next, true};
                // The number of points that refinement will add is not known in advance.
                auto const points = std::max(arguments_.initial().size(), rows_.size() + 1);
                context_.session.plan(context_.other_points + static_cast<std::int64_t>(points));
            }
        world_.broadcast(order);
        return order;
    }

    /// Checks the messages of one call that is not timed, at the first argument that has data to send.
    void check() {
        static_cast<void>(context_.session.meet());
        auto const& all = arguments_.initial();
        auto const sends = std::find_if(all.begin(), all.end(),
                                        [&](std::int64_t argument) { return setting(task_, argument).length > 0; });
        Setting const s = setting(task_, sends != all.end() ? *sends : all.front());
        if (Team* const team = context_.teams.team_for(s)) {
            context_.session.next(fmt::format("{}: message check", task_.name));
            context_.session.alive();
            // Without enough memory, the check is left out, and so is the point later.
            std::optional<Bench> bench;
            if (make_bench(bench, *team, s))
                fault_ = check_messages(*bench, task_.name == context_.hooks.corrupt);
        }
        world_.broadcast(fault_);
        if (fault_.empty() || !world_.is_root())
            return;
        context_.session.check_failed();
        context_.session.left_out(record_without_value(task_, {{"ranks", std::int64_t{s.nodes}}, {"bytes", s.length}},
                                                       measure::PointStatus::crashed,
                                                       fmt::format("message check: {}", fault_)));
    }

    /// \returns the result on the root
    std::optional<PointResult> measure_point(std::int64_t argument, std::int64_t index) {
        Setting const s = setting(task_, argument);
        Team* const team = context_.teams.team_for(s);
        if (team == nullptr)
            return std::nullopt;
        context_.session.next(fmt::format("{} {}={}", task_.name, variable(task_.variation), argument));
        context_.session.alive();
        if (world_.is_root())
            context_.hooks.misbehave(task_.name, index);
        std::optional<Bench> bench;
        if (!make_bench(bench, *team, s)) {
            leave_out(s, argument);
            return std::nullopt;
        }
        // The time budget of the run limits measurements, not points.
        auto control = context_.session.control();
        control.deadline.reset();
        auto result = context_.runner.measure(*team, *bench, control);
        return world_.is_root() ? std::optional{std::move(result)} : std::nullopt;
    }

    /// Collective over the team. \returns false on all its processes if any of them lacks memory
    [[nodiscard]] bool make_bench(std::optional<Bench>& bench, Team const& team, Setting const& s) const {
        try {
            bench.emplace(team.comm, s, context_.room);
        } catch (std::bad_alloc const&) {
            return false;
        }
        make_late(*bench);
        return true;
    }

    /// Records a point without memory. Acts on the root.
    void leave_out(Setting const& s, std::int64_t argument) {
        if (!world_.is_root())
            return;
        // No point is added next to a point without a time.
        arguments_.add(argument, std::numeric_limits<double>::quiet_NaN(), unknown);
        auto record = record_without_value(task_, {{"ranks", std::int64_t{s.nodes}}, {"bytes", s.length}},
                                           measure::PointStatus::skipped, out_of_memory);
        record.flag("no_memory");
        context_.session.point(record);
        ++without_memory_;
    }

    /// The reason why points are missing; empty if the measurement is complete.
    [[nodiscard]] char const* lack() const {
        return arguments_.incomplete() ? out_of_time : without_memory_ > 0 ? out_of_memory : "";
    }

    void make_late(Bench& bench) const {
        bool const late = world_.rank() == context_.hooks.slow_rank && !world_.is_root();
        if (late && task_.routine->pattern == Pattern::point_to_point)
            bench.frame().late = context_.hooks.late;
    }

    /// Records a result. Runs on the root.
    void note(PointResult result, std::int64_t argument, std::function<void(Row const&)> const& measured) {
        if (arguments_.refines()) {
            result.row.flags.insert(result.row.flags.begin(), "refined");
            result.record.flag("refined");
        }
        arguments_.add(argument, result.row.time, result.half_width);
        overheads_[{setting(task_, argument).nodes, result.overhead.sync}] = result.overhead;
        samples_ += result.row.samples;
        invalid_ += result.invalid;
        context_.session.point(result.record);
        measured(result.row);
        if (result.failed)
            context_.session.fail(
                fmt::format("{} {}={}: MPI reported an error", task_.name, variable(task_.variation), argument));
        rows_.push_back(std::move(result.row));
    }

    [[nodiscard]] Block block() {
        auto const& initial = arguments_.initial();
        Block b{.name = task_.name,
                .keys = block_keys(task_, initial.front(), initial.back()),
                .variable = variable(task_.variation)};
        for (auto const& [at, overhead] : overheads_)
            b.keys.push_back(
                {"overhead", text(OverheadLine{at.first, overhead.time * microseconds_per_second,
                                               overhead.error * microseconds_per_second,
                                               overhead.sync ? std::string{name(*overhead.sync)} : std::string{}})});
        if (context_.runner.sorts_node_times(task_))
            b.keys.push_back(sorted_node_times());
        if (arguments_.coarsened() > 1)
            b.keys.push_back({"coarsened", fmt::format("{}", arguments_.coarsened())});
        b.keys.push_back({"status", !fault_.empty() ? "failed" : *lack() != '\0' ? "incomplete" : "ok"});
        if (!fault_.empty())
            b.keys.push_back({"reason", fmt::format("message check: {}", fault_)});
        else if (*lack() != '\0')
            b.keys.push_back({"reason", lack()});
        std::sort(rows_.begin(), rows_.end(), [](Row const& a, Row const& c) { return a.argument < c.argument; });
        std::size_t const refined = arguments_.refined();
        b.trailer = {{"stop", fault_.empty() ? std::string{arguments_.stop()} : "failed"},
                     {"points_initial", fmt::format("{}", rows_.size() - std::min(refined, rows_.size()))},
                     {"points_refined", fmt::format("{}", refined)}};
        if (arguments_.max_error())
            b.trailer.push_back({"max_error", fmt::format("{:.4f}", *arguments_.max_error())});
        if (arguments_.paper_error())
            b.trailer.push_back({"paper_error", fmt::format("{:.4f}", *arguments_.paper_error())});
        b.trailer.push_back({"samples", fmt::format("{}", samples_)});
        b.trailer.push_back({"samples_invalid", fmt::format("{}", invalid_)});
        b.rows = std::move(rows_);
        b.duration = elapsed().count();
        return b;
    }

    Context const& context_;
    measure::Comm const& world_;
    Task const& task_;
    ArgumentSequence arguments_;
    std::optional<measure::seconds> limit_;
    Steady::time_point begun_ = Steady::now();
    std::vector<Row> rows_{};
    std::map<std::pair<int, std::optional<Sync>>, Overhead> overheads_{};  ///< by processes and fallback sync
    std::int64_t samples_ = 0;
    std::int64_t invalid_ = 0;
    std::int64_t without_memory_ = 0;  ///< points that lacked memory, on the root
    std::string fault_{};
};

}  // namespace

Block measure_curve(Context const& context, Task const& task, std::optional<measure::seconds> limit,
                    std::function<void(Row const&)> const& measured) {
    return Curve{context, task, limit}.measure(measured);
}

Block empty_block(Task const& task, char const* status, std::string const& reason) {
    Block block{
        .name = task.name, .keys = block_keys(task, task.start, task.end), .variable = variable(task.variation)};
    block.keys.push_back({"status", status});
    block.keys.push_back({"reason", reason});
    return block;
}

std::int64_t initial_points(Task const& task) {
    return static_cast<std::int64_t>(ArgumentSequence{task}.initial().size());
}

}  // namespace skampi
