#include "embed/embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "embed/equivariant_embedder.h"
#include "embed/model_file.h"
#include "embed/random_model.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

using ::testing::HasSubstr;

TEST(EquivariantEmbedderTest, TheEmbeddingTurnsExactlyAsTheCloudTurns) {
  const auto embedder = random_embedder({}, 1);
  const Cloud cloud = procedural_shape(4, 0, 900).points;
  Random random({2});
  for (int i = 0; i < 5; ++i) {
    const Eigen::Vector4f q = random.quaternion();
    Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
    motion.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
    motion.translation() << 3.0, -2.0, 1.0;
    const auto found = embedder->search(embedder->embed(cloud, "a"),
                                        embedder->embed(transformed(cloud, motion), "b"), {});
    ASSERT_FALSE(found.empty());
    EXPECT_LT(found.front().target_from_source.angularDistance(Eigen::Quaterniond(motion.linear())),
              1e-2);
    EXPECT_LT(found.front().loss, 1e-4);
  }
}

TEST(EquivariantEmbedderTest, IsOnTheUnitSphereWhateverTheUnit) {
  const auto embedder = random_embedder({}, 1);
  const Cloud cloud = procedural_shape(4, 0, 900).points;
  const Eigen::VectorXf z = embedder->embed(cloud, "a");
  EXPECT_NEAR(z.norm(), 1.0F, 1e-5F);
  EXPECT_LT((embedder->embed(cloud * 1000.0F, "b") - z).norm(), 1e-3F);
}

TEST(EquivariantEmbedderTest, TooSmallACloudIsRefusedByName) {
  const auto embedder = random_embedder({}, 1);
  try {
    embedder->embed(procedural_shape(4, 0, 900).points.topRows(5), "scan.ply");
    FAIL() << "5 points were embedded";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("scan.ply has 5 points"));
  }
}

class LoadEmbedderTest : public ::testing::Test {
 protected:
  std::string problem(const Safetensors& file) {
    write_safetensors_file(folder_ / "m.safetensors", file);
    try {
      load_embedder(folder_ / "m.safetensors", Device::kCpu);
    } catch (const InputError& error) {
      return error.what();
    }
    return "loaded";
  }
  Safetensors sound() const {
    Safetensors file = random_weights({}, 1);
    file.metadata = file_header("model", {});
    return file;
  }
  TemporaryFolder folder_;
};

TEST_F(LoadEmbedderTest, LoadsASoundModel) { EXPECT_EQ(problem(sound()), "loaded"); }

TEST_F(LoadEmbedderTest, OtherFilesAreRefusedWithTheReason) {
  Safetensors file = sound();
  file.metadata["kind"] = "encoder";
  EXPECT_THAT(problem(file), HasSubstr("holds a encoder, not a model"));
  file = sound();
  file.metadata.erase("format");
  EXPECT_THAT(problem(file), HasSubstr("was not written by pointpng"));
  file = sound();
  file.tensors.erase("backbone.encoder_1.qkv.bias");
  EXPECT_THAT(problem(file), HasSubstr("has no weights 'backbone.encoder_1.qkv.bias'"));
  file = sound();
  file.tensors["backbone.relation.bias"].shape = {4, 4};
  EXPECT_THAT(problem(file), HasSubstr("weights 'backbone.relation.bias' are F32 4×4"));
  ModelConfig huge;
  huge.width = 1 << 16;
  huge.heads = 1;
  file.metadata = file_header("model", huge);
  EXPECT_THAT(problem(file), HasSubstr("fewer weights than its configuration asks for"));
}

}  // namespace
}  // namespace pointpng
