// SPDX-License-Identifier: BSD-3-Clause
// Every written fact has its place in the schema.
#include "measure/read.hpp"
#include "record/record_fields.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace {

using json = nlohmann::json;

json const& schema() {
    static json const all = [] {
        std::ifstream file{MEASURE_TEST_DATA "/../docs/record.schema.json"};
        return json::parse(file);
    }();
    return all;
}

template <class S>
std::vector<std::string> names() {
    std::vector<std::string> names;
    measure::detail::for_each_field<S>([&](auto const& field) { names.emplace_back(field.name); });
    return names;
}

template <class S>
void check(char const* place) {
    CAPTURE(place);
    auto const& properties = schema().at(json::json_pointer{place});
    for (auto const& name : names<S>()) {
        CAPTURE(name);
        CHECK(properties.contains(name));
    }
}

}  // namespace

TEST_CASE("the schema contains every fact of records", "[record]") {
    check<measure::Environment>("/$defs/run/properties");
    check<measure::Host>("/$defs/run/properties/hosts/items/properties");
    check<measure::TimerInfo>("/$defs/run/properties/timer/properties");
    check<measure::SyncReport>("/$defs/run/properties/clock_sync/properties");
    check<measure::Campaign>("/$defs/run/properties/campaign/properties");
    check<measure::Record>("/$defs/point/properties");
    check<measure::Semantics>("/$defs/point/properties/semantics/properties");
    check<measure::Estimate>("/$defs/point/properties/estimate/properties");
    check<measure::RankSpread>("/$defs/point/properties/over_ranks/properties");
    check<measure::Sample>("/$defs/point/properties/samples/items/properties");
    check<measure::Summary>("/$defs/summary/properties");
    check<measure::EndRecord>("/$defs/end/properties");
    check<measure::InvalidCounts>("/$defs/point/properties/invalid/properties");
    auto const& reasons = schema().at(json::json_pointer{"/$defs/point/properties/invalid/properties"});
    CHECK(reasons.size() == names<measure::InvalidCounts>().size());
}

TEST_CASE("no fact is declared twice", "[record]") {
    auto all = names<measure::Record>();
    std::sort(all.begin(), all.end());
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("the semantics of a benchmark are written to its record and read back", "[record]") {
    measure::Record record{.benchmark = "Scatter"};
    record.at = {{"ranks", std::int64_t{2}}};
    record.semantics = measure::Semantics{
        .operation = "Scatter", .kind = measure::OperationKind::collective, .size = measure::SizeOf::block};
    auto const line = measure::json_line(record);
    CHECK(line.find(
              R"("semantics":{"operation":"Scatter","kind":"collective","size":"block","share":1.0,"messages":0.0})") !=
          std::string::npos);
    auto const text = R"({"record":"run","schema":2,"suite":"s"})"
                      "\n" +
                      line + "\n";
    CHECK(measure::read_records(text)[0].points[0].semantics == record.semantics);
}
