// SPDX-License-Identifier: BSD-3-Clause
/// The tests of memory, which is measured beside MPI in the same start, and of files, which MPI-IO moves.
#include "mpiperf/operations/storage.hpp"

#include "bodies/controls.hpp"
#include "mpiperf/catalogue/parts.hpp"
#include "mpiperf/operations/messages.hpp"
#include "mpiperf/operations/operations.hpp"

#include <measure/benchmark.hpp>
#include <measure/comm.hpp>

namespace mpiperf {

namespace {

/// Of all processes together.
void add_bandwidth(measure::Record& record, measure::Measurement const&) {
    if (record.value && *record.value > 0)
        record.derived["bandwidth"] =
            static_cast<double>(record.at.ranks()) * static_cast<double>(record.at.bytes("bytes")) / *record.value;
}

/// \tparam Pass  over memory  \param reads, writes  one buffer or both
template <class Pass, bool reads, bool writes>
void build_pass(Test const&, Setting const& setting, measure::Benchmark& row) {
    then(row, add_bandwidth);
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        auto const bytes = at.bytes("bytes");
        bodies::Sizes const sizes{reads ? bytes : 0, writes ? bytes : 0};
        return Pass{bytes, bodies::Buffers{place(setting, team, at, sizes), sizes}};
    });
}

template <FileUse use>
void build_file(Test const&, Setting const& setting, measure::Benchmark& row) {
    then(row, add_bandwidth);
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        auto const bytes = at.bytes("bytes");
        bodies::Sizes const sizes{bytes, use == FileUse::read ? bytes : 0};
        return FileAccess{team, setting.scratch, use, bytes,
                          agreed_buffers(team, place(setting, team, at, sizes), sizes)};
    });
}

constexpr Test storage_table[] = {
    {.name = "Mem_read",
     .text = "memory without MPI: c bytes of each process read, eight at a time, all at once",
     .element = 1,
     .refuse = refuse_beyond_memory,
     .build = build_pass<MemoryRead, true, false>},
    {.name = "Mem_write",
     .text = "memory without MPI: c bytes of each process written (memset), all at once",
     .element = 1,
     .refuse = refuse_beyond_memory,
     .build = build_pass<MemoryWrite, false, true>},
    {.name = "Mem_copy",
     .text = "memory without MPI: c bytes of each process copied (memcpy), all at once",
     .element = 1,
     .refuse = refuse_beyond_memory,
     .build = build_pass<bodies::Copy, true, true>},
    {.name = "File_write",
     .text = "MPI_File_write_at of c bytes of each process to a common file, and MPI_File_sync",
     .element = 1,
     .refuse = refuse_large,
     .build = build_file<FileUse::write>},
    {.name = "File_read",
     .text = "MPI_File_read_at of c bytes of each process from a common file that was just written",
     .element = 1,
     .refuse = refuse_large,
     .build = build_file<FileUse::read>},
};

}  // namespace

std::span<Test const> storage_tests() noexcept { return storage_table; }

}  // namespace mpiperf
