// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>

namespace cachebench {

namespace {

/// A float counts ones exactly up to 2^24. Half of that leaves room for sums of eight.
constexpr std::int64_t float_limit = std::int64_t{1} << 23;
constexpr std::int64_t no_limit = std::int64_t{1} << 50;
constexpr unsigned char memset_value = 0xf0;

/// Calls f with a zero of the element's type.
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

/// Sets every `step`-th element to `value` and all others to 0.
void fill_elements(Element element, void* x, std::int64_t n, std::uint64_t value, std::int64_t step) {
    with(element, [&](auto zero) {
        using T = decltype(zero);
        auto* const elements = static_cast<T*>(x);
        std::fill(elements, elements + n, T{0});
        for (std::int64_t i = 0; i < n; i += step)
            elements[i] = static_cast<T>(value);
    });
}

/// Sets each element i to value(i).
template <class F>
void fill_pattern(Element element, void* x, std::int64_t n, F const& value) {
    with(element, [&](auto zero) {
        using T = decltype(zero);
        for (std::int64_t i = 0; i < n; ++i)
            static_cast<T*>(x)[i] = static_cast<T>(value(i));
    });
}

/// Checks that each element i is value(i). Returns "element 3 is 4, not 5" for the first that differs.
template <class F>
std::optional<std::string> compare(Element element, void const* x, std::int64_t n, F const& value) {
    return with(element, [&](auto zero) -> std::optional<std::string> {
        using T = decltype(zero);
        auto const* const elements = static_cast<T const*>(x);
        for (std::int64_t i = 0; i < n; ++i)
            if (auto const wanted = static_cast<T>(value(i)); elements[i] < wanted || wanted < elements[i])
                return fmt::format("element {} is {}, not {}", i, elements[i], wanted);
        return std::nullopt;
    });
}

/// The integer type of the stored register for an element width.
Element integer_of(measure::Bytes width) {
    return width == 1 ? Element::int8 : width == 4 ? Element::int32 : Element::int64;
}

unsigned char source_byte(std::int64_t i) { return static_cast<unsigned char>(i * 31 + (i >> 8) + 7); }

/// Small enough that x + 3 y is at most 252 and so exact in every type.
constexpr std::uint64_t triad_factor = 3;
constexpr std::uint64_t never_a_result = 253;
std::uint64_t source_element(std::int64_t i) { return source_byte(i) % 64; }
std::uint64_t second_element(std::int64_t i) { return source_byte(i + 17) % 64; }

}  // namespace

Operation::Operation(Task const& task, Arena const& arena)
    : task_{task}, counts_{cachebench::counts(*task.test, task.type->width, task.bytes)}, chosen_{choose(*task.test,
                                                                                                         *task.type,
                                                                                                         *task.loops)} {
    passes_.x = arena.start(0, task.bytes);
    passes_.n = counts_.n;
    if (vectors(*task.test) > 1)
        passes_.source = arena.start(1, task.bytes);
    if (vectors(*task.test) > 2)
        passes_.second = arena.start(2, task.bytes);
    if (task.test->work == Work::write || task.test->work == Work::stream)
        passes_.value = static_cast<std::uint64_t>(counts_.n);
    if (task.test->work == Work::memory_set)
        passes_.value = memset_value;
    if (task.test->work == Work::triad)
        passes_.value = triad_factor;
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
    case Work::stream:
        fill_elements(task_.type->element, passes_.x, counts_.n, passes_.value + 1, 1);
        break;
    case Work::copy:
    case Work::triad:
        fill_elements(task_.type->element, passes_.x, counts_.n, never_a_result, 1);
        fill_pattern(task_.type->element, const_cast<void*>(passes_.source), counts_.n, source_element);
        if (passes_.second != nullptr)
            fill_pattern(task_.type->element, const_cast<void*>(passes_.second), counts_.n, second_element);
        break;
    case Work::modify:
        fill_elements(task_.type->element, passes_.x, counts_.n, 0, 1);
        break;
    case Work::memory_set:
    case Work::memory_copy:
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
        std::uint64_t const result = chosen_.kernel(passes_);
        if (chosen_.increments)
            passes_.value += static_cast<std::uint64_t>(counts_.n * passes_.passes);
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
    auto const compared = [this](Element element, auto const& value) {
        return compare(element, passes_.x, counts_.n, value);
    };
    Element const element = task_.type->element;
    switch (task_.test->work) {
    case Work::modify:
        return compared(element, [passes = static_cast<std::uint64_t>(done_)](std::int64_t) { return passes; });
    case Work::copy:
        return compared(element, source_element);
    case Work::triad:
        return compared(element, [](std::int64_t i) { return source_element(i) + triad_factor * second_element(i); });
    case Work::memory_copy:
        return compared(Element::int8, source_byte);
    case Work::memory_set:
        return compared(Element::int8, [](std::int64_t) { return memset_value; });
    default:
        break;
    }
    if (!chosen_.increments)
        return compared(element, [value = passes_.value](std::int64_t) { return value; });
    auto const first = passes_.value - static_cast<std::uint64_t>(counts_.n);
    return compared(integer_of(task_.type->width),
                    [first](std::int64_t i) { return first + static_cast<std::uint64_t>(i); });
}

std::optional<std::string> Operation::defect() const {
    if (done_ == 0)
        return std::nullopt;
    if (task_.test->work == Work::read)
        return wrong_sum();
    if (task_.test->work != Work::latency)
        return wrong_elements();
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
    // Sattolo's algorithm: each node first points to itself, and each exchange with the link of an earlier node joins
    // two cycles until one remains. It works in place; a separate permutation would need an eighth of the vector's
    // memory.
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
