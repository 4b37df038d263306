extension PageFiles {
    /// Calls that were: searched, each with its figures and what was recorded of it. Nothing is asked for until it is opened.
    static let historyScript = #"""
        // The search, where the next page begins, and the sounds of the call that is shown.
        const past = { text: '', next: null, sounds: [] };

        async function loadPast(isMore) {
          const query = new URLSearchParams({ limit: '20' });
          if (past.text) query.set('q', past.text);
          if (isMore && past.next != null) query.set('before', past.next);
          const page = await order('GET', '/v1/history?' + query);
          past.next = page.next;
          const rows = page.calls.map(pastRow);
          if (isMore) part('past-calls').append(...rows);
          else part('past-calls').replaceChildren(...rows);
          part('past-more').hidden = page.next == null;
          part('past-state').textContent = rows.length || isMore ? '' : 'no calls';
        }

        const tryPast = (work) => tellAt('past-state', work);
        const pastName = (call) => call.name || call.peer || (call.kind === 'browser' ? 'a browser' : 'unknown');
        const percent = (ratio) => (ratio == null ? '-' : (100 * ratio).toFixed(1) + ' %');

        function pastRow(call) {
          const row = element('tr', '');
          const began = new Date(call.started);
          for (const text of [
            (call.direction === 'incoming' ? 'from ' : 'to ') + pastName(call),
            moment(call.started),
            call.duration_s == null ? '' : clock(call.duration_s), (call.end_reason || 'running').replaceAll('_', ' '),
            milliseconds(call.mouth_to_ear_ms), percent(call.concealed_ratio),
          ]) row.append(element('td', text));
          const cell = element('td', '');
          const more = button('Details', 'check', () => tryPast(() => showPast(call.id)));
          more.setAttribute('aria-label', 'Details of the call with ' + pastName(call) + ', ' + began.toLocaleString());
          cell.append(more);
          if (isBad(call)) {
            const report = button('Report', 'report', () => tryPast(() => saveReport(call.id)));
            report.setAttribute('aria-label', 'Save the report of the bad call with ' + pastName(call) + ', ' + began.toLocaleString());
            cell.append(' ', report);
          }
          row.append(cell);
          return row;
        }

        async function showPast(id) {
          const call = await order('GET', '/v1/history/' + id);
          const facts = {
            with: pastName(call), address: call.peer, account: call.account, began: new Date(call.started).toLocaleString(),
            answered: call.answered && new Date(call.answered).toLocaleString(), codec: call.codec,
            ended: [call.end_reason, call.sip_code, call.explanation].filter(Boolean).join(', '),
            'mouth to ear': call.mouth_to_ear_ms == null ? null : milliseconds(call.mouth_to_ear_ms), gaps: call.gaps,
            'made up for lost sound': call.concealed_ratio == null ? null : percent(call.concealed_ratio),
            'quality (MOS)': call.report?.mos_cq ?? call.report?.mos_lq,
          };
          const spans = call.report?.concealed_spans || [];
          const list = element('dl', '');
          for (const [name, value] of Object.entries(facts))
            if (value != null && value !== '') list.append(element('dt', name), element('dd', String(value)));
          const sounds = (call.recordings || []).map((name) => pastSound(name, spans));
          for (const url of past.sounds.splice(0)) URL.revokeObjectURL(url);
          part('past-call').replaceChildren(element('h3', 'The call with ' + pastName(call)), list, ...sounds,
            button('Save the report', 'report', () => tryPast(() => saveReport(id))));
          part('past-call').hidden = false;
          part('past-call').focus();
        }

        part('past').addEventListener('toggle', () => {
          if (part('past').open) tryPast(() => loadPast(false));
        });
        part('search').addEventListener('submit', (event) => {
          event.preventDefault();
          past.text = part('search-text').value.trim();
          tryPast(() => loadPast(false));
        });
        part('past-more').addEventListener('click', () => tryPast(() => loadPast(true)));

        """#
}
