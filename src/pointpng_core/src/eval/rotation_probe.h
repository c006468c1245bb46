#pragma once

#include <cstdint>

#include "pointpng/evaluation.h"
#include "train/view_embeddings.h"

namespace pointpng {

/// R² as the paper takes it over from SIE: an MLP of three layers regresses the quaternion of the
/// rotation between two views from their embeddings side by side, by least squares. Everything
/// follows from the seed.
RotationProbe measure_rotation_probe(const ViewEmbeddings& train, const ViewEmbeddings& test,
                                     const RotationProbeConfig& config, std::uint64_t seed);

}  // namespace pointpng
