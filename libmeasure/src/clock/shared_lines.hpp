// SPDX-License-Identifier: BSD-3-Clause
/// Memory shared by the ranks of one host, for exchanging stamps between two of them without messages.
#pragma once

#include "measure/comm.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace measure::detail {

/// Exchange of one pair; question and answer have separate cache lines. A question is a number that differs from the
/// last one answered. It is open until the answer repeats it.
struct SharedLine {
    static constexpr std::size_t cache_line = 64;
    std::atomic<std::uint64_t> question{0};
    char apart[cache_line - sizeof question];
    std::atomic<std::uint64_t> answer{0};
    double stamp = 0;  ///< belongs to the answer
    char end[cache_line - sizeof answer - sizeof stamp];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(SharedLine) == 2 * SharedLine::cache_line);

/// Yields to MPI and to the other ranks on this core. Local.
void give_way(Comm const& comm);

/// One end of a line between this rank and a peer. `MessageLink` documents the functions of a link.
class SharedLink {
public:
    static constexpr bool is_shared = true;
    SharedLink(Comm const& comm, SharedLine& line, int peer) : comm_{comm}, line_{line}, peer_{peer} {}

    double question() {
        open(false);
        return line_.stamp;
    }
    void stop() { open(true); }
    bool asked() {
        // Reads the answer first, so that the question is not older. In the other order, an old question to this rank
        // would look open once another rank has answered a later one.
        wait([&] {
            auto const answered = line_.answer.load(std::memory_order_acquire);
            asked_ = line_.question.load(std::memory_order_acquire);
            return asked_ != answered && addressee(asked_) == comm_.rank();
        });
        bool const more = (asked_ & last) == 0;
        if (!more)
            line_.answer.store(asked_, std::memory_order_release);
        return more;
    }
    void reply(double stamp) {
        line_.stamp = stamp;
        line_.answer.store(asked_, std::memory_order_release);
    }

private:
    // Bits 0 to 30 are a counter, bit 31 marks the last question, the other bits are the addressee. The addressee is
    // needed because the next server may look at the line while others still use it.
    static constexpr std::uint64_t last = std::uint64_t{1} << 31;
    static constexpr int addressee_at = 32;
    [[nodiscard]] static int addressee(std::uint64_t question) { return static_cast<int>(question >> addressee_at); }

    void open(bool is_last) {
        auto const count = (line_.question.load(std::memory_order_relaxed) + 1) & (last - 1);
        auto const mine = static_cast<std::uint64_t>(peer_) << addressee_at | (is_last ? last : 0) | count;
        line_.question.store(mine, std::memory_order_release);
        wait([&] { return line_.answer.load(std::memory_order_acquire) == mine; });
    }

    /// Spins only as long as a running peer would take. Afterwards MPI may need to progress, or the peer may need this
    /// core.
    template <class Ready>
    void wait(Ready ready) const;

    Comm const& comm_;
    SharedLine& line_;
    int peer_;
    std::uint64_t asked_ = 0;
};

/// One line for each rank of this rank's host; line i belongs to rank i and its server.
class SharedLines {
public:
    /// The lines of `comm`, made at the first call. Collective. nullptr if this rank's host has no shared memory or
    /// only one rank.
    [[nodiscard]] static SharedLines const* of(Comm const& comm);
    /// The lines of `comm` if they were made, otherwise nullptr. Local.
    [[nodiscard]] static SharedLines const* made(Comm const& comm) noexcept;

    SharedLines(SharedLines const&) = delete;
    SharedLines& operator=(SharedLines const&) = delete;
    /// Collective over the ranks of the host.
    ~SharedLines();

    /// A link to `peer`; empty if it is on another host. Local. \param client  this rank or `peer`
    [[nodiscard]] std::optional<SharedLink> link(Comm const& comm, int client, int peer) const;

private:
    explicit SharedLines(Comm const& comm);
    [[nodiscard]] int local(int rank) const;

    Comm node_;
    MPI_Group all_ = MPI_GROUP_NULL;
    MPI_Group here_ = MPI_GROUP_NULL;
    MPI_Win window_ = MPI_WIN_NULL;
    SharedLine* lines_ = nullptr;  ///< [ranks of the host]; nullptr: none
};

template <class Ready>
void SharedLink::wait(Ready ready) const {
    constexpr int looks_alone = 5000;
    constexpr int looks_shared_core = 100;
    int const looks = comm_.oversubscribed() ? looks_shared_core : looks_alone;
    for (int i = 0; !ready(); ++i)
        if (i >= looks)
            give_way(comm_);
}

}  // namespace measure::detail
