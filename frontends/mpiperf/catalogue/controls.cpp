// SPDX-License-Identifier: BSD-3-Clause
/// The controls: measured without MPI in the same launch, to distinguish a change of the machine from a change of the
/// MPI library.
#include "bodies/controls.hpp"

#include "mpiperf/catalogue/parts.hpp"
#include "mpiperf/operations/messages.hpp"
#include "mpiperf/operations/operations.hpp"
#include "mpiperf/operations/verification.hpp"

#include <measure/benchmark.hpp>
#include <measure/comm.hpp>

#include <memory>
#include <string>
#include <utility>

namespace mpiperf {

namespace {

/// A memory copy whose data can be checked.
class CheckedCopy : public bodies::Copy {
public:
    CheckedCopy(int rank, measure::Bytes bytes, bodies::Buffers memory)
        : Copy{bytes, std::move(memory)}, data_{.sent = {.blocks = {{rank, 0}}},
                                                .arrived = {.blocks = {{rank, 0}}},
                                                .map = {bodies::TypeLayout{}, bytes},
                                                .sizes = {bytes, bytes}} {}

    [[nodiscard]] std::string check(Checking const& how) const { return check_data(*this, data_, how); }

private:
    FixedData data_;
};

void build_copy(Test const&, Setting const& setting, measure::Benchmark& row) {
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        auto const bytes = at.bytes("bytes");
        bodies::Sizes const sizes{bytes, bytes};
        return CheckedCopy{team.rank(), bytes, bodies::Buffers{place(setting, team, at, sizes), sizes}};
    });
}

/// Shared ownership, because a cache line cannot be moved.
struct SharedLine {
    std::shared_ptr<bodies::CacheLine> line;

    bool operator()() const { return (*line)(); }
};

void build_cache_line(Test const& test, Setting const& setting, measure::Benchmark& row) {
    then(row, message_finish(test.scale));
    row.make = maker(setting, [](measure::Comm const& team, measure::Point const&) {
        return SharedLine{std::make_shared<bodies::CacheLine>(team)};
    });
}

void build_work(Test const&, Setting const& setting, measure::Benchmark& row) {
    row.make = maker(setting, [](measure::Comm const&, measure::Point const&) { return bodies::FixedWork{}; });
}

constexpr Test control_table[] = {
    {.name = "Memcpy",
     .text = "control without MPI: c bytes from one buffer of each process to another, all at once",
     .element = 1,
     .refuse = refuse_beyond_memory,
     .build = build_copy,
     .checks_data = true},
    {.name = "Cacheline",
     .text = "control without MPI: a cache line there and back by shared memory, half the time of rank 0",
     .build = build_cache_line,
     .kind = Kind::message,
     .scale = 0.5,
     .batch = 64},
    {.name = "Fixed_work",
     .text = "control without MPI: the same arithmetic in each process, all at once; expected 10 us at 3 GHz",
     .build = build_work},
};

}  // namespace

std::span<Test const> control_tests() noexcept { return control_table; }

}  // namespace mpiperf
