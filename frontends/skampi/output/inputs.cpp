// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/output/inputs.hpp"

#include "program/runtime/files.hpp"
#include "skampi/output/records.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <tuple>

namespace skampi {

std::vector<Input> read_inputs(std::vector<std::string> const& paths, ReadFile const& read) {
    if (paths.empty())
        throw measure::UsageError("no input file: name at least one output file of skampi");
    std::vector<Input> inputs;
    std::vector<program::ParseError> faults;
    for (std::string const& path : paths) {
        std::string const text = read(path);
        program::gather(faults, [&] { inputs.push_back({path, read_output(text, path)}); });
    }
    program::throw_any(std::move(faults));
    return inputs;
}

std::vector<Input> read_inputs(program::Session& session, std::vector<std::string> const& paths) {
    auto inputs = read_inputs(paths, [&](std::string const& path) {
        return program::read_file(session.world(), path, program::Limit::line);
    });
    for (Input const& input : inputs)
        if (input.output.finished.empty())
            session.warn(fmt::format("'{}' belongs to an unfinished run", input.path));
    return inputs;
}

std::vector<std::string> runs(Input const& input) {
    std::vector<std::string> ids;
    for (char const* const key : {merged_run, "RUN_ID"}) {
        for (Field const& field : input.output.head)
            if (field.key == key)
                ids.push_back(field.value);
        if (!ids.empty())
            break;
    }
    return ids;
}

void demand_different_runs(std::span<Input const> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
        for (Input const& before : inputs.first(i))
            if (program::is_same_path(before.path, inputs[i].path))
                throw measure::UsageError(fmt::format("'{}' is given twice", inputs[i].path));
    std::map<std::string, std::string> files;
    for (Input const& input : inputs)
        for (auto const& id : runs(input))
            if (auto const [other, is_new] = files.emplace(id, input.path); !is_new)
                throw measure::UsageError(
                    fmt::format("'{}' and '{}' contain the same run: {}", other->second, input.path, id));
}

measure::Environment environment_of(std::span<Input const> inputs) {
    auto run = environment_of(inputs.front().output);
    auto const place = [](Input const& input) {
        auto const source = source_of(input.output);
        std::vector<std::string> hosts;
        for (auto const& host : source.run.hosts)
            hosts.push_back(host.name);
        return std::tuple{source.machine, hosts, source.run.mpi_library, source.ranks};
    };
    for (auto const& input : inputs) {
        if (place(input) != place(inputs.front()))
            throw measure::UsageError(
                fmt::format("--json: '{}' and '{}' have different machines, MPI libraries or numbers of processes, "
                            "which one record cannot hold; convert them separately with measure convert or measure "
                            "archive add",
                            inputs.front().path, input.path));
        if (source_of(input.output).run.started != run.started)
            run.started.clear();
    }
    return run;
}

measure::Value heads(std::span<Input const> inputs) {
    measure::Value::Array result;
    for (auto const& [path, output] : inputs) {
        measure::Value head = head_value(output.head);
        head["file"] = path;
        result.push_back(std::move(head));
    }
    return result;
}

void write_record(program::Session& session, Output const& output, std::string const& file) {
    for (Block const& block : output.blocks) {
        for (measure::Record record : records(block)) {
            if (!file.empty())
                record.at.set("file", file);
            if (block.rows.empty())
                session.left_out(record);
            else
                session.point(record);
        }
        measure::Summary result = summary(block);
        if (!file.empty())
            result.derived["file"] = file;
        session.summary(result);
    }
}

}  // namespace skampi
