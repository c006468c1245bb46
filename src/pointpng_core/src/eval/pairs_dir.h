#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eval/protocols.h"

namespace pointpng {

/// Pairs as files, for others to measure on the same ones: DIR/pairs.json is a list of
///   {"source": FILE, "target": FILE, "target_from_source": [16 numbers, row by row],
///    "class": NAME, "name": NAME, "object": FILE}
/// with the files beside it; "class", "name" and "object" (see `PosePair`) may be missing.

/// Throws `InputError` with a sentence for what is missing, is no such list, or is no rigid motion.
/// Remarks of the clouds' readers are appended to `notes`.
std::vector<PosePair> load_pairs(const std::filesystem::path& folder,
                                 std::vector<std::string>* notes = nullptr);

/// Writes a new folder, which is whole or not there. Throws `InputError` where it exists already.
void save_pairs(const std::filesystem::path& folder, const std::vector<PosePair>& pairs);

}  // namespace pointpng
