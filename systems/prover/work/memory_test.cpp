// SPDX-License-Identifier: Apache-2.0
// What a partition is said to take is what it takes. Every allocation of this program is counted.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "prover/base/pages.hpp"
#include "prover/work/testing.hpp"

namespace {

std::atomic<std::uint64_t> small_bytes{0}, most_bytes{0};

void* counted(std::size_t bytes) {
  void* const data = std::malloc(bytes);
  if (data == nullptr) throw std::bad_alloc();
  const std::uint64_t now = (small_bytes += malloc_usable_size(data)) + prover::mapped_bytes();
  std::uint64_t most = most_bytes;
  while (most < now && !most_bytes.compare_exchange_weak(most, now)) {
  }
  return data;
}

void release(void* data) {
  if (data != nullptr) small_bytes -= malloc_usable_size(data);
  std::free(data);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* data) noexcept { release(data); }
void operator delete[](void* data) noexcept { release(data); }
void operator delete(void* data, std::size_t) noexcept { release(data); }
void operator delete[](void* data, std::size_t) noexcept { release(data); }

namespace prover::work {
namespace {

std::uint64_t bytes_now() { return small_bytes + mapped_bytes(); }

class WorkMemory : public testing::Test {
 protected:
  // One key for all of them: its set-up takes longest.
  static const Folder& folder() {
    static const Folder folder;
    return folder;
  }
  static std::shared_ptr<const Circuit> circuit() {
    static const auto made = must(
        Circuit::open(make_key(folder(), "dense", small_dense(CurveId::bn254, (1u << 13) - 2))));
    return made;
  }
};

// While a, b and c are there all of it, and the rest when they are gone: one of the two is close.
TEST_F(WorkMemory, a_partition_takes_what_its_footprint_says) {
  const struct {
    Settings settings;
    double slack;  // of threads that need not all be busy at once
  } cases[] = {{{}, 1.05},
               {{.compiled = false}, 1.05},
               {{.window = 6}, 1.05},
               {{.g2 = G2::parallel}, 1.3},
               {{.prove_threads = 2}, 1.3}};
  for (const auto& [settings, slack] : cases) {
    const auto work = must(Groth16Work::create(settings));
    Steps steps(*work, must(Groth16Job::from_seed(circuit(), 3, 1)));
    ASSERT_TRUE(steps.load());
    const Footprint footprint = work->footprint(steps.spec(), Steps::task(0));
    const std::uint64_t before = bytes_now();
    most_bytes = 0;
    auto device = must(work->upload(steps.source(0), must(steps.synthesize(0))));
    ASSERT_TRUE(device->start({}));
    const std::uint64_t in_start = most_bytes - before, started = bytes_now();
    device->free_vectors();
    EXPECT_EQ(started - bytes_now(), footprint.vectors);
    most_bytes = 0;
    ASSERT_TRUE(device->finish({}));
    const std::uint64_t in_finish = most_bytes - before;
    const auto taken = static_cast<double>(std::max(in_start, footprint.vectors + in_finish));
    const auto said = static_cast<double>(footprint.total());
    EXPECT_LE(taken, said) << "window " << settings.window.value_or(0);
    EXPECT_LE(said, slack * taken) << "window " << settings.window.value_or(0);
    device.reset();
    EXPECT_LT(bytes_now() - before, 10000u);
  }
}

TEST_F(WorkMemory, resources_take_what_they_need) {
  const auto work = must(Groth16Work::create({}));
  const auto job = must(Groth16Job::from_seed(circuit(), 3, 1));
  const JobSpec spec{.partitions = 1, .input = job};
  const auto needs = work->needs(spec);
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_EQ(needs[0].name, "key dense");
  EXPECT_EQ(needs[1].name, "matrices dense");
  const std::uint64_t before = bytes_now();
  ResourcePtr matrices = must(work->load(spec, needs[1], {}));
  const auto taken = static_cast<double>(bytes_now() - before);
  EXPECT_LE(taken, 1.01 * static_cast<double>(needs[1].bytes));
  EXPECT_GE(taken, 0.99 * static_cast<double>(needs[1].bytes));
  matrices.reset();
  EXPECT_LT(bytes_now() - before, 10000u);
}

}  // namespace
}  // namespace prover::work
