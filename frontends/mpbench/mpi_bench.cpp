// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_bench.hpp"

#include "mpi_transport.hpp"
#include "task.hpp"

#include <measure/comm.hpp>

#include <optional>
#include <vector>

namespace mpbench {

namespace {

using measure::Bytes;

class MpiBench : public Bench {
public:
    MpiBench(Setup const& setup, program::Session& session, measure::AnyTimer const& timer, measure::seconds resolution)
        : all_{session.world().duplicate()}, pair_{pair(session.world())},
          task_{MpiTransport{all_}, pair_ ? std::optional{MpiTransport{*pair_}} : std::nullopt,
                setup.terms(),      timer,
                resolution,         session.control()} {}

    void warm_up(Test const& test, Bytes bytes) override { task_.warm_up(test, bytes); }
    std::vector<double> check(Test const& test, Bytes bytes, bool damage) override {
        return task_.check(test, bytes, damage);
    }
    Timed measure(Test const& test, Bytes bytes, bool flush) override { return task_.measure(test, bytes, flush); }

private:
    static std::optional<measure::Comm> pair(measure::Comm const& world) {
        return world.split(world.is_root() || world.rank() == world.size() - 1 ? 0 : -1);
    }

    measure::Comm all_;
    std::optional<measure::Comm> pair_;
    Task<MpiTransport> task_;
};

}  // namespace

std::unique_ptr<Bench> make_mpi_bench(Setup const& setup, program::Session& session, measure::AnyTimer const& timer,
                                      measure::seconds resolution) {
    return std::make_unique<MpiBench>(setup, session, timer, resolution);
}

}  // namespace mpbench
