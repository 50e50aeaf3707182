// SPDX-License-Identifier: BSD-3-Clause
#include "run/sweep.hpp"

#include "analysis/runs/meaning.hpp"
#include "run/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace measure::tool::runs {

namespace {

using measure::Bytes;

constexpr Bytes large = 64 * 1024;
/// Longest message in windows. Longer ones would take more time than all other points together.
constexpr Bytes longest_streamed = 256 * 1024;
/// Smallest memory size. A shorter pass takes little longer than a reading of the clock.
constexpr Bytes shortest_pass = 16 * 1024;
/// Larger than the private caches of a core.
constexpr Bytes beyond_cache = 4 * 1024 * 1024;
/// Size of the copy control: larger than a first-level cache, copied in a few microseconds.
constexpr Bytes copied = 64 * 1024;

/// An element of this test has three doubles.
constexpr std::string_view triad_test = "Mem_triad";

/// The tests and sizes of each topic.
enum class SizesOf { all, large_ones, large_blocks, streamed, smallest, cached, none };
struct TopicTest {
    Topic topic;
    std::string_view test;
    SizesOf sizes;
};

constexpr std::array topic_tests{
    TopicTest{Topic::latency, "Pingpong", SizesOf::all},
    TopicTest{Topic::bandwidth, stream_test, SizesOf::streamed},
    TopicTest{Topic::rate, stream_test, SizesOf::smallest},
    TopicTest{Topic::collectives, "Barrier", SizesOf::none},
    TopicTest{Topic::collectives, "Bcast", SizesOf::all},
    TopicTest{Topic::collectives, "Allreduce", SizesOf::all},
    TopicTest{Topic::collectives, "Allgather", SizesOf::all},
    TopicTest{Topic::collectives, "Alltoall", SizesOf::all},
    TopicTest{Topic::overlap, "Ibcast", SizesOf::large_ones},
    TopicTest{Topic::overlap, "Iallreduce", SizesOf::large_ones},
    TopicTest{Topic::overlap, "Ialltoall", SizesOf::large_ones},
    TopicTest{Topic::onesided, "Put_flush", SizesOf::all},
    TopicTest{Topic::onesided, "Get_flush", SizesOf::all},
    TopicTest{Topic::onesided, "Fetch_and_op_flush", SizesOf::none},
    TopicTest{Topic::memory, "Mem_read", SizesOf::cached},
    TopicTest{Topic::memory, "Mem_write", SizesOf::cached},
    TopicTest{Topic::memory, "Mem_copy", SizesOf::cached},
    TopicTest{Topic::memory, triad_test, SizesOf::cached},
    TopicTest{Topic::io, "File_write", SizesOf::large_ones},
    TopicTest{Topic::io, "File_read", SizesOf::large_ones},
    TopicTest{Topic::io, "File_write_direct", SizesOf::large_blocks},
    TopicTest{Topic::io, "File_read_direct", SizesOf::large_blocks},
};

/// Bytes of an element of a test: mpiperf takes counts of elements.
Bytes element_of(std::string_view test) {
    if (test == triad_test)
        return 3 * sizeof(double);
    auto const has = [&](std::string_view part) { return test.find(part) != std::string_view::npos; };
    bool const has_doubles = has("educe") || has("scan") || has("Scan") || has("ccumulate");
    return has_doubles ? Bytes{sizeof(double)} : 1;
}

/// The sizes for a test, never empty. \param sizes  requested sizes, ascending
std::vector<Bytes> sizes_for(SizesOf which, std::vector<Bytes> const& sizes) {
    auto const between = [&](Bytes low, Bytes high) {
        std::vector<Bytes> some;
        std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(some),
                     [&](Bytes size) { return size >= low && size <= high; });
        return some;
    };
    switch (which) {
    case SizesOf::none:
        return {1};
    case SizesOf::smallest:
        return {sizes.front()};
    case SizesOf::large_ones: {
        auto const some = between(large, sizes.back());
        return some.empty() ? std::vector{sizes.back()} : some;
    }
    case SizesOf::large_blocks: {
        auto some = sizes_for(SizesOf::large_ones, sizes);
        for (Bytes& size : some)
            size = std::max(size - size % direct_block, direct_block);
        return some;
    }
    case SizesOf::streamed: {
        auto const some = between(large, longest_streamed);
        auto const short_ones = between(0, longest_streamed);
        return !some.empty() ? some : std::vector{short_ones.empty() ? sizes.front() : short_ones.back()};
    }
    case SizesOf::cached: {
        auto some = between(shortest_pass, sizes.back());
        if (some.empty() || some.back() < beyond_cache)
            some.push_back(beyond_cache);
        return some;
    }
    case SizesOf::all:
        break;
    }
    return sizes;
}

void add(std::vector<SweptTest>& sweep, std::string_view name, std::vector<Bytes> const& sizes) {
    auto found = std::find_if(sweep.begin(), sweep.end(), [&](SweptTest const& test) { return test.name == name; });
    if (found == sweep.end())
        found = sweep.insert(sweep.end(), {.name = std::string{name},
                                           .element = has_size(name) ? element_of(name) : 1,
                                           .is_control = is_control(name)});
    for (Bytes const size : has_size(name) ? sizes : std::vector<Bytes>{1})
        found->sizes.push_back(has_size(name) ? rounded_size(name, size) : size);
    std::sort(found->sizes.begin(), found->sizes.end());
    found->sizes.erase(std::unique(found->sizes.begin(), found->sizes.end()), found->sizes.end());
}

}  // namespace

bool is_file_test(std::string_view test) noexcept { return test.starts_with("File_"); }

bool is_direct_test(std::string_view test) noexcept { return is_file_test(test) && test.ends_with("_direct"); }

bool has_size(std::string_view test) noexcept {
    for (std::string_view const part : {"arrier", "Fetch_and_op", "Compare_and_swap", "Comm_", "Cart_create"})
        if (test.find(part) != std::string_view::npos)
            return false;
    return test != line_control && test != work_control;
}

Bytes rounded_size(std::string_view test, Bytes size) {
    Bytes const element = element_of(test);
    return std::max(size - size % element, element);
}

bool has_bandwidth(std::string_view test) noexcept { return test.starts_with("Mem_") || is_file_test(test); }

std::vector<SweptTest> sweep_of(RunOptions const& options, int ranks, std::vector<Bytes> const& cached) {
    auto sizes = options.sizes;
    std::sort(sizes.begin(), sizes.end());
    std::vector<SweptTest> sweep;
    for (auto const& call : options.calls)
        add(sweep, call, sizes);
    for (auto const& [topic, test, which] : topic_tests)
        if (options.calls.empty() && std::find(options.what.begin(), options.what.end(), topic) != options.what.end())
            add(sweep, test,
                which == SizesOf::cached && !options.are_sizes_given && !cached.empty() ? cached
                                                                                        : sizes_for(which, sizes));
    add(sweep, copy_control, {copied});
    if (ranks > 1)
        add(sweep, line_control, {});
    add(sweep, work_control, {});
    return sweep;
}

std::vector<std::string> words_of(std::vector<SweptTest> const& sweep, std::vector<SweptPoint> const& done) {
    std::vector<std::string> words;
    std::vector<std::string> controls;
    for (auto const& test : sweep) {
        std::string counts;
        for (Bytes const size : test.sizes) {
            auto const count = size / test.element;
            if (std::find(done.begin(), done.end(), SweptPoint{test.name, count}) == done.end())
                counts += fmt::format("{}{}", counts.empty() ? "" : ",", count);
        }
        if (!counts.empty())
            (test.is_control ? controls : words).push_back(fmt::format("{}:{}", test.name, counts));
    }
    // Controls are measured at both ends, because the machine may change during the launch.
    words.insert(words.begin(), controls.begin(), controls.end());
    words.insert(words.end(), controls.begin(), controls.end());
    return words;
}

std::vector<SweptPoint> points_of(std::vector<SweptTest> const& sweep) {
    std::vector<SweptPoint> points;
    for (auto const& test : sweep)
        for (Bytes const size : test.sizes)
            points.push_back({test.name, size / test.element});
    return points;
}

bool thin(std::vector<SweptTest>& sweep) {
    auto const longest = std::max_element(sweep.begin(), sweep.end(), [](SweptTest const& a, SweptTest const& b) {
        return a.sizes.size() < b.sizes.size();
    });
    if (longest != sweep.end() && longest->sizes.size() > 2) {
        auto const middle = longest->sizes.begin() + static_cast<std::ptrdiff_t>(longest->sizes.size() / 2);
        longest->sizes.erase(middle);
        return true;
    }
    auto const tests = std::count_if(sweep.begin(), sweep.end(), [](auto const& test) { return !test.is_control; });
    if (tests < 2)
        return false;
    auto const last = std::find_if(sweep.rbegin(), sweep.rend(), [](auto const& test) { return !test.is_control; });
    sweep.erase(std::next(last).base());
    return true;
}

}  // namespace measure::tool::runs
