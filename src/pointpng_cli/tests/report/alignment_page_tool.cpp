// Writes pages of made-up alignments for the Python tests, which open them in a browser.

#include <functional>
#include <iostream>
#include <map>

#include "report/alignment_examples.h"

namespace {

using namespace pointpng;

AlignmentReport one(AlignmentPage page) {
  AlignmentReport report;
  report.pages.push_back(std::move(page));
  return report;
}

AlignmentReport several() {
  AlignmentReport report;
  report.pages = {accepted_example(), rejected_example(), accepted_example(600)};
  report.pages[1].name = "rejected <i>chair</i>";
  report.pages[2].name = "a table with symmetry";
  report.pages[2].alignment.num_symmetric_modes = 2;
  return report;
}

AlignmentReport nothing_found() {
  AlignmentPage page = rejected_example();
  page.alignment.hypotheses.clear();
  return one(page);
}

const std::map<std::string, std::function<AlignmentReport()>> kExamples = {
    {"accepted", [] { return one(accepted_example()); }},
    {"rejected", [] { return one(rejected_example()); }},
    {"nothing", nothing_found},
    {"large", [] { return one(accepted_example(20000)); }},
    {"several", several},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || !kExamples.contains(argv[1])) {
    std::cerr << "usage: pointpng_alignment_page_tool accepted|rejected|nothing|large|several "
                 "PAGE.html\n";
    return 2;
  }
  write_alignment_report(argv[2], kExamples.at(argv[1])());
}
