// SPDX-License-Identifier: BSD-3-Clause
/// Files: what a run leaves. A file that cannot be written does not end the run: its first fault is told at the end.
#pragma once

#include "program/runtime/files.hpp"
#include "program/runtime/result_file.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>

namespace b_eff {

/// Everything but the constructor is local and acts on the root.
class Files {
public:
    /// Collective: opens all. \param record  path of the record, or empty
    /// \throws measure::UsageError on all ranks where one cannot be written, or is the record too
    Files(measure::Comm const& world, std::string const& prefix, std::string const& record)
        : protocol{program::open_file(world, checked(prefix, record) + ".prot")},
          analysis{program::open_file(world, prefix + ".short")}, sum{program::open_file(world, prefix + ".sum")},
          plot{world, prefix + ".plot"}, script{world, prefix + ".gps"}, latex{world, prefix + ".tex"} {}

    /// Writes through to the file.
    void write(program::OutputFile& file, std::string_view text) {
        attempt([&] {
            file.stream() << text;
            file.flush();
        });
    }
    /// The whole content of a file that is there only when it has one.
    void fill(program::ResultFile& file, std::string_view text) {
        attempt([&] {
            file.stream() << text;
            file.keep();
        });
    }
    /// Names the file; empty where all went well.
    [[nodiscard]] std::string const& fault() const noexcept { return fault_; }

    program::OutputFile protocol;
    program::OutputFile analysis;
    program::OutputFile sum;
    program::ResultFile plot;
    program::ResultFile script;
    program::ResultFile latex;

private:
    /// Of two writers of one file the later one would win.
    [[nodiscard]] static std::string const& checked(std::string const& prefix, std::string const& record) {
        for (char const* const ending : {".prot", ".short", ".sum", ".plot", ".gps", ".tex"})
            if (!record.empty() && program::is_same_path(prefix + ending, record))
                throw measure::UsageError(fmt::format("--json: '{}' is a file of the results too", record));
        return prefix;
    }
    template <class Work>
    void attempt(Work work) {
        try {
            work();
        } catch (std::exception const& error) {
            if (fault_.empty())
                fault_ = error.what();
        }
    }

    std::string fault_;
};

}  // namespace b_eff
