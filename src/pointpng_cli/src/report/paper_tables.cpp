#include "report/paper.h"

namespace pointpng {
namespace {

// Figures as printed in the paper, table by table. Nothing here was measured by this software.

PaperTable classification() {
  const std::string supervised = "Supervised", self = "Self-supervised";
  return {"classification",
          "tab: ours vs others modelnet scannet",
          "Shape classification",
          "ModelNet40 and ScanObjectNN's OBJ-BG, overall accuracy in %; trained and tested under "
          "rotations about z (z/z) or any rotation (SO(3)/SO(3)).",
          "Method",
          {"ModelNet40 z/z", "ModelNet40 SO(3)/SO(3)", "ScanObjectNN SO(3)/SO(3)"},
          {{supervised, "PointNet", {"89.2", "75.5", "54.7"}},
           {supervised, "PointNet++", {"89.3", "85.0", "47.4"}},
           {supervised, "PCT", {"90.3", "88.5", "45.8"}},
           {supervised, "SFCNN", {"91.4", "90.1", "–"}},
           {supervised, "RIConv", {"86.5", "86.4", "78.1"}},
           {supervised, "RI-GCN", {"89.5", "89.5", "80.6"}},
           {supervised, "GCAConv", {"89.0", "89.2", "80.3"}},
           {supervised, "RI-Framework", {"89.4", "89.3", "79.9"}},
           {supervised, "VN-DGCNN", {"89.5", "90.2", "80.3"}},
           {supervised, "OrientedMP", {"88.4", "88.9", "77.2"}},
           {supervised, "Yu et al.", {"91.0", "91.0", "86.3"}},
           {supervised, "PaRot", {"90.9", "90.8", "82.6"}},
           {supervised, "LocoTrans", {"91.6", "91.5", "84.5"}},
           {self, "PointBERT", {"91.5", "89.6", "83.8"}},
           {self, "PointMAE", {"90.7", "89.3", "83.3"}},
           {self, "PointM2AE", {"91.7", "90.2", "84.5"}},
           {self, "Point2Vec", {"91.3", "88.4", "84.7"}},
           {self, "PointGPT-S", {"90.6", "88.3", "80.2"}},
           {self, "Point-PNG", {"92.5", "91.1", "89.0"}, true}}};
}

PaperTable pose() {
  return {"pose",
          "tab: pose estim",
          "Relative pose of objects",
          "Five categories of ModelNet40, E²PN's protocol; rotation error in degrees: "
          "mean / largest / median.",
          "Method",
          {"Airplane", "Bottle", "Car", "Chair", "Sofa"},
          {{"Supervised",
            "KPConv",
            {"12.0 / 70.5 / 10.0", "8.0 / 104.4 / 5.0", "35.8 / 175.6 / 20.9",
             "26.0 / 168.3 / 16.3", "84.2 / 177.3 / 75.2"}},
           {"Supervised",
            "EPN",
            {"1.3 / 6.2 / 1.1", "1.2 / 22.3 / 0.8", "2.6 / 117.6 / 1.1", "1.2 / 9.0 / 1.0",
             "1.5 / 15.0 / 1.1"}},
           {"Supervised",
            "E²PN",
            {"1.5 / 11.1 / 1.1", "1.9 / 46.1 / 1.1", "3.3 / 74.0 / 1.5", "2.9 / 38.2 / 1.8",
             "2.7 / 33.6 / 1.9"}},
           {"Self-supervised",
            "Point-PNG",
            {"0.8 / 2.2 / 0.8", "1.7 / 9.6 / 0.8", "1.4 / 3.7 / 1.3", "1.5 / 5.8 / 1.4",
             "1.2 / 4.0 / 1.1"},
            true}}};
}

PaperTable scenes() {
  return {"scenes",
          "fig:reg-7scene",
          "Relative pose of scenes",
          "7-Scenes, mean rotation error. The paper shows a plot without numbers, so there are "
          "none to compare with.",
          "Method",
          {"Mean rotation error", "Within 5°"},
          {{"", "FMR", {"plot only", "–"}},
           {"", "EquivReg", {"plot only", "–"}},
           {"", "Point-PNG", {"plot only", "–"}, true}}};
}

PaperTable pseudo_negatives() {
  return {"pseudo_negatives",
          "tab:ablation_pseudo",
          "Number of pseudo-negatives M",
          "Predictor accuracy (PA), absolute equivariance (AE), and accuracy of a frozen encoder "
          "with an MLP under SO(3)/SO(3).",
          "M",
          {"PA", "AE", "SO(3)/SO(3)"},
          {{"", "4", {"0.92", "0.41", "0.8955"}},
           {"", "8", {"0.97", "0.67", "0.8991"}, true},
           {"", "16", {"0.92", "0.64", "0.8951"}},
           {"", "32", {"0.86", "0.66", "0.8999"}}}};
}

PaperTable beta() {
  return {"beta",
          "tab:ablation_beta",
          "Weight β of L_cope",
          "The same figures; β = 0 leaves L_cope out, and the embedding collapses to an invariant "
          "one (AE = 0).",
          "β",
          {"PA", "AE", "SO(3)/SO(3)"},
          {{"", "0.9", {"0.81", "0.79", "0.8971"}},
           {"", "0.7", {"0.82", "0.70", "0.9011"}},
           {"", "0.5", {"0.89", "0.64", "0.8991"}},
           {"", "0.3", {"0.97", "0.67", "0.8991"}, true},
           {"", "0.0", {"0.97", "0.00", "0.8963"}}}};
}

PaperTable comparison() {
  return {
      "comparison",
      "tab:class",
      "Invariant and equivariant tasks",
      "3DIEBench, images of rendered objects, ResNet-18 for all methods; ours are point clouds. "
      "Accuracy of a linear classifier in %, and R² of a regressed rotation.",
      "Method",
      {"Classification", "Rotation R²"},
      {{"", "SEN", {"86.93", "0.51"}},
       {"", "EquiMod", {"87.19", "0.47"}},
       {"", "SIE", {"82.94", "0.73"}},
       {"", "Point-PNG*", {"87.7", "0.74"}, true}}};
}

PaperTable retrieval() {
  return {"retrieval",
          "tab:mrr_h1_h5",
          "Retrieval of the right view by the predictor",
          "3DIEBench, among views of the same object; ours are point clouds.",
          "Method",
          {"MRR", "H@1", "H@5"},
          {{"", "EquiMod", {"0.16", "0.05", "0.22"}},
           {"", "SEN*", {"0.17", "0.05", "0.22"}},
           {"", "SIE", {"0.41", "0.30", "0.51"}},
           {"", "Point-PNG*", {"0.54", "0.41", "0.69"}, true}}};
}

}  // namespace

const std::vector<PaperTable>& paper_tables() {
  static const std::vector<PaperTable> kTables = {
      classification(), pose(), scenes(), pseudo_negatives(), beta(), comparison(), retrieval()};
  return kTables;
}

}  // namespace pointpng
