"""Two cameras see one object, which rotates differently in front of each: the pose of one camera in the other's frame."""

import numpy as np
import pytest
from pointpng_testing import BesideNodes, StoppedCleanly, camera, degrees_between, pose_launch, simulation, stamp_of  # noqa: F401

FOUND = ("right", "left")
RATE = 5.0


def sensor(name, turn_rate):
    return camera(name, [("cloud", f"/{name}")], frame=name, true_frame=f"object_{name}", pace="rate", rate=RATE, whole=True,
                  turn_rate=turn_rate)


@pytest.mark.launch_test
def generate_test_description():
    # The cameras don't wait for each other: their stamps are half a period apart at the most.
    slop = 0.6 / RATE
    return simulation(sensor("left", 20.0), sensor("right", -35.0),
                      pose_launch(mode="pair", cloud="/left", target="/right", pair_slop=str(slop)))


class TestPair(BesideNodes):
    def errors(self):
        """Errors in degrees and metres of each accepted answer whose ground truth is known."""
        seen = {name: self.listener.transforms.get((name, f"object_{name}"), {}) for name in ("left", "right")}
        result = []
        for answer in self.listener.accepted():
            truth = (seen["left"].get(stamp_of(answer.header.stamp)), seen["right"].get(stamp_of(answer.target_stamp)))
            found = self.listener.transforms.get(FOUND, {}).get(stamp_of(answer.header.stamp))
            if found is None or any(pose is None for pose in truth):
                continue
            right_from_left = truth[1] @ np.linalg.inv(truth[0])
            result.append((degrees_between(found, right_from_left), np.linalg.norm((found - right_from_left)[:3, 3])))
        return result

    def test_the_pose_of_one_camera_in_the_other_is_the_true_one(self):
        self.listener.spin_until(lambda: len(self.errors()) >= 20)
        turns, shifts = np.array(self.errors()).T
        print(f"{len(turns)} poses of {len(self.listener.alignments)} answers: {np.median(turns):.2f} deg and "
              f"{1000 * np.median(shifts):.1f} mm median, {np.max(turns):.2f} deg largest")
        self.assertLess(np.median(turns), 2.0)
        self.assertLess(np.median(shifts), 0.02)
        self.assertGreater(np.mean(turns < 10.0), 0.95)

    def test_an_answer_names_both_clouds(self):
        self.listener.spin_until(self.listener.accepted)
        answer = self.listener.accepted()[-1]
        self.assertEqual((answer.header.frame_id, answer.child_frame_id), FOUND)
        self.assertNotEqual(stamp_of(answer.target_stamp), stamp_of(answer.header.stamp))
