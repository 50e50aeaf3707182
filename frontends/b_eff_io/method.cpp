// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff_io/method.hpp"

#include <measure/kernel_counts.hpp>
#include <measure/mpi_error.hpp>
#include <measure/stonewall.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace b_eff_io {

namespace {

/// Greater than every stop flag.
constexpr int call_failed = 1 << 16;

/// One rank's part in a pattern.
class Calls {
public:
    Calls(Task const& task, DataFile& file, Step const& step)
        : task_{task}, file_{file}, step_{step}, transfer_{file.transfer(step.access)}, buffer_{step.access ==
                                                                                                        Access::read
                                                                                                    ? task.read
                                                                                                    : task.written},
          piece_{.file = file.native(),
                 .buffer = buffer_.data(),
                 .count = measure::to_int(step.length / element_size, "elements of a transfer"),
                 .type = MPI_DOUBLE,
                 .status = &status_} {
        buffer_.begin(step.chunk, step.length);
        found_.reserve(static_cast<std::size_t>(task.messages));
    }

    void write(std::int64_t r) noexcept {
        buffer_.fill({r, step_.pattern.number, step_.access, file_.owner()});
        move(r);
    }

    void read(std::int64_t r) noexcept {
        if (!move(r))
            return;
        auto const access = r < step_.rewritten ? Access::rewrite : Access::write;
        wrong_ += buffer_.check({r, step_.pattern.number, access, file_.owner()}, found_);
    }

    /// The word of this rank for a decision: a failed call or its stop flag.
    [[nodiscard]] int word() const {
        task_.control.in_body(true);
        return file_.trouble().any() ? call_failed : task_.control.stop->load();
    }

    /// Bytes that this rank moved.
    [[nodiscard]] double moved() const noexcept {
        return static_cast<double>(moved_) * static_cast<double>(step_.length);
    }
    [[nodiscard]] std::int64_t wrong() const noexcept { return wrong_; }
    [[nodiscard]] std::string messages() const {
        std::string text;
        for (Mismatch const& m : found_)
            text += fmt::format("rank {}: {}\n", task_.team.rank(), m.text());
        return text;
    }

private:
    bool move(std::int64_t r) noexcept {
        if (step_.order)
            piece_.offset =
                (step_.position + (*step_.order)(r * task_.team.size() + file_.owner()) * step_.chunk) / element_size;
        if (!file_.trouble().ok(transfer_.call(piece_), transfer_.name))
            return false;
        int count = 0;
        MPI_Get_count(&status_, MPI_DOUBLE, &count);
        if (count != piece_.count) {
            file_.trouble().too_few(count, piece_.count, transfer_.name);
            return false;
        }
        ++moved_;
        return true;
    }

    Task const& task_;
    DataFile& file_;
    Step const& step_;
    Transfer transfer_;
    Buffer& buffer_;
    MPI_Status status_{};
    bodies::Piece piece_;
    std::int64_t moved_ = 0;
    std::int64_t wrong_ = 0;
    std::vector<Mismatch> found_{};
};

/// Combines the kernel's counts of all ranks on the root. Collective.
measure::SettlingReport join(measure::Comm const& team, measure::KernelCounts const& mine) {
    std::array most{mine.page_faults, mine.involuntary_switches};
    team.reduce_max(most);
    return {.faults_counted = most[0],
            .faults_all_ranks = team.sum(mine.page_faults),
            .involuntary_switches = static_cast<std::int64_t>(most[1])};
}

/// The timed region. \returns the word of the last decision
template <measure::Timer T>
int timed(Task const& task, T const& timer, DataFile& file, Step const& step, Calls& calls, PatternResult& result) {
    bool const reads = step.access == Access::read;
    std::optional<RowType> rows;
    if (file.strided())
        rows.emplace(task.team.size(), file.owner(), step.chunk);
    Info const info{step.hints};
    if (step.seek && !file.strided())
        file.seek(step.position);

    task.control.in_body(true);
    task.team.barrier();
    auto const before = measure::kernel_counts();
    auto const begin = timer.now();
    if (rows)
        file.view(step.position, *rows, info.native());
    else if (info.native() != MPI_INFO_NULL)
        file.set_info(info.native());
    auto const word = [&] { return calls.word(); };
    auto const loop = reads ? measure::stonewall_loop(
                                  task.team, timer, begin, step.limit, [&](std::int64_t r) { calls.read(r); }, word)
                            : measure::stonewall_loop(
                                  task.team, timer, begin, step.limit, [&](std::int64_t r) { calls.write(r); }, word);
    auto const looped = timer.now();
    auto entered = looped;
    auto synced = looped;
    if (!reads && loop.word == 0) {
        task.team.barrier();
        entered = timer.now();
        file.sync();
        synced = timer.now();
    }
    int const last_word = static_cast<int>(task.team.max(std::max(loop.word, calls.word())));
    auto const end = timer.now();
    auto const counts = measure::kernel_counts() - before;
    task.control.in_body(false);

    result.settling = join(task.team, counts);
    result.repetitions = loop.calls;
    result.decisions = loop.decisions;
    result.time = timer.between(begin, end).count();
    result.io = loop.calling.count();
    result.barrier = (loop.barrier + timer.between(looped, entered) + timer.between(synced, end)).count();
    result.broadcast = loop.broadcast.count();
    result.sync = timer.between(entered, synced).count();
    result.last_call = loop.last_call.count();
    result.last_agreement = loop.last_agreement.count();
    if (loop.is_backward || looped < begin || entered < looped || synced < entered || end < synced) {
        result.is_backward = true;
        for (double* const time : {&result.time, &result.io, &result.barrier, &result.broadcast, &result.sync,
                                   &result.last_call, &result.last_agreement})
            *time = 0;
    }
    return last_word;
}

/// Collects the texts of all ranks as lines on the root.
std::vector<std::string> collect(measure::Comm const& team, std::string const& mine) {
    std::vector<std::string> lines;
    for (std::string const& text : team.gather(mine)) {
        std::size_t begin = 0;
        for (auto end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
            lines.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    return lines;
}

}  // namespace

Outcome execute(Task const& task, DataFile& file, Step const& step) {
    Calls calls{task, file, step};
    Outcome outcome;
    auto& result = outcome.result;
    result.measured = true;
    result.chunk = step.chunk;
    result.length = step.length;
    int const word = task.timer.visit([&](auto const& timer) { return timed(task, timer, file, step, calls, result); });
    result.io_error = word == call_failed;
    outcome.word = result.io_error ? 0 : word;
    if (result.io_error)
        outcome.trouble = agreed_text(task.team, file.trouble());
    result.transferred =
        result.io_error ? task.team.sum(calls.moved())
                        : static_cast<double>(step.length) * static_cast<double>(result.repetitions) * task.team.size();
    result.errors = static_cast<std::int64_t>(task.team.sum(static_cast<double>(calls.wrong())));
    if (result.errors > 0)
        outcome.messages = collect(task.team, calls.messages());
    return outcome;
}

std::optional<double> time_between_barriers(Task const& task, std::function<void()> const& work) {
    return task.timer.visit([&](auto const& timer) {
        task.control.in_body(true);
        task.team.barrier();
        auto const begin = timer.now();
        work();
        task.team.barrier();
        auto const end = timer.now();
        task.control.in_body(false);
        double const time = timer.between(begin, end).count();
        return time < 0 ? std::nullopt : std::optional{time};
    });
}

}  // namespace b_eff_io
