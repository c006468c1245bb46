#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/learn/commands.h"
#include "cli/learn_commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/run_report.h"

namespace pointpng::cli {
namespace {

struct ReportOptions {
  OutputOptions output;
  std::filesystem::path run, out;
};

Outcome write(const ReportOptions& options) {
  apply(options.output);
  const auto out = options.out.empty() ? options.run / "report.html" : options.out;
  write_run_report(options.run, out);
  options.output.json ? print_json({{"report", out.string()}})
                      : print_text(fmt::format("{}\n", out.string()));
  return Outcome::kDone;
}

}  // namespace

void add_report(Command parent) {
  const auto options = std::make_shared<ReportOptions>();
  Command command = add_command(parent, "report", learn_description("report"),
                                {{"report runs/a", "writes runs/a/report.html"},
                                 {"report runs/a --out a.html", "to another place"}});
  command.add_option("RUN", options->run, "Folder of a run").required();
  command.add_option("--out", options->out, "The page; RUN/report.html where not given");
  add_output_options(command, options->output);
  on_run(command, [options] { return write(*options); });
}

}  // namespace pointpng::cli
