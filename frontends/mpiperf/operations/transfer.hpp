// SPDX-License-Identifier: BSD-3-Clause
/// Transfer: the body of a collective for any datatype and count, and its data check.
#pragma once

#include "bodies/collectives.hpp"
#include "bodies/datatype.hpp"
#include "bodies/large_count.hpp"
#include "mpiperf/operations/verification.hpp"

#include <measure/comm.hpp>
#include <measure/operation.hpp>
#include <measure/record.hpp>
#include <measure/sweep.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace mpiperf {

/// The content of messages. Equal on all ranks.
struct Messages {
    std::optional<bodies::TypeLayout> datatype{};  ///< set if --datatype is given
    bodies::CountLimits limits{};
};

/// Name of the coordinate with the datatype of the messages.
inline constexpr char const* datatype_axis = "datatype";

/// The variants of a test's points: the requested datatype, directly followed by bytes. No value for tests whose
/// messages take no other type.
[[nodiscard]] std::optional<measure::Axis> variants(Messages const& messages, bodies::Shape const* shape);

/// The datatype layout of the messages at a point.
[[nodiscard]] bodies::TypeLayout layout_at(measure::Point const& at);

/// MEASURE_TEST_CORRUPT=RANK:COUNT: on that rank, at points of that count, the received data are altered during the
/// check.
struct Corruption {
    int rank = 0;
    std::int64_t count = 0;
};
/// \throws measure::UsageError
[[nodiscard]] Corruption corruption_from(std::string const& text);

/// MEASURE_TEST_INT_MAX=N[:chunks]: counts above N are passed as if they did not fit an int; with "chunks" as if there
/// were no large-count functions. \throws measure::UsageError
[[nodiscard]] bodies::CountLimits limits_from(std::string const& text);

/// Type, count and passing method of the messages at one point. Local. \throws measure::UsageError
struct Load {
    Load(bodies::Shape const& shape, std::string_view name, bodies::TypeLayout const& layout, std::int64_t count,
         int processes, bodies::CountLimits const& limits)
        : carrier{bodies::carrier(shape, name, layout, count, processes, limits)}, reduces{shape.element ==
                                                                                           bodies::Element::real},
          numbers{count}, type{reduces ? bodies::TypeLayout{} : layout, reduces || shape.ignores_count ? 0 : count,
                               carrier.chunk} {}

    /// The count as the call expects it, in elements.
    [[nodiscard]] std::int64_t count() const noexcept { return reduces ? numbers : type.count(); }
    [[nodiscard]] bodies::Convention convention() const noexcept {
        return {.moved = type.handle(), .moved_extent = type.extent()};
    }

    bodies::Carrier carrier;
    bool reduces;
    std::int64_t numbers;
    bodies::Datatype type;
};

/// Describes the messages for the record: payload, memory and number of contiguous blocks of one message.
[[nodiscard]] measure::Value datatype_value(bodies::TypeLayout const& layout, measure::Bytes message);

/// Describes how a call of that collective moves the data of a load.
[[nodiscard]] CollectiveData collective_data(bodies::Collective const& of, measure::Comm const& team, bodies::Root root,
                                             Load const& load);

/// One blocking call per iteration, with its own buffers. Like every body it must not outlive the communicator.
/// \tparam S  the argument list
template <class S>
class Transfer {
public:
    /// Local. \throws std::bad_alloc
    Transfer(bodies::Collective const& of, bodies::Functions<S> const& functions, measure::Comm const& team, Load load,
             bodies::BufferPolicy const& policy, bodies::Root root)
        : load_{std::move(load)}, data_{collective_data(of, team, root, load_)}, buffers_{policy, data_.sizes},
          call_{functions.blocking}, wide_call_{functions.wide} {
        if (load_.carrier.wide)
            wide_ = bodies::arguments<bodies::WideArguments>(of.shape, team, load_.count(), load_.convention());
        else
            narrow_ = bodies::arguments(of.shape, team, load_.count(), load_.convention());
    }

    bool operator()(measure::Iteration it) const noexcept {
        int const root = data_.root.at(it, data_.part.size);
        if (load_.carrier.wide) [[unlikely]]
            return S::call(wide_call_, wide_, buffers_.send(it), buffers_.receive(it), root) == MPI_SUCCESS;
        return S::call(call_, narrow_, buffers_.send(it), buffers_.receive(it), root) == MPI_SUCCESS;
    }

    [[nodiscard]] bodies::Buffers const& memory() const noexcept { return buffers_; }
    [[nodiscard]] std::string check(Checking const& how) const { return check_data(*this, data_, how); }

private:
    Load load_;
    CollectiveData data_;
    bodies::Buffers buffers_;
    decltype(bodies::Functions<S>::blocking) call_;
    decltype(bodies::Functions<S>::wide) wide_call_;
    bodies::Arguments narrow_{};
    bodies::WideArguments wide_{};
};

}  // namespace mpiperf
