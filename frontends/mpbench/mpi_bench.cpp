// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_bench.hpp"

#include "bodies/buffers.hpp"
#include "check.hpp"
#include "mpi_transport.hpp"
#include "timing.hpp"

#include <measure/comm.hpp>

#include <optional>
#include <vector>

namespace mpbench {

namespace {

using measure::Bytes;

class MpiBench : public Bench {
public:
    MpiBench(Setup const& setup, frontend::Session& session, measure::AnyTimer const& timer,
             measure::seconds resolution)
        : rules_{setup.rules}, all_{session.world().duplicate()}, pair_{pair(session.world())},
          buffers_{{}, {setup.largest(), setup.largest()}}, flush_{setup.flush}, watch_{.timer = timer,
                                                                                        .resolution = resolution,
                                                                                        .flush = &flush_,
                                                                                        .control = session.control()} {
        fill(message(setup.largest()));
    }

    void warm_up(Test const& test, Bytes bytes) override {
        if (auto t = tasks_of(test))
            static_cast<void>(time_loop(*t, test.kind, message(bytes), 1, false, watch_));
    }

    std::vector<double> check(Test const& test, Bytes bytes, bool damage) override {
        auto t = tasks_of(test);
        return t ? check_size(*t, test.kind, message(bytes), watch_, damage) : std::vector<double>{};
    }

    Timed measure(Test const& test, Bytes bytes, bool flush) override {
        auto t = tasks_of(test);
        return t ? time_size(*t, test.kind, message(bytes), rules_, watch_, flush) : Timed{};
    }

private:
    static std::optional<measure::Comm> pair(measure::Comm const& world) {
        return world.split(world.is_root() || world.rank() == world.size() - 1 ? 0 : -1);
    }

    /// Nothing on a task that is idle in the test.
    [[nodiscard]] std::optional<MpiTransport> tasks_of(Test const& test) const {
        if (!test.pair)
            return MpiTransport{all_};
        return pair_ ? std::optional{MpiTransport{*pair_}} : std::nullopt;
    }

    [[nodiscard]] Message message(Bytes bytes) const {
        return {static_cast<std::byte*>(buffers_.send({})), static_cast<std::byte*>(buffers_.receive({})), bytes};
    }

    Rules const& rules_;
    measure::Comm all_;
    std::optional<measure::Comm> pair_;
    bodies::Buffers buffers_;
    llcbench::Flush flush_;
    Stopwatch watch_;
};

}  // namespace

std::unique_ptr<Bench> make_mpi_bench(Setup const& setup, frontend::Session& session, measure::AnyTimer const& timer,
                                      measure::seconds resolution) {
    return std::make_unique<MpiBench>(setup, session, timer, resolution);
}

}  // namespace mpbench
