"""The golden runs: what is run with which seed. Chosen once; a change of this list needs a reason in its commit."""

# IN is the folder with the inputs, OUT the one that takes what a run writes.
LOOPBACK = ["loopback", "--offline", "--json", "--dump", "OUT/dump", "--duration", "12"]

RUNS: dict[str, list[str]] = {
    "opus-clean": [*LOOPBACK, "--seed", "1"],
    "opus-drift-noise": [
        *LOOPBACK, "--seed", "2", "--room", "office,drift=80,noise=-50", "--network", "loss=4,burst=3,jitter=8",
        "--redundancy", "121",
    ],
    "opus-60ms-plain": [
        *LOOPBACK, "--seed", "3", "--no-voice-processing", "--ptime", "60", "--bitrate", "16000", "--network", "trace=wifi-burst",
    ],
    "opus-low-5ms": [
        *LOOPBACK, "--seed", "4", "--latency", "low", "--ptime", "10", "--period", "5", "--complexity", "3",
        "--network", "trace=lte-handover",
    ],
    "opus-robust-near": [
        *LOOPBACK, "--seed", "5", "--latency", "robust", "--near", "IN/near.wav", "--rtcp-interval", "1",
        "--network", "trace=random-loss",
    ],
    "opus-24k-hall": [
        *LOOPBACK, "--seed", "6", "--rate", "24000", "--room", "hall", "--network", "delay=120,spike=3000:180", "--period", "40",
    ],
    "pcmu-8k": [*LOOPBACK, "--seed", "7", "--codec", "pcmu", "--rate", "8000", "--room", "small", "--network", "jitter=15,loss=1"],
    "pcma-10ms-plain": [
        *LOOPBACK, "--seed", "8", "--codec", "pcma", "--no-voice-processing", "--ptime", "10", "--rate", "44100",
        "--network", "loss=6,reorder=4,duplicate=3,jitter=5",
    ],
    "pcmu-16k-drift": [
        *LOOPBACK, "--seed", "9", "--codec", "pcmu", "--rate", "16000", "--ptime", "40", "--room", "hall,drift=-200",
        "--network", "trace=drift-50ppm", "--period", "10",
    ],
    "l16-rate-limit": [
        *LOOPBACK, "--seed", "10", "--codec", "l16", "--rate", "44100", "--network", "rate=300,delay=30", "--room", "office",
    ],
    "l16-bursts-plain": [
        *LOOPBACK, "--seed", "11", "--codec", "l16", "--no-voice-processing", "--network", "loss=10,burst=5",
    ],
    "replay-trace": [
        "replay", "--rate", "16000", "--in", "IN/speech.wav", "--trace", "IN/trace.csv", "--seed", "12", "--out", "OUT/heard.wav",
        "--csv", "OUT/heard.csv",
    ],
    "replay-trace-plain": [
        "replay", "--rate", "48000", "--in", "IN/speech.wav", "--trace", "bufferbloat", "--seed", "13", "--fec", "0",
        "--no-redundancy", "--latency", "low", "--out", "OUT/heard.wav", "--csv", "OUT/heard.csv",
    ],
    "replay-own-capture": ["replay", "--pcap", "OWN_CAPTURE", "--out", "OUT/heard.wav", "--csv", "OUT/heard.csv"],
    "replay-foreign-capture": ["replay", "--pcap", "IN/foreign.pcap", "--out", "OUT/heard.wav", "--csv", "OUT/heard.csv"],
    "process-16k": [
        "process", "--rate", "16000", "--far", "IN/far.wav", "--mic", "IN/microphone.wav", "--out", "OUT/out.wav", "--dump", "OUT/dump",
    ],
    "process-48k-low": [
        "process", "--rate", "48000", "--quality", "low", "--far", "IN/far.wav", "--mic", "IN/microphone.wav", "--out", "OUT/out.wav",
    ],
    "process-speexdsp": [
        "process", "--rate", "16000", "--echo-canceller", "speexdsp", "--far", "IN/far.wav", "--mic", "IN/microphone.wav",
        "--out", "OUT/out.wav",
    ],
}  # fmt: skip
