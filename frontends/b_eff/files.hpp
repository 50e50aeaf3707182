// SPDX-License-Identifier: BSD-3-Clause
/// Files: what a run leaves. A file that cannot be written does not end the run: its first fault is told at the end.
#pragma once

#include "program/runtime/output_file.hpp"

#include <measure/comm.hpp>

#include <exception>
#include <string>
#include <string_view>

namespace b_eff {

/// Everything but the constructor is local and acts on the root.
class Files {
public:
    /// Collective: opens all. \throws measure::UsageError on all ranks where one cannot be written
    Files(measure::Comm const& world, std::string const& prefix)
        : protocol{open(world, prefix + ".prot", Appears::as_written)},
          analysis{open(world, prefix + ".short", Appears::as_written)}, sum{open(world, prefix + ".sum",
                                                                                  Appears::as_written)},
          plot{open(world, prefix + ".plot", Appears::when_whole)}, script{open(world, prefix + ".gps",
                                                                                Appears::when_whole)} {}

    /// Writes through to the file.
    void write(program::OutputFile& file, std::string_view text) {
        attempt([&] {
            file.stream() << text;
            file.flush();
        });
    }
    /// The whole content of a file that is there only when it has one.
    void fill(program::OutputFile& file, std::string_view text) {
        attempt([&] {
            file.stream() << text;
            file.finish();
        });
    }
    /// Names the file; empty where all went well.
    [[nodiscard]] std::string const& fault() const noexcept { return fault_; }

    program::OutputFile protocol;
    program::OutputFile analysis;
    program::OutputFile sum;
    program::OutputFile plot;
    program::OutputFile script;

private:
    using Appears = program::Appears;
    [[nodiscard]] static program::OutputFile open(measure::Comm const& world, std::string const& path,
                                                  Appears appears) {
        return program::open_file(world, path, "--prefix", appears);
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
