// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/bench.hpp"

#include "skampi/routines/master_worker.hpp"
#include "skampi/routines/tables.hpp"

#include <measure/agree.hpp>
#include <measure/mpi_error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <thread>
#include <variant>

namespace skampi {
namespace {

/// The largest divisor that is not greater than the square root.
int rows_of(int elements) {
    int rows = std::max(1, static_cast<int>(std::sqrt(static_cast<double>(elements))));
    while (elements % rows != 0)
        --rows;
    return rows;
}

}  // namespace

Bench::Bench(measure::Comm const& team, Setting const& setting, measure::Bytes room)
    : team_{team}, setting_{setting}, room_{room} {
    Task const& task = *setting.task;
    auto& a = frame_.arguments;
    a.comm = team.native();
    a.rank = team.rank();
    a.size = team.size();
    a.type = task.datatype->handle;
    a.op = task.op != nullptr ? task.op->handle : MPI_SUM;
    a.count = measure::to_int(setting.length / task.datatype->size, "elements of a message");
    frame_.root = task.root;
    frame_.peer = 1 - team.rank();
    frame_.block = setting.length;
    frame_.element = task.datatype->size;
    auto const& calls = task.routine->calls;
    // Collective calls follow, so either all processes have enough memory or none enters them.
    measure::agree_on_failure(team_, [&] { std::visit([&](auto const& own) { prepare(own); }, calls); });
    attach();
    if (auto const* const one_sided = std::get_if<OneSided>(&calls))
        open_window(*one_sided);
}

Bench::~Bench() {
    clear();
    if (!attached_.empty()) {
        void* memory = nullptr;
        int size = 0;
        MPI_Buffer_detach(&memory, &size);
    }
    if (frame_.group != MPI_GROUP_NULL)
        MPI_Group_free(&frame_.group);
}

void Bench::allocate(bodies::Sizes const& sizes, Beside const& beside) {
    sizes_ = sizes;
    buffers_.emplace(bodies::BufferPolicy{.limit = room_ - beside.attached - beside.scratch}, sizes);
    attached_.resize(static_cast<std::size_t>(beside.attached));
    frame_.scratch.resize(static_cast<std::size_t>(beside.scratch));
    frame_.send = static_cast<std::byte*>(buffers_->send({}));
    frame_.receive = static_cast<std::byte*>(buffers_->receive({}));
}

measure::Bytes Bench::bytes_to_attach() const noexcept {
    return attached_bytes(*setting_.task->routine, setting_.length, team_.size());
}

void Bench::attach() {
    if (!attached_.empty())
        measure::check(MPI_Buffer_attach(attached_.data(), measure::to_int(std::ssize(attached_), "attached buffer")),
                       "MPI_Buffer_attach");
}

void Bench::prepare(Exchange const& /*calls*/) {
    allocate({setting_.length, setting_.length}, {.attached = bytes_to_attach()});
}

void Bench::prepare(Dispatch const& /*calls*/) {
    measure::Bytes const workers = team_.size() - 1;
    bool const master = team_.is_root();
    measure::Bytes const size = master ? workers * setting_.length : setting_.length;
    allocate({size, size}, {.attached = master ? bytes_to_attach() : 0});
    frame_.requests.assign(static_cast<std::size_t>(2 * workers), MPI_REQUEST_NULL);
    frame_.indices.resize(static_cast<std::size_t>(workers));
}

void Bench::prepare(Together const& calls) {
    Task const& task = *setting_.task;
    auto const n = static_cast<std::size_t>(team_.size());
    bodies::Convention const convention{.real = task.datatype->handle,
                                        .real_size = task.datatype->size,
                                        .op = frame_.arguments.op,
                                        .shares = bodies::spread_first};
    bool const reduces = calls.shape.element == bodies::Element::real;
    frame_.arguments = bodies::arguments(calls.shape, team_, setting_.length / task.datatype->size, convention);
    auto& a = frame_.arguments;
    a.type = task.datatype->handle;
    if (calls.shape.counts == bodies::Counts::spread)
        for (int sum = 0; int const count : a.counts) {
            a.displacements.push_back(sum);
            sum += count;
        }
    measure::Bytes const copies = calls.content == Content::transposed ? 2 : 1;
    Beside const beside{.scratch =
                            copies * bodies::elements(calls.scratch, setting_.length, a.size, a.rank == task.root, 0)};
    if (calls.dimensions > 0) {
        find_neighbours(calls.dimensions);
        auto const faces = static_cast<measure::Bytes>(frame_.neighbours.size());
        a.count = measure::to_int(setting_.length / task.datatype->size, "elements of a message");
        allocate({faces * setting_.length, faces * setting_.length}, beside);
    } else {
        allocate(bodies::sizes(calls.shape, reduces ? a.count : setting_.length, a.rank, a.size,
                               {.rank = setting_.task->root}, convention),
                 beside);
    }
    frame_.rows = a.count > 0 ? rows_of(a.count) : 1;
    frame_.scalars = {1.0 + a.rank, 0};
    frame_.requests.assign(2 * std::max(n, frame_.neighbours.size()), MPI_REQUEST_NULL);
}

/// Finds the neighbours on a periodic grid of the processes. A process can be its own neighbour.
void Bench::find_neighbours(int dimensions) {
    std::array<int, 3> extent{};
    measure::check(MPI_Dims_create(team_.size(), dimensions, extent.data()), "MPI_Dims_create");
    int stride = 1;
    for (int d = 0; d < dimensions; ++d) {
        int const size = extent[static_cast<std::size_t>(d)];
        int const mine = team_.rank() / stride % size;
        int const first = team_.rank() - mine * stride;
        frame_.neighbours.push_back(first + (mine + size - 1) % size * stride);
        frame_.neighbours.push_back(first + (mine + 1) % size * stride);
        stride *= size;
    }
}

void Bench::prepare(OneSided const& /*calls*/) { allocate({setting_.length, setting_.length}, {}); }

void Bench::open_window(OneSided const& calls) {
    window_.emplace(team_, frame_.receive, setting_.length, static_cast<int>(frame_.element));
    frame_.window = &*window_;
    frame_.access = bodies::access(*window_, frame_.peer, frame_.arguments.count, frame_.arguments.type);
    frame_.access.op = frame_.arguments.op;
    MPI_Group all = MPI_GROUP_NULL;
    measure::check(MPI_Comm_group(team_.native(), &all), "MPI_Comm_group");
    MPI_Group_incl(all, 1, &frame_.peer, &frame_.group);
    MPI_Group_free(&all);
    if (calls.fences)
        measure::check(window_->fence(), "MPI_Win_fence");
}

namespace {

int answer_late(Frame& f) {
    std::this_thread::sleep_for(f.late);
    return f.late_call(f);
}

}  // namespace

int nothing(Frame&) { return MPI_SUCCESS; }

Call Bench::call() noexcept {
    auto const& calls = setting_.task->routine->calls;
    bool const first = team_.is_root();
    if (auto const* const exchange = std::get_if<Exchange>(&calls)) {
        frame_.late_call = first ? exchange->server : exchange->client;
        return frame_.late.count() > 0 ? &answer_late : frame_.late_call;
    }
    if (auto const* const together = std::get_if<Together>(&calls))
        return together->call;
    if (auto const* const one_sided = std::get_if<OneSided>(&calls)) {
        if (first)
            return one_sided->origin;
        return one_sided->target != nullptr ? one_sided->target : &nothing;
    }
    return &nothing;
}

int Bench::once() {
    if (auto const* const dispatch = std::get_if<Dispatch>(&setting_.task->routine->calls)) {
        if (!team_.is_root())
            return serve(frame_);
        Master master{frame_, *dispatch, setting_.chunks};
        int const code = master.run();
        return worse(code, master.stop());
    }
    return call()(frame_);
}

void Bench::clear() noexcept {
    for (MPI_Comm& comm : frame_.made)
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
    frame_.made.clear();
}

}  // namespace skampi
