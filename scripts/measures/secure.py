#!/usr/bin/python3
"""What encryption costs, in instructions, which are the same on every machine: per packet beside libsrtp2 as it is installed, per call
beside a plain one, and per handshake beside libssl as it is installed; and in memory. Writes secure-figures.md."""

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "checks"))

import instructions

from rig.endpoint import Endpoint, free_ports, until_bound
from rig.turn import PASSWORD, USER, TurnServer

# Seconds of two calls; their difference is without start and end. The usual one takes valgrind five times as long.
BARE_SECONDS, USUAL_SECONDS = (5, 15), (2, 5)
PACKETS_A_SECOND = 2 * 50
# As libsrtp2's own, and the whole call: what issue 21 wants at most.
MOST_OF_PACKET, MOST_OF_CALL = 1.10, 1.08
# As libssl's own; there are cookies and fingerprints beside.
MOST_OF_HANDSHAKE = 1.25
# MiB of a call, at most.
MOST_OF_MEMORY = 28.0
CALL_SECONDS = 10
LIBRARY = [f"srtp_{what}{kind}_mki" for what in ("protect", "unprotect") for kind in ("", "_rtcp")]
# Where libssl works on a handshake, and calls us back.
HANDSHAKE = ["SSL_do_handshake", "DTLSv1_listen"]
BARE = ["--codec", "pcmu", "--no-voice-processing"]


def counted(arguments: list[str], *, only: list[str] | None = None) -> int:
    found = instructions.count(arguments, only=only or [])
    if found is None:
        sys.exit(f"bench-secure: valgrind could not count {' '.join(arguments)}; is it installed?")
    return found


def steady(yodel: str, options: list[str], only: list[str] | None = None) -> float:
    """Instructions a second of a call, both sides together."""
    seconds = BARE_SECONDS if options[: len(BARE)] == BARE else USUAL_SECONDS
    call = [yodel, "loopback", "--offline", "--seed", "1", *options, "--duration"]
    short, long = (counted([*call, str(length)], only=only) for length in seconds)
    return (long - short) / (seconds[1] - seconds[0])


def built(name: str, folder: str, *libraries: str) -> str:
    """A program of this folder, made of its C."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.c")
    program = os.path.join(folder, name)
    subprocess.run(["gcc", "-O2", "-o", program, source, *libraries], check=True)
    return program


def installed(program: str, suite: str) -> float:
    """Instructions of libsrtp2 as it is installed, for one packet both ways."""
    few, many = 2000, 12_000
    return (counted([program, suite, str(many)]) - counted([program, suite, str(few)])) / (many - few)


def memory(scheme: str, *, caller: list[str], callee: list[str]) -> float:
    """The peak of a call without a device, of the side that has more, in MiB."""
    port = free_ports(1)
    place = f"{scheme}127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        alone = {**os.environ, "HOME": folder, "XDG_STATE_HOME": folder}
        with Endpoint(["listen", place, "--device", "null", *callee], alone) as listener:
            until_bound(port)
            call = ["call", place, "--device", "null", "--duration", str(CALL_SECONDS), *caller]
            with Endpoint(call, {**alone, "XDG_STATE_HOME": f"{folder}/caller"}) as calling:
                if calling.wait() != 0:
                    sys.exit(f"bench-secure: {calling.last_words()}")
                listener.wait_for("report")
            return max(float(end.report["peak_rss_mib"]) for end in (calling, listener))


def memories() -> dict[str, float]:
    """Of each kind of encrypted call."""
    srtp, port = ["--srtp", "required"], free_ports(1)
    with (
        tempfile.TemporaryDirectory() as folder,
        TurnServer(f"{folder}/turn", "127.0.0.1", port, ["--no-tls", "--allow-loopback-peers"]),
    ):
        Path(folder, "password").write_text(f"{PASSWORD}\n")
        server = f"127.0.0.1:{port}"
        ways = ["--stun", server, "--turn", server, "--turn-user", USER, "--turn-password-file", f"{folder}/password"]
        known, answers = ["--accept-new"], ["--auto-answer", *srtp]
        return {
            "by yodel://": memory("yodel://", caller=known, callee=known),
            "by SIP, keys by DTLS": memory("sip:", caller=srtp, callee=answers),
            "by SIP, with STUN and TURN": memory("sip:", caller=[*srtp, *ways], callee=[*answers, *ways]),
        }


def main() -> None:
    options = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    options.add_argument("--yodel", required=True, help="the program")
    options.add_argument("--out", required=True, help="the folder of secure-figures.md")
    given = options.parse_args()
    os.environ["YODEL"] = given.yodel
    with tempfile.TemporaryDirectory() as folder:
        own = installed(built("srtp_cost", folder, "-lsrtp2"), "AEAD_AES_128_GCM")
        program = built("dtls_cost", folder, "-lssl", "-lcrypto")
        own_first, own_many = (counted([program, count], only=HANDSHAKE) for count in ("1", "11"))
    handshake = counted([given.yodel, "loopback", *BARE, "--srtp", "--duration", "2"], only=HANDSHAKE)
    plain, secure = steady(given.yodel, BARE), steady(given.yodel, [*BARE, "--srtp"])
    within = steady(given.yodel, [*BARE, "--srtp"], LIBRARY) / PACKETS_A_SECOND
    packet = (secure - plain) / PACKETS_A_SECOND
    usual, usual_secure = steady(given.yodel, []), steady(given.yodel, ["--srtp"])
    call = [given.yodel, "loopback", "--offline", "--seed", "1", "--duration", "1"]
    start = counted([*call, "--srtp"]) - counted(call)
    held = memories()
    rows = [
        ("libsrtp2 as it is installed, one packet protected and unprotected", f"{own:,.0f}", ""),
        ("yodel, the same: all that an encrypted call does more for it", f"{packet:,.0f}", f"{packet / own:.2f} of that"),
        ("of it within libsrtp2 and its ciphers", f"{within:,.0f}", ""),
        ("a second of a call in G.711 without voice processing", f"{plain:,.0f}", ""),
        ("the same, encrypted", f"{secure:,.0f}", f"{100 * (secure / plain - 1):+.1f} %"),
        ("a second of a usual call: Opus, voice processing", f"{usual:,.0f}", ""),
        ("the same, encrypted", f"{usual_secure:,.0f}", f"{100 * (usual_secure / usual - 1):+.1f} %"),
        ("once: both libraries loaded, ciphers tested, keys set", f"{start:,.0f}", ""),
        ("libssl as it is installed, the first handshake of a process, both sides", f"{own_first:,.0f}", ""),
        ("yodel, the same, with cookies and fingerprints", f"{handshake:,.0f}", f"{handshake / own_first:.2f} of that"),
        ("libssl, each further handshake", f"{(own_many - own_first) / 10:,.0f}", ""),
        *((f"memory of a call {kind}, at its peak", f"{mib:.1f} MiB", "") for kind, mib in held.items()),
    ]
    text = [
        "# What encryption costs",
        "",
        f"Written by `scripts/bench-secure` on {datetime.date.today():%Y-%m-%d}: instructions of user space, AEAD_AES_128_GCM, packets of",
        "160 bytes, both sides of a call together; handshakes of DTLS 1.2 with a certificate by ECDSA on each side. They are the same on a slow",
        "machine and on a busy one, to a hundredth where random numbers are drawn. Memory is of the side that has more, of a call of",
        f"{CALL_SECONDS} s without a device; it depends on how the kernel keeps the program's file.",
        "",
        "| what | instructions | |",
        "|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]
    with open(os.path.join(given.out, "secure-figures.md"), "w") as file:
        file.write("\n".join(text))
    print("\n".join(text))
    failed = [
        what
        for what, has, most in (
            ("a packet", packet / own, MOST_OF_PACKET),
            ("a call in G.711", secure / plain, MOST_OF_CALL),
            ("a usual call", usual_secure / usual, MOST_OF_CALL),
            ("a handshake", handshake / own_first, MOST_OF_HANDSHAKE),
            *((f"the memory of a call {kind}", mib, MOST_OF_MEMORY) for kind, mib in held.items()),
        )
        if has > most
    ]
    if failed:
        sys.exit(f"bench-secure: {' and '.join(failed)} costs more than it may")


if __name__ == "__main__":
    main()
