// SPDX-License-Identifier: BSD-3-Clause
#include "measure/environment_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace measure {

namespace {

/// Prefixes of relevant variables. Recording a variable without effect on times (an output file) does no harm.
constexpr std::array<std::string_view, 20> steering{"OMPI_MCA_",   "PMIX_MCA_", "PRTE_MCA_", "MPICH_", "MPIR_CVAR_",
                                                    "MPIR_PARAM_", "UCX_",      "FI_",       "PSM2_",  "PSM3_",
                                                    "I_MPI_",      "MV2_",      "MVP_",      "HCOLL_", "MXM_",
                                                    "SHARP_",      "OMP_",      "GOMP_",     "KMP_",   "LD_PRELOAD"};

/// Prefixes of variables that launchers set per launch, rank or host.
constexpr std::array<std::string_view, 18> set_by_launchers{"OMPI_MCA_ess_",
                                                            "OMPI_MCA_orte_",
                                                            "OMPI_MCA_pmix",
                                                            "OMPI_MCA_initial",
                                                            "OMPI_MCA_shmem_",
                                                            "OMPI_MCA_rmaps_ppr",
                                                            "PMIX_MCA_gds",
                                                            "PMIX_MCA_mca_base_component",
                                                            "PRTE_MCA_ess_",
                                                            "PRTE_MCA_prte_",
                                                            "MPICH_INTERFACE_HOSTNAME",
                                                            "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
                                                            "I_MPI_INFO_",
                                                            "I_MPI_MPIRUN",
                                                            "I_MPI_HYDRA_",
                                                            "I_MPI_JOB_",
                                                            "MV2_COMM_WORLD_",
                                                            "MVP_COMM_WORLD_"};

template <class Names>
bool begins_with_one_of(std::string_view text, Names const& names) {
    return std::any_of(names.begin(), names.end(), [&](auto const name) { return text.starts_with(name); });
}

}  // namespace

std::vector<Setting> settings_among(std::span<std::string const> variables) {
    std::vector<Setting> settings;
    for (std::string const& variable : variables)
        if (auto const equals = variable.find('='); equals != std::string::npos &&
                                                    begins_with_one_of(variable, steering) &&
                                                    !begins_with_one_of(variable, set_by_launchers))
            settings.push_back({variable.substr(0, equals), variable.substr(equals + 1)});
    std::sort(settings.begin(), settings.end(), [](Setting const& a, Setting const& b) { return a.name < b.name; });
    return settings;
}

std::string rank_ranges(std::span<int const> ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
            ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ",", ranks[i]);
        if (last > i)
            text += fmt::format("-{}", ranks[last]);
        i = last + 1;
    }
    return text;
}

std::string suite_name(std::string_view program) {
    program.remove_prefix(program.find_last_of('/') + 1);
    std::string suite;
    for (char const c : program) {
        bool const kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
        bool const large = c >= 'A' && c <= 'Z';
        suite += kept ? c : large ? static_cast<char>(c - 'A' + 'a') : '_';
    }
    bool const begins_well = !suite.empty() && suite.front() >= 'a' && suite.front() <= 'z';
    return begins_well ? suite : "own" + suite;
}

char const* version() noexcept { return MEASURE_VERSION; }

}  // namespace measure
