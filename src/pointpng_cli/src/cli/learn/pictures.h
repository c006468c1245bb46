#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/command.h"
#include "cli/options.h"
#include "pointpng/evaluation.h"
#include "report/picture.h"

namespace pointpng::cli {

/// What a command that draws has to give.
struct Drawings {
  struct Named {
    std::string name;  ///< of its files, without an extension
    Picture picture;
  };
  struct File {
    std::string name;
    std::string content;
  };
  std::string page;             ///< HTML
  std::vector<Named> pictures;  ///< the main one first
  std::vector<File> files;      ///< what was drawn, in numbers
};

/// The text of `--out` for such a command.
extern const char* const kDrawingsHelp;

/// Throws `InputError` where nothing can be written at `out`: before the work, not after it.
void require_place(const std::filesystem::path& out);

/// Writes what the name asks for: F.html is the page, F.svg and F.png the main picture, anything
/// else a folder with all of it (index.html). Every file is whole or not there. Returns what was
/// written; nothing for an empty name.
std::vector<std::filesystem::path> write_drawings(const std::filesystem::path& out,
                                                  const Drawings& drawings);

/// The end of a command that draws: draws and writes where `out` is not empty, then prints `text`
/// and a line per file for people, or `result` with the files as "written".
Outcome finish_drawn(const OutputOptions& output, const std::filesystem::path& out,
                     const std::string& text, nlohmann::json result,
                     const std::function<Drawings()>& draw);

/// The data of an evaluation: as text, as JSON (a list only where there are several), and the name
/// of the first file.
std::string data_text(const EvaluationInput& input);
nlohmann::json data_json(const EvaluationInput& input);
std::string data_name(const EvaluationInput& input);

}  // namespace pointpng::cli
