// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/run/content.hpp"

#include <measure/mpi_error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace skampi {
namespace {

using Memory = std::vector<std::byte>;

std::byte message_byte(int rank, std::size_t i) { return bodies::message_byte(rank, static_cast<std::int64_t>(i)); }

template <class T>
void store(std::byte* at, int value) {
    auto const x = static_cast<T>(value);
    std::memcpy(at, &x, sizeof x);
}

void store(Datatype const& type, std::byte* at, int value) {
    bool const real = type.kind == Datatype::Kind::real;
    switch (type.size) {
    case sizeof(std::int8_t):
        return store<std::int8_t>(at, value);
    case sizeof(std::int16_t):
        return store<std::int16_t>(at, value);
    case sizeof(std::int32_t):
        return real ? store<float>(at, value) : store<std::int32_t>(at, value);
    default:
        return real ? store<double>(at, value) : store<std::int64_t>(at, value);
    }
}

class Check {
public:
    explicit Check(Bench& bench)
        : bench_{bench}, frame_{bench.frame()}, task_{*bench.setting().task}, length_{static_cast<std::size_t>(
                                                                                  bench.setting().length)} {}

    void fill();
    /// Received data of this process and the expected data. Both are empty if the process receives nothing.
    struct Expectation {
        std::span<std::byte> got{};
        Memory wanted{};
    };
    [[nodiscard]] Expectation expectation();
    [[nodiscard]] std::string compare(Expectation const& e) const;
    [[nodiscard]] std::string communicator() const;
    [[nodiscard]] std::string scalar() const;
    [[nodiscard]] std::string results(std::span<std::byte> got) const;

private:
    [[nodiscard]] int rank() const { return frame_.arguments.rank; }
    [[nodiscard]] int size() const { return frame_.arguments.size; }
    [[nodiscard]] std::span<std::byte> sent() { return {frame_.send, static_cast<std::size_t>(bench_.sizes().send)}; }
    [[nodiscard]] std::span<std::byte> received() {
        return {frame_.receive, static_cast<std::size_t>(bench_.sizes().receive)};
    }
    /// The data of rank r: numbers if they are reduced, otherwise bytes.
    [[nodiscard]] Memory data(int r, std::size_t bytes) const;
    [[nodiscard]] Memory joined(int first, int last) const;
    [[nodiscard]] Memory blocks(std::vector<bodies::Origin> const& origins) const;
    [[nodiscard]] Memory transposed() const;
    [[nodiscard]] Expectation of_content(Content content);
    [[nodiscard]] Expectation of_access(OneSided::Access access);

    Bench& bench_;
    Frame& frame_;
    Task const& task_;
    std::size_t length_;
};

Memory Check::data(int r, std::size_t bytes) const {
    Memory memory(bytes);
    if (task_.op == nullptr) {
        for (std::size_t i = 0; i < bytes; ++i)
            memory[i] = message_byte(r, i);
        return memory;
    }
    // Products of numbers other than 1 and 2 would overflow the type too soon.
    constexpr int few = 2;
    constexpr int many = 11;
    bool const product = task_.op->handle == MPI_PROD;
    auto const element = static_cast<std::size_t>(task_.datatype->size);
    for (std::size_t i = 0; i + element <= bytes; i += element) {
        int const k = 7 * r + static_cast<int>(i / element % 1000);
        store(*task_.datatype, &memory[i], product ? 1 + k % few : k % many);
    }
    return memory;
}

void Check::fill() {
    auto const mine = data(rank(), sent().size());
    std::copy(mine.begin(), mine.end(), sent().begin());
    bool const window = std::holds_alternative<OneSided>(task_.routine->calls);
    for (std::size_t i = 0; i < received().size(); ++i)
        received()[i] = window ? mine[i] : ~message_byte(rank(), i);
    if (auto const* const together = std::get_if<Together>(&task_.routine->calls);
        together != nullptr && together->content == Content::root_everywhere && rank() != task_.root)
        for (auto& byte : sent())
            byte = ~byte;
}

/// The reduction over ranks first .. last, computed locally with MPI_Reduce_local.
Memory Check::joined(int first, int last) const {
    Memory result = data(first, length_);
    for (int r = first + 1; r <= last; ++r) {
        Memory const next = data(r, length_);
        measure::check(MPI_Reduce_local(next.data(), result.data(),
                                        static_cast<int>(length_ / static_cast<std::size_t>(frame_.element)),
                                        task_.datatype->handle, task_.op->handle),
                       "MPI_Reduce_local");
    }
    return result;
}

/// Blocks of the message length from the given origins.
Memory Check::blocks(std::vector<bodies::Origin> const& origins) const {
    Memory memory;
    for (auto const [r, place] : origins)
        for (std::size_t i = 0; i < length_; ++i)
            memory.push_back(message_byte(r, static_cast<std::size_t>(place) * length_ + i));
    return memory;
}

Memory Check::transposed() const {
    auto const n = static_cast<std::size_t>(size());
    auto const element = static_cast<std::size_t>(frame_.element);
    auto const rows = static_cast<std::size_t>(frame_.rows);
    std::size_t const columns = length_ / element / rows;
    Memory memory(n * length_);
    for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t k = 0; k < n * rows; ++k)
            for (std::size_t byte = 0; byte < element; ++byte) {
                std::size_t const from = (k % rows) * n * columns + static_cast<std::size_t>(rank()) * columns + c;
                memory[(c * n * rows + k) * element + byte] =
                    message_byte(static_cast<int>(k / rows), from * element + byte);
            }
    return memory;
}

Check::Expectation Check::of_content(Content content) {
    bool const root = rank() == task_.root;
    switch (content) {
    case Content::none:
        return {};
    case Content::root_everywhere:
        return root ? Expectation{} : Expectation{sent(), data(task_.root, length_)};
    case Content::gathered_at_root:
        if (!root)
            return {};
        [[fallthrough]];
    case Content::gathered:
    case Content::scattered:
    case Content::exchanged:
        return {received(), blocks(bodies::origins(content, rank(), size(), task_.root))};
    case Content::reduced_at_root:
        return root ? Expectation{received(), joined(0, size() - 1)} : Expectation{};
    case Content::reduced:
        return {received(), joined(0, size() - 1)};
    case Content::prefix:
        return {received(), joined(0, rank())};
    case Content::reduced_share: {
        auto const& a = frame_.arguments;
        auto const all = joined(0, size() - 1);
        auto const me = static_cast<std::size_t>(rank());
        std::size_t first = 0;
        for (std::size_t r = 0; r < me; ++r)
            first += static_cast<std::size_t>(a.counts[r] * frame_.element);
        auto const begin = all.begin() + static_cast<std::ptrdiff_t>(first);
        return {received(), Memory(begin, begin + a.counts[me] * frame_.element)};
    }
    case Content::neighbours: {
        std::vector<bodies::Origin> origins;
        for (std::size_t d = 0; d < frame_.neighbours.size(); ++d)
            origins.push_back({frame_.neighbours[d], static_cast<std::int64_t>(d ^ 1)});
        return {received(), blocks(origins)};
    }
    case Content::transposed:
        return {received(), transposed()};
    case Content::prefix_before:
    case Content::reduced_block:
    case Content::added:
        break;
    }
    return {};
}

Check::Expectation Check::of_access(OneSided::Access access) {
    bool const origin = rank() == 0;
    switch (access) {
    case OneSided::Access::put:
        return origin ? Expectation{} : Expectation{received(), data(0, length_)};
    case OneSided::Access::get:
        return origin ? Expectation{sent(), data(1, length_)} : Expectation{};
    case OneSided::Access::accumulate:
        return origin ? Expectation{} : Expectation{received(), joined(0, 1)};
    }
    return {};
}

Check::Expectation Check::expectation() {
    auto const& calls = task_.routine->calls;
    if (auto const* const exchange = std::get_if<Exchange>(&calls))
        return {exchange->in_place ? sent() : received(), data(frame_.peer, length_)};
    if (auto const* const together = std::get_if<Together>(&calls))
        return of_content(together->content);
    if (auto const* const one_sided = std::get_if<OneSided>(&calls))
        return of_access(one_sided->access);
    return {};
}

std::string Check::compare(Expectation const& e) const {
    for (std::size_t i = 0; i < e.wanted.size() && i < e.got.size(); ++i)
        if (e.got[i] != e.wanted[i])
            return fmt::format("byte {} received by rank {} is 0x{:02x} instead of 0x{:02x}", i, rank(),
                               std::to_integer<int>(e.got[i]), std::to_integer<int>(e.wanted[i]));
    if (e.got.size() != e.wanted.size())
        return fmt::format("rank {} received {} bytes instead of {}", rank(), e.got.size(), e.wanted.size());
    return {};
}

/// Checks the size of new communicators: half of the processes, or all of them.
std::string Check::communicator() const {
    auto const* const together = std::get_if<Together>(&task_.routine->calls);
    if (together == nullptr || !together->makes)
        return {};
    int made = 0;
    MPI_Comm_size(frame_.made.back(), &made);
    int const like_me = (size() + 1 - rank() % 2) / 2;
    int const wanted = task_.routine->id == "MPI_Commsplit" ? like_me : size();
    return made == wanted
               ? ""
               : fmt::format("the communicator of rank {} has {} processes instead of {}", rank(), made, wanted);
}

std::string Check::scalar() const {
    if (task_.routine->id != "CG_iteration")
        return {};
    double const wanted = 0.5 * size() * (size() + 1.0);
    return frame_.scalars[1] == wanted
               ? ""
               : fmt::format("rank {}: the sum over all is {} instead of {}", rank(), frame_.scalars[1], wanted);
}

/// Checks the master-worker pattern: each worker has its piece from the master, and each slice of the master has the
/// result of some worker.
std::string Check::results(std::span<std::byte> got) const {
    bool const master = rank() == 0;
    std::size_t const slices = master ? static_cast<std::size_t>(size() - 1) : 1;
    std::int64_t const chunks = bench_.setting().chunks;
    auto const matches = [&](std::span<std::byte const> slice, int sender, std::size_t from) {
        for (std::size_t i = 0; i < slice.size(); ++i)
            if (slice[i] != message_byte(sender, from + i))
                return false;
        return true;
    };
    for (std::size_t s = 0; s < slices; ++s) {
        if (static_cast<std::int64_t>(master ? s : static_cast<std::size_t>(rank() - 1)) >= chunks)
            continue;
        auto const slice = got.subspan(s * length_, length_);
        bool known = !master && matches(slice, 0, static_cast<std::size_t>(rank() - 1) * length_);
        for (int worker = 1; master && !known && worker < size(); ++worker)
            known = matches(slice, worker, 0);
        if (!known)
            return fmt::format("rank {} received data that no process sent", rank());
    }
    return {};
}

}  // namespace

std::string check_messages(Bench& bench, bool corrupt) {
    auto const& team = bench.team();
    auto const& calls = bench.setting().task->routine->calls;
    bool const dispatch = std::holds_alternative<Dispatch>(calls);
    Check check{bench};
    check.fill();
    team.barrier();
    int const code = bench.once();
    team.barrier();
    // The target sees the data of a passive access after it has locked its own window.
    auto const* const one_sided = std::get_if<OneSided>(&calls);
    bool const passive = one_sided != nullptr && one_sided->target == nullptr;
    if (passive)
        MPI_Win_lock(MPI_LOCK_SHARED, team.rank(), 0, bench.frame().window->native());
    auto expectation = check.expectation();
    if (dispatch)
        expectation.got = {bench.frame().receive, static_cast<std::size_t>(bench.sizes().receive)};
    if (corrupt && !expectation.got.empty())
        expectation.got[0] ^= std::byte{1};
    std::string fault = code != MPI_SUCCESS ? "MPI reports an error"
                        : dispatch          ? check.results(expectation.got)
                                            : check.compare(expectation);
    if (passive)
        MPI_Win_unlock(team.rank(), bench.frame().window->native());
    for (std::string const& other : {check.communicator(), check.scalar()})
        if (fault.empty())
            fault = other;
    bench.clear();
    for (std::string const& text : team.gather(fault))
        if (team.is_root() && !text.empty()) {
            fault = text;
            break;
        }
    team.broadcast(fault);
    return fault;
}

}  // namespace skampi
