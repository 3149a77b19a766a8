import itertools
import sys
import threading
import time
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest.mock import MagicMock

import cv2
import numpy as np
import pytest

from companion.errors import CameraUnavailable, PictureUnreadable
from hardware.cameras import open_camera
from hardware.live_camera import STREAM_LAG_S, StreamCamera, prepare_usb
from hardware.pi_camera import PiCamera
from hardware.recorded_camera import PhotoCamera


def picture(grey):
    return np.full((96, 128, 3), grey, np.uint8)


def grey_of(frame):
    return round(float(frame.image.mean()))


# -- folders and videos --------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Three photos, one of them broken, beside a file that is none."""
    for name, grey in (("03.JPG", 90), ("01.png", 30)):
        (tmp_path / name).write_bytes(
            cv2.imencode(name[2:].lower(), picture(grey))[1].tobytes()
        )
    (tmp_path / "02.jpg").write_bytes(b"not a photo")
    (tmp_path / "truth.json").write_text("{}")
    return tmp_path


def test_a_folder_gives_its_photos_in_name_order_and_goes_on_after_a_broken_one(folder):
    """Each photo is one look; a broken one is named, and costs no other."""
    with open_camera(str(folder)) as camera:
        first = camera.read()
        with pytest.raises(PictureUnreadable, match=r"02\.jpg"):
            camera.read()
        third = camera.read()
        end = camera.read()

    assert (first.name, grey_of(first), first.number) == ("01.png", 30, 0)
    assert (third.name, grey_of(third), third.number) == ("03.JPG", 90, 2)
    assert third.taken_at > first.taken_at
    assert end is None


def test_a_folder_opened_again_begins_again(folder):
    """One camera can be used for a second `with` block."""
    camera = open_camera(str(folder))

    names = []
    for _ in range(2):
        with camera:
            names.append(camera.read().name)

    assert names == ["01.png", "01.png"]


def test_photos_that_are_known_are_passed_over(folder):
    """The calibration's photos may lie beside a game's; numbers stay as they are."""
    nearly = picture(31)  # as the same photo is when it was encoded again
    with open_camera(str(folder), [nearly, picture(90)[:48]]) as camera:
        with pytest.raises(PictureUnreadable, match=r"02\.jpg"):
            camera.read()
        third = camera.read()
        end = camera.read()

    assert (third.name, third.number) == ("03.JPG", 2)
    assert end is None


def test_a_photo_with_one_chip_more_is_not_known(tmp_path):
    """A chip is little of a picture; of a camera without noise it is all there is."""
    empty = np.full((480, 640, 3), 120, np.uint8)
    played = cv2.circle(empty.copy(), (320, 240), 12, (230, 230, 230), cv2.FILLED)
    cv2.imwrite(str(tmp_path / "01.png"), played)

    with open_camera(str(tmp_path), [empty]) as camera:
        assert camera.read().name == "01.png"


def test_a_single_photo_is_a_look_too(folder):
    """A path to a photo gives that photo, then the end."""
    with open_camera(str(folder / "01.png")) as camera:
        assert camera.read().name == "01.png"
        assert camera.read() is None


def test_a_folder_without_photos_is_refused(tmp_path):
    """Nothing to look at is said at once, with what is needed."""
    with pytest.raises(CameraUnavailable, match="no photos"), PhotoCamera(tmp_path):
        pass


def test_a_video_is_read_frame_by_frame_with_its_own_time(tmp_path):
    """Every frame comes once, in order, stamped with its time in the video."""
    path = tmp_path / "game.avi"
    writer = cv2.VideoWriter(
        str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (128, 96)
    )
    for grey in (20, 120, 220):
        writer.write(picture(grey))
    writer.release()

    with open_camera(str(path)) as camera:
        frames = list(iter(camera.read, None))

    assert [grey_of(f) for f in frames] == pytest.approx([20, 120, 220], abs=3)
    assert [f.taken_at for f in frames] == pytest.approx([0.0, 0.1, 0.2])
    assert [f.number for f in frames] == [0, 1, 2]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("no/such/thing", "usb:0"),
        ("usb:x", "usb:0"),
        ("usb:97", "/dev/video97"),
        ("pi", "picamera2"),
        ("http://", "stream"),
    ],
)
def test_a_source_that_is_not_there_is_refused_with_what_to_do(source, says):
    """Unknown words, absent cameras and missing libraries each get a sentence."""
    with pytest.raises(CameraUnavailable, match=says), open_camera(source):
        pass


def test_a_file_that_is_no_video_is_refused(tmp_path):
    """A text file says which files would do."""
    path = tmp_path / "notes.txt"
    path.write_text("a game was played")

    with pytest.raises(CameraUnavailable, match="MP4"), open_camera(str(path)):
        pass


# -- streams: a real cv2.VideoCapture on a real server ------------------------


class MjpegServer:
    """Serves grey pictures, each a little brighter, like a phone's camera app."""

    def __init__(self, port=0):
        self.grey = 0
        self.served = 0
        self._alive = True
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header(
                    "Content-Type", "multipart/x-mixed-replace; boundary=frame"
                )
                self.end_headers()
                while outer._alive:
                    data = cv2.imencode(".jpg", picture(outer.grey))[1].tobytes()
                    try:
                        self.wfile.write(
                            b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: "
                            b"%d\r\n\r\n%s\r\n" % (len(data), data)
                        )
                    except OSError:
                        return
                    outer.served += 1
                    time.sleep(0.02)

            def log_message(self, *args):
                pass

        ThreadingHTTPServer.allow_reuse_address = True
        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.address = f"http://127.0.0.1:{self.port}/video"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def die(self):
        self._alive = False
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server():
    server = MjpegServer()
    yield server
    server.die()


def test_after_a_pause_a_stream_gives_the_newest_frame_not_an_old_one(server):
    """What was queued while nobody read is dropped."""
    with StreamCamera(server.address) as camera:
        server.grey = 50
        assert camera.read() is not None
        served = server.served
        while server.served < served + 30:  # nobody reads for a while
            time.sleep(0.01)
        server.grey = 200
        served = server.served
        while server.served < served + 20:
            time.sleep(0.01)

        frame = camera.read()

    assert grey_of(frame) == pytest.approx(200, abs=3)
    # A picture on its way was taken with lamps lit that are dark by now.
    assert 0 <= time.monotonic() - frame.taken_at - STREAM_LAG_S < 0.5


def test_a_stream_never_gives_one_frame_twice(server):
    """Each read waits for a frame that was not returned before."""
    with StreamCamera(server.address) as camera:
        frames = [camera.read() for _ in range(5)]

    numbers = [frame.number for frame in frames]
    assert all(one < other for one, other in itertools.pairwise(numbers))


def test_a_stream_that_comes_back_is_read_on(server):
    """A short break is bridged by reconnecting, without any error."""
    with StreamCamera(server.address) as camera:
        before = camera.read()
        server.die()
        again = MjpegServer(server.port)
        again.grey = 150
        try:
            frame = camera.read()
            while grey_of(frame) != pytest.approx(150, abs=3):
                frame = camera.read()
        finally:
            again.die()

    assert frame.number > before.number


def test_a_stream_that_dies_says_so(server):
    """When no reconnecting helps, the reader is told what to check."""
    with StreamCamera(server.address, patience=1.0) as camera:
        camera.read()
        server.die()

        with pytest.raises(CameraUnavailable, match="no pictures any more"):
            list(iter(camera.read, None))


def test_a_camera_that_was_closed_while_it_failed_is_not_opened_again(monkeypatch):
    """It may be unplugged for good, or be another program's by now."""
    opened = []

    def connect():
        capture = MagicMock()
        capture.read.side_effect = lambda: failed.set() or (False, None)
        opened.append(capture)
        return capture

    failed = threading.Event()
    camera = StreamCamera("unplugged", patience=2.0)
    monkeypatch.setattr(camera, "_connect", connect)
    with camera:
        failed.wait(2.0)

    assert len(opened) == 1


def test_a_refused_connection_is_said_at_once():
    """An address at which nobody listens is refused without long waiting."""
    start = time.monotonic()

    with (
        pytest.raises(CameraUnavailable, match="cannot be opened"),
        StreamCamera("http://127.0.0.1:9/video"),
    ):
        pass

    assert time.monotonic() - start < 5


# -- USB and CSI cameras: contracts checked against labelled stubs ------------


class StubCapture:
    """STUB of cv2.VideoCapture: remembers what was set; no camera is behind it."""

    def __init__(self):
        self.values = {cv2.CAP_PROP_EXPOSURE: 156.0, cv2.CAP_PROP_FOCUS: -1.0}
        self.calls = []

    def set(self, key, value):
        self.calls.append((key, value))
        return True

    def get(self, key):
        return self.values.get(key, 0.0)

    def read(self):
        self.calls.append("frame")
        return True, picture(0)


def test_a_usb_camera_settles_before_it_is_locked():
    """Automatics run first, then the value they found is fixed, if it has one."""
    stub = StubCapture()

    prepare_usb(stub, settling_frames=3)

    locked = stub.calls[len(stub.calls) - stub.calls[::-1].index("frame") :]
    assert locked == [
        (cv2.CAP_PROP_AUTO_EXPOSURE, 1),
        (cv2.CAP_PROP_EXPOSURE, 156.0),
        (cv2.CAP_PROP_AUTO_WB, 0),
        (cv2.CAP_PROP_AUTOFOCUS, 0),
    ]
    assert (cv2.CAP_PROP_AUTO_EXPOSURE, 3) in stub.calls[: stub.calls.index("frame")]


class StubRequest:
    """STUB of picamera2's request: one grey picture."""

    def __init__(self, log):
        self.log = log

    def make_array(self, stream):
        assert stream == "main"
        return picture(77)

    def get_metadata(self):
        return {"SensorTimestamp": 12_500_000_000}

    def release(self):
        self.log.append("release")


class StubPicamera2:
    """STUB of picamera2.Picamera2: checks the driver's calls, not libcamera."""

    def __init__(self, log):
        self.log = log
        self.camera_controls = {"AfMode": None, "AeFlickerPeriod": None}
        self.dead = False

    def create_video_configuration(self, main, buffer_count):
        assert main["format"] == "RGB888"
        return "configuration"

    def capture_metadata(self):
        self.log.append("settled")
        return {
            "ExposureTime": 8000,
            "AnalogueGain": 2.0,
            "ColourGains": (1.6, 1.9),
            "LensPosition": 1.25,
        }

    def set_controls(self, controls):
        self.log.append(controls)

    def capture_request(self, wait):
        if self.dead:
            raise TimeoutError
        return StubRequest(self.log)

    def __getattr__(self, name):
        return lambda *args: self.log.append(name)


@pytest.fixture
def stub_camera(monkeypatch):
    """A stub in place of the module picamera2, for any number of openings."""
    camera = StubPicamera2([])
    module = types.SimpleNamespace(Picamera2=lambda: camera)
    monkeypatch.setitem(sys.modules, "picamera2", module)
    return camera


def test_the_pi_camera_settles_then_locks_what_it_found(stub_camera):
    """Exposure, gains and focus are kept as the automatics left them."""
    with PiCamera(settle=0) as camera:
        frame = camera.read()

    log = stub_camera.log
    assert log[:2] == ["configure", "start"]
    assert log[log.index("settled") + 1] == {
        "AeEnable": False,
        "AwbEnable": False,
        "ExposureTime": 8000,
        "AnalogueGain": 2.0,
        "ColourGains": (1.6, 1.9),
        "AfMode": 0,
        "LensPosition": 1.25,
    }
    assert log[-2:] == ["release", "close"]
    assert (grey_of(frame), frame.taken_at) == (77, 12.5)


def test_a_pi_camera_that_stops_says_so(stub_camera):
    """A camera that gives no frame in time becomes a sentence."""
    with PiCamera(settle=0) as camera:
        stub_camera.dead = True
        with pytest.raises(CameraUnavailable, match="stopped"):
            camera.read()


def test_a_pi_without_a_camera_says_so(stub_camera, monkeypatch):
    """picamera2 fails with an IndexError where no camera is connected."""
    monkeypatch.setattr(sys.modules["picamera2"], "Picamera2", lambda: [][0])

    with pytest.raises(CameraUnavailable, match="ribbon"), PiCamera(settle=0):
        pass
