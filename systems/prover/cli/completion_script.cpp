// SPDX-License-Identifier: Apache-2.0
#include "prover/cli/completion_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "prover/cli/command.hpp"

namespace prover::cli {
namespace {

// In single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string bash_words(const std::string& words) {
  return fmt::format("COMPREPLY=($(compgen -W {} -- \"$cur\"))", in_quotes(words));
}

std::string joined(const auto& words) { return fmt::format("{}", fmt::join(words, " ")); }

// What bash does to offer a value; nothing when there is nothing to offer.
std::string bash_value(Offer offer, const std::vector<std::string_view>& choices) {
  if (!choices.empty()) return bash_words(joined(choices));
  if (offer == Offer::file) return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))";
  return {};
}

std::string bash_case(const Command& command) {
  std::string options = "--help", values;
  for (const Option& option : command.options) {
    options += fmt::format(" --{}", option.name);
    if (option.value.empty()) continue;
    std::string names = fmt::format("--{}", option.name);
    if (option.short_name != 0) names += fmt::format("|-{}", option.short_name);
    const std::string value = bash_value(option.offer, option.choices);
    values += fmt::format("        {}) {}return ;;\n", names, value.empty() ? "" : value + "; ");
  }
  std::string text = fmt::format("    {})\n", in_quotes(command.name));
  if (!values.empty()) text += fmt::format("      case \"$prev\" in\n{}      esac\n", values);
  if (!command.positionals.empty()) {
    const Positional& first = command.positionals.front();
    if (const std::string value = bash_value(first.offer, first.choices); !value.empty())
      text += fmt::format("      [[ $cur == -* ]] || {{ {}; return; }}\n", value);
  }
  return text + fmt::format("      {}\n      ;;\n", bash_words(options));
}

// Brackets and colons have a meaning inside an _arguments specification.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_value(Offer offer, const std::vector<std::string_view>& choices) {
  if (!choices.empty()) return fmt::format("({})", joined(choices));
  return offer == Offer::file ? "_files" : " ";
}

std::string zsh_case(const Command& command) {
  std::string text = fmt::format("    {})\n      _arguments -s '--help[explain the command]'",
                                 in_quotes(command.name));
  for (const Option& option : command.options) {
    std::string row = fmt::format("--{}{}[{}]", option.name, option.value.empty() ? "" : "=",
                                  zsh_text(option.help));
    if (!option.value.empty())
      row += fmt::format(":{}:{}", zsh_text(option.value), zsh_value(option.offer, option.choices));
    text += fmt::format(" \\\n        {}", in_quotes(row));
  }
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const Positional& one = command.positionals[i];
    text +=
        fmt::format(" \\\n        {}", in_quotes(fmt::format("{}:{}:{}", i + 1, zsh_text(one.name),
                                                             zsh_value(one.offer, one.choices))));
  }
  return text + "\n      ;;\n";
}

std::string fish_value(Offer offer, const std::vector<std::string_view>& choices) {
  if (!choices.empty()) return fmt::format(" -x -a {}", in_quotes(joined(choices)));
  return offer == Offer::file ? " -r -F" : " -x";
}

std::string fish_rows(const Command& command) {
  const std::size_t space = command.name.find(' ');
  const std::string_view first = command.name.substr(0, space);
  std::string when = fmt::format("__fish_seen_subcommand_from {}", first), text;
  if (space == std::string_view::npos) {
    text = fmt::format("complete -c prover -n __fish_use_subcommand -a {} -d {}\n", first,
                       in_quotes(command.summary));
  } else {
    const std::string_view second = command.name.substr(space + 1);
    text = fmt::format(
        "complete -c prover -n '{} && not __fish_seen_subcommand_from {}' -a {} -d {}\n", when,
        joined(subcommands(first)), second, in_quotes(command.summary));
    when += fmt::format(" && __fish_seen_subcommand_from {}", second);
  }
  for (const Option& option : command.options) {
    text += fmt::format("complete -c prover -n {} -l {}", in_quotes(when), option.name);
    if (option.short_name != 0) text += fmt::format(" -s {}", option.short_name);
    if (!option.value.empty()) text += fish_value(option.offer, option.choices);
    text += fmt::format(" -d {}\n", in_quotes(option.help));
  }
  if (!command.positionals.empty())
    text += fmt::format(
        "complete -c prover -n {}{}\n", in_quotes(when),
        fish_value(command.positionals.front().offer, command.positionals.front().choices));
  return text;
}

// First words of which there are several commands.
std::vector<std::string> groups() {
  std::vector<std::string> all;
  for (const std::string& first : first_words())
    if (!subcommands(first).empty()) all.push_back(first);
  return all;
}

}  // namespace

std::string bash_completion() {
  std::string text =
      "# bash completion for prover, made by `prover completion bash`\n"
      "_prover() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]}\n"
      "  COMPREPLY=()\n";
  text += fmt::format("  if ((COMP_CWORD == 1)); then {}; return; fi\n",
                      bash_words(joined(first_words()) + " --help --version"));
  text += "  case \"$command\" in\n";
  for (const std::string& first : groups())
    text += fmt::format(
        "    {})\n      if ((COMP_CWORD == 2)); then {}; return; fi\n"
        "      command=\"$command ${{COMP_WORDS[2]}}\"\n      ;;\n",
        first, bash_words(joined(subcommands(first)) + " --help"));
  text += "  esac\n  case \"$command\" in\n";
  for (const Command& command : commands()) text += bash_case(command);
  return text + "  esac\n}\ncomplete -F _prover prover\n";
}

std::string zsh_completion() {
  std::string text =
      "#compdef prover\n"
      "# zsh completion for prover, made by `prover completion zsh`\n"
      "_prover() {\n"
      "  local command=$words[2]\n";
  text +=
      fmt::format("  if (( CURRENT == 2 )); then compadd {}; return; fi\n", joined(first_words()));
  text += "  case $command in\n";
  for (const std::string& first : groups())
    text += fmt::format(
        "    {})\n      if (( CURRENT == 3 )); then compadd {}; return; fi\n"
        "      command=\"$command $words[3]\"\n      shift words\n      (( CURRENT-- ))\n"
        "      ;;\n",
        first, joined(subcommands(first)));
  text += "  esac\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const Command& command : commands()) text += zsh_case(command);
  return text + "  esac\n}\ncompdef _prover prover\n";
}

std::string fish_completion() {
  std::string text =
      "# fish completion for prover, made by `prover completion fish`\n"
      "complete -c prover -f\n";
  for (const std::string& first : groups())
    text += fmt::format("complete -c prover -n __fish_use_subcommand -a {}\n", first);
  for (const Command& command : commands()) text += fish_rows(command);
  return text;
}

}  // namespace prover::cli
