// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/operations.hpp"

#include <measure/agree.hpp>

#include <utility>

namespace mpiperf {

namespace {

/// The sum over the ranks that share the root's cache. Collective over `sharers`.
measure::Bytes sum(measure::Comm const& sharers, measure::Bytes bytes) {
    return static_cast<measure::Bytes>(sharers.sum(static_cast<double>(bytes)));
}

}  // namespace

bodies::BufferPolicy place(Memory const& memory, measure::Comm const& team, bodies::Sizes const& sizes, int copies,
                           Footprint& footprint) {
    auto policy = memory.policy;
    auto const share = memory.cache ? std::optional{bodies::cache_share(team, *memory.cache)} : std::nullopt;
    auto const agreed = bodies::agreed_blocks(team, policy, sizes, copies, share ? &*share : nullptr);
    policy.blocks = agreed.number;
    auto const bytes = sizes.send + sizes.receive > 0 ? copies * bodies::layout(policy, sizes).bytes() : 0;

    footprint.per_rank = static_cast<measure::Bytes>(team.max(static_cast<double>(bytes)));
    footprint.blocks = agreed.number;
    footprint.cut = agreed.cut;
    if (share) {
        footprint.cache = memory.cache->size;
        footprint.in_sum = sum(share->sharers, bytes);
        footprint.sharers = share->sharers.size();
    }
    return policy;
}

bodies::BufferPolicy place(Setting const& setting, measure::Comm const& team, measure::Point const& at,
                           bodies::Sizes const& sizes, int copies) {
    Footprint footprint;
    auto const policy = place(setting.memory, team, sizes, copies, footprint);
    setting.footprint(at, footprint);
    return policy;
}

void then(measure::Benchmark& row, measure::Finish more) {
    if (!more)
        return;
    row.finish = [first = std::move(row.finish), more = std::move(more)](measure::Record& record,
                                                                         measure::Measurement const& m) {
        if (first)
            first(record, m);
        more(record, m);
    };
}

bodies::Buffers agreed_buffers(measure::Comm const& team, bodies::BufferPolicy const& policy,
                               bodies::Sizes const& sizes) {
    return measure::agree_on_failure(team, [&] { return bodies::Buffers{policy, sizes}; });
}

}  // namespace mpiperf
