// SPDX-License-Identifier: BSD-3-Clause
#include "converters/formats.hpp"
#include "program/runtime/files.hpp"
#include "skampi/output/records.hpp"

#include <measure/error.hpp>

#include <algorithm>
#include <utility>

namespace measure::tool::convert {

bool is_skampi(std::string_view text) { return skampi::is_output(text); }

std::vector<measure::RunRecord> skampi_runs(Text const& text, Given const& given) {
    auto const output = skampi::read_output(text.text, text.path);
    measure::RunRecord result;
    auto const source = [&] {
        try {
            for (auto const& block : output.blocks) {
                for (auto& record : skampi::records(block))
                    result.points.push_back(std::move(record));
                result.summaries.push_back(skampi::summary(block));
            }
            return skampi::source_of(output);
        } catch (program::ParseErrors const&) {
            throw;
        } catch (measure::UsageError const& error) {
            refuse(text, 1, error.what());
        }
    }();
    if (result.points.empty())
        refuse(text, 1, "this SKaMPI output file has no results");
    result.run = source.run;
    Said said{.from = "skampi",
              .ranks = source.ranks,
              .machine = source.machine,
              .started = source.run.started,
              .more = {{"head", skampi::head_value(output.head)}}};
    said.library = source.run.mpi_library.value_or("");
    complete(result.run, said, given, text);
    if (!output.finished.empty())
        result.end = measure::EndRecord{.elapsed = output.runtime};
    return {std::move(result)};
}

}  // namespace measure::tool::convert
