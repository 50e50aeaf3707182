// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/operations/io_kernel.hpp"

#include <measure/mpi_error.hpp>

#include <algorithm>
#include <new>
#include <span>

namespace pmb {

using measure::Bytes;

namespace {

/// Collective over the team.
std::vector<std::byte> allocate(measure::Comm const& team, Bytes size) {
    std::vector<std::byte> memory;
    double failed = 0;
    try {
        memory.resize(static_cast<std::size_t>(size));
    } catch (std::bad_alloc const&) {
        failed = 1;
    }
    if (team.max(failed) > 0)
        throw std::bad_alloc{};
    return memory;
}

}  // namespace

FileKernel::FileKernel(Task const& task, Manner const& manner)
    : task_{task}, manner_{manner}, file_{task_, manner.sharing} {
    // An empty block also needs an address.
    memory_ = allocate(task_.team, std::max<Bytes>(1, portion(0, task_.team.size(), task_.largest, element).size));
    auto const& p = task_.parameters;
    bool const own = manner_.sharing == Sharing::own;
    Bytes const size = own ? private_file_size(p, task_.team.size()) : file_size(p);
    file_.create(size);
    if (!manner_.writes)
        file_.fill_up_to(size);
    file_.agree();
}

Portion FileKernel::block(int rank) const noexcept { return portion(rank, task_.team.size(), length_, element); }

/// End of the data for the repetitions of a length.
Bytes FileKernel::file_end(Bytes length) const noexcept {
    auto const& p = task_.parameters;
    Bytes const step = manner_.sharing == Sharing::own ? portion(0, task_.team.size(), length, element).size : length;
    return repetitions(length, p.repetitions, p.volume) * step;
}

void FileKernel::begin(Mode mode, Bytes length) {
    mode_ = mode;
    length_ = length;
    task_.verifier.begin(length);
    int const rank = task_.team.rank();
    auto const mine = block(rank);
    bytes_ = measure::to_int(mine.size, "bytes of a transfer");
    bool const own = manner_.sharing == Sharing::own;
    start_ = own ? 0 : mine.begin;
    step_ = own ? mine.size : length;
    // Lengths that do not divide evenly may exceed the usual file size.
    if (!manner_.writes)
        file_.fill_up_to(file_end(length));
    if (manner_.writes)
        fill({memory_.data(), static_cast<std::size_t>(mine.size)},
             [rank](std::int64_t i) { return file_value(rank, i); });
    else
        std::fill(memory_.begin(), memory_.end(), std::byte{});
    open();
}

void FileKernel::open() {
    bool const blocks = manner_.sharing == Sharing::common && manner_.pointer == Pointer::individual;
    file_.open({.block = block(task_.team.rank()), .record = blocks ? length_ : 0});
    file_.agree();
    if (manner_.pointer == Pointer::shared)
        file_.open_shared_pointer();
    // Data of a shorter length must not pass as data of this length.
    if (task_.check && manner_.writes)
        file_.wipe();
    file_.agree();
}

void FileKernel::reopen() {
    file_.close();
    open();
}

void FileKernel::rewind() {
    offset_ = start_;
    if (manner_.pointer == Pointer::individual)
        file_.rewind();
    else if (manner_.pointer == Pointer::shared)
        file_.rewind_shared();
}

Reading FileKernel::settle(Reading reading, std::int64_t n) {
    if (task_.check && reads_anywhere() && can_be_located())
        check_places(n);
    reading.defect = task_.verifier.defect();
    file_.agree();
    return reading;
}

bool FileKernel::reads_anywhere() const noexcept {
    return !manner_.writes && manner_.pointer == Pointer::shared && !manner_.collective;
}

void FileKernel::check(std::int64_t i) {
    if (manner_.writes)
        check_written(i + 1);
    else if (reads_anywhere())
        check_anywhere(i);
    else
        check_read(i);
}

void FileKernel::check_written(std::int64_t n) {
    task_.team.barrier();
    if (!file_.is_owner() || length_ == 0)
        return;
    Written const written{task_.team.size(), length_, n};
    file_.inspect([&](ReadAt const& read) {
        if (manner_.sharing == Sharing::own)
            check_own(task_.verifier, read, written, task_.team.rank());
        else if (manner_.pointer == Pointer::shared && !manner_.collective)
            check_in_any_order(task_.verifier, read, written);
        else
            check_in_order(task_.verifier, read, written);
    });
}

/// Data of one repetition must not satisfy the check of the next.
void FileKernel::check_read(std::int64_t i) {
    std::span<std::byte> const block{memory_.data(), static_cast<std::size_t>(bytes_)};
    Bytes const at = start_ + i * step_;
    task_.verifier.compare(block, at, i, at, [](std::int64_t k) { return file_value(0, k); });
    std::fill(block.begin(), block.end(), std::byte{});
}

/// If one process reads everything, the order is known.
bool FileKernel::can_be_located() const noexcept {
    bool const aligned = length_ % element == 0;
    Bytes const shortest = aligned ? element : 2 * element - 1;
    for (int rank = 0; rank < task_.team.size(); ++rank)
        if (Bytes const size = block(rank).size; size > 0 && size < shortest)
            return false;
    return true;
}

void FileKernel::check_anywhere(std::int64_t i) {
    if (block(0).size == length_)
        return check_read(i);
    if (!can_be_located())
        return;
    std::span<std::byte> const block{memory_.data(), static_cast<std::size_t>(bytes_)};
    Bytes const from = places_.empty() ? 0 : std::max<Bytes>(0, static_cast<Bytes>(places_.back()));
    auto const place = block.empty() ? from : locate(block, from, length_ % element == 0);
    places_.push_back(static_cast<double>(place.value_or(-1)));
    if (place)
        task_.verifier.compare(block, *place, i, *place, [](std::int64_t k) { return file_value(0, k); });
    else
        task_.verifier.miss(DefectKind::nowhere, i, 0);
    std::fill(block.begin(), block.end(), std::byte{});
}

void FileKernel::check_places(std::int64_t n) {
    if (block(0).size == length_)
        return;
    auto const places = task_.team.gather(places_);
    if (!task_.team.is_root())
        return;
    // The process that read a block without a place has already reported it.
    if (std::any_of(places.begin(), places.end(), [](double place) { return place < 0; }))
        return;
    std::vector<Portion> blocks;
    for (std::size_t k = 0; k < places.size(); ++k)
        blocks.push_back(
            {static_cast<Bytes>(places[k]), block(static_cast<int>(k / static_cast<std::size_t>(n))).size});
    if (!tile(std::move(blocks), n * length_))
        task_.verifier.miss(DefectKind::overlap, n - 1, 0);
}

auto BlockingKernel::make_operation() {
    return measure::op([this] { return transfer(); })
        .finish([this] {
            if (syncs(Mode::aggregate))
                sync();
        })
        .prepare([this] { rewind(); });
}

bool BlockingKernel::transfer() noexcept {
    bool const done = ok(calls_.blocking(next()));
    return syncs(Mode::non_aggregate) ? done & sync() : done;
}

Reading BlockingKernel::pure_loop(std::int64_t n) {
    auto operation = make_operation();
    return time(operation, n);
}

Measured BlockingKernel::run(measure::Plan const& plan) { return measure_by(plan, make_operation()); }

OverlappedKernel::OverlappedKernel(Task const& task, Manner const& manner, Calls const& calls)
    : BlockingKernel{task, manner, calls} {
    reserve(task.parameters.repetitions);
}

void OverlappedKernel::reserve(std::int64_t n) {
    requests_.reserve(static_cast<std::size_t>(n));
    statuses_.reserve(static_cast<std::size_t>(n));
}

auto OverlappedKernel::make_operation() {
    return measure::op([this] { return start(); }).finish([this] { finish(); }).prepare([this] {
        rewind();
        requests_.clear();
    });
}

bool OverlappedKernel::start() noexcept {
    auto const piece = next();
    if (!split())
        return ok(calls().start(piece, requests_.emplace_back(MPI_REQUEST_NULL)));
    bool const begun = ok(calls().begin(piece));
    (*task().cpu)();
    return begun && ok(calls().end(piece));
}

void OverlappedKernel::finish() noexcept {
    for (std::size_t i = 0; i < requests_.size(); ++i)
        (*task().cpu)();
    wait();
    if (manner().writes)
        sync();
}

void OverlappedKernel::wait() noexcept {
    if (requests_.size() == 1) {
        ok(MPI_Wait(requests_.data(), MPI_STATUS_IGNORE));
    } else if (!requests_.empty()) {
        statuses_.resize(requests_.size());
        int const code = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses_.data());
        if (code == MPI_ERR_IN_STATUS)
            for (MPI_Status const& status : statuses_)
                ok(status.MPI_ERROR);
        else
            ok(code);
    }
    requests_.clear();
}

Reading OverlappedKernel::prepare(std::int64_t n) {
    auto const pure = pure_loop(n);
    reopen();
    reserve(n);
    if (!split() && !manner().writes)
        task().team.barrier();
    return pure;
}

Reading OverlappedKernel::loop(std::int64_t n) {
    auto const pure = prepare(n);
    auto operation = make_operation();
    auto reading = time(operation, n);
    reading.pure = pure.time;
    reading.cpu = task().cpu->call_time().count();
    reading.succeeded = reading.succeeded && pure.succeeded;
    reading.is_backward |= pure.is_backward;
    return reading;
}

Measured OverlappedKernel::run(measure::Plan const& plan) {
    auto const pure = prepare(measure::first_iterations(plan.batch));
    auto measured = measure_by(plan, make_operation());
    measured.pure = pure.time;
    measured.cpu = task().cpu->call_time().count();
    return measured;
}

}  // namespace pmb
