extension PageFiles {
    /// Where the delay is: what the service tells of a call, joined with what this browser measures of its half.
    static let delayScript = #"""
        // Without the network, which is measured for itself.
        function inside(ledger) {
          const known = Object.entries(ledger || {}).filter(([name, value]) => !['network', 'sum'].includes(name) && value != null);
          return known.length ? known.reduce((sum, [, value]) => sum + value, 0) : null;
        }

        // The mean of what a sum of seconds and a count have grown by since the look before, in milliseconds.
        function mean(sums, name, seconds, count) {
          const former = sums[name] || { seconds: 0, count: 0 };
          sums[name] = { seconds, count };
          const [time, number] = count > former.count ? [seconds - former.seconds, count - former.count] : [seconds, count];
          return number > 0 ? 1000 * time / number : null;
        }

        // How far libopus looks ahead, which encodes in every browser, in milliseconds.
        const opusLookahead = 6.5;

        // What this browser itself measures: half its round trip to the service, how long what it says waits for its packet to be full and
        // to be sent, its own jitter buffer, what it plays out by, and what it made up.
        async function ownFigures() {
          const own = { network: null, packing: null, sending: null, buffer: null, playing: null, madeUp: null };
          if (!talk.peer) return own;
          const sums = talk.sums;
          const sent = { seconds: null, packets: null, codec: null };
          const reports = await talk.peer.getStats();
          for (const report of reports.values()) {
            if (report.type === 'candidate-pair' && report.nominated && report.currentRoundTripTime != null)
              own.network = 500 * report.currentRoundTripTime;
            if (report.type === 'media-source' && report.totalSamplesDuration) sent.seconds = report.totalSamplesDuration;
            if (report.type === 'outbound-rtp' && report.packetsSent) {
              sent.packets = report.packetsSent;
              sent.codec = reports.get(report.codecId)?.mimeType;
              own.sending = mean(sums, 'sending', report.totalPacketSendDelay || 0, report.packetsSent);
            }
            if (report.type === 'inbound-rtp' && report.jitterBufferEmittedCount) {
              own.buffer = mean(sums, 'buffer', report.jitterBufferDelay, report.jitterBufferEmittedCount);
              // Sound that was made up where there was silence to be heard is none that was lost.
              const samples = (report.concealedSamples || 0) - (report.silentConcealedSamples || 0);
              own.madeUp = 1000 * samples / 48000;
            }
            if (report.type === 'media-playout' && report.totalSamplesCount)
              own.playing = mean(sums, 'playing', report.totalPlayoutDelay, report.totalSamplesCount);
          }
          if (sent.seconds && sent.packets) {
            // What was said before the first packet is in none: the first look only begins to count.
            const hasBegun = 'packing' in sums;
            const length = mean(sums, 'packing', sent.seconds, sent.packets);
            if (hasBegun) own.packing = length + (sent.codec === 'audio/opus' ? opusLookahead : 0);
          }
          return own;
        }

        // A stage's name, and what it costs each way; null: it is not of that way, or nobody knows.
        function stagesOf(call, theirs, ours, own) {
          const far = call.kind === 'sip' ? theirs?.ledger_ms : null;
          if (!own) return ledgerStages(theirs?.ledger_ms);
          const near = ours?.ledger_ms;
          const told = toldOf(call, theirs);
          return [
            ['your browser\'s packets and encoder', own.packing, null],
            ['your browser, before it sends', own.sending, null],
            ['network to your browser', own.network, own.network],
            ['your browser\'s buffer', null, own.buffer],
            ['your browser\'s play-out', null, own.playing],
            ['jitter buffer', near?.jitter_buffer, far?.jitter_buffer],
            ['encoder', far?.encoder, near?.encoder],
            ['network to them', far?.network, far?.network],
            ['their program, as it tells', told.receiving, told.sending],
          ];
        }

        // What the other side's program tells of its own part: a yodel all of it, others how long their jitter buffer is.
        function toldOf(call, theirs) {
          const remote = call.kind === 'sip' ? theirs?.remote : null;
          return { receiving: remote?.receive_delay_ms ?? remote?.jitter_buffer_ms, sending: remote?.send_delay_ms };
        }

        // Of a call without a browser: all that the service tells.
        function ledgerStages(ledger) {
          const outward = ['capture', 'voice_processing', 'conversion', 'ring', 'framer', 'encoder'];
          return Object.entries(ledger || {}).filter(([name]) => name !== 'sum').map(([name, value]) => [
            name.replaceAll('_', ' '), name === 'network' || outward.includes(name) ? value : null, outward.includes(name) ? null : value,
          ]);
        }

        // Of the way in that column; null: nothing of it is known.
        function sumOf(stages, column) {
          const values = stages.map((stage) => stage[column]).filter((value) => value != null);
          return values.length ? values.reduce((one, other) => one + other, 0) : null;
        }

        function drawDelay(call, theirs, ours, own) {
          const far = call.kind === 'sip' ? theirs?.ledger_ms : null;
          const near = ours?.ledger_ms;
          const stages = stagesOf(call, theirs, ours, own);
          const yodel = [near?.jitter_buffer, far?.encoder, far?.jitter_buffer, near?.encoder].filter((value) => value != null);
          part('delay').textContent = milliseconds(
            call.kind === 'sip' ? (yodel.length ? yodel.reduce((one, other) => one + other, 0) : null) : inside(near));
          part('delay-out').textContent = call.kind === 'sip' ? milliseconds(sumOf(stages, 1)) : '-';
          part('delay-in').textContent = call.kind === 'sip' ? milliseconds(sumOf(stages, 2)) : '-';
          const isTold = call.kind === 'sip' && theirs?.remote?.receive_delay_ms != null && theirs.remote.send_delay_ms != null;
          const unknown = `Not known: what ${isTold ? 'your microphone and loudspeaker' : 'microphones, loudspeakers and the other side\'s program'} add.`;
          if (part('unknown').textContent !== unknown) part('unknown').textContent = unknown;
          part('stages').replaceChildren(...stages.map((stage) => {
            const row = element('tr', '');
            row.append(element('td', stage[0]), ...[1, 2].map((column) => element('td', milliseconds(stage[column]))));
            return row;
          }));
        }

        // The ledger of the call that is looked at, a bar each way, with its text below.
        function drawLedger(stages, told) {
          const sums = [1, 2].map((column) => sumOf(stages, column));
          const scale = 600 / Math.max(100, ...sums);
          part('ledger').replaceChildren(...[1, 2].flatMap((column, row) => {
            let at = 0;
            return stages.map((stage, number) => [stage[column] || 0, number]).filter(([value]) => value > 0).map(([value, number]) => {
              const width = value * scale;
              at += width;
              return svg('rect', {
                x: (at - width).toFixed(1), y: 8 + 44 * row, width: width.toFixed(1), height: 32, class: 'line' + number % 3,
              });
            });
          }));
          part('look-out').textContent = milliseconds(sums[0]);
          part('look-in').textContent = milliseconds(sums[1]);
          part('look-both').textContent = milliseconds(told);
          const words = (column) => stages.filter((stage) => stage[column] != null)
            .map((stage) => stage[0] + ' ' + milliseconds(stage[column])).join(', ') || 'nothing is known';
          part('ledger-text').textContent = `Us to them: ${words(1)}. Them to us: ${words(2)}.`;
        }

        """#
}
