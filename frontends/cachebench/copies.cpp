// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/copies.hpp"

#include "llcbench/points.hpp"

#include <measure/error.hpp>
#include <measure/timer_info.hpp>

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <poll.h>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace cachebench {

namespace {

/// A barrier for the copies: a counter in shared memory.
class MeetingPoint {
public:
    MeetingPoint() {
        void* const memory =
            ::mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            throw std::system_error(errno, std::generic_category(), "cannot create shared memory for the copies");
        arrived_ = ::new (memory) Counter{0};
    }
    ~MeetingPoint() { ::munmap(arrived_, sizeof(Counter)); }
    MeetingPoint(MeetingPoint const&) = delete;
    MeetingPoint& operator=(MeetingPoint const&) = delete;
    void wait(int n) const noexcept {
        arrived_->fetch_add(1);
        while (arrived_->load() < n)
            ::sched_yield();
    }

private:
    using Counter = std::atomic<int>;
    static_assert(Counter::is_always_lock_free);
    Counter* arrived_;
};

/// A block, as written to the pipe.
struct BlockWords {
    double time = 0;  ///< s per pass
    std::int64_t passes = 0;
    std::int64_t invalid = 0;  ///< a measure::InvalidReason
};

/// The head of the message that a copy writes into its pipe; text and blocks follow. Native byte order, because both
/// sides are the same program.
struct Head {
    enum class Text : std::int64_t { failure, defect, reason };  ///< meaning of the text
    Text is = Text::failure;
    double elapsed = 0;
    double page_faults = 0;  ///< during the blocks
    std::int64_t involuntary_switches = 0;
    std::int64_t is_near_floor = 0;
    double clock_step = 0;     ///< s per pass
    std::uint64_t text = 0;    ///< bytes
    std::uint64_t blocks = 0;  ///< number of blocks
    std::int64_t verdict = 0;
};

void write_all(int descriptor, void const* data, std::size_t size) noexcept {
    auto const* p = static_cast<char const*>(data);
    while (size > 0) {
        auto const written = ::write(descriptor, p, size);
        if (written <= 0)
            return;
        p += written;
        size -= static_cast<std::size_t>(written);
    }
}

void send(int descriptor, Head head, std::string const& text, std::vector<BlockWords> const& blocks) noexcept {
    head.text = text.size();
    head.blocks = blocks.size();
    write_all(descriptor, &head, sizeof head);
    write_all(descriptor, text.data(), text.size());
    write_all(descriptor, blocks.data(), blocks.size() * sizeof(BlockWords));
}

void send(int descriptor, measure::Measurement const& m) {
    std::vector<BlockWords> blocks;
    for (auto const& sample : m.samples)
        blocks.push_back({sample.time, sample.iterations, static_cast<std::int64_t>(sample.invalid)});
    bool const wrong = !m.data_error.empty();
    send(descriptor,
         {.is = wrong ? Head::Text::defect : Head::Text::reason,
          .elapsed = m.elapsed,
          .page_faults = m.settling.faults_counted,
          .involuntary_switches = m.settling.involuntary_switches,
          .is_near_floor = m.has_flag(measure::near_timer_floor) ? 1 : 0,
          .clock_step = m.estimate ? m.estimate->clock_step : 0,
          .verdict = static_cast<std::int64_t>(m.verdict)},
         wrong ? m.data_error : m.stop_reason, blocks);
}

/// Decodes a message. \return nullopt if it is incomplete
/// \throws std::runtime_error with the error that the copy reports
std::optional<measure::Measurement> received(std::string const& message) {
    Head head;
    if (message.size() < sizeof head)
        return std::nullopt;
    std::memcpy(&head, message.data(), sizeof head);
    if (message.size() != sizeof head + head.text + head.blocks * sizeof(BlockWords))
        return std::nullopt;
    std::string const text = message.substr(sizeof head, head.text);
    if (head.is == Head::Text::failure)
        throw std::runtime_error(text);
    std::vector<BlockWords> blocks(head.blocks);
    std::memcpy(blocks.data(), message.data() + sizeof head + head.text, head.blocks * sizeof(BlockWords));

    std::vector<measure::Sample> samples;
    for (auto const& block : blocks)
        samples.push_back({.stage = 1,
                           .invalid = static_cast<measure::InvalidReason>(block.invalid),
                           .time = block.time,
                           .iterations = block.passes});
    bool const wrong = head.is == Head::Text::defect;
    auto m =
        llcbench::measurement(std::move(samples), {static_cast<measure::StopVerdict>(head.verdict), wrong ? "" : text},
                              measure::seconds{head.elapsed}, head.clock_step);
    if (head.is_near_floor != 0)
        m.flag(measure::near_timer_floor);
    m.iterations_per_sample = blocks.empty() ? 1 : blocks.back().passes;
    if (wrong)
        m.data_error = text;
    std::int64_t passes = 0;
    for (auto const& block : blocks)
        passes += block.passes;
    m.settling = {.runs_counted = passes,
                  .faults_counted = head.page_faults,
                  .faults_all_ranks = head.page_faults,
                  .involuntary_switches = head.involuntary_switches};
    return m;
}

void pin(int copy) noexcept {
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    int left = copy % CPU_COUNT(&allowed);
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &allowed) && left-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            ::sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

/// Runs a copy and ends its process. Cleans up nothing, because all inherited resources belong to the parent.
[[noreturn]] void live(int i, int descriptor, Copy const& copy, std::function<void()> ready) noexcept {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct ::sigaction now {};
        if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
            ::signal(signal, SIG_DFL);
    }
    pin(i);
    try {
        send(descriptor, copy(std::move(ready)));
    } catch (std::bad_alloc const&) {
        send(descriptor, Head{}, "out of memory", {});
    } catch (std::exception const& error) {
        send(descriptor, Head{}, error.what(), {});
    }
    ::_exit(0);
}

/// The parent's handle of a copy. The destructor kills the copy.
class Child {
public:
    Child(int i, Copy const& copy, std::function<void()> ready) {
        int ends[2];  // NOLINT(modernize-avoid-c-arrays): required by pipe
        if (::pipe(ends) != 0)
            throw std::system_error(errno, std::generic_category(), "cannot create a pipe to a copy");
        process_ = ::fork();
        if (process_ == 0) {
            ::close(ends[0]);
            live(i, ends[1], copy, std::move(ready));
        }
        int const error = errno;
        ::close(ends[1]);
        pipe_ = ends[0];
        if (process_ < 0) {
            ::close(pipe_);
            throw std::system_error(error, std::generic_category(), "cannot start a copy");
        }
    }
    ~Child() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        ::close(pipe_);
    }
    Child(Child const&) = delete;
    Child& operator=(Child const&) = delete;

    [[nodiscard]] int pipe() const noexcept { return done_ ? -1 : pipe_; }
    [[nodiscard]] bool done() const noexcept { return done_; }
    [[nodiscard]] std::string const& message() const noexcept { return message_; }
    /// Reads the available data. Call it when the pipe is readable.
    void read() {
        std::array<char, 1U << 16U> part;
        auto const n = ::read(pipe_, part.data(), part.size());
        if (n > 0)
            message_.append(part.data(), static_cast<std::size_t>(n));
        else if (n == 0 || errno != EINTR)
            done_ = true;
    }

private:
    pid_t process_ = -1;
    int pipe_ = -1;
    bool done_ = false;
    std::string message_;
};

/// Waits up to 100 ms for messages of the copies and reads them.
void listen(std::span<std::unique_ptr<Child> const> children) {
    constexpr int milliseconds = 100;
    std::vector<pollfd> waits;
    for (auto const& child : children)
        waits.push_back({.fd = child->pipe(), .events = POLLIN, .revents = 0});
    if (::poll(waits.data(), waits.size(), milliseconds) <= 0)
        return;
    for (std::size_t i = 0; i < waits.size(); ++i)
        if (waits[i].revents != 0)
            children[i]->read();
}

measure::Measurement result_of(Child const& child, int i) {
    try {
        if (auto m = received(child.message()))
            return *std::move(m);
    } catch (std::runtime_error const& error) {
        throw std::runtime_error(fmt::format("copy {}: {}", i, error.what()));
    }
    throw std::runtime_error(fmt::format("copy {} died", i));
}

}  // namespace

std::vector<measure::Measurement> run_copies(int n, Copy const& copy, measure::Control const& control) {
    MeetingPoint const meeting;
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < n; ++i)
        children.push_back(std::make_unique<Child>(i, copy, [&] { meeting.wait(n); }));
    std::vector<std::optional<measure::Measurement>> results(children.size());
    for (std::size_t missing = results.size(); missing > 0;) {
        listen(children);
        if (control.decision)
            control.decision();
        if (int const stop = control.stop != nullptr ? control.stop->load() : 0; stop != 0)
            throw measure::Interrupted(stop);
        for (std::size_t i = 0; i < children.size(); ++i)
            if (children[i]->done() && !results[i]) {
                results[i] = result_of(*children[i], static_cast<int>(i) + 1);
                --missing;
            }
    }
    std::vector<measure::Measurement> all;
    for (auto& result : results)
        all.push_back(*std::move(result));
    return all;
}

int usable_cores() {
    cpu_set_t allowed;
    return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

}  // namespace cachebench
