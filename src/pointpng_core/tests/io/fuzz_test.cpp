// Valid files with bytes flipped, removed and inserted: the result is an InputError or a cloud,
// never a crash, another exception or gigabytes of memory.

#include <algorithm>
#include <sstream>

#include "base/random.h"
#include "io/cdr.h"
#include "io/cloud_file.h"
#include "io/hdf5.h"
#include "io/test_files.h"
#include "pointpng/io.h"

namespace pointpng {
namespace {

std::string mutate(std::string content, Random& random) {
  const auto position = [&] {
    return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(content.size())));
  };
  // Half of the changes go to the front, where the headers are.
  const auto early = [&] {
    return random.uniform() < 0.5F ? position() % 300 % content.size() : position();
  };
  for (std::int64_t changes = 1 + random.below(4); changes > 0 && !content.empty(); --changes) {
    switch (random.below(5)) {
      case 0:
        content.resize(position());
        break;
      case 1:
        content.insert(early(), 1, static_cast<char>(random.below(256)));
        break;
      case 2:
        content[early()] = "09-e.,nx \n"[random.below(10)];
        break;
      case 3:
        content[early()] = static_cast<char>(random.uniform() < 0.5F ? 0xFF : 0x00);
        break;
      default:
        content[early()] = static_cast<char>(random.below(256));
    }
  }
  return content;
}

/// Counts what was refused; everything but InputError escapes and fails the test.
template <class Read>
int count_refused(const std::string& content, int rounds, std::uint64_t seed, Read read) {
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    Random random({seed, static_cast<std::uint64_t>(round)});
    try {
      read(mutate(content, random));
    } catch (const InputError&) {
      ++refused;
    }
  }
  return refused;
}

TEST(Fuzz, CloudAndMeshFiles) {
  const TemporaryFolder folder;
  const Cloud points = procedural_shape(1, 0, 40).points;
  std::vector<std::pair<std::string, std::string>> files = {
      {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1/1 2/2 -1/3\n"},
      {"a.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n"},
      {"b.ply",
       "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
       "float z\n"
       "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 "
       "0 1 2\n"},
      {"b.pcd",
       "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\n"
       "DATA ascii\n1 2 3\n4 5 6\n"},
      {"c.pcd",
       "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\n"
       "DATA binary_compressed\n" +
           raw(13U, 12U, std::uint8_t{11}) + raw(1.F, 2.F, 3.F)}};
  for (const char* name : {"a.ply", "a.pcd", "a.npy", "a.xyz"}) {
    save_cloud(folder / name, points);
    files.emplace_back(name, read_all(folder / name));
  }
  for (const auto& [name, content] : files)
    EXPECT_GT(
        count_refused(content, 3000, 1,
                      [&, &file = name](const std::string& changed) { parse(file, changed); }),
        100)
        << name;
}

TEST(Fuzz, CdrMessages) {
  const auto bytes = encode_point_cloud2(from_cloud(procedural_shape(1, 0, 40).points, "map", 0));
  const std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_GT(count_refused(content, 5000, 2,
                          [](const std::string& changed) {
                            to_cloud(decode_point_cloud2(std::as_bytes(std::span(changed))));
                          }),
            100);
}

TEST(Fuzz, Bags) {
  for (const auto storage : {BagStorageKind::kMcap, BagStorageKind::kSqlite3}) {
    for (const auto compression :
         {BagCompression::kNone, BagCompression::kLz4, BagCompression::kZstd}) {
      if (storage == BagStorageKind::kSqlite3 && compression == BagCompression::kLz4) continue;
      const TemporaryFolder folder;
      BagWriter writer(folder / "bag", {storage, compression, 2000});
      for (int i = 0; i < 4; ++i)
        writer.write("/points", i, from_cloud(procedural_shape(1, 0, 60).points, "map", 0));
      writer.close();
      const bool is_mcap = storage == BagStorageKind::kMcap;
      const std::string content = read_all(folder / "bag" / (is_mcap ? "bag_0.mcap" : "bag_0.db3"));
      const std::string name = is_mcap ? "a.mcap" : "a.db3";
      EXPECT_GT(count_refused(content, 300, 3,
                              [&](const std::string& changed) {
                                load_shapes(folder.write(name, changed).string());
                              }),
                5);
    }
  }
}

TEST(Fuzz, BagMetadata) {
  const TemporaryFolder folder;
  BagWriter writer(folder / "bag");
  writer.write("/points", 1, from_cloud(procedural_shape(1, 0, 60).points, "map", 0));
  writer.close();
  const std::string content = read_all(folder / "bag" / "metadata.yaml");
  count_refused(content, 300, 4, [&](const std::string& changed) {
    folder.write("bag/metadata.yaml", changed);
    EXPECT_EQ(load_shapes((folder / "bag").string()).shapes.size(), 1U);
  });
}

TEST(Fuzz, Hdf5) {
  const TemporaryFolder folder;
  save_hdf5(folder / "a.h5", procedural_shapes(3, 20, 1));
  const std::string content = read_all(folder / "a.h5");
  EXPECT_GT(
      count_refused(content, 500, 5,
                    [&](const std::string& changed) { load_hdf5(folder.write("b.h5", changed)); }),
      50);
}

}  // namespace
}  // namespace pointpng
