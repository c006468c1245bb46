#include "io/isolated.h"

#include <atomic>
#include <csignal>

#include "io/shape_bytes.h"
#include "io/test_files.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

TEST(Isolated, ReturnsWhatTheWorkReturns) {
  EXPECT_EQ(run_isolated([] { return std::string(5'000'000, 'x'); }, 10),
            std::string(5'000'000, 'x'));
  EXPECT_EQ(run_isolated([] { return std::string(); }, 10), "");
}

TEST(Isolated, CarriesInputErrorsOver) {
  expect_input_error([] { run_isolated([]() -> std::string { throw InputError("no good"); }, 10); },
                     "no good");
}

TEST(Isolated, CrashesAndEndlessLoopsHaveNoResult) {
  EXPECT_FALSE(run_isolated([] { return ::raise(SIGSEGV), std::string(); }, 10));
  EXPECT_FALSE(run_isolated([]() -> std::string { throw 1; }, 10));
  const auto loop = []() -> std::string {
    std::atomic<bool> stop = false;
    while (!stop) {
    }
    return "";
  };
  EXPECT_FALSE(run_isolated(loop, 1));
}

TEST(Isolated, ShapesSurviveBeingPacked) {
  const ShapeSet set = procedural_shapes(3, 20, 1);
  const ShapeSet back = unpack_shapes(pack_shapes(set));
  EXPECT_EQ(back.class_names, set.class_names);
  ASSERT_EQ(back.shapes.size(), 3U);
  EXPECT_EQ(back.shapes[2].points, set.shapes[2].points);
  EXPECT_EQ(back.shapes[2].name, set.shapes[2].name);
  EXPECT_EQ(back.shapes[2].label, set.shapes[2].label);
}

}  // namespace
}  // namespace pointpng
