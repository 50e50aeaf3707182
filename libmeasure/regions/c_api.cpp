// SPDX-License-Identifier: BSD-3-Clause
/// The C interface of regions. Handles belong to their measure_regions, one for each name.
#include "c_api/common.hpp"
#include "measure/regions.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

struct measure_region {
    measure::Region region;
};

struct measure_regions {
    measure::Regions regions;
    bool is_root = false;
    std::map<std::string, measure_region> handles{};  ///< by name; addresses are stable
};

namespace measure::c_api {

namespace {

/// Converts the program's options; members that it does not know are left to the environment.
RegionsOptions options_of(measure_regions_options const* options, std::size_t size) {
    RegionsOptions result;
    if (options == nullptr)
        return result;
    measure_regions_options all{};
    if (size == 0 || size > sizeof all)
        throw UsageError(
            fmt::format("the options of the regions have {} bytes: 1 .. {} are allowed", size, sizeof all));
    std::memcpy(&all, options, size);
    if (all.name != nullptr)
        result.name = all.name;
    if (all.file != nullptr)
        result.file = all.file;
    if (all.timer != nullptr)
        result.timer = all.timer->timer;
    if (all.samples < 0)
        throw UsageError(fmt::format("regions keep 0 samples or more, not {}", all.samples));
    result.samples = static_cast<std::size_t>(all.samples);
    return result;
}

}  // namespace

}  // namespace measure::c_api

namespace c_api = measure::c_api;
using measure::c_api::guarded;
using measure::c_api::need;

int measure_regions_create(measure_comm const* comm, measure_regions_options const* options, size_t size,
                           measure_regions** regions, measure_error* error) {
    if (regions != nullptr)
        *regions = nullptr;
    return guarded(error, [&] {
        auto const& team = need(comm, "the communicator").comm;
        auto const wanted = c_api::agreed(team, [&] {
            need(regions, "the place for the regions");
            return c_api::options_of(options, size);
        });
        *regions = new measure_regions{measure::Regions{team, wanted}, team.is_root()};
    });
}

int measure_regions_on(measure_regions const* regions) { return regions != nullptr && regions->regions.on() ? 1 : 0; }

int measure_regions_get(measure_regions* regions, char const* name, measure_region const** region,
                        measure_error* error) {
    if (region != nullptr)
        *region = nullptr;
    return guarded(error, [&] {
        auto& known = need(regions, "the pointer to the regions");
        auto& place = need(region, "the place for the region");
        auto const wanted = c_api::text_of(name, "the name of the region");
        place = &known.handles.try_emplace(wanted, measure_region{known.regions[wanted]}).first->second;
    });
}

void measure_region_begin(measure_region const* region) {
    if (region != nullptr)
        region->region.begin();
}

void measure_region_end(measure_region const* region) {
    if (region != nullptr)
        region->region.end();
}

int measure_regions_end(measure_regions* regions, measure_error* error) {
    return guarded(error, [&] {
        auto& known = need(regions, "the pointer to the regions");
        auto const problem = known.regions.end();
        if (problem.empty())
            return;
        if (error == nullptr && known.is_root)
            fmt::print(stderr, "libmeasure: warning: {}\n", problem);
        throw c_api::Coded(MEASURE_ERROR_FILE, problem);
    });
}

void measure_regions_free(measure_regions* regions) { delete regions; }
