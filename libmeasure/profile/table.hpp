// SPDX-License-Identifier: BSD-3-Clause
/// Table: the MPI calls of one rank, recorded at run time. Plain memory of a fixed size, whose pages exist only after
/// their first use. Recording does not allocate and takes no lock. A file of the table is its memory image.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace measure::profile {

/// Properties that distinguish recorded calls.
struct Key {
    std::uint16_t call = 0;        ///< number in `call_names`; 0: keys that did not fit into the table
    std::uint16_t size_class = 0;  ///< class of the bytes that the rank sends and receives, see `size_class_of`
    std::int32_t ranks = 0;        ///< size of the communicator; 0: the call has none
    std::uint64_t site = 0;        ///< return address; 0: not recorded
    friend bool operator==(Key const&, Key const&) = default;
};

/// 0 for 0 bytes, otherwise k for 2^(k - 1) to 2^k - 1.
[[nodiscard]] constexpr std::uint16_t size_class_of(std::uint64_t bytes) noexcept {
    return static_cast<std::uint16_t>(std::bit_width(bytes));
}
/// Smallest number of bytes in a class.
[[nodiscard]] constexpr std::uint64_t first_of_class(std::uint16_t size_class) noexcept {
    return size_class == 0 ? 0 : std::uint64_t{1} << (size_class - 1);
}

/// Classes of times: below 64 ns, then two per factor of two; the last class has all times from 34 s on.
inline constexpr std::size_t time_classes = 40;
[[nodiscard]] constexpr std::size_t time_class_of(std::uint64_t nanoseconds) noexcept {
    constexpr std::uint64_t root_of_two = 0xb504f333f9de6484;  // times 2^63
    if (nanoseconds < 64)
        return 0;
    auto const zeros = static_cast<std::size_t>(std::countl_zero(nanoseconds));
    std::size_t const half = nanoseconds << zeros > root_of_two ? 1 : 0;
    return std::min(2 * (57 - zeros) + 1 + half, time_classes - 1);
}
/// Smallest time of a class, in ns.
[[nodiscard]] inline double first_of_time_class(std::size_t time_class) noexcept {
    return time_class == 0 ? 0 : 64 * std::exp2(static_cast<double>(time_class - 1) / 2);
}

/// Bytes that a call moves.
struct Traffic {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    [[nodiscard]] constexpr std::uint64_t both() const noexcept { return sent + received; }
    friend bool operator==(Traffic const&, Traffic const&) = default;
};

__extension__ using Squares = unsigned __int128;

/// The calls with one key. Times in nanoseconds, as integers, so that the sums are exact.
struct Entry {
    Key key{};
    std::uint64_t calls = 0;
    Traffic moved{};
    std::uint64_t time = 0;
    std::uint64_t shortest = 0;
    std::uint64_t longest = 0;
    std::uint64_t waiting = 0;  ///< time in the barrier before the call; not part of `time`
    std::uint64_t reserved = 0;
    alignas(16) Squares squares = 0;
    std::array<std::uint64_t, time_classes> classes{};

    void add(Traffic traffic, std::uint64_t nanoseconds, std::uint64_t waited) noexcept {
        if (calls == 0 || nanoseconds < shortest)
            shortest = nanoseconds;
        longest = std::max(longest, nanoseconds);
        time += nanoseconds;
        squares += static_cast<Squares>(nanoseconds) * nanoseconds;
        waiting += waited;
        ++classes[time_class_of(nanoseconds)];
        count(traffic);
    }
    /// Counts a call without time. `calls` is incremented last, so that the table of a killed process never counts too
    /// many.
    void count(Traffic traffic) noexcept {
        moved.sent += traffic.sent;
        moved.received += traffic.received;
        ++calls;
    }
};

/// Maximum number of keys of a rank; calls with further keys are counted together.
inline constexpr std::uint32_t most_keys = 4096;

/// The keys of one thread. Only one thread uses it at a time; a later thread continues with the table of an earlier
/// one.
struct ThreadTable {
    static constexpr std::size_t slots = std::size_t{2} * most_keys;

    std::atomic<std::uint32_t> in_use{0};
    std::uint32_t entries = 0;
    std::array<std::uint16_t, slots> index{};  ///< number of an entry, from 1; 0: free
    Entry other{};                             ///< all keys that did not fit
    std::array<Entry, most_keys> entry{};

    [[nodiscard]] static std::size_t slot_of(Key const& key) noexcept {
        std::uint64_t hash = (std::uint64_t{key.call} << 48U) ^ (std::uint64_t{key.size_class} << 32U) ^
                             static_cast<std::uint32_t>(key.ranks) ^ (key.site * 0x9e3779b97f4a7c15);
        hash *= 0x9e3779b97f4a7c15;
        return hash >> (64U - std::bit_width(slots - 1));
    }

    /// The entry of a key, created on first use. \param keys  number of keys of all threads
    [[nodiscard]] Entry& find(Key const& key, std::atomic<std::uint32_t>& keys) noexcept {
        for (std::size_t slot = slot_of(key);; slot = (slot + 1) % slots) {
            std::uint16_t const number = index[slot];
            if (number == 0)
                return make(key, slot, keys);
            if (entry[number - 1U].key == key)
                return entry[number - 1U];
        }
    }

private:
    /// At most half of the slots are used, so that every search ends.
    Entry& make(Key const& key, std::size_t slot, std::atomic<std::uint32_t>& keys) noexcept {
        if (keys.load(std::memory_order_relaxed) >= most_keys ||
            keys.fetch_add(1, std::memory_order_relaxed) >= most_keys)
            return other;
        entry[entries].key = key;
        index[slot] = static_cast<std::uint16_t>(++entries);
        return entry[entries - 1];
    }
};

/// A file mapped by the process, to identify call sites.
struct Module {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t base = 0;  ///< subtract it from an address to get the address in the file
    std::array<char, 232> path{};
};

inline constexpr std::size_t most_threads = 64;
inline constexpr std::size_t most_modules = 256;

/// How the recording of a rank ended.
enum class Ending : std::uint32_t {
    none,       ///< it has not ended, or the process was killed
    finalized,  ///< MPI_Finalize was called
    aborted,    ///< MPI_Abort was called
    exited,     ///< the process ended without MPI_Finalize
    signalled,  ///< a signal ended the process
};

/// Everything that is recorded for one rank.
struct RankTable {
    static constexpr std::uint64_t mark = 0x31464f5250534d4c;  ///< "LMSPROF1"

    std::uint64_t magic = 0;  ///< `mark` once the other members are filled
    std::uint64_t bytes = 0;  ///< sizeof(RankTable)
    std::uint64_t names = 0;  ///< hash of `call_names`
    std::int32_t rank = 0;    ///< in MPI_COMM_WORLD
    std::int32_t world = 1;   ///< size of MPI_COMM_WORLD
    std::int32_t process = 0;
    std::atomic<Ending> ending{Ending::none};
    std::int32_t signal = 0;  ///< signal that ended the process
    std::int32_t usable_cores = 1;
    std::int64_t started = 0;     ///< seconds since 1970
    std::uint64_t begin = 0;      ///< end of MPI_Init, monotonic clock, ns
    std::uint64_t end = 0;        ///< begin of MPI_Finalize or the last known time, monotonic clock, ns; 0: unknown
    std::uint64_t preempted = 0;  ///< involuntary context switches between begin and end
    std::uint32_t counts_only = 0;
    std::uint32_t waits = 0;  ///< a barrier is inserted before blocking collectives
    std::uint32_t sites = 0;
    std::atomic<std::uint32_t> keys{0};
    std::atomic<std::uint32_t> threads{0};       ///< number of tables that have been used
    std::atomic<std::uint64_t> unrecorded{0};    ///< calls of threads without a table
    std::atomic<std::uint64_t> backward{0};      ///< calls during which the clock went back; they are not in any entry
    std::atomic<std::uint64_t> not_followed{0};  ///< requests that were not tracked because too many were active
    std::uint32_t modules = 0;
    std::array<char, 32> timer{};
    std::array<char, 64> host{};
    std::array<char, 4096> command{};  ///< words, each terminated by a zero byte, followed by an empty word
    std::array<Module, most_modules> module{};
    std::array<ThreadTable, most_threads> thread{};
};

}  // namespace measure::profile
