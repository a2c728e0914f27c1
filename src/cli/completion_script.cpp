// SPDX-License-Identifier: Apache-2.0
#include "cli/completion_script.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace assay::cli {
namespace {

// What prints the names of the cases here, one a line.
constexpr std::string_view kCaseNames = "assay case list --names --quiet 2>/dev/null";

std::string command_names(std::span<const CommandSpec* const> specs) {
  std::string names;
  for (const CommandSpec* spec : specs) {
    if (!names.empty()) names += ' ';
    names += spec->name;
  }
  return names;
}

// The command's own rows and the global ones.
std::vector<Flag> all_flags(const CommandSpec& spec) {
  std::vector<Flag> flags = spec.flags;
  flags.insert(flags.end(), global_flags().begin(), global_flags().end());
  return flags;
}

// Text inside single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

// What bash does to offer words of one kind; nothing when there is nothing to offer.
std::string bash_action(Complete kind, const std::vector<std::string_view>& choices,
                        const std::string& commands) {
  if (!choices.empty())
    return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", fmt::join(choices, " "));
  switch (kind) {
    case Complete::file:
      return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Complete::directory:
      return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Complete::command:
      return "COMPREPLY=($(compgen -c -- \"$cur\"))";
    case Complete::record:
      return "COMPREPLY=($(compgen -W \"$(assay list --ids --quiet 2>/dev/null)\" -- \"$cur\"))";
    case Complete::case_name:
      return fmt::format("COMPREPLY=($(compgen -W \"$({})\" -- \"$cur\"))", kCaseNames);
    case Complete::name:
      return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", commands);
    case Complete::nothing:
      return {};
  }
  return {};
}

std::string bash_case(const CommandSpec& spec, const std::string& commands) {
  std::string options, values;
  for (const Flag& flag : all_flags(spec)) {
    options += fmt::format(" --{}", flag.name);
    if (flag.short_name != 0) options += fmt::format(" -{}", flag.short_name);
    if (flag.value.empty() || flag.or_stdout) continue;  // the next word is not its value
    std::string action = bash_action(flag.complete, flag.choices, commands);
    if (!action.empty()) action += "; ";
    values += fmt::format("        --{}) {}return ;;\n", flag.name, action);
  }
  std::string text =
      fmt::format("    {})\n      case \"$prev\" in\n{}      esac\n", spec.name, values);
  std::string words = "      ";
  if (!spec.positionals.empty()) {
    const Positional& p = spec.positionals.front();
    std::string action = bash_action(p.complete, p.choices, commands);
    if (spec.positionals.size() > 1) {  // a verb, then what it is about
      const std::string then =
          bash_action(spec.positionals[1].complete, spec.positionals[1].choices, commands);
      action = fmt::format("if ((i + 1 == COMP_CWORD)); then {}; else {}; fi", action,
                           then.empty() ? ":" : then);
    }
    if (!action.empty())
      words = fmt::format("      [[ $cur == -* ]] || {{ {}; return; }}\n      ", action);
  }
  return text + words +
         fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))\n      ;;\n", options.substr(1));
}

std::string zsh_action(Complete kind, const std::vector<std::string_view>& choices,
                       const std::string& commands) {
  if (!choices.empty()) return fmt::format("({})", fmt::join(choices, " "));
  switch (kind) {
    case Complete::file:
      return "_files";
    case Complete::directory:
      return "_files -/";
    case Complete::command:
      return "_command_names";
    case Complete::record:
      return "($(assay list --ids --quiet 2>/dev/null))";
    case Complete::case_name:
      return fmt::format("($({}))", kCaseNames);
    case Complete::name:
      return fmt::format("({})", commands);
    case Complete::nothing:
      return " ";
  }
  return " ";
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

std::string fish_action(Complete kind, const std::vector<std::string_view>& choices,
                        const std::string& commands) {
  if (!choices.empty())
    return fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(choices, " "))));
  switch (kind) {
    case Complete::file:
      return " -r -F";
    case Complete::directory:
      return " -x -a '(__fish_complete_directories)'";
    case Complete::command:
      return " -x -a '(__fish_complete_command)'";
    case Complete::record:
      return " -x -a '(assay list --ids --quiet 2>/dev/null)'";
    case Complete::case_name:
      return fmt::format(" -x -a {}", in_quotes(fmt::format("({})", kCaseNames)));
    case Complete::name:
      return fmt::format(" -x -a {}", in_quotes(commands));
    case Complete::nothing:
      return " -x";
  }
  return " -x";
}

}  // namespace

std::string bash_completion(std::span<const CommandSpec* const> specs) {
  const std::string commands = command_names(specs);
  std::string text =
      "# bash completion for assay, made by `assay completion bash`\n"
      "_assay() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${COMP_WORDS[i]} in\n"
      "      --store|--colour) ((++i)) ;;\n"
      "      -*) ;;\n"
      "      *) command=${COMP_WORDS[i]}; break ;;\n"
      "    esac\n"
      "  done\n"
      "  case \"$command\" in\n";
  text += fmt::format("    '')\n      COMPREPLY=($(compgen -W '{}", commands);
  for (const Flag& flag : global_flags()) text += fmt::format(" --{}", flag.name);
  text += "' -- \"$cur\"))\n      ;;\n";
  for (const CommandSpec* spec : specs) text += bash_case(*spec, commands);
  return text + "  esac\n}\ncomplete -F _assay assay\n";
}

std::string zsh_completion(std::span<const CommandSpec* const> specs) {
  const std::string commands = command_names(specs);
  std::string text =
      "#compdef assay\n"
      "# zsh completion for assay, made by `assay completion zsh`\n"
      "_assay() {\n"
      "  local -a commands=(\n";
  for (const CommandSpec* spec : specs)
    text += fmt::format("    {}\n",
                        in_quotes(fmt::format("{}:{}", spec->name, zsh_text(spec->summary))));
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CommandSpec* spec : specs) {
    text += fmt::format("    {})\n      _arguments -s", spec->name);
    for (const Flag& flag : all_flags(*spec)) {
      std::string row =
          fmt::format("{}--{}[{}]", flag.repeatable ? "*" : "", flag.name, zsh_text(flag.help));
      if (!flag.value.empty()) {
        row.insert(row.find('['), flag.or_stdout ? "=-" : "=");
        row += fmt::format("{}:{}:{}", flag.or_stdout ? ":" : "", zsh_text(flag.value),
                           zsh_action(flag.complete, flag.choices, commands));
      }
      text += fmt::format(" \\\n        {}", in_quotes(row));
    }
    for (const Positional& p : spec->positionals) {
      const bool is_last = &p == &spec->positionals.back();
      text += fmt::format(" \\\n        {}",
                          in_quotes(fmt::format("{}:{}:{}", is_last ? "*" : "1", zsh_text(p.name),
                                                zsh_action(p.complete, p.choices, commands))));
    }
    text += "\n      ;;\n";
  }
  return text + "  esac\n}\n_assay \"$@\"\n";
}

std::string fish_completion(std::span<const CommandSpec* const> specs) {
  const std::string commands = command_names(specs);
  std::string text =
      "# fish completion for assay, made by `assay completion fish`\n"
      "complete -c assay -f\n";
  for (const CommandSpec* spec : specs) {
    text += fmt::format("complete -c assay -n __fish_use_subcommand -a {} -d {}\n", spec->name,
                        in_quotes(spec->summary));
    const std::string when = in_quotes(fmt::format("__fish_seen_subcommand_from {}", spec->name));
    for (const Flag& flag : all_flags(*spec)) {
      text += fmt::format("complete -c assay -n {} -l {}", when, flag.name);
      if (flag.short_name != 0) text += fmt::format(" -s {}", flag.short_name);
      if (!flag.value.empty() && !flag.or_stdout)
        text += fish_action(flag.complete, flag.choices, commands);
      text += fmt::format(" -d {}\n", in_quotes(flag.help));
    }
    for (const Positional& p : spec->positionals) {
      const std::string action = fish_action(p.complete, p.choices, commands);
      if (action != " -x") text += fmt::format("complete -c assay -n {}{}\n", when, action);
    }
  }
  return text;
}

}  // namespace assay::cli
