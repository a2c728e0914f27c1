// SPDX-License-Identifier: Apache-2.0
#include "attribution/names.hpp"

#include <algorithm>
#include <array>

namespace assay::attribution {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Behind "operator", < and > are the operator's, not brackets.
std::size_t operator_length(std::string_view text, std::size_t at) {
  constexpr std::string_view kWord = "operator";
  if (text.substr(at, kWord.size()) != kWord) return 0;
  if (at > 0 && is_word(text[at - 1])) return 0;
  std::size_t end = at + kWord.size();
  while (end < text.size() && end < at + kWord.size() + 3 &&
         (text[end] == '<' || text[end] == '>' || text[end] == '=' || text[end] == '-')) {
    ++end;
  }
  // operator<<int>: the last bracket opens the arguments of a template operator<.
  return end > at + kWord.size() ? end - at : 0;
}

// The place behind the bracket that closes the one at `at`; 0 = none does.
std::size_t closing(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    const bool arrow = i > 0 && (text[i - 1] == '-' || text[i - 1] == '=');
    if (text[i] == '>' && !arrow && --depth == 0) return i + 1;
  }
  return 0;
}

std::string without_templates(std::string_view text) {
  std::string out;
  bool all_close = true;  // a bracket that nothing closes: then no later one is looked for
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t length = operator_length(text, i); length > 0) {
      out += text.substr(i, length);
      i += length;
      continue;
    }
    const std::size_t end = text[i] == '<' && all_close ? closing(text, i) : 0;
    if (text[i] == '<' && end == 0) all_close = false;
    // Rust's "<T as Trait>::f" and "::<Fr>" alike: what stands inside is the instance.
    if (end != 0) {
      out += "<>";
      i = end;
      continue;
    }
    out += text[i++];
  }
  return out;
}

void erase_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.erase(at, what.size());
}

// ".isra.0", " [clone .cold]", "::h0123456789abcdef", ".llvm.123" at the end.
bool strip_suffix(std::string& text) {
  if (text.ends_with(']')) {
    const std::size_t at = text.rfind(" [clone ");
    if (at != std::string::npos && at > 0) {
      text.resize(at);
      return true;
    }
  }
  constexpr std::size_t kHash = 19;  // "::h" and 16 digits
  if (text.size() > kHash) {
    const std::string_view end = std::string_view(text).substr(text.size() - kHash);
    if (end.starts_with("::h") && std::all_of(end.begin() + 3, end.end(), is_hex)) {
      text.resize(text.size() - kHash);
      return true;
    }
  }
  constexpr std::array<std::string_view, 6> kClones = {".isra", ".part", ".constprop",
                                                       ".cold", ".llvm", ".lto_priv"};
  std::size_t end = text.size();
  while (end > 0 && is_digit(text[end - 1])) --end;
  if (end < text.size() && end > 0 && text[end - 1] == '.') --end;
  for (const std::string_view clone : kClones) {
    const std::string_view front = std::string_view(text).substr(0, end);
    if (front.ends_with(clone) && front.size() > clone.size()) {
      text.resize(front.size() - clone.size());
      return true;
    }
  }
  return false;
}

// Addresses, long hexadecimal numbers (hashes) and plain numbers become '#'. Digits inside a word
// stay when they are its meaning as a rule: "g1", "sha256", "msm_g2".
std::string without_numbers(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    bool all_hex = true, any_digit = false, all_digits = true;
    while (end < text.size() && is_word(text[end]) && text[end] != '_') {
      all_hex = all_hex && is_hex(text[end]);
      any_digit = any_digit || is_digit(text[end]);
      all_digits = all_digits && is_digit(text[end]);
      ++end;
    }
    if (end == i) {  // an underscore
      out += text[i++];
      continue;
    }
    const std::string_view word = text.substr(i, end - i);
    const bool address = word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X') &&
                         std::all_of(word.begin() + 2, word.end(), is_hex);
    if (address || all_digits || (all_hex && any_digit && word.size() >= 8)) {
      out += '#';
    } else {
      out += word;
    }
    i = end;
  }
  return out;
}

}  // namespace

std::string normalised_name(std::string_view name) {
  std::string text(name);
  while (strip_suffix(text)) {
  }
  text = without_templates(text);
  erase_all(text, "(anonymous namespace)::");
  erase_all(text, "{anonymous}::");
  erase_all(text, "::<>");  // Rust's turbofish stands for what was inferred before
  text = without_numbers(text);
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out.empty() ? std::string(name) : out;
}

}  // namespace assay::attribution
