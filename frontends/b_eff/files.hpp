// SPDX-License-Identifier: BSD-3-Clause
/// Files: the files that a run writes. A file that cannot be written does not end the run. The first error is reported
/// at the end.
#pragma once

#include "program/runtime/output_file.hpp"

#include <measure/comm.hpp>

#include <exception>
#include <string>
#include <string_view>

namespace b_eff {

/// All functions except the constructor are local and act on the root.
class Files {
public:
    /// Opens all files. Collective. \throws measure::UsageError on all ranks if a file cannot be written
    Files(measure::Comm const& world, std::string const& prefix)
        : protocol{open(world, prefix + ".prot", Appears::as_written)},
          analysis{open(world, prefix + ".short", Appears::as_written)}, sum{open(world, prefix + ".sum",
                                                                                  Appears::as_written)},
          plot{open(world, prefix + ".plot", Appears::when_whole)}, script{open(world, prefix + ".gps",
                                                                                Appears::when_whole)} {}

    /// Writes a text and flushes the file.
    void write(program::OutputFile& file, std::string_view text) {
        attempt([&] {
            file.stream() << text;
            file.flush();
        });
    }
    /// Writes the complete content of a file that appears only when it is complete.
    void fill(program::OutputFile& file, std::string_view text) {
        attempt([&] {
            file.stream() << text;
            file.finish();
        });
    }
    /// The first error, with the file name; empty if there was none.
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
