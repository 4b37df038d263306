extension PageFiles {
    /// One call looked at closely: what was agreed on, and its messages by SIP. Nothing is asked for until somebody looks.
    static let lookScript = #"""
        // The call that is looked at; `turn` counts what is asked, so that late answers of another call are left alone.
        const look = { id: null, turn: 0, curves: null };

        const isLooked = (call) => call && call.id === look.id;

        function openLook(call) {
          Object.assign(look, { id: call.id, curves: null });
          part('look-title').textContent = 'The call with ' + withWhom(call);
          part('look-state').textContent = '';
          part('ladder').replaceChildren();
          part('negotiation').replaceChildren();
          part('negotiation-sum').textContent = '';
          part('echo-state').textContent = '';
          drawCurves({ samples: [], moments: [] });
          drawLedger([]);
          part('look').hidden = false;
          part('look').focus();
          if (!isRunning(call)) stats(call.id).then((found) => { if (call.id === look.id) drawReport(call, found); }, () => {});
          return drawLook(call.id);
        }

        function closeLook() {
          Object.assign(look, { id: null, curves: null });
          part('look').hidden = true;
        }

        async function drawLook(id) {
          const turn = look.turn += 1;
          try {
            const [{ negotiation }, { messages }] = await Promise.all(
              ['negotiation', 'sip'].map((what) => order('GET', `/v1/calls/${id}/${what}`)));
            if (turn !== look.turn || id !== look.id) return;
            drawNegotiation(negotiation);
            drawLadder(messages);
          } catch (error) {
            if (id === look.id) part('look-state').textContent = error.message;
          }
        }

        // Of a call that is over: how it was at the end.
        function drawReport(call, found) {
          drawEcho(found, false);
          drawLedger(stagesOf(call, found, null, null), found?.mouth_to_ear_ms);
        }

        // What becomes of their voice that comes back out of our loudspeaker.
        function drawEcho(stats, isAtBrowser) {
          const echo = stats?.echo;
          const words = echo ? [
            echo.echo_audible ? 'they hear themselves' : echo.no_echo_path ? 'there is none' :
              echo.converged ? 'taken out' : 'the room is being learnt',
            echo.erle_db != null && rounded(echo.erle_db) + ' dB less', echo.delay_ms != null && 'it comes after ' + milliseconds(echo.delay_ms),
            echo.double_talk && 'both speak', echo.microphone_silent && 'the microphone is silent',
            echo.microphone_clipping && 'the microphone is too loud',
          ].filter(Boolean).join(', ') : isAtBrowser ? 'taken out by your browser, which does not tell how well' : 'nothing to take out at this side';
          if (part('echo-state').textContent !== 'Echo: ' + words) part('echo-state').textContent = 'Echo: ' + words;
        }

        function drawNegotiation(found) {
          part('negotiation-sum').textContent = found ? [
            found.offered_by === 'us' ? 'we offered' : 'they offered',
            found.codec ? 'in force: ' + found.codec : 'nothing in force', found.remote && 'sent to ' + found.remote,
            found.ptime_ms != null && milliseconds(found.ptime_ms) + ' of sound a packet',
            found.delay_ms != null && 'it costs ' + milliseconds(found.delay_ms) + ' of delay',
            found.bit_rate != null && Math.round(found.bit_rate / 1000) + ' kbit/s on the network',
          ].filter(Boolean).join(', ') : 'nothing was agreed on yet';
          part('negotiation').replaceChildren(...(found ? found.lines : []).map((line) => {
            const row = element('tr', '');
            row.append(...[line.subject, line.offered, line.answered, line.in_force, line.why].map((text) => element('td', text ?? '-')));
            return row;
          }));
        }

        // Messages are only ever added, so that what is opened stays open.
        function drawLadder(messages) {
          const list = part('ladder');
          if (list.children.length > messages.length) list.replaceChildren();
          const began = messages.length ? Date.parse(messages[0].time) : 0;
          list.append(...messages.slice(list.children.length).map((message) => {
            const item = element('li', '', { className: message.direction });
            const whole = element('details', '');
            const head = element('summary', '');
            const way = message.direction === 'sent' ? 'we \u2192 ' + message.remote : 'we \u2190 ' + message.remote;
            head.append(
              element('strong', message.start), ' ', element('span', way + ' by ' + message.transport.toUpperCase()), ' ',
              element('time', '+' + Math.max(0, Date.parse(message.time) - began) + ' ms', { dateTime: message.time }));
            whole.append(head, element('pre', message.text));
            item.append(whole);
            return item;
          }));
          part('ladder-state').textContent = messages.length ? '' : 'no messages: the call is no call by SIP, or too old';
        }

        part('look-close').addEventListener('click', closeLook);

        """#
}
