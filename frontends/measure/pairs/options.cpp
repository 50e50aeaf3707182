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
    table.option("--what", "NAME", "latency, bandwidth, both", &Options::what,
                 Choice<What>{{{"both", What::both}, {"latency", What::latency}, {"bandwidth", What::bandwidth}}});
    table.option("--per", "NAME", "between whom: one rank of each host, socket or core, or every rank", &Options::per,
                 Choice<Per>{{{"auto", Per::automatic},
                              {"host", Per::host},
                              {"socket", Per::socket},
                              {"core", Per::core},
                              {"rank", Per::rank}}});
    table.option(
        "--mode", "NAME",
        "who measures at the same time: pairs that share no host (hosts), one pair (alone), all pairs of a "
        "round (loaded), or apart and then loaded (both)",
        &Options::mode,
        Choice<Mode>{{{"hosts", Mode::hosts}, {"alone", Mode::alone}, {"loaded", Mode::loaded}, {"both", Mode::both}}});
    table.option("--repetitions", "N", "times that each pair is measured", &Options::repetitions,
                 Int{.low = 1, .high = largest_repetitions});
    table.option("--rounds", "N", "rounds of the tournament, chosen at random", &Options::rounds, Int{.low = 1})
        .unset("all, so that every pair meets");
    table.heading("Messages");
    table.option("--latency-size", "SIZE", "message there and back",
                 path(&Options::exchange, &ExchangeRules::latency_size), Size{.high = largest});
    table.option("--trips", "N", "timed trips there and back; their median counts",
                 path(&Options::exchange, &ExchangeRules::trips), Int{.low = 1, .high = 1000000});
    table.option("--size", "SIZE", "message of a window", path(&Options::exchange, &ExchangeRules::size),
                 Size{.low = 1, .high = largest});
    table.option("--window", "N", "messages under way at once", path(&Options::exchange, &ExchangeRules::window),
                 Int{.low = 1, .high = 10000});
    table.option("--windows", "N", "timed windows in each direction; their median counts",
                 path(&Options::exchange, &ExchangeRules::windows), Int{.low = 1, .high = 1000000});
    table.option("--timeout", "DURATION", "for the first answer of a partner; after two without one the pair rests",
                 path(&Options::exchange, &ExchangeRules::timeout), Duration{.above_zero = true});
    table.flag("--data-check", "compare what arrives with what was sent",
               path(&Options::exchange, &ExchangeRules::data_check));
    table.heading("Findings");
    table.option("--threshold", "PCT", "what does not matter: a finding is slower by more",
                 path(&Options::rules, &Rules::threshold), Percentage{.high = 1000});
    table.option("--alpha", "P",
                 "chance of a false alarm among links, nodes and directions, as much among groups, and among bindings",
                 path(&Options::rules, &Rules::alpha), Number{.low = 0, .high = 0.5, .above_low = true});
    table
        .option("--effect", "PCT", "what is to be found: repetitions and trials follow from the noise of the first one",
                &Options::effect, Percentage{.high = 1000, .above_low = true})
        .unset("--repetitions");
    table.option("--power", "P", "chance to find what is said to be found", path(&Options::rules, &Rules::power),
                 Number{.low = 0.5, .high = 0.9999});
    table.excludes("--effect", "--repetitions");
    table.excludes("--effect", "--list");
    table.option("--reference", "FILE", "record of an earlier run: what has become slower since", &Options::reference,
                 Text{});
    table.option("--groups", "FILE", "lines of a host and its group (switch, rack): which groups are slow",
                 &Options::groups, Text{});
    table.flag("--compare", "look for what is slower in NEW than in OLD, and measure nothing", &Options::compare);
    for (char const* const measures : {"--per", "--mode", "--repetitions", "--rounds", "--latency-size", "--trips",
                                       "--size", "--window", "--windows", "--timeout", "--data-check", "--alpha",
                                       "--reference", "--groups", "--effect", "--power", "--all", "--csv", "--list"})
        table.excludes("--compare", measures);
    table.heading("Output");
    table.flag("--all",
               fmt::format("the record has a point for each pair, also of more than {} nodes", most_nodes_of_points),
               &Options::all);
    table.option("--csv", "FILE", "a line for each pair; - is stdout, the text then goes to stderr", &Options::csv,
                 Text{});
    table.option("-o,--output", "FILE", "a page with maps of all pairs", &Options::page, Text{});
    return table;
}

void declare(program::Parser& parser, Options& options) {
    option_table().declare(parser, options);
    parser.arguments("[OLD NEW]", "with --compare: records", options.runs);
    parser.check([&options](program::Parser const&) {
        if (options.effect && *options.effect <= options.rules.threshold)
            throw measure::UsageError("--effect: it does not matter by --threshold");
        if (!options.compare && !options.runs.empty())
            throw measure::UsageError(fmt::format("'{}': only --compare takes files", options.runs.front()));
        if (options.compare && options.runs.size() != 2)
            throw measure::UsageError(
                fmt::format("--compare takes two files, an earlier run and a later one, not {}", options.runs.size()));
    });
}

}  // namespace measure::tool::pairs
