extension PageFiles {
    /// The browser's own media: microphone, connection, levels. The connection is a call of the service's, by its id.
    static let handsetScript = #"""
        // The connection there is; a test looks at it too.
        const talk = {
          peer: null, place: null, query: null, former: null, microphone: null, heard: null, context: null, waiting: [],
          isRestarting: false, sums: {}, meters: {}, opening: null,
        };
        window.talk = talk;

        const handsetID = () => talk.place && talk.place.split('/').pop();

        function meter(stream, id) {
          const analyser = talk.context.createAnalyser();
          talk.context.createMediaStreamSource(stream).connect(analyser);
          const samples = new Float32Array(analyser.fftSize);
          clearInterval(talk.meters[id]);
          talk.meters[id] = setInterval(() => {
            analyser.getFloatTimeDomainData(samples);
            const power = samples.reduce((sum, x) => sum + x * x, 0) / samples.length;
            part(id).value = Math.max(-60, 10 * Math.log10(power + 1e-9));
          }, 100);
        }

        function trickle(candidate) {
          const line = candidate && candidate.candidate ? 'a=' + candidate.candidate : 'a=end-of-candidates';
          if (!talk.place || talk.isRestarting) { talk.waiting.push(line); return; }
          sendCandidates([line]);
        }

        function sendCandidates(lines) {
          const body = 'm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n' + lines.join('\r\n') + '\r\n';
          return ask('PATCH', talk.place, 'application/trickle-ice-sdpfrag', body).then(late).catch(() => true);
        }

        // Candidates of the other side that came after its answer; whether more may come.
        async function late(response) {
          if (response.status !== 200) return response.ok;
          const lines = (await response.text()).split('\r\n');
          for (const line of lines)
            if (line.startsWith('a=candidate:') && talk.peer)
              await talk.peer.addIceCandidate({ candidate: line.slice(2), sdpMLineIndex: 0 });
          return !lines.includes('a=end-of-candidates');
        }

        // An answer that does not end its candidates came before all servers had told their part.
        async function fetchLate(peer) {
          for (const wait of [100, 300, 600, 1000, 3000]) {
            await new Promise((done) => setTimeout(done, wait));
            if (peer !== talk.peer || !(await sendCandidates([]))) return;
          }
        }

        // Another network, or another address in it: ways are looked for anew, and the call goes on (RFC 9725 section 4.3.3).
        async function restartHandset() {
          const peer = talk.peer;
          if (!peer || !talk.place || talk.isRestarting || peer.signalingState !== 'stable') return;
          talk.isRestarting = true;
          try {
            await peer.setLocalDescription(await peer.createOffer({ iceRestart: true }));
            const isName = (line) => /^a=ice-(ufrag|pwd):/.test(line);
            const ours = peer.localDescription.sdp.split('\r\n').filter(isName);
            const body = [...ours, 'm=audio 9 UDP/TLS/RTP/SAVPF 0', 'a=mid:0', ''].join('\r\n');
            const response = await insist(peer, () => ask('PATCH', talk.place, 'application/trickle-ice-sdpfrag', body, 5000));
            if (peer !== talk.peer) return;
            if (!response) {
              await peer.setLocalDescription({ type: 'rollback' });
              return;
            }
            if (response.status !== 200) throw new Error(await reason(response));
            const lines = (await response.text()).split('\r\n');
            const theirs = lines.filter((line) => isName(line) || line.startsWith('a=candidate:') || line === 'a=end-of-candidates');
            const former = peer.remoteDescription.sdp.split('\r\n')
              .filter((line) => line && !isName(line) && !/^a=(candidate|end-of-candidates)/.test(line));
            await peer.setRemoteDescription({ type: 'answer', sdp: [...former, ...theirs, ''].join('\r\n') });
          } catch (error) {
            if (peer === talk.peer) closeHandset('the connection to the service is lost: ' + (error.message || error));
          } finally {
            if (peer === talk.peer) {
              talk.isRestarting = false;
              if (talk.waiting.length) sendCandidates(talk.waiting.splice(0));
            }
          }
        }

        // A network that has just come may not lead to the service yet. Null when nobody need be asked any more: where the service has
        // another address its checks show the way there, and it cannot be asked.
        async function insist(peer, what) {
          for (let attempt = 0; peer === talk.peer; attempt += 1) {
            try { return await what(); } catch (error) {
              if (attempt >= 6 && peer.connectionState === 'connected') return null;
              if (attempt === 20) throw error;
            }
            await new Promise((done) => setTimeout(done, 500));
          }
          return null;
        }

        window.addEventListener('online', restartHandset);

        const noMicrophone = 'no microphone: browsers give it to https and to this machine only; open http://localhost or use https';

        // Whoever asks for it while it is being opened waits for the same one. Throws what is wrong, in words.
        function openHandset(query) {
          talk.opening ||= beginHandset(query).finally(() => { talk.opening = null; });
          return talk.opening;
        }

        // Microphone and connection; `query` says what is at its other end.
        async function beginHandset(query) {
          try {
            if (!window.isSecureContext) throw new Error(noMicrophone);
            tell('asking for the microphone');
            talk.context = new AudioContext();
            const iceServers = await relays();
            talk.microphone = await openMicrophone();
            drawDevices().catch(() => {});
            const peer = talk.peer = new RTCPeerConnection({ iceServers });
            peer.onicecandidate = (event) => { if (peer === talk.peer) trickle(event.candidate); };
            peer.onconnectionstatechange = () => {
              if (peer !== talk.peer) return;
              if (peer.connectionState === 'disconnected') restartHandset();
              if (peer.connectionState === 'failed' && !talk.isRestarting) closeHandset('the connection to the service is lost');
              if (peer.connectionState === 'closed') closeHandset('over');
              changed({ type: 'handset' });
            };
            peer.ontrack = (event) => {
              talk.heard = new MediaStream([event.track]);
              part('sound').srcObject = talk.heard;
              useLoudspeaker()?.catch(() => {});
              meter(talk.heard, 'heard');
            };
            for (const track of talk.microphone.getTracks()) peer.addTrack(track, talk.microphone);
            meter(talk.microphone, 'spoken');
            await peer.setLocalDescription();
            const response = await ask('POST', offerPath(query), 'application/sdp', peer.localDescription.sdp);
            if (response.status !== 201) throw new Error(await reason(response));
            const place = response.headers.get('Location');
            if (peer !== talk.peer) { ask('DELETE', place); throw new Error('over'); }
            Object.assign(talk, { place, query });
            talk.former = handsetID();
            const answer = await response.text();
            await peer.setRemoteDescription({ type: 'answer', sdp: answer });
            if (talk.waiting.length) sendCandidates(talk.waiting.splice(0));
            if (!answer.includes('a=end-of-candidates')) fetchLate(peer);
            return handsetID();
          } catch (error) {
            const text = error.name === 'NotAllowedError' ? 'the browser was not allowed to use the microphone' :
              error.name === 'NotFoundError' ? 'there is no microphone' : error.message || String(error);
            closeHandset(text);
            throw new Error(text);
          }
        }

        // Lets microphone and connection go, and has the service do so.
        function closeHandset(text) {
          const peer = talk.peer;
          // The request comes first: a connection that is closed before it is a goodbye of the other side's to the service.
          if (talk.place) ask('DELETE', talk.place, undefined, undefined, 2000).catch(() => {}).finally(() => peer?.close());
          else peer?.close();
          for (const timer of Object.values(talk.meters)) clearInterval(timer);
          if (talk.microphone) for (const track of talk.microphone.getTracks()) track.stop();
          if (talk.context) talk.context.close();
          Object.assign(talk, { peer: null, place: null, microphone: null, context: null, waiting: [], isRestarting: false, sums: {}, meters: {} });
          part('sound').srcObject = null;
          if (text) tell(text);
          changed({ type: 'handset' });
        }

        """#
}
