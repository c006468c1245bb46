#include "embed/similarity_peak.h"

#include <algorithm>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace pointpng {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The square matrices of degrees 0, 1, … out of one flat row.
std::vector<Eigen::MatrixXd> unflatten(const float* flat, std::size_t degrees) {
  std::vector<Eigen::MatrixXd> matrices;
  for (std::size_t l = 0; l < degrees; ++l) {
    const auto order = static_cast<Eigen::Index>(2 * l + 1);
    matrices.emplace_back(Eigen::Map<const RowMajor>(flat, order, order).cast<double>());
    flat += order * order;
  }
  return matrices;
}

/// D^l(exp(step)) for a short step, by its power series.
Eigen::MatrixXd small_wigner(const std::array<Eigen::MatrixXd, 3>& generators,
                             const Eigen::Vector3d& step) {
  constexpr int kTerms = 12;  // a step of 0.2 radians and degree 4: below 1e-12
  const Eigen::MatrixXd exponent =
      step[0] * generators[0] + step[1] * generators[1] + step[2] * generators[2];
  Eigen::MatrixXd term = Eigen::MatrixXd::Identity(exponent.rows(), exponent.cols()), sum = term;
  for (int k = 1; k <= kTerms; ++k) {
    term = (exponent * term / k).eval();
    sum += term;
  }
  return sum;
}

/// Uphill: Newton's step where the function is concave, damped where it is not.
Eigen::Vector3d uphill(const Eigen::Vector3d& gradient, const Eigen::Matrix3d& hessian,
                       double damping) {
  constexpr double kLongestStep = 0.2;  // radians: about the grid's spacing
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(hessian, Eigen::EigenvaluesOnly);
  const double curvature = hessian.diagonal().cwiseAbs().sum() + 1e-9;
  const double shift =
      1.5 * std::max(0.0, solver.eigenvalues().maxCoeff()) + (damping + 1e-4) * curvature;
  const Eigen::Vector3d step =
      (shift * Eigen::Matrix3d::Identity() - hessian).ldlt().solve(gradient);
  return step * std::min(1.0, kLongestStep / std::max(step.norm(), 1e-30));
}

Eigen::Quaterniond exponential(const Eigen::Vector3d& step) {
  const double angle = step.norm();
  if (angle == 0.0) return Eigen::Quaterniond::Identity();
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, step / angle));
}

}  // namespace

SimilarityPeak::SimilarityPeak(const Generators& generators, const float* correlation)
    : generators_(generators), correlation_(unflatten(correlation, generators.size())) {}

/// To second order in w at exp(w) g: ⟨C, G D⟩ = ⟨C Dᵀ, G⟩ for any G.
SimilarityPeak::Expansion SimilarityPeak::expand(const Matrices& wigner) const {
  Expansion sum;
  for (std::size_t l = 0; l < wigner.size(); ++l) {
    const Eigen::MatrixXd turned = correlation_[l] * wigner[l].transpose();
    sum.value += turned.trace();
    std::array<Eigen::MatrixXd, 3> along;  // turned G_bᵀ: ⟨turned, G_a G_b⟩ = ⟨turned G_bᵀ, G_a⟩
    for (std::size_t b = 0; b < 3; ++b) along[b] = turned * generators_[l][b].transpose();
    for (int a = 0; a < 3; ++a) {
      const Eigen::MatrixXd& generator = generators_[l][static_cast<std::size_t>(a)];
      sum.gradient[a] += turned.cwiseProduct(generator).sum();
      for (int b = 0; b < 3; ++b) {
        const double both = along[static_cast<std::size_t>(b)].cwiseProduct(generator).sum();
        sum.hessian(a, b) += 0.5 * both;
        sum.hessian(b, a) += 0.5 * both;
      }
    }
  }
  return sum;
}

SimilarityPeak::Place SimilarityPeak::climb(const Eigen::Quaterniond& start,
                                            const Eigen::VectorXf& wigner,
                                            std::int64_t steps) const {
  constexpr double kConverged = 1e-6;  // radians
  Matrices matrices = unflatten(wigner.data(), generators_.size());
  Place place{start, 0.0};
  Expansion here = expand(matrices);
  double damping = 0.0;
  for (std::int64_t i = 0; i < steps; ++i) {
    const Eigen::Vector3d step = uphill(here.gradient, here.hessian, damping);
    Matrices moved = matrices;
    for (std::size_t l = 1; l < moved.size(); ++l)
      moved[l] = small_wigner(generators_[l], step) * matrices[l];
    const Expansion there = expand(moved);
    if (there.value < here.value) {  // a step that does not help is not taken
      damping = 10.0 * damping + 0.1;
      continue;
    }
    matrices = std::move(moved);
    here = there;
    place.rotation = (exponential(step) * place.rotation).normalized();
    damping *= 0.2;
    if (step.norm() < kConverged) break;
  }
  place.similarity = here.value;
  return place;
}

}  // namespace pointpng
