"""Parameters: the files agree with the nodes, descriptors are complete, and an invalid value is rejected with a sentence."""

from pathlib import Path

import launch
import launch_testing.actions
import pytest
import yaml
from ament_index_python.packages import get_package_share_directory
from launch_ros.actions import Node
from pointpng_testing import HAS_TRAINING, MISSING_PART, BesideNodes

# Executable -> invalid parameters, and words of the error message.
WRONG = {
    "mode": ("pose_node", {"mode": "nonsense"}, "'mode' must be one of reference, pair, sequence, got 'nonsense'"),
    "points": ("pose_node", {"points": 10}, "'points' must be an integer in [64, 16384], got 10"),
    "kind": ("pose_node", {"confidence": "high"}, "'confidence' must be a double in [0, 1], got high"),
    "box": ("pose_node", {"crop_min": [2.0, 0.0, 0.0]}, "the crop box is empty"),
    "reference": ("pose_node", {"reference_file": "/no/such/part.ply"}, MISSING_PART),
    "model": ("pose_node", {"model": "/no/such/model.safetensors"}, "/no/such/model.safetensors"),
    "source": ("replay_node", {"source": "/no/such/bag"}, "/no/such/bag does not exist"),
    "preset": ("pretrain_node", {"preset": "huge"}, "'preset' must be one of"),
    "setting": ("pretrain_node", {"settings": ["train.nothing=1"]}, "there is no setting 'train.nothing'"),
}
NODES = ["pose", "replay"] + ["pretrain"] * HAS_TRAINING
WRONG = {name: case for name, case in WRONG.items() if case[0].removesuffix("_node") in NODES}


@pytest.mark.launch_test
def generate_test_description():
    plain = [Node(package="pointpng_ros", executable=f"{name}_node", name=name, output="screen")
             for name in NODES]
    wrong = {name: Node(package="pointpng_ros", executable=executable, name=f"wrong_{name}", output="screen",
                        parameters=[parameters])
             for name, (executable, parameters, _) in WRONG.items()}
    return launch.LaunchDescription([*plain, *wrong.values(), launch_testing.actions.ReadyToTest()]), {"wrong": wrong}


class TestParameters(BesideNodes):
    def test_every_file_has_every_parameter_with_its_default(self):
        for node in NODES:
            file = Path(get_package_share_directory("pointpng")) / "config" / f"{node}.yaml"
            written = yaml.safe_load(file.read_text())["/**"]["ros__parameters"]
            values, descriptors = self.listener.parameters(f"/{node}")
            own = {name: value for name, value in values.items() if not name.startswith("qos_overrides.")
                   and name not in ("use_sim_time", "start_type_description_service")}
            self.assertEqual(written, own, node)
            self.assertEqual({name: type(value) for name, value in written.items()},
                             {name: type(value) for name, value in own.items()}, node)
            for name in own:
                self.assertTrue(descriptors[name].description, f"{node}: {name} is not described")

    def test_a_wrong_value_is_refused_and_nothing_changes(self):
        before, _ = self.listener.parameters("/pose")
        for name, value, words in (("confidence", 2.0, ""), ("points", 5, ""), ("refine", "magic", "one of"), ("mode", "pair", "")):
            result = self.listener.set_parameter("/pose", name, value)
            self.assertFalse(result.successful, name)
            self.assertTrue(result.reason)
            self.assertIn(words, result.reason)
        after, _ = self.listener.parameters("/pose")
        self.assertEqual(after, before)

    def test_a_right_value_is_taken(self):
        self.assertTrue(self.listener.set_parameter("/pose", "points", 512).successful)
        values, _ = self.listener.parameters("/pose")
        self.assertEqual(values["points"], 512)
        self.assertTrue(self.listener.set_parameter("/pose", "points", 1024).successful)

    def test_a_wrong_parameter_stops_the_start_with_a_sentence(self, proc_info, proc_output, wrong):
        for name, (_, _, words) in WRONG.items():
            proc_info.assertWaitForShutdown(process=wrong[name], timeout=60)
            self.assertEqual(proc_info[wrong[name]].returncode, 2, name)
            proc_output.assertWaitFor(words, process=wrong[name], timeout=10, stream="stderr")
