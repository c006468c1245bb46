#include "model/harmonics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <string>
#include <tuple>

#include <ATen/Parallel.h>
#include <torch/library.h>
#include <torch/types.h>

#include "embed/kernels.h"
#include "model/operators.h"
#include "model/rotation.h"

namespace pointpng {
namespace {

using kernels::kMostDegree;

Tensor harmonics_by_tensors(const Tensor& directions, std::int64_t degree) {
  const auto c = directions.unbind(-1);
  const Tensor &x = c[0], &y = c[1], &z = c[2];
  // Re and Im of (x + iy)^m, and the associated Legendre functions without their sin^m factor.
  std::vector<Tensor> real{torch::ones_like(x)}, imaginary{torch::zeros_like(x)};
  for (std::int64_t m = 1; m <= degree; ++m) {
    const Tensor re = real.back(), im = imaginary.back();
    real.push_back(x * re - y * im);
    imaginary.push_back(x * im + y * re);
  }
  std::vector<std::vector<Tensor>> legendre(static_cast<std::size_t>(degree) + 1);
  double odd_factorial = 1.0;
  for (std::int64_t m = 0; m <= degree; ++m) {
    if (m > 0) odd_factorial *= static_cast<double>(2 * m - 1);
    auto& p = legendre[static_cast<std::size_t>(m)];  // p[l - m] = P_l^m
    p.push_back(torch::full_like(z, odd_factorial));
    for (std::int64_t l = m + 1; l <= degree; ++l) {
      Tensor next = static_cast<double>(2 * l - 1) * z * p.back();
      if (l > m + 1) next = next - static_cast<double>(l + m - 1) * p[p.size() - 2];
      p.push_back(next / static_cast<double>(l - m));
    }
  }
  std::vector<Tensor> columns;
  for (std::int64_t l = 0; l <= degree; ++l) {
    for (std::int64_t m = 0; m <= l; ++m) {
      const Tensor& p = legendre[static_cast<std::size_t>(m)][static_cast<std::size_t>(l - m)];
      const Tensor scaled = kernels::harmonic_scale(l, m) * p;
      columns.push_back(scaled * real[static_cast<std::size_t>(m)]);
      if (m > 0) columns.push_back(scaled * imaginary[static_cast<std::size_t>(m)]);
    }
  }
  return torch::stack(columns, -1);
}

Tensor harmonics_on_cpu(const Tensor& given, std::int64_t degree) {
  const Tensor directions = given.contiguous();
  const std::int64_t count = directions.numel() / 3, row = (degree + 1) * (degree + 1);
  auto shape = directions.sizes().vec();
  shape.back() = row;
  Tensor out = torch::empty(shape, directions.options());
  const float* in = directions.data_ptr<float>();
  float* to = out.data_ptr<float>();
  at::parallel_for(0, count, 1024, [&](std::int64_t begin, std::int64_t end) {
    kernels::spherical_harmonics(in + 3 * begin, end - begin, degree, to + row * begin);
  });
  return out;
}

/// Unit vectors at which the harmonics up to a degree determine a function of that degree, and for
/// every degree the matrix that reads its coefficients off the values there.
struct Probe {
  Tensor directions;            // [P, 3], double
  std::vector<Tensor> inverse;  // [2l+1, P], double
  Tensor all_inverses;          // the same, one below the other
};

Probe make_probe(std::int64_t degree) {
  const auto count = static_cast<double>(2 * (2 * degree + 1));
  const Tensor i = torch::arange(count, torch::kFloat64) + 0.5;
  const Tensor z = 1.0 - 2.0 * i / count;
  const Tensor turn = i * M_PI * (3.0 - std::sqrt(5.0));  // Fibonacci sphere
  const Tensor radius = (1.0 - z * z).sqrt();
  Probe probe{torch::stack({radius * turn.cos(), radius * turn.sin(), z}, -1), {}, {}};
  const Tensor values = spherical_harmonics(probe.directions, degree);
  for (std::int64_t l = 0; l <= degree; ++l)
    probe.inverse.push_back(torch::linalg_pinv(values.narrow(1, l * l, 2 * l + 1)));
  return probe;
}

/// Computed once per degree, device and precision.
const Probe& probe_for(std::int64_t degree, const torch::TensorOptions& options) {
  static std::mutex mutex;
  static std::map<std::tuple<std::int64_t, std::string, torch::ScalarType>, Probe> known;
  const std::scoped_lock lock(mutex);
  const torch::ScalarType type = c10::typeMetaToScalarType(options.dtype());
  Probe& probe = known[{degree, options.device().str(), type}];
  if (!probe.directions.defined()) {
    probe = make_probe(degree);
    probe.directions = probe.directions.to(options.device(), type);
    for (Tensor& inverse : probe.inverse) inverse = inverse.to(options.device(), type);
    probe.all_inverses = torch::cat(probe.inverse);
  }
  return probe;
}

}  // namespace

Tensor spherical_harmonics(const Tensor& directions, std::int64_t degree) {
  TORCH_CHECK(degree >= 0 && degree <= kMostDegree, "harmonics go up to degree ", kMostDegree);
  const bool plain = ops::has_kernels(directions) &&
                     !(directions.requires_grad() && torch::GradMode::is_enabled());
  return plain ? ops::harmonics(directions, degree) : harmonics_by_tensors(directions, degree);
}

namespace {

/// Y(R v)ᵀ = Y(v)ᵀ Dᵀ at every probe direction v.
std::vector<Tensor> wigner_by_tensors(const Tensor& q, const Tensor& directions,
                                      const std::vector<Tensor>& inverses) {
  const auto degree = static_cast<std::int64_t>(inverses.size()) - 1;
  const Tensor turned = rotation::rotate(q, directions);  // […, P, 3]
  const Tensor values = spherical_harmonics(turned, degree);
  std::vector<Tensor> matrices;
  for (std::int64_t l = 0; l <= degree; ++l)
    matrices.push_back(inverses[static_cast<std::size_t>(l)]
                           .matmul(values.narrow(-1, l * l, 2 * l + 1))
                           .transpose(-1, -2));
  return matrices;
}

Tensor flattened(const std::vector<Tensor>& matrices) {
  std::vector<Tensor> parts;
  for (const Tensor& matrix : matrices) parts.push_back(matrix.flatten(-2));
  return torch::cat(parts, -1);
}

/// `ops::wigner` on the CPU.
Tensor wigner_on_cpu(const Tensor& rotations, const Tensor& directions, const Tensor& inverse) {
  std::vector<Tensor> inverses;
  for (std::int64_t first = 0, order = 1; first < inverse.size(0); first += order, order += 2)
    inverses.push_back(inverse.narrow(0, first, order));
  return flattened(wigner_by_tensors(rotations, directions, inverses));
}

bool has_wigner_kernel(const Tensor& q) {
  return q.is_cuda() && ops::has_kernels(q) &&
         !(q.requires_grad() && torch::GradMode::is_enabled());
}

}  // namespace

Tensor flat_wigner(const Tensor& q, std::int64_t degree) {
  const Probe& probe = probe_for(degree, q.options());
  return has_wigner_kernel(q) ? ops::wigner(q, probe.directions, probe.all_inverses)
                              : flattened(wigner_by_tensors(q, probe.directions, probe.inverse));
}

std::vector<Tensor> wigner_matrices(const Tensor& q, std::int64_t degree) {
  const Probe& probe = probe_for(degree, q.options());
  if (!has_wigner_kernel(q)) return wigner_by_tensors(q, probe.directions, probe.inverse);
  const Tensor flat = flat_wigner(q, degree);
  std::vector<Tensor> matrices;
  for (std::int64_t first = 0, order = 1; order <= 2 * degree + 1;
       first += order * order, order += 2)
    matrices.push_back(flat.narrow(-1, first, order * order).unflatten(-1, {order, order}));
  return matrices;
}

std::vector<Tensor> wigner_generators(std::int64_t degree) {
  // Central differences of D in double are exact to 1e-9 here; antisymmetrising removes the rest.
  constexpr double kStep = 1e-4;
  const Tensor axes = torch::eye(3, torch::kFloat64);
  const auto ahead = wigner_matrices(rotation::exp(kStep * axes), degree);
  const auto behind = wigner_matrices(rotation::exp(-kStep * axes), degree);
  std::vector<Tensor> generators;
  for (std::size_t l = 0; l < ahead.size(); ++l) {
    const Tensor slope = (ahead[l] - behind[l]) / (2.0 * kStep);
    generators.push_back(0.5 * (slope - slope.transpose(-1, -2)));
  }
  return generators;
}

}  // namespace pointpng

TORCH_LIBRARY_IMPL(pointpng, CPU, library) {
  library.impl("harmonics", pointpng::harmonics_on_cpu);
  library.impl("wigner", pointpng::wigner_on_cpu);
}
