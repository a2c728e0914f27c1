// SPDX-License-Identifier: Apache-2.0
#include "cli/redact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/codec.hpp"

namespace assay::cli {
namespace {

// Members whose text may hold a slash without being a path.
constexpr std::array<std::string_view, 6> kKept = {"unit",   "method", "cpu",
                                                   "kernel", "better", "type"};
// Shorter values ("1", "yes") would be found everywhere, and tell nothing.
constexpr std::size_t kShortestSecret = 4;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

void replace_all(std::string& text, const std::string& from, std::string_view to,
                 bool whole_words) {
  if (from.empty()) return;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const std::size_t end = at + from.size();
    const bool inside = whole_words && ((at > 0 && is_word(text[at - 1])) ||
                                        (end < text.size() && is_word(text[end])));
    if (inside) {
      at = end;
      continue;
    }
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

// Names behind /home/ and /Users/ in `text`.
void collect_users(std::string_view text, std::vector<std::string>& users) {
  for (const std::string_view root : {"/home/", "/Users/"}) {
    for (std::size_t at = text.find(root); at != std::string_view::npos; at = text.find(root, at)) {
      at += root.size();
      std::size_t end = at;
      while (end < text.size() && (is_word(text[end]) || text[end] == '.')) ++end;
      const std::string name(text.substr(at, end - at));
      if (!name.empty() && std::ranges::find(users, name) == users.end()) users.push_back(name);
    }
  }
}

}  // namespace

Redactor::Redactor(const Record& record, std::string_view user) : host_(record.host.name) {
  if (!user.empty() && user != "root") users_.emplace_back(user);
  collect_users(to_json(record.plan).dump(), users_);
  for (const Entry& entry : record.entries) {
    if (const auto* build = std::get_if<Build>(&entry)) collect_users(build->log_tail, users_);
    if (const auto* trial = std::get_if<Trial>(&entry))
      collect_users(trial->output.stderr_tail, users_);
  }
  for (const Subject& arm : record.plan.arms)
    for (const auto& [name, value] : arm.env)
      if (value.size() >= kShortestSecret) secrets_.push_back(value);
  std::ranges::sort(secrets_, [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

Record Redactor::hide(Record record) const {
  record.host.name = "<host>";
  record.host.fingerprint = "<host>";
  for (Subject& arm : record.plan.arms) {
    for (auto& [name, value] : arm.env) value = "<env>";
    if (!arm.build) continue;
    for (TreeStep& step : arm.build->steps)
      if (step.kind == TreeStepKind::patch) step.data = "<patch>";  // source text
  }
  return record;
}

Json Redactor::hide(const Json& value) {
  if (const std::string* text = value.to_string()) return hide_text(*text);
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value.items()) out.push(hide(item));
    return out;
  }
  if (!value.is_object()) return value;
  Json out = Json::object();
  for (const auto& [key, member] : value.members())
    out.set(key, std::ranges::find(kKept, key) != kKept.end() ? member : hide(member));
  return out;
}

std::string Redactor::hide_text(std::string text) {
  for (const std::string& secret : secrets_) replace_all(text, secret, "<env>", false);
  text = hide_paths(text);
  replace_all(text, host_, "<host>", true);
  for (const std::string& user : users_) replace_all(text, user, "<user>", true);
  return text;
}

std::string Redactor::hide_paths(std::string_view text) {
  constexpr std::string_view kEnds = " \t\n\r\"'`=:,;()<>|&[]{}";
  std::string out;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find_first_of(kEnds), text.size());
    const std::string_view word = text.substr(0, size);
    if (word.find('/') != std::string_view::npos &&
        word.find_first_not_of("/.") != std::string_view::npos) {
      const auto known = std::ranges::find(paths_, word);
      const auto number = known - paths_.begin() + 1;
      if (known == paths_.end()) paths_.emplace_back(word);
      out += fmt::format("<path-{}>", number);
    } else {
      out += word;
    }
    text.remove_prefix(size);
    if (!text.empty()) {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace assay::cli
