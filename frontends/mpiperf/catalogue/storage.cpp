// SPDX-License-Identifier: BSD-3-Clause
/// Tests of memory, measured without MPI in the same launch, and of files, with MPI-IO or directly.
#include "mpiperf/operations/storage.hpp"

#include "bodies/controls.hpp"
#include "mpiperf/catalogue/parts.hpp"
#include "mpiperf/operations/messages.hpp"
#include "mpiperf/operations/operations.hpp"

#include <measure/benchmark.hpp>
#include <measure/comm.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mpiperf {

namespace {

/// Adds the bandwidth of all processes together.
void add_bandwidth(measure::Record& record, measure::Measurement const&) {
    if (record.value && *record.value > 0)
        record.derived["bandwidth"] =
            static_cast<double>(record.at.ranks()) * static_cast<double>(record.at.bytes("bytes")) / *record.value;
}

/// \tparam Pass  over memory  \tparam reads, writes  whether it needs the send and the receive buffer
template <class Pass, bool reads, bool writes>
void build_pass(Test const&, Setting const& setting, measure::Benchmark& row) {
    then(row, add_bandwidth);
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        auto const bytes = at.bytes("bytes");
        bodies::Sizes const sizes{reads ? bytes : 0, writes ? bytes : 0};
        return Pass{bytes, bodies::Buffers{place(setting, team, at, sizes), sizes}};
    });
}

void add_kernel(measure::Record& record, measure::Measurement const&) {
    record.derived["kernel"] = std::string{memory_kernels().back().name};
}

void build_read(Test const& test, Setting const& setting, measure::Benchmark& row) {
    build_pass<MemoryRead, true, false>(test, setting, row);
    then(row, add_kernel);
}

void build_triad(Test const&, Setting const& setting, measure::Benchmark& row) {
    then(row, add_bandwidth);
    then(row, add_kernel);
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        auto const bytes = at.bytes("bytes");
        bodies::Sizes const sizes{bytes / 3 * 2, bytes / 3};
        return MemoryTriad{bytes, bodies::Buffers{place(setting, team, at, sizes), sizes}};
    });
}

void build_write(Test const&, Setting const& setting, measure::Benchmark& row) {
    then(row, add_bandwidth);
    row.make = maker(setting, [&setting](measure::Comm const& team, measure::Point const& at) {
        auto const bytes = at.bytes("bytes");
        bodies::Sizes const sizes{bytes, 0};
        return FileAccess{team, setting.scratch, FileUse::write, bytes,
                          agreed_buffers(team, place(setting, team, at, sizes), sizes)};
    });
}

/// Flags records with page_cache if the last body read from the page cache. \returns the variable that the maker sets
std::shared_ptr<bool> flag_cached(measure::Benchmark& row) {
    auto cached = std::make_shared<bool>(false);
    then(row, [cached](measure::Record& record, measure::Measurement const&) {
        if (record.value && *cached)
            record.flag("page_cache");
    });
    return cached;
}

void build_file_read(Test const&, Setting const& setting, measure::Benchmark& row) {
    then(row, add_bandwidth);
    row.make =
        maker(setting, [&setting, cached = flag_cached(row)](measure::Comm const& team, measure::Point const& at) {
            auto const bytes = at.bytes("bytes");
            bodies::Sizes const sizes{bytes, bytes};
            FileAccess file{team, setting.scratch, FileUse::read, bytes,
                            agreed_buffers(team, place(setting, team, at, sizes), sizes)};
            *cached = file.is_cached(team);
            return file;
        });
}

template <FileUse use>
void build_direct(Test const&, Setting const& setting, measure::Benchmark& row) {
    then(row, add_bandwidth);
    row.make =
        maker(setting, [&setting, cached = flag_cached(row)](measure::Comm const& team, measure::Point const& at) {
            auto const bytes = at.bytes("bytes");
            bodies::Sizes const sizes{bytes, use == FileUse::read ? bytes : 0};
            auto policy = place(setting, team, at, sizes);
            policy.alignment = std::max(policy.alignment, DirectAccess::block);
            DirectAccess file{team, setting.scratch, use, bytes, agreed_buffers(team, policy, sizes)};
            *cached = use == FileUse::read && file.is_cached(team);
            return file;
        });
}

constexpr measure::Bytes pass_bytes = measure::mebi;

constexpr Test storage_table[] = {
    {.name = "Mem_read",
     .text = "memory without MPI: c bytes of each process read, all at once; loop in vectors",
     .element = 1,
     .refuse = refuse_beyond_memory,
     .build = build_read,
     .batch_bytes = pass_bytes},
    {.name = "Mem_write",
     .text = "memory without MPI: c bytes of each process written (memset), all at once",
     .element = 1,
     .refuse = refuse_beyond_memory,
     .build = build_pass<MemoryWrite, false, true>,
     .batch_bytes = pass_bytes},
    {.name = "Mem_copy",
     .text = "memory without MPI: c bytes of each process copied (memcpy), all at once",
     .element = 1,
     .refuse = refuse_beyond_memory,
     .build = build_pass<bodies::Copy, true, true>,
     .batch_bytes = pass_bytes},
    {.name = "Mem_triad",
     .text =
         "memory without MPI: a = b + s*c of c doubles in each process, 24 bytes each, all at once; loop in vectors",
     .element = MemoryTriad::element,
     .refuse = refuse_beyond_memory,
     .build = build_triad,
     .batch_bytes = pass_bytes},
    {.name = "File_write",
     .text = "MPI_File_write_at of c bytes of each process to a common file, and MPI_File_sync",
     .element = 1,
     .refuse = refuse_large,
     .build = build_write},
    {.name = "File_read",
     .text = "MPI_File_read_at of c bytes of each process from a common file that was just written",
     .element = 1,
     .refuse = refuse_large,
     .build = build_file_read},
    {.name = "File_write_direct",
     .text = "pwrite with O_DIRECT of c bytes of each process to a common file, and fdatasync; c in blocks of 4096",
     .element = 1,
     .refuse = refuse_large,
     .build = build_direct<FileUse::write>},
    {.name = "File_read_direct",
     .text = "pread with O_DIRECT of c bytes of each process from a common file; c in blocks of 4096",
     .element = 1,
     .refuse = refuse_large,
     .build = build_direct<FileUse::read>},
};

bool has_kernel(Test const& test) { return test.build == build_read || test.build == build_triad; }

}  // namespace

std::vector<Test> storage_tests() {
    static auto const texts = [] {
        std::map<std::string_view, std::string> named;
        for (auto const& test : storage_table)
            if (has_kernel(test))
                named.emplace(test.name, fmt::format("{} of {}", test.text, memory_kernels().back().name));
        return named;
    }();
    std::vector<Test> tests(std::begin(storage_table), std::end(storage_table));
    for (auto& test : tests)
        if (has_kernel(test))
            test.text = texts.at(test.name);
    return tests;
}

}  // namespace mpiperf
