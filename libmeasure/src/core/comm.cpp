// SPDX-License-Identifier: BSD-3-Clause
#include "measure/comm.hpp"

#include "clock/shared_lines.hpp"
#include "core/affinity.hpp"
#include "core/mpi_state.hpp"
#include "measure/error.hpp"
#include "measure/mpi_error.hpp"
#include "measure/units.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

namespace measure {

namespace {

// A wait yields its core only after this long without progress, because an unnecessary yield costs a system call.
constexpr std::chrono::microseconds patience{50};
constexpr timespec doze{0, 200'000};
constexpr long longest_doze = 2'000'000;  // in ns

int count(std::vector<cpu_set_t> const& mask) {
    return mask.empty() ? 0 : CPU_COUNT_S(mask.size() * sizeof(cpu_set_t), mask.data());
}

template <class Done>
void poll(Done done) {
    auto const begin = SteadyClock::now();
    while (!done())
        if (SteadyClock::now() - begin > patience)
            sched_yield();
}

bool test(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) {
    int done = 0;
    check(MPI_Test(&request, &done, status), "MPI_Test");
    return done != 0;
}

std::atomic<int> first_error{MPI_SUCCESS};

extern "C" void note_error(MPI_Comm*, int* code, ...) {
    int none = MPI_SUCCESS;
    first_error.compare_exchange_strong(none, *code);
}

/// Behaves like MPI_ERRORS_RETURN but also notes the error, because callers may ignore return codes.
void let_errors_return(MPI_Comm comm) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    check(MPI_Comm_create_errhandler(note_error, &handler), "MPI_Comm_create_errhandler");
    check(MPI_Comm_set_errhandler(comm, handler), "MPI_Comm_set_errhandler");
    check(MPI_Errhandler_free(&handler), "MPI_Errhandler_free");
}

int chunk(std::size_t bytes) {
    return static_cast<int>(std::min(bytes, static_cast<std::size_t>(std::numeric_limits<int>::max())));
}

}  // namespace

int detail::noted_error() noexcept { return first_error.exchange(MPI_SUCCESS); }

int usable_cores() noexcept {
    try {
        return std::max(1, count(detail::affinity_mask()));
    } catch (std::bad_alloc const&) {
        return 1;
    }
}

Comm Comm::solo() noexcept { return Comm{}; }

Comm::Comm(MPI_Comm user) {
    if (user == MPI_COMM_NULL)
        throw UsageError("the communicator is MPI_COMM_NULL");
    if (!detail::mpi_runs())
        throw UsageError("MPI is not initialised, or is finalised: only a communicator without MPI can be made");
    int inter = 0;
    check(MPI_Comm_test_inter(user, &inter), "MPI_Comm_test_inter");
    if (inter != 0)
        throw UsageError("an inter-communicator cannot be measured: merge it first");
    MPI_Comm owned = MPI_COMM_NULL;
    check(MPI_Comm_dup(user, &owned), "MPI_Comm_dup");
    *this = Comm(owned, Adopt{});
}

Comm::Comm(MPI_Comm owned, bool oversubscribed) : comm_{owned}, oversubscribed_{oversubscribed} {
    let_errors_return(comm_);
    check(MPI_Comm_dup(comm_, &internal_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(internal_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Comm::Comm(MPI_Comm owned, Adopt) : Comm(owned, false) {
    MPI_Comm host = MPI_COMM_NULL;
    check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
    int ranks_here = 1;
    check(MPI_Comm_size(host, &ranks_here), "MPI_Comm_size");
    // The length of a mask may differ between kernels, but not between processes of one host.
    auto const mask = detail::affinity_mask();
    auto united = mask;
    if (!mask.empty())
        check(MPI_Allreduce(mask.data(), united.data(), static_cast<int>(mask.size() * sizeof(cpu_set_t)), MPI_BYTE,
                            MPI_BOR, host),
              "MPI_Allreduce");
    int mine = !mask.empty() && ranks_here > count(united);
    check(MPI_Comm_free(&host), "MPI_Comm_free");
    int any = mine;
    check(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm_), "MPI_Allreduce");
    oversubscribed_ = any != 0;
}

Comm::Comm(Comm&& other) noexcept
    : comm_{std::exchange(other.comm_, MPI_COMM_NULL)}, internal_{std::exchange(other.internal_, MPI_COMM_NULL)},
      rank_{std::exchange(other.rank_, 0)}, size_{std::exchange(other.size_, 1)},
      oversubscribed_{std::exchange(other.oversubscribed_, false)}, lines_{std::exchange(other.lines_, nullptr)} {}

Comm& Comm::operator=(Comm&& other) noexcept {
    if (this != &other) {
        release();
        comm_ = std::exchange(other.comm_, MPI_COMM_NULL);
        internal_ = std::exchange(other.internal_, MPI_COMM_NULL);
        rank_ = std::exchange(other.rank_, 0);
        size_ = std::exchange(other.size_, 1);
        oversubscribed_ = std::exchange(other.oversubscribed_, false);
        lines_ = std::exchange(other.lines_, nullptr);
    }
    return *this;
}

Comm::~Comm() { release(); }

void Comm::release() noexcept {
    if (comm_ == MPI_COMM_NULL)
        return;
    delete std::exchange(lines_, nullptr);
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) {
        MPI_Comm_free(&internal_);
        MPI_Comm_free(&comm_);
    }
    internal_ = MPI_COMM_NULL;
    comm_ = MPI_COMM_NULL;
}

std::string Comm::host_name() const {
    if (is_solo()) {
        std::array<char, 256> name{};
        return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
    }
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
    return {name.data(), static_cast<std::size_t>(length)};
}

Comm Comm::duplicate() const {
    if (is_solo())
        return solo();
    detail::need_mpi(*this);
    MPI_Comm owned = MPI_COMM_NULL;
    check(MPI_Comm_dup(comm_, &owned), "MPI_Comm_dup");
    return Comm(owned, oversubscribed_);
}

std::optional<Comm> Comm::first_ranks(int n) const {
    if (n < 1 || n > size_)
        throw UsageError("cannot take the first " + std::to_string(n) + " of " + std::to_string(size_) + " ranks");
    return split(rank_ < n ? 0 : -1);
}

std::optional<Comm> Comm::split(int colour, int key) const {
    if (is_solo())
        return colour < 0 ? std::nullopt : std::optional<Comm>{solo()};
    detail::need_mpi(*this);
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(comm_, colour < 0 ? MPI_UNDEFINED : colour, key, &part), "MPI_Comm_split");
    if (part == MPI_COMM_NULL)
        return std::nullopt;
    return Comm(part, Adopt{});
}

Comm Comm::node() const {
    if (is_solo())
        return solo();
    detail::need_mpi(*this);
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &part), "MPI_Comm_split_type");
    return Comm(part, oversubscribed_);
}

Comm Comm::take(MPI_Comm made) const { return Comm(made, oversubscribed_); }

void Comm::wait(MPI_Request& request) const {
    if (oversubscribed_)
        poll([&] { return test(request); });
    else
        check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

void Comm::barrier() const {
    if (size_ == 1)
        return;
    if (!oversubscribed_) {
        check(MPI_Barrier(comm_), "MPI_Barrier");
        return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
    wait(request);
}

void Comm::idle_barrier() const {
    if (size_ == 1)
        return;
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
    // Polls less often the longer it waits: each poll takes 15 us on a core where others measure.
    for (timespec nap = doze; !test(request); nap.tv_nsec = std::min(nap.tv_nsec + nap.tv_nsec / 8, longest_doze))
        nanosleep(&nap, nullptr);
}

void Comm::broadcast_bytes(void* data, std::size_t bytes) const {
    if (size_ == 1)
        return;
    auto* at = static_cast<std::byte*>(data);
    for (std::size_t done = 0; done < bytes;) {
        int const n = chunk(bytes - done);
        MPI_Request request = MPI_REQUEST_NULL;
        if (oversubscribed_) {
            check(MPI_Ibcast(at + done, n, MPI_BYTE, 0, comm_, &request), "MPI_Ibcast");
            wait(request);
        } else {
            check(MPI_Bcast(at + done, n, MPI_BYTE, 0, comm_), "MPI_Bcast");
        }
        done += static_cast<std::size_t>(n);
    }
}

void Comm::broadcast(std::string& text) const {
    std::size_t n = text.size();
    broadcast(n);
    text.resize(n);
    broadcast_bytes(text.data(), n);
}

namespace {

void reduce_to_root(Comm const& comm, std::span<double> values, MPI_Op op) {
    if (comm.size() == 1 || values.empty())
        return;
    int const n = to_int(static_cast<std::int64_t>(values.size()), "values to reduce");
    void const* const send = comm.is_root() ? MPI_IN_PLACE : values.data();
    void* const receive = comm.is_root() ? values.data() : nullptr;
    if (comm.oversubscribed()) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Ireduce(send, receive, n, MPI_DOUBLE, op, 0, comm.native(), &request), "MPI_Ireduce");
        comm.wait(request);
    } else {
        check(MPI_Reduce(send, receive, n, MPI_DOUBLE, op, 0, comm.native()), "MPI_Reduce");
    }
}

double reduce_to_all(Comm const& comm, double value, MPI_Op op) {
    if (comm.size() == 1)
        return value;
    double result = value;
    if (comm.oversubscribed()) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Iallreduce(&value, &result, 1, MPI_DOUBLE, op, comm.native(), &request), "MPI_Iallreduce");
        comm.wait(request);
    } else {
        check(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, op, comm.native()), "MPI_Allreduce");
    }
    return result;
}

}  // namespace

void Comm::reduce_max(std::span<double> values) const { reduce_to_root(*this, values, MPI_MAX); }
void Comm::sum_to_root(std::span<double> values) const { reduce_to_root(*this, values, MPI_SUM); }
double Comm::max(double value) const { return reduce_to_all(*this, value, MPI_MAX); }
double Comm::sum(double value) const { return reduce_to_all(*this, value, MPI_SUM); }

void Comm::gather_bytes(void const* mine, void* all, std::size_t bytes) const {
    if (size_ == 1) {
        std::memcpy(all, mine, bytes);
        return;
    }
    int const n = to_int(static_cast<std::int64_t>(bytes), "bytes to gather from each rank");
    if (oversubscribed_) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Igather(mine, n, MPI_BYTE, all, n, MPI_BYTE, 0, comm_, &request), "MPI_Igather");
        wait(request);
    } else {
        check(MPI_Gather(mine, n, MPI_BYTE, all, n, MPI_BYTE, 0, comm_), "MPI_Gather");
    }
}

std::vector<double> Comm::gather(std::span<double const> values) const {
    std::vector<double> all(is_root() ? values.size() * static_cast<std::size_t>(size_) : 0);
    if (!values.empty())
        gather_bytes(values.data(), all.data(), values.size_bytes());
    return all;
}

std::vector<std::string> Comm::gather(std::string const& text) const {
    auto const lengths = gather(text.size());
    // The texts are few and short (host names, error messages), so padding to the longest needs only one gather.
    auto const longest = static_cast<std::size_t>(max(static_cast<double>(text.size())));
    std::string padded = text;
    padded.resize(longest);
    std::string all(is_root() ? longest * static_cast<std::size_t>(size_) : 0, '\0');
    if (longest > 0)
        gather_bytes(padded.data(), all.data(), longest);
    std::vector<std::string> texts(lengths.size());
    for (std::size_t i = 0; i < texts.size(); ++i)
        texts[i] = all.substr(i * longest, lengths[i]);
    return texts;
}

double Comm::scatter(std::span<double const> values) const {
    if (size_ == 1)
        return values[0];
    double mine = 0;
    if (oversubscribed_) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Iscatter(values.data(), 1, MPI_DOUBLE, &mine, 1, MPI_DOUBLE, 0, comm_, &request), "MPI_Iscatter");
        wait(request);
    } else {
        check(MPI_Scatter(values.data(), 1, MPI_DOUBLE, &mine, 1, MPI_DOUBLE, 0, comm_), "MPI_Scatter");
    }
    return mine;
}

void Comm::send(void const* data, std::size_t bytes, int destination, int tag) const {
    int const n = to_int(static_cast<std::int64_t>(bytes), "bytes to send");
    check(MPI_Send(data, n, MPI_BYTE, destination, tag, internal_), "MPI_Send");
}

int Comm::receive(void* data, std::size_t bytes, int source, int tag) const {
    int const n = to_int(static_cast<std::int64_t>(bytes), "bytes to receive");
    MPI_Status status;
    if (oversubscribed_) {
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Irecv(data, n, MPI_BYTE, source, tag, internal_, &request), "MPI_Irecv");
        poll([&] { return test(request, &status); });
    } else {
        check(MPI_Recv(data, n, MPI_BYTE, source, tag, internal_, &status), "MPI_Recv");
    }
    return status.MPI_TAG;
}

void Comm::progress() const {
    int there = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, internal_, &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

}  // namespace measure
