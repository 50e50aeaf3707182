// SPDX-License-Identifier: BSD-3-Clause
/// Verification: bodies whose data are known execute once more, and every byte that arrives is looked at.
#pragma once

#include "bodies/collectives.hpp"
#include "bodies/datatype.hpp"
#include "bodies/expectation.hpp"
#include "bodies/neighbours.hpp"

#include <measure/comm.hpp>
#include <measure/operation.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace bodies {

/// How data are checked.
struct Checking {
    bool spoils = false;       ///< what arrives is altered
    int* in_sample = nullptr;  ///< 1 during the execution, like in a run, where a profiling library looks at it
};

/// Runs what executes a body, where a profiling library is to see it as a run.
template <class Run>
bool in_sample(Checking const& how, Run&& run) {
    if (how.in_sample != nullptr)
        *how.in_sample = 1;
    bool const ok = run();
    if (how.in_sample != nullptr)
        *how.in_sample = 0;
    return ok;
}

/// What one execution is to do with its buffers.
struct Trial {
    Expectation expectation;
    Place place;
};

/// The data of a collective.
struct CollectiveData {
    Shape shape;
    Content content;
    Part part;
    Root root;
    TypeMap map;
    std::int64_t numbers;  ///< count of what is reduced
    Convention convention;
    Sizes sizes;

    [[nodiscard]] std::int64_t roots() const noexcept { return root.rotates ? part.size : 1; }
    [[nodiscard]] Trial trial(measure::Iteration it, void* send, void* receive) const {
        auto at = part;
        at.root = root.at(it, at.size);
        return {expectation(shape, content, at, map, numbers, convention), place_of(content, at, send, receive, sizes)};
    }
};

/// Messages that are the same in each execution.
struct FixedData {
    Image sent;
    Image arrived;
    TypeMap map;
    Sizes sizes;

    [[nodiscard]] static std::int64_t roots() noexcept { return 1; }
    [[nodiscard]] Trial trial(measure::Iteration, void* send, void* receive) const {
        return {{sent, arrived, map}, {static_cast<std::byte*>(send), static_cast<std::byte*>(receive), sizes}};
    }
};

/// The data of a collective with all neighbours. Where it has a block for each, that tells sender and receiver: where
/// two processes are neighbours twice (a ring of two) MPI libraries differ in which of their blocks is which. Pure.
/// \param shape  "each" is each neighbour
[[nodiscard]] FixedData neighbour_data(Shape const& shape, Neighbours const& neighbours, int rank, TypeMap const& map,
                                       Sizes const& sizes);

/// Executes a body once more for each root, and in the last block of a cold pool, with data that are known. Collective.
/// \tparam Body  has memory(), whose blocks are as many on all ranks, and execute(it) or a call with an iteration;
/// ready(it) is called where there is one \return what is wrong on this rank, "" where nothing is
template <class Body, class Data>
std::string check_data(Body& body, Data const& data, Checking const& how) {
    auto const run = [&](measure::Iteration it) {
        if constexpr (requires { body.execute(it); })
            return body.execute(it);
        else
            return body(it);
    };
    std::string fault;
    auto const check_at = [&](std::int64_t index) {
        measure::Iteration const it{.index = index};
        auto const [expected, place] = data.trial(it, body.memory().send(it), body.memory().receive(it));
        expected.fill(place);
        if constexpr (requires { body.ready(it); })
            body.ready(it);
        bool const ok = in_sample(how, [&] { return run(it); });
        if (how.spoils)
            expected.spoil(place);
        auto found = ok ? expected.fault(place) : "MPI reports an error";
        if (fault.empty())
            fault = std::move(found);
    };
    for (std::int64_t i = 0; i < data.roots(); ++i)
        check_at(i);
    if (body.memory().blocks() > data.roots())
        check_at(body.memory().blocks() - 1);
    return fault;
}

/// A body with the datatype that its arguments refer to, and with its data.
template <class Body, class Data>
class Verified : public Body {
public:
    Verified(Body body, Datatype type, Data data)
        : Body{std::move(body)}, type_{std::move(type)}, data_{std::move(data)} {}

    [[nodiscard]] std::string check(Checking const& how) { return check_data(static_cast<Body&>(*this), data_, how); }

private:
    Datatype type_;
    Data data_;
};

}  // namespace bodies
