#include "embed/equivariant_embedder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/rows.h"
#include "cloud/normalise.h"
#include "cloud/sampling.h"
#include "embed/equivariant_weights.h"
#include "embed/kernels.h"

namespace pointpng {
namespace {

using Matrix = EquivariantWeights::Matrix;
using Vector = Eigen::VectorXf;

/// y = x Wᵀ + b, with W stored as the kernel wants it.
struct Linear {
  Matrix weights;  // [in, out]
  Vector bias;     // empty: none

  Linear() = default;
  Linear(const EquivariantWeights& file, const std::string& name, bool biased = true)
      : weights(file.matrix(name + ".weight").transpose()) {
    if (biased) bias = file.vector(name + ".bias");
  }

  Matrix operator()(const Matrix& x) const {
    Matrix y(x.rows(), weights.cols());
    kernels::linear(x.data(), x.rows(), weights.rows(), weights.data(),
                    bias.size() > 0 ? bias.data() : nullptr, weights.cols(), y.data());
    return y;
  }
};

Matrix gelu(Matrix x) {
  kernels::gelu(Matrix(x).data(), x.size(), x.data());
  return x;
}

struct Mlp {
  Linear expand, contract;
  Mlp() = default;
  Mlp(const EquivariantWeights& file, const std::string& name)
      : expand(file, name + ".expand"), contract(file, name + ".contract") {}
  Matrix operator()(const Matrix& x) const { return contract(gelu(expand(x))); }
};

struct LayerNorm {
  Vector scale, shift;
  LayerNorm() = default;
  LayerNorm(const EquivariantWeights& file, const std::string& name)
      : scale(file.vector(name + ".weight")), shift(file.vector(name + ".bias")) {}
  Matrix operator()(const Matrix& x) const {
    Matrix y(x.rows(), x.cols());
    kernels::layer_norm(x.data(), x.rows(), x.cols(), scale.data(), shift.data(), y.data());
    return y;
  }
};

/// A batch normalisation as it is at inference: a scale and a shift.
struct BatchNorm {
  Vector scale, shift;
  BatchNorm() = default;
  BatchNorm(const EquivariantWeights& file, const std::string& name) {
    constexpr float kEpsilon = 1e-5F;  // LibTorch's
    const Vector variance = file.vector(name + ".running_var");
    scale = file.vector(name + ".weight").array() / (variance.array() + kEpsilon).sqrt();
    shift = file.vector(name + ".bias") - file.vector(name + ".running_mean").cwiseProduct(scale);
  }
  void apply(Matrix& x) const {
    if (scale.size() > 0)
      x = (x.array().rowwise() * scale.transpose().array()).rowwise() + shift.transpose().array();
  }
};

/// Pre-norm transformer block.
struct Block {
  std::int64_t heads = 1;
  LayerNorm attention_norm, mlp_norm;
  Linear qkv, out;
  Mlp mlp;

  Block(const EquivariantWeights& file, const std::string& name, std::int64_t num_heads)
      : heads(num_heads),
        attention_norm(file, name + ".attention_norm"),
        mlp_norm(file, name + ".mlp_norm"),
        qkv(file, name + ".qkv"),
        out(file, name + ".out"),
        mlp(file, name + ".mlp") {}

  /// `bias`: one [n, n] per head, one after the other.
  void apply(Matrix& x, const float* bias) const {
    const std::int64_t n = x.rows(), width = x.cols();
    const kernels::AttentionShape shape{n, width, width / heads};
    const Matrix projected = qkv(attention_norm(x));
    Matrix attended(n, width), probabilities(n, n);
    Vector scratch(n * shape.d);
    for (std::int64_t head = 0; head < heads; ++head)
      kernels::attention_head(projected.data() + head * shape.d, bias + head * n * n, shape,
                              scratch.data(), probabilities.data(),
                              attended.data() + head * shape.d);
    x += out(attended);
    x += mlp(mlp_norm(x));
  }
};

/// The mini-PointNet that makes a token of a patch: per-point layers, maximum, both again.
class PatchEncoder {
 public:
  PatchEncoder() = default;
  PatchEncoder(const EquivariantWeights& file, const ModelConfig& config)
      : first_(file, "tokens.first"),
        second_(file, "tokens.second"),
        last_(file, "tokens.last"),
        batch_norm_(config.patch_batch_norm) {
    const std::int64_t b = config.patch_widths[1], c = config.patch_widths[2];
    const Linear third(file, "tokens.third");
    of_point_ = third.weights.topRows(b);
    of_patch_.weights = third.weights.bottomRows(b);
    // third([local, global]) without the concatenation; the second layer's bias is added after the
    // maximum, where it costs less.
    of_patch_.bias = third.bias + of_point_.transpose() * second_.bias +
                     of_patch_.weights.transpose() * second_.bias;
    second_.bias.resize(0);
    if (batch_norm_) {
      first_norm_ = BatchNorm(file, "tokens.first_norm");
      third_norm_ = BatchNorm(file, "tokens.third_norm");
    }
    const std::int64_t panels = (c + kernels::kPanel - 1) / kernels::kPanel;
    Matrix padded = Matrix::Zero(b, panels * kernels::kPanel);
    padded.leftCols(c) = of_point_;
    for (std::int64_t p = 0; p < panels; ++p)
      panels_.emplace_back(padded.middleCols(p * kernels::kPanel, kernels::kPanel));
  }

  /// Three numbers per point [n k, 3] → tokens [n, width].
  Matrix operator()(const Matrix& points, std::int64_t k) const {
    Matrix x = first_(points);
    first_norm_.apply(x);
    const Matrix local = second_(x.cwiseMax(0.0F));
    const std::int64_t n = points.rows() / k, b = local.cols();
    Matrix largest(n, b);
    std::vector<std::int32_t> unused(static_cast<std::size_t>(std::max(b, of_point_.cols())));
    for (std::int64_t i = 0; i < n; ++i)
      kernels::max_rows(local.data() + i * k * b, k, b, largest.data() + i * b, unused.data());
    const Matrix shared = of_patch_(largest);
    return batch_norm_ ? last_before_maximum(local, shared, k)
                       : last_after_maximum(local, shared, k);
  }

 private:
  /// ReLU and maximum commute.
  Matrix last_after_maximum(const Matrix& local, const Matrix& shared, std::int64_t k) const {
    const std::int64_t n = shared.rows(), b = local.cols(), c = shared.cols();
    Matrix products(n, static_cast<std::int64_t>(panels_.size()) * kernels::kPanel);
    std::int32_t unused[kernels::kPanel];
    for (std::int64_t i = 0; i < n; ++i)
      for (std::size_t p = 0; p < panels_.size(); ++p)
        kernels::best_products(
            local.data() + i * k * b, k, b, panels_[p].data(),
            products.data() + i * products.cols() + static_cast<std::int64_t>(p) * kernels::kPanel,
            unused);
    return last_(Matrix((products.leftCols(c) + shared).cwiseMax(0.0F)));
  }

  /// Point-MAE's order.
  Matrix last_before_maximum(const Matrix& local, const Matrix& shared, std::int64_t k) const {
    Matrix all = local * of_point_;
    for (Eigen::Index i = 0; i < shared.rows(); ++i)
      all.middleRows(i * k, k).rowwise() += shared.row(i);
    third_norm_.apply(all);
    const Matrix tokens = last_(all.cwiseMax(0.0F));
    Matrix largest(shared.rows(), tokens.cols());
    for (Eigen::Index i = 0; i < largest.rows(); ++i)
      largest.row(i) = tokens.middleRows(i * k, k).colwise().maxCoeff();
    return largest;
  }

  Linear first_, second_, last_, of_patch_;
  Matrix of_point_;
  std::vector<Matrix> panels_;
  BatchNorm first_norm_, third_norm_;
  bool batch_norm_ = false;
};

/// A cloud cut into overlapping patches, each seen from its own centroid.
struct Patches {
  Matrix offset;     // [n, 3], from the patch's centre to its centroid
  Matrix centroid;   // [n, 3]
  Vector radius;     // [n], of the centroid
  Matrix direction;  // [n, 3], of the centroid
  Matrix points;     // [n k, 3], relative to the centroid
};

class EquivariantEmbedder : public Embedder {
 public:
  EquivariantEmbedder(const ModelConfig& config, const EquivariantWeights& file)
      : config_(config),
        tokens_(file, config),
        place_(file, "place"),
        relation_(file, "relation"),
        bias_(file, "bias", /*biased=*/false),
        encoder_norm_(file, "encoder_norm"),
        direction_weights_(file, "head_directions") {
    for (std::int64_t i = 0; i < config.depth; ++i)
      encoder_.emplace_back(file, fmt::format("encoder_{}", i), config.heads);
    if (config.patch_moments) moment_weights_ = Linear(file, "head_moments");
  }

  Vector embed(const Cloud& cloud, std::string_view name) const override {
    require_usable(cloud, name, config_.patch_points);
    const Patches patches = cut_patches(sampled(cloud));
    return pooled(encode(patches), patches).normalized();
  }

  std::vector<RotationHypothesis> search(const Vector& source, const Vector& target,
                                         const RotationSearchConfig& config) const override {
    return search_rotations(config_.channels, source, target, config);
  }

 private:
  /// In the unit sphere, exactly `points` of them: of more, the farthest points, a choice that
  /// rotates with the cloud; of fewer, the first come again.
  Cloud sampled(const Cloud& cloud) const {
    const Cloud unit = normalised(cloud);
    const std::int64_t count = std::min<std::int64_t>(unit.rows(), config_.points);
    std::vector<std::int64_t> rows =
        farthest_point_sample(unit, count, farthest_from_centroid(unit));
    for (std::int64_t i = count; i < config_.points; ++i)
      rows.push_back(rows[static_cast<std::size_t>(i - count)]);
    return rows_at(unit, rows);
  }

  Patches cut_patches(const Cloud& cloud) const {
    const std::int64_t n = config_.patches, k = config_.patch_points;
    const Cloud centres =
        rows_at(cloud, farthest_point_sample(cloud, n, farthest_from_centroid(cloud)));
    const Neighbours members = nearest_neighbours(cloud, centres, k);
    Patches patches{Matrix(n, 3), Matrix(n, 3), Vector(n), Matrix(n, 3), Matrix(n * k, 3)};
    for (std::int64_t i = 0; i < n; ++i) {
      auto points = patches.points.middleRows(i * k, k);
      for (std::int64_t j = 0; j < k; ++j)
        points.row(j) = cloud.row(members(i, j)) - centres.row(i);
      patches.offset.row(i) = points.colwise().mean();
      points.rowwise() -= patches.offset.row(i);
    }
    patches.centroid = centres + patches.offset;
    patches.radius = patches.centroid.rowwise().norm().cwiseMax(1e-4F);
    patches.direction = patches.centroid.array().colwise() / patches.radius.array();
    return patches;
  }

  /// Per point: distance to the patch's centroid, distance to the cloud's centre, component along
  /// the direction of the patch.
  Matrix invariants(const Patches& patches) const {
    Matrix invariant(patches.points.rows(), 3);
    for (Eigen::Index i = 0; i < invariant.rows(); ++i) {
      const Eigen::Index patch = i / config_.patch_points;
      const auto point = patches.points.row(i);
      invariant(i, 0) = 6.0F * point.norm();
      invariant(i, 1) = 2.0F * (point + patches.centroid.row(patch)).norm() - 1.0F;
      invariant(i, 2) = 6.0F * point.dot(patches.direction.row(patch));
    }
    return invariant;
  }

  /// Attention bias of every block and head, [depth · heads, n, n], from distance and inner product
  /// of the patches' centroids.
  Vector attention_bias(const Patches& patches) const {
    const Eigen::Index n = patches.centroid.rows();
    const Matrix inner = patches.centroid * patches.centroid.transpose();
    const Vector square = inner.diagonal();
    Matrix relations(n * n, 2);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) {
        const float distance = square[i] + square[j] - 2.0F * inner(i, j);
        relations.row(i * n + j) << std::sqrt(std::max(1e-12F, distance)), inner(i, j);
      }
    const Matrix by_pair = bias_(gelu(relation_(relations)));  // [n n, depth · heads]
    Vector bias(by_pair.size());
    Eigen::Map<Matrix>(bias.data(), by_pair.cols(), by_pair.rows()) = by_pair.transpose();
    return bias;
  }

  Matrix encode(const Patches& patches) const {
    const Eigen::Index n = patches.centroid.rows();
    Matrix place(n, 2);
    place << 2.0F * patches.radius.array() - 1.0F, 8.0F * patches.offset.rowwise().norm();
    Matrix x = tokens_(invariants(patches), config_.patch_points) + place_(place);
    const Vector bias = attention_bias(patches);
    for (std::size_t i = 0; i < encoder_.size(); ++i)
      encoder_[i].apply(x, bias.data() + static_cast<Eigen::Index>(i) * config_.heads * n * n);
    return encoder_norm_(x);
  }

  /// M_l: mean of (r / ρ)² Y_l over the points of each patch, ρ its RMS radius.
  Matrix patch_moments(const Patches& patches, std::int64_t degree) const {
    const std::int64_t k = config_.patch_points, count = (degree + 1) * (degree + 1);
    const Vector squared = patches.points.rowwise().squaredNorm();
    const Matrix directions = patches.points.array().colwise() * (squared.array() + 1e-12F).rsqrt();
    Matrix values(patches.points.rows(), count);
    kernels::spherical_harmonics(directions.data(), directions.rows(), degree, values.data());
    Matrix moments(patches.centroid.rows(), count);
    for (Eigen::Index i = 0; i < moments.rows(); ++i) {
      const auto own = squared.segment(i * k, k);
      const Vector weight = own / (own.mean() + 1e-12F);
      moments.row(i) = weight.transpose() * values.middleRows(i * k, k) / static_cast<float>(k);
    }
    return moments;
  }

  /// z_l = Σ_tokens w · Y_l(direction of the patch) + w' · M_l(the patch's own shape).
  Vector pooled(const Matrix& tokens, const Patches& patches) const {
    const auto degree = static_cast<std::int64_t>(config_.channels.size()) - 1;
    const Eigen::Index n = tokens.rows(), count = (degree + 1) * (degree + 1);
    const Eigen::Index rows = config_.patch_moments ? 2 * n : n;
    Matrix harmonics(rows, count), weights(rows, direction_weights_.weights.cols());
    kernels::spherical_harmonics(patches.direction.data(), n, degree, harmonics.data());
    weights.topRows(n) = direction_weights_(tokens);
    if (config_.patch_moments) {
      harmonics.bottomRows(n) = patch_moments(patches, degree);
      weights.bottomRows(n) = moment_weights_(tokens);
    }
    const std::int64_t length = embedding_length(config_);
    const kernels::PoolShape shape{rows,   weights.cols(),          count,
                                   length, config_.channels.data(), degree + 1};
    Vector inner(length), z(length);
    kernels::pool(weights.data(), harmonics.data(), shape, inner.data(), z.data());
    return z;
  }

  ModelConfig config_;
  PatchEncoder tokens_;
  Mlp place_;
  Linear relation_, bias_;
  std::vector<Block> encoder_;
  LayerNorm encoder_norm_;
  Linear direction_weights_, moment_weights_;
};

}  // namespace

bool is_equivariant_model(const ModelConfig& config) {
  return config.backbone == "equivariant" && config.predictor == "wigner";
}

std::shared_ptr<const Embedder> make_equivariant_embedder(const ModelConfig& config,
                                                          const Safetensors& file,
                                                          const std::filesystem::path& origin) {
  return std::make_shared<EquivariantEmbedder>(config, EquivariantWeights(config, file, origin));
}

}  // namespace pointpng
