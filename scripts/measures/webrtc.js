// One call as a browser makes it, measured: `measure(options)` in the page that scripts/measures/webrtc.py opens.
const CAPTURE = `registerProcessor('capture', class extends AudioWorkletProcessor {
  constructor() {
    super();
    this.said = []; this.heard = []; this.isLoud = false;
    this.port.onmessage = () => this.port.postMessage({ said: this.said, heard: this.heard });
  }
  process(inputs) {
    const [said, heard] = inputs.map((input) => (input[0] || new Float32Array(128)).slice());
    if (!this.isLoud && heard.some((value) => Math.abs(value) > 0.005)) { this.isLoud = true; this.port.postMessage('loud'); }
    this.said.push(said); this.heard.push(heard);
    return true;
  }
});`;

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function within(milliseconds, holds, what) {
  const end = performance.now() + milliseconds;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`never ${what}`);
    await pause(2);
  }
}

function text(parts) {
  const bytes = new Uint8Array(Int16Array.from(parts.flatMap((part) => [...part]), (value) =>
    Math.max(-1, Math.min(1, value)) * 32767).buffer);
  let result = '';
  for (let at = 0; at < bytes.length; at += 32768) result += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(result);
}

// options: url, token, ice (servers), relay, seconds after the first sound, wantsSound
window.measure = async (options) => {
  const context = new AudioContext({ sampleRate: 48000, latencyHint: 'interactive' });
  await context.resume();
  await context.audioWorklet.addModule(URL.createObjectURL(new Blob([CAPTURE], { type: 'text/javascript' })));
  const capture = new AudioWorkletNode(context, 'capture', { numberOfInputs: 2, numberOfOutputs: 1 });
  capture.connect(context.destination);
  const raw = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  const microphone = await navigator.mediaDevices.getUserMedia({ audio: raw });
  context.createMediaStreamSource(microphone).connect(capture, 0, 0);
  const peer = new RTCPeerConnection({ iceServers: options.ice, iceTransportPolicy: options.relay ? 'relay' : 'all' });
  const result = {};
  let posted = 0;
  const note = (name) => { if (!(name in result)) result[name] = performance.now() - posted; };
  let sound;
  capture.port.onmessage = ({ data }) => { if (data === 'loud') note('sound'); else sound = data; };
  peer.oniceconnectionstatechange = () => { if (/connected|completed/.test(peer.iceConnectionState)) note('ice'); };
  peer.onconnectionstatechange = () => { if (peer.connectionState === 'connected') note('dtls'); };
  peer.ontrack = ({ track, streams }) => {
    // Sound of a remote track reaches WebAudio only while an element plays it.
    const player = Object.assign(new Audio(), { srcObject: streams[0] ?? new MediaStream([track]), muted: true });
    void player.play();
    window.player = player;
    context.createMediaStreamSource(player.srcObject).connect(capture, 0, 1);
  };
  const headers = { Authorization: `Bearer ${options.token}`, 'Content-Type': 'application/sdp' };
  let place;
  try {
    peer.addTrack(microphone.getAudioTracks()[0], microphone);
    await peer.setLocalDescription();
    await within(5000, () => peer.iceGatheringState === 'complete', 'gathered');
    posted = performance.now();
    const answer = await fetch(options.url, { method: 'POST', headers, body: peer.localDescription.sdp });
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
    place = new URL(answer.headers.get('Location'), options.url);
    const sdp = await answer.text();
    note('answer');
    await peer.setRemoteDescription({ type: 'answer', sdp });
    await within(20000, () => 'sound' in result && 'dtls' in result, 'heard');
    await pause(1000 * options.seconds);
    for (const entry of (await peer.getStats()).values()) {
      if (entry.type === 'inbound-rtp' && entry.jitterBufferEmittedCount)
        result.buffer = 1000 * entry.jitterBufferDelay / entry.jitterBufferEmittedCount;
      if (entry.type === 'candidate-pair' && entry.nominated && entry.state === 'succeeded')
        result.trip = 1000 * entry.currentRoundTripTime;
    }
    if (options.wantsSound) {
      capture.port.postMessage(null);
      await within(5000, () => sound, 'recorded');
      [result.said, result.heardSound] = [text(sound.said), text(sound.heard)];
    }
    return result;
  } finally {
    peer.close();
    for (const track of microphone.getTracks()) track.stop();
    if (place) await fetch(place, { method: 'DELETE', headers });
    await context.close();
  }
};
