"""What the bytes of a golden run depend on besides yodel's own sources."""

import hashlib
import platform
import re
import subprocess

# Libraries that compute samples: codecs, echo canceller, transforms, converters, and the mathematics of the C library, which
# chooses its code by the processor.
SOUND_LIBRARIES = ("libopus", "libspeexdsp", "libkissfft", "libsndfile", "libm")
# Libraries choose their float paths by these; one that fuses multiplication and addition rounds once instead of twice.
FLOAT_PATHS = ("sse4_1", "avx", "avx2", "fma", "avx512f", "asimd")


def facts(binary: str) -> dict[str, str]:
    """Name and value of each fact; equal facts promise equal bytes of equal sources."""
    return {"architecture": platform.machine(), "processor": processor(), "compiler": compiler(binary), **libraries(binary)}


def processor() -> str:
    with open("/proc/cpuinfo") as file:
        flags = re.search(r"^(?:flags|Features)\s*:(.*)$", file.read(), re.MULTILINE)
    present = flags.group(1).split() if flags else []
    return " ".join(name for name in FLOAT_PATHS if name in present) or "none of " + " ".join(FLOAT_PATHS)


def compiler(binary: str) -> str:
    """The compiler's version and the commit it was built from, as it left them in the program."""
    shown = subprocess.run(["readelf", "-p", ".comment", binary], check=True, capture_output=True, text=True).stdout
    found = re.search(r"clang version ([\d.]+) \(\S* (\w{10})", shown)
    return " ".join(found.groups()) if found else "unknown"


def libraries(binary: str) -> dict[str, str]:
    """The Debian version of each library that computes samples, and the beginning of its file's SHA-256."""
    linked = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    found = {}
    for name, path in re.findall(r"(\S+) => (\S+)", linked):
        if name.split(".so")[0].split("-float")[0] in SOUND_LIBRARIES:
            with open(path, "rb") as file:
                found[name] = f"{version(path)} {hashlib.sha256(file.read()).hexdigest()[:12]}"
    return found


def version(path: str) -> str:
    for candidate in (path, "/usr" + path):
        try:
            owner = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True)
        except FileNotFoundError:
            break
        if owner.returncode == 0:
            package = owner.stdout.rsplit(": ", 1)[0]
            shown = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True)
            return shown.stdout or "unknown"
    return "unknown"
