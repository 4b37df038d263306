extension PageFiles {
    /// Which microphone and loudspeaker a person has chosen, and who takes the echo out: before a call, and in it.
    static let deviceScript = #"""
        // It stays with this browser.
        const chosen = { microphone: '', loudspeaker: '', takesEcho: true, ...recalled() };

        function recalled() {
          try { return JSON.parse(localStorage.getItem('sound')) || {}; } catch { return {}; }
        }

        function choose(name, value) {
          chosen[name] = value;
          try { localStorage.setItem('sound', JSON.stringify(chosen)); } catch { /* It counts as long as the page is open. */ }
        }

        // One that is not there any more is passed over.
        async function openMicrophone() {
          const microphone = await navigator.mediaDevices.getUserMedia({
            audio: talk.constraints || { echoCancellation: chosen.takesEcho, ...(chosen.microphone && { deviceId: chosen.microphone }) },
          });
          for (const track of microphone.getTracks()) track.onended = () => { if (microphone === talk.microphone) loseMicrophone(); };
          return microphone;
        }

        // It was unplugged in a call.
        async function loseMicrophone() {
          try {
            await changeMicrophone();
            tell('the microphone is gone; another one is used');
          } catch { tell('the microphone is gone, and there is no other one'); }
        }

        const canChooseLoudspeaker = 'setSinkId' in HTMLMediaElement.prototype;
        const useLoudspeaker = () => (canChooseLoudspeaker ? part('sound').setSinkId(chosen.loudspeaker) : null);

        // The call goes on with the microphone that was chosen last.
        async function changeMicrophone() {
          const peer = talk.peer;
          if (!peer || !talk.microphone) return;
          const microphone = await openMicrophone();
          if (peer !== talk.peer) {
            for (const track of microphone.getTracks()) track.stop();
            return;
          }
          await peer.getSenders()[0].replaceTrack(microphone.getAudioTracks()[0]);
          for (const track of talk.microphone.getTracks()) track.stop();
          talk.microphone = microphone;
          meter(microphone, 'spoken');
          await drawDevices();
        }

        // Browsers name devices once a page was allowed to use the microphone.
        async function drawDevices() {
          const found = navigator.mediaDevices ? await navigator.mediaDevices.enumerateDevices() : [];
          let isNamed = false;
          for (const [id, kind] of [['microphone', 'audioinput'], ['loudspeaker', 'audiooutput']]) {
            const list = found.filter((one) => one.kind === kind && one.deviceId && one.deviceId !== 'default');
            isNamed ||= list.some((one) => one.label);
            fill(part(id), list.map((one) => one.deviceId + one.label).join(), () => [
              element('option', 'as the browser chooses', { value: '' }),
              ...list.map((one, at) => element('option', one.label || `${id} ${at + 1}`, { value: one.deviceId })),
            ]);
            part(id).value = list.some((one) => one.deviceId === chosen[id]) ? chosen[id] : '';
          }
          part('devices-state').textContent = isNamed ? '' : 'Their names are here once the browser was allowed to use the microphone.';
        }

        for (const id of ['loudspeaker', 'loudspeaker-label']) part(id).hidden = !canChooseLoudspeaker;
        part('takes-echo').checked = chosen.takesEcho;
        part('microphone').addEventListener('change', (event) => {
          choose('microphone', event.target.value);
          attempt(changeMicrophone);
        });
        part('takes-echo').addEventListener('change', (event) => {
          choose('takesEcho', event.target.checked);
          attempt(changeMicrophone);
        });
        part('loudspeaker').addEventListener('change', (event) => {
          choose('loudspeaker', event.target.value);
          attempt(useLoudspeaker);
        });
        navigator.mediaDevices?.addEventListener('devicechange', () => drawDevices().catch(() => {}));
        drawDevices().catch(() => {});

        """#
}
