// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/options.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <limits>

namespace measure::tool::pairs {

program::OptionTable<Options> option_table() {
    using namespace program::as;
    using program::path;
    constexpr measure::Bytes largest = std::numeric_limits<int>::max();  // MPI counts
    program::OptionTable<Options> table;
    table.option("--what", "NAME", "measure: latency, bandwidth, both", &Options::what,
                 Choice<What>{{{"both", What::both}, {"latency", What::latency}, {"bandwidth", What::bandwidth}}});
    table.option(
        "--per", "NAME",
        "choose the nodes: host, socket or core (the first rank of each measures), rank (every rank) or auto (host, or "
        "rank if all ranks are on one host)",
        &Options::per,
        Choice<Per>{{{"auto", Per::automatic},
                     {"host", Per::host},
                     {"socket", Per::socket},
                     {"core", Per::core},
                     {"rank", Per::rank}}});
    table.option(
        "--mode", "NAME",
        "choose which pairs measure at the same time: alone (one pair), hosts (pairs that share no host), loaded (all "
        "pairs of a round) or both (hosts, then loaded); with one node per host, hosts means all pairs of a round, and "
        "both means alone, then loaded",
        &Options::mode,
        Choice<Mode>{{{"hosts", Mode::hosts}, {"alone", Mode::alone}, {"loaded", Mode::loaded}, {"both", Mode::both}}});
    table.option("--repetitions", "N", "measure each pair N times", &Options::repetitions,
                 Int{.low = 1, .high = largest_repetitions});
    table
        .option("--rounds", "N",
                "measure only N rounds, chosen at random; in a round, each node measures with one other node",
                &Options::rounds, Int{.low = 1})
        .unset("all, which measure every pair");
    table.heading("Messages");
    table.option("--latency-size", "SIZE", "send latency messages of this size",
                 path(&Options::exchange, &ExchangeRules::latency_size), Size{.high = largest});
    table.option("--trips", "N", "time N round trips and take their median",
                 path(&Options::exchange, &ExchangeRules::trips), Int{.low = 1, .high = 1000000});
    table.option("--size", "SIZE", "send bandwidth messages of this size",
                 path(&Options::exchange, &ExchangeRules::size), Size{.low = 1, .high = largest});
    table.option("--window", "N", "keep N bandwidth messages in flight",
                 path(&Options::exchange, &ExchangeRules::window), Int{.low = 1, .high = 10000});
    table.option("--windows", "N", "time N windows in each direction and take their median",
                 path(&Options::exchange, &ExchangeRules::windows), Int{.low = 1, .high = 1000000});
    table.option("--timeout", "DURATION",
                 "wait this long for a partner's first reply; skip the pair after two timeouts",
                 path(&Options::exchange, &ExchangeRules::timeout), Duration{.above_zero = true});
    table.flag("--data-check", "verify the data of untimed messages before each measurement",
               path(&Options::exchange, &ExchangeRules::data_check));
    table.heading("Findings");
    table.option("--threshold", "PCT", "ignore slowdowns of up to PCT per cent",
                 path(&Options::rules, &Rules::threshold), Percentage{.high = 1000});
    table.option(
        "--alpha", "P",
        "limit the probability of any false alarm among all links, nodes and directions to P; the same limit applies "
        "to groups, and to bindings",
        path(&Options::rules, &Rules::alpha), Number{.low = 0, .high = 0.5, .above_low = true});
    table
        .option("--effect", "PCT",
                "choose repetitions and trials that find a slowdown of PCT per cent, judging by the noise of the first "
                "repetition",
                &Options::effect, Percentage{.high = 1000, .above_low = true})
        .unset("the number of --repetitions");
    table.option("--power", "P",
                 "set the probability of finding a slowdown that --effect names or that is reported as detectable",
                 path(&Options::rules, &Rules::power), Number{.low = 0.5, .high = 0.9999});
    table.excludes("--effect", "--repetitions");
    table.excludes("--effect", "--list");
    table.option("--reference", "FILE", "report what has become slower since the run in this record",
                 &Options::reference, Text{});
    table.option("--groups", "FILE",
                 "report slow groups; each line of the file has a host and its group (switch, rack)", &Options::groups,
                 Text{});
    table.flag("--compare", "report what is slower in NEW than in OLD, without measuring", &Options::compare);
    for (char const* const measures : {"--per", "--mode", "--repetitions", "--rounds", "--latency-size", "--trips",
                                       "--size", "--window", "--windows", "--timeout", "--data-check", "--alpha",
                                       "--reference", "--groups", "--effect", "--power", "--all", "--csv", "--list"})
        table.excludes("--compare", measures);
    table.heading("Output");
    table.flag("--all", fmt::format("record a point for each pair even with more than {} nodes", most_nodes_of_points),
               &Options::all);
    table.option("--csv", "FILE", "write a line for each pair; with -, CSV goes to stdout and the text to stderr",
                 &Options::csv, Text{});
    table.option("-o,--output", "FILE", "write an HTML page with maps of all pairs", &Options::page, Text{});
    return table;
}

void declare(program::Parser& parser, Options& options) {
    option_table().declare(parser, options);
    parser.arguments("[OLD NEW]", "records to compare, with --compare", options.runs);
    parser.check([&options](program::Parser const&) {
        if (options.effect && *options.effect <= options.rules.threshold)
            throw measure::UsageError("--effect must be larger than --threshold");
        if (!options.compare && !options.runs.empty())
            throw measure::UsageError(fmt::format("'{}': only --compare takes files", options.runs.front()));
        if (options.compare && options.runs.size() != 2)
            throw measure::UsageError(
                fmt::format("--compare takes two files, an earlier run and a later one, not {}", options.runs.size()));
    });
}

}  // namespace measure::tool::pairs
