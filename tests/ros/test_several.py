"""Several objects and several copies in one pose node, gravity, and the sensor's place, by rclpy."""

import numpy as np
import pytest
from pointpng_msgs.srv import SetReference
from pointpng_testing import chair, cloud_message, degrees_between, matrix_of, motion, moved, quaternion_of, stamp_of
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3
from pointpng_testing import LATCHED
from tf2_msgs.msg import TFMessage

PLACES = [motion((0, 0, 1), 20, (-0.9, 0.0, 2.0)), motion((0, 0, 1), 110, (0.0, 0.1, 2.2)), motion((0, 0, 1), 250, (0.9, 0.0, 2.0))]


def lamp(points=3000, seed=0):
    """A foot, a post and an arm: as large as the chair, without symmetry."""
    random = np.random.default_rng(seed)
    boxes = [((-.15, -.1, -.3), (.15, .1, -.26)), ((-.02, -.02, -.26), (.02, .02, .3)), ((.02, -.02, .24), (.3, .02, .28)),
             ((.22, -.06, .12), (.3, .06, .24)), ((-.02, .02, 0), (.02, .2, .04))]
    areas, faces = [], []
    for low, high in boxes:
        low, high = np.array(low), np.array(high)
        for axis in range(3):
            for at in (low[axis], high[axis]):
                areas.append(np.prod(np.delete(high - low, axis)))
                faces.append((low, high, axis, at))
    cloud = np.empty((points, 3))
    for i, face in enumerate(random.choice(len(faces), points, p=np.array(areas) / np.sum(areas))):
        low, high, axis, at = faces[face]
        cloud[i] = random.uniform(low, high)
        cloud[i, axis] = at
    return cloud


@pytest.fixture
def files(tmp_path):
    np.savetxt(tmp_path / "chair.xyz", chair(4000))
    np.savetxt(tmp_path / "lamp.xyz", lamp(4000))
    return tmp_path / "chair.xyz", tmp_path / "lamp.xyz"


def names(*files):
    return "[" + ", ".join(f"'{file}'" for file in files) + "]"


def served(listener, clouds, points, count):
    """The answers to one cloud, which should be so many."""
    message = cloud_message(points)
    stamp = stamp_of(message.header.stamp)
    answers = lambda: [a for a in listener.alignments if stamp_of(a.header.stamp) == stamp]  # noqa: E731
    listener.spin_until(lambda: len(answers()) >= count, meanwhile=lambda: clouds.publish(message), every=5.0)
    listener.spin_for(0.3)
    return {answer.child_frame_id: answer for answer in answers()}


def expect_pose(answer, truth):
    assert answer.accepted, answer.reason
    found = matrix_of(answer.target_from_source)
    assert degrees_between(found, truth) < 4
    assert np.linalg.norm(found[:3, 3] - truth[:3, 3]) < 0.02


def test_several_objects_have_frames_of_their_names(start_node, listener, files):
    start_node("pose_node", {"references": names(*files)})
    clouds = listener.publisher("/cloud")
    scene = np.vstack([moved(chair(3000, 1), PLACES[0]), moved(lamp(3000, 1), PLACES[2])])
    answers = served(listener, clouds, scene, 2)
    assert set(answers) == {"chair", "lamp"}
    expect_pose(answers["chair"], PLACES[0])
    expect_pose(answers["lamp"], PLACES[2])
    listener.spin_until(lambda: ("camera", "chair") in listener.transforms and ("camera", "lamp") in listener.transforms)

    refused = listener.set_parameter("/pose", "references", [str(files[0]), "/no/such/cup.ply"])
    assert not refused.successful and "there is no file /no/such/cup.ply" in refused.reason
    twice = listener.set_parameter("/pose", "references", [str(files[0]), str(files[0])])
    assert not twice.successful and "chair" in twice.reason

    assert listener.set_parameter("/pose", "references", [str(files[1])]).successful
    assert set(served(listener, clouds, moved(lamp(3000, 2), PLACES[0]), 1)) == {"lamp"}

    request = SetReference.Request(source=SetReference.Request.FILE, file=str(files[0]))
    assert listener.call(SetReference, "/pose/set_reference", request).success
    answers = served(listener, clouds, moved(chair(3000, 3), PLACES[1]), 1)
    assert set(answers) == {"object"}
    expect_pose(answers["object"], PLACES[1])


def test_copies_are_numbered_and_keep_their_numbers(start_node, listener, files):
    start_node("pose_node", {"reference_file": files[0], "max_instances": 3, "effort": "normal"})
    clouds = listener.publisher("/cloud")
    first = served(listener, clouds, np.vstack([moved(chair(2500, i), place) for i, place in enumerate(PLACES)]), 3)
    assert set(first) == {"object_0", "object_1", "object_2"}
    frames = {}
    for place in PLACES:
        near = min(first, key=lambda name: np.linalg.norm(matrix_of(first[name].target_from_source)[:3, 3] - place[:3, 3]))
        expect_pose(first[near], place)
        frames[near] = place
    assert len(frames) == 3
    second = served(listener, clouds, np.vstack([moved(chair(2500, 5 + i), place) for i, place in enumerate(PLACES[:0:-1])]), 2)
    for name, answer in second.items():
        expect_pose(answer, frames[name])
    none = served(listener, clouds, moved(lamp(3000, 1), PLACES[1]), 1)
    assert set(none) == {"object_0"} and not none["object_0"].accepted and none["object_0"].reason


def test_with_gravity_what_lies_is_rejected(start_node, listener, files):
    start_node("pose_node", {"reference_file": files[0], "up_frame": "base_link", "tf_timeout": 5.0})
    base_from_camera = motion((1, 1, 1), -120, (0.0, 0.0, 0.5))
    x, y, z, w = quaternion_of(base_from_camera)
    transform = TransformStamped(child_frame_id="camera")
    transform.header.frame_id = "base_link"
    transform.transform.rotation = Quaternion(x=x, y=y, z=z, w=w)
    transform.transform.translation = Vector3(z=0.5)
    listener.node.create_publisher(TFMessage, "/tf_static", LATCHED).publish(TFMessage(transforms=[transform]))
    clouds = listener.publisher("/cloud")
    camera_from_base = np.linalg.inv(base_from_camera)
    stands = camera_from_base @ motion((0, 0, 1), 50, (1.5, 0.1, 0.3))
    lies = stands @ motion((1, 0, 0), 90)
    expect_pose(served(listener, clouds, moved(chair(3000, 1), stands), 1)["object"], stands)
    answer = served(listener, clouds, moved(chair(3000, 2), lies), 1)["object"]
    assert not answer.accepted and "tilted" in answer.reason


@pytest.mark.parametrize("parameters, words", [
    ({"references": names("/no/such/cup.ply")}, "there is no file /no/such/cup.ply"),
    ({"max_instances": 0}, "'max_instances' must be an integer in [1, 64], got 0"),
    ({"object_up": "[0.0, 0.0, 0.0]"}, "object_up must be a vector other than 0"),
    ({"effort": "endless"}, "'effort' must be one of fast, normal, thorough, got 'endless'"),
])
def test_wrong_parameters_stop_the_start(start_node, parameters, words):
    node = start_node("pose_node", parameters)
    assert node.wait(60) == 2
    assert words in node.output
