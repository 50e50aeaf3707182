// SPDX-License-Identifier: BSD-3-Clause
/// Verification: executes bodies once more with known data and checks every received byte.
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

/// Options of a data check.
struct Checking {
    bool spoils = false;       ///< alter the received data, for tests
    int* in_sample = nullptr;  ///< variable that a profiling library reads; set to 1 during the execution
};

/// Calls `run`, which executes a body, with `in_sample` set.
template <class Run>
bool in_sample(Checking const& how, Run&& run) {
    if (how.in_sample != nullptr)
        *how.in_sample = 1;
    bool const ok = run();
    if (how.in_sample != nullptr)
        *how.in_sample = 0;
    return ok;
}

/// The expected effect of an execution on its buffers.
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
    std::int64_t numbers;  ///< count of the reduced numbers
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

/// The data of a neighbourhood collective. If each neighbour has its own block, the block depends only on sender and
/// receiver, because MPI libraries differ in the order of blocks between two processes that are neighbours twice (a
/// ring of two). Pure. \param shape  "each" is each neighbour
[[nodiscard]] FixedData neighbour_data(Shape const& shape, Neighbours const& neighbours, int rank, TypeMap const& map,
                                       Sizes const& sizes);

/// Executes a body once more for each root, and in the last block of a cold pool, and checks the data. Collective.
/// \tparam Body  has memory() with the same number of blocks on all ranks, execute(it) or a call with an iteration, and
/// optionally ready(it), which is called before  \return the error on this rank, "" without error
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

/// A body together with its data and with the datatype to which its arguments refer.
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
