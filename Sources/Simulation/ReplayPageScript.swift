/// What draws a replay: four panes over one time line, zoomed by wheel and keys.
enum ReplayPageScript {
    static let text = #"""
        const colours = { waiting: '#f2f4f6', normal: '#c9d5df', comfort_noise: '#b6a6ea', accelerate: '#2f7de1',
          decelerate: '#19a7c7', fec: '#93c01f', redundancy: '#1d9a50', conceal_short: '#f5a524', conceal_long: '#d92d20',
          discard_late: '#c81e8c', discard_overflow: '#6b1420', reset: '#111' };
        const canvas = document.getElementById('picture'), pen = canvas.getContext('2d');
        const rows = data.rows, arrivals = data.arrivals, figures = data.figures, names = data.reasons;
        const begin = rows.length ? rows[0][0] : 0, last = rows.length ? rows[rows.length - 1][0] : 1000;
        // How long one row lasts, in ms.
        const block = rows.length > 1 ? (last - begin) / (rows.length - 1) : 10, end = last + block;
        const loudest = data.wave.reduce((most, [low, high]) => Math.max(most, -low, high), 1);
        let from = begin, to = end, width = 0, hover = null;
        const panes = [
          { name: 'packets: delay, ms', height: 230 }, { name: 'target and level, ms', height: 110 },
          { name: 'reason', height: 26 }, { name: 'heard', height: 90 } ];
        const left = 46, gap = 24;
        const x = time => left + (time - from) / (to - from) * (width - left - 8);
        const time = place => from + (place - left) / (width - left - 8) * (to - from);

        /** First index of `list` whose `key` is not before `value`. */
        function lower(list, value, key) {
          let low = 0, high = list.length;
          while (low < high) {
            const middle = (low + high) >> 1;
            if (key(list[middle]) < value) low = middle + 1; else high = middle;
          }
          return low;
        }
        const visible = (list, key) => list.slice(Math.max(0, lower(list, from, key) - 1), lower(list, to, key) + 1);
        function step(span, most) {
          const power = 10 ** Math.floor(Math.log10(span / most));
          return power * [1, 2, 5, 10].find(factor => span / (power * factor) <= most);
        }

        /** Frame, grid and scale of a pane whose values go from `low` to `high`; returns the place of a value. */
        function scale(pane, low, high) {
          const share = value => (Math.min(Math.max(value, low), high) - low) / (high - low);
          const y = value => pane.top + pane.height * (1 - share(value));
          pen.strokeStyle = '#e3e9ee'; pen.fillStyle = '#6c7a87'; pen.textAlign = 'right'; pen.lineWidth = 1;
          const distance = step(high - low, pane.height / 28);
          for (let v = Math.ceil(low / distance) * distance; v <= high; v += distance) {
            line([[left, y(v)], [width - 8, y(v)]]);
            pen.fillText(String(Math.round(v)), left - 5, y(v) + 4);
          }
          return y;
        }
        function line(points) {
          pen.beginPath(); let open = false;
          for (const point of points) {
            if (point && open) pen.lineTo(point[0], point[1]);
            if (point && !open) pen.moveTo(point[0], point[1]);
            open = point !== null;
          }
          pen.stroke();
        }

        function draw() {
          const ratio = window.devicePixelRatio || 1;
          width = canvas.clientWidth;
          let top = 18;
          for (const pane of panes) { pane.top = top; top += pane.height + gap; }
          canvas.width = width * ratio; canvas.height = top * ratio; canvas.style.height = top + 'px';
          pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.font = '11px system-ui, sans-serif';
          pen.clearRect(0, 0, width, top);
          const shown = visible(rows, row => row[0]), packets = visible(arrivals, a => a[0]);
          drawPackets(panes[0], shown, packets);
          drawLevel(panes[1], shown);
          drawReasons(panes[2], shown);
          drawWave(panes[3], shown);
          pen.textAlign = 'left'; pen.fillStyle = '#1b2733';
          for (const pane of panes) pen.fillText(pane.name, left, pane.top - 5);
          pen.textAlign = 'center'; pen.fillStyle = '#6c7a87';
          const distance = step(to - from, width / 90);
          for (let t = Math.ceil(from / distance) * distance; t <= to; t += distance)
            pen.fillText((t / 1000).toFixed(distance < 100 ? 2 : distance < 1000 ? 1 : 0) + ' s', x(t), top - 8);
          if (hover !== null) { pen.strokeStyle = '#0005'; line([[x(hover), 14], [x(hover), top - 22]]); }
        }
        function drawPackets(pane, shown, packets) {
          let low = Infinity, high = 0;
          const delays = packets.filter(p => p[1] !== null).map(p => p[1] - p[0]);
          for (const delay of delays.concat(shown.map(row => row[4]).filter(delay => delay !== null))) {
            low = Math.min(low, delay);
            high = Math.max(high, delay);
          }
          if (!(low < high)) { low = 0; high = 100; }
          const room = (high - low) * 0.08 + 2, y = scale(pane, low - room, high + room);
          pen.strokeStyle = '#d92d20';
          for (const p of packets) if (p[1] === null) line([[x(p[0]), pane.top], [x(p[0]), pane.top + 9]]);
          pen.fillStyle = '#2d5b86';
          const size = to - from < 15000 ? 2 : 1.3;
          for (const p of packets) if (p[1] !== null)
            pen.fillRect(x(p[0]) - size, y(p[1] - p[0]) - size, 2 * size, 2 * size);
          pen.strokeStyle = '#e07a10'; pen.lineWidth = 1.6;
          // A row tells of the sound that ends with it: drawn where that sound was sent.
          line(shown.map(row => row[4] === null ? null : [x(row[0] + block - row[4]), y(row[4])]));
          pen.textAlign = 'right'; pen.fillStyle = '#e07a10'; pen.fillText('play-out', width - 10, pane.top - 5);
          pen.fillStyle = '#2d5b86'; pen.fillText('packets', width - 62, pane.top - 5);
          pen.fillStyle = '#d92d20'; pen.fillText('lost', width - 110, pane.top - 5);
        }
        function drawLevel(pane, shown) {
          let high = 20;
          for (const row of shown) high = Math.max(high, row[2], row[3]);
          const y = scale(pane, 0, high * 1.08);
          pen.lineWidth = 1.2;
          pen.strokeStyle = '#7aa6c9'; line(shown.map(row => [x(row[0]), y(row[3])]));
          pen.strokeStyle = '#1d9a50'; line(shown.map(row => [x(row[0]), y(row[2])]));
          pen.textAlign = 'right'; pen.fillStyle = '#1d9a50'; pen.fillText('target', width - 10, pane.top - 5);
          pen.fillStyle = '#7aa6c9'; pen.fillText('level', width - 50, pane.top - 5);
        }
        function drawReasons(pane, shown) {
          // What matters is drawn last, and never thinner than a pixel.
          for (let reason = 0; reason < names.length; reason++) {
            pen.fillStyle = colours[names[reason]];
            const least = reason > 1 ? 1.2 : 0.6;
            for (const row of shown) if (row[1] === reason)
              pen.fillRect(x(row[0]), pane.top, Math.max(least, x(row[0] + 1.05 * block) - x(row[0])), pane.height);
          }
        }
        function drawWave(pane, shown) {
          const first = lower(rows, shown.length ? shown[0][0] : 0, row => row[0]), middle = pane.top + pane.height / 2;
          shown.forEach((row, index) => {
            const [low, high] = data.wave[first + index].map(peak => peak / loudest);
            pen.fillStyle = row[1] > 6 ? colours[names[row[1]]] : '#4b6a86';
            pen.fillRect(x(row[0]), middle - high * pane.height / 2, Math.max(0.7, x(row[0] + block) - x(row[0])),
              Math.max(0.7, (high - low) * pane.height / 2));
          });
        }

        function move(a, b) {
          const span = Math.min(Math.max(b - a, 100), end - begin);
          from = Math.min(Math.max(a, begin), end - span); to = from + span; draw();
        }
        const zoom = (factor, centre) => move(centre - (centre - from) * factor, centre + (to - centre) * factor);
        canvas.addEventListener('wheel', event => { event.preventDefault();
          zoom(event.deltaY > 0 ? 1.25 : 0.8, time(event.offsetX)); }, { passive: false });
        let drag = null;
        canvas.addEventListener('pointerdown', event => {
          drag = { place: event.offsetX, from, to };
          canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener('pointerup', () => { drag = null; });
        canvas.addEventListener('dblclick', () => move(begin, end));
        canvas.addEventListener('pointermove', event => {
          if (drag) {
            const way = (event.offsetX - drag.place) / (width - left - 8) * (drag.to - drag.from);
            return move(drag.from - way, drag.to - way);
          }
          hover = time(event.offsetX); draw();
          const row = rows[Math.max(0, lower(rows, hover, r => r[0]) - 1)];
          if (row) document.getElementById('readout').textContent = (row[0] / 1000).toFixed(2) + ' s: ' + names[row[1]] +
            ', target ' + row[2] + ' ms, level ' + row[3] + ' ms' + (row[4] === null ? '' : ', delay ' + row[4] + ' ms');
        });
        window.addEventListener('keydown', event => {
          const span = to - from, centre = (from + to) / 2;
          if (event.key === '+') zoom(0.7, centre); else if (event.key === '-') zoom(1.4, centre);
          else if (event.key === 'ArrowLeft') move(from - span / 4, to - span / 4);
          else if (event.key === 'ArrowRight') move(from + span / 4, to + span / 4);
        });
        window.addEventListener('resize', draw);

        function note(parent, html) {
          const part = document.createElement('span');
          part.innerHTML = html;
          parent.append(part, ' ');
        }
        const sum = document.getElementById('figures');
        if ('delay_ms' in figures)
          note(sum, `delay <b>${figures.delay_ms}</b> ms (${figures.delay_min_ms} to ${figures.delay_max_ms})`);
        note(sum, `packets <b>${figures.packets_sent}</b>, lost <b>${figures.packets_lost}</b>`);
        note(sum, `late <b>${figures.packets_late}</b>`);
        if ('concealed_ratio' in figures) note(sum, `invented <b>${(100 * figures.concealed_ratio).toFixed(2)}</b> %`);
        note(sum, `interruptions <b>${figures.concealments}</b>`);
        note(sum, `shortened <b>${figures.accelerated_ms}</b> ms, lengthened <b>${figures.decelerated_ms}</b> ms`);
        const legend = document.getElementById('legend');
        for (const name of names) {
          const total = rows.reduce((n, row) => n + (names[row[1]] === name ? block : 0), 0);
          const text = total >= 10000 ? (total / 1000).toFixed(1) + ' s' : total.toFixed(0) + ' ms';
          if (total) note(legend, `<i style="background:${colours[name]}"></i>${name} ${text}`);
        }
        const runs = [];
        rows.forEach((row, index) => {
          if (row[1] < 2) return;
          const last = runs[runs.length - 1];
          if (last && last.reason === row[1] && last.next === index) { last.next++; last.length += block; }
          else runs.push({ reason: row[1], start: row[0], next: index + 1, length: block });
        });
        const worst = runs.filter(run => names[run.reason] !== 'comfort_noise').sort((a, b) => b.length - a.length);
        for (const run of worst.slice(0, 12)) {
          const entry = document.createElement('tr');
          for (const cell of [(run.start / 1000).toFixed(2), names[run.reason], run.length.toFixed(0)]) {
            const box = document.createElement('td');
            box.textContent = cell;
            entry.append(box);
          }
          entry.onclick = () => move(run.start - 1000, run.start + run.length + 1000);
          document.getElementById('worst').append(entry);
        }
        draw();

        """#
}
