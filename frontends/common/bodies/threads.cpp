// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/threads.hpp"

#include "bodies/stream_check.hpp"

#include <algorithm>
#include <cstddef>

namespace bodies {

ThreadTeam::ThreadTeam(int size) {
    try {
        for (int thread = 1; thread < size; ++thread)
            others_.emplace_back([this, thread] { serve(thread); });
    } catch (...) {
        ends_ = true;
        for (auto& other : others_)
            other.join();
        throw;
    }
}

ThreadTeam::~ThreadTeam() {
    ends_ = true;
    for (auto& other : others_)
        other.join();
}

void ThreadTeam::run(Work const& work) noexcept {
    work_ = &work;
    busy_.store(static_cast<int>(others_.size()), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    work(0);
    while (busy_.load(std::memory_order_acquire) > 0)
        std::this_thread::yield();
}

void ThreadTeam::serve(int thread) noexcept {
    std::int64_t seen = 0;
    while (!ends_.load(std::memory_order_relaxed)) {
        auto const round = round_.load(std::memory_order_acquire);
        if (round == seen) {
            std::this_thread::yield();
            continue;
        }
        seen = round;
        (*work_)(thread);
        busy_.fetch_sub(1, std::memory_order_release);
    }
}

void ThreadBarrier::wait() noexcept {
    auto const round = round_.load(std::memory_order_acquire);
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
        here_.store(0, std::memory_order_relaxed);
        round_.store(round + 1, std::memory_order_release);
        return;
    }
    while (round_.load(std::memory_order_acquire) == round)
        std::this_thread::yield();
}

bool have_thread_multiple() noexcept {
    int provided = MPI_THREAD_SINGLE;
    return MPI_Query_thread(&provided) == MPI_SUCCESS && provided >= MPI_THREAD_MULTIPLE;
}

namespace {

std::vector<Buffers> buffers_of(int threads, BufferPolicy policy, measure::Bytes bytes) {
    std::vector<Buffers> buffers;
    policy.limit /= threads;
    for (int i = 0; i < threads; ++i)
        buffers.emplace_back(policy, Sizes{bytes, bytes});
    return buffers;
}

}  // namespace

ThreadPingPong::ThreadPingPong(measure::Comm const& pair, int threads, measure::Bytes bytes, BufferPolicy const& policy)
    : comm_{pair.native()}, first_{pair.rank() == 0}, count_{measure::to_int(bytes, "bytes of a message")},
      memory_{buffers_of(threads, policy, bytes)}, team_{threads} {}

int ThreadPingPong::exchange(int thread, measure::Iteration it) const noexcept {
    // The tag identifies the thread.
    int const tag = Link::tag + thread;
    auto const& memory = this->memory(thread);
    auto const send = [&] { return MPI_Send(memory.send(it), count_, MPI_BYTE, first_ ? 1 : 0, tag, comm_); };
    auto const receive = [&] {
        return MPI_Recv(memory.receive(it), count_, MPI_BYTE, first_ ? 1 : 0, tag, comm_, MPI_STATUS_IGNORE);
    };
    if (first_) {
        int const sent = send();
        return worse(sent, receive());
    }
    int const received = receive();
    return worse(received, send());
}

bool ThreadPingPong::operator()(measure::Iterations exchanges) noexcept {
    std::atomic<int> failed{MPI_SUCCESS};
    ThreadTeam::Work const work = [&](int thread) {
        auto it = measure::Iteration{.index = exchanges.index};
        measure::detail::beating(exchanges.count, [&] {
            if (int const code = exchange(thread, it); code != MPI_SUCCESS)
                failed.store(code, std::memory_order_relaxed);
            ++it.index;
        });
    };
    team_.run(work);
    return failed.load() == MPI_SUCCESS;
}

DealtPingPong::DealtPingPong(Link const& link, int here, int first, measure::Bytes bytes, BufferPolicy const& policy)
    : link_{link}, is_dealt_by_tag_{first > 1}, memory_{buffers_of(here, policy, bytes)}, team_{here} {}

int DealtPingPong::exchange(int thread, int there, int back) const noexcept {
    auto const& memory = memory_[static_cast<std::size_t>(thread)];
    auto const& l = link_;
    auto const send = [&](int tag) { return MPI_Send(memory.send({}), l.count, l.type, l.peer, tag, l.comm); };
    auto const receive = [&](int tag) {
        return MPI_Recv(memory.receive({}), l.count, l.type, l.peer, tag, l.comm, MPI_STATUS_IGNORE);
    };
    int const one = l.first ? send(there) : receive(there);
    return worse(one, l.first ? receive(back) : send(back));
}

bool DealtPingPong::operator()(std::int64_t exchanges) noexcept {
    constexpr std::int64_t tags = 30000;  // MPI promises 32767
    std::atomic<int> failed{MPI_SUCCESS};
    ThreadTeam::Work const work = [&](int thread) {
        std::int64_t i = thread;
        measure::detail::beating((exchanges - thread + team_.size() - 1) / team_.size(), [&] {
            int const tag = Link::tag + static_cast<int>(i % tags);
            int const code = is_dealt_by_tag_ ? exchange(thread, tag, tag) : exchange(thread, Link::tag, Link::tag + 1);
            if (code != MPI_SUCCESS)
                failed.store(code, std::memory_order_relaxed);
            i += team_.size();
        });
    };
    team_.run(work);
    return failed.load() == MPI_SUCCESS;
}

/// Any thread may answer, so all threads of a rank send the same data.
std::string DealtPingPong::check(std::int64_t exchanges, int rank, measure::Bytes bytes) {
    for (auto const& memory : memory_) {
        fill_message(static_cast<std::byte*>(memory.send({})), bytes, rank, 0);
        std::fill_n(static_cast<std::byte*>(memory.receive({})), bytes, std::byte{0});
    }
    if (!(*this)(exchanges))
        return "MPI reports an error";
    std::string found;
    for (auto memory = memory_.begin(); memory != memory_.end() && found.empty(); ++memory)
        found = message_fault(static_cast<std::byte const*>(memory->receive({})), bytes, link_.peer, 0);
    return found;
}

}  // namespace bodies
