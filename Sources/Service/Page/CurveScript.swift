extension PageFiles {
    /// Curves of the last minute of the call that is looked at: levels, jitter, jitter buffer, and what was made up for lost sound.
    static let curveScript = #"""
        // Samples of each call and moments of it that are kept: one sample a second.
        const curveSeconds = 60;
        const momentLimit = 20;

        // What is drawn: `low` and `high` are the least range, `lines` names and fields of a sample.
        const charts = [
          { id: 'levels', title: 'Levels', unit: 'dBov', low: -60, high: 0, lines: { 'you': 'sent', 'they': 'heard' } },
          { id: 'jitters', title: 'Jitter', unit: 'ms', low: 0, high: 20, lines: { 'of theirs': 'jitter', 'of yours': 'jitterOfYours' } },
          {
            id: 'buffers', title: 'Jitter buffer', unit: 'ms', low: 0, high: 100,
            lines: { 'theirs here': 'buffer', 'yours here': 'bufferOfYours', 'in your browser': 'bufferThere' },
          },
          {
            id: 'madeups', title: 'Made up for lost sound', unit: 'ms a second', low: 0, high: 100,
            lines: { 'of theirs': 'madeUp', 'of yours': 'madeUpOfYours', 'in your browser': 'madeUpThere' },
          },
        ];

        const svg = (name, attributes) => {
          const made = document.createElementNS('http://www.w3.org/2000/svg', name);
          for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
          return made;
        };

        const rounded = (value) => (value == null ? '-' : String(Math.round(value)));

        // How much a figure has grown since the sample before; a call that moved on counts anew.
        const growth = (now, before, read) => Math.max(0, (read(now) || 0) - (read(before) || 0));
        const madeUpOf = (stats) =>
          Object.values(stats?.concealed_by_reason_ms || {}).reduce((sum, value) => sum + value, 0);

        // Why sound was made up, as far as the same second tells.
        function why(now, before) {
          const has = (read) => growth(now, before, read) > 0;
          return [
            has((stats) => stats?.concealed_by_reason_ms?.conceal_long) ? 'a gap of more than 60 ms' : 'short gaps',
            has((stats) => stats?.packets_lost) && 'packets were lost', has((stats) => stats?.packets_late) && 'packets came too late',
            has((stats) => stats?.playout_gaps) && 'the machine of the service stood still',
          ].filter(Boolean).join(', ');
        }

        // Takes one second: figures of the call, of the browser's half of it, and the browser's own.
        function takeSample(theirs, ours, own) {
          const curves = look.curves ||= { samples: [], moments: [], last: null };
          const last = curves.last;
          curves.last = { theirs, ours, own };
          const sample = {
            sent: theirs?.level_sent_dbov, heard: theirs?.level_heard_dbov, jitter: theirs?.jitter_ms, jitterOfYours: ours?.jitter_ms,
            buffer: theirs?.buffer_level_ms, bufferOfYours: ours?.buffer_level_ms, bufferThere: own?.buffer,
          };
          if (last) {
            const note = (field, where, made, words) => {
              sample[field] = made;
              if (made < 1) return;
              curves.moments.push(`${new Date().toLocaleTimeString()}: ${rounded(made)} ms ${where}: ${words}`);
            };
            note('madeUp', 'of theirs', growth(theirs, last.theirs, madeUpOf), why(theirs, last.theirs));
            if (ours) note('madeUpOfYours', 'of yours', growth(ours, last.ours, madeUpOf), why(ours, last.ours));
            if (own?.madeUp != null)
              note('madeUpThere', 'in your browser', growth(own, last.own, (one) => one?.madeUp), 'packets came too late, or never, to your browser');
          }
          curves.samples.push(sample);
          curves.samples.splice(0, curves.samples.length - curveSeconds);
          curves.moments.splice(0, curves.moments.length - momentLimit);
          drawCurves(curves);
        }

        function drawCurves({ samples, moments }) {
          for (const chart of charts) drawChart(chart, samples);
          fill(part('moments'), moments.join('\n'), () => [...moments].reverse().map((text) => element('li', text)));
          part('moments-state').textContent = moments.length ? '' : 'nothing was made up';
        }

        // The picture has its text below it, which says the same in figures.
        function drawChart(chart, samples) {
          const fields = Object.entries(chart.lines);
          const values = fields.flatMap(([, field]) => samples.map((sample) => sample[field])).filter((value) => value != null);
          const [low, high] = [Math.min(chart.low, ...values), Math.max(chart.high, ...values)];
          const place = (value, at) => [
            600 - 10 * (samples.length - 1 - at), 100 - 100 * (value - low) / (high - low),
          ].map((number) => number.toFixed(1)).join(',');
          fields.forEach(([, field], line) => {
            const points = samples.map((sample, at) => sample[field] == null ? null : place(sample[field], at)).filter(Boolean);
            part(chart.id).querySelectorAll('polyline')[line].setAttribute('points', points.join(' '));
          });
          const told = fields.map(([name, field]) => {
            const known = samples.map((sample) => sample[field]).filter((value) => value != null);
            return known.length ? `${name} ${rounded(known.at(-1))} (${rounded(Math.min(...known))} to ${rounded(Math.max(...known))})` : null;
          }).filter(Boolean);
          part(chart.id + '-text').textContent =
            `${chart.title}, ${chart.unit}: ${told.join('; ') || 'nothing yet'}. Drawn from ${rounded(low)} to ${rounded(high)}.`;
        }

        for (const chart of charts) {
          const figure = element('figure', '');
          const picture = svg('svg', {
            id: chart.id, viewBox: '0 0 600 100', preserveAspectRatio: 'none', role: 'img', 'aria-labelledby': chart.id + '-text',
          });
          Object.keys(chart.lines).forEach((name, line) => picture.append(svg('polyline', { class: 'line' + line })));
          const names = element('p', '', { className: 'names' });
          names.append(...Object.keys(chart.lines).map((name, line) => element('span', name, { className: 'name' + line })));
          figure.append(names, picture, element('figcaption', '', { id: chart.id + '-text' }));
          part('curves').append(figure);
          drawChart(chart, []);
        }

        """#
}
