#include "report/embedding_pages.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/xml_check.h"

namespace pointpng {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const PageOrigin kOrigin{{{"Model", "object.safetensors"}}, "pointpng eval --data a.h5"};

EmbeddingMap some_map() {
  EmbeddingMap map;
  map.clouds = {{"1", "cup", 0, 0}, {"1", "cup", 0, 1}, {"2", "<b>", 1, 0}, {"2", "<b>", 1, 1}};
  map.pose_names = {"as it is", "rotated"};
  map.embeddings = Rows::Identity(4, 7);
  map.places = Rows::Random(4, 2);
  map.trustworthiness = 0.987;
  map.same_class = 0.5;
  map.explained = {0.5, 0.25};
  map.divergence = 0.4321;
  map.iterations = 300;
  return map;
}

TEST(EmbeddingMapPage, DescribesWhatTheMethodMeasures) {
  const EmbeddingMap map = some_map();
  const auto page = [&](MapMethod method) {
    const Picture picture = embedding_map_picture(map, method, Poses::kRandom);
    return embedding_map_page(map, method, Poses::kRandom, "a.h5", picture, kOrigin);
  };
  EXPECT_THAT(page(MapMethod::kTsne),
              AllOf(HasSubstr("t-SNE of a.h5"), HasSubstr("0.987"), HasSubstr("<strong>0.432"),
                    HasSubstr("after 300 iterations"), HasSubstr("each cross onto its dot"),
                    HasSubstr("pointpng eval --data a.h5"), HasSubstr("object.safetensors"),
                    Not(HasSubstr("1st component"))));
  EXPECT_THAT(page(MapMethod::kPca), AllOf(HasSubstr("PCA of a.h5"), HasSubstr("<strong>75\u202F%"),
                                           HasSubstr("1st component, 50\u202F% of the variance"),
                                           Not(HasSubstr("iterations"))));
}

TEST(EmbeddingMapPicture, CrossesAreRotatedShapesAndStepsAreColoured) {
  const auto svg = [](Poses poses) {
    return embedding_map_picture(some_map(), MapMethod::kTsne, poses).svg();
  };
  EXPECT_EQ(xml_fault(svg(Poses::kRandom)), "");
  EXPECT_THAT(svg(Poses::kRandom), AllOf(HasSubstr(">cup<"), HasSubstr(">&lt;b&gt;<"),
                                         HasSubstr("data-tip=\"cup · 1 · rotated\"")));
  EXPECT_THAT(svg(Poses::kSteps), AllOf(HasSubstr(">rotated<"), Not(HasSubstr(">cup<"))));
}

std::vector<ShapeTrajectory> some_trajectories() {
  ShapeTrajectory shape;
  shape.name = "7";
  shape.class_name = "chair";
  shape.trajectory.angle_deg = {0, 120, 240, 360};
  shape.trajectory.to_start = {1, 0.2, 0.3, 1};
  shape.trajectory.to_predicted = {1, 0.9, 0.9, 1};
  shape.places = shape.predicted_places = Rows::Random(4, 2);
  shape.explained = {0.6, 0.3};
  shape.pa = 0.95;
  shape.ae = 0.325;
  return {shape, shape};
}

TEST(TrajectoryPage, ShowsEveryShapeAndTheMeans) {
  const auto shapes = some_trajectories();
  const Picture picture = trajectory_picture(shapes);
  EXPECT_EQ(xml_fault(picture.svg()), "");
  EXPECT_EQ(count_of(picture.svg(), ">90\u202F% of the variance is on this plane<"), 2);
  EXPECT_THAT(trajectory_page(shapes, {}, "a.h5", picture, kOrigin),
              AllOf(HasSubstr("A full turn of a.h5"), HasSubstr("<strong>0.950"),
                    HasSubstr("<strong>0.325"), HasSubstr("chair · 7"),
                    HasSubstr("the same points throughout")));
}

PairLandscape some_landscape() {
  const SphereValues values{2, 4, std::vector<float>(8, 0.5F)};
  const auto about_z = [](double degrees) {
    return Eigen::Quaterniond(
        Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Eigen::Vector3d::UnitZ()));
  };
  Landscape land;
  land.best_loss = land.best_angle_deg = values;
  land.shells = {values, values};
  land.shells_deg = {60, 120};
  land.curves = {{"x", {0, 180}, {0.1, 0.9}}};
  land.distances = {{0, 0.1, 0.1, 0.1}, {90, 0.3, 0.6, 0.9}};
  land.truth = LossAt{about_z(30), 0.1};
  land.centre = *land.truth;
  land.hypotheses = {{about_z(32), 0.09}, {about_z(140), 0.2}};
  land.lowest = 0.09, land.highest = 0.9, land.below_truth = 0.01;
  return {"chair · 7", land};
}

TEST(LandscapePage, ComparesTheHypothesesWithTheTrueRotation) {
  const PairLandscape pair = some_landscape();
  const std::string html = landscape_page(pair, landscape_pictures(pair.landscape), kOrigin);
  EXPECT_THAT(html, AllOf(HasSubstr("Loss over SO(3): chair · 7"), HasSubstr("True rotation"),
                          HasSubstr("<strong>2.00<small>°"),  // of the best hypothesis
                          HasSubstr("Around the true rotation"), HasSubstr("<td>hypothesis 2</td>"),
                          HasSubstr(">110.0°<")));
}

TEST(LandscapePage, WithoutATruthTheBestHypothesisIsTheCentre) {
  PairLandscape pair = some_landscape();
  pair.landscape.truth.reset();
  pair.landscape.centre = pair.landscape.hypotheses.front();
  const std::string html = landscape_page(pair, landscape_pictures(pair.landscape), kOrigin);
  EXPECT_THAT(html, AllOf(HasSubstr("Around the best hypothesis"), Not(HasSubstr("rue rotation"))));
}

TEST(LandscapePictures, AHypothesisIsMarkedOnTheNearestShell) {
  const LandscapePictures pictures = landscape_pictures(some_landscape().landscape);
  EXPECT_EQ(xml_fault(pictures.axes.svg()) + xml_fault(pictures.shells.svg()), "");
  // The first lies at the centre, the second 110° away: on the second shell only.
  EXPECT_EQ(count_of(pictures.shells.svg(), "hypothesis 1:"), 0);
  EXPECT_EQ(count_of(pictures.shells.svg(), "data-tip=\"hypothesis 2: 110° about this axis"), 1);
}

}  // namespace
}  // namespace pointpng
