extension PageFiles {
    /// What was recorded of a call that was, with the moments marked in which sound was made up for; and its report as a file.
    static let playbackScript = #"""
        // Worth a report: a person heard it, or it ended for no reason of a person's.
        const isBad = (call) => call.concealed_ratio >= 0.01 || call.mouth_to_ear_ms >= 400
          || ['media_timeout', 'network', 'authentication', 'echo_loop', 'interrupted'].includes(call.end_reason);

        // A recording by its name: a button, then its player.
        function pastSound(name, spans) {
          const place = element('div', '');
          place.append(button('Play ' + name, '', () => tryPast(() => playPast(place, name, spans))));
          return place;
        }

        async function playPast(place, name, spans) {
          const { recordings } = await order('GET', '/v1/recordings');
          const response = await ask('GET', '/v1/recordings/' + encodeURIComponent(name));
          if (!response.ok) throw new Error(await reason(response));
          const src = URL.createObjectURL(await response.blob());
          past.sounds.push(src);
          const sound = element('audio', '', { controls: true, src });
          sound.setAttribute('aria-label', name);
          // It was last written when it ended; where it began follows from its length.
          const ended = Date.parse(recordings.find((one) => one.name === name)?.time);
          sound.addEventListener('loadedmetadata', () => {
            const began = ended - 1000 * sound.duration;
            const marks = spans.map((span) => mark(span, began, sound.duration)).filter(Boolean);
            place.append(...drawMarks(sound, marks));
          }, { once: true });
          place.replaceChildren(sound);
          sound.focus();
          // Where the browser lets no page sound by itself, its controls do.
          sound.play().catch(() => {});
        }

        // Where a span is in the sound, in seconds; null: outside of it.
        function mark(span, began, length) {
          const [from, to] = [span.from, span.to].map((time) => Math.min(length, Math.max(0, (Date.parse(time) - began) / 1000)));
          return to > from ? { from, to, text: spanText(span) } : null;
        }

        function spanText(span) {
          const causes = {
            hold: 'around a hold', transfer: 'around a transfer', reinvite: 'the media were agreed on anew', ice_restart: 'another way was taken',
            failover: 'the other side sent from elsewhere', network: 'packets did not come in time', machine: 'the machine of the service stood still',
            sender: 'the machine of the other side stood still',
          };
          return [
            rounded(span.ms) + ' ms made up', causes[span.cause] || span.cause, span.lost && span.lost + ' packets lost',
            span.late && span.late + ' too late',
          ].filter(Boolean).join(', ');
        }

        // A strip as long as the sound, and a list that says the same and leads there.
        function drawMarks(sound, marks) {
          if (!marks.length) return [element('p', 'Nothing was made up for in it, as far as is known.')];
          const strip = svg('svg', { viewBox: '0 0 600 10', preserveAspectRatio: 'none', class: 'strip', 'aria-hidden': 'true' });
          const scale = 600 / sound.duration;
          strip.append(...marks.map(({ from, to }) => svg('rect', {
            x: (from * scale).toFixed(1), y: 0, width: Math.max(2, (to - from) * scale).toFixed(1), height: 10, class: 'line1',
          })));
          const list = element('ul', '', { className: 'marks' });
          list.append(...marks.map(({ from, to, text }) => {
            const item = element('li', '');
            item.append(button(clock(from) + ' to ' + clock(Math.ceil(to)), 'check', () => { sound.currentTime = from; }), ' ' + text);
            return item;
          }));
          return [strip, list];
        }

        // All that is known of a call, in one file: its row with the report, what was agreed on, its messages while they are kept.
        async function saveReport(id) {
          const paths = { call: `/v1/history/${id}`, negotiation: `/v1/calls/${id}/negotiation`, sip: `/v1/calls/${id}/sip` };
          const report = {};
          for (const [name, path] of Object.entries(paths)) {
            if (name !== 'call' && !known.calls.has(id)) continue;
            report[name] = await order('GET', path).catch((error) => {
              if (name === 'call') throw error;
              return null;
            });
          }
          const link = element('a', '', {
            href: URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' })), download: `yodel-${id}.json`,
          });
          link.click();
          setTimeout(() => URL.revokeObjectURL(link.href), 60000);
        }

        """#
}
