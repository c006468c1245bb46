#pragma once

#include <memory>
#include <vector>

#include <torch/nn/module.h>

#include "model/backbone.h"
#include "model/layers.h"

namespace pointpng {

/// Symmetric squared Chamfer distance between point sets [P, k, 3] and [P, k', 3], mean over P.
Tensor chamfer_distance(const Tensor& a, const Tensor& b);

/// Decoder from the visible tokens and the positions of the masked ones to a token for each
/// masked patch.
class MaskedDecoderImpl : public torch::nn::Module {
 public:
  explicit MaskedDecoderImpl(const ModelConfig& config);
  /// visible [B, v, width]; → [B, hidden, width]
  Tensor forward(Backbone& backbone, const Tensor& visible_tokens, const Patches& visible,
                 const Patches& hidden);

 private:
  Tensor mask_token_;
  std::vector<Block> blocks_;
  torch::nn::LayerNorm norm_{nullptr};
};
TORCH_MODULE(MaskedDecoder);

/// Masked autoencoding as in Point-MAE: the points of hidden patches are reconstructed from the
/// visible ones, measured by the Chamfer distance.
class MaskedAutoencoder : public torch::nn::Module {
 public:
  explicit MaskedAutoencoder(const ModelConfig& config);
  /// The loss of one batch.
  Tensor reconstruct(const Patches& patches, const Mask& mask);
  Backbone& backbone() { return *backbone_; }

 private:
  std::shared_ptr<Backbone> backbone_;
  MaskedDecoder decoder_{nullptr};
  torch::nn::Linear points_{nullptr};
};

/// point2vec: the student predicts, for hidden patches, the output of an EMA teacher that
/// sees the whole cloud (mean of its normalised last layers).
class Point2Vec : public torch::nn::Module {
 public:
  explicit Point2Vec(const ModelConfig& config);
  Tensor predict(const Patches& patches, const Mask& mask);
  /// Moves the teacher's weights towards the student's.
  void follow(double momentum);
  Backbone& backbone() { return *backbone_; }
  Backbone& teacher() { return *teacher_; }

 private:
  Tensor teacher_targets(const Patches& patches);

  std::shared_ptr<Backbone> backbone_, teacher_;
  MaskedDecoder decoder_{nullptr};
  torch::nn::Linear out_{nullptr};
};

}  // namespace pointpng
