#pragma once

#include <cstdint>
#include <vector>

#include <torch/nn/modules/linear.h>

#include "model/predictor.h"

namespace pointpng {

/// Concatenates vectors in the last dimension; leading dimensions broadcast.
Tensor side_by_side(const Tensor& a, const Tensor& b);

/// The paper's COPE network. Its last layer is linear and commutes with the sum over the columns of
/// Θ_g, so Θ_g z is computed without the d × d matrix.
class CopePredictor : public Predictor {
 public:
  explicit CopePredictor(const ModelConfig& config);
  Tensor apply(const Tensor& g, const Tensor& z) override;
  Tensor similarity(const Tensor& g, const Tensor& source, const Tensor& target) override;

  /// Θ_g itself, […, d, d]: for tests and inspection.
  Tensor matrix(const Tensor& g);

 private:
  Tensor harmonic_embedding(const Tensor& g) const;  // H(g)
  Tensor hidden_columns(const Tensor& g);  // […, d, hidden]: one row for each column of Θ_g
  Tensor finish(const Tensor& summed, const Tensor& z);

  std::int64_t frequencies_;
  bool matrix_input_;
  torch::nn::Linear first_{nullptr}, second_{nullptr}, third_{nullptr};  // the MLP that makes h'_g
  Tensor psi_;                                                           // Ψ, [d, d / k]
  torch::nn::Linear expand_hidden_{nullptr}, expand_out_{nullptr};       // the shared MLP
};

/// z is a stack of irreps of SO(3), Θ_g block-diagonal in the Wigner matrices: no parameters,
/// exactly orthogonal, Θ_g Θ_h = Θ_gh. ⟨u_g(source), target⟩ depends on g only through Σ_l ⟨C_l,
/// D^l(g)⟩.
class WignerPredictor : public Predictor {
 public:
  explicit WignerPredictor(const ModelConfig& config);
  Tensor apply(const Tensor& g, const Tensor& z) override;
  Tensor similarity(const Tensor& g, const Tensor& source, const Tensor& target) override;
  bool exact() const override { return true; }

 private:
  std::vector<std::int64_t> channels_;
};

/// SIE's hypernetwork: predicts every element of Θ_g, without bias. The first elements
/// of z (`sie_invariant`) are SIE's invariant part and pass through.
class SiePredictor : public Predictor {
 public:
  explicit SiePredictor(const ModelConfig& config);
  Tensor apply(const Tensor& g, const Tensor& z) override;

 private:
  std::int64_t invariant_, length_;
  torch::nn::Linear hidden_{nullptr}, out_{nullptr};
};

/// EquiMod's: one linear layer on z and a projection of g.
class EquiModPredictor : public Predictor {
 public:
  explicit EquiModPredictor(const ModelConfig& config);
  Tensor apply(const Tensor& g, const Tensor& z) override;

 private:
  torch::nn::Linear turn_{nullptr}, out_{nullptr};
};

/// SEN's: two layers on z and g together.
class SenPredictor : public Predictor {
 public:
  explicit SenPredictor(const ModelConfig& config);
  Tensor apply(const Tensor& g, const Tensor& z) override;

 private:
  torch::nn::Linear hidden_{nullptr}, out_{nullptr};
};

/// u_g(z) = z: what an invariant method, such as SimCLR, predicts.
class IdentityPredictor : public Predictor {
 public:
  Tensor apply(const Tensor& g, const Tensor& z) override;
};

}  // namespace pointpng
