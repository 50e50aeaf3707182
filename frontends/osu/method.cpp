// SPDX-License-Identifier: BSD-3-Clause
#include "osu/method.hpp"

#include "bodies/fan.hpp"
#include "bodies/made_type.hpp"
#include "bodies/neighbours.hpp"
#include "bodies/nonblocking.hpp"
#include "bodies/persistent.hpp"
#include "bodies/stream_check.hpp"
#include "bodies/threads.hpp"
#include "bodies/verification.hpp"
#include "osu/rules.hpp"

#include <measure/agree.hpp>
#include <measure/error.hpp>
#include <measure/run.hpp>
#include <measure/run_each.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace osu {

namespace {

using bodies::Buffers;
using bodies::Relative;
using measure::Bytes;
using measure::Comm;
using measure::Measurement;
using measure::Plan;

constexpr Bytes page = 4096;
constexpr int stream_tag = 100;

/// Measures one point on this rank.
class PointRun {
public:
    PointRun(Setting const& setting, Block const& block, Comm const& team, Plan const& base, Bytes bytes)
        : s_{setting}, row_{setting.row}, o_{setting.options}, block_{block}, team_{team}, base_{base},
          one_block_{.alignment = page, .limit = setting.room}, bytes_{bytes},
          counts_{osu::counts(row_, o_, bytes, block.window)}, batch_{osu::batch(row_, o_, counts_, s_.common.raw)} {
        if (o_.derivation.is_on()) {
            auto const runs = sent(o_.derivation, bytes / mpi(block.type).size());
            derived_.emplace(derived_type(o_.derivation.kind, runs, handle(s_, block.type)));
            found_.sent = length(runs) * mpi(block.type).size();
        }
    }

    Found operator()() {
        check_room();
        if (row_.collective != nullptr)
            collective();
        else if (row_.operation != nullptr)
            one_sided();
        else if (row_.pattern == Pattern::stream)
            stream();
        else if (row_.pattern == Pattern::fan)
            fan();
        else if (row_.pattern == Pattern::threads)
            threads();
        else
            ping_pong();
        // The point is wrong if either measurement has wrong data.
        if (auto& wrong = found_.measurement.data_error; wrong.empty() && found_.synchronised)
            wrong = found_.synchronised->data_error;
        return std::move(found_);
    }

private:
    /// Skips points whose times would not fit into memory. Otherwise the kernel would kill the run, perhaps after
    /// hours. \throws measure::SkipPoint
    void check_room() const {
        // An iteration needs memory for its time, including copies for joining and sorting the ranks. With --raw it
        // also needs a sample, with copies in the record.
        Bytes const at_the_end = 48 + (s_.common.raw ? 3 * static_cast<Bytes>(sizeof(measure::Sample)) : 0);
        auto const iterations = counts_.iterations / batch_;
        bool const has_loop = o_.method != Method::sync || row_.is_nonblocking();
        if (has_loop && iterations > s_.room / at_the_end)
            throw measure::SkipPoint(fmt::format("out of memory: the times of {} iterations need {} bytes", iterations,
                                                 iterations * at_the_end));
    }

    /// Number and type of the elements of a message.
    [[nodiscard]] std::int64_t count() const noexcept { return derived_ ? 1 : bytes_ / mpi(block_.type).size(); }
    [[nodiscard]] MPI_Datatype type() const noexcept { return derived_ ? derived_->handle() : handle(s_, block_.type); }
    [[nodiscard]] Bytes extent() const { return derived_ ? derived_->extent() : mpi(block_.type).size(); }

    // ---- loops

    [[nodiscard]] measure::EachPlan published() const { return published_plan(base_, row_, counts_, batch_); }
    [[nodiscard]] Plan synchronised() const { return synchronised_plan(base_, counts_, s_.common); }

    /// Measures with the method that the options ask for. \param make  called with the communicator, returns an
    /// operation
    template <class Make>
    void measure(Make make) {
        if (o_.method == Method::sync) {
            found_.measurement = measure::run(team_, synchronised(), make);
            for (auto const& sample : found_.measurement.samples)
                if (sample.invalid == measure::InvalidReason::none)
                    found_.times.push_back(sample.time);
            return;
        }
        auto loop = measure::run_each(team_, published(), make);
        found_.repeats = batch_;
        join(std::move(loop));
        if (o_.method == Method::both && row_.collective != nullptr)
            found_.synchronised = measure::run(team_, synchronised(), make);
    }

    /// Combines the times of all ranks for each iteration.
    void join(measure::EachResult loop) {
        found_.measurement = std::move(loop.measurement);
        if (row_.is(pairs)) {
            join_senders(std::move(loop.mine), team_.rank() < team_.size() / 2);
        } else if (row_.pattern == Pattern::fan) {
            join_senders(std::move(loop.mine), s_.fan->is_hub == row_.is(fans_out));
        } else {
            keep(std::move(loop.joined));
            if (row_.collective == nullptr)
                return;
            // An iteration is invalid if it is invalid on any rank.
            std::replace_if(
                loop.mine.begin(), loop.mine.end(), [](double time) { return !std::isfinite(time); },
                std::numeric_limits<double>::infinity());
            team_.reduce_max(loop.mine);
            measure::detail::Unwatched const sorting;
            if (team_.is_root())
                found_.slowest = measure::estimate(valid(loop.mine), {.trim = 0, .clock_step = clock_step()});
        }
    }

    /// \param times  [iterations] combined over the ranks, on the root
    void keep(std::vector<double> times) {
        if (s_.common.raw) {
            found_.measurement.samples.reserve(times.size());
            for (double const time : times)
                found_.measurement.samples.push_back({.stage = 1,
                                                      .invalid = std::isnan(time)   ? measure::InvalidReason::failed
                                                                 : std::isinf(time) ? measure::InvalidReason::backward
                                                                                    : measure::InvalidReason::none,
                                                      .time = std::isfinite(time) ? time : 0});
        }
        found_.times = valid(std::move(times));
    }

    /// The times of iterations that are valid on all ranks.
    static std::vector<double> valid(std::vector<double> times) {
        std::erase_if(times, [](double time) { return !std::isfinite(time); });
        return times;
    }

    /// Combines times as the mean over the senders.
    void join_senders(std::vector<double> mine, bool sends) {
        for (double& time : mine)
            time = sends || !std::isfinite(time) ? time : 0;
        mine.push_back(sends ? 1 : 0);
        team_.sum_to_root(mine);
        if (!team_.is_root())
            return;
        double const senders = mine.back();
        mine.pop_back();
        for (double& time : mine)
            time /= senders;
        keep(std::move(mine));
        measure::detail::Unwatched const sorting;
        if (!found_.times.empty())
            found_.measurement.estimate = measure::estimate(found_.times, {.trim = 0, .clock_step = clock_step()});
    }

    /// The clock step per sample in s, for samples that are timed singly.
    [[nodiscard]] double clock_step() const {
        return found_.measurement.estimate ? found_.measurement.estimate->clock_step : 0;
    }

    /// An operation with a check of its data, if the options ask for it.
    template <class Body, class Check>
    auto checked(Body body, Check check) const {
        auto operation = measure::op(std::move(body));
        if (o_.validates())
            operation.check_hook = [this, check, times = o_.validation_warm_up + 1](Body& b) {
                std::string fault;
                // All ranks make all executions, even after a fault, because the other ranks wait for them.
                for (int i = 0; i < times; ++i)
                    if (auto found = check(b); fault.empty())
                        fault = std::move(found);
                return logged(std::move(fault));
            };
        return operation;
    }

    /// Appends the fault to the log of this rank. \return the fault, with a remark if it could not be written
    [[nodiscard]] std::string logged(std::string fault) const {
        auto const folder = o_.log_folder();
        if (folder.empty() || fault.empty())
            return fault;
        std::ofstream log{fmt::format("{}/log-{}.log", folder, team_.rank()), std::ios::app};
        log << fmt::format("osu_{} bytes={}: {}\n", row_.name, bytes_, fault) << std::flush;
        return log ? fault : fault + " (log not written)";
    }

    // ---- messages

    [[nodiscard]] bodies::Link link(Comm const& comm) const {
        auto const role = bodies::stream_role(comm.rank(), comm.size(), false);
        return {.comm = comm.native(),
                .count = measure::to_int(count(), "elements of a message"),
                .type = type(),
                .first = role.sends,
                .peer = role.peer,
                .from = role.peer,
                .with = bodies::Link::tag};
    }

    void ping_pong() {
        auto const check = [this](auto& body) {
            return bodies::check_exchange(body, team_.rank(), link(team_).peer, bytes_);
        };
        auto policy = one_block_;
        policy.blocks = o_.own_buffers ? o_.window : 1;
        bodies::Sizes const sizes{bytes_, bytes_};
        if (row_.is(persistent))
            measure([=, this](Comm const& comm) {
                return checked(bodies::PersistentPingPong{link(comm), Buffers{one_block_, sizes}}, check);
            });
        else
            measure([=, this](Comm const& comm) {
                return checked(bodies::PointToPoint<bodies::PingPong>{link(comm), Buffers{policy, sizes}}, check);
            });
    }

    /// Distance between the messages of a window in its buffer.
    [[nodiscard]] Bytes stride() const noexcept {
        return o_.own_buffers ? (std::max<Bytes>(bytes_, 1) + page - 1) / page * page : 0;
    }

    void stream() {
        constexpr int tag_back = 10;
        Bytes const step = stride();
        bodies::StreamShape const shape{.both_ways = row_.is(both_ways),
                                        .window = block_.window,
                                        .receive_stride = step,
                                        .send_stride = step,
                                        .tag = stream_tag,
                                        .tag_back = tag_back,
                                        .acknowledgement = o_.keeps_7_4() ? 1 : 4,
                                        .type = type(),
                                        .waits_apart = row_.is(both_ways),
                                        .persistent = row_.is(persistent)};
        Bytes const all = o_.own_buffers ? step * block_.window : bytes_;
        measure([=, this](Comm const& comm) {
            return checked(bodies::CheckedStream{comm, shape, count(), bytes_, Buffers{one_block_, {all, all}}},
                           [](bodies::CheckedStream& body) { return body.check({}); });
        });
    }

    void fan() {
        Bytes const step = stride();
        bodies::FanShape const shape{
            .hubs_send = row_.is(fans_out), .window = block_.window, .stride = step, .tag = stream_tag, .type = type()};
        Bytes const all = o_.own_buffers ? step * block_.window * std::ssize(s_.fan->peers) : bytes_;
        measure([=, this](Comm const& comm) {
            return measure::op(bodies::Fan{comm, *s_.fan, shape, count(), Buffers{one_block_, {all, all}}});
        });
    }

    void threads() {
        if (!bodies::have_thread_multiple())
            throw measure::SkipPoint("MPI does not provide MPI_THREAD_MULTIPLE");
        measure([=, this](Comm const& comm) {
            int const here = comm.rank() == 0 ? o_.teams.sender : o_.teams.receiver;
            auto const team =
                std::make_shared<bodies::DealtPingPong>(link(comm), here, o_.teams.sender, bytes_, one_block_);
            if (batch_ > 1 && counts_.warm_up > 0)
                static_cast<void>((*team)(counts_.warm_up));
            auto const each = std::max(o_.teams.sender, o_.teams.receiver);
            return checked(
                [team, n = batch_] { return (*team)(n); },
                [team, each, rank = comm.rank(), bytes = bytes_](auto&) { return team->check(each, rank, bytes); });
        });
    }

    // ---- one-sided

    void one_sided() {
        auto const way = std::find_if(bodies::rma_synchronisations.begin(), bodies::rma_synchronisations.end(),
                                      [&](auto const& each) { return each.name == o_.sync_name(row_); });
        bodies::RmaShape const shape{.window = row_.is(bandwidth) ? block_.window : 1,
                                     .repeats = batch_,
                                     .turns = row_.is(both_ways)   ? bodies::RmaTurns::mutual
                                              : row_.is(bandwidth) ? bodies::RmaTurns::one_way
                                                                   : bodies::RmaTurns::in_turn,
                                     .kind = o_.window_kind,
                                     .type = type(),
                                     .number = mpi(block_.type).number};
        measure([=, this](Comm const& comm) {
            auto const access =
                std::make_shared<bodies::RemoteAccess>(comm, *row_.operation, *way, one_block_, count(), shape);
            for (std::int64_t i = 0; batch_ > 1 && i < counts_.warm_up; ++i)
                static_cast<void>(access->execute({}));
            return checked([access](auto& lap) { return (*access)(lap); },
                           [access](auto&) {
                               return access->check([](auto&& run) { return run(); }, [](std::byte*, std::size_t) {});
                           });
        });
    }

    // ---- collectives

    /// Convention for plain elements of the named type.
    [[nodiscard]] bodies::Convention plain_convention() const {
        auto const handle = osu::handle(s_, block_.type);
        return {.real = handle,
                .real_size = mpi(block_.type).size(),
                .number = mpi(block_.type).number,
                .moved = handle,
                .moved_extent = mpi(block_.type).size(),
                .shares = bodies::spread_first};
    }
    /// Convention for the elements that are sent, which may be of a derived type.
    [[nodiscard]] bodies::Convention convention() const {
        auto convention = plain_convention();
        convention.real = convention.moved = type();
        convention.moved_extent = extent();
        return convention;
    }

    void collective() {
        bodies::Collective const& of = *row_.collective;
        if (!bodies::has(of, row_.relative))
            throw measure::SkipPoint(
                fmt::format("this MPI library has no MPI_{}", bodies::relative_name(of.name, row_.relative)));
        if (row_.has_neighbours())
            return with_neighbours(of);
        auto const sizes = bodies::sizes(of.shape, count(), team_.rank(), team_.size(), o_.root, convention());
        if (o_.in_place)
            with_all(of, sizes, [=, this, &of](Comm const& comm) {
                bodies::Sizes const larger{sizes.send, std::max(sizes.receive, sizes.send)};
                return bodies::InPlaceBuffers{Buffers{one_block_, larger}, of.content, comm.rank(), comm.size(),
                                              o_.root};
            });
        else
            with_all(of, sizes, [policy = one_block_, sizes](Comm const&) { return Buffers{policy, sizes}; });
    }

    /// Tests a persistent collective with a fixed root and with elements without gaps. Collective.
    /// \throws measure::SkipPoint if the MPI library cannot execute it twice
    void check_repeatable(bodies::Collective const& of) const {
        auto const name = bodies::relative_name(of.name, row_.relative);
        auto const make = [&](Comm const& comm) -> bodies::PersistentCall {
            auto const count = bytes_ / mpi(block_.type).size();
            auto const plain = plain_convention();
            bodies::Root const root{.rank = o_.root.rank};
            auto const sizes = bodies::sizes(of.shape, count, comm.rank(), comm.size(), root, plain);
            return {.of = of,
                    .arguments = bodies::arguments(of.shape, comm, count, plain),
                    .data = {of.shape, of.content, {comm.rank(), comm.size()}, root, {{}, bytes_}, count, plain, sizes},
                    .buffers = measure::agree_on_failure(comm, [&] {
                        return Buffers{one_block_, sizes};
                    })};
        };
        auto const point = fmt::format("{} {}", mpi(block_.type).name, bytes_);
        if (auto const& obstacle = s_.trials->obstacle(team_, name, point, make); !obstacle.empty())
            throw measure::SkipPoint(obstacle);
    }

    /// \param memory  called with the communicator
    template <class Memory>
    void with_all(bodies::Collective const& of, bodies::Sizes const& sizes, Memory memory) {
        bodies::CollectiveData const data{
            of.shape, of.content, {team_.rank(), team_.size()}, o_.root, {{}, bytes_}, count(), convention(), sizes};
        auto const check = [data](auto& body) { return bodies::check_data(body, data, {}); };
        auto const arguments = [this, &of](Comm const& comm) {
            return bodies::arguments(of.shape, comm, count(), convention());
        };
        if (row_.relative != Relative::persistent)
            return calls(of, arguments, memory, o_.root, check);
        check_repeatable(of);
        measure([=, this, &of](Comm const& comm) {
            using Body = bodies::BasicPersistent<decltype(memory(comm))>;
            return checked(Body{of, arguments(comm), memory(comm), o_.root}, check);
        });
    }

    void with_neighbours(bodies::Collective const& of) {
        Comm const& graph = *s_.topology;
        auto const sizes = bodies::neighbour_sizes(of.shape, count(), bodies::degrees(graph), extent());
        auto const data =
            bodies::neighbour_data(of.shape, bodies::neighbours(graph), graph.rank(), {{}, bytes_}, sizes);
        calls(
            of,
            [this, &of, &graph](Comm const&) {
                return bodies::neighbour_arguments(of.shape, graph, count(), convention());
            },
            [policy = one_block_, sizes](Comm const&) {
                return Buffers{policy, sizes};
            },
            {}, [data](auto& body) { return bodies::check_data(body, data, {}); });
    }

    /// Blocking or nonblocking. \param arguments, memory  called with the communicator
    template <class MakeArguments, class MakeMemory, class Check>
    void calls(bodies::Collective const& of, MakeArguments arguments, MakeMemory memory, bodies::Root root,
               Check check) {
        if (row_.is_nonblocking())
            overlapped(
                [=, &of](Comm const& comm, auto computing, bodies::Tests& tests) {
                    return bodies::NonBlocking{of, arguments(comm), memory(comm), root, computing, tests};
                },
                check);
        else
            measure([=, this, &of](Comm const& comm) {
                return checked(bodies::AnyBlocking{of, arguments(comm), memory(comm), root}, check);
            });
    }

    /// Measures first without computing. Then each rank computes for the time that the call alone took on it.
    template <class Make, class Check>
    void overlapped(Make make, Check check) {
        bodies::Tests tests;
        auto const pure = [&](Comm const& comm) {
            return measure::op(
                [body = make(comm, std::nullopt, tests)](measure::Iteration it) { return body.execute(it); });
        };
        auto plan = published();
        plan.meets = !row_.is_barrier();
        auto const alone = o_.method == Method::sync ? measure::run(team_, synchronised(), pure)
                                                     : measure::run_each(team_, plan, pure).measurement;
        if (o_.method == Method::both)
            found_.synchronised = measure::run(team_, synchronised(), pure);
        // Without a valid time, the duration of computing is unknown.
        if (alone.valid == 0) {
            found_.measurement = alone;
            return;
        }
        found_.pure = alone.over_ranks;
        bodies::Computing const computing{.duration = measure::seconds{alone.mine.mean}, .parts = o_.tests};
        plan.meets = true;
        auto loop = measure::run_each(team_, plan, [&](Comm const& comm) {
            auto operation = checked(make(comm, std::optional{computing}, tests), check);
            return std::move(operation).phases({"issue", "compute", "wait"});
        });
        auto const executions = std::max<std::size_t>(loop.mine.size(), 1);
        join(std::move(loop));
        for (auto const& flag : alone.flags)
            if (measure::is_clock_flag(flag))
                found_.measurement.flag(flag);
        found_.test = measure::over_ranks(team_, tests.time / static_cast<double>(executions)).mean;
        if (o_.method == Method::sync && team_.is_root() && alone.estimate)
            found_.pure->mean = alone.estimate->value;
    }

    Setting const& s_;
    Row const& row_;
    Options const& o_;
    Block const& block_;
    Comm const& team_;
    Plan const& base_;
    bodies::BufferPolicy one_block_;
    Bytes bytes_;
    Counts counts_;
    std::int64_t batch_;
    std::optional<bodies::MadeType> derived_{};
    Found found_{};
};

/// The share of an iteration's time that is printed. \param repeats  number of iterations measured as one
double share(Setting const& s, std::int64_t repeats) {
    if (s.row.pattern == Pattern::ping_pong)
        return 0.5;
    if (s.row.pattern == Pattern::threads) {
        // Rounds of the thread that has the most.
        auto const rounds = (repeats + s.options.teams.sender - 1) / s.options.teams.sender;
        return 0.5 * static_cast<double>(repeats) / static_cast<double>(rounds);
    }
    auto const name = s.options.sync_name(s.row);
    return s.row.operation != nullptr && (name == "fence" || name == "pscw") ? 0.5 : 1;
}

double mean_of(Measurement const& m, std::string_view phase) {
    auto const& estimate = m.phase(phase).estimate;
    return estimate ? estimate->value : 0;
}

void add_overlap(measure::Record& record, Measurement const& m, Found const& found) {
    double const compute = mean_of(m, "compute") - found.test;
    auto const& pure = *found.pure;
    double const hidden = overlap(*record.value, compute, pure.mean);
    auto& d = record.derived;
    d["compute"] = compute;
    d["pure"] = pure.mean;
    d["pure_min"] = pure.min;
    d["pure_max"] = pure.max;
    d["init"] = mean_of(m, "issue");
    d["test"] = found.test;
    d["wait"] = mean_of(m, "wait");
    d["overlap"] = std::max(0.0, hidden) / 100;
    d["overlap_unclipped"] = hidden / 100;
}

}  // namespace

MPI_Datatype handle(Setting const& s, Type type) noexcept {
    return type == Type::mpi_char && s.row.sums() ? s.reduced_char : mpi(type).handle;
}

Found measure_point(Setting const& setting, Block const& block, Comm const& team, Plan const& base,
                    measure::Point const& at) {
    Bytes const bytes = at.has("bytes") ? at.bytes("bytes") : 0;
    return PointRun{setting, block, team, base, bytes}();
}

void complete(Setting const& s, measure::Record& record, Measurement const& m, Found const& found) {
    if (s.options.validates() && record.status != measure::PointStatus::skipped)
        record.derived["validation"] = m.data_error.empty() ? "pass" : "fail";
    if (!record.value)
        return;
    if (found.repeats > 1) {
        record = scaled(std::move(record), 1 / static_cast<double>(found.repeats));
        record.iterations_per_sample = found.repeats;
    }
    if (found.sent)
        record.derived["transmitted"] = *found.sent;
    measure::detail::Unwatched const sorting;
    auto times = found.times;
    for (double& time : times)
        time /= static_cast<double>(found.repeats);
    std::sort(times.begin(), times.end());
    if (s.options.method != Method::sync && is_disturbed(times))
        record.flag("disturbed");
    if (s.row.is(bandwidth)) {
        auto const senders = record.at.has("pairs") ? record.at.integer("pairs") : 1;
        auto const messages =
            static_cast<double>(record.at.integer("window") * senders * (s.row.is(both_ways) ? 2 : 1));
        double const work = messages * static_cast<double>(found.sent.value_or(record.at.bytes("bytes")));
        for (auto& time : times)
            time = work / time;
        std::reverse(times.begin(), times.end());
        if (s.row.is(pairs))
            record.derived["message_rate"] = messages / *record.value;
        record = as_rate(std::move(record), measure::Quantity::bandwidth, work);
    } else if (double const factor = share(s, found.repeats); factor != 1) {
        for (auto& time : times)
            time *= factor;
        record = scaled(std::move(record), factor);
    }
    for (int const percent : s.options.tails)
        record.derived["percentiles"][fmt::format("{}", percent)] = tail(times, percent);
    if (found.pure)
        add_overlap(record, m, found);
    if (found.slowest) {
        auto& slowest = record.derived["slowest"];
        slowest["median"] = found.slowest->median;
        if (auto const& interval = found.slowest->median_interval)
            slowest["median_interval"] = measure::Value::Array{interval->first, interval->second};
    }
}

MPI_Datatype summed_char(Comm const& world) {
    char const one = 1;
    char sum = 0;
    bool const works = MPI_Allreduce(&one, &sum, 1, MPI_CHAR, MPI_SUM, world.native()) == MPI_SUCCESS;
    return works ? MPI_CHAR : MPI_SIGNED_CHAR;
}

}  // namespace osu
