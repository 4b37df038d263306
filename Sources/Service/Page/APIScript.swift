extension PageFiles {
    /// What the page says to the service, and what it is told: accounts and calls as they are.
    static let apiScript = #"""
        const part = (id) => document.getElementById(id);
        const token = new URLSearchParams(location.hash.slice(1)).get('token') || '';

        // Without a token in the address the browser's own session counts, by its cookie.
        const credentials = () => (token ? { Authorization: 'Bearer ' + token } : {});

        // `limit`: milliseconds after which nothing is waited for any more.
        function ask(method, path, type, body, limit) {
          const headers = credentials();
          if (type) headers['Content-Type'] = type;
          return fetch(path, { method, headers, body, signal: limit ? AbortSignal.timeout(limit) : undefined });
        }

        async function reason(response) {
          try { return (await response.json()).detail; } catch { return 'the service answered ' + response.status; }
        }

        // Milliseconds for what must not wait for a service that does not answer.
        const patience = 5000;

        // The JSON that comes back; else an error with the service's own words.
        async function order(method, path, body, limit) {
          const response = await ask(method, path, body ? 'application/json' : undefined, body && JSON.stringify(body), limit);
          if (!response.ok) throw new Error(await reason(response));
          return response.json();
        }

        // What is wrong is said at that place.
        function tellAt(id, work) {
          return work().catch((error) => { part(id).textContent = error.message; });
        }

        const callLimit = 250;
        // Everything as it is: accounts by name and calls by id, in the order they came.
        const known = { accounts: new Map(), calls: new Map(), hasHistory: false, last: null, isThere: false };

        function take(event) {
          // Of another run of the service none is lost that counts: a snapshot follows.
          if (event.type === 'gap' && event.lost != null) known.last = null;
          // After the configuration was read again, accounts may be gone.
          if (event.type === 'snapshot' || event.type === 'reloaded') {
            known.accounts = new Map(event.accounts.map((account) => [account.name, account]));
          }
          if (event.type === 'snapshot') {
            known.calls = new Map(event.calls.map((call) => [call.id, call]));
            known.hasHistory = event.history;
          }
          if (event.registration) known.accounts.set(event.registration.name, event.registration);
          if (event.call) known.calls.set(event.call.id, event.call);
          forget();
          changed(event);
        }

        // A page that stays open for months knows as many calls as the service does.
        function forget() {
          for (const [id, call] of known.calls) {
            if (known.calls.size <= callLimit) return;
            if (call.state !== 'ended') continue;
            known.calls.delete(id);
            figures.delete(id);
          }
        }

        // The service says something every 15 s: after so many milliseconds without a word it is not there.
        const silenceLimit = 45000;

        // Server-sent events by fetch, since an EventSource cannot bear a token.
        async function follow() {
          const headers = credentials();
          if (known.last) headers['Last-Event-ID'] = known.last;
          const connection = new AbortController();
          const giveUp = () => setTimeout(() => connection.abort(), silenceLimit);
          let timer = giveUp();
          try {
            const response = await fetch('/v1/events', { headers, signal: connection.signal });
            if (!response.ok) throw new Error(await reason(response));
            known.isThere = true;
            changed({ type: 'connected' });
            const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
            let text = '';
            for (;;) {
              const { value, done } = await reader.read();
              if (done) return;
              clearTimeout(timer);
              timer = giveUp();
              const blocks = (text + value).split('\n\n');
              text = blocks.pop();
              for (const block of blocks) {
                const lines = block.split('\n');
                const id = lines.find((line) => line.startsWith('id: '));
                const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6)).join('\n');
                if (id) known.last = id.slice(4);
                if (data) take(JSON.parse(data));
                // Events are missing: without a last one all is told anew.
                if (!known.last) return;
              }
            }
          } finally {
            clearTimeout(timer);
            connection.abort();
          }
        }

        async function followForEver() {
          for (;;) {
            let problem = 'the service is not there; trying again';
            try { await follow(); } catch (error) {
              if (!(error instanceof TypeError) && error.name !== 'AbortError') problem = error.message;
            }
            known.isThere = false;
            changed({ type: 'disconnected', problem });
            await new Promise((done) => setTimeout(done, 1000));
          }
        }

        """#
}
