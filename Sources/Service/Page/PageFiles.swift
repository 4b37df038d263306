/// The page's files: no build step, nothing from elsewhere.
enum PageFiles {
    static let html = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>yodel</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/page.css">
        <script src="/page.js" defer></script>
        </head>
        <body>
        <main>
        <h1>yodel</h1>
        <p id="state" role="status">not connected</p>
        <p><button id="call" type="button">Call the echo</button>
        <button id="hangup" type="button" disabled>Hang up</button></p>
        <p><label>You <meter id="spoken" min="-60" max="0" value="-60"></meter></label>
        <label>Heard <meter id="heard" min="-60" max="0" value="-60"></meter></label></p>
        <p>Inside yodel, both ways: <output id="delay">-</output>; round trip: <output id="trip">-</output>;
        this browser's buffer: <output id="buffer">-</output></p>
        <audio id="sound" autoplay></audio>
        </main>
        </body>
        </html>

        """

    static let style = """
        :root { color-scheme: light dark; font-family: system-ui, sans-serif; }
        main { max-width: 36rem; margin: 3rem auto; padding: 0 1rem; }
        button { font: inherit; padding: 0.5rem 1rem; }
        #state { font-size: 1.25rem; min-height: 1.5em; }
        output { font-variant-numeric: tabular-nums; font-weight: bold; }

        """

    static let script = #"""
        'use strict';

        const part = (id) => document.getElementById(id);
        const fragment = new URLSearchParams(location.hash.slice(1));
        const token = fragment.get('token') || '';
        const query = new URLSearchParams(location.search).toString() || 'echo=true';
        const milliseconds = (value) => (value == null ? '-' : Math.round(value) + ' ms');

        // Without the network, which the browser measures itself; nobody knows what the browser's devices add.
        const inside = (ledger) => {
          const known = Object.entries(ledger || {}).filter(([name, value]) => !['network', 'sum'].includes(name) && value != null);
          return known.length ? known.reduce((sum, [, value]) => sum + value, 0) : null;
        };

        // The call there is; a test looks at it too.
        const talk = { peer: null, place: null, microphone: null, heard: null, context: null, timers: [], waiting: [] };
        window.talk = talk;

        function tell(text) { part('state').textContent = text; }

        function ask(method, path, type, body) {
          const headers = { Authorization: 'Bearer ' + token };
          if (type) headers['Content-Type'] = type;
          return fetch(path, { method, headers, body });
        }

        async function reason(response) {
          try { return (await response.json()).detail; } catch { return 'the service answered ' + response.status; }
        }

        function meter(stream, id) {
          const analyser = talk.context.createAnalyser();
          talk.context.createMediaStreamSource(stream).connect(analyser);
          const samples = new Float32Array(analyser.fftSize);
          talk.timers.push(setInterval(() => {
            analyser.getFloatTimeDomainData(samples);
            const power = samples.reduce((sum, x) => sum + x * x, 0) / samples.length;
            part(id).value = Math.max(-60, 10 * Math.log10(power + 1e-9));
          }, 100));
        }

        function trickle(candidate) {
          const line = candidate && candidate.candidate ? 'a=' + candidate.candidate : 'a=end-of-candidates';
          if (!talk.place) { talk.waiting.push(line); return; }
          send([line]);
        }

        function send(lines) {
          const body = 'm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n' + lines.join('\r\n') + '\r\n';
          ask('PATCH', talk.place, 'application/trickle-ice-sdpfrag', body).catch(() => {});
        }

        async function figures() {
          if (!talk.place || !talk.peer) return;
          const id = talk.place.split('/').pop();
          const response = await ask('GET', '/v1/calls/' + id + '/stats');
          if (!response.ok || !talk.peer) return;
          const stats = await response.json();
          part('delay').textContent = milliseconds(inside(stats.ledger_ms));
          if (stats.state === 'ended') { end('the other side hung up', false); return; }
          for (const report of (await talk.peer.getStats()).values()) {
            if (report.type === 'candidate-pair' && report.nominated && report.currentRoundTripTime != null)
              part('trip').textContent = milliseconds(1000 * report.currentRoundTripTime);
            if (report.type === 'inbound-rtp' && report.jitterBufferEmittedCount)
              part('buffer').textContent = milliseconds(1000 * report.jitterBufferDelay / report.jitterBufferEmittedCount);
          }
        }

        async function call() {
          part('call').disabled = true;
          try {
            if (!window.isSecureContext) {
              tell('no microphone: browsers give it to https and to this machine only; open http://localhost or use https');
              part('call').disabled = false;
              return;
            }
            tell('asking for the microphone');
            talk.context = new AudioContext();
            talk.microphone = await navigator.mediaDevices.getUserMedia({ audio: talk.constraints || true });
            part('hangup').disabled = false;
            const peer = talk.peer = new RTCPeerConnection();
            peer.onicecandidate = (event) => trickle(event.candidate);
            peer.onconnectionstatechange = () => {
              if (peer !== talk.peer) return;
              tell(peer.connectionState);
              if (peer.connectionState === 'failed') end('the connection is lost', true);
              if (peer.connectionState === 'closed') end('over', false);
            };
            peer.ontrack = (event) => {
              talk.heard = new MediaStream([event.track]);
              part('sound').srcObject = talk.heard;
              meter(talk.heard, 'heard');
            };
            for (const track of talk.microphone.getTracks()) peer.addTrack(track, talk.microphone);
            meter(talk.microphone, 'spoken');
            await peer.setLocalDescription();
            tell('calling');
            const response = await ask('POST', '/v1/webrtc?' + query, 'application/sdp', peer.localDescription.sdp);
            if (response.status !== 201) throw new Error(await reason(response));
            talk.place = response.headers.get('Location');
            const answer = await response.text();
            if (peer !== talk.peer) { ask('DELETE', talk.place); return; }
            await peer.setRemoteDescription({ type: 'answer', sdp: answer });
            if (talk.waiting.length) send(talk.waiting.splice(0));
            talk.timers.push(setInterval(() => figures().catch(() => {}), 1000));
          } catch (error) {
            end(error.message || String(error), true);
          }
        }

        function end(text, tellsService) {
          if (tellsService && talk.place) ask('DELETE', talk.place).catch(() => {});
          for (const timer of talk.timers) clearInterval(timer);
          if (talk.peer) talk.peer.close();
          if (talk.microphone) for (const track of talk.microphone.getTracks()) track.stop();
          if (talk.context) talk.context.close();
          Object.assign(talk, { peer: null, place: null, microphone: null, context: null, timers: [], waiting: [] });
          part('sound').srcObject = null;
          part('hangup').disabled = true;
          part('call').disabled = false;
          tell(text);
        }

        part('call').addEventListener('click', call);
        part('hangup').addEventListener('click', () => end('you hung up', true));
        if (!token) tell('the address lacks #token=TOKEN, the token that the service printed or reads from its file');

        """#
}
