# shellcheck shell=bash disable=SC2034
# Shared by the scripts of this folder: `. "$(dirname "$0")/lib.sh"`. Says nothing unless something fails or is
# installed.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Package.swift: a section for each function.
export YODEL_FUNCTION_SECTIONS=1

# Build: headers of the C libraries that Package.swift names.
build_packages=(libasound2-dev libspeexdsp-dev libopus-dev libsndfile1-dev libkissfft-dev libyaml-dev
    libjansson-dev libpcap0.8-dev libpulse-dev libspandsp-dev libc-ares-dev libssl-dev libsrtp2-dev
    libsqlite3-dev)
# Measuring on PulseAudio null sinks instead of sound hardware.
sound_packages=(pulseaudio pulseaudio-utils libasound2-plugins python3 python3-numpy)
# Checks: speech, peers, protocol decoder.
check_packages=(asterisk-core-sounds-en-g722 ffmpeg tshark baresip-core linphone-cli kamailio
    kamailio-tls-modules kamailio-presence-modules kamailio-websocket-modules openssl sip-tester
    gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad chromium
    python3-websocket python3-websockets prometheus systemd man-db valgrind)
# Calls through NATs, and changes of address.
nat_packages=(coturn nftables conntrack iproute2 procps openssl)
# Programs that scripts/interop calls, beside those of the checks; aiortc is no Debian package and comes from PyPI into .build (need_aiortc).
interop_packages=(rtpengine-daemon python3-venv)
aiortc_version=1.16.0
# Formatters and linters; ruff is no Debian package and comes from PyPI into .build.
lint_packages=(shellcheck mypy python3-numpy python3-venv)
# Checks the files for Kubernetes; from PyPI into .build, as ruff.
kubernetes_validate_version=1.33.1
kubernetes_version=1.33
# A package of it.
package_packages=(dpkg-dev binutils python3)
ruff_version=0.17.6
# The house of docker/compose.yml.
house_packages=(podman-compose catatonit)
container_packages=(podman runc netavark aardvark-dns iptables debootstrap)

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# need_package PACKAGE...: installs the Debian packages that are missing; without root it says what to type.
need_package() {
    command -v dpkg-query >/dev/null || die "this script sets up Debian; elsewhere install the like of: $*"
    local missing=() name
    for name; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" = 0 ] || die "missing Debian packages; install them with
    sudo apt-get install --no-install-recommends ${missing[*]}"
    say "installing ${missing[*]}"
    local log apt=(apt-get -o DPkg::Lock::Timeout=300 -qq -y)
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    # The lists may be absent or old on a fresh machine; one update a run is enough.
    if [ -z "${lists_are_fresh:-}" ]; then
        # apt-get waits for the lock of what is installed, not for that of the lists.
        local attempt=0
        until "${apt[@]}" update >"$log" 2>&1; do
            if ! grep -q 'Could not get lock' "$log" || [ $((attempt += 1)) -gt 60 ]; then
                cat "$log" >&2
                rm -f "$log"
                die "apt-get update failed (see above)"
            fi
            sleep 5
        done
        lists_are_fresh=1
    fi
    "${apt[@]}" install --no-install-recommends "${missing[@]}" >"$log" 2>&1 || {
        cat "$log" >&2
        rm -f "$log"
        die "apt-get could not install: ${missing[*]} (see above)"
    }
    rm -f "$log"
}

# need_swift: a toolchain of 6.2 or newer on PATH.
need_swift() {
    local version
    command -v swift >/dev/null ||
        die "no Swift toolchain on PATH; install Swift 6.2 or newer for Debian 12 (https://www.swift.org/install/linux)"
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    [ "$(printf '6.2\n%s\n' "${version:-0}" | sort -V | head -n 1)" = 6.2 ] ||
        die "the Swift toolchain on PATH is ${version:-of an unknown version}; 6.2 or newer is needed:
    https://www.swift.org/install/linux"
    # The toolchain links with the system's linker and headers of glibc and libstdc++.
    need_package binutils git libc6-dev libstdc++-12-dev
}

# need_aiortc: a Python that has it; $aiortc_python.
need_aiortc() {
    aiortc_python=$root/.build/aiortc/bin/python
    ! "$aiortc_python" -c "import aiohttp, importlib.metadata as m; assert m.version('aiortc') == '$aiortc_version'" 2>/dev/null || return 0
    say "installing aiortc $aiortc_version"
    /usr/bin/python3 -m venv "$root/.build/aiortc"
    # Peers made of it are called by HTTP.
    "$root/.build/aiortc/bin/pip" install --quiet --disable-pip-version-check "aiortc==$aiortc_version" aiohttp numpy scipy >&2
}
