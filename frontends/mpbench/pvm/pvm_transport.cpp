// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/pvm/pvm_transport.hpp"

#include <measure/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <pvm3.h>
#include <stdexcept>
#include <utility>

/// Error code of the last failed call. Documented, but not declared in the header.
extern "C" int pvm_errno;

namespace mpbench {

using measure::Bytes;

namespace {

namespace inner_tag {
constexpr int broadcast = 11;
constexpr int sum = 12;
constexpr int decision = 13;
constexpr int values = 14;
}  // namespace inner_tag

/// Redirects stderr to /dev/null, because libpvm repeatedly reports a missing daemon, whatever its options.
class Silence {
public:
    Silence() : stderr_{::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)} {
        int const nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        ::dup2(nowhere, STDERR_FILENO);
        ::close(nowhere);
    }
    ~Silence() {
        ::dup2(stderr_, STDERR_FILENO);
        ::close(stderr_);
    }
    Silence(Silence const&) = delete;
    Silence& operator=(Silence const&) = delete;

private:
    int stderr_;
};

void* writable(void const* data) noexcept { return const_cast<void*>(data); }  // PVM only reads it

}  // namespace

std::string pvm_error_text(int code) {
    pvm_errno = code;
    char const* const text = pvm_strerror();
    return text != nullptr ? text : fmt::format("error {}", code);
}

int pvm_check(int code, char const* call) {
    if (code < 0)
        throw std::runtime_error(fmt::format("{}: {}", call, pvm_error_text(code)));
    return code;
}

int pvm_enrol() {
    // The end of another task is reported by a notification.
    std::signal(SIGPIPE, SIG_IGN);
    // libpvm would end the process if the user is root.
    if (::getuid() == 0 && std::getenv("PVM_ALLOW_ROOT") == nullptr)
        throw measure::UsageError("PVM does not run as root; use an ordinary user, or set PVM_ALLOW_ROOT=1 for this "
                                  "program and the daemon");
    int id = 0;
    {
        Silence const silence;
        id = pvm_mytid();
    }
    if (id < 0)
        throw measure::UsageError(
            fmt::format("no PVM daemon is running ({}); start one with 'pvm', or use mpbench-run", pvm_error_text(id)));
    pvm_check(pvm_setopt(PvmAutoErr, 0), "pvm_setopt");
    pvm_check(pvm_setopt(PvmRoute, PvmRouteDirect), "pvm_setopt");
    return id;
}

PvmTransport::PvmTransport(std::vector<int> tasks, int rank, std::string group)
    : tasks_{std::move(tasks)}, rank_{rank}, group_{std::move(group)} {}

/// Remembers the first error. Otherwise libpvm would report a daemon that has ended once for each remaining iteration.
bool PvmTransport::succeeded(int code) noexcept {
    if (code < 0 && error_ == 0)
        error_ = code;
    return error_ == 0;
}

/// A failed call to the group server may return any value, so `pvm_errno` is checked too. It must be 0 before the call.
bool PvmTransport::group_succeeded(int code) noexcept { return succeeded(std::min(code, pvm_errno)); }

bool PvmTransport::send(void const* from, Bytes bytes, int task, int tag) noexcept {
    return error_ == 0 && succeeded(pvm_psend(tasks_[static_cast<std::size_t>(task)], tag, writable(from),
                                              static_cast<int>(bytes), PVM_BYTE));
}

bool PvmTransport::receive(void* to, Bytes bytes, int task, int tag) noexcept {
    int const from = task == any_task ? any_task : tasks_[static_cast<std::size_t>(task)];
    int source = 0;
    int found = 0;
    int length = 0;
    return error_ == 0 &&
           succeeded(pvm_precv(from, tag, to, static_cast<int>(bytes), PVM_BYTE, &source, &found, &length)) &&
           succeeded(length == bytes ? PvmOk : PvmMismatch);
}

/// PVM receives while it sends, so two long messages cannot block each other.
bool PvmTransport::exchange(void const* from, void* to, Bytes bytes, int task) noexcept {
    return send(from, bytes, task, tag::data) && receive(to, bytes, task, tag::data);
}

bool PvmTransport::barrier() noexcept {
    pvm_errno = PvmOk;
    return error_ == 0 && group_succeeded(pvm_barrier(group_.data(), size()));
}

bool PvmTransport::broadcast(void* data, Bytes bytes) noexcept { return barrier() && spread(data, bytes); }

bool PvmTransport::reduce(void const* from, void* to, Bytes bytes) noexcept {
    return barrier() && add_up(from, to, bytes);
}

/// PVM has no allreduce, so this is a sum and a broadcast.
bool PvmTransport::allreduce(void const* from, void* to, Bytes bytes) noexcept {
    return barrier() && add_up(from, to, bytes) && spread(to, bytes);
}

/// Sends data from the first task to the others.
bool PvmTransport::spread(void* data, Bytes bytes) noexcept {
    auto* const text = static_cast<char*>(data);
    auto const count = static_cast<int>(bytes);
    if (rank_ != 0)
        return succeeded(pvm_recv(tasks_[0], inner_tag::broadcast)) && succeeded(pvm_upkbyte(text, count, 1));
    if (!succeeded(pvm_initsend(PvmDataInPlace)) || !succeeded(pvm_pkbyte(text, count, 1)))
        return false;
    pvm_errno = PvmOk;
    return group_succeeded(pvm_bcast(group_.data(), inner_tag::broadcast));
}

/// Sums into `to`, because PVM overwrites the operand on all tasks.
bool PvmTransport::add_up(void const* from, void* to, Bytes bytes) noexcept {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    pvm_errno = PvmOk;
    return group_succeeded(
        pvm_reduce(PvmSum, to, static_cast<int>(bytes / 4), PVM_INT, inner_tag::sum, group_.data(), 0));
}

bool PvmTransport::alltoall(void const* from, void* to, Bytes each) noexcept {
    auto const* const source = static_cast<std::byte const*>(from);
    auto* const target = static_cast<std::byte*>(to);
    std::memcpy(target + rank_ * each, source + rank_ * each, static_cast<std::size_t>(each));
    bool ok = true;
    for (int k = 1; ok && k < size(); ++k) {
        int const next = (rank_ + k) % size();
        int const previous = (rank_ + size() - k) % size();
        ok = send(source + next * each, each, next, tag::data) &&
             receive(target + previous * each, each, previous, tag::data);
    }
    return ok;
}

void PvmTransport::require(bool ok) const {
    // Does not query the daemon, because libpvm needs ten seconds to notice that it is missing.
    if (!ok)
        throw std::runtime_error(fmt::format("PVM failed ({}); its daemon may have ended", pvm_error_text(error_)));
}

void PvmTransport::share(std::int64_t& decision) {
    if (rank_ != 0)
        return require(receive(&decision, sizeof decision, 0, inner_tag::decision));
    for (int task = 1; task < size(); ++task)
        require(send(&decision, sizeof decision, task, inner_tag::decision));
}

std::vector<double> PvmTransport::gather(std::span<double const> values) {
    auto const bytes = static_cast<Bytes>(values.size_bytes());
    if (rank_ != 0) {
        require(send(values.data(), bytes, 0, inner_tag::values));
        return {};
    }
    std::vector<double> all(values.begin(), values.end());
    all.resize(values.size() * tasks_.size());
    for (int task = 1; task < size(); ++task)
        require(receive(all.data() + static_cast<std::size_t>(task) * values.size(), bytes, task, inner_tag::values));
    return all;
}

}  // namespace mpbench
