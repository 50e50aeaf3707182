// SPDX-License-Identifier: BSD-3-Clause
/// RegionTree: the regions of one rank, with statistics for each path that was entered. Local.
#pragma once

#include "measure/error.hpp"
#include "measure/timer.hpp"
#include "statistics/running_statistics.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unordered_map>

namespace measure::detail {

class RegionTree;

/// A region inside the regions that are open when it is entered.
struct RegionPath {
    std::string text{};  ///< names joined by '/'
    RegionPath const* parent = nullptr;
    RunningStatistics tally{};
    Reservoir samples{0};
    std::int64_t exclusive = 0;  ///< ticks outside of inner regions
    std::int64_t left_open = 0;  ///< entries still open at the end
};

/// A registered name, the target of a handle.
struct RegionSlot {
    RegionTree* tree;
    std::string name;
    RegionPath* recent = nullptr;  ///< path of the last entry
};

/// Scopes are timed only in the thread that created the tree, so that timed code needs no lock. Entries in other
/// threads are only counted. Regions nest up to `max_depth` levels. The time of deeper regions belongs to their parent.
class RegionTree {
public:
    static constexpr std::size_t max_depth = 64;
    static constexpr std::size_t max_paths = 100'000;

    /// Numbers of entries and exits that could not be measured.
    struct Troubles {
        std::int64_t other_threads = 0;
        std::int64_t too_deep = 0;
        std::int64_t too_many = 0;
        std::int64_t unbalanced = 0;
    };

    /// \param samples  maximum number of durations to keep for each path
    RegionTree(AnyTimer timer, std::size_t samples, std::uint64_t seed = 1)
        : timer_{std::move(timer)}, samples_{samples}, random_{seed} {}
    RegionTree(RegionTree const&) = delete;
    RegionTree& operator=(RegionTree const&) = delete;

    /// The slot of a name, created if it is new. From any thread. \throws std::bad_alloc
    [[nodiscard]] RegionSlot& slot(std::string_view name) {
        std::lock_guard const lock{registering_};
        auto const found = slots_.find(name);
        return found != slots_.end()
                   ? found->second
                   : slots_.emplace(std::string{name}, RegionSlot{this, std::string{name}}).first->second;
    }

    void enter(RegionSlot& slot) noexcept {
        if (std::this_thread::get_id() != owner_.load(std::memory_order_relaxed)) {
            other_threads_.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        if (depth_ >= max_depth) {
            ++depth_;
            ++troubles_.too_deep;
            return;
        }
        RegionPath const* const parent = depth_ > 0 ? frames_[depth_ - 1].path : nullptr;
        RegionPath* path = slot.recent;
        if (path == nullptr || path->parent != parent)
            path = find(slot, parent);
        Frame& frame = frames_[depth_++];
        frame.slot = &slot;
        frame.path = path;
        frame.below = 0;
        frame.opened = timer_.visit([](auto const& t) { return pack_stamp(begin_stamp(t)); });
    }

    void leave(RegionSlot& slot) noexcept {
        // Checked before the clock is read, because MPI_Wtime may also be restricted to one thread.
        if (std::this_thread::get_id() != owner_.load(std::memory_order_relaxed))
            return;
        std::int64_t const closed = timer_.visit([](auto const& t) { return pack_stamp(end_stamp(t)); });
        if (depth_ > max_depth)
            --depth_;
        else if (depth_ > 0 && frames_[depth_ - 1].slot == &slot)
            close(closed);
        else
            unwind(slot, closed);
    }

    /// Closes all open regions and ends measuring.
    void finish() noexcept {
        std::int64_t const now = timer_.visit([](auto const& t) { return pack_stamp(t.now()); });
        owner_.store(std::thread::id{}, std::memory_order_relaxed);
        for (depth_ = std::min(depth_, max_depth); depth_ > 0;) {
            ++frames_[depth_ - 1].path->left_open;
            close(now);
        }
    }

    /// In the order of their first entry, so that parents come before children.
    [[nodiscard]] std::deque<RegionPath> const& paths() const noexcept { return paths_; }
    [[nodiscard]] Troubles troubles() const noexcept {
        Troubles all = troubles_;
        all.other_threads = other_threads_.load(std::memory_order_relaxed);
        return all;
    }
    [[nodiscard]] AnyTimer const& timer() const noexcept { return timer_; }
    /// Length of a tick in seconds.
    [[nodiscard]] double tick() const {
        return timer_.visit([](auto const& t) {
            using T = std::remove_cvref_t<decltype(t)>;
            return counts_ticks<T> ? t.between(typename T::stamp{0}, typename T::stamp{1}).count() : 1e-9;
        });
    }

private:
    struct Frame {
        RegionSlot* slot;
        RegionPath* path;
        std::int64_t opened;  ///< a packed stamp
        std::int64_t below;   ///< ticks in inner regions
    };

    struct Place {
        RegionSlot const* slot;
        RegionPath const* parent;
        bool operator==(Place const&) const = default;
    };
    struct PlaceHash {
        std::size_t operator()(Place const& place) const noexcept {
            constexpr std::size_t odd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: spreads neighbours
            return (std::hash<void const*>{}(place.slot) * odd) ^ std::hash<void const*>{}(place.parent);
        }
    };

    /// Whether a difference of stamps is in ticks, as for the machine's integer clocks; otherwise it is in nanoseconds.
    template <class T>
    static constexpr bool counts_ticks = std::is_integral_v<typename T::stamp> && !std::is_same_v<T, OwnTimer>;

    [[nodiscard]] std::int64_t ticks(std::int64_t opened, std::int64_t closed) const noexcept {
        return timer_.visit([&](auto const& t) -> std::int64_t {
            using T = std::remove_cvref_t<decltype(t)>;
            if constexpr (counts_ticks<T>)
                return closed - opened;
            else
                return std::llround(
                    t.between(unpack_stamp<typename T::stamp>(opened), unpack_stamp<typename T::stamp>(closed))
                        .count() *
                    1e9);
        });
    }

    void close(std::int64_t closed) noexcept {
        Frame const& frame = frames_[--depth_];
        std::int64_t const spent = ticks(frame.opened, closed);
        frame.path->tally.add(spent);
        if (spent < 0)
            return;
        // If the clock went back between regions, the inner regions may have taken longer than the measured time.
        frame.path->exclusive += std::max<std::int64_t>(0, spent - frame.below);
        if (samples_ > 0)
            frame.path->samples.add(spent, frame.path->tally.count(), random_);
        if (depth_ > 0)
            frames_[depth_ - 1].below += spent;
    }

    /// Leaves a region that is not the innermost one, and all regions inside it. A region that is not open is ignored.
    void unwind(RegionSlot& slot, std::int64_t closed) noexcept {
        ++troubles_.unbalanced;
        std::size_t open = depth_;
        while (open > 0 && frames_[open - 1].slot != &slot)
            --open;
        while (open > 0 && depth_ >= open)
            close(closed);
    }

    /// Finds a path whose parent differs from the parent of the last entry. There may be thousands of paths.
    [[gnu::noinline]] RegionPath* find(RegionSlot& slot, RegionPath const* parent) noexcept {
        auto const found = places_.find({&slot, parent});
        return found != places_.end() && found->second != nullptr ? slot.recent = found->second : grow(slot, parent);
    }
    /// First entry of a path. Only this entry allocates memory.
    RegionPath* grow(RegionSlot& slot, RegionPath const* parent) noexcept {
        if (parent == &lost_ || paths_.size() >= max_paths)
            return lose();
        try {
            auto text = parent != nullptr ? parent->text + '/' + slot.name : slot.name;
            RegionPath*& place = places_[{&slot, parent}];
            paths_.push_back({.text = std::move(text), .parent = parent, .samples = Reservoir{samples_}});
            return slot.recent = place = &paths_.back();
        } catch (std::bad_alloc const&) {
            return lose();
        }
    }
    RegionPath* lose() noexcept {
        ++troubles_.too_many;
        return &lost_;
    }

    AnyTimer timer_;
    std::size_t samples_;
    std::atomic<std::thread::id> owner_ = std::this_thread::get_id();
    std::size_t depth_ = 0;  ///< may exceed max_depth; deeper regions are not in `frames_`
    std::array<Frame, max_depth> frames_{};
    std::deque<RegionPath> paths_{};
    std::unordered_map<Place, RegionPath*, PlaceHash> places_{};
    RegionPath lost_{};  ///< replaces paths that could not be created
    std::mt19937_64 random_;
    Troubles troubles_{};
    std::atomic<std::int64_t> other_threads_{0};
    std::mutex registering_{};
    std::map<std::string, RegionSlot, std::less<>> slots_{};
};

}  // namespace measure::detail
