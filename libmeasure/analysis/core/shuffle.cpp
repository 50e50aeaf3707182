// SPDX-License-Identifier: BSD-3-Clause
#include "measure/shuffle.hpp"

#include <numeric>
#include <random>

namespace measure {

struct RandomOrders::State {
    int n;
    std::mt19937_64 random;
};

RandomOrders::RandomOrders(int n, std::uint64_t seed) : state_{new State{n, std::mt19937_64{seed}}} {}
RandomOrders::RandomOrders(RandomOrders const& other) : state_{new State(*other.state_)} {}
RandomOrders::RandomOrders(RandomOrders&&) noexcept = default;
RandomOrders& RandomOrders::operator=(RandomOrders const& other) {
    state_.reset(new State(*other.state_));
    return *this;
}
RandomOrders& RandomOrders::operator=(RandomOrders&&) noexcept = default;
RandomOrders::~RandomOrders() = default;

std::vector<int> RandomOrders::next() {
    std::vector<int> order(static_cast<std::size_t>(state_->n));
    std::iota(order.begin(), order.end(), 0);
    shuffle(std::span{order}, state_->random);
    return order;
}

}  // namespace measure
