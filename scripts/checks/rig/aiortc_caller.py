"""A caller by aiortc: posts its offer to a URL in the form of WHIP, says a file, and records what it hears. A program of its own, for a
Python that has aiortc (scripts/interop makes one):

    aiortc_caller.py URL TOKEN --says FILE --keeps FILE --seconds N [--codec NAME]

Prints one JSON object: milliseconds after the POST to the answer and to the connection, the codec, and the profile of SRTP.
"""

import argparse
import asyncio
import json
import sys
import time
import urllib.parse
import urllib.request
from typing import Any

from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer, MediaRecorder
from aiortc.rtcrtpsender import RTCRtpSender

CONNECTED_WITHIN_S = 20.0


def ask(method: str, url: str, token: str, body: bytes | None = None) -> tuple[str, str]:
    """The body of the answer, and its place."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/sdp"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method), timeout=30) as answer:
        return answer.read().decode(), urllib.parse.urljoin(url, answer.headers.get("Location") or "")


async def call(given: argparse.Namespace) -> dict[str, Any]:
    # Without a list of its own it asks a server on the Internet.
    connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    recorder = MediaRecorder(given.keeps)
    connection.on("track", recorder.addTrack)
    connection.addTrack(MediaPlayer(given.says).audio)
    codecs = [codec for codec in RTCRtpSender.getCapabilities("audio").codecs if given.codec in codec.mimeType.lower()]
    connection.getTransceivers()[0].setCodecPreferences(codecs)
    await connection.setLocalDescription(await connection.createOffer())
    began = time.monotonic()
    answer, place = await asyncio.to_thread(ask, "POST", given.url, given.token, connection.localDescription.sdp.encode())
    answered = time.monotonic()
    await connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))
    while connection.connectionState != "connected":
        if connection.connectionState == "failed" or time.monotonic() > began + CONNECTED_WITHIN_S:
            sys.exit(f"not connected: {connection.connectionState}, ICE {connection.iceConnectionState}")
        await asyncio.sleep(0.005)
    connected = time.monotonic()
    await recorder.start()
    await asyncio.sleep(given.seconds)
    transport = connection.getTransceivers()[0].receiver.transport
    profile = transport._ssl.get_selected_srtp_profile()
    await asyncio.to_thread(ask, "DELETE", place, given.token)
    await recorder.stop()
    await connection.close()
    return {
        "answer_ms": round(1000 * (answered - began), 1),
        "connected_ms": round(1000 * (connected - began), 1),
        "codec": codecs[0].mimeType.split("/")[1].lower(),
        "profile": profile.decode() if profile else "none",
    }


def main() -> None:
    options = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    options.add_argument("url")
    options.add_argument("token")
    options.add_argument("--says", required=True)
    options.add_argument("--keeps", required=True)
    options.add_argument("--seconds", type=float, default=8)
    options.add_argument("--codec", default="opus", help="opus, pcmu or pcma")
    print(json.dumps(asyncio.run(call(options.parse_args()))))


if __name__ == "__main__":
    main()
