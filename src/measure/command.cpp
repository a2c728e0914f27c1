// SPDX-License-Identifier: Apache-2.0
#include "measure/command.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/process.hpp"
#include "base/text.hpp"

namespace assay::measure {
namespace {

constexpr const char* kUseShell = "for shell syntax use --shell";

// What only a shell understands, as whole words of a command line.
bool needs_shell(const std::vector<std::string>& argv) {
  static constexpr std::array<std::string_view, 12> kOperators = {
      "|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1", ">&2", "|&"};
  static constexpr std::array<std::string_view, 16> kBuiltins = {
      "cd",   ".",    "source", "export", "for",   "while",  "until", "if",
      "case", "eval", "set",    "unset",  "alias", "ulimit", "umask", "exec"};
  const auto is_operator = [](const std::string& word) {
    return std::find(kOperators.begin(), kOperators.end(), word) != kOperators.end();
  };
  const std::string& first = argv.front();
  const bool assigns = first.find('=') != std::string::npos && first.find('/') > first.find('=');
  return assigns || std::find(kBuiltins.begin(), kBuiltins.end(), first) != kBuiltins.end() ||
         std::any_of(argv.begin(), argv.end(), is_operator) || first.back() == ';';
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  while (const dirent* entry = open ? ::readdir(open.get()) : nullptr)
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  return names;
}

std::vector<std::string> names_on(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    std::vector<std::string> more = names_in(std::string(path.substr(0, end)));
    names.insert(names.end(), more.begin(), more.end());
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  std::sort(names.begin(), names.end());  // the answer must not depend on the order in a folder
  return names;
}

std::string in_quotes(const std::string& text) { return "'" + printable(text) + "'"; }

tl::unexpected<Error> not_found(const std::vector<std::string>& argv,
                                const std::optional<std::string>& near) {
  std::string hint;
  if (needs_shell(argv))
    hint = kUseShell;
  else if (near)
    hint = "did you mean " + in_quotes(*near) + "?";
  else if (argv.front().find(' ') != std::string::npos)
    hint = "the name holds blanks: quote the command once, not its parts";
  else
    hint = "give its path, or mend PATH";
  return fail("command not found: " + in_quotes(argv.front()), {}, hint);
}

// A script names its interpreter in its first line: "#!/usr/bin/python3 -u".
std::string interpreter_of(const std::string& file) {
  std::array<char, 256> text{};
  const Fd open(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = open ? ::read(open.value(), text.data(), text.size()) : 0;
  std::string_view line(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  if (!line.starts_with("#!")) return {};
  line = line.substr(2, line.find('\n') - 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line.substr(0, line.find_first_of(" \t\r")));
}

// `file` as we see it, `name` as the user wrote it.
Result<void> check_executable(const std::string& file, const std::string& name) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    return fail(system_error("cannot run " + in_quotes(name), errno));
  if (S_ISDIR(status.st_mode))
    return fail("cannot run " + in_quotes(name) + ": it is a folder", {},
                "name the program inside it");
  if (::access(file.c_str(), X_OK) != 0)
    return fail("cannot run " + in_quotes(name) + ": it is not executable", {},
                "'chmod +x " + printable(name) + "', or name its interpreter: 'sh " +
                    printable(name) + "'");
  const std::string interpreter = interpreter_of(file);
  if (!interpreter.empty() && ::access(interpreter.c_str(), X_OK) != 0)
    return fail("cannot run " + in_quotes(name) + ": its interpreter " + in_quotes(interpreter) +
                    " does not exist",
                {}, "mend its first line, or install the interpreter");
  return {};
}

Result<std::string> resolve_path(const Subject& subject) {
  const std::string& name = subject.argv.front();
  const bool relative = name.front() != '/' && !subject.cwd.empty();
  const std::string file = relative ? subject.cwd + "/" + name : name;
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    const std::size_t slash = file.rfind('/');
    std::optional<std::string> near =
        nearest(file.substr(slash + 1), names_in(file.substr(0, slash + 1)));
    if (near) near = name.substr(0, name.rfind('/') + 1) + *near;
    return not_found(subject.argv, near);
  }
  if (const Result<void> good = check_executable(file, name); !good) return fail(good.error());
  return name;
}

}  // namespace

std::vector<std::string> environment_of(const Subject& subject) {
  std::vector<std::string> env = current_environment();
  unset_variable(env, "ASSAY_PAD");
  for (const auto& [name, value] : subject.env) set_variable(env, name, value);
  return env;
}

Result<std::string> resolve_command(const Subject& subject, const std::vector<std::string>& env) {
  if (subject.argv.empty() || subject.argv.front().empty())
    return fail("the command is empty", {}, "give a command, such as 'sleep 1'");
  if (!subject.cwd.empty()) {
    struct stat status {};
    if (::stat(subject.cwd.c_str(), &status) != 0)
      return fail(system_error("cannot run there", errno, subject.cwd, "make the folder first"));
    if (!S_ISDIR(status.st_mode))
      return fail("cannot run there: it is no folder", subject.cwd, "name a folder");
  }
  const std::string& name = subject.argv.front();
  if (name.find('/') != std::string::npos) return resolve_path(subject);
  const std::string path = find_variable(env, "PATH").value_or("/bin:/usr/bin");
  const std::optional<std::string> file = find_program(name, path);
  if (!file) return not_found(subject.argv, nearest(name, names_on(path)));
  if (const Result<void> good = check_executable(*file, name); !good) return fail(good.error());
  if (file->front() == '/') return *file;
  // PATH holds a relative folder: it is relative to where assay runs, also when the subject's is
  // another.
  const std::unique_ptr<char, void (*)(void*)> full(::realpath(file->c_str(), nullptr), std::free);
  return full ? std::string(full.get()) : *file;
}

Result<Fd> open_input(const Subject& subject) {
  if (subject.input.empty()) {
    Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!null) return fail(system_error("cannot read", errno, "/dev/null"));
    return null;
  }
  Fd file(::open(subject.input.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file && ::fstat(file.value(), &status) == 0 && S_ISDIR(status.st_mode))
    return fail("the input is a folder", subject.input, "name a file");
  if (!file)
    return fail(system_error("cannot read the input", errno, subject.input,
                             "name a readable file with --input"));
  return file;
}

}  // namespace assay::measure
