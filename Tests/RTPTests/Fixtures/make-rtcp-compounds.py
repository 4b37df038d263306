#!/usr/bin/env python3
"""Writes rtcp-compounds.txt: well-formed and damaged RTCP compounds (RFC 3550 section 6, appendix A.2;
extended reports: RFC 3611 section 4).

Each line: name, then the names of the packets that must be found or the error, then the datagram in hexadecimal.
Usage: make-rtcp-compounds.py > rtcp-compounds.txt
"""

import struct
from typing import Any

# What linphone 5.1 sent in a call, taken off the wire.
LINPHONE = bytes.fromhex(
    "80c80006aa832778eeac6ea7bcab92c0ee09e78a0000009f0000317781ca000daa83277801197369703a6c696e70686f6e65"
    "40756e6b6e6f776e2d686f737406104c696e70686f6e65632f352e312e363500000080cf0004aa83277804000002eeac6ea7"
    "bcaba387"
)


def packet(kind: int, count: int, body: bytes, version: int = 2, padding: Any = 0, length: Any | None = None) -> bytes:
    body = body + (bytes(padding - 1) + bytes([padding]) if padding else b"")
    words = len(body) // 4 if length is None else length
    first = version << 6 | (0x20 if padding else 0) | count
    return struct.pack("!BBH", first, kind, words) + body


def block(ssrc: int = 7, fraction: Any = 64, lost: Any = -2) -> bytes:
    return struct.pack("!IIIIII", ssrc, fraction << 24 | lost & 0xFFFFFF, 0x10005, 33, 0xB7052000, 0x54000)


def sr(count: int = 0, blocks: Any = b"", **more: Any) -> bytes:
    return packet(200, count, struct.pack("!IIIIII", 1, 0xB44DB705, 0x20000000, 160, 10, 1600) + blocks, **more)


def rr(count: int = 0, blocks: Any = b"", **more: Any) -> bytes:
    return packet(201, count, struct.pack("!I", 1) + blocks, **more)


def chunk(ssrc: int, items: Any) -> bytes:
    data = struct.pack("!I", ssrc) + b"".join(bytes([t, len(v)]) + v for t, v in items) + b"\0"
    return data + bytes(-len(data) % 4)


def sdes(*chunks: Any, **more: Any) -> bytes:
    return packet(202, len(chunks), b"".join(chunks), **more)


def bye(ssrcs: Any = (1,), reason: Any | None = None, **more: Any) -> bytes:
    body = b"".join(struct.pack("!I", s) for s in ssrcs)
    if reason is not None:
        body += bytes([len(reason)]) + reason
        body += bytes(-len(body) % 4)
    return packet(203, len(ssrcs), body, **more)


def app(name: bytes = b"YDLY", data: bytes = b"\1\0\0\0\0\0\x1b\x58", subtype: Any = 0, **more: Any) -> bytes:
    return packet(204, subtype, struct.pack("!I", 1) + name + data, **more)


def xr(*blocks: Any, **more: Any) -> bytes:
    return packet(207, 0, struct.pack("!I", 1) + b"".join(blocks), **more)


def xr_block(kind: int, specific: Any, body: bytes, length: Any | None = None) -> bytes:
    return struct.pack("!BBH", kind, specific, len(body) // 4 if length is None else length) + body


rle = xr_block(1, 0, struct.pack("!IHHHHHH", 7, 65530, 40, 0x4010, 0xBFFF, 0x0003, 0))
duplicate_rle = xr_block(2, 0, struct.pack("!IHHHH", 7, 0, 15, 0x8000, 0))
reference = xr_block(4, 0, struct.pack("!II", 0xB44DB705, 0x20000000))
dlrr = xr_block(5, 0, struct.pack("!III", 7, 0xB7052000, 0x54000))
summary = xr_block(6, 0xE0, struct.pack("!IHHIIIIIIBBBB", 7, 10, 260, 12, 3, 1, 900, 120, 80, 0, 0, 0, 0))
voip = xr_block(
    7,
    0,
    struct.pack(
        "!IBBBBHHHHBBBBBBBBBBHHH",
        7,
        13,
        5,
        102,
        3,
        120,
        1900,
        84,
        61,
        0xEC,
        127,
        127,
        16,
        82,
        127,
        41,
        39,
        0xB0,
        0,
        40,
        60,
        500,
    ),
)
name = chunk(1, [(1, b"yodel@192.0.2.1")])
cases = [
    ("empty", "truncated", b""),
    ("three_bytes", "truncated", b"\x80\xc9\x00"),
    ("empty_receiver_report", "rr", rr()),
    ("sender_report", "sr", sr()),
    ("usual_compound", "sr,sdes", sr(1, block()) + sdes(name)),
    ("everything", "sr,sdes,app,bye", sr(1, block()) + sdes(name) + app() + bye(reason=b"call ended")),
    ("two_reports", "sr,rr,sdes", sr(31, block() * 31) + rr(2, block() * 2) + sdes(name)),
    ("profile_extension", "rr", rr(1, block() + b"\1\2\3\4")),
    (
        "feedback_is_skipped",
        "rr,205,206,xr()",
        rr() + packet(205, 1, bytes(8)) + packet(206, 15, bytes(12)) + packet(207, 0, bytes(4)),
    ),
    (
        "extended_report",
        "rr,sdes,xr(rle,reference,dlrr,summary,voip)",
        rr() + sdes(name) + xr(rle, reference, dlrr, summary, voip),
    ),
    ("extended_report_of_others", "rr,xr(voip)", rr() + xr(duplicate_rle, xr_block(200, 9, bytes(20)), voip)),
    ("extended_report_of_linphone", "sr,sdes,xr(reference)", LINPHONE),
    (
        "extended_blocks_of_wrong_length",
        "rr,xr(dlrr)",
        rr()
        + xr(
            xr_block(7, 0, bytes(28)),
            xr_block(6, 0, bytes(40)),
            xr_block(4, 0, bytes(4)),
            xr_block(1, 0, bytes(4)),
            xr_block(5, 0, b""),
            xr_block(5, 0, bytes(16)),
        ),
    ),
    ("extended_report_padded", "rr,xr(reference)", rr() + xr(reference, padding=4)),
    ("extended_report_without_sender", "truncated", rr() + packet(207, 0, b"")),
    ("extended_block_over_packet", "badLength", rr() + xr(xr_block(7, 0, bytes(32), length=9))),
    ("extended_block_of_65535", "badLength", rr() + xr(xr_block(1, 0, bytes(8), length=65535))),
    ("unknown_type", "rr,209,sdes", rr() + packet(209, 3, b"") + sdes(name)),
    ("padded_last_packet", "rr,sdes", rr() + sdes(name, padding=8)),
    ("no_chunks", "rr,sdes", rr() + sdes()),
    ("many_items", "rr,sdes", rr() + sdes(chunk(1, [(2, b"A person"), (1, b"x"), (6, b""), (8, b"\2ab")]), chunk(2, []))),
    ("longest_item", "rr,sdes", rr() + sdes(chunk(1, [(1, b"c" * 255)]))),
    ("bye_of_nobody", "rr,bye", rr() + bye(())),
    ("bye_of_31", "rr,bye", rr() + bye(range(31), b"")),
    ("application_without_data", "rr,app", rr() + app(data=b"")),
    ("version_1", "badVersion", rr(version=1)),
    ("version_0_later", "badVersion", rr() + sdes(name, version=0)),
    ("begins_with_sdes", "noLeadingReport", sdes(name) + rr()),
    ("begins_with_bye", "noLeadingReport", bye()),
    ("rtp_on_the_rtcp_port", "noLeadingReport", b"\x80\x00\0\1\0\0\0\2\0\0\0\3audio!!!"),
    ("padded_first_packet", "badPadding", rr(padding=4) + sdes(name)),
    ("padded_only_packet", "badPadding", rr(padding=4)),
    ("padded_middle_packet", "badPadding", rr() + sdes(name, padding=4) + bye()),
    ("padding_0", "badPadding", rr() + b"\xa0\xcb\0\0"),
    ("padding_3", "badPadding", rr() + b"\xa0\xcb\0\1\0\0\0\3"),
    ("padding_over_length", "badPadding", rr() + b"\xa0\xcb\0\1\0\0\0\x40"),
    ("length_over_datagram", "badLength", rr(length=2)),
    ("length_65535", "badLength", rr(length=65535)),
    ("length_too_short", "truncated", sr(length=0)),
    ("receiver_report_of_no_length", "truncated", rr(length=0)[:4]),
    ("trailing_bytes", "truncated", rr() + b"\x80\xca"),
    ("blocks_missing", "truncated", rr(2, block())),
    ("31_blocks_claimed", "truncated", sr(31)),
    ("sender_info_cut", "truncated", sr()[:12].replace(b"\0\6", b"\0\2", 1)),
    ("item_over_packet", "badLength", rr() + sdes(struct.pack("!I", 1) + b"\1\xffab")),
    ("item_without_length", "badLength", rr() + packet(202, 1, struct.pack("!I", 1) + b"\1\1a\1")),
    ("items_without_end", "badLength", rr() + packet(202, 1, struct.pack("!I", 1) + b"\1\2ab")),
    ("chunk_claimed", "truncated", rr() + packet(202, 2, name)),
    ("bye_claims_more", "truncated", rr() + packet(203, 4, bytes(8))),
    ("bye_reason_over_packet", "badLength", rr() + packet(203, 1, bytes(4) + b"\x0aabc")),
    ("application_without_name", "truncated", rr() + packet(204, 0, bytes(4))),
]
for title, verdict, data in cases:
    print(title, verdict, data.hex() or "-")
