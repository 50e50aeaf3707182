// SPDX-License-Identifier: BSD-3-Clause
/// Comm: an owned duplicate of a communicator, and the few collective calls that the library itself needs.
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

/// An owned duplicate of a communicator: the caller's communicator and its error handler are never touched. Errors of
/// MPI calls on the duplicate return, and make the sample in which they happen invalid, even if nobody looks at what
/// the call returns. Move-only. Rank 0 is the root of every decision of the library.
///
/// Where the ranks of one host outnumber the processing units that they may use (from the affinity masks), the
/// communicator is `oversubscribed()`: every wait of the library then polls and yields the core, because an MPI
/// library that spins would keep the awaited rank from running.
class Comm {
public:
    /// Collective over `user`; MPI must be initialised. Duplicates `user` and counts cores and ranks of each host.
    /// \throws MpiError; UsageError for MPI_COMM_NULL, for an inter-communicator, and where MPI does not run
    explicit Comm(MPI_Comm user);

    /// One rank without MPI: works before MPI_Init and without a launcher, and never calls MPI. Local.
    [[nodiscard]] static Comm solo() noexcept;

    /// Local. What is moved from is like `solo()`.
    Comm(Comm&& other) noexcept;
    /// Frees what it had: collective, except for `solo()`.
    Comm& operator=(Comm&& other) noexcept;
    Comm(Comm const&) = delete;
    Comm& operator=(Comm const&) = delete;
    /// Frees the communicator: collective, except for `solo()`.
    ~Comm();

    [[nodiscard]] int rank() const noexcept { return rank_; }                       ///< of this process; 0 for `solo()`
    [[nodiscard]] int size() const noexcept { return size_; }                       ///< number of ranks; 1 for `solo()`
    [[nodiscard]] bool is_root() const noexcept { return rank_ == 0; }              ///< this is rank 0
    [[nodiscard]] bool is_solo() const noexcept { return comm_ == MPI_COMM_NULL; }  ///< one rank without MPI
    /// The MPI handle; MPI_COMM_NULL for `solo()`.
    [[nodiscard]] MPI_Comm native() const noexcept { return comm_; }
    /// A duplicate of `native()` for messages of the library, which nothing that a body has posted can take. Collective
    /// calls, as a barrier before each sample, are made on `native()`.
    [[nodiscard]] MPI_Comm internal() const noexcept { return internal_; }
    /// More ranks on some host than processing units they may use; the same answer on all ranks.
    [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }

    /// Name of this rank's host, as MPI_Get_processor_name has it; of `solo()` the system's. Local.
    [[nodiscard]] std::string host_name() const;

    /// A fresh duplicate. Collective, like all that makes one of `*this`. \throws UsageError where MPI does not run
    [[nodiscard]] Comm duplicate() const;
    /// The first `n` ranks as a communicator of their own; nothing on the others. Collective over all ranks.
    /// \throws UsageError unless 1 <= n <= size()
    [[nodiscard]] std::optional<Comm> first_ranks(int n) const;
    /// The ranks of the same colour, in the order of their keys, of equal ones in their own; nothing for a negative
    /// colour. Collective over all ranks.
    [[nodiscard]] std::optional<Comm> split(int colour, int key = 0) const;
    /// The ranks that share this rank's host. Collective over all ranks.
    [[nodiscard]] Comm node() const;
    /// Owns a communicator of these ranks that was made by a call of MPI which Comm does not have. Collective over it.
    /// \param made  not MPI_COMM_NULL; not to be freed by the caller any more
    [[nodiscard]] Comm take(MPI_Comm made) const;

    /// Collective. Returns when all ranks have entered.
    void barrier() const;
    /// Collective. Like barrier, but the ranks that wait sleep between looks (at most 1 ms), so that they leave the
    /// cores to those that measure.
    void idle_barrier() const;

    /// Collective. The root's value on every rank.
    template <class T>
    void broadcast(T& value) const {
        static_assert(std::is_trivially_copyable_v<T>);
        broadcast_bytes(&value, sizeof value);
    }
    /// Collective. The root's elements on every rank; receivers are resized.
    template <class T>
    void broadcast(std::vector<T>& values) const {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
        std::size_t n = values.size();
        broadcast(n);
        values.resize(n);
        broadcast_bytes(values.data(), n * sizeof(T));
    }
    /// Collective. The root's text on every rank.
    void broadcast(std::string& text) const;

    /// Collective. Element-wise maximum; the result stands on the root, others keep their values.
    void reduce_max(std::span<double> values) const;
    /// Collective. Element-wise sum; the result stands on the root, others keep their values.
    void sum_to_root(std::span<double> values) const;
    /// Collective. Maximum over all ranks, known to all ranks.
    [[nodiscard]] double max(double value) const;
    /// Collective. Sum over all ranks, known to all ranks.
    [[nodiscard]] double sum(double value) const;

    /// Collective. One value of each rank, in rank order: [size] on the root, empty on the others.
    template <class T>
    requires std::is_trivially_copyable_v<T>
    [[nodiscard]] std::vector<T> gather(T const& value) const {
        std::vector<T> all(is_root() ? static_cast<std::size_t>(size_) : 0);
        gather_bytes(&value, all.data(), sizeof value);
        return all;
    }
    /// Collective. The same number of elements of each rank: [size * values.size()] on the root, empty on the others.
    [[nodiscard]] std::vector<double> gather(std::span<double const> values) const;
    /// Collective. One text of each rank: [size] on the root, empty on the others.
    [[nodiscard]] std::vector<std::string> gather(std::string const& text) const;
    /// Collective. Hands values[i] of the root to rank i. \param values  [size], read on the root only
    [[nodiscard]] double scatter(std::span<double const> values) const;

    /// Local: waits for a request; yields the core where it is oversubscribed.
    void wait(MPI_Request& request) const;
    /// Local: blocking send and receive of raw bytes between two ranks. `source` may be MPI_ANY_SOURCE.
    void send(void const* data, std::size_t bytes, int destination, int tag) const;
    /// \return the tag of the message received; `tag` may be MPI_ANY_TAG
    int receive(void* data, std::size_t bytes, int source, int tag) const;

    /// Local: lets MPI work on what is under way. For waits that are not MPI's.
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
    mutable detail::SharedLines* lines_ = nullptr;  ///< owned; made when first needed
};

/// Number of processing units in this process's affinity mask, at least 1. Local.
[[nodiscard]] int usable_cores() noexcept;

}  // namespace measure
#pragma GCC visibility pop
