// SPDX-License-Identifier: Apache-2.0
#include "build/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "build/git.hpp"

namespace assay::build {
namespace {

constexpr std::size_t kSubjectColumns = 200;
constexpr std::size_t kSubjectBytes = 2000;                  // looked at of one subject
constexpr std::size_t kMostOutput = std::size_t{256} << 20;  // of one git, see ask()
constexpr std::size_t kAtOnce = 2000;                        // commits on one command line
constexpr const char* kUnshallow = "'git fetch --unshallow' gets the rest of the history";

// Runs git on what commits really say.
Result<ProcessResult> run_plain(const std::string& folder, std::vector<std::string> args) {
  return run_git({.folder = folder,
                  .args = std::move(args),
                  .env = {{"GIT_NO_REPLACE_OBJECTS", "1"}, {"GIT_GRAFT_FILE", "/dev/null"}},
                  .keep_bytes = kMostOutput});
}

// All that git says, or an Error.
Result<std::string> ask(const std::string& folder, std::vector<std::string> args,
                        const std::string& doing) {
  const auto result = run_plain(folder, std::move(args));
  if (!result) return fail(result.error());
  if (!result->ok()) return fail(git_error(doing, *result, folder));
  if (result->out_dropped > 0)
    return fail(fmt::format("{}: git says more than {} about it", doing,
                            format_bytes(static_cast<double>(kMostOutput))),
                folder, "choose a smaller range");
  return result->out;
}

// The first line of a message as a terminal may show it.
std::string shown_subject(std::string_view subject) {
  subject = subject.substr(0, kSubjectBytes);
  while (!subject.empty() && (subject.back() == ' ' || subject.back() == '\r'))
    subject.remove_suffix(1);
  return shorten(printable(subject, ""), kSubjectColumns);
}

// What `git log --format=%H%x00%s%x00` said: commit to subject.
std::unordered_map<std::string, std::string> parse_subjects(std::string_view text) {
  std::unordered_map<std::string, std::string> subjects;
  while (true) {
    const std::size_t first = text.find('\0');
    if (first == std::string_view::npos) return subjects;
    const std::size_t second = text.find('\0', first + 1);
    if (second == std::string_view::npos) return subjects;
    std::string_view id = text.substr(0, first);
    if (const std::size_t line = id.rfind('\n'); line != std::string_view::npos)
      id.remove_prefix(line + 1);
    subjects.emplace(id, shown_subject(text.substr(first + 1, second - first - 1)));
    text.remove_prefix(second + 1);
  }
}

// The subjects of commits. Those that cannot be read stay empty: a name is no reason to fail.
void read_subjects(const std::string& folder, std::vector<Commit>& commits) {
  for (std::size_t at = 0; at < commits.size(); at += kAtOnce) {
    const std::size_t end = std::min(commits.size(), at + kAtOnce);
    std::vector<std::string> args{"rev-list", "--no-walk=unsorted", "--encoding=UTF-8",
                                  "--format=%H%x00%s%x00"};
    for (std::size_t i = at; i < end; ++i) args.push_back(commits[i].id);
    const auto text = ask(folder, std::move(args), "cannot read subjects");
    if (!text) continue;
    const auto subjects = parse_subjects(*text);
    for (std::size_t i = at; i < end; ++i)
      if (const auto found = subjects.find(commits[i].id); found != subjects.end())
        commits[i].subject = found->second;
  }
}

// Commits whose parents a shallow clone has cut off.
std::set<std::string> cut_commits(const Repository& repository) {
  std::set<std::string> cut;
  if (!repository.shallow) return cut;
  std::ifstream file(repository.common_dir + "/shallow", std::ios::binary);
  for (std::string line; std::getline(file, line);) cut.insert(line);
  return cut;
}

struct Ends {
  std::string good, bad;            // in full
  std::string good_name, bad_name;  // as asked, for people
};

// "v1.0 (0123456789)", or the digits alone.
std::string end_name(const std::string& asked, const std::string& id) {
  const std::string shown = shorten(printable(asked), 60);
  return id.starts_with(asked) ? short_commit(id) : fmt::format("{} ({})", shown, short_commit(id));
}

// Why a range from good to bad does not exist.
Error no_range(const Repository& repository, const Ends& ends, const std::string& folder) {
  const std::string good = end_name(ends.good_name, ends.good);
  const std::string bad = end_name(ends.bad_name, ends.bad);
  if (ends.good == ends.bad)
    return {fmt::format("{} and {} are the same commit", printable(ends.good_name),
                        end_name(ends.bad_name, ends.bad)),
            folder, "give a good end and a bad end that came later"};
  if (const auto swapped = is_ancestor(folder, ends.bad, ends.good); swapped && *swapped)
    return {
        fmt::format("the ends are swapped: the good end {} came after the bad end {}", good, bad),
        folder,
        fmt::format("--good {} --bad {}", printable(ends.bad_name), printable(ends.good_name))};
  const std::string apart =
      fmt::format("neither end contains the other: {} is no ancestor of {}", good, bad);
  if (repository.shallow)
    return {apart + ", as far as this shallow clone knows", folder, kUnshallow};
  const auto base = merge_base(folder, ends.good, ends.bad);
  if (base && !base->empty())
    return {apart, folder,
            fmt::format("they parted at {}: if that one is good, --good {} --bad {}",
                        short_commit(*base), short_commit(*base), printable(ends.bad_name))};
  return {apart + "; they have no common ancestor", folder, "choose ends of one history"};
}

// One line of `rev-list --parents --boundary`: "-id parent parent".
struct Line {
  bool boundary = false;
  std::string id;
  std::vector<std::string> parents;
};

std::vector<Line> parse_graph(std::string_view text) {
  std::vector<Line> lines;
  for (std::string_view row : split_lines(text)) {
    if (row.empty()) continue;
    Line line;
    if (row.front() == '-') {
      line.boundary = true;
      row.remove_prefix(1);
    }
    std::istringstream words{std::string(row)};
    words >> line.id;
    for (std::string parent; words >> parent;) line.parents.push_back(parent);
    lines.push_back(std::move(line));
  }
  return lines;
}

// The lines as commits: good, then what forked earlier, then the range, parents in front.
std::vector<Commit> order(const std::vector<Line>& lines, const std::string& good, Follow follow) {
  std::vector<Commit> commits(1);
  commits[0].id = good;
  std::unordered_map<std::string, std::uint32_t> index{{good, 0}};
  const auto add = [&](const Line& line) {
    if (!index.emplace(line.id, static_cast<std::uint32_t>(commits.size())).second) return;
    Commit commit;
    commit.id = line.id;
    if (!line.boundary && follow == Follow::first_parent)
      commit.parents.push_back(static_cast<std::uint32_t>(commits.size() - 1));
    else if (!line.boundary)
      for (const std::string& parent : line.parents)
        if (const auto found = index.find(parent); found != index.end())
          commit.parents.push_back(found->second);
    commits.push_back(std::move(commit));
  };
  if (follow == Follow::every_parent)
    for (const Line& line : lines)
      if (line.boundary) add(line);
  for (const Line& line : lines)
    if (!line.boundary) add(line);
  return commits;
}

Result<void> check_size(std::size_t count, const std::string& folder) {
  if (count <= kMostCommits) return {};
  return fail(
      fmt::format("{} commits lie in this range, at most {} can be searched", count, kMostCommits),
      folder, "choose ends that lie nearer to each other, such as the last two releases");
}

Result<std::vector<Line>> read_range(const Repository& repository, const Ends& ends, Follow follow,
                                     const std::string& folder) {
  const std::string doing = "cannot list the commits of this range";
  std::vector<std::string> walk;
  if (follow == Follow::first_parent) walk.emplace_back("--first-parent");
  const auto with = [&](std::vector<std::string> args) {
    args.insert(args.end(), walk.begin(), walk.end());
    args.push_back(ends.bad);
    args.push_back("^" + ends.good);
    return args;
  };
  // Counted first: a million commits must not become text.
  const auto counted = ask(folder, with({"rev-list", "--count"}), doing);
  if (!counted) return fail(counted.error());
  const auto count = parse_number(counted->substr(0, counted->find('\n')));
  if (!count) return fail(doing, folder);
  if (auto fits = check_size(static_cast<std::size_t>(*count) + 1, folder); !fits)
    return fail(fits.error());
  const auto text = ask(
      folder, with({"rev-list", "--topo-order", "--reverse", "--parents", "--boundary"}), doing);
  if (!text) return fail(text.error());
  std::vector<Line> lines = parse_graph(*text);
  const std::set<std::string> cut = cut_commits(repository);
  for (const Line& line : lines)
    if (!line.boundary && cut.contains(line.id))
      return fail(fmt::format("this shallow clone is cut inside the range, at commit {}",
                              short_commit(line.id)),
                  folder, kUnshallow);
  return lines;
}

}  // namespace

Result<std::vector<Commit>> commits_between(const std::string& folder, const std::string& good,
                                            const std::string& bad, Follow follow) {
  const auto repository = find_repository(folder);
  if (!repository) return fail(repository.error());
  Ends ends{.good = {}, .bad = {}, .good_name = good, .bad_name = bad};
  const auto good_id = resolve_revision(folder, good);
  if (!good_id) return fail(good_id.error());
  const auto bad_id = resolve_revision(folder, bad);
  if (!bad_id) return fail(bad_id.error());
  ends.good = *good_id;
  ends.bad = *bad_id;
  const auto contained = is_ancestor(folder, ends.good, ends.bad);
  if (!contained) return fail(contained.error());
  if (!*contained || ends.good == ends.bad) return fail(no_range(*repository, ends, folder));
  const auto lines = read_range(*repository, ends, follow, folder);
  if (!lines) return fail(lines.error());
  std::vector<Commit> commits = order(*lines, ends.good, follow);
  if (auto fits = check_size(commits.size(), folder); !fits) return fail(fits.error());
  read_subjects(folder, commits);
  return commits;
}

Result<std::vector<Commit>> listed_commits(const std::string& folder,
                                           const std::vector<std::string>& revisions) {
  if (revisions.empty()) return fail("no commit is named", folder);
  if (auto fits = check_size(revisions.size(), folder); !fits) return fail(fits.error());
  std::vector<Commit> commits;
  std::unordered_map<std::string, std::string> names;
  for (const std::string& revision : revisions) {
    auto id = resolve_revision(folder, revision);
    if (!id) return fail(id.error());
    const auto [known, fresh] = names.emplace(*id, revision);
    if (!fresh)
      return fail(fmt::format("'{}' and '{}' name the same commit {}", printable(known->second),
                              printable(revision), short_commit(*id)),
                  folder, "name each commit once");
    Commit commit;
    commit.id = std::move(*id);
    if (!commits.empty()) commit.parents.push_back(static_cast<std::uint32_t>(commits.size() - 1));
    commits.push_back(std::move(commit));
  }
  read_subjects(folder, commits);
  return commits;
}

Result<bool> is_ancestor(const std::string& folder, const std::string& ancestor,
                         const std::string& descendant) {
  const auto a = resolve_revision(folder, ancestor);
  if (!a) return fail(a.error());
  const auto d = resolve_revision(folder, descendant);
  if (!d) return fail(d.error());
  const auto result = run_plain(folder, {"merge-base", "--is-ancestor", *a, *d});
  if (!result) return fail(result.error());
  if (result->ok()) return true;
  if (!result->signalled && result->code == 1) return false;
  return fail(git_error("cannot compare two commits", *result, folder));
}

Result<std::string> merge_base(const std::string& folder, const std::string& a,
                               const std::string& b) {
  const auto first = resolve_revision(folder, a);
  if (!first) return fail(first.error());
  const auto second = resolve_revision(folder, b);
  if (!second) return fail(second.error());
  const auto result = run_plain(folder, {"merge-base", *first, *second});
  if (!result) return fail(result.error());
  if (result->ok()) return result->out.substr(0, result->out.find('\n'));
  if (!result->signalled && result->code == 1) return std::string();
  return fail(git_error("cannot compare two commits", *result, folder));
}

Result<std::vector<std::vector<std::string>>> touched_paths(
    const std::string& folder, const std::vector<std::string>& commits) {
  std::unordered_map<std::string, std::vector<std::string>> paths;
  for (std::size_t at = 0; at < commits.size(); at += kAtOnce) {
    std::vector<std::string> args{
        "log", "--no-walk=unsorted", "--no-show-signature", "--no-renames", "--no-ext-diff",
        "--no-color", "--no-textconv", "--name-only", "-z", "-m", "--root", "--first-parent",
        "--no-notes", "--no-decorate", "--no-mailmap",
        // No path begins with '/': so this line cannot be mistaken for one.
        "--format=tformat:/%H"};
    for (std::size_t i = at; i < std::min(commits.size(), at + kAtOnce); ++i)
      args.push_back(commits[i]);
    args.emplace_back("--");
    const auto text = ask(folder, std::move(args), "cannot list the files that commits changed");
    if (!text) return fail(text.error());
    std::vector<std::string>* files = nullptr;
    bool first = false;
    for (std::size_t from = 0; from < text->size();) {
      const std::size_t end = std::min(text->find('\0', from), text->size());
      std::string_view word = std::string_view(*text).substr(from, end - from);
      from = end + 1;
      if (first && word.starts_with('\n')) word.remove_prefix(1);  // between a commit and its files
      first = word.starts_with('/');
      if (first)
        files = &paths[std::string(word.substr(1))];
      else if (files != nullptr && !word.empty())
        files->emplace_back(word);
    }
  }
  std::vector<std::vector<std::string>> result;
  result.reserve(commits.size());
  for (const std::string& commit : commits) result.push_back(paths[commit]);
  return result;
}

Result<std::vector<std::string>> parents_of(const std::string& folder, const std::string& commit) {
  const auto id = resolve_revision(folder, commit);
  if (!id) return fail(id.error());
  const auto text =
      ask(folder, {"rev-list", "--no-walk", "--parents", *id}, "cannot read a commit");
  if (!text) return fail(text.error());
  const auto lines = parse_graph(*text);
  return lines.empty() ? std::vector<std::string>{} : lines[0].parents;
}

}  // namespace assay::build
