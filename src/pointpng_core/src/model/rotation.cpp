#include "model/rotation.h"

#include <cmath>
#include <numbers>
#include <vector>

#include <torch/types.h>

#include "model/unit.h"

namespace pointpng::rotation {
namespace {

using torch::indexing::Ellipsis;
using torch::indexing::Slice;

std::vector<std::int64_t> with_last(torch::IntArrayRef shape, std::int64_t last) {
  std::vector<std::int64_t> full(shape.begin(), shape.end());
  full.push_back(last);
  return full;
}

Tensor vector_part(const Tensor& q) { return q.index({Ellipsis, Slice(1)}); }

}  // namespace

Tensor canonical(const Tensor& q) {
  const Tensor length_one = unit(q);
  return torch::where(length_one.narrow(-1, 0, 1) < 0, -length_one, length_one);
}

Tensor multiply(const Tensor& a, const Tensor& b) {
  const auto p = a.unbind(-1);
  const auto q = b.unbind(-1);
  return torch::stack({p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                       p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                       p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                       p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]},
                      -1);
}

Tensor inverse(const Tensor& q) { return torch::cat({q.narrow(-1, 0, 1), -vector_part(q)}, -1); }

Tensor to_matrix(const Tensor& q) {
  const auto c = q.unbind(-1);
  const Tensor &w = c[0], &x = c[1], &y = c[2], &z = c[3];
  return torch::stack({1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                       2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
                      -1)
      .unflatten(-1, {3, 3});
}

Tensor from_matrix(const Tensor& matrix) {
  const auto at = [&](int row, int column) { return matrix.index({Ellipsis, row, column}); };
  const Tensor xx = at(0, 0), yy = at(1, 1), zz = at(2, 2);
  // Row i is 4 q_i q: every row is the quaternion up to a factor, the longest one is well
  // conditioned.
  const Tensor rows = torch::stack(
      {torch::stack(
           {1 + xx + yy + zz, at(2, 1) - at(1, 2), at(0, 2) - at(2, 0), at(1, 0) - at(0, 1)}, -1),
       torch::stack(
           {at(2, 1) - at(1, 2), 1 + xx - yy - zz, at(0, 1) + at(1, 0), at(0, 2) + at(2, 0)}, -1),
       torch::stack(
           {at(0, 2) - at(2, 0), at(0, 1) + at(1, 0), 1 - xx + yy - zz, at(1, 2) + at(2, 1)}, -1),
       torch::stack(
           {at(1, 0) - at(0, 1), at(0, 2) + at(2, 0), at(1, 2) + at(2, 1), 1 - xx - yy + zz}, -1)},
      -2);
  const Tensor best = rows.diagonal(0, -2, -1).argmax(-1, true).unsqueeze(-1);
  const Tensor row = rows.gather(-2, best.expand_as(rows.narrow(-2, 0, 1))).squeeze(-2);
  return canonical(row);
}

Tensor exp(const Tensor& rotation_vector) {
  const Tensor angle = rotation_vector.norm(2, -1, true);
  // sin(a/2)/a is 1/2 - a²/48 near zero, where the quotient is undefined.
  const Tensor safe = angle.clamp_min(1e-4);
  const Tensor factor =
      torch::where(angle < 1e-4, 0.5 - angle * angle / 48.0, torch::sin(0.5 * safe) / safe);
  return canonical(torch::cat({torch::cos(0.5 * angle), factor * rotation_vector}, -1));
}

Tensor log(const Tensor& q) {
  const Tensor positive = canonical(q);
  const Tensor vector = vector_part(positive);
  const Tensor sine = vector.norm(2, -1, true);
  const Tensor safe = sine.clamp_min(1e-6);
  const Tensor factor = torch::where(sine < 1e-6, torch::full_like(sine, 2.0),
                                     2.0 * torch::atan2(safe, positive.narrow(-1, 0, 1)) / safe);
  return factor * vector;
}

Tensor angle(const Tensor& a, const Tensor& b) {
  const Tensor difference = rotation::multiply(rotation::inverse(a), b);
  return 2.0 *
         torch::atan2(vector_part(difference).norm(2, -1), difference.index({Ellipsis, 0}).abs());
}

Tensor rotate(const Tensor& q, const Tensor& points) {
  return points.matmul(to_matrix(q).transpose(-1, -2));
}

Tensor uniform(torch::IntArrayRef shape, std::optional<torch::Generator> generator,
               torch::Device device) {
  const auto options = torch::TensorOptions().device(device);
  const auto full = with_last(shape, 4);
  return canonical(generator ? torch::randn(full, *generator, options)
                             : torch::randn(full, options));
}

Tensor grid(std::int64_t count, torch::Device device) {
  constexpr double kPhi = std::numbers::sqrt2;
  constexpr double kPsi = 1.533751168755204288118041;  // ψ⁴ = ψ + 4
  const Tensor s = torch::arange(count, torch::kFloat64) + 0.5;
  const Tensor fraction = s / static_cast<double>(count);
  const Tensor turn = 2.0 * std::numbers::pi * s;
  const Tensor inner = fraction.sqrt(), outer = (1.0 - fraction).sqrt();
  const Tensor alpha = turn / kPhi, beta = turn / kPsi;
  return canonical(torch::stack({inner * alpha.sin(), inner * alpha.cos(), outer * beta.sin(),
                                 outer * beta.cos()},
                                -1)
                       .to(torch::kFloat32))
      .to(device);
}

Tensor nearby(torch::IntArrayRef shape, double smallest, double largest,
              std::optional<torch::Generator> generator, torch::Device device) {
  const auto options = torch::TensorOptions().device(device);
  const auto sample = [&](std::int64_t last, bool normal) {
    const auto full = with_last(shape, last);
    if (normal)
      return generator ? torch::randn(full, *generator, options) : torch::randn(full, options);
    return generator ? torch::rand(full, *generator, options) : torch::rand(full, options);
  };
  const Tensor axis = unit(sample(3, true));
  const Tensor angle = smallest * torch::pow(largest / smallest, sample(1, false));
  return rotation::exp(axis * angle);
}

}  // namespace pointpng::rotation
