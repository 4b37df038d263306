extension PageFiles {
    /// What a person does with calls: dial, answer, refuse, hold, mute, keys, hang up; and how it rings.
    static let callScript = #"""
        // Said once, so that nobody is read the same again.
        function tell(text) { if (part('state').textContent !== text) part('state').textContent = text; }

        const isRunning = (call) => call.state !== 'ended';
        const isMine = (call) => talk.former && (call.id === talk.former || call.audio.handset === talk.former);
        const all = () => [...known.calls.values()];
        // Calls that this page's handset talks with; the echo test is one by itself.
        const mine = () => all().filter((call) => isRunning(call) && isMine(call) && (call.kind === 'sip' || !call.audio.handset));
        // The one that the buttons are for: the newest that is not held by us.
        const current = () => mine().filter((call) => !call.held.by_us).pop() || mine().pop();
        // An account may ring at some handsets only; this one's name is in its address, ?name=NAME.
        const ownName = new URLSearchParams(location.search).get('name');
        // The rest of the address is the audio end of the echo test.
        function echoQuery() {
          const query = new URLSearchParams(location.search);
          query.delete('name');
          return query.toString() || 'echo=true';
        }
        const isHere = (call) => !call.handsets?.length || call.handsets.includes(ownName);
        const ringing = () => all().filter((call) =>
          call.kind === 'sip' && call.direction === 'incoming' && call.state === 'ringing' && isHere(call));
        const withWhom = (call) => call.kind === 'browser' ? 'echo test' :
          (call.direction === 'incoming' ? call.name || call.from : call.to) || 'unknown';

        // "102" is a number at the account's own domain.
        function address(text, account) {
          if (/^(sips?|tel):/i.test(text)) return text;
          if (text.includes('@')) return 'sip:' + text;
          const uri = known.accounts.get(account)?.uri;
          return uri ? 'sip:' + encodeURIComponent(text).replace(/%2B/g, '+') + '@' + uri.split('@').pop() : 'sip:' + text;
        }

        const offerPath = (query) => '/v1/webrtc?' + query;

        // Servers that help where this browser's network does not let it come straight.
        async function relays() {
          try { return (await order('GET', '/v1/relays')).ice_servers; } catch { return []; }
        }

        const talks = (call) => call?.kind === 'sip' && ['active', 'held'].includes(call.state);
        // Calls that hear what is said here, or will as soon as the other side ends its own hold.
        const unheld = () => mine().filter((call) => talks(call) && !call.held.by_us);
        // The id of the call that the person answered or went back to last.
        let wanted;

        // Those at the other sides hear each other only where somebody joins them.
        async function holdAllBut(kept) {
          for (const call of unheld()) if (call.id !== kept?.id) await change(call, 'PUT', 'hold');
        }

        // Calls of which that was told: one that the other side transfers is answered anew.
        const answered = new Set();

        // One that was called before may be answered while another is talked in: it waits, unless the person has just answered it.
        function separate({ type, call }) {
          if (type !== 'call_answered' || call.kind !== 'sip' || !isMine(call) || answered.has(call.id)) return;
          answered.add(call.id);
          if (call.id === wanted) attempt(() => holdAllBut(call));
          else if (unheld().some((other) => other.id !== call.id)) attempt(() => change(call, 'PUT', 'hold'));
        }

        // Whoever begins a call, or answers `call`, holds those that run; an echo test makes way.
        async function handset(call) {
          wanted = call?.id;
          await holdAllBut();
          await wakeMicrophone();
          const query = 'handset=true' + (ownName ? '&name=' + encodeURIComponent(ownName) : '');
          await talk.opening?.catch(() => {});
          if (talk.place && talk.query !== query) closeHandset();
          return talk.place ? handsetID() : openHandset(query);
        }

        // Hanging up without the service has stopped the microphone.
        async function wakeMicrophone() {
          if (talk.microphone?.getTracks().every((track) => track.readyState === 'ended')) await changeMicrophone();
        }

        async function attempt(work) {
          try { await work(); } catch (error) {
            tell(error.message || String(error));
            if (talk.place && !mine().length) closeHandset();
          }
        }

        // Calls are made and answered one after the other: each holds those before. Who clicks twice means it once.
        const beginning = new Set();
        let begun = Promise.resolve();

        function begin(what, work) {
          if (beginning.has(what)) return begun;
          beginning.add(what);
          begun = begun.then(() => attempt(work)).finally(() => beginning.delete(what));
          return begun;
        }

        function dial(text) {
          const account = part('account').value || null;
          return begin(`${account} ${text}`, async () => {
            const id = await handset();
            tell('calling');
            const call = await order('POST', '/v1/calls', { to: address(text, account), account, audio: { handset: id } });
            take({ type: 'call_created', call: known.calls.get(call.id) || call });
          });
        }

        const answer = (call) => begin(call.id, async () => {
          const id = await handset(call);
          await order('POST', `/v1/calls/${call.id}/answer`, { audio: { handset: id } });
        });
        const refuse = (call) => attempt(() => order('POST', `/v1/calls/${call.id}/reject`));
        const change = (call, method, what) => order(method, `/v1/calls/${call.id}/${what}`);

        // Where the service cannot be asked, the connection says goodbye: the only call ends with its handset. Of several
        // none can be ended so, but nothing is said in them any more.
        const hangUp = (call) => attempt(async () => {
          try { await order('DELETE', `/v1/calls/${call.id}`, undefined, patience); } catch (error) {
            const left = mine();
            if (!left.some((one) => one.id === call.id)) return;
            if (left.length === 1) {
              talk.former = null;
              closeHandset('you hung up');
              return;
            }
            if (!['TypeError', 'TimeoutError'].includes(error.name)) throw error;
            for (const track of talk.microphone?.getTracks() || []) track.stop();
            throw new Error('the service is not there; your microphone is off until you take up a call');
          }
        });

        // One after the other, so that they arrive in their order.
        let pressed = Promise.resolve();

        function press(key) {
          const call = current();
          if (call?.kind !== 'sip') return;
          pressed = pressed.then(() => attempt(() => order('POST', `/v1/calls/${call.id}/dtmf`, { digits: key }, patience)));
        }

        // A ring, or what a caller hears until somebody answers: tones by turns, where the browser lets a page sound.
        const tone = { context: null, timer: null, kind: null };

        function sound(kind) {
          if (tone.kind === kind) return;
          clearInterval(tone.timer);
          tone.context?.close();
          Object.assign(tone, { context: null, timer: null, kind });
          if (!kind) return;
          const context = tone.context = new AudioContext();
          const once = () => {
            const volume = context.createGain();
            volume.gain.value = kind === 'ring' ? 0.15 : 0.05;
            volume.connect(context.destination);
            for (const frequency of kind === 'ring' ? [660, 880] : [425]) {
              const oscillator = context.createOscillator();
              oscillator.frequency.value = frequency;
              oscillator.connect(volume);
              oscillator.start();
              oscillator.stop(context.currentTime + 1);
            }
          };
          once();
          tone.timer = setInterval(once, kind === 'ring' ? 3000 : 5000);
        }

        """#
}
