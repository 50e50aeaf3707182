// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/mpi_bench.hpp"

#include "bodies/buffers.hpp"
#include "llcbench/flush.hpp"
#include "mpbench/check.hpp"
#include "mpbench/mpi_loops.hpp"
#include "mpbench/mpi_transport.hpp"

#include <cstddef>
#include <optional>

namespace mpbench {

namespace {

using measure::Bytes;
using measure::Comm;

class MpiBench final : public Bench {
public:
    MpiBench(Setup const& setup, Comm const& world, measure::seconds resolution)
        : all_{world.duplicate()}, pair_{world.split(world.is_root() || world.rank() == world.size() - 1 ? 0 : -1)},
          rules_{setup.rules},
          resolution_{resolution}, buffers_{{}, {setup.largest(), setup.largest()}}, flush_{setup.flush} {
        fill(message(setup.largest()));
    }

    void warm_up(Test const& test, Bytes bytes) override {
        if (auto const* const comm = tasks_of(test)) {
            MpiTransport t{*comm};
            static_cast<void>(once(t, test.kind, message(bytes)));
        }
    }

    std::vector<double> check(Test const& test, Bytes bytes, bool damage) override {
        auto const* const comm = tasks_of(test);
        if (comm == nullptr)
            return {};
        MpiTransport t{*comm};
        return comm->gather(static_cast<double>(check_size(t, test.kind, message(bytes), damage)));
    }

    Measured measure(Test const& test, Bytes bytes, measure::Plan const& plan, bool flush) override {
        auto const* const comm = tasks_of(test);
        if (comm == nullptr)
            return {};
        MpiTransport t{*comm};
        return measure_size(MpiLoops{*comm, t, test.kind, message(bytes), rules_, plan, flush_}, rules_, test.kind,
                            bytes, resolution_, flush);
    }

private:
    /// The communicator of the test; null on a task that is idle in it.
    [[nodiscard]] Comm const* tasks_of(Test const& test) const noexcept {
        if (!test.pair)
            return &all_;
        return pair_ ? &*pair_ : nullptr;
    }

    [[nodiscard]] Message message(Bytes bytes) const {
        return {static_cast<std::byte*>(buffers_.send({})), static_cast<std::byte*>(buffers_.receive({})), bytes};
    }

    Comm all_;
    std::optional<Comm> pair_;
    Rules rules_;
    measure::seconds resolution_;
    bodies::Buffers buffers_;
    llcbench::Flush flush_;
};

}  // namespace

std::unique_ptr<Bench> make_mpi_bench(Setup const& setup, Comm const& world, measure::seconds resolution) {
    return std::make_unique<MpiBench>(setup, world, resolution);
}

}  // namespace mpbench
