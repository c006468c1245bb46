#include "io/depth_png.h"

#include <bit>
#include <csetjmp>
#include <cstring>
#include <png.h>
#include <span>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "pointpng/error.h"

namespace pointpng {
namespace {

/// The user data of libpng's callbacks.
struct Source {
  std::span<const std::byte> bytes;
  std::size_t position = 0;
  char problem[120] = "";
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* source = static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(source->problem, message, sizeof(source->problem) - 1);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep out, png_size_t size) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (size > source->bytes.size() - source->position) png_error(png, "it is cut off");
  std::memcpy(out, source->bytes.data() + source->position, size);
  source->position += size;
}

/// The decoder with its C resources.
class Decoder {
 public:
  explicit Decoder(Source& source)
      : png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning)),
        info_(png_ ? png_create_info_struct(png_) : nullptr) {
    if (!info_) throw Error("libpng can't be started");
    png_set_read_fn(png_, &source, on_read);
  }
  ~Decoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // libpng reports errors by longjmp, which skips destructors: no C++ objects in these two.
  bool read_header() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_read_info(png_, info_);
    return true;
  }
  bool read_rows(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_))) return false;
    if (std::endian::native == std::endian::little) png_set_swap(png_);
    png_set_interlace_handling(png_);
    png_read_image(png_, rows);
    return true;
  }

  std::uint32_t width() const { return png_get_image_width(png_, info_); }
  std::uint32_t height() const { return png_get_image_height(png_, info_); }
  bool is_depth() const {
    return png_get_bit_depth(png_, info_) == 16 &&
           png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY;
  }

 private:
  png_structp png_;
  png_infop info_;
};

/// Deflate expands one byte to at most 1032: a header that claims more is wrong.
bool is_plausible(const Decoder& decoder, std::size_t file_size) {
  const std::uint64_t bytes = std::uint64_t{2} * decoder.width() * decoder.height();
  return bytes / 1100 <= file_size;
}

}  // namespace

DepthImage read_depth_png(const std::filesystem::path& path) {
  const MappedFile file(path);
  Source source{file.bytes()};
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}: {}", path.string(), what));
  };
  Decoder decoder(source);
  if (!decoder.read_header()) fail(fmt::format("is no readable PNG image ({})", source.problem));
  if (!decoder.is_depth()) fail("is not a depth image: grey with 16 bits (millimetres) is needed");
  if (!is_plausible(decoder, file.bytes().size()))
    fail(fmt::format("promises {} x {} pixels in {} bytes", decoder.width(), decoder.height(),
                     file.bytes().size()));
  DepthImage image{decoder.width(), decoder.height(), {}};
  image.millimetres.resize(std::size_t{image.width} * image.height);
  std::vector<png_bytep> rows(image.height);
  for (std::size_t v = 0; v < rows.size(); ++v)
    rows[v] = reinterpret_cast<png_bytep>(image.millimetres.data() + v * image.width);
  if (!decoder.read_rows(rows.data())) fail(fmt::format("is damaged ({})", source.problem));
  return image;
}

}  // namespace pointpng
