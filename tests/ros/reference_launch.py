"""An object rotates in front of the simulated camera; the pose on /tf is the true one, and every output is right."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from ament_index_python.packages import get_package_share_directory
from geometry_msgs.msg import PoseWithCovarianceStamped
from pointpng_msgs.srv import Align, SetReference
from pointpng_testing import (  # noqa: F401
    LATCHED, BesideNodes, StoppedCleanly, camera, cloud_message, degrees_between, matrix_of, motion, moved, points_of,
    pose_launch, rotation_of, simulation, stamp_of)
from sensor_msgs.msg import PointCloud2
from visualization_msgs.msg import MarkerArray

TRUE, FOUND = ("camera", "object_true"), ("camera", "object")


@pytest.mark.launch_test
def generate_test_description():
    return simulation(camera(), pose_launch(reference="/replay/model"))


class TestReference(BesideNodes):
    def compared(self):
        return self.listener.compared(TRUE, FOUND)

    def test_the_pose_on_tf_is_the_true_one(self):
        before = len(self.compared())
        answered = len(self.listener.alignments)
        self.listener.spin_until(lambda: len(self.compared()) >= before + 60, timeout=120)
        turns = [degrees_between(*pair) for pair in self.compared()[before:]]
        shifts = [np.linalg.norm(a[:3, 3] - b[:3, 3]) for a, b in self.compared()[before:]]
        answers = self.listener.alignments[answered:]
        print(f"{len(turns)} poses of {len(answers)} answers: {np.median(turns):.2f} deg and "
              f"{1000 * np.median(shifts):.1f} mm median, {np.max(turns):.2f} deg and {1000 * np.max(shifts):.1f} mm largest")
        self.assertLess(np.median(turns), 2.0)
        self.assertLess(np.median(shifts), 0.01)
        self.assertGreater(np.mean(np.array(turns) < 10.0), 0.95)

    def test_an_answer_says_how_far_it_can_be_trusted(self):
        self.listener.spin_until(self.listener.accepted)
        answer = self.listener.accepted()[-1]
        self.assertEqual((answer.header.frame_id, answer.child_frame_id), FOUND)
        self.assertEqual(answer.reason, "")
        least = self.listener.parameters("/pose")[0]["confidence"]
        self.assertTrue(least <= answer.confidence <= 1.0)
        self.assertTrue(0.0 < answer.fitness <= 1.0)
        self.assertTrue(0.0 < answer.residual < 0.05)
        self.assertGreater(answer.source_points, 1000)
        self.assertGreater(answer.target_points, 1000)
        self.assertGreater(answer.total_ms, answer.prepare_ms)
        covariance = np.array(answer.covariance).reshape(6, 6)
        np.testing.assert_allclose(covariance, covariance.T, atol=1e-12)
        self.assertTrue((np.linalg.eigvalsh(covariance) > 0).all())

    def test_pose_and_transform_agree(self):
        poses = []
        subscription = self.listener.node.create_subscription(PoseWithCovarianceStamped, "/pose/pose", poses.append, 10)
        found = lambda: self.listener.transforms.get(FOUND, {})  # noqa: E731
        self.listener.spin_until(lambda: any(stamp_of(pose.header.stamp) in found() for pose in poses))
        self.listener.node.destroy_subscription(subscription)
        pose = next(pose for pose in poses if stamp_of(pose.header.stamp) in found())
        matrix = found()[stamp_of(pose.header.stamp)]
        np.testing.assert_allclose(rotation_of(pose.pose.pose.orientation), matrix[:3, :3], atol=1e-6)
        position = pose.pose.pose.position
        np.testing.assert_allclose([position.x, position.y, position.z], matrix[:3, 3], atol=1e-9)

    def test_the_aligned_object_and_its_markers_are_where_the_camera_sees_it(self):
        clouds, markers = [], []
        subscriptions = [
            self.listener.node.create_subscription(PointCloud2, "/pose/aligned", clouds.append, 10),
            self.listener.node.create_subscription(MarkerArray, "/pose/markers", markers.append, 10)]
        self.listener.spin_until(lambda: clouds and markers)
        for subscription in subscriptions:
            self.listener.node.destroy_subscription(subscription)
        self.assertEqual(clouds[-1].header.frame_id, "camera")
        self.assertLess(np.linalg.norm(points_of(clouds[-1]).mean(0) - [0, 0, 1]), 0.2)
        self.assertEqual([marker.ns for marker in markers[-1].markers], ["axes", "verdict"])

    def test_a_rejected_answer_is_never_on_tf(self):
        self.listener.spin_until(self.listener.accepted)
        usual = self.listener.parameters("/pose")[0]["confidence"]
        self.assertTrue(self.listener.set_parameter("/pose", "confidence", 1.0).successful)
        try:
            self.listener.spin_until(lambda: self.listener.alignments and not self.listener.alignments[-1].accepted)
            first = len(self.listener.alignments)
            self.listener.spin_until(lambda: len(self.listener.alignments) >= first + 10)
            answers = self.listener.alignments[first:]
            self.assertFalse(any(answer.accepted for answer in answers))
            self.assertTrue(all(answer.reason for answer in answers))
            stamps = {stamp_of(answer.header.stamp) for answer in answers}
            self.assertFalse(stamps & set(self.listener.transforms.get(FOUND, {})))
        finally:
            self.assertTrue(self.listener.set_parameter("/pose", "confidence", usual).successful)
        count = len(self.listener.accepted())
        self.listener.spin_until(lambda: len(self.listener.accepted()) > count)

    def test_the_service_aligns_what_the_camera_saw(self):
        models = self.listener.subscribe(PointCloud2, "/replay/model", LATCHED)
        clouds = self.listener.subscribe(PointCloud2, "/cloud")
        truth = lambda cloud: self.listener.transforms.get(TRUE, {}).get(stamp_of(cloud.header.stamp))  # noqa: E731
        seen = lambda: [cloud for cloud in clouds if truth(cloud) is not None]  # noqa: E731
        self.listener.spin_until(lambda: models and len(seen()) > 60)
        answers = [(cloud, self.listener.call(Align, "/pose/align", Align.Request(source=models[0], target=cloud)).alignment)
                   for cloud in seen()[::10]]  # 30 degrees apart
        accepted = [(cloud, answer) for cloud, answer in answers if answer.accepted]
        self.assertTrue(accepted, [answer.reason for _, answer in answers])
        turns = [degrees_between(matrix_of(answer.target_from_source), truth(cloud)) for cloud, answer in accepted]
        self.assertLess(max(turns), 5.0)

    def test_another_reference_may_be_given_while_it_runs(self):
        models = self.listener.subscribe(PointCloud2, "/replay/model", LATCHED)
        self.listener.spin_until(lambda: models)
        turned = motion((0, 0, 1), 90)
        for turn in (turned, np.eye(4)):  # the second restores the reference
            reference = cloud_message(moved(points_of(models[0]), turn), "object_true")
            request = SetReference.Request(source=SetReference.Request.CLOUD, cloud=reference)
            answer = self.listener.call(SetReference, "/pose/set_reference", request)
            self.assertTrue(answer.success, answer.message)
            self.assertEqual(answer.points, reference.width)
            self.listener.transforms.pop(FOUND, None)
            self.listener.spin_until(lambda: len(self.compared()) >= 10)
            turns = [degrees_between(true, found @ turn) for true, found in self.compared()[-5:]]
            self.assertLess(np.median(turns), 3.0)

    def test_diagnostics_tell_how_it_goes(self):
        self.listener.spin_until(lambda: (self.listener.last_diagnostic() or {}).get("message") == "poses are published")
        told = self.listener.last_diagnostic()
        self.assertEqual(told["level"], b"\0")
        self.assertEqual(told["mode"], "reference")
        self.assertIn(told["device"].split(":")[0], ("cpu", "cuda"))
        self.assertGreater(float(told["answers per second"]), 0.0)
        self.assertGreater(float(told["latency median ms"]), 0.0)
        before = len(self.listener.alignments)  # each cloud is sent when the last one was answered: none is dropped
        self.listener.spin_until(
            lambda: len(self.listener.alignments) >= before + 10 and self.listener.last_diagnostic() != told)
        self.assertEqual(self.listener.last_diagnostic()["dropped"], told["dropped"])

    def test_what_rviz_shows_is_there(self):
        file = Path(get_package_share_directory("pointpng")) / "rviz" / "pose.rviz"
        manager = yaml.safe_load(file.read_text())["Visualization Manager"]
        self.listener.spin_until(lambda: FOUND in self.listener.transforms)
        self.assertEqual(manager["Global Options"]["Fixed Frame"], FOUND[0])
        types = {"PointCloud2": "sensor_msgs/msg/PointCloud2", "MarkerArray": "visualization_msgs/msg/MarkerArray",
                 "PoseWithCovariance": "geometry_msgs/msg/PoseWithCovarianceStamped"}
        shown = [display for display in manager["Displays"] if "Topic" in display]
        self.assertGreaterEqual(len(shown), 5)
        for display in shown:
            topic = display["Topic"]
            publishers = lambda: self.listener.node.get_publishers_info_by_topic(topic["Value"])  # noqa: B023,E731
            self.listener.spin_until(publishers)
            offered = publishers()
            self.assertEqual(offered[0].topic_type, types[display["Class"].split("/")[1]])
            if topic["Reliability Policy"] == "Reliable":
                self.assertEqual(offered[0].qos_profile.reliability.name, "RELIABLE")
            if topic["Durability Policy"] == "Transient Local":
                self.assertEqual(offered[0].qos_profile.durability.name, "TRANSIENT_LOCAL")
