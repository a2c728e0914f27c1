// SPDX-License-Identifier: Apache-2.0
#include "attribution/names.hpp"

#include <gtest/gtest.h>

namespace assay::attribution {
namespace {

TEST(Names, Normalised) {
  struct Case {
    const char *name, *expected;
  };
  const Case cases[] = {{"main", "main"},
                        {"", ""},
                        {"std::vector<int, std::allocator<int> >::push_back(int const&)",
                         "std::vector<>::push_back(int const&)"},
                        {"ntt::<Fr>::run::h0123456789abcdef", "ntt::run"},
                        {"<T as core::Trait>::f", "<>::f"},
                        {"f<int>(int) [clone .isra.0]", "f<>(int)"},
                        {"f.part.3.cold", "f"},
                        {"f.constprop.12", "f"},
                        {"g.llvm.1234567890", "g"},
                        {".cold", ".cold"},
                        {"prove.cc:217", "prove.cc:#"},
                        {"at 0x7f00dead", "at #"},
                        {"kernel_32", "kernel_#"},
                        {"msm_g1", "msm_g1"},
                        {"sha256", "sha256"},
                        {"deadbeef01 step", "# step"},
                        {"defaced", "defaced"},
                        {"operator<<(std::ostream&)", "operator<<(std::ostream&)"},
                        {"a::operator->()", "a::operator->()"},
                        {"a::operator<=>(b)", "a::operator<=>(b)"},
                        {"(anonymous namespace)::f()", "f()"},
                        {"a < b", "a < b"},
                        {"unclosed<int", "unclosed<int"},
                        {"f<std::function<int()>, [](int) -> int {}>", "f<>"},
                        {"  two   blanks  ", "two blanks"},
                        {"123", "#"}};
  for (const Case& c : cases) EXPECT_EQ(normalised_name(c.name), c.expected) << c.name;
}

TEST(Names, HostileNamesCostLinearTime) {
  const std::string open(200000, '<');
  EXPECT_EQ(normalised_name(open), open);
  std::string clones = "f";
  for (int i = 0; i < 2000; ++i) clones += ".cold";
  EXPECT_EQ(normalised_name(clones), "f");
  EXPECT_FALSE(normalised_name(std::string(3, '\0')).empty());
}

TEST(Names, ASecondTimeChangesNothing) {
  for (const char* name :
       {"std::vector<int>::f", "a_12::h0123456789abcdef", "x [clone .cold] 0x12"}) {
    const std::string once = normalised_name(name);
    EXPECT_EQ(normalised_name(once), once);
  }
}

}  // namespace
}  // namespace assay::attribution
