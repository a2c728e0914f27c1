// SPDX-License-Identifier: Apache-2.0
#include "cli/import_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/digest.hpp"
#include "base/json.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "cli/standard_input.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOfFolder = 100'000;  // files that are looked at

// criterion's files of one benchmark, by the folder they lie in.
Result<void> add_criterion(const fs::path& folder, const fs::path& root, std::string& out) {
  std::string entry;
  for (const char* name : {"benchmark", "estimates", "sample"}) {
    const fs::path path = folder / (std::string(name) + ".json");
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    const auto text = System::real().read_file(path.string());
    if (!text) return fail(text.error());
    if (const auto json = parse_json(*text, path.string()); !json) return fail(json.error());
    entry += fmt::format(",\"{}\":{}", name, *text);
  }
  if (entry.empty()) return {};
  const std::string path = fs::relative(folder, root).generic_string();
  out +=
      fmt::format("{}{{\"path\":{}{}}}", out.ends_with('[') ? "" : ",\n", Json(path).dump(), entry);
  if (out.size() > System::kMostBytes) return fail("more than 64 MiB of results", root.string());
  return {};
}

// {"criterion": [{"path", "benchmark", "estimates", "sample"}]} of all folders called new.
Result<std::string> read_criterion_folder(const std::string& path) {
  std::vector<fs::path> folders;
  std::error_code problem;
  std::size_t seen = 0;
  fs::recursive_directory_iterator walk(path, fs::directory_options::skip_permission_denied,
                                        problem);
  if (problem) return fail(system_error("cannot read the folder", problem.value(), path));
  for (const fs::directory_entry& entry : walk) {
    if (++seen > kMostOfFolder)
      return fail(fmt::format("more than {} files", kMostOfFolder), path,
                  "name a folder inside it");
    std::error_code ignored;
    if (entry.is_directory(ignored) && entry.path().filename() == "new")
      folders.push_back(entry.path());
  }
  if (fs::path(path).filename() == "new") folders.push_back(path);
  std::sort(folders.begin(), folders.end());
  std::string out = "{\"criterion\":[";
  for (const fs::path& folder : folders)
    if (auto done = add_criterion(folder, path, out); !done) return fail(done.error());
  if (out.ends_with('['))
    return fail("a folder without results of criterion (GROUP/NAME/new/sample.json)", path,
                "of other tools name the files: assay import DIR/*.csv");
  return out + "]}";
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return path == "-" || fs::exists(path, ignored);
}

// The imported record that was called `name` (import --name); nothing when there is none.
Result<std::optional<std::string>> find_named(const std::string& name, history::Store& store) {
  const auto all = store.list();
  if (!all) return fail(all.error());
  std::vector<std::string> ids;
  for (const history::Summary& summary : *all)
    if (summary.kind == PlanKind::imported && summary.title == name) ids.push_back(summary.id);
  if (ids.empty()) return std::optional<std::string>();
  if (ids.size() > 1)
    return fail(fmt::format("{} records are called '{}'", ids.size(), printable(name)), {},
                fmt::format("take one by its id: {}", fmt::join(ids, ", ")));
  return std::optional(ids.front());
}

Result<verdict::ImportedSide> side_of_record(const std::string& word, history::Store* store) {
  const Error nothing{fmt::format("'{}' is neither a file nor a record", printable(word)),
                      {},
                      "assay import --name NAME FILE... makes a record; 'assay list' shows them"};
  if (store == nullptr) return fail(nothing);
  const auto named = find_named(word, *store);
  if (!named) return fail(named.error());
  const auto whole = *named ? Result<std::string>(**named) : store->find_id(word);
  if (!whole) return fail(nothing);
  const auto record = store->load(*whole);
  if (!record) return fail(record.error());
  if (record->plan.kind != PlanKind::imported)
    return fail("the record holds runs of assay, not results of another tool", printable(*whole),
                "assay rejudge and assay show read it");
  auto sources = report::sources_of(record->plan);
  if (!sources) return fail(sources.error());
  verdict::ImportedSide side{.name = *whole};
  for (report::ImportedSource& source : *sources) side.files.push_back(std::move(source.file));
  return side;
}

}  // namespace

Result<LoadedResults> load_results(const std::string& path, const std::string& format) {
  const bool folder = path != "-" && is_folder(path);
  auto text = path == "-" ? read_standard_input("more than 64 MiB of results")
              : folder    ? read_criterion_folder(path)
                          : System::real().read_file(path);
  if (!text) return fail(text.error());
  const std::string name = path == "-" ? "standard input" : path;
  auto file = results::read(*text, name, folder && format.empty() ? "criterion" : format);
  if (!file) return fail(file.error());
  LoadedResults loaded;
  loaded.stored = {.name = name, .format = file->format, .digest = sha256(*text), .text = {}};
  loaded.stored.text = std::move(*text);
  loaded.file = std::move(*file);
  return loaded;
}

Result<verdict::ImportedSide> load_side(const std::string& word, history::Store* store,
                                        const std::string& format) {
  std::string path = word, build;
  const std::size_t at = word.rfind('@');
  if (!is_there(word) && at != std::string::npos && at > 0) {
    path = word.substr(0, at);
    build = word.substr(at + 1);
  }
  verdict::ImportedSide side;
  if (is_there(path)) {
    auto loaded = load_results(path, format);
    if (!loaded) return fail(loaded.error());
    side.files.push_back(std::move(loaded->file));
  } else {
    auto found = side_of_record(path, store);
    if (!found) return fail(found.error());
    side = std::move(*found);
  }
  side.name = path;
  side.build = build;
  return side;
}

}  // namespace assay::cli
