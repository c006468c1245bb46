#include "cli/learn/pictures.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "pointpng/error.h"
#include "pointpng/io.h"

namespace pointpng::cli {
namespace {

namespace fs = std::filesystem;

enum class Wanted { kPage, kSvg, kPng, kFolder };

Wanted wanted(const fs::path& out) {
  const std::string extension = out.extension().string();
  if (extension == ".html" || extension == ".htm") return Wanted::kPage;
  if (extension == ".svg") return Wanted::kSvg;
  if (extension == ".png") return Wanted::kPng;
  return Wanted::kFolder;
}

std::vector<fs::path> write_folder(const fs::path& folder, const Drawings& drawings) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) throw Error(fmt::format("can't write {}: {}", folder.string(), problem.message()));
  std::vector<fs::path> written;
  const auto write = [&](const std::string& name, const std::string& content) {
    written.push_back(folder / name);
    write_file_atomically(written.back(), content);
  };
  for (const Drawings::Named& named : drawings.pictures) {
    write(named.name + ".svg", named.picture.svg_file());
    write(named.name + ".png", named.picture.png());
  }
  for (const Drawings::File& file : drawings.files) write(file.name, file.content);
  write("index.html", drawings.page);
  return written;
}

}  // namespace

const char* const kDrawingsHelp =
    "Write pictures: F.html is a page, F.svg or F.png the picture alone, anything else a folder "
    "with all of them and the numbers";

void require_place(const fs::path& out) {
  if (out.empty()) return;
  constexpr std::array kOthers = {".jpg", ".jpeg", ".gif", ".pdf", ".webp", ".eps"};
  const std::string extension = out.extension().string();
  if (std::ranges::find(kOthers, extension) != kOthers.end())
    throw InputError(fmt::format("{}: pictures are written as .svg, .png or .html, not as {}",
                                 out.string(), extension));
  const bool folder = wanted(out) == Wanted::kFolder;
  if (folder && fs::exists(out) && !fs::is_directory(out))
    throw InputError(fmt::format(
        "{} is a file; name a folder, or a file that ends in .html, .svg or .png", out.string()));
  if (!folder && fs::is_directory(out))
    throw InputError(fmt::format("{} is a folder; name a file", out.string()));
  if (!folder && out.has_parent_path() && !fs::is_directory(out.parent_path()))
    throw InputError(fmt::format("there is no folder {} to write {} into",
                                 out.parent_path().string(), out.filename().string()));
}

std::vector<fs::path> write_drawings(const fs::path& out, const Drawings& drawings) {
  if (out.empty()) return {};
  switch (wanted(out)) {
    case Wanted::kFolder:
      return write_folder(out, drawings);
    case Wanted::kPage:
      write_file_atomically(out, drawings.page);
      break;
    case Wanted::kSvg:
      write_file_atomically(out, drawings.pictures.front().picture.svg_file());
      break;
    case Wanted::kPng:
      write_file_atomically(out, drawings.pictures.front().picture.png());
      break;
  }
  return {out};
}

Outcome finish_drawn(const OutputOptions& output, const fs::path& out, const std::string& text,
                     nlohmann::json result, const std::function<Drawings()>& draw) {
  std::string lines = text;
  std::vector<std::string> names;
  if (!out.empty())
    for (const fs::path& path : write_drawings(out, draw())) {
      names.push_back(path.string());
      lines += fmt::format("wrote {}\n", names.back());
    }
  result["written"] = names;
  output.json ? print_json(result) : print_text(lines);
  return Outcome::kDone;
}

std::string data_text(const EvaluationInput& input) {
  return fmt::format("{}", fmt::join(input.data, ", "));
}

nlohmann::json data_json(const EvaluationInput& input) {
  return input.data.size() == 1 ? nlohmann::json(input.data.front()) : nlohmann::json(input.data);
}

std::string data_name(const EvaluationInput& input) {
  return fs::path(input.data.front()).filename().string();
}

}  // namespace pointpng::cli
