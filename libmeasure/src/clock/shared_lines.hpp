// SPDX-License-Identifier: BSD-3-Clause
/// Memory that the ranks of one host share, for the exchange of stamps between two of them without messages.
#pragma once

#include "measure/comm.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace measure::detail {

/// Where one pair exchanges: what is asked and what is answered stand in cache lines of their own. A question is a
/// number that is not the last one answered; it is open until the answer repeats it.
struct SharedLine {
    static constexpr std::size_t cache_line = 64;
    std::atomic<std::uint64_t> question{0};
    char apart[cache_line - sizeof question];
    std::atomic<std::uint64_t> answer{0};
    double stamp = 0;  ///< belongs to the answer
    char end[cache_line - sizeof answer - sizeof stamp];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(SharedLine) == 2 * SharedLine::cache_line);

/// Lets MPI and the other ranks of this core go on. Local.
void give_way(Comm const& comm);

/// The two ends of a line between this rank and a peer. See `MessageLink` for what a link does.
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
        // The answer first: a question that is read after it is not older. The other way round an old question to this
        // rank would look open as soon as somebody else has answered a later one.
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
    // Bits 0 to 30 count, bit 31 marks the last question, the rest says whom it is for: the one who will be the next
    // to answer may look at the line while others are still at it.
    static constexpr std::uint64_t last = std::uint64_t{1} << 31;
    static constexpr int addressee_at = 32;
    [[nodiscard]] static int addressee(std::uint64_t question) { return static_cast<int>(question >> addressee_at); }

    void open(bool is_last) {
        auto const count = (line_.question.load(std::memory_order_relaxed) + 1) & (last - 1);
        auto const mine = static_cast<std::uint64_t>(peer_) << addressee_at | (is_last ? last : 0) | count;
        line_.question.store(mine, std::memory_order_release);
        wait([&] { return line_.answer.load(std::memory_order_acquire) == mine; });
    }

    /// Spins only as long as a peer that runs would take; then MPI may have to move what the peer waits for, and the
    /// peer may need this core.
    template <class Ready>
    void wait(Ready ready) const;

    Comm const& comm_;
    SharedLine& line_;
    int peer_;
    std::uint64_t asked_ = 0;
};

/// One line for each rank of this rank's host; rank i and whoever serves it use line i.
class SharedLines {
public:
    /// Those of `comm`, made when first called. Collective. Null where this rank's host has no such memory, or nobody
    /// to share it with.
    [[nodiscard]] static SharedLines const* of(Comm const& comm);
    /// The same without making them. Local.
    [[nodiscard]] static SharedLines const* made(Comm const& comm) noexcept;

    SharedLines(SharedLines const&) = delete;
    SharedLines& operator=(SharedLines const&) = delete;
    /// Collective over the ranks of the host.
    ~SharedLines();

    /// Nothing where `peer` is on another host. Local. \param client  this rank or `peer`
    [[nodiscard]] std::optional<SharedLink> link(Comm const& comm, int client, int peer) const;

private:
    explicit SharedLines(Comm const& comm);
    [[nodiscard]] int local(int rank) const;

    Comm node_;
    MPI_Group all_ = MPI_GROUP_NULL;
    MPI_Group here_ = MPI_GROUP_NULL;
    MPI_Win window_ = MPI_WIN_NULL;
    SharedLine* lines_ = nullptr;  ///< [ranks of the host]; null: none
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
