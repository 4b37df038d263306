extension PageFiles {
    /// How it looks: whatever changes is drawn anew from what is known.
    static let viewScript = #"""
        function element(name, text, attributes = {}) {
          const made = document.createElement(name);
          made.textContent = text;
          Object.assign(made, attributes);
          return made;
        }

        function button(text, className, act) {
          const made = element('button', text, { type: 'button', className });
          made.addEventListener('click', act);
          return made;
        }

        const milliseconds = (value) => (value == null ? '-' : Math.round(value) + ' ms');

        function lasted(call) {
          if (call.duration_s != null && !isRunning(call)) return clock(call.duration_s);
          return call.answered && isRunning(call) ? clock((Date.now() - Date.parse(call.answered)) / 1000) : '';
        }

        function clock(seconds) {
          const whole = Math.max(0, Math.floor(seconds));
          return Math.floor(whole / 60) + ':' + String(whole % 60).padStart(2, '0');
        }

        function moment(time) {
          const date = new Date(time);
          return date.toLocaleDateString([], { dateStyle: 'medium' }) + ' ' + date.toLocaleTimeString([], { timeStyle: 'short' });
        }

        // Drawn anew only where it differs, so that focus stays where it is.
        function fill(place, key, make) {
          if (place.dataset.key === key) return;
          place.dataset.key = key;
          place.replaceChildren(...make());
        }

        function changed(event) {
          if (event.type === 'connected') drawHealth(false);
          if (event.type === 'disconnected') part('service').textContent = event.problem;
          else if (known.isThere) part('service').textContent = 'connected to the service';
          if (event.type === 'call_ended' && event.call.kind === 'sip' && isMine(event.call)) tell(ending(event.call));
          if (event.type === 'call_incoming') notify(withWhom(event.call) + ' calls');
          tellText(event);
          separate(event);
          // What ended it is over already: the service has let this page's half go.
          if (talk.place && known.calls.get(handsetID())?.state === 'ended') closeHandset(isEcho() ? 'the other side hung up' : '');
          drawRinging();
          drawTalk();
          drawAccounts();
          drawCalls();
          if (isLooked(event.call)) drawLook(event.call.id);
          part('past-section').hidden = !known.hasHistory;
          tellTransfer(event);
        }

        const isEcho = () => !known.calls.get(handsetID())?.audio.handset;

        function ending(call) {
          const words = {
            remote_hangup: 'the other side hung up', local_hangup: 'you hung up', busy: 'busy', no_answer: 'nobody answered',
            refused: 'refused', cancelled: 'the caller gave up', transferred: 'transferred', replaced: 'it goes on elsewhere',
          };
          return (words[call.end_reason] || call.end_reason || 'over') + (call.explanation ? ': ' + call.explanation : '');
        }

        function drawRinging() {
          const list = ringing();
          fill(part('incoming'), list.map((call) => call.id + call.name + call.from).join(), () => list.map((call) => {
            const card = element('div', '', { className: 'ring' });
            const row = element('div', '', { className: 'row' });
            row.append(button('Answer', 'go answer', () => answer(call)), button('Refuse', 'stop refuse', () => refuse(call)));
            card.append(element('p', withWhom(call) + ' calls' + (call.account ? ' ' + call.account : '')), row);
            return card;
          }));
          document.title = list.length ? withWhom(list[0]) + ' calls - yodel' : 'yodel';
          sound(list.length ? 'ring' : mine().some((call) => call.ringback) ? 'ringback' : null);
        }

        function notify(text) {
          if (window.Notification?.permission !== 'granted' || !document.hidden) return;
          // Browsers of telephones let no page make one.
          try { new Notification(text); } catch { /* The call or text is on the page. */ }
        }

        function drawTalk() {
          const call = current();
          part('talk').hidden = !call;
          part('hangup').disabled = !call;
          part('echo').disabled = Boolean(talk.peer);
          if (!call) { if (!talk.peer) for (const id of ['delay', 'delay-in', 'delay-out']) part(id).textContent = '-'; return; }
          const isSIP = call.kind === 'sip';
          part('who').textContent = withWhom(call);
          part('how').textContent = [call.state, call.codec, call.held.by_peer ? 'they hold' : ''].filter(Boolean).join(', ');
          part('timer').textContent = lasted(call);
          for (const [id, isOn, can] of [
            ['hold', call.held.by_us, ['active', 'held'].includes(call.state)], ['mute', call.muted, isRunning(call)],
          ]) {
            part(id).setAttribute('aria-pressed', String(isOn));
            part(id).disabled = !isSIP || !can;
          }
          part('keys').disabled = !isSIP;
          if (isSIP) {
            const word = { calling: 'calling', ringing: 'it rings there', active: 'connected', held: 'held' }[call.state];
            if (word) tell(word);
          } else if (talk.peer) tell(talk.peer.connectionState === 'connected' ? 'connected' : 'connecting');
          drawParties(call);
        }

        // The latest figures of each call that is shown.
        const figures = new Map();

        function delayOf(call) {
          const stats = figures.get(call.id);
          if (!stats) return '';
          if (stats.mouth_to_ear_ms != null) return milliseconds(stats.mouth_to_ear_ms) + ' mouth to ear';
          const here = stats.local_delay_ms ?? inside(stats.ledger_ms);
          return here == null ? '' : milliseconds(here) + ' here';
        }

        const listed = () => all().filter((call) => call.kind === 'sip' || !call.audio.handset).reverse().slice(0, 20);

        // Only what has changed is written, so that focus stays where it is.
        function drawCalls() {
          const list = listed();
          fill(part('calls'), list.map((call) => call.id + withWhom(call)).join(), () => list.map((call) => {
            const row = element('tr', '');
            for (let column = 0; column < 6; column += 1) row.append(element('td', ''));
            const cell = element('td', '');
            const more = button('Look', 'check look', () => openLook(known.calls.get(call.id) || call));
            more.setAttribute('aria-label', 'Look at the call with ' + withWhom(call));
            cell.append(more, ' ', bundleButton(call));
            row.append(cell);
            return row;
          }));
          list.forEach((call, at) => {
            const mos = figures.get(call.id)?.mos_cq;
            [
              (call.direction === 'incoming' && call.kind === 'sip' ? 'from ' : 'to ') + withWhom(call),
              isRunning(call) ? call.state : ending(call), new Date(call.started).toLocaleTimeString([], { timeStyle: 'short' }), lasted(call),
              delayOf(call), mos == null ? '' : mos.toFixed(1),
            ].forEach((text, column) => {
              const cell = part('calls').children[at].children[column];
              if (cell.textContent !== text) cell.textContent = text;
            });
          });
        }

        async function stats(id) {
          const response = await ask('GET', `/v1/calls/${id}/stats`, undefined, undefined, patience);
          if (response.ok) figures.set(id, await response.json());
          return figures.get(id);
        }

        // A report comes a moment after the end.
        const isDue = (call) => isRunning(call) || figures.get(call.id)?.state !== 'ended' || !figures.get(call.id).reason;

        async function measure(calls) {
          for (const call of new Set(calls)) if (call?.kind === 'sip' && isDue(call)) await stats(call.id);
        }

        async function measureTalk() {
          await measure([current(), known.calls.get(look.id)]);
          const call = current();
          const isTalking = Boolean(call && talk.place);
          const [ours, own] = isTalking ? [await stats(handsetID()), await ownFigures()] : [null, null];
          if (isTalking) drawDelay(call, figures.get(call.id), ours, own);
          const looked = known.calls.get(look.id);
          if (looked && isRunning(looked)) {
            const isOurs = isTalking && looked.id === call.id;
            const theirs = looked.kind === 'sip' || isOurs ? figures.get(looked.id) : await stats(looked.id);
            drawEcho(theirs, isOurs);
            drawLedger(stagesOf(looked, theirs, isOurs ? ours : null, isOurs ? own : null), theirs?.mouth_to_ear_ms);
            takeSample(theirs, isOurs && looked.kind === 'sip' ? ours : null, isOurs ? own : null);
          }
        }

        async function measureList() {
          await measure(listed());
          drawCalls();
        }

        // On a slow way a look may last: the next one of its kind waits for its end, and the call that is talked in for no list.
        const measuring = new Set();

        function everySecond() {
          if (current()) part('timer').textContent = lasted(current());
          for (const look of [measureTalk, measureList]) {
            if (measuring.has(look)) continue;
            measuring.add(look);
            look().catch(() => {}).finally(() => measuring.delete(look));
          }
        }

        for (const key of '123456789*0#') {
          const made = button(key, '', () => press(key));
          if (key === '*') made.setAttribute('aria-label', 'star');
          if (key === '#') made.setAttribute('aria-label', 'hash');
          part('keypad').append(made);
        }
        part('keys').addEventListener('click', () => {
          part('keypad').hidden = !part('keypad').hidden;
          part('keys').setAttribute('aria-expanded', String(!part('keypad').hidden));
        });
        document.addEventListener('keydown', (event) => {
          const isText = ['INPUT', 'SELECT'].includes(event.target.tagName);
          // One that is held down is one key.
          if (isText || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
          if (/^[0-9*#]$/.test(event.key)) press(event.key);
        });
        part('dial').addEventListener('submit', (event) => {
          event.preventDefault();
          dial(part('to').value.trim());
        });
        part('echo').addEventListener('click', () =>
          openHandset(echoQuery()).then(() => changed({ type: 'handset' }), () => {}));
        part('hangup').addEventListener('click', () => {
          const call = current();
          if (call?.kind === 'sip') hangUp(call);
          else closeHandset('you hung up');
        });
        part('look-open').addEventListener('click', () => openLook(current()));
        part('hold').addEventListener('click', () => attempt(async () => {
          const call = current();
          await change(call, call.held.by_us ? 'DELETE' : 'PUT', 'hold');
        }));
        part('mute').addEventListener('click', () => attempt(async () => {
          const call = current();
          take({ type: 'muted', call: await change(call, call.muted ? 'DELETE' : 'PUT', 'mute') });
        }));
        part('notify').hidden = window.Notification?.permission !== 'default';
        part('notify').addEventListener('click', async () => {
          await Notification.requestPermission();
          part('notify').hidden = true;
        });
        // A page that is left lets its calls go at once.
        addEventListener('pagehide', () => { if (talk.peer) talk.peer.close(); });
        // Another address in the same page: another token, or a link that was just printed.
        addEventListener('hashchange', () => location.reload());
        if (!window.isSecureContext) tell(noMicrophone);
        enter().then((problem) => {
          if (problem) part('service').textContent = problem;
          else { followForEver(); setInterval(everySecond, 1000); }
        }, () => { part('service').textContent = 'the service is not there; load the page again when it is'; });

        """#
}
