#include "report/embedding_pages.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "report/angle.h"
#include "report/chart.h"
#include "report/format.h"
#include "report/scatter.h"
#include "report/sphere_map.h"
#include "report/way_picture.h"

namespace pointpng {
namespace {

Page new_page(std::string title, std::string summary) {
  return {std::move(title), "Point-PNG embeddings", std::move(summary)};
}

std::string finished(Page& page, const PageOrigin& origin, const std::string& command) {
  page.add_section("How it was made").facts(origin.facts).code(origin.command);
  page.set_footer(fmt::format("Written by pointpng {}. This file needs no network.", command));
  return page.html();
}

// Maps

std::vector<Tile> map_tiles(const EmbeddingMap& map, MapMethod method) {
  std::vector<Tile> tiles = {{"Embeddings", format_count(map.places.rows()), "",
                              fmt::format("of {} numbers each", map.embeddings.cols())},
                             {"Trustworthiness", format_number(map.trustworthiness, 3), "",
                              "1: neighbours on the map are neighbours in embedding space"},
                             {"Nearest in the same class", format_percent(map.same_class), "",
                              "share of clouds whose nearest other shape has their class"}};
  if (method == MapMethod::kTsne)
    tiles.push_back({"KL divergence", format_number(map.divergence, 4), "",
                     fmt::format("after {} iterations; lower is better", map.iterations)});
  else
    tiles.push_back({"Explained variance", format_percent(map.explained[0] + map.explained[1]), "",
                     "by the first two components"});
  return tiles;
}

std::string map_explanation(MapMethod method, Poses poses) {
  std::string text = method == MapMethod::kPca
                         ? "The two directions of largest variance; distances along them are true."
                         : "Close embeddings stay close; distances between far groups mean little.";
  if (poses == Poses::kRandom)
    text +=
        " Dots are shapes as they are in the data, crosses the same shapes rotated at random: an "
        "invariant embedding would put each cross onto its dot.";
  if (poses == Poses::kSteps)
    text += " Every shape is rotated about z in steps of 30°; colours are angles.";
  return text + " Point at a mark to see what it is, at a name to see its marks alone.";
}

// Trajectories

std::vector<PicturePoint> points_of(const Rows& places) {
  std::vector<PicturePoint> points;
  for (Eigen::Index i = 0; i < places.rows(); ++i) points.push_back({places(i, 0), places(i, 1)});
  return points;
}

/// One curve per shape of a figure along its trajectory.
LineChart trajectory_chart(const std::vector<ShapeTrajectory>& shapes, std::string title,
                           std::string explanation, std::vector<double> Trajectory::*figure) {
  constexpr std::size_t kMostCurves = 6;  // as many as there are colours
  LineChart chart;
  chart.title = std::move(title);
  chart.explanation = std::move(explanation);
  chart.x_name = "angle (°)";
  for (std::size_t k = 0; k < std::min(kMostCurves, shapes.size()); ++k) {
    const Trajectory& trajectory = shapes[k].trajectory;
    ChartLine line{shape_title(shapes[k]), {}};
    for (std::size_t i = 0; i < trajectory.angle_deg.size(); ++i)
      line.points.push_back({trajectory.angle_deg[i], (trajectory.*figure)[i]});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

double mean_of(const std::vector<ShapeTrajectory>& shapes, double ShapeTrajectory::*figure) {
  double sum = 0.0;
  for (const ShapeTrajectory& shape : shapes) sum += shape.*figure;
  return sum / static_cast<double>(shapes.size());
}

// Landscapes

const char* centre_name(const Landscape& land) {
  return land.truth ? "true rotation" : "best hypothesis";
}

std::string hypothesis_name(std::size_t rank) { return fmt::format("hypothesis {}", rank + 1); }

SphereMark mark_of(const LossAt& place, const std::string& what, std::string label, bool star) {
  const Eigen::Quaterniond& q = place.rotation;
  const Eigen::AngleAxisd rotation(q.w() < 0.0 ? Eigen::Quaterniond(-q.coeffs()) : q);
  const Eigen::Vector3d& axis = rotation.axis();
  return {std::atan2(axis.y(), axis.x()) * kDegreesPerRadian,
          std::asin(std::clamp(axis.z(), -1.0, 1.0)) * kDegreesPerRadian, std::move(label), star,
          fmt::format("{}: {:.0f}° about this axis, loss {}", what,
                      rotation.angle() * kDegreesPerRadian, format_number(place.loss, 3))};
}

SphereMark hypothesis_mark(const LossAt& place, std::size_t rank) {
  return mark_of(place, hypothesis_name(rank), std::to_string(rank + 1), false);
}

SpherePanel panel_of(std::string title, const SphereValues& values, std::vector<SphereMark> marks) {
  return {std::move(title), values.latitudes, values.longitudes, values.values, std::move(marks)};
}

/// One map of all axes, with the true rotation and the hypotheses on it.
SphereMaps axis_map(const Landscape& land, std::string title, const SphereValues& values) {
  std::vector<SphereMark> marks;
  for (std::size_t k = 0; k < land.hypotheses.size(); ++k)
    marks.push_back(hypothesis_mark(land.hypotheses[k], k));
  if (land.truth) marks.push_back(mark_of(*land.truth, "true rotation", "", true));
  SphereMaps maps;
  maps.panels = {panel_of(std::move(title), values, std::move(marks))};
  maps.mark_names = {land.truth ? "true rotation" : "", "hypotheses, best first"};
  return maps;
}

/// Hypotheses relative to the centre, each on the shell that is nearest to it.
std::vector<SphereMark> marks_on_shell(const Landscape& land, std::size_t shell) {
  std::vector<SphereMark> marks;
  for (std::size_t k = 0; k < land.hypotheses.size(); ++k) {
    const LossAt& place = land.hypotheses[k];
    const double distance = degrees_between(place.rotation, land.centre.rotation);
    const auto nearest = std::ranges::min_element(
        land.shells_deg, {}, [&](double shell_deg) { return std::abs(shell_deg - distance); });
    const bool at_centre = distance < 0.5 * land.shells_deg.front();
    if (nearest - land.shells_deg.begin() != static_cast<std::ptrdiff_t>(shell) || at_centre)
      continue;
    marks.push_back(
        hypothesis_mark({place.rotation * land.centre.rotation.inverse(), place.loss}, k));
  }
  return marks;
}

LineChart curves_chart(const Landscape& land) {
  LineChart chart;
  chart.title = fmt::format("Loss along rotations away from the {}", centre_name(land));
  chart.explanation =
      "A narrow valley at 0° is a sharp optimum; a second one as deep is a symmetry of the object.";
  chart.x_name = "angle (°)";
  for (const LossCurve& curve : land.curves) {
    ChartLine line{"about " + curve.axis, {}};
    for (std::size_t i = 0; i < curve.loss.size(); ++i)
      line.points.push_back({curve.angle_deg[i], curve.loss[i]});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

LineChart distance_chart(const Landscape& land) {
  LineChart chart;
  chart.title = fmt::format("Loss against the distance from the {}", centre_name(land));
  chart.explanation =
      "Over rotations spread evenly over SO(3). Where the lowest reaches the loss at 0°, the "
      "search "
      "can go wrong.";
  chart.x_name = "distance (°)";
  ChartLine lowest{"lowest", {}}, median{"median", {}}, highest{"highest", {}};
  for (const LossShell& shell : land.distances) {
    lowest.points.push_back({shell.distance_deg, shell.lowest});
    median.points.push_back({shell.distance_deg, shell.median});
    highest.points.push_back({shell.distance_deg, shell.highest});
  }
  chart.lines = {std::move(lowest), std::move(median), std::move(highest)};
  return chart;
}

std::vector<Tile> landscape_tiles(const Landscape& land) {
  const LossAt& best = land.hypotheses.front();
  std::vector<Tile> tiles = {
      {"Best hypothesis", format_number(best.loss, 3), "",
       fmt::format("its loss; over all rotations: {} to {}", format_number(land.lowest, 3),
                   format_number(land.highest, 3))}};
  if (!land.truth) return tiles;
  tiles.push_back({"True rotation", format_number(land.truth->loss, 3), "", "its loss"});
  tiles.push_back({"Error of the best hypothesis",
                   format_number(degrees_between(best.rotation, land.truth->rotation), 3), "°",
                   "before refinement"});
  tiles.push_back({"Lower than the true rotation", format_percent(land.below_truth), "",
                   "share of all rotations; few around a sharp optimum"});
  return tiles;
}

Table rotations_table(const Landscape& land) {
  Table table{{"", "axis (x y z)", "angle", "loss", fmt::format("from the {}", centre_name(land))},
              {}};
  const auto add = [&](const std::string& name, const LossAt& place) {
    const Eigen::AngleAxisd rotation(place.rotation);
    const Eigen::Vector3d& axis = rotation.axis();
    table.rows.push_back(
        {name, fmt::format("{:.3f} {:.3f} {:.3f}", axis.x(), axis.y(), axis.z()),
         fmt::format("{:.1f}°", rotation.angle() * kDegreesPerRadian),
         fmt::format("{:.4f}", place.loss),
         fmt::format("{:.1f}°", degrees_between(place.rotation, land.centre.rotation))});
  };
  if (land.truth) add("true rotation", *land.truth);
  for (std::size_t k = 0; k < land.hypotheses.size(); ++k)
    add(hypothesis_name(k), land.hypotheses[k]);
  return table;
}

}  // namespace

std::string method_name(const EmbeddingMap& map, MapMethod method) {
  if (method == MapMethod::kPca) return "PCA";
  return map.exact ? "t-SNE (exact)" : "t-SNE (Barnes–Hut)";
}

std::string shape_title(const ShapeTrajectory& shape) {
  return shape.class_name.empty() ? shape.name : shape.class_name + " · " + shape.name;
}

Picture embedding_map_picture(const EmbeddingMap& map, MapMethod method, Poses poses) {
  Scatter scatter;
  const bool by_pose = poses == Poses::kSteps;
  std::map<std::string, std::size_t> groups;
  for (std::size_t i = 0; i < map.clouds.size(); ++i) {
    const MappedCloud& cloud = map.clouds[i];
    const std::string& pose = map.pose_names[cloud.pose];
    const std::string& group = by_pose ? pose : cloud.class_name;
    if (groups.emplace(group, scatter.groups.size()).second) scatter.groups.push_back(group);
    std::string tip = fmt::format("{} · {}", cloud.class_name, cloud.name);
    if (map.pose_names.size() > 1) tip += " · " + pose;
    const auto row = static_cast<Eigen::Index>(i);
    scatter.points.push_back({map.places(row, 0), map.places(row, 1), groups[group],
                              !by_pose && cloud.pose > 0, std::move(tip)});
  }
  scatter.ordered = by_pose;
  if (poses == Poses::kRandom) {
    scatter.dot_name = map.pose_names[0];
    scatter.cross_name = map.pose_names[1];
  }
  if (method == MapMethod::kPca) {
    scatter.x_name =
        fmt::format("1st component, {} of the variance", format_percent(map.explained[0]));
    scatter.y_name = fmt::format("2nd component, {}", format_percent(map.explained[1]));
  }
  scatter.description =
      fmt::format("{} of {} embeddings, coloured by {}.", method_name(map, method),
                  scatter.points.size(), by_pose ? "angle" : "class");
  return scatter_picture(scatter);
}

std::string embedding_map_page(const EmbeddingMap& map, MapMethod method, Poses poses,
                               const std::string& data_name, const Picture& picture,
                               const PageOrigin& origin) {
  Page page = new_page(
      fmt::format("{} of {}", method == MapMethod::kPca ? "PCA" : "t-SNE", data_name),
      "Which clouds the model finds similar: those that lie together have similar embeddings.");
  page.add_section("").tiles(map_tiles(map, method));
  page.add_section("Map").raw(picture_figure(method_name(map, method) + " of the embeddings",
                                             map_explanation(method, poses), picture));
  return finished(page, origin, "eval tsne");
}

Picture trajectory_picture(const std::vector<ShapeTrajectory>& shapes) {
  std::vector<Way> ways;
  for (const ShapeTrajectory& shape : shapes)
    ways.push_back({shape_title(shape),
                    fmt::format("{} of the variance is on this plane",
                                format_percent(shape.explained[0] + shape.explained[1])),
                    shape.trajectory.angle_deg, points_of(shape.places),
                    points_of(shape.predicted_places)});
  return way_picture(ways, fmt::format("The embeddings of {} shapes while each makes a full turn, "
                                       "on the plane of their first two principal components.",
                                       shapes.size()));
}

std::string trajectory_page(const std::vector<ShapeTrajectory>& shapes,
                            const TrajectoryConfig& config, const std::string& data_name,
                            const Picture& picture, const PageOrigin& origin) {
  Page page = new_page(
      fmt::format("A full turn of {}", data_name),
      "An embedding that encodes the pose moves when its object rotates, and returns after "
      "a full turn; the predictor tells where it will be.");
  page.add_section("").tiles(
      {{"Predictor accuracy", format_number(mean_of(shapes, &ShapeTrajectory::pa), 3), "",
        "mean of sim(u_g(z at 0°), z) over the turn; 1 is perfect"},
       {"Absolute equivariance", format_number(mean_of(shapes, &ShapeTrajectory::ae), 3), "",
        "that minus sim(z at 0°, z); 0 is an embedding that does not move"},
       {"Steps", format_count(config.steps), "",
        config.resample ? "each with other points of the surface" : "the same points throughout"}});
  page.add_section("Trajectory")
      .raw(picture_figure(
          "The embedding while its object makes a full turn",
          "Each panel is the plane of the first two principal components of that shape. Point at a "
          "mark to see its angle. Symmetric objects repeat their trajectory within one turn.",
          picture));
  page.add_section("Along the turn")
      .charts({trajectory_chart(shapes, "Similarity to the start",
                                "How far the embedding has moved. Peaks between 0° and 360° are "
                                "symmetries of the object.",
                                &Trajectory::to_start),
               trajectory_chart(shapes, "Similarity to the prediction",
                                "How well the predictor knows the embedding; 1 is perfect.",
                                &Trajectory::to_predicted)});
  return finished(page, origin, "eval trajectory");
}

LandscapePictures landscape_pictures(const Landscape& land) {
  SphereMaps axes = axis_map(land, "lowest loss over all angles about each axis", land.best_loss);
  axes.low = land.lowest, axes.high = land.highest;
  axes.value_name = "loss";
  axes.description = "The lowest loss of all rotations about each axis, as a map of the axes.";

  SphereMaps angles = axis_map(land, "angle of the lowest loss", land.best_angle_deg);
  angles.low = 0.0, angles.high = 180.0;
  angles.value_name = "angle";
  angles.unit = "°";
  angles.description = "The angle of the lowest loss about each axis, as a map of the axes.";

  SphereMaps shells;
  shells.columns = 3;
  for (std::size_t i = 0; i < land.shells.size(); ++i)
    shells.panels.push_back(
        panel_of(fmt::format("{:.0f}° from the {}", land.shells_deg[i], centre_name(land)),
                 land.shells[i], marks_on_shell(land, i)));
  shells.low = land.lowest, shells.high = land.highest;
  shells.value_name = "loss";
  shells.tips = false;
  shells.mark_names = {"", "hypotheses"};
  shells.description = fmt::format(
      "The loss at several distances from the {}, over the axis of "
      "the rotation between them.",
      centre_name(land));
  return {sphere_maps_picture(axes), sphere_maps_picture(angles), sphere_maps_picture(shells)};
}

std::string landscape_page(const PairLandscape& pair, const LandscapePictures& pictures,
                           const PageOrigin& origin) {
  const Landscape& land = pair.landscape;
  Page page = new_page(fmt::format("Loss over SO(3): {}", pair.name),
                       "The disagreement of two embeddings under every rotation: what the search "
                       "for a pose minimises.");
  page.add_section("").tiles(landscape_tiles(land));
  page.add_section("All rotations")
      .raw(
          picture_figure("Lowest loss per axis",
                         "A map of the axes of rotation in equal-area projection: x in the middle, "
                         "y a quarter to the right, z at the top. Dark is where the embeddings "
                         "agree. Point at the map for values.",
                         pictures.axes))
      .raw(picture_figure("At which angle",
                          "The angle about the same axes at which that loss is reached.",
                          pictures.angles));
  page.add_section(fmt::format("Around the {}", centre_name(land)))
      .charts({curves_chart(land), distance_chart(land)})
      .raw(picture_figure(
          "At several distances",
          fmt::format(
              "The loss at a rotation of the given angle from the {}, over the axis of that "
              "rotation. Dark places far away are symmetries of the object.",
              centre_name(land)),
          pictures.shells));
  page.add_section("Rotations").table(rotations_table(land));
  return finished(page, origin, "eval landscape");
}

}  // namespace pointpng
