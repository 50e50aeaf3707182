// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/memory_test.hpp"
#include "mpiperf/operations/process_memory.hpp"
#include "support/catch.hpp"

#include <sys/mman.h>

#include <cstring>
#include <string>
#include <vector>

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::string_view status = "Name:\tmpiperf\n"
                                    "VmPeak:\t  999999 kB\n"
                                    "VmHWM:\t    2000 kB\n"
                                    "VmRSS:\t    1700 kB\n"
                                    "RssAnon:\t     500 kB\n"
                                    "RssFile:\t    1100 kB\n"
                                    "RssShmem:\t     100 kB\n"
                                    "HugetlbPages:\t    4096 kB\n";
constexpr std::string_view rollup = "55f8-7fff ---p 00000000 00:00 0       [rollup]\n"
                                    "Rss:                1780 kB\n"
                                    "Pss_Anon:            116 kB\n"
                                    "Anonymous:           520 kB\n"
                                    "AnonHugePages:      2048 kB\n"
                                    "ShmemPmdMapped:        0 kB\n"
                                    "Shared_Hugetlb:     1024 kB\n"
                                    "Private_Hugetlb:    3072 kB\n";

}  // namespace

TEST_CASE("memory is parsed from the kernel's files, and exact page counts are preferred to estimates", "[mpiperf]") {
    auto const m = mpiperf::parse_process_memory(status, rollup);
    CHECK(m.resident == 1780 * 1024);
    CHECK(m.peak == 2000 * 1024);
    CHECK(m.anonymous == 520 * 1024);
    CHECK(m.file == 1100 * 1024);
    CHECK(m.shared == 100 * 1024);
    CHECK(m.huge == (2048 + 1024 + 3072) * 1024);
}

TEST_CASE("without the sum over mappings only the status file is used, and missing entries are 0", "[mpiperf]") {
    auto const m = mpiperf::parse_process_memory(status, "");
    CHECK(m.resident == 1700 * 1024);
    CHECK(m.anonymous == 500 * 1024);
    CHECK(m.huge == 4096 * 1024);
    CHECK(mpiperf::parse_process_memory("", "").resident == 0);
    CHECK(mpiperf::parse_process_memory("VmRSS:\nVmHWM: 1 kB", "").peak == 1024);
}

TEST_CASE("touched memory appears in the memory of the process", "[mpiperf]") {
    constexpr std::size_t size = 8 << 20;
    // Uses mmap, because the heap may still have such memory from other tests.
    void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    auto const before = mpiperf::process_memory();
    std::memset(pages, 'x', size);
    auto const after = mpiperf::process_memory();
    munmap(pages, size);
    CHECK(after.resident - before.resident > measure::Bytes{size / 2});
}

TEST_CASE("a change below one page is ignored", "[mpiperf]") {
    CHECK(mpiperf::page_delta(8191, 4096, 4096) == 0);
    CHECK(mpiperf::page_delta(8192, 4096, 4096) == 4096);
    CHECK(mpiperf::page_delta(4096, 8191, 4096) == 0);
    CHECK(mpiperf::page_delta(4096, 12288, 4096) == -8192);
}

TEST_CASE("the growth model is the least-squares line", "[mpiperf]") {
    // Mean p 14/3, mean memory 30; sum of squares 56/3, sum of products 92: 69/14 per process, and 30 - 23 for zero
    // processes.
    auto const model = mpiperf::memory_model({2, 4, 8}, {20, 22, 48});
    REQUIRE(model.line.has_value());
    CHECK(model.line->slope == Approx(69.0 / 14));
    CHECK(model.line->at(0) == Approx(7));
    CHECK_FALSE(mpiperf::memory_model({2}, {20}).line.has_value());
    CHECK_FALSE(mpiperf::memory_model({}, {}).line.has_value());
}

TEST_CASE("memory is measured with 2, 4, .. and all processes, or with the requested numbers", "[mpiperf]") {
    using Numbers = std::vector<std::int64_t>;
    CHECK(mpiperf::memory_processes({}, 6) == Numbers{2, 4, 6});
    CHECK(mpiperf::memory_processes({}, 2) == Numbers{2});
    CHECK(mpiperf::memory_processes({}, 1) == Numbers{1});
    mpiperf::Options options;
    options.min_ranks = 1;
    options.max_ranks = 4;
    options.rank_step.add = 1;
    CHECK(mpiperf::memory_processes(options, 8) == Numbers{1, 2, 3, 4});
}

TEST_CASE("memory is read at the start, with each communicator and after each test", "[mpiperf]") {
    std::vector<std::int64_t> const processes{2, 4};
    std::vector<std::string> const tests{"Bcast"};
    std::vector<std::string> texts;
    for (auto const& at : mpiperf::memory_points(processes, tests, 4))
        texts.push_back(at.text());
    CHECK(texts == std::vector<std::string>{"ranks=4 phase=init", "ranks=2 phase=communicator", "ranks=2 phase=contact",
                                            "ranks=4 phase=communicator", "ranks=4 phase=contact",
                                            "ranks=4 phase=Bcast"});
}

TEST_CASE("the memory table is in KiB, its records are in bytes", "[mpiperf]") {
    mpiperf::MemoryRow const row{
        .processes = 4, .phase = "contact", .resident = {4096, 6144, 8192}, .peak = 10240, .delta = 512};
    auto const model = mpiperf::memory_model({2, 4}, {4096, 8192});
    auto const text = mpiperf::memory_table({&row, 1}, model, {"a", "b"});
    CHECK_THAT(text, ContainsSubstring("[Procs]") && ContainsSubstring("[dRSS]"));
    CHECK_THAT(
        text,
        Catch::Matchers::Matches(
            "(.|\n)*  4 +contact +4\\.0 +6\\.0 +8\\.0 +10\\.0 +0\\.5\n(.|\n)*0\\.0 KiB \\+ 2\\.0 KiB p\n.*a, b\n"));
    CHECK(mpiperf::memory_lines({&row, 1}, mpiperf::memory_columns()) == "Memory,4,contact,4096,6144,8192,10240,512\n");
    CHECK(mpiperf::memory_lines({&row, 1}, {"Benchmark", "Count", "dRSS", "Procs"}) == "Memory,,512,4\n");

    auto const record = mpiperf::memory_record(row);
    CHECK(record.quantity == measure::Quantity::memory);
    CHECK(record.value == 6144);
    CHECK(record.at.text("phase") == "contact");
    auto const summary = mpiperf::memory_summary(model, {});
    CHECK(summary.value == 2048);
    CHECK(summary.unit == "B");
    CHECK_FALSE(mpiperf::memory_summary({}, {}).value.has_value());
}
