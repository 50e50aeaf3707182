// SPDX-License-Identifier: BSD-3-Clause
#include "shared/sha256.hpp"
#include "support/catch.hpp"
#include "tune/earlier.hpp"
#include "tune/library/algorithms.hpp"
#include "tune/library/rule_file.hpp"
#include "tune/library/selection_tree.hpp"
#include "tune/library/settings.hpp"
#include "tune/options.hpp"
#include "tune/outcome.hpp"
#include "tune/plan.hpp"
#include "tune/report.hpp"

#include <measure/error.hpp>
#include <measure/report.hpp>
#include <measure/shuffle.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace measure::tool::tune;
using json = nlohmann::ordered_json;

namespace {

std::vector<std::string> names(NamesFound const& found) {
    std::vector<std::string> texts;
    for (auto const& one : found.known)
        texts.push_back(one.name);
    return texts;
}

constexpr char const* bcast_text =
    "Variable to select bcast algorithmauto - Internal algorithm selection (can be overridden with "
    "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)binomial                                - Force Binomial Treenb         "
    "                             - Force nonblocking algorithmsmp                                     - Force smp "
    "algorithmscatter_recursive_doubling_allgather    - Force Scatter Recursive-Doubling "
    "Allgatherscatter_ring_allgather"
    "                  - Force Scatter Ring";

}  // namespace

TEST_CASE("algorithm names are found in the description of a variable, without a space before them",
          "[measure][tune]") {
    auto const bcast = names_in(bcast_text);
    CHECK(names(bcast) == std::vector<std::string>{"auto", "binomial", "nb", "smp",
                                                   "scatter_recursive_doubling_allgather", "scatter_ring_allgather"});
    CHECK(bcast.known[4].value == 4);
    CHECK(bcast.unknown.empty());

    auto const alltoall = names_in(
        "Variable to select alltoall algorithmauto - Internal algorithm selection (can be overridden with "
        "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)brucks                    - Force brucks algorithmnb                "
        "        - Force nonblocking algorithmpairwise                  - Force pairwise algorithmpairwise_sendrecv_"
        "replace - Force pairwise sendrecv replace algorithmscattered                 - Force scattered algorithm");
    CHECK(names(alltoall) ==
          std::vector<std::string>{"auto", "brucks", "nb", "pairwise", "pairwise_sendrecv_replace", "scattered"});
    auto const fallback = names_in(
        "Variable to control what the MPI library should do if theuser-specified collective algorithm does not work "
        "for thearguments passed in by the user.error   - throw an errorprint   - print an error message and fallback "
        "to the internally selected algorithmsilent  - silently fallback to the internally selected algorithm");
    CHECK(names(fallback) == std::vector<std::string>{"error", "print", "silent"});
}

TEST_CASE("an unknown name is reported, not guessed, and the other names keep their numbers", "[measure][tune]") {
    auto const found =
        names_in("Variable to select bcast algorithmauto - Internal (FILE)magic_ring  - Force magic ring "
                 "algorithmring - Force ring algorithmk_tree - Force");
    CHECK(found.known == std::vector<Algorithm>{{"auto", 0}, {"ring", 2}});
    CHECK(found.unknown == std::vector<std::string>{"(FILE)magic_ring", "algorithmk_tree"});
    CHECK(names_in("").known.empty());
    // Each unknown name has one warning.
    CHECK(unknown_names({.collectives = {{.name = "Bcast", .variable = "BCAST", .unknown = found.unknown},
                                         {.name = "Scan", .variable = "SCAN"}}}) ==
          std::vector<std::string>{"BCAST: ignoring a value with the unknown name '(FILE)magic_ring'",
                                   "BCAST: ignoring a value with the unknown name 'algorithmk_tree'"});
}

TEST_CASE("variables and restrictions follow from the names of collectives and algorithms", "[measure][tune]") {
    CHECK(variable_of(LibraryFamily::mpich, "Reduce_scatter_block") ==
          "MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM");
    CHECK(restriction(LibraryFamily::mpich, "Bcast", "smp") == "parent-comm");
    CHECK(restriction(LibraryFamily::mpich, "Allgather", "recursive_doubling") == "power-of-two");
    CHECK(restriction(LibraryFamily::mpich, "Allreduce", "recursive_doubling").empty());
    CHECK(variable_of(LibraryFamily::open_mpi, "Reduce_scatter") == "coll_tuned_reduce_scatter_algorithm");
    CHECK(restriction(LibraryFamily::open_mpi, "Barrier", "two_proc") == "two ranks");
}

namespace {

constexpr char const* tree_text =
    R"({"collective=bcast":{"comm_type=intra":{"avg_msg_size<=12288":{"algorithm=MPIR_Bcast_intra_binomial":{}},)"
    R"("avg_msg_size=any":{"algorithm=MPIR_Bcast_intra_scatter_ring_allgather":{}}},)"
    R"("comm_type=inter":{"algorithm=MPIR_Bcast_inter_remote_send_local_bcast":{}}},)"
    R"("collective=allgather":{"comm_type=intra":{"algorithm=MPIR_Allgather_intra_ring":{}},)"
    R"("comm_type=inter":{"algorithm=MPIR_Allgather_inter_local_gather_remote_bcast":{}}},)"
    R"("collective=alltoall":{"comm_type=intra":{)"
    R"("is_sendbuf_inplace=yes":{"algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace":{}},)"
    R"("is_sendbuf_inplace=no":{"algorithm=MPIR_Alltoall_intra_scattered":{}}},)"
    R"("comm_type=inter":{"algorithm=MPIR_Alltoall_inter_pairwise_exchange":{}}},)"
    R"("collective=allreduce":{"comm_type=intra":{"algorithm=MPIR_Allreduce_intra_recursive_doubling":{}},)"
    R"("comm_type=inter":{"algorithm=MPIR_Allreduce_inter_reduce_exchange_bcast":{}}},)"
    R"("collective=exscan":{"algorithm=MPIR_Exscan_intra_recursive_doubling":{}}})";

std::set<std::string> const leaves{"MPIR_Bcast_intra_binomial",    "MPIR_Bcast_intra_smp",
                                   "MPIR_Bcast_allcomm_nb",        "MPIR_Allgather_intra_brucks",
                                   "MPIR_Alltoall_intra_pairwise", "MPIR_Allreduce_intra_reduce_scatter_allgather",
                                   "MPIR_Exscan_allcomm_nb",       "MPIR_Bcast_intra_scatter_ring_allgather",
                                   "MPIR_Alltoall_intra_scattered"};

/// The algorithm that a library would choose: it follows the first condition that holds.
std::string chosen(json const& tree, std::map<std::string, std::int64_t> const& sizes,
                   std::vector<std::string> const& facts) {
    for (auto const& [key, below] : tree.items()) {
        if (key.starts_with("algorithm="))
            return key.substr(10);
        bool holds = key.ends_with("=any") || std::find(facts.begin(), facts.end(), key) != facts.end();
        for (auto const& [name, value] : sizes) {
            if (key.starts_with(name + "<="))
                holds = value <= std::stoll(key.substr(name.size() + 2));
            else if (key.starts_with(name + "<") && key != "count<pow2")
                holds = value < std::stoll(key.substr(name.size() + 1));
        }
        if (holds)
            return chosen(below, sizes, facts);
    }
    return "none";
}

}  // namespace

TEST_CASE("the selection tree and the algorithm names are found in the file of the library", "[measure][tune]") {
    std::string file = "ELF";
    file += '\0';
    file +=
        R"({"collective=bcast":{"composition=MPIDI_Bcast_intra_composition_alpha":{}}, "and a long tail that counts for nothing": 1, )";
    file.append(2000, ' ');
    file += '\0';
    file += tree_text;
    file += '\0';
    file += "algorithm=MPIR_Bcast_allcomm_nb";
    file += '\0';
    auto const texts = texts_in(file);
    REQUIRE(texts);
    CHECK(texts->tree == tree_text);
    CHECK(texts->leaves.contains("MPIR_Bcast_allcomm_nb"));
    CHECK(texts->leaves.contains("MPIR_Alltoall_intra_scattered"));
    CHECK_FALSE(texts_in("no tree"));
    CHECK(leaf_of(leaves, "Bcast", "nb") == "MPIR_Bcast_allcomm_nb");
    CHECK(leaf_of(leaves, "Bcast", "binomial") == "MPIR_Bcast_intra_binomial");
    CHECK_FALSE(leaf_of(leaves, "Bcast", "ring"));
}

TEST_CASE("a rule holds exactly for its sizes, to the byte, and its number of ranks", "[measure][tune]") {
    auto const text =
        tuned_tree(tree_text, leaves, {{{"Bcast", 4}, {{65536, 1048576, "nb"}, {4194304, 8388608, "binomial"}}}});
    auto const tree = json::parse(text);
    auto const bcast = [&](std::int64_t ranks, std::int64_t bytes) {
        return chosen(tree["collective=bcast"], {{"comm_size", ranks}, {"avg_msg_size", bytes}}, {"comm_type=intra"});
    };
    CHECK(bcast(4, 65535) == "MPIR_Bcast_intra_scatter_ring_allgather");
    CHECK(bcast(4, 65536) == "MPIR_Bcast_allcomm_nb");
    CHECK(bcast(4, 1048576) == "MPIR_Bcast_allcomm_nb");
    CHECK(bcast(4, 1048577) == "MPIR_Bcast_intra_scatter_ring_allgather");
    CHECK(bcast(4, 4194304) == "MPIR_Bcast_intra_binomial");
    CHECK(bcast(4, 8388609) == "MPIR_Bcast_intra_scatter_ring_allgather");
    CHECK(bcast(4, 8) == "MPIR_Bcast_intra_binomial");
    for (auto const ranks : {3, 5})
        CHECK(bcast(ranks, 65536) == "MPIR_Bcast_intra_scatter_ring_allgather");
    CHECK(chosen(tree["collective=bcast"], {}, {"comm_type=inter"}) == "MPIR_Bcast_inter_remote_send_local_bcast");
    // The other collectives are unchanged.
    CHECK(tree["collective=allgather"] == json::parse(tree_text)["collective=allgather"]);
    CHECK(tree.size() == 5);
}

TEST_CASE("each number of ranks has its own rules", "[measure][tune]") {
    auto const tree = json::parse(tuned_tree(
        tree_text, leaves,
        {{{"Bcast", 5}, {{8, 64, "binomial"}}}, {{"Bcast", 2}, {{8, 64, "nb"}}}, {{"Bcast", 4}, {{8, 64, "smp"}}}}));
    auto const bcast = [&](std::int64_t ranks) {
        return chosen(tree["collective=bcast"], {{"comm_size", ranks}, {"avg_msg_size", 8}},
                      {"comm_type=intra", "comm_hierarchy=parent"});
    };
    CHECK(bcast(2) == "MPIR_Bcast_allcomm_nb");
    CHECK(bcast(4) == "MPIR_Bcast_intra_smp");
    CHECK(bcast(5) == "MPIR_Bcast_intra_binomial");
    auto const own = json::parse(tuned_tree(tree_text, leaves, {}));
    for (std::int64_t const ranks : {1, 3, 6, 100})
        CHECK(bcast(ranks) == chosen(own["collective=bcast"], {{"comm_size", ranks}, {"avg_msg_size", 8}},
                                     {"comm_type=intra", "comm_hierarchy=parent"}));
}

TEST_CASE("sizes in rules are counted like in the library", "[measure][tune]") {
    auto const tree = json::parse(tuned_tree(tree_text, leaves, {{{"Allgather", 4}, {{1000, 2000, "brucks"}}}}));
    auto const allgather = [&](std::int64_t bytes) {
        return chosen(tree["collective=allgather"], {{"comm_size", 4}, {"total_msg_size", bytes}}, {"comm_type=intra"});
    };
    CHECK(allgather(3999) == "MPIR_Allgather_intra_ring");
    CHECK(allgather(4000) == "MPIR_Allgather_intra_brucks");
    CHECK(allgather(8000) == "MPIR_Allgather_intra_brucks");
    CHECK(allgather(8001) == "MPIR_Allgather_intra_ring");
    CHECK(key_bytes({"Reduce_scatter", 4}, 4096) == 4096);
    CHECK(key_bytes({"Reduce_scatter_block", 4}, 4096) == 16384);
    CHECK(key_bytes({"Bcast", 4}, 4096) == 4096);
    for (auto const name : {"Gather", "Scatterv", "Alltoallv", "Scan", "Barrier"})
        CHECK(size_key(name) == SizeKey::none);
}

TEST_CASE("the library chooses where the tuned algorithm is not applicable", "[measure][tune]") {
    auto const tree = json::parse(tuned_tree(tree_text, leaves,
                                             {{{"Alltoall", 2}, {{8, 1024, "pairwise"}}},
                                              {{"Bcast", 2}, {{8, 1024, "smp"}}},
                                              {{"Allreduce", 2}, {{8, 1024, "reduce_scatter_allgather"}}},
                                              {{"Exscan", 2}, {{0, 0, "nb"}}}}));
    std::map<std::string, std::int64_t> const at{{"comm_size", 2}, {"avg_msg_size", 512}};
    auto const pick = [&](char const* collective, std::vector<std::string> facts) {
        facts.emplace_back("comm_type=intra");
        return chosen(tree[std::string{"collective="} + collective], at, facts);
    };
    CHECK(pick("alltoall", {"is_sendbuf_inplace=no"}) == "MPIR_Alltoall_intra_pairwise");
    CHECK(pick("alltoall", {"is_sendbuf_inplace=yes"}) == "MPIR_Alltoall_intra_pairwise_sendrecv_replace");
    CHECK(pick("bcast", {"comm_hierarchy=parent"}) == "MPIR_Bcast_intra_smp");
    CHECK(pick("bcast", {}) == "MPIR_Bcast_intra_binomial");
    CHECK(pick("allreduce", {"is_op_built_in=yes"}) == "MPIR_Allreduce_intra_reduce_scatter_allgather");
    CHECK(pick("allreduce", {"is_op_built_in=yes", "count<pow2"}) == "MPIR_Allreduce_intra_recursive_doubling");
    CHECK(pick("allreduce", {"is_op_built_in=no"}) == "MPIR_Allreduce_intra_recursive_doubling");
    CHECK(pick("exscan", {}) == "MPIR_Exscan_allcomm_nb");
}

TEST_CASE("the size of a tree file is never a multiple of the page size", "[measure][tune][not_quick]") {
    std::mt19937_64 random{1};
    int multiples = 0;
    auto const base = json::parse(tree_text);
    // One text that would fill a whole number of pages, and a hundred of random sizes.
    json padded;
    for (std::size_t n = 1; padded.is_null() || (padded.dump(1).size() + 1) % 4096 != 0; ++n) {
        padded = base;
        padded["collective=" + std::string(n, 'x')] = json::object();
        REQUIRE(n <= 4096);
    }
    auto const exact = tuned_tree(padded.dump(), leaves, {});
    CHECK(exact.size() % 4096 == 1);
    for (int i = 0; i < 100; ++i) {
        std::vector<SizeRule> rules;
        for (std::int64_t low = 8; low < 1 << 20; low *= 2)
            if (measure::draw_below(random, 2) == 0)
                rules.push_back(
                    {low, low + static_cast<std::int64_t>(measure::draw_below(random, static_cast<std::uint64_t>(low))),
                     "nb"});
        std::vector<TunedCollective> tuned;
        if (!rules.empty())
            tuned.push_back({{"Bcast", 4}, rules});
        auto const text = tuned_tree(tree_text, leaves, tuned);
        multiples += text.size() % 4096 == 0;
        CHECK(text.ends_with("}\n"));
    }
    CHECK(multiples == 0);
}

TEST_CASE("a base that is not a selection tree of the library is rejected", "[measure][tune]") {
    CHECK_THROWS_AS(tuned_tree("{", leaves, {}), measure::UsageError);
    CHECK_THROWS_AS(tuned_tree("[]", leaves, {}), measure::UsageError);
    CHECK_THROWS_AS(tuned_tree("{\"comm_size\": 1e999}", leaves, {}), measure::UsageError);
    std::string nested = "{";
    for (int i = 0; i < 100'000; ++i)
        nested += R"("a":{)";
    nested = R"({"collective=bcast":)" + nested + std::string(100'001, '}') + "}";
    CHECK_THROWS_AS(tuned_tree(nested, leaves, {{{"Bcast", 2}, {{0, 8, "binomial"}}}}), measure::UsageError);
    CHECK_THROWS_AS(check_tree("", {}), measure::UsageError);
    CHECK_THROWS_AS(check_tree(R"({"collective=bcast": 1})", {"Bcast"}), measure::UsageError);
    CHECK_THROWS_AS(check_tree(R"({"collective=bcast": {}})", {"Bcast", "Scan"}), measure::UsageError);
    CHECK_NOTHROW(check_tree(R"({"collective=bcast": {}})", {"Bcast"}));
    CHECK_THROWS_AS(tuned_tree("{}", leaves, {{{"Bcast", 2}, {{0, 8, "nb"}}}}), measure::UsageError);
    CHECK_THROWS_AS(tuned_tree(tree_text, leaves, {{{"Bcast", 2}, {{0, 8, "magic"}}}}), measure::UsageError);
}

TEST_CASE("reading a written plan gives the same plan", "[measure][tune]") {
    WorkerPlan const plan{
        .phase = Phase::decide,
        .seed = 7,
        .blocks = 5,
        .via = Via::environment,
        .side = "tuned:Bcast:8-64=nb",
        .points = {{{"Bcast", 2}, 65536, {"auto", "auto_again", "nb"}}, {{"Barrier", 4}, 0, {"auto"}}}};
    CHECK(text_of(plan) == "phase decide\nseed 7\nblocks 5\nvia environment\nside tuned:Bcast:8-64=nb\n"
                           "point Bcast 2 65536 auto auto_again nb\npoint Barrier 4 0 auto\n");
    CHECK(plan_from(text_of(plan), "plan") == plan);
    CHECK(plan_from(text_of(WorkerPlan{}), "plan") == WorkerPlan{});
    for (auto const text : {"phase nothing", "phase", "point Bcast 2 8", "point Bcast 0 8 auto", "blocks 0",
                            "via nothing", "words and words"})
        CHECK_THROWS_AS(plan_from(text, "plan"), measure::UsageError);
}

TEST_CASE("settings use the variable names of each library", "[measure][tune]") {
    CHECK(family_of("MPICH 4.0.2") == LibraryFamily::mpich);
    CHECK(family_of("Open MPI 4.1.4") == LibraryFamily::open_mpi);
    CHECK_FALSE(family_of("Intel MPI 2021"));
    CHECK(forcing(LibraryFamily::mpich, "Bcast", "nb") == Settings{{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "nb"}});
    CHECK(forcing(LibraryFamily::open_mpi, "Bcast", "chain") ==
          Settings{{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}, {"OMPI_MCA_coll_tuned_bcast_algorithm", "chain"}});
    CHECK(of_writing(LibraryFamily::mpich).empty());
    CHECK(of_writing(LibraryFamily::open_mpi) == Settings{{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}});
    CHECK(without_han() == Settings{{"OMPI_MCA_coll_han_priority", "0"}});
    // A user who sets this variable does not choose an algorithm.
    CHECK_FALSE(chooses(without_han().front().first));
    for (auto const family : {LibraryFamily::mpich, LibraryFamily::open_mpi}) {
        CHECK(chooses(of_file(family, "/file").back().first));
        CHECK(of_file(family, "/file").back().second == "/file");
        CHECK(chooses(forcing(family, "Bcast", "binomial").back().first));
    }
    CHECK_FALSE(chooses("OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize"));
    CHECK_FALSE(chooses("MPIR_CVAR_NOLOCAL"));
    // In Open MPI, the rules of a scan do not depend on the message size.
    CHECK(is_sized(LibraryFamily::open_mpi, "Gather"));
    CHECK_FALSE(is_sized(LibraryFamily::open_mpi, "Scan"));
    CHECK_FALSE(is_sized(LibraryFamily::open_mpi, "Gatherv"));
    CHECK_FALSE(is_sized(LibraryFamily::mpich, "Gather"));
    CHECK(falls_back(LibraryFamily::open_mpi, {"Allgather", 3}, "neighbor"));
    CHECK(falls_back(LibraryFamily::open_mpi, {"Allgather", 6}, "recursive_doubling"));
    CHECK_FALSE(falls_back(LibraryFamily::open_mpi, {"Allgather", 4}, "recursive_doubling"));
    CHECK_FALSE(falls_back(LibraryFamily::open_mpi, {"Allreduce", 3}, "recursive_doubling"));
    CHECK_FALSE(falls_back(LibraryFamily::mpich, {"Allgather", 3}, "recursive_doubling"));
}

TEST_CASE("the sizes to tune are multiples of the element size", "[measure][tune]") {
    using Sizes = std::vector<measure::Bytes>;
    CHECK(sizes_of({.low = 8, .high = 64, .factor = 4}, "Bcast") == Sizes{8, 32, 64});
    CHECK(sizes_of({.low = 1, .high = 20, .factor = 2}, "Allreduce") == Sizes{8, 16});
    CHECK(sizes_of({}, "Barrier") == Sizes{0});
    CHECK(sizes_of({.low = 65535, .high = 65536, .factor = 4}, "Bcast") == Sizes{65535, 65536});
}

namespace {

TunedSegment tuned_segment(std::string collective, measure::Bytes low, measure::Bytes high, std::string algorithm) {
    TunedSegment one{.place = {std::move(collective), 2}};
    one.segment = {.low = low, .high = high, .sizes = {low}, .algorithms = {"auto", "a", "b"}};
    one.choice.algorithm = std::move(algorithm);
    one.choice.reason = one.choice.algorithm.empty() ? "no difference" : "";
    return one;
}

}  // namespace

TEST_CASE("adjacent segments with the same algorithm become one rule", "[measure][tune]") {
    std::vector segments{tuned_segment("Bcast", 8, 63, "a"),    tuned_segment("Bcast", 64, 511, "a"),
                         tuned_segment("Bcast", 512, 4095, ""), tuned_segment("Bcast", 4096, 8191, "a"),
                         tuned_segment("Reduce", 8, 64, "a"),   tuned_segment("Scan", 8, 64, "")};
    auto const rules = rules_of(segments);
    REQUIRE(rules.size() == 2);
    CHECK(rules[0].rules == std::vector<SizeRule>{{8, 511, "a"}, {4096, 8191, "a"}});
    CHECK(rules[1].place == Place{"Reduce", 2});
    // A segment that the proof returned to the default has no rule.
    segments[1].returned = "slower";
    CHECK(rules_of(segments)[0].rules == std::vector<SizeRule>{{8, 63, "a"}, {4096, 8191, "a"}});
    CHECK(rules_of({}).empty());
}

TEST_CASE("segments whose gain is not proven return to the default", "[measure][tune]") {
    using measure::Verdict;
    std::vector segments{tuned_segment("Bcast", 8, 63, "a"),      tuned_segment("Bcast", 64, 511, "a"),
                         tuned_segment("Bcast", 512, 4095, "a"),  tuned_segment("Bcast", 4096, 8191, "b"),
                         tuned_segment("Bcast", 8192, 16383, ""), tuned_segment("Bcast", 16384, 32767, "b")};
    constexpr std::array verdicts{Verdict::faster, Verdict::unclear, Verdict::faster, Verdict::same};
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        segments[i].proof.emplace();
        segments[i].proof->verdict = verdicts[i];
    }
    segments[5].returned = "slower in the proof";
    return_unproved(segments);
    CHECK(rules_of(segments)[0].rules == std::vector<SizeRule>{{8, 63, "a"}, {512, 4095, "a"}});
    CHECK(segments[1].returned == "not proven (unclear)");
    CHECK(segments[3].returned == "not proven (same)");
    CHECK(segments[5].returned == "slower in the proof");
}

TEST_CASE("an algorithm that is not applicable at a size is excluded only from the segment of that size",
          "[measure][tune]") {
    auto const segment = tuned_segment("Bcast", 64, 511, "");
    auto const excluded = [](Place const& place, std::optional<measure::Bytes> bytes) {
        return Excluded{.place = place, .algorithm = "a", .reason = "not applicable here", .bytes = bytes};
    };
    CHECK(is_of(excluded({"Bcast", 2}, 64), segment));
    CHECK_FALSE(is_of(excluded({"Bcast", 2}, 8), segment));
    CHECK(is_of(excluded({"Bcast", 2}, std::nullopt), segment));
    CHECK(is_of(excluded({"Bcast", 0}, std::nullopt), segment));
    CHECK_FALSE(is_of(excluded({"Bcast", 4}, 64), segment));
}

TEST_CASE("a segment of one size takes the algorithm that both neighbours have", "[measure][tune]") {
    std::vector segments{tuned_segment("Bcast", 8, 63, "a"), tuned_segment("Bcast", 64, 511, ""),
                         tuned_segment("Bcast", 512, 4095, "a"), tuned_segment("Bcast", 4096, 8191, ""),
                         tuned_segment("Reduce", 8, 64, "a")};
    dissolve_islands(segments);
    CHECK(segments[1].choice.algorithm == "a");
    CHECK(segments[1].choice.reason.empty());
    CHECK(segments[3].choice.algorithm.empty());
    // A segment of two sizes is not an island, nor is one where the algorithm was dropped.
    segments[1] = tuned_segment("Bcast", 64, 511, "");
    segments[1].segment.sizes = {64, 128};
    dissolve_islands(segments);
    CHECK(segments[1].choice.algorithm.empty());
    segments[1].segment.sizes = {64};
    segments[1].segment.algorithms = {"auto", "b"};
    dissolve_islands(segments);
    CHECK(segments[1].choice.algorithm.empty());
}

namespace {

std::vector<Collective> const numbered{
    {.name = "Bcast", .algorithms = {{"auto", 0}, {"chain", 2}, {"pipeline", 3}, {"binomial", 6}}},
    {.name = "Allgather", .algorithms = {{"bruck", 2}}},
    {.name = "Barrier", .algorithms = {{"two_proc", 5}}},
    {.name = "Scan", .algorithms = {{"recursive_doubling", 2}}}};

/// Reads a rule file like Open MPI 4.1: numbers only, without comments. \return the algorithm for a call
int read_rule(std::string const& file, int id, int ranks, std::int64_t bytes) {
    std::string plain;
    bool in_comment = false;
    for (char const c : file) {
        in_comment = (in_comment || c == '#') && c != '\n';
        plain += in_comment ? ' ' : c;
    }
    std::istringstream stream{plain};
    auto const number = [&] {
        std::string word;
        REQUIRE((stream >> word));
        CHECK((word == "0" || word.front() != '0'));
        return std::stoll(word);
    };
    int found = 0;
    for (auto collectives = number(); collectives > 0; --collectives) {
        auto const own_id = number();
        bool const is_it = own_id == id;
        bool is_first = true;
        for (auto sizes = number(); sizes > 0; --sizes) {
            auto const size = number();
            bool const holds = is_it && (is_first || size <= ranks);
            is_first = false;
            int chosen = 0;
            for (auto rules = number(); rules > 0; --rules) {
                auto const from = number();
                auto const algorithm = number();
                // The chain of the library has four branches. Messages are not segmented.
                CHECK(number() == (own_id == 7 && algorithm == 2 ? 4 : 0));
                CHECK(number() == 0);
                if (from <= bytes)
                    chosen = static_cast<int>(algorithm);
            }
            if (holds)
                found = chosen;
        }
    }
    std::string rest;
    CHECK_FALSE((stream >> rest));
    return found;
}

}  // namespace

TEST_CASE("a rule file of Open MPI applies only to its numbers of ranks and sizes", "[measure][tune]") {
    auto const file = rule_file({{{"Bcast", 8}, {{64, 1023, "binomial"}, {4096, 65536, "pipeline"}}},
                                 {{"Allgather", 8}, {{8, 1024, "bruck"}}},
                                 {{"Barrier", 8}, {{0, 0, "two_proc"}}},
                                 {{"Scan", 8}, {{8, 64, "recursive_doubling"}}},
                                 {{"Bcast", 12}, {{64, 1023, "pipeline"}, {2048, 4096, "chain"}}}},
                                numbered);
    auto const bcast = [&](int ranks, std::int64_t bytes) { return read_rule(file, 7, ranks, bytes); };
    CHECK(bcast(8, 63) == 0);
    CHECK(bcast(8, 64) == 6);
    CHECK(bcast(8, 1023) == 6);
    CHECK(bcast(8, 1024) == 0);
    CHECK(bcast(8, 4096) == 3);
    CHECK(bcast(8, 65536) == 3);
    CHECK(bcast(8, 65537) == 0);
    CHECK(bcast(12, 64) == 3);
    CHECK(bcast(12, 4096) == 2);
    CHECK(bcast(12, 4097) == 0);
    for (int const ranks : {1, 2, 7, 9, 11, 13, 16})
        CHECK(bcast(ranks, 64) == 0);
    // The size of an allgather is the size of all blocks.
    CHECK(read_rule(file, 0, 8, 63) == 0);
    CHECK(read_rule(file, 0, 8, 64) == 2);
    CHECK(read_rule(file, 0, 8, 8192) == 2);
    CHECK(read_rule(file, 0, 8, 8193) == 0);
    // A collective without sizes has one rule.
    CHECK(read_rule(file, 6, 8, 0) == 5);
    CHECK(read_rule(file, 14, 8, 1 << 20) == 2);
    CHECK(read_rule(file, 6, 9, 0) == 0);
    // Other collectives have no rule.
    CHECK(read_rule(file, 2, 8, 64) == 0);
    CHECK(read_rule(rule_file({{{"Bcast", 1}, {{0, 8, "pipeline"}}}}, numbered), 7, 1, 8) == 3);
    CHECK(read_rule(rule_file({}, numbered), 7, 4, 8) == 0);
}

TEST_CASE("rules that Open MPI could not read are rejected", "[measure][tune]") {
    CHECK_THROWS_AS(rule_file({{{"Alltoallw", 4}, {{0, 8, "linear"}}}}, numbered), measure::UsageError);
    CHECK_THROWS_AS(rule_file({{{"Bcast", 4}, {}}}, numbered), measure::UsageError);
    CHECK_THROWS_AS(rule_file({{{"Bcast", 4}, {{64, 128, "binomial"}, {128, 256, "pipeline"}}}}, numbered),
                    measure::UsageError);
}

TEST_CASE("the document of an earlier campaign contains the rules of its file", "[measure][tune]") {
    auto const segments = segments_in(
        R"({"document": "tuning", "segments": [
            {"collective": "Bcast", "ranks": 4, "low": 8, "high": 1023, "sizes": [8, 64], "chosen": null,
             "kept_default_because": "no difference"},
            {"collective": "Bcast", "ranks": 4, "low": 1024, "high": 4096, "sizes": [1024, 4096], "chosen": "binomial",
             "kept_default_because": null}]})",
        "tuning.json");
    REQUIRE(segments.size() == 2);
    CHECK(segments[0].choice.reason == "no difference");
    CHECK(segments[1].segment.sizes == std::vector<measure::Bytes>{1024, 4096});
    auto const rules = rules_of(segments);
    REQUIRE(rules.size() == 1);
    CHECK(rules[0].rules == std::vector<SizeRule>{{1024, 4096, "binomial"}});
    for (auto const* const text : {"", "[]", "{", R"({"document": "model"})", R"({"document": "tuning"})",
                                   R"({"document": "tuning", "segments": [{"collective": "Bcast", "low": "8"}]})"})
        CHECK_THROWS_AS(segments_in(text, "tuning.json"), measure::UsageError);
    auto const of_ranks = [](std::string const& ranks) {
        return segments_in(
            R"({"document": "tuning", "segments": [{"collective": "Bcast", "ranks": )" + ranks +
                R"(, "low": 8, "high": 8, "sizes": [8], "chosen": null, "kept_default_because": null}]})",
            "tuning.json");
    };
    CHECK(of_ranks("2147483647").size() == 1);
    for (auto const* const ranks : {"4294967298", "1e300", "2.5", "null"})
        CHECK_THROWS_AS(of_ranks(ranks), measure::UsageError);
    CHECK_THROWS_AS(segments_in(R"({"document": "tuning", "segments": [], "files": )" + std::string(100'000, '[') +
                                    std::string(100'000, ']') + "}",
                                "tuning.json"),
                    measure::UsageError);
}

TEST_CASE("a switch is located between the measured sizes of two segments", "[measure][tune]") {
    std::vector segments{tuned_segment("Bcast", 8, 63, "a"), tuned_segment("Bcast", 64, 511, ""),
                         tuned_segment("Reduce", 8, 64, "b")};
    // Segments from a document have no leader.
    CHECK(switches_of(segments).empty());
    segments[0].segment.leader = "a";
    segments[0].segment.sizes = {8, 48};
    segments[1].segment.leader = "auto";
    segments[2].segment.leader = "b";
    auto const switches = switches_of(segments);
    REQUIRE(switches.size() == 1);
    CHECK(switches[0].place == Place{"Bcast", 2});
    CHECK(switches[0].low == 48);
    CHECK(switches[0].high == 64);
    CHECK(switches[0].at == 64);
    CHECK(switches[0].from == "a");
    CHECK(switches[0].to == "auto");
    CHECK(switches_of({}).empty());
}

TEST_CASE("the document contains rules, switches, and the digest of the file", "[measure][tune]") {
    auto const document = [](Outcome const& outcome) {
        return json::parse(measure::json_text(document_of(outcome, {.alpha = 0.01})));
    };
    Outcome outcome;
    CHECK(document(outcome)["files"] == json::array());
    outcome.segments = {tuned_segment("Bcast", 8, 63, "a"), tuned_segment("Bcast", 64, 511, "")};
    outcome.segments[0].segment.leader = "a";
    outcome.segments[1].segment.leader = "auto";
    outcome.file = "abc";
    auto const all = document(outcome);
    CHECK(all["rules"]["alpha"] == 0.01);
    CHECK(all["no_han"] == false);
    CHECK(all["switches"] == json::parse(R"([{"collective": "Bcast", "ranks": 2, "at": 64, "low": 8, "high": 64,
                                              "from": "a", "to": "auto"}])"));
    REQUIRE(all["files"].size() == 1);
    CHECK(all["files"][0]["name"] == "tuned.json");
    // The digest of "abc" is from FIPS 180-4. A build without libcrypto has no digest.
    if (measure::tool::sha256_if_built(""))
        CHECK(all["files"][0]["sha256"] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    else
        CHECK(all["files"][0]["sha256"].is_null());
    // After a proof alone, it is the digest of the proved file.
    Outcome proof;
    proof.facts.family = LibraryFamily::open_mpi;
    proof.proved = "/tuned/tuned.conf";
    proof.proved_text = "abc";
    CHECK(document(proof)["files"][0]["name"] == "tuned.conf");
    CHECK(document(proof)["files"][0]["sha256"] == all["files"][0]["sha256"]);
}
