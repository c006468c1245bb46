#include "model/tensor_file.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include "base/random.h"
#include "base/temporary_folder.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using torch::Tensor;

void write_raw(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A file with this header and that many bytes behind it, written by hand.
std::string file_of(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  return bytes + header + std::string(data_bytes, '\0');
}

std::string header_of(const nlohmann::json& shape, const nlohmann::json& offsets,
                      const std::string& type = "F32") {
  return nlohmann::json{{"a", {{"dtype", type}, {"shape", shape}, {"data_offsets", offsets}}}}
      .dump();
}

class SafetensorsTest : public ::testing::Test {
 protected:
  /// The error message for these bytes; "none" if they are read.
  std::string complaint(const std::string& bytes) {
    write_raw(folder_ / "a.safetensors", bytes);
    try {
      read_safetensors(folder_ / "a.safetensors");
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  }
  std::string sound_bytes() {
    write_safetensors(folder_ / "sound", {{{"first", torch::arange(6).view({2, 3})},
                                           {"second", torch::randn({5})},
                                           {"third", torch::ones({3}, torch::kBool)}},
                                          {{"note", "text"}}});
    return read_file(folder_ / "sound");
  }
  TemporaryFolder folder_;
};

TEST_F(SafetensorsTest, EveryTypeAndShapeSurvives) {
  at::manual_seed(1);
  TensorFile file;
  for (const auto type : {torch::kFloat32, torch::kFloat64, torch::kFloat16, torch::kBFloat16,
                          torch::kInt64, torch::kInt32, torch::kInt16, torch::kUInt8, torch::kBool})
    file.tensors[std::string("type ") + toString(type)] =
        (10.0 * torch::rand({3, 4})).to(torch::kInt64).to(type);
  file.tensors["scalar"] = torch::tensor(2.5F);
  file.tensors["empty"] = torch::zeros({0, 4});
  file.tensors["strided"] = torch::randn({4, 3}).t();
  file.tensors["wants a gradient"] = torch::randn({2}).requires_grad_(true);
  write_safetensors(folder_ / "a", file);
  const TensorFile read = read_safetensors(folder_ / "a");
  ASSERT_EQ(read.tensors.size(), file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) {
    EXPECT_EQ(read.tensors.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(read.tensors.at(name).equal(tensor)) << name;
  }
}

TEST_F(SafetensorsTest, NotANumberAndInfinitySurvive) {
  const Tensor strange = torch::tensor({std::numeric_limits<float>::quiet_NaN(),
                                        std::numeric_limits<float>::infinity(), -0.0F, 1e-45F});
  write_safetensors(folder_ / "a", {{{"a", strange}}, {}});
  const Tensor read = read_safetensors(folder_ / "a").tensors.at("a");
  EXPECT_EQ(std::memcmp(read.data_ptr(), strange.data_ptr(), 16), 0);
}

TEST_F(SafetensorsTest, MetadataSurvives) {
  const std::map<std::string, std::string> metadata = {
      {"plain", "text"}, {"json", R"({"a": [1, "ü"]})"}, {"lines", "a\n\"b\"\\"}, {"empty", ""}};
  write_safetensors(folder_ / "a", {{}, metadata});
  EXPECT_EQ(read_safetensors(folder_ / "a").metadata, metadata);
}

// A path in a training command may contain any bytes; that must not prevent saving the weights.
TEST_F(SafetensorsTest, TextThatIsNotUtf8CanStillBeWritten) {
  EXPECT_NO_THROW(
      write_safetensors(folder_ / "a", {{{"a", torch::ones({1})}}, {{"path", "caf\xe9"}}}));
  EXPECT_THAT(read_safetensors(folder_ / "a").metadata.at("path"), HasSubstr("caf"));
}

TEST_F(SafetensorsTest, DataAreAlignedAsTheFormatWants) {
  const std::string bytes = sound_bytes();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  EXPECT_EQ((sizeof(length) + length) % 8, 0U);
  EXPECT_EQ(bytes[8], '{');
}

TEST_F(SafetensorsTest, AFailedWriteLeavesTheOldFile) {
  write_safetensors(folder_ / "a", {{{"a", torch::ones({2})}}, {}});
  EXPECT_THROW(
      write_safetensors(folder_ / "a", {{{"a", torch::ones({2}, torch::kComplexFloat)}}, {}}),
      Error);
  EXPECT_TRUE(read_safetensors(folder_ / "a").tensors.at("a").equal(torch::ones({2})));
  EXPECT_THAT(folder_.names(), ElementsAre("a"));
}

TEST_F(SafetensorsTest, EveryTruncationIsAnInputErrorThatNamesTheFile) {
  const std::string bytes = sound_bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    ASSERT_THAT(complaint(bytes.substr(0, length)), HasSubstr("a.safetensors")) << length;
  EXPECT_EQ(complaint(bytes), "none");
}

TEST_F(SafetensorsTest, FlippedBitsAreReadOrRefusedButNeverWorse) {
  const std::string bytes = sound_bytes();
  Random random({1});
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = bytes;
    for (std::int64_t flips = 1 + random.below(4); flips > 0; --flips) {
      char& byte = damaged[static_cast<std::size_t>(random.below(std::ssize(damaged)))];
      byte = static_cast<char>(byte ^ (1 << random.below(8)));
    }
    ASSERT_NO_THROW(refused += complaint(damaged) != "none") << "repetition " << i;
  }
  EXPECT_GT(refused, 500);
}

TEST_F(SafetensorsTest, RandomBytesAreRefused) {
  Random random({2});
  for (int i = 0; i < 500; ++i) {
    std::string bytes(static_cast<std::size_t>(random.below(200)), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.below(256));
    ASSERT_NE(complaint(bytes), "none");
  }
}

TEST_F(SafetensorsTest, AHeaderLongerThanTheFileIsRefused) {
  std::string bytes = sound_bytes();
  for (const std::uint64_t length :
       {std::uint64_t{1} << 20, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    std::memcpy(bytes.data(), &length, sizeof(length));
    EXPECT_THAT(complaint(bytes), HasSubstr("cut off")) << length;
  }
}

// Each would need more memory than any machine has: that they are refused shows that nothing was
// allocated for them.
TEST_F(SafetensorsTest, PromisesOfHugeTensorsAreRefusedBeforeMemoryIsTaken) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 50;
  EXPECT_NE(complaint(file_of(header_of({kHuge}, {0, 16}), 16)), "none");
  EXPECT_NE(complaint(file_of(header_of({kHuge, kHuge}, {0, 16}), 16)), "none");
  EXPECT_NE(complaint(file_of(header_of({kHuge}, {0, 4 * kHuge}), 16)), "none");
  // Products that overflow to 4.
  EXPECT_NE(
      complaint(file_of(header_of({std::int64_t{1} << 32, std::int64_t{1} << 32, 4}, {0, 16}), 16)),
      "none");
  EXPECT_NE(complaint(file_of(header_of({std::int64_t{1} << 62}, {0, 0}), 0)), "none");
  // No elements at all, in dimensions whose product overflows.
  EXPECT_NE(
      complaint(file_of(header_of({0, std::int64_t{1} << 62, std::int64_t{1} << 62}, {0, 0}), 0)),
      "none");
}

TEST_F(SafetensorsTest, TensorsThatShareBytesAreRefused) {
  const nlohmann::json entry = {{"dtype", "F32"}, {"shape", {4}}, {"data_offsets", {0, 16}}};
  EXPECT_NE(complaint(file_of(nlohmann::json{{"a", entry}, {"b", entry}}.dump(), 16)), "none");
}

TEST_F(SafetensorsTest, LyingEntriesAreRefused) {
  EXPECT_EQ(complaint(file_of(header_of({4}, {0, 16}), 16)), "none");
  EXPECT_THAT(complaint(file_of(header_of({5}, {0, 16}), 16)), HasSubstr("'a'"));
  EXPECT_NE(complaint(file_of(header_of({-4}, {0, 16}), 16)), "none");
  EXPECT_NE(complaint(file_of(header_of({4}, {16, 0}), 16)), "none");
  EXPECT_NE(complaint(file_of(header_of({4}, {0, 16, 32}), 16)), "none");
  EXPECT_NE(complaint(file_of(header_of({4}, {-16, 0}), 16)), "none");
  EXPECT_NE(complaint(file_of(header_of({2}, {0, 16}), 16)), "none");
  EXPECT_THAT(complaint(file_of(header_of({4}, {0, 16}, "F7"), 16)), HasSubstr("type"));
  EXPECT_NE(complaint(file_of(header_of("4", {0, 16}), 16)), "none");
  EXPECT_NE(complaint(file_of(R"({"a": 7})", 16)), "none");
  EXPECT_NE(complaint(file_of("[1, 2]", 16)), "none");
  EXPECT_NE(complaint(file_of("{", 16)), "none");
}

TEST_F(SafetensorsTest, DeeplyNestedHeadersAreRefused) {
  EXPECT_NE(complaint(file_of(std::string(1'000'000, '['), 0)), "none");
  const std::string nested =
      R"({"a": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_NE(complaint(file_of(nested, 0)), "none");
}

TEST_F(SafetensorsTest, AMissingFileIsAnInputError) {
  EXPECT_THROW(read_safetensors(folder_ / "missing"), InputError);
}

}  // namespace
}  // namespace pointpng
