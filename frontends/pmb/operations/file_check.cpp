// SPDX-License-Identifier: BSD-3-Clause
#include "pmb/operations/file_check.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace pmb {

using measure::Bytes;

namespace {

/// The values of a file repeat after this many elements.
constexpr Bytes period = 10'000'000;

/// Compares blocks of a file with the data of their writers.
class Blocks {
public:
    Blocks(Verifier& verifier, ReadAt const& read, Written const& written)
        : verifier_{verifier}, read_{read}, buffer_(static_cast<std::size_t>(written.block(0).size)) {}

    void compare(int writer, std::int64_t repetition, Bytes at, Bytes size) {
        std::span<std::byte> const block{buffer_.data(), static_cast<std::size_t>(size)};
        std::fill(block.begin(), block.end(), std::byte{});
        read_(at, block);
        verifier_.compare(block, 0, repetition, at, [writer](std::int64_t i) { return file_value(writer, i); });
    }

private:
    Verifier& verifier_;
    ReadAt const& read_;
    std::vector<std::byte> buffer_;
};

/// The rank whose block begins with these bytes; -1 for no rank.
int writer_of(std::span<std::byte const> head, Written const& written) {
    for (int rank = 0; rank < written.processes; ++rank) {
        auto const size = std::min<Bytes>(element, written.block(rank).size);
        auto const first = file_value(rank, 0);
        if (size > 0 && size <= static_cast<Bytes>(head.size()) &&
            std::memcmp(head.data(), &first, static_cast<std::size_t>(size)) == 0)
            return rank;
    }
    return -1;
}

/// Whether the block matches that place of a file with the elements of rank 0.
bool lies_at(std::span<std::byte const> block, Bytes at) {
    for (std::size_t i = 0; i < block.size(); ++i) {
        Bytes const place = at + static_cast<Bytes>(i);
        auto const value = file_value(0, place / element);
        std::array<std::byte, element> bytes;
        std::memcpy(bytes.data(), &value, bytes.size());
        if (block[i] != bytes[static_cast<std::size_t>(place % element)])
            return false;
    }
    return true;
}

}  // namespace

void check_in_order(Verifier& verifier, ReadAt const& read, Written const& written) {
    Blocks blocks{verifier, read, written};
    for (std::int64_t i = 0; i < written.n; ++i)
        for (int rank = 0; rank < written.processes; ++rank) {
            auto const block = written.block(rank);
            blocks.compare(rank, i, i * written.length + block.begin, block.size);
        }
}

void check_own(Verifier& verifier, ReadAt const& read, Written const& written, int rank) {
    Blocks blocks{verifier, read, written};
    Bytes const size = written.block(rank).size;
    for (std::int64_t i = 0; i < written.n; ++i)
        blocks.compare(rank, i, i * size, size);
}

void check_in_any_order(Verifier& verifier, ReadAt const& read, Written const& written) {
    Blocks blocks{verifier, read, written};
    std::vector<std::int64_t> found(static_cast<std::size_t>(written.processes));
    Bytes const end = written.n * written.length;
    for (Bytes at = 0; at < end;) {
        std::array<std::byte, element> head{};
        std::span<std::byte> const first{head.data(), static_cast<std::size_t>(std::min<Bytes>(element, end - at))};
        read(at, first);
        int const writer = writer_of(first, written);
        if (writer < 0) {
            verifier.miss(DefectKind::nobodys, at / written.length, at);
            return;
        }
        Bytes const size = written.block(writer).size;
        blocks.compare(writer, found[static_cast<std::size_t>(writer)]++, at, size);
        at += size;
    }
    for (int rank = 0; rank < written.processes; ++rank) {
        auto const times = found[static_cast<std::size_t>(rank)];
        if (written.block(rank).size > 0 && times != written.n)
            verifier.miss(DefectKind::number, times, end, static_cast<double>(times), static_cast<double>(written.n));
    }
}

std::optional<Bytes> locate(std::span<std::byte const> block, Bytes from, bool on_elements) {
    auto const size = static_cast<Bytes>(block.size());
    for (Bytes skip = 0; skip < (on_elements ? 1 : element) && skip + element <= size; ++skip) {
        std::int32_t value = 0;
        std::memcpy(&value, block.data() + skip, sizeof value);
        Bytes const index = Bytes{value} - file_value(0, 0);
        if (index < 0 || index >= period)
            continue;
        Bytes at = index * element - skip;
        if (at < from)
            at += (from - at + period * element - 1) / (period * element) * (period * element);
        if (lies_at(block, at))
            return at;
    }
    return std::nullopt;
}

bool tile(std::vector<Portion> blocks, Bytes end) {
    std::sort(blocks.begin(), blocks.end(), [](Portion const& a, Portion const& b) { return a.begin < b.begin; });
    Bytes covered = 0;
    for (Portion const& block : blocks) {
        if (block.size == 0)
            continue;
        if (block.begin != covered)
            return false;
        covered += block.size;
    }
    return covered == end;
}

}  // namespace pmb
