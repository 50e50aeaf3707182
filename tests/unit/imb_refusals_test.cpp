// SPDX-License-Identifier: BSD-3-Clause
// Command lines of measure-imb that are refused.
#include "pmb/suite.hpp"
#include "support/catch.hpp"
#include "support/refused.hpp"

#include <string>

namespace {

program::Suite imb(pmb::Part part) { return pmb::suite(part); }

program::Suite const& imb_mpi1() {
    static auto const suite = imb(pmb::Part::imb_mpi1);
    return suite;
}

}  // namespace

TEST_CASE("measure-imb refuses unknown program names", "[imb]") {
    auto const all = pmb::all_parts("measure-imb");
    accepts(all, "--help");
    refuses(all, "", {"the name of a program is missing"});
    refuses(all, "IMB-XYZ", {"'IMB-XYZ' is not a program"});
    // The name of the executable takes precedence.
    refuses(pmb::all_parts("/some/lm_IMB-EXTRA"), "IMB-XYZ", {"'lm_IMB-EXTRA' is not a program"});
}

TEST_CASE("measure-imb has a help and a name for each program", "[imb]") {
    for (std::string const word : {"-h", "-help", "--help"}) {
        auto const [code, text] = program::checked(imb_mpi1(), {word});
        CHECK(code == 0);
        CHECK_THAT(text, Catch::Matchers::StartsWith("Usage: IMB-MPI1"));
    }
    std::string names;
    for (auto const part : pmb::imb_parts)
        names += imb(part).program + ' ';
    CHECK(names == "IMB-MPI1 IMB-EXT IMB-IO IMB-NBC IMB-RMA IMB-P2P IMB-MT ");
}

TEST_CASE("IMB-MPI1 refuses benchmarks of another program and names that program", "[imb]") {
    accepts(imb_mpi1(), "Allreduce Uniband");
    refuses(imb_mpi1(), "Allredcue", {"Allreduce"});
    refuses(imb_mpi1(), "Unirandom", {"IMB-MPI1 has no benchmark 'Unirandom'; IMB-P2P has it"});
    refuses(imb_mpi1(), "Multi-Pingpong", {"; -multi runs 'Pingpong' in several groups"});
    refuses(imb_mpi1(), "Accumulate", {"IMB-EXT and IMB-RMA have it"});
    refuses(imb_mpi1(), "-exclude all", {"-exclude"});
}

TEST_CASE("IMB-MPI1 names the wrong option", "[imb]") {
    accepts(imb_mpi1(), "-npmin 2 -iter_policy off -map 2x1 -msgsize 8 -iter 5 -window_size 1 -data_type double");
    refuses(imb_mpi1(), "-nosuch 5", {"-nosuch"});
    refuses(imb_mpi1(), "-npmin 0", {"-npmin"});
    refuses(imb_mpi1(), "-iter_policy foo", {"-iter_policy"});
    refuses(imb_mpi1(), "-map 3", {"PxQ"});
    refuses(imb_mpi1(), "-msgsize 8,x", {"-msgsize"});
    refuses(imb_mpi1(), "-iter", {"-iter"});
    refuses(imb_mpi1(), "-msglog 3:2", {"-msglog"});
    refuses(imb_mpi1(), "-iter 1 -iter 2", {"-iter"});
    refuses(imb_mpi1(), "-off_cache 1,2,3", {"-off_cache"});
    refuses(imb_mpi1(), "-window_size 0", {"-window_size"});
    refuses(imb_mpi1(), "-load options.yaml", {"-load: YAML options are not supported; --config FILE reads"});
    refuses(imb_mpi1(), "-data_type float16", {"-data_type"});
    refuses(imb_mpi1(), "-red_data_type byte", {"-red_data_type"});
}

TEST_CASE("IMB-MPI1 refuses grids with more processes than there are", "[imb]") {
    accepts(imb_mpi1(), "-map 3x3", {.ranks = 9});
    for (int const ranks : {1, 4})
        refuses(imb_mpi1(), "-map 3x3", {"-map: a grid of 3x3 needs more than " + std::to_string(ranks) + " processes"},
                {.ranks = ranks});
    accepts(imb_mpi1(), "-map 3x3 -list", {.ranks = 1});
}

TEST_CASE("measure-imb refuses options that cannot be combined", "[imb]") {
    accepts(imb_mpi1(), "-check on -contig_type base");
    refuses(imb_mpi1(), "-check on -contig_type resize", {"-contig_type base"});
    accepts(imb_mpi1(), "-method both Bcast");
    refuses(imb_mpi1(), "-method both -start slot", {"-method"});
    accepts(imb_mpi1(), "-show_tail on Bcast");
    for (std::string const words : {"-multi 1", "-check on", "-rounds 2", "-format csv"})
        refuses(imb_mpi1(), "-show_tail on " + words + " Bcast", {"-show_tail"});
    auto const nbc = imb(pmb::Part::imb_nbc);
    accepts(nbc, "Ibcast");
    refuses(nbc, "-stderr 0.1", {"-stderr"});
    auto const rma = imb(pmb::Part::imb_rma);
    accepts(rma, "-aggregate_mode aggregate");
    refuses(rma, "-aggregate_mode both", {"-aggregate_mode"});
}

TEST_CASE("IMB-P2P names the wrong benchmark or option", "[imb]") {
    auto const p2p = imb(pmb::Part::imb_p2p);
    accepts(p2p, "-iter 1,2 -msgsz 8 -pause 0 PingPong");
    refuses(p2p, "PingPnog", {"PingPong"});
    refuses(p2p, "-npmin 2", {"-npmin"});
    refuses(p2p, "-iter 1,2,3", {"S[,V]"});
    refuses(p2p, "-msglog 40", {"-msglog"});
    refuses(p2p, "-msgsz x", {"-msgsz"});
    refuses(p2p, "-pause -1", {"-pause"});
    refuses(p2p, "-msgsz 8 -msglog 2", {"-msglog"});
}

TEST_CASE("IMB-MT names the wrong benchmark or option", "[imb]") {
    auto const mt = imb(pmb::Part::imb_mt);
    accepts(mt, "-count 1 -thread_level multiple -barrier special -malloc_align 4 -check on PingPongMT");
    refuses(mt, "PingPong", {"PingPongMT"});
    refuses(mt, "-npmin 2", {"-npmin"});
    refuses(mt, "-count 0", {"-count"});
    refuses(mt, "-thread_level many", {"-thread_level"});
    refuses(mt, "-barrier 2", {"-barrier"});
    refuses(mt, "-malloc_align 3", {"power of two"});
    refuses(mt, "-check on -datatype char", {"-datatype"});
}
