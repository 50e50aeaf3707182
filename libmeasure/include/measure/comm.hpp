// SPDX-License-Identifier: BSD-3-Clause
/// Comm: an owned duplicate of a communicator, and the collective calls that the library needs.
#pragma once

#include "measure/mpi_error.hpp"

#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

namespace detail {
class SharedLines;
}

/// An owned duplicate of a communicator. The caller's communicator and its error handler remain unchanged. MPI calls on
/// the duplicate return their errors. An error makes the sample in which it happens invalid, even if the body ignores
/// the return value. Members throw MpiError if one of their MPI calls fails. Move-only. Rank 0 is the root of every
/// decision of the library.
///
/// The communicator is `oversubscribed()` if some host has more ranks than processing units that they may use (by their
/// affinity masks). Every wait of the library then polls and yields the core, because an MPI library that spins would
/// keep the awaited rank from running.
class Comm {
public:
    /// Duplicates `user` and counts cores and ranks of each host. Collective over `user`.
    /// \throws UsageError for MPI_COMM_NULL, for an inter-communicator, and before MPI_Init or after MPI_Finalize
    explicit Comm(MPI_Comm user);

    /// A communicator of one rank without MPI. Works before MPI_Init and without a launcher, and never calls MPI.
    /// Local.
    [[nodiscard]] static Comm solo() noexcept;

    /// Takes over the communicator; `other` is like `solo()` afterwards. Local.
    Comm(Comm&& other) noexcept;
    /// Frees its communicator and takes over that of `other`. Collective, except for `solo()`.
    Comm& operator=(Comm&& other) noexcept;
    Comm(Comm const&) = delete;
    Comm& operator=(Comm const&) = delete;
    /// Frees the communicator. Collective, except for `solo()`.
    ~Comm();

    [[nodiscard]] int rank() const noexcept { return rank_; }           ///< rank of this process; 0 for `solo()`
    [[nodiscard]] int size() const noexcept { return size_; }           ///< number of ranks; 1 for `solo()`
    [[nodiscard]] bool is_root() const noexcept { return rank_ == 0; }  ///< whether this is rank 0
    [[nodiscard]] bool is_solo() const noexcept { return comm_ == MPI_COMM_NULL; }  ///< whether made by `solo()`
    /// The MPI handle; MPI_COMM_NULL for `solo()`.
    [[nodiscard]] MPI_Comm native() const noexcept { return comm_; }
    /// A duplicate of `native()` for messages of the library. Receives that a body posts cannot match these messages.
    /// Collective calls of the library, such as a barrier before each sample, use `native()`.
    [[nodiscard]] MPI_Comm internal() const noexcept { return internal_; }
    /// Whether some host has more ranks than processing units that they may use. The same on all ranks.
    [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }

    /// Name of this rank's host, from MPI_Get_processor_name; for `solo()` from the system. Local.
    [[nodiscard]] std::string host_name() const;

    /// A new duplicate of this communicator. Collective. \throws UsageError before MPI_Init or after MPI_Finalize
    [[nodiscard]] Comm duplicate() const;
    /// A communicator of the first `n` ranks. Collective over all ranks. \return nothing on the other ranks
    /// \throws UsageError unless 1 <= n <= size()
    [[nodiscard]] std::optional<Comm> first_ranks(int n) const;
    /// A communicator of the ranks of the same colour, as MPI_Comm_split: ordered by key, and by rank for equal keys.
    /// Collective over all ranks. \return nothing for a negative colour
    [[nodiscard]] std::optional<Comm> split(int colour, int key = 0) const;
    /// A communicator of the ranks on this rank's host. Collective over all ranks.
    [[nodiscard]] Comm node() const;
    /// Takes ownership of `made`, which another MPI call created from ranks of this communicator.
    /// Collective over `made`.
    /// \param made  not MPI_COMM_NULL; the caller must not free it
    [[nodiscard]] Comm take(MPI_Comm made) const;

    /// Collective. Returns when all ranks have called it.
    void barrier() const;
    /// Collective. Like `barrier`, but waiting ranks sleep between checks (0.2 ms at first, at most 2 ms), so that they
    /// leave the cores to the ranks that measure.
    void idle_barrier() const;

    /// Collective. Copies the root's value to every rank.
    template <class T>
    void broadcast(T& value) const {
        static_assert(std::is_trivially_copyable_v<T>);
        broadcast_bytes(&value, sizeof value);
    }
    /// Collective. Copies the root's elements to every rank; the other vectors are resized.
    template <class T>
    void broadcast(std::vector<T>& values) const {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
        std::size_t n = values.size();
        broadcast(n);
        values.resize(n);
        broadcast_bytes(values.data(), n * sizeof(T));
    }
    /// Collective. Copies the root's text to every rank.
    void broadcast(std::string& text) const;

    /// Collective. Element-wise maximum over the ranks, stored on the root; the other ranks keep their values.
    void reduce_max(std::span<double> values) const;
    /// Collective. Element-wise sum over the ranks, stored on the root; the other ranks keep their values.
    void sum_to_root(std::span<double> values) const;
    /// Collective. Maximum over all ranks, returned on all ranks.
    [[nodiscard]] double max(double value) const;
    /// Collective. Sum over all ranks, returned on all ranks.
    [[nodiscard]] double sum(double value) const;

    /// Collective. Gathers one value per rank, in rank order. \return [size] on the root, empty on the others
    template <class T>
    requires std::is_trivially_copyable_v<T>
    [[nodiscard]] std::vector<T> gather(T const& value) const {
        std::vector<T> all(is_root() ? static_cast<std::size_t>(size_) : 0);
        gather_bytes(&value, all.data(), sizeof value);
        return all;
    }
    /// Collective. Gathers the same number of elements from each rank, in rank order.
    /// \return [size * values.size()] on the root, empty on the others
    [[nodiscard]] std::vector<double> gather(std::span<double const> values) const;
    /// Collective. Gathers one text per rank, in rank order. \return [size] on the root, empty on the others
    [[nodiscard]] std::vector<std::string> gather(std::string const& text) const;
    /// Collective. Sends values[i] of the root to rank i. \param values  [size], read on the root only
    /// \return the value for this rank
    [[nodiscard]] double scatter(std::span<double const> values) const;

    /// Not collective. Waits for a request. Yields the core on an oversubscribed communicator.
    void wait(MPI_Request& request) const;
    /// Not collective. Blocking send of raw bytes to a rank, on `internal()`.
    void send(void const* data, std::size_t bytes, int destination, int tag) const;
    /// Not collective. Blocking receive of at most `bytes` raw bytes, on `internal()`. `source` may be MPI_ANY_SOURCE,
    /// and `tag` MPI_ANY_TAG. \return the tag of the message
    int receive(void* data, std::size_t bytes, int source, int tag) const;

    /// Local. Lets MPI progress pending communication. For waits outside of MPI.
    void progress() const;

private:
    friend class detail::SharedLines;
    Comm() noexcept = default;
    struct Adopt {};
    Comm(MPI_Comm owned, Adopt);
    Comm(MPI_Comm owned, bool oversubscribed);
    void broadcast_bytes(void* data, std::size_t bytes) const;
    void gather_bytes(void const* mine, void* all, std::size_t bytes) const;
    void release() noexcept;

    MPI_Comm comm_ = MPI_COMM_NULL;
    MPI_Comm internal_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    bool oversubscribed_ = false;
    mutable detail::SharedLines* lines_ = nullptr;  ///< owned; created on first use
};

/// Number of processing units in this process's affinity mask, at least 1. Local.
[[nodiscard]] int usable_cores() noexcept;

}  // namespace measure
#pragma GCC visibility pop
