"""Echo cases of our own: talkers from Debian's speech packages, rooms by the image-source method, in the bench's layout."""

import glob
import os
import subprocess
from typing import Any

import numpy as np
import soundfile
from kinds import Samples

RATE = 16000
SOUNDS = "/usr/share/asterisk/sounds"
# Folder of a language's prompts, and which of its longest prompts a talker reads.
TALKERS = {
    "own_en_f": ("en*", 3, 4),
    "own_fr_f": ("fr*", 0, 4),
    "own_it_m": ("it*", 4, 4),
    "own_es_f": ("es*", 0, 4),
    "own_ru": ("ru*", 0, 4),
    "own_fr_f2": ("fr*", 6, 4),
    "held_en": ("en*", 9, 4),
    "held_es": ("es*", 7, 4),
    "held_it": ("it*", 10, 4),
    "held_ru": ("ru*", 6, 4),
}
# Size in m, absorption of energy, loudspeaker, microphone.
ROOMS = {
    "own_kitchen": ((3.1, 2.7, 2.4), 0.22, (1.2, 1.1, 0.9), (1.5, 1.35, 1.0)),
    "own_office": ((4.8, 3.9, 2.7), 0.26, (2.0, 1.6, 0.8), (2.6, 2.1, 0.9)),
    "own_study": ((3.9, 3.3, 2.5), 0.34, (1.0, 2.0, 1.0), (1.2, 1.6, 0.8)),
    "own_hall": ((7.4, 5.2, 3.1), 0.27, (3.0, 2.2, 1.1), (3.7, 2.9, 0.9)),
    "held_bedroom": ((4.2, 3.0, 2.6), 0.30, (1.4, 0.9, 0.7), (1.9, 1.2, 0.8)),
    "held_living": ((6.1, 4.4, 2.6), 0.24, (2.2, 3.0, 0.6), (3.0, 2.4, 1.0)),
}
# Pairs as the bench has them: far end's talkers, near end's.
PAIRS = {
    "E": (["own_fr_f"], ["own_it_m"]),
    "F": (["own_it_m", "own_en_f"], ["own_fr_f"]),
    "G": (["own_es_f"], ["own_ru"]),
    "H": (["own_ru"], ["own_fr_f2"]),
    "I": (["held_en"], ["held_es"]),
    "J": (["held_it"], ["held_ru"]),
}
# Pair, room, delay ms, drift ppm, loudspeaker, near end over echo dB.
OWN = [
    ("E", "own_kitchen", 15, -120, "mild", 0),
    ("F", "own_office", 15, -40, "mild", 0),
    ("E", "own_office", 75, 30, "mild", 6),
    ("F", "own_kitchen", 75, -250, "mild", 0),
    ("E", "own_kitchen", 180, 300, "mild", -6),
    ("F", "own_office", 180, -60, "none", 0),
    ("E", "own_office", 330, -90, "mild", 0),
    ("F", "own_kitchen", 330, 120, "mild", 6),
    ("E", "own_office", 60, 160, "none", 0),
    ("F", "own_office", 60, 0, "mild", -6),
    ("E", "own_kitchen", 220, 0, "mild", 0),
    ("F", "own_kitchen", 460, 15, "mild", 0),
    ("G", "own_study", 25, 150, "mild", 0),
    ("H", "own_hall", 25, -30, "mild", 0),
    ("G", "own_hall", 95, -40, "mild", 3),
    ("H", "own_study", 95, 210, "none", 0),
    ("G", "own_study", 150, -200, "mild", -3),
    ("H", "own_hall", 150, 10, "mild", 0),
    ("G", "own_hall", 280, 20, "mild", 0),
    ("H", "own_study", 280, -280, "mild", 6),
    ("G", "own_study", 55, 75, "none", 0),
    ("H", "own_study", 400, -90, "mild", 0),
    ("G", "own_hall", 55, 0, "mild", -6),
    ("H", "own_hall", 400, 0, "mild", 0),
]
HELD_OUT = [
    ("I", "held_bedroom", 40, -170, "mild", 0),
    ("J", "held_living", 40, 60, "mild", 0),
    ("I", "held_living", 120, 110, "mild", 4),
    ("J", "held_bedroom", 120, -15, "none", 0),
    ("I", "held_bedroom", 200, 240, "mild", -4),
    ("J", "held_living", 200, -70, "mild", 0),
    ("I", "held_living", 250, -260, "mild", 0),
    ("J", "held_bedroom", 250, 35, "mild", 5),
    ("I", "held_bedroom", 10, 0, "none", 0),
    ("J", "held_bedroom", 370, 140, "mild", 0),
    ("I", "held_living", 70, -100, "mild", -5),
    ("J", "held_living", 370, 0, "mild", 0),
]


def make(folder: str, corpus: str) -> str:
    """A corpus folder with the bench's own files and ours; what exists is kept."""
    for part in os.listdir(corpus):
        os.makedirs(os.path.join(folder, part), exist_ok=True)
        if os.path.isdir(os.path.join(corpus, part)):
            for name in os.listdir(os.path.join(corpus, part)):
                link = os.path.join(folder, part, name)
                if not os.path.lexists(link):
                    os.symlink(os.path.join(corpus, part, name), link)
    for name, choice in TALKERS.items():
        path = os.path.join(folder, "speech16", name + ".wav")
        if not os.path.exists(path):
            soundfile.write(path, talker(*choice), RATE, subtype="PCM_16")
    for name, room in ROOMS.items():
        path = os.path.join(folder, "rir", f"{name}_16k.wav")
        if not os.path.exists(path):
            soundfile.write(path, response(*room), RATE, subtype="FLOAT")
    return folder


def talker(language: str, first: int, count: int) -> Samples:
    prompts = [p for p in glob.glob(f"{SOUNDS}/{language}/**/*.g722", recursive=True) if "silence" not in p]
    prompts.sort(key=lambda path: (-os.path.getsize(path), path))
    if len(prompts) < first + count:
        raise FileNotFoundError(f"prompts in {SOUNDS}/{language}: install asterisk-core-sounds-*-g722")
    speech = np.concatenate([decode(path)[: 8 * RATE] for path in prompts[first : first + count]])
    return speech * (0.5 / np.max(np.abs(speech)))


def decode(path: str) -> Samples:
    command = ["ffmpeg", "-v", "error", "-f", "g722", "-i", path, "-ar", str(RATE), "-ac", "1", "-f", "f32le", "-"]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return np.frombuffer(out, "<f4").astype(np.float64)


def response(size: tuple[float, float, float], absorption: float, loudspeaker: Any, microphone: Any) -> Samples:
    import pyroomacoustics

    room = pyroomacoustics.ShoeBox(
        size, fs=RATE, materials=pyroomacoustics.Material(absorption, 0.1), max_order=40, air_absorption=True
    )
    room.add_source(loudspeaker)
    room.add_microphone(microphone)
    room.compute_rir()
    h = room.rir[0][0]
    # The bench adds the bulk delay; here the direct sound comes first.
    first = int(np.argmax(np.abs(h) > 0.3 * np.max(np.abs(h))))
    h = h[max(0, first - 8) : first + int(0.8 * RATE)]
    return h / np.sqrt(h @ h)
