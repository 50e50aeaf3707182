// SPDX-License-Identifier: BSD-3-Clause
/// The benchmarks of messages between all processes, which also write and read the memory of messages.
#include "bodies/touched.hpp"
#include "pmb/catalogue.hpp"
#include "pmb/operations/partners.hpp"

#include <measure/schedule.hpp>

#include <algorithm>
#include <thread>

namespace pmb {

namespace {

using measure::Bytes;

/// The pattern of partners.
enum class Meeting { ping_pong, ping_ping, drawn, drawn_both, shuffled_ring, grid_2d, grid_3d, ring };

constexpr int dimensions_of(Meeting meeting) {
    return meeting == Meeting::grid_2d ? 2 : meeting == Meeting::grid_3d ? 3 : 0;
}
/// Number of concurrent messages of a process in each direction.
constexpr int at_once(Meeting meeting) { return std::max(1, 2 * dimensions_of(meeting)); }

template <Meeting meeting>
class TouchedKernel final : public Kernel {
public:
    explicit TouchedKernel(Task const& task)
        : task_{task}, messages_{task.team.native(),
                                 task.largest,
                                 at_once(meeting),
                                 {task.parameters.writes, task.parameters.reads}} {
        if constexpr (dimensions_of(meeting) > 0)
            neighbours_ = grid_neighbours(rank(), sides(size(), dimensions_of(meeting)));
    }

    void begin(Mode, Bytes length) override {
        messages_.begin(length, static_cast<std::byte>(rank()));
        task_.verifier.begin(length);
    }

    Reading loop(std::int64_t n) override {
        draw(n);
        auto operation = measure::op([this](measure::Iterations all) { return repeat(all.count); }).finish([this] {
            if (meeting == Meeting::ring)
                messages_.read_replaced();
        });
        task_.in_body(true);
        auto const before = measure::kernel_counts();
        if (meeting != Meeting::ring)
            measure::dissemination_barrier(task_.team);
        auto const loop = measure::time_iterations(task_.timer, operation, n);
        auto const counts = measure::kernel_counts() - before;
        task_.in_body(false);
        pause();
        measure::dissemination_barrier(task_.team);
        return {.time = loop.each().count(),
                .counts = counts,
                .iterations = n,
                .is_backward = loop.is_backward(),
                .succeeded = loop.succeeded};
    }

    void warm_up(std::int64_t n) override {
        draw(n);
        pause();
        measure::dissemination_barrier(task_.team);
        static_cast<void>(repeat(n));
    }

    Measured run(measure::Plan const& plan) override {
        return {measure::run(task_.team, plan, [this](measure::Iterations all) { return repeat(all.count); })};
    }

    void end() override {}

private:
    [[nodiscard]] int rank() const noexcept { return task_.team.rank(); }
    [[nodiscard]] int size() const noexcept { return task_.team.size(); }
    void pause() const { std::this_thread::sleep_for(task_.parameters.pause); }

    /// Draws the partners of n repetitions, before the timed part.
    void draw(std::int64_t n) {
        if (meeting == Meeting::drawn || meeting == Meeting::drawn_both)
            steps_ = drawn_steps(rank(), size(), n * size(), meeting == Meeting::drawn_both);
        else if (meeting == Meeting::shuffled_ring)
            steps_ = ring_steps(rank(), size(), n);
    }

    bool repeat(std::int64_t n) {
        int code = MPI_SUCCESS;
        auto step = steps_.begin();
        measure::detail::beating(std::ssize(steps_), [&] {
            code = bodies::worse(code, step->from < 0 ? messages_.send(step->to)
                                       : step->to < 0 ? messages_.receive(step->from)
                                                      : messages_.exchange(step->to, step->from));
            ++step;
        });
        measure::detail::beating(steps_.empty() ? n : 0, [&] { code = bodies::worse(code, once()); });
        return code == MPI_SUCCESS;
    }

    int once() {
        int const half = size() / 2;
        bool const first = rank() < half;
        int const peer = first ? rank() + half : rank() - half;
        if constexpr (meeting == Meeting::ping_pong) {
            int const begun = first ? messages_.send(peer) : messages_.receive(peer);
            return bodies::worse(begun, first ? messages_.receive(peer) : messages_.send(peer));
        } else if constexpr (meeting == Meeting::ping_ping) {
            return messages_.exchange(peer, peer);
        } else if constexpr (meeting == Meeting::ring) {
            return messages_.replace((rank() + 1) % size(), (rank() + size() - 1) % size());
        } else {
            return messages_.exchange(neighbours_);
        }
    }

    Task task_;
    bodies::TouchedMessages messages_;
    std::vector<int> neighbours_{};
    std::vector<Step> steps_{};
};

/// \param messages  of each process per repetition, on average  \param share  part of the mean time that is shown
template <Meeting meeting>
Benchmark touched(std::string_view name, std::string_view text, int messages, double share) {
    return {.name = name,
            .text = text,
            .kind = Class::world,
            .messages = messages,
            .time_scale = share,
            .even = meeting == Meeting::ping_pong || meeting == Meeting::ping_ping,
            .dimensions = dimensions_of(meeting),
            .checked = false,
            .memory = [](Bytes length, int, Parameters const&, bool) { return 2 * at_once(meeting) * length; },
            .make = [](Task const& task) -> std::unique_ptr<Kernel> {
                return std::make_unique<TouchedKernel<meeting>>(task);
            }};
}

}  // namespace

std::vector<Benchmark> imb_p2p_benchmarks() {
    return {
        touched<Meeting::ping_pong>("PingPong", "one message there and back; half of the time", 1, 0.5),
        touched<Meeting::ping_ping>("PingPing", "messages that meet", 1, 1),
        touched<Meeting::drawn>("Unirandom", "P messages, each between two random processes", 1, 1),
        touched<Meeting::drawn_both>("Birandom", "P pairs of messages that meet, each between two random processes", 2,
                                     0.5),
        touched<Meeting::shuffled_ring>("Corandom", "around a ring in random order", 1, 1),
        touched<Meeting::grid_2d>("Stencil2D", "with 4 neighbours in a grid", 4, 1. / 4),
        touched<Meeting::grid_3d>("Stencil3D", "with 6 neighbours in a grid", 6, 1. / 6),
        touched<Meeting::ring>("SendRecv_Replace", "around a ring with MPI_Sendrecv_replace", 1, 1),
    };
}

}  // namespace pmb
