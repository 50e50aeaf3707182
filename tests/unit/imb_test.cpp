// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/passive.hpp"
#include "pmb/operations/partners.hpp"
#include "pmb/report/result.hpp"
#include "pmb/report/table.hpp"
#include "pmb/rules.hpp"
#include "pmb/setup.hpp"
#include "pmb/team.hpp"
#include "program/cli/parse.hpp"
#include "support/catch.hpp"

#include <measure/error.hpp>

#include <optional>
#include <string>
#include <vector>

namespace {

using Catch::Approx;
using measure::seconds;
using pmb::Parameters;
using pmb::Part;
using pmb::RowCount;

pmb::Setup imb_setup(std::vector<std::string> const& words) {
    pmb::Options options{Part::imb_mpi1};
    program::Parser parser{"IMB", "test"};
    pmb::declare(parser, options);
    static_cast<void>(parser.parse(words));
    return pmb::resolve(options, {}, [](std::string const&) { return std::string{}; });
}

}  // namespace

TEST_CASE("multiple_np: repetitions fall with length and processes and are multiples of the number of processes",
          "[imb]") {
    Parameters p;
    p.max_log = 12;
    CHECK(pmb::multiple_repetitions(0, 2, p) == 998);
    CHECK(pmb::multiple_repetitions(1024, 2, p) == 666);
    CHECK(pmb::multiple_repetitions(2048, 2, p) == 500);
    CHECK(pmb::multiple_repetitions(4096, 2, p) == 332);
    // 2 x 4096 / (3 x 4096 + 4096) is 0.5: one per process.
    p.repetitions = 2;
    CHECK(pmb::multiple_repetitions(4096, 3, p) == 3);
}

TEST_CASE("dynamic: repetitions fit into the time and never exceed the previous count", "[imb]") {
    // floor(1 + 10 / 3) = 4.
    CHECK(pmb::dynamic_repetitions(1000, seconds{10}, seconds{3}, {}, 1000, {}) == 4);
    CHECK(pmb::dynamic_repetitions(1000, seconds{10}, seconds{1e-9}, {}, 500, {}) == 500);
    std::vector<RowCount> const earlier{{0, 900}, {1024, 7}};
    CHECK(pmb::dynamic_repetitions(1000, seconds{10}, seconds{0.01}, earlier, 1000, {}) == 7);
}

TEST_CASE("dynamic: listed lengths compare with shorter and longer ones", "[imb]") {
    std::vector<RowCount> const earlier{{1024, 50}};
    // floor(1 + 10 / 0.5) = 21 fit. A longer length had 50, so 50 are used.
    CHECK(pmb::dynamic_repetitions(1000, seconds{10}, seconds{0.5}, earlier, 1000, 8) == 50);
    // 101 fit, but a shorter length had 50.
    CHECK(pmb::dynamic_repetitions(1000, seconds{10}, seconds{0.1}, earlier, 1000, 4096) == 50);
    CHECK(pmb::dynamic_repetitions(20, seconds{10}, seconds{0.5}, earlier, 1000, 8) == 20);
}

TEST_CASE("the time of a repetition is measured with the number of repetitions that takes about 1 s", "[imb]") {
    CHECK(pmb::probes(seconds{1e-4}, false) == 1000);
    CHECK(pmb::probes(seconds{0.25}, false) == 4);
    CHECK(pmb::probes(seconds{2}, false) == 1);
    CHECK(pmb::probes(seconds{1e-4}, true) == 50);
    CHECK(pmb::probes(seconds{0.005}, true) == 4);
}

TEST_CASE("the warm-up has a tenth of the repetitions, but at least ten", "[imb]") {
    CHECK(pmb::warm_up_of(1000) == 100);
    CHECK(pmb::warm_up_of(20) == 10);
    CHECK(pmb::warm_up_of(3) == 3);
}

TEST_CASE("cold blocks are one cache line apart and fill twice the cache", "[imb]") {
    Parameters p;
    CHECK(pmb::cold_blocks(100, 1000, p).count == 1);
    p.cache = 1024;
    // 100 bytes take two lines, plus one line between: 192; 2048 / 192 = 10.7.
    CHECK(pmb::cold_blocks(100, 1000, p).step == 192);
    CHECK(pmb::cold_blocks(100, 1000, p).count == 11);
    CHECK(pmb::cold_blocks(100, 5, p).count == 5);
}

TEST_CASE("cold blocks keep elements aligned for any cache line size", "[imb]") {
    Parameters p;
    p.cache = 1024;
    p.cache_line = 10;
    // 12 bytes take 20, plus 10 between: 30, rounded up to 32.
    CHECK(pmb::cold_blocks(12, 1000, p).step == 32);
    CHECK(pmb::cold_blocks(12, 1000, p).count == 64);
}

TEST_CASE("lengths are multiples of the data type", "[imb]") {
    auto const s = imb_setup({"-data_type", "int", "-red_data_type", "double"});
    CHECK(pmb::unit_of(*pmb::find(pmb::Part::imb_mpi1, "PingPong"), s.parameters) == 4);
    CHECK(pmb::unit_of(*pmb::find(pmb::Part::imb_mpi1, "Uniband"), s.parameters) == 4);
    CHECK(pmb::unit_of(*pmb::find(pmb::Part::imb_mpi1, "Allgatherv"), s.parameters) == 4);
    CHECK(pmb::unit_of(*pmb::find(pmb::Part::imb_mpi1, "Reduce_scatter"), s.parameters) == 8);
    CHECK(pmb::unit_of(*pmb::find(pmb::Part::imb_mpi1, "Barrier"), s.parameters) == 1);
}

TEST_CASE("cold memory is limited to the memory that the repetitions use", "[imb]") {
    Parameters p;
    CHECK(pmb::cold_memory(100, p) == 100);
    p.cache = 1024;
    // Blocks of 192 bytes fill 2048 bytes, and the last one begins before the end.
    CHECK(pmb::cold_memory(100, p) == 2048 + 192);
    p.repetitions = 2;
    p.non_aggregate = 3;
    CHECK(pmb::cold_memory(100, p) == 3 * 192);
}

TEST_CASE("the memory size includes what a check needs in addition to the messages", "[imb]") {
    Parameters const p;
    auto const needed = [&p](pmb::Part part, char const* name, bool check) {
        return pmb::find(part, name)->memory(1000, 64, p, check);
    };
    for (char const* const name : {"All_put_all", "All_get_all", "One_put_all", "Put_all_local"}) {
        CAPTURE(name);
        CHECK(needed(pmb::Part::imb_rma, name, false) == 2 * 1000);
        CHECK(needed(pmb::Part::imb_rma, name, true) == 2 * 64 * 1000);
    }
    CHECK(needed(pmb::Part::imb_rma, "Exchange_put", true) == 2 * 2 * 1000);
    CHECK(needed(pmb::Part::imb_rma, "Unidir_put", true) == 2 * 1000);
    CHECK(needed(pmb::Part::imb_mpi1, "Bcast", false) == 2 * 1000);
    CHECK(needed(pmb::Part::imb_mpi1, "Bcast", true) == 3 * 1000);
    CHECK(needed(pmb::Part::imb_mpi1, "Alltoall", true) == 2 * 64 * 1000);
}

TEST_CASE("a tail report has the minimum, ten quantiles and the maximum", "[imb]") {
    std::vector<double> times;
    for (int i = 100; i >= 0; --i)
        times.push_back(i);
    CHECK(pmb::Table::tail(times) ==
          "[ 0.00, 10.00, 25.00, 50.00, 75.00, 90.00, 95.00, 99.00, 99.50, 99.90, 99.99, 100.00 ]\n");
}

TEST_CASE("the ranks of a grid have a defined order", "[imb]") {
    CHECK(pmb::grid_order(4, 2, 2) == std::vector{0, 2, 1, 3});
    // Keys of 2 x 3: 0 3 1 4 2 5.
    CHECK(pmb::grid_order(6, 2, 3) == std::vector{0, 2, 4, 1, 3, 5});
    CHECK(pmb::grid_order(3, 1, 3) == std::vector{0, 1, 2});
}

TEST_CASE("groups follow the order of the grid", "[imb]") {
    auto const grouping = pmb::Grouping::of(4, 2, true, {0, 2, 1, 3});
    CHECK(grouping.members() == std::vector<std::vector<int>>{{0, 2}, {1, 3}});
    CHECK(grouping.group_of(2) == 0);
    CHECK(grouping.group_of(1) == 1);
    CHECK(pmb::Grouping::of(4, 2, false, {0, 2, 1, 3}).group_of(1) == -1);
}

TEST_CASE("default options match the original IMB", "[imb]") {
    auto const s = imb_setup({});
    CHECK(s.policy == pmb::Policy::dynamic);
    CHECK(s.time->count() == 10);
    CHECK_FALSE(s.rotate_root);
    CHECK(s.parameters.sync);
    CHECK(s.parameters.window == 256);
    CHECK(s.benchmarks.size() == 19);
    CHECK_FALSE(imb_setup({"-iter", "5"}).optional_mode());
    CHECK(imb_setup({"-msglog", "3:3"}).parameters.min_log == 3);
    CHECK(imb_setup({"-off_cache", "-1"}).parameters.cache == 8 * measure::mebi);
    CHECK(imb_setup({"-off_cache", "0.5,32"}).parameters.cache_line == 32);
    CHECK(imb_setup({"-map", "4x2"}).map->rows == 4);
    CHECK_FALSE(imb_setup({"-map", "1x2"}).map.has_value());
    CHECK_FALSE(imb_setup({"-sync", "NO"}).parameters.sync);
    CHECK(imb_setup({"-root_shift", "1"}).rotate_root);
    CHECK(imb_setup({"-red_data_type", "double"}).parameters.reduced == pmb::ElementType::real64);
    CHECK(imb_setup({"-contig_type", "resize_vec"}).parameters.packing == pmb::Packing{true, true});
    CHECK_THROWS_AS(imb_setup({"-map", "0x2"}), measure::UsageError);
    CHECK_THROWS_AS(imb_setup({"-n_warmup", "2"}), measure::UsageError);
}

TEST_CASE("the overlap of IMB collectives is relative to the longer time", "[imb]") {
    // 1 s of 2 and 4 s together is hidden.
    CHECK(pmb::overlap_of_longer(seconds{2}, seconds{4}, seconds{5}) == Approx(0.25));
    CHECK(pmb::overlap(seconds{2}, seconds{4}, seconds{5}) == Approx(0.5));
    CHECK(pmb::overlap_of_longer(seconds{0}, seconds{0}, seconds{5}) == 0);
}

TEST_CASE("each transfer pattern defines which ranks a rank accesses", "[imb]") {
    using bodies::Transfer, bodies::Ways, bodies::transfers;
    using Transfers = std::vector<Transfer>;
    CHECK(transfers(Ways::one, 0, 2) == Transfers{{1}});
    CHECK(transfers(Ways::one, 1, 2).empty());
    CHECK(transfers(Ways::both, 1, 2) == Transfers{{0}});
    CHECK(transfers(Ways::one_to_all, 0, 3) == Transfers{{1}, {2}});
    CHECK(transfers(Ways::one_to_all, 2, 3).empty());
    CHECK(transfers(Ways::all_to_all, 1, 3) == Transfers{{2}, {0}});
    CHECK(transfers(Ways::to_neighbours, 0, 3) == Transfers{{2, 0, 0}, {1, 1, 1}});
}

TEST_CASE("IMB-P2P: repetitions are rounded", "[imb]") {
    // 800 MiB / 1 MiB; 1 MiB / 1000 = 1048.6; 1 MiB / 3 MiB = 0.3.
    CHECK(pmb::rounded_repetitions(measure::mebi, 100'000, 800 * measure::mebi) == 800);
    CHECK(pmb::rounded_repetitions(1000, 100'000, measure::mebi) == 1049);
    CHECK(pmb::rounded_repetitions(3 * measure::mebi, 100'000, measure::mebi) == 1);
    CHECK(pmb::rounded_repetitions(0, 7, measure::mebi) == 7);
    CHECK(pmb::short_warm_up_of(1) == 0);
    CHECK(pmb::short_warm_up_of(5) == 1);
    CHECK(pmb::short_warm_up_of(39) == 3);
}

TEST_CASE("IMB-P2P: partners are drawn at random", "[imb]") {
    // The upper part of 4343336064253945357, then of 7560690468208412377 times that value plus the same increment,
    // modulo 2^64.
    pmb::Draw draw;
    CHECK(draw(2'000'000'000) == 1184965489);
    CHECK(draw(2'000'000'000) == 1778132755);
    // Modulo 4: 1 3, 2 (2) 3, 2 3.
    using Steps = std::vector<pmb::Step>;
    CHECK(pmb::drawn_steps(0, 4, 3, false).empty());
    CHECK(pmb::drawn_steps(1, 4, 3, false) == Steps{{3, -1}});
    CHECK(pmb::drawn_steps(3, 4, 3, false) == Steps{{-1, 1}, {-1, 2}, {-1, 2}});
    CHECK(pmb::drawn_steps(3, 4, 2, true) == Steps{{1, 1}, {2, 2}});
}

TEST_CASE("IMB-P2P: a shuffled ring contains each process once", "[imb]") {
    // Modulo 4: 1 3 2 2, so 0 1 2 3 becomes 1 0 2 3, 1 3 2 0, 1 3 2 0, 1 3 0 2.
    using Steps = std::vector<pmb::Step>;
    CHECK(pmb::ring_steps(1, 4, 1) == Steps{{3, 2}});
    CHECK(pmb::ring_steps(0, 4, 1) == Steps{{2, 3}});
    for (int rank = 0; rank < 5; ++rank) {
        auto const mine = pmb::ring_steps(rank, 5, 20);
        for (std::size_t i = 0; i < mine.size(); ++i)
            CHECK(pmb::ring_steps(mine[i].to, 5, 20)[i].from == rank);
    }
}

TEST_CASE("IMB-P2P: grids are nearly square", "[imb]") {
    CHECK(pmb::sides(4, 2) == std::vector{2, 2});
    CHECK(pmb::sides(6, 2) == std::vector{3, 2});
    CHECK(pmb::sides(8, 2) == std::vector{2, 4});
    CHECK(pmb::sides(5, 2).empty());
    CHECK(pmb::sides(2, 2).empty());
    CHECK(pmb::sides(8, 3) == std::vector{2, 2, 2});
    // With 3 first, the rest is 2 x 2.
    CHECK(pmb::sides(12, 3) == std::vector{2, 3, 2});
    CHECK(pmb::sides(4, 3).empty());
    // Ranks of 2 x 3: 0 1 2, 3 4 5.
    CHECK(pmb::grid_neighbours(0, {2, 3}) == std::vector{2, 1, 3, 3});
    CHECK(pmb::grid_neighbours(5, {2, 3}) == std::vector{4, 3, 2, 2});
}

TEST_CASE("IMB-P2P: the time is averaged over all processes, the rate is that of the slowest", "[imb]") {
    auto const& b = *pmb::find(Part::imb_p2p, "PingPong");
    auto const grouping = pmb::Grouping::of(2, 2, false);
    pmb::Setup const setup{.part = Part::imb_p2p};
    std::vector<pmb::Report> const reports{{.reading = {.time = 3e-6}, .repetitions = 10},
                                           {.reading = {.time = 5e-6}, .repetitions = 10}};
    auto const rows = pmb::join({b, pmb::Mode::single, grouping.members(), 0}, grouping, 100, reports, setup, {});
    CHECK(rows.at(0).value == Approx(5e-6));
    // (3 + 5) / (2 x 2) us; 2 messages in 5 us.
    pmb::Table const table{pmb::Format::table, 1e6, Part::imb_p2p};
    CHECK(table.rows(pmb::shape(b, setup), rows) ==
          "          100           10         2.00        40.00       400000\n");
    CHECK_FALSE(pmb::fits(b, 3));
    CHECK(pmb::fits(*pmb::find(Part::imb_p2p, "Corandom"), 3));
    CHECK_FALSE(pmb::fits(*pmb::find(Part::imb_p2p, "Stencil3D"), 4));
}

TEST_CASE("a row in which a process lost its core is disturbed", "[imb]") {
    auto const& b = *pmb::find(Part::imb_mpi1, "Bcast");
    auto const grouping = pmb::Grouping::of(2, 2, false);
    std::vector<pmb::Report> reports(2, {.reading = {.time = 1e-6}, .repetitions = 10});
    auto const row = [&](Part part) {
        pmb::Setup const setup{.part = part};
        return pmb::join(pmb::head_of(b, setup, grouping), grouping, 8, reports, setup, {}).at(0);
    };
    CHECK_FALSE(row(Part::imb_mpi1).has_flag("disturbed"));
    reports[1].reading.counts.involuntary_switches = 1;
    CHECK(row(Part::imb_mpi1).has_flag("disturbed"));
    // The tables of PMB do not change.
    CHECK_FALSE(row(Part::mpi1).has_flag("disturbed"));
}

TEST_CASE("IMB-MT: the ranks of a pair are one stride apart", "[imb]") {
    using Pair = std::optional<pmb::StridePair>;
    CHECK(pmb::resolved_stride(0, 5) == 2);
    CHECK(pmb::resolved_stride(1, 5) == 1);
    // Groups of two: 0 1 | 2 3 | 4.
    CHECK(pmb::stride_pair(1, 5, 2) == Pair{{true, 3}});
    CHECK(pmb::stride_pair(2, 5, 2) == Pair{{false, 0}});
    CHECK_FALSE(pmb::stride_pair(4, 5, 2));
    CHECK(pmb::stride_pair(3, 4, 1) == Pair{{false, 2}});
    CHECK_FALSE(pmb::stride_pair(0, 5, 3));
    CHECK_FALSE(pmb::stride_pair(0, 1, 0));
}

TEST_CASE("IMB-MT: rates include all pairs of threads", "[imb]") {
    auto const& b = *pmb::find(Part::imb_mt, "UniBandMT");
    auto const grouping = pmb::Grouping::of(3, 3, false);
    pmb::Setup setup{.part = Part::imb_mt};
    setup.parameters.threads.threads = 2;
    // Times per message: 1 and 3 us, 4 and 8 us. The third process has no partner.
    std::vector<pmb::Report> const reports{
        {.reading = {.time = 3e-6, .threads = measure::RankSpread{1e-6, 2e-6, 3e-6}}, .repetitions = 10},
        {.reading = {.time = 8e-6, .threads = measure::RankSpread{4e-6, 6e-6, 8e-6}}, .repetitions = 10},
        {.reading = {.timed = false}, .repetitions = 10}};
    auto const rows = pmb::join(pmb::head_of(b, setup, grouping), grouping, 200, reports, setup, {});
    CHECK(rows.at(0).over_ranks->min == Approx(1e-6));
    CHECK(rows.at(0).at.integer("threads") == 2);
    CHECK(rows.at(0).at.integer("stride") == 1);
    // Two pairs of threads: 2 x 100 bytes in 8 us, 2 messages in 4 us.
    pmb::Table const table{pmb::Format::table, 1e6, Part::imb_mt};
    CHECK(table.rows(pmb::shape(b, setup), rows) ==
          "          200           10         4.00        25.00       500000\n");
}

TEST_CASE("IMB-MT: lengths include the message of each thread", "[imb]") {
    pmb::Options options{Part::imb_mt};
    program::Parser parser{"IMB", "test"};
    pmb::declare(parser, options);
    static_cast<void>(parser.parse({"-count", "1,3", "-datatype", "char", "-repeat", "7", "-malloc_align", "2"}));
    options.threads.threads = 4;
    auto const s = pmb::resolve(options, {}, [](std::string const&) { return std::string{}; });
    CHECK(s.lengths == std::vector<measure::Bytes>{4, 12});
    CHECK(s.parameters.repetitions == 7);
    CHECK(s.parameters.warm_up == 100);
    CHECK(s.parameters.window == 64);
    CHECK_FALSE(s.time);
}

TEST_CASE("processes without a time are ignored", "[imb]") {
    auto const& b = *pmb::find(Part::imb_rma, "Unidir_put");
    auto const grouping = pmb::Grouping::of(2, 2, false);
    pmb::Setup const setup{.part = Part::imb_rma};
    std::vector<pmb::Report> const reports{{.reading = {.time = 2e-6}, .repetitions = 10},
                                           {.reading = {.time = 1e-9, .timed = false}, .repetitions = 10}};
    auto const rows = pmb::join({b, pmb::Mode::aggregate, grouping.members(), 0}, grouping, 100, reports, setup, {});
    CHECK(rows.at(0).over_ranks->min == Approx(2e-6));
    CHECK(rows.at(0).over_ranks->mean == Approx(2e-6));
    CHECK(rows.at(0).derived.number({"bandwidth"}) == Approx(5e7));
}

TEST_CASE("a message rate counts the messages of all pairs", "[imb]") {
    auto const& b = *pmb::find(Part::imb_mpi1, "Biband");
    auto const grouping = pmb::Grouping::of(4, 4, false);
    pmb::Setup setup{.part = Part::imb_mpi1};
    pmb::Report const report{.reading = {.time = 1e-3}, .repetitions = 10};
    std::vector const reports(4, report);
    auto const rows = pmb::join({b, pmb::Mode::single, grouping.members(), 0}, grouping, 100, reports, setup, {});
    // Two directions, 256 messages, two pairs in one millisecond.
    CHECK(rows.at(0).derived.number({"message_rate"}) == Approx(1024000));
    CHECK(rows.at(0).derived.number({"bandwidth"}) == Approx(102400000));
    pmb::Table const table{pmb::Format::table, 1e6, Part::imb_mpi1};
    CHECK(table.rows(pmb::shape(b, setup), rows) == "          100           10       102.40      1024000\n");
}
