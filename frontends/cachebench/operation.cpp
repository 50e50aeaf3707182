// SPDX-License-Identifier: BSD-3-Clause
#include "operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>

namespace cachebench {

namespace {

/// A float counts ones exactly up to 2^24; half of that leaves room for sums of eight.
constexpr std::int64_t float_limit = std::int64_t{1} << 23;
constexpr std::int64_t no_limit = std::int64_t{1} << 50;
constexpr unsigned char memset_value = 0xf0;

/// Calls f with a value of the element's type.
template <class F>
auto with(Element element, F&& f) {
    switch (element) {
    case Element::float64:
        return f(double{});
    case Element::float32:
        return f(float{});
    case Element::int8:
        return f(static_cast<unsigned char>(0));
    case Element::int64:
        return f(std::uint64_t{});
    case Element::int32:
        break;
    }
    return f(std::uint32_t{});
}

/// Every `step`-th element is `value`, the others are 0.
void fill_elements(Element element, void* x, std::int64_t n, std::uint64_t value, std::int64_t step) {
    with(element, [&](auto zero) {
        using T = decltype(zero);
        auto* const elements = static_cast<T*>(x);
        std::fill(elements, elements + n, T{0});
        for (std::int64_t i = 0; i < n; i += step)
            elements[i] = static_cast<T>(value);
    });
}

/// "is 3, not 4"; nothing where the element is as expected.
std::optional<std::string> compare(Element element, void const* x, std::int64_t i, std::uint64_t expected) {
    return with(element, [&](auto zero) -> std::optional<std::string> {
        using T = decltype(zero);
        T const found = static_cast<T const*>(x)[i];
        auto const wanted = static_cast<T>(expected);
        if (!(found < wanted) && !(wanted < found))
            return std::nullopt;
        return fmt::format("element {} is {}, not {}", i, found, wanted);
    });
}

unsigned char source_byte(std::int64_t i) { return static_cast<unsigned char>(i * 31 + (i >> 8) + 7); }

}  // namespace

Operation::Operation(Task const& task, Arena const& arena)
    : task_{task}, counts_{cachebench::counts(*task.test, task.type->width, task.bytes)},
      kernel_{choose(*task.test, *task.type, *task.flavour).kernel} {
    passes_.x = arena.first(task.bytes);
    passes_.n = counts_.n;
    if (task.test->work == Work::copy)
        passes_.source = arena.second(task.bytes);
    if (task.test->work == Work::write)
        passes_.value = static_cast<std::uint64_t>(counts_.n);
    if (task.test->work == Work::set)
        passes_.value = memset_value;
    fill();
}

void Operation::fill() {
    done_ = 0;
    per_call_ = no_limit;
    std::int64_t step = 1;
    switch (task_.test->work) {
    case Work::read:
        if (is_float()) {
            step = std::max<std::int64_t>(1, counts_.n / float_limit);
            per_call_ = std::max<std::int64_t>(1, float_limit / counts_.n);
        }
        ones_ = (counts_.n + step - 1) / step;
        fill_elements(task_.type->element, passes_.x, counts_.n, 1, step);
        break;
    case Work::write:
        fill_elements(task_.type->element, passes_.x, counts_.n, passes_.value + 1, 1);
        break;
    case Work::modify:
        fill_elements(task_.type->element, passes_.x, counts_.n, 0, 1);
        break;
    case Work::set:
    case Work::copy:
        std::memset(passes_.x, static_cast<unsigned char>(~memset_value), static_cast<std::size_t>(counts_.n));
        if (auto* const source = static_cast<unsigned char*>(const_cast<void*>(passes_.source)); source != nullptr)
            for (std::int64_t i = 0; i < counts_.n; ++i)
                source[i] = source_byte(i);
        break;
    case Work::latency:
        whole_cycle_ = make_cycle(passes_.x, counts_.n, task_.seed) == counts_.n;
        break;
    }
}

std::int64_t longest_block(Test const& test, Type const& type) noexcept {
    return test.work == Work::modify && type.element == Element::float32 ? float_limit : no_limit;
}

std::int64_t Operation::longest_block() const noexcept { return cachebench::longest_block(*task_.test, *task_.type); }

bool Operation::is_limited() const noexcept { return longest_block() < no_limit; }

void Operation::make_ready(std::int64_t passes) {
    if (done_ + passes > longest_block())
        fill();
}

void Operation::run(std::int64_t passes) {
    for (std::int64_t left = passes; left > 0; left -= passes_.passes) {
        passes_.passes = std::min(left, per_call_);
        std::uint64_t const result = kernel_(passes_);
        if (task_.test->work == Work::latency)
            whole_cycle_ &= result == std::bit_cast<std::uintptr_t>(passes_.x);
        else
            sum_ += result;
    }
    done_ += passes;
}

std::uint64_t Operation::range() const noexcept {
    switch (task_.type->element) {
    case Element::int8:
        return std::numeric_limits<unsigned char>::max();
    case Element::int32:
        return std::numeric_limits<std::uint32_t>::max();
    case Element::float64:
    case Element::float32:
    case Element::int64:
        break;
    }
    return std::numeric_limits<std::uint64_t>::max();
}

std::optional<std::string> Operation::wrong_sum() const {
    std::uint64_t const expected = static_cast<std::uint64_t>(done_) * static_cast<std::uint64_t>(ones_);
    if ((sum_ & range()) == (expected & range()))
        return std::nullopt;
    return fmt::format("the sum of elements 0 to {} is {}, not {}", counts_.n - 1, sum_ & range(), expected & range());
}

std::optional<std::string> Operation::wrong_elements() const {
    bool const adds = task_.test->work == Work::modify;
    std::uint64_t const expected = adds ? static_cast<std::uint64_t>(done_) : passes_.value;
    for (std::int64_t const i : {std::int64_t{0}, counts_.n / 2, counts_.n - 1})
        if (auto const wrong = compare(task_.type->element, passes_.x, i, expected))
            return wrong;
    return std::nullopt;
}

std::optional<std::string> Operation::wrong_bytes() const {
    auto const* const x = static_cast<unsigned char const*>(passes_.x);
    for (std::int64_t i = 0; i < counts_.n; ++i)
        if (auto const wanted = passes_.source != nullptr ? source_byte(i) : memset_value; x[i] != wanted)
            return fmt::format("element {} is {}, not {}", i, x[i], wanted);
    return std::nullopt;
}

std::optional<std::string> Operation::defect() const {
    if (done_ == 0)
        return std::nullopt;
    switch (task_.test->work) {
    case Work::read:
        return wrong_sum();
    case Work::write:
    case Work::modify:
        return wrong_elements();
    case Work::set:
    case Work::copy:
        return wrong_bytes();
    case Work::latency:
        break;
    }
    if (whole_cycle_)
        return std::nullopt;
    return fmt::format("the cycle through elements 0 to {} is broken", counts_.n - 1);
}

void Operation::damage() {
    sum_ += 1;
    whole_cycle_ = false;
    static_cast<unsigned char*>(passes_.x)[counts_.n / 2 * (task_.bytes / counts_.n)] ^= 1U;
}

std::int64_t make_cycle(void* base, std::int64_t n, std::uint64_t seed) {
    auto const at = [first = static_cast<std::byte*>(base)](std::int64_t i) { return first + i * node; };
    for (std::int64_t i = 0; i < n; ++i) {
        void* const self = at(i);
        std::memcpy(self, &self, sizeof self);
    }
    // Each node leads to itself. Every exchange with an earlier node's link (Sattolo) joins two cycles, and in the end
    // all. In place: an order of its own would take an eighth of the vector's memory.
    std::mt19937_64 random{seed};
    for (std::int64_t i = n - 1; i > 0; --i)
        std::swap_ranges(at(i), at(i) + sizeof(void*),
                         at(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(i))));
    std::int64_t length = 0;
    void const* place = base;
    do {
        std::memcpy(&place, place, sizeof place);
        ++length;
    } while (place != base && length <= n);
    return length;
}

}  // namespace cachebench
