#pragma once

#include "cuda/block.h"

namespace pointpng::cuda {

/// softmax(q kᵀ / √d + bias) v. A block per cloud and head. Rows of `qkv` hold q, k and v one after
/// the other, head after head.
struct Attention {
  static constexpr int kThreads = 128;
  struct Arguments {
    const float* qkv;   // [B, n, 3 width]
    const float* bias;  // [B, heads, n, n], clouds `bias_stride` apart; may be null
    std::int64_t n, width, heads, bias_stride;
    float* probabilities;  // [B, heads, n, n]
    float* out;            // [B, n, width]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t cloud = block.number() / with.heads, head = block.number() % with.heads;
    const std::int64_t n = with.n, d = with.width / with.heads, row = 3 * with.width;
    const float* q = with.qkv + cloud * n * row + head * d;
    const float *k = q + with.width, *v = k + with.width;
    const float* bias =
        with.bias == nullptr ? nullptr : with.bias + cloud * with.bias_stride + head * n * n;
    float* p = with.probabilities + block.number() * n * n;
    const float scale = 1.0F / sqrtf(static_cast<float>(d));
    for (std::int64_t at = block.rank(); at < n * n; at += Block::size()) {
      float sum = 0.0F;
      for (std::int64_t c = 0; c < d; ++c) sum += q[at / n * row + c] * k[at % n * row + c];
      p[at] = sum * scale + (bias == nullptr ? 0.0F : bias[at]);
    }
    block.sync();
    for (std::int64_t i = block.rank(); i < n; i += Block::size()) softmax(p + i * n, n);
    block.sync();
    for (std::int64_t at = block.rank(); at < n * d; at += Block::size()) {
      const std::int64_t i = at / d, c = at % d;
      float sum = 0.0F;
      for (std::int64_t j = 0; j < n; ++j) sum += p[i * n + j] * v[j * row + c];
      with.out[(cloud * n + i) * with.width + head * d + c] = sum;
    }
  }

 private:
  POINTPNG_DEVICE static void softmax(float* row, std::int64_t n) {
    float largest = row[0], sum = 0.0F;
    for (std::int64_t j = 1; j < n; ++j) largest = row[j] > largest ? row[j] : largest;
    for (std::int64_t j = 0; j < n; ++j) {
      row[j] = expf(row[j] - largest);
      sum += row[j];
    }
    const float share = 1.0F / sum;
    for (std::int64_t j = 0; j < n; ++j) row[j] *= share;
  }
};

/// The gradients of attention. A block per cloud and head.
struct AttentionBackward {
  static constexpr int kThreads = 128;
  struct Arguments {
    const float* gradient;       // [B, n, width]
    const float* qkv;            // [B, n, 3 width]
    const float* probabilities;  // [B, heads, n, n]
    std::int64_t n, width, heads;
    float* logits_gradient;  // [B, heads, n, n]: the bias's gradient
    float* qkv_gradient;     // [B, n, 3 width]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t cloud = block.number() / with.heads, head = block.number() % with.heads;
    const std::int64_t n = with.n, d = with.width / with.heads, row = 3 * with.width;
    const std::int64_t first = cloud * n * row + head * d;
    const float *q = with.qkv + first, *k = q + with.width, *v = k + with.width;
    const float* out = with.gradient + cloud * n * with.width + head * d;
    const float* p = with.probabilities + block.number() * n * n;
    float* s = with.logits_gradient + block.number() * n * n;
    float* to = with.qkv_gradient + first;
    // dP = dO Vᵀ, and through the softmax: dS = P ∘ (dP - rowsum(P ∘ dP))
    for (std::int64_t at = block.rank(); at < n * n; at += Block::size()) {
      float sum = 0.0F;
      for (std::int64_t c = 0; c < d; ++c)
        sum += out[at / n * with.width + c] * v[at % n * row + c];
      s[at] = sum;
    }
    block.sync();
    for (std::int64_t i = block.rank(); i < n; i += Block::size()) {
      float sum = 0.0F;
      for (std::int64_t j = i * n; j < (i + 1) * n; ++j) sum += p[j] * s[j];
      for (std::int64_t j = i * n; j < (i + 1) * n; ++j) s[j] = p[j] * (s[j] - sum);
    }
    block.sync();
    // dQ = dS K / √d, dK = dSᵀ Q / √d, dV = Pᵀ dO
    const float scale = 1.0F / sqrtf(static_cast<float>(d));
    for (std::int64_t at = block.rank(); at < n * d; at += Block::size()) {
      const std::int64_t i = at / d, c = at % d;
      float dq = 0.0F, dk = 0.0F, dv = 0.0F;
      for (std::int64_t j = 0; j < n; ++j) {
        dq += s[i * n + j] * k[j * row + c];
        dk += s[j * n + i] * q[j * row + c];
        dv += p[j * n + i] * out[j * with.width + c];
      }
      to[i * row + c] = dq * scale;
      to[i * row + with.width + c] = dk * scale;
      to[i * row + 2 * with.width + c] = dv;
    }
  }
};

/// x + added, and its layer normalisation. A block per row.
struct AddNorm {
  static constexpr int kThreads = 128;
  struct Arguments {
    const float *x, *added, *scale, *shift;  // [rows, width] twice, [width] twice
    std::int64_t width;
    float epsilon;
    float *sum, *normalised;  // [rows, width]
  };
  struct Shared {
    float mean, factor;
  };

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& shared, const Arguments& with) {
    const std::int64_t first = block.number() * with.width;
    const auto count = static_cast<float>(with.width);
    float mine = 0.0F;
    for (std::int64_t c = block.rank(); c < with.width; c += Block::size()) {
      with.sum[first + c] = with.x[first + c] + with.added[first + c];
      mine += with.sum[first + c];
    }
    const float sum = block.sum(mine);
    if (block.rank() == 0) shared.mean = sum / count;
    block.sync();
    const float mean = shared.mean;
    float squares = 0.0F;
    for (std::int64_t c = block.rank(); c < with.width; c += Block::size()) {
      const float off = with.sum[first + c] - mean;
      squares += off * off;
    }
    const float spread = block.sum(squares);
    if (block.rank() == 0) shared.factor = 1.0F / sqrtf(spread / count + with.epsilon);
    block.sync();
    for (std::int64_t c = block.rank(); c < with.width; c += Block::size())
      with.normalised[first + c] =
          (with.sum[first + c] - mean) * shared.factor * with.scale[c] + with.shift[c];
  }
};

/// Rows scaled to length 1; zero stays zero. A block per row.
struct UnitRows {
  static constexpr int kThreads = 128;
  struct Arguments {
    const float* x;  // [rows, width]
    std::int64_t width;
    float* out;
  };
  struct Shared {
    float length;
  };

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& shared, const Arguments& with) {
    const std::int64_t first = block.number() * with.width;
    float mine = 0.0F;
    for (std::int64_t c = block.rank(); c < with.width; c += Block::size())
      mine += with.x[first + c] * with.x[first + c];
    const float squares = block.sum(mine);
    if (block.rank() == 0) shared.length = sqrtf(squares) < 1e-12F ? 1e-12F : sqrtf(squares);
    block.sync();
    for (std::int64_t c = block.rank(); c < with.width; c += Block::size())
      with.out[first + c] = with.x[first + c] / shared.length;
  }
};

/// The channels of each degree of z.
struct Channels {
  static constexpr int kMostDegrees = 9;
  int count[kMostDegrees] = {};
  int degrees = 0;

  POINTPNG_DEVICE int weights() const {
    int sum = 0;
    for (int l = 0; l < degrees; ++l) sum += count[l];
    return sum;
  }
  POINTPNG_DEVICE int length() const {
    int sum = 0;
    for (int l = 0; l < degrees; ++l) sum += count[l] * (2 * l + 1);
    return sum;
  }
};

/// z_l = Σ_tokens w · Y_l (see `pool_by_degree`). A thread per number of z.
struct Pool {
  static constexpr int kThreads = 128;
  struct Arguments {
    const float* weights;    // [B, t, Σ m_l]
    const float* harmonics;  // [B, t, (L+1)²]
    Channels channels;
    std::int64_t tokens, total;  // total = B · length
    float* z;                    // [B, length]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t at = thread_number(block);
    if (at >= with.total) return;
    const int weights = with.channels.weights(),
              columns = with.channels.degrees * with.channels.degrees;
    const std::int64_t cloud = at / with.channels.length();
    int within = static_cast<int>(at % with.channels.length()), l = 0, first = 0;
    while (within >= with.channels.count[l] * (2 * l + 1)) {
      within -= with.channels.count[l] * (2 * l + 1);
      first += with.channels.count[l++];
    }
    const float* w = with.weights + cloud * with.tokens * weights + first + within / (2 * l + 1);
    const float* y = with.harmonics + cloud * with.tokens * columns + l * l + within % (2 * l + 1);
    float sum = 0.0F;
    for (std::int64_t t = 0; t < with.tokens; ++t) sum += w[t * weights] * y[t * columns];
    with.z[at] = sum;
  }
};

/// The gradient of its weights. A thread per weight.
struct PoolBackward {
  static constexpr int kThreads = 128;
  struct Arguments {
    const float* gradient;   // [B, length]
    const float* harmonics;  // [B, t, (L+1)²]
    Channels channels;
    std::int64_t tokens, total;  // total = B t Σ m_l
    float* weights;              // [B, t, Σ m_l]
  };
  struct Shared {};

  template <class Block>
  POINTPNG_DEVICE static void run(const Block& block, Shared& /*shared*/, const Arguments& with) {
    const std::int64_t at = thread_number(block);
    if (at >= with.total) return;
    const int columns = with.channels.degrees * with.channels.degrees;
    const std::int64_t row = at / with.channels.weights(), cloud = row / with.tokens;
    int channel = static_cast<int>(at % with.channels.weights()), l = 0, first = 0;
    while (channel >= with.channels.count[l]) {
      first += with.channels.count[l] * (2 * l + 1);
      channel -= with.channels.count[l++];
    }
    const float* g = with.gradient + cloud * with.channels.length() + first + channel * (2 * l + 1);
    const float* y = with.harmonics + row * columns + l * l;
    float sum = 0.0F;
    for (int m = 0; m < 2 * l + 1; ++m) sum += g[m] * y[m];
    with.weights[at] = sum;
  }
};

}  // namespace pointpng::cuda
