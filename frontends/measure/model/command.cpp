// SPDX-License-Identifier: BSD-3-Clause
#include "shared/command.hpp"

#include "models/document.hpp"
#include "models/text.hpp"
#include "shared/destination.hpp"
#include "shared/filter.hpp"
#include "shared/inputs.hpp"
#include "shared/sources.hpp"

#include <measure/report.hpp>

#include <algorithm>
#include <iostream>

namespace measure::tool {

namespace {

struct ModelOptions {
    std::string json{};
    std::vector<std::string> labels{};
    std::vector<Condition> conditions{};
    measure::CostRule rule{};
    bool join = false;
    std::vector<std::string> files{};
};

void run_model(ModelOptions const& options, program::Session& session) {
    auto sources = read_sources(options.files, session);
    filter(sources, options.conditions);
    for (auto const& source : sources)
        warn_of_gaps(source.launches, session);
    auto const crowded =
        std::find_if(sources.begin(), sources.end(), [](auto const& s) { return is_crowded(s.launches); });
    if (crowded != sources.end())
        warn_of_crowd(crowded->launches, session);
    auto const series = series_of(sources, options.labels, options.rule.confidence, options.join);
    Destination json{"--json", options.json, session};
    auto const models = make_models(series, options.rule);
    if (!options.json.empty())
        json.write(measure::json_text(model_document(models)) + "\n", session.text());
    (options.json == "-" ? std::cerr : session.text()) << model_text(models);
}

void check_costs(ModelOptions const& options) {
    check_sources(options.files);
    check_labels(options.labels, options.files.size());
}

void declare_costs(program::Parser& parser, ModelOptions& options) {
    parser.option("--json", "FILE", "also write the models as JSON; with -, JSON goes to stdout and the text to stderr",
                  options.json, program::as::Text{});
    parser.option("--labels", "A,B,...", "label the files, one label for each file (default the file names)",
                  options.labels, [](program::Argument const& a) { return program::split(a.value, ','); });
    parser.list("--filter", "CONDITION", filter_help, options.conditions, filter_from);
    parser.option("--confidence", "P", "set the confidence level of intervals", options.rule.confidence,
                  program::as::Number{.low = 0.5, .high = 0.9999});
    parser.flag("--join", join_help, options.join);
    parser.arguments("FILE...", "record files (--json of any program); - is standard input", options.files);
}

}  // namespace

program::Suite model_command() {
    return local_suite(
        "measure model",
        "Fits cost models: piecewise lines alpha + beta size, LogGP parameters, and rooflines of BLAS rates. Finds the "
        "sizes at which protocols and algorithms change, and whether they change too early or too late.",
        program::prepared<ModelOptions>(declare_costs, run_model, checked_by<ModelOptions>(check_costs)));
}

}  // namespace measure::tool
