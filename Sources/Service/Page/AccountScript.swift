extension PageFiles {
    /// The accounts: where each stands, what is wrong with it, what to do, and a look at its registrar.
    static let accountScript = #"""
        // The steps of the last look at an account's registrar; null while one is under way.
        const looks = new Map();

        async function lookAt(account) {
          looks.set(account.name, null);
          drawAccounts();
          try { looks.set(account.name, (await order('POST', `/v1/accounts/${encodeURIComponent(account.name)}/check`)).steps); }
          catch (error) { looks.set(account.name, [{ passed: false, step: 'look', detail: error.message }]); }
          drawAccounts();
          part('accounts').querySelector(`[aria-label="${CSS.escape('Check ' + account.name)}"]`)?.focus();
        }

        const voiceMessages = (count) =>
          count == null ? 'new voice messages' : count + (count === 1 ? ' new voice message' : ' new voice messages');

        function renewButton(account) {
          const made = button('Register anew', 'check renew', () => attempt(() => order('POST', `/v1/accounts/${encodeURIComponent(account.name)}/refresh`)));
          made.setAttribute('aria-label', 'Register ' + account.name + ' anew');
          return made;
        }

        function drawAccounts() {
          const list = [...known.accounts.values()];
          fill(part('accounts'), JSON.stringify([list, [...looks]]), () => list.length ? list.map((account) => {
            const item = element('li', account.uri + ' ');
            item.append(element('span', account.state, { className: account.state }));
            const trouble = [account.sip_code, account.reason].filter(Boolean).join(' ');
            if (account.state === 'failed' && trouble) item.append(': ' + trouble);
            if (account.state === 'failed') item.append(', since ' + new Date(account.since).toLocaleTimeString([], { timeStyle: 'short' }));
            if (account.messages_waiting) item.append(', ' + voiceMessages(account.messages_new));
            const look = looks.get(account.name);
            const made = button('Check', 'check', () => lookAt(account));
            made.setAttribute('aria-label', 'Check ' + account.name);
            made.disabled = look === null;
            item.append(' ', made);
            if (account.state === 'failed') item.append(' ', renewButton(account));
            const whatNow = [
              account.remedy && 'What to do: ' + account.remedy, account.state === 'failed' && account.retry_s != null
                && 'it is tried again within ' + Math.ceil(account.retry_s) + ' s',
            ].filter(Boolean).join('; ');
            if (whatNow) item.append(element('p', whatNow, { className: 'remedy' }));
            if (look) {
              const steps = element('ul', '');
              steps.append(...look.map((step) => element('li', (step.passed ? 'ok: ' : 'failed: ') + step.step + ', ' + step.detail)));
              item.append(steps);
            }
            return item;
          }) : [element('li', 'none: write one into the configuration, below accounts:')]);
          for (const id of ['account', 'account-label']) part(id).hidden = list.length < 2;
          fill(part('account'), list.map((account) => account.name).join(), () => list.map((account) => {
            const made = element('option', account.name + ' (' + account.uri + ')');
            made.value = account.name;
            return made;
          }));
        }

        """#
}
