extension PageFiles {
    /// Texts by SIP, both ways: the last ones, an answer to each, and a new one to anybody.
    static let textScript = #"""
        // By their ids, oldest first; of so many the newest are shown. `answered`: who is being answered, and by which account.
        const texts = { known: new Map(), shown: 20, answered: null };
        // As many as the service tells.
        const textLimit = 500;

        const tryTexts = (work) => tellAt('texts-state', work);
        const isTaken = (text) => text.state === 'received';
        const byWhom = (text) => (isTaken(text) ? text.name || text.from || 'unknown' : text.to);

        function textState(text) {
          const words = { received: '', sending: 'on its way', delivered: 'delivered' };
          return words[text.state] ?? 'not delivered: ' + [text.sip_code, text.reason].filter(Boolean).join(' ');
        }

        async function loadTexts() {
          // What is told meanwhile is newer than what was asked for.
          texts.known = new Map();
          const { messages } = await order('GET', '/v1/messages');
          texts.known = new Map([...messages.map((text) => [text.id, text]), ...texts.known]);
          drawTexts();
        }

        function drawTexts() {
          const list = [...texts.known.values()];
          part('texts').replaceChildren(...list.slice(-texts.shown).reverse().map(drawText));
          part('texts-more').hidden = list.length <= texts.shown;
        }

        function drawText(text) {
          const item = element('li', '');
          item.dataset.text = text.id;
          const title = element('p', '');
          title.append(
            element('strong', (isTaken(text) ? 'from ' : 'to ') + byWhom(text)), ' ', element('time', moment(text.time)), ' ',
            element('span', textState(text)));
          if (isTaken(text) && text.from) {
            const made = button('Answer', 'check', () => answerText(text));
            made.setAttribute('aria-label', 'Answer the text from ' + byWhom(text) + ', ' + moment(text.time));
            title.append(' ', made);
          }
          item.append(title, element('p', text.text, { className: 'words' }));
          return item;
        }

        // Only what is new is drawn, so that focus stays where it is.
        function takeText(text) {
          const isNew = !texts.known.has(text.id);
          texts.known.set(text.id, text);
          if (texts.known.size > textLimit) texts.known.delete(texts.known.keys().next().value);
          const list = part('texts');
          const drawn = [...list.children].find((item) => item.dataset.text === text.id);
          if (drawn) drawn.querySelector('span').textContent = textState(text);
          else if (isNew) list.prepend(drawText(text));
          if (list.children.length > textLimit) list.lastElementChild.remove();
        }

        function tellText(event) {
          if (event.type === 'connected') tryTexts(loadTexts);
          if (event.type === 'message') {
            part('texts-state').textContent = 'a text from ' + byWhom(event.message);
            notify('A text from ' + byWhom(event.message));
          }
          if (['message', 'message_sent'].includes(event.type)) takeText(event.message);
        }

        // By the account that it came to.
        function answerText(text) {
          texts.answered = { to: text.from, account: [...known.accounts.values()].find((one) => one.uri === text.to)?.name };
          part('text-to').value = text.from;
          part('text-words').focus();
        }

        async function sendText() {
          const to = part('text-to').value.trim();
          const account = (texts.answered?.to === to && texts.answered.account) || part('account').value || null;
          const sent = await order('POST', '/v1/messages', { to: address(to, account), account, text: part('text-words').value });
          // What became of it may have been told before.
          if (!texts.known.has(sent.id)) takeText(sent);
          part('text-words').value = '';
          part('texts-state').textContent = '';
        }

        part('text').addEventListener('submit', (event) => {
          event.preventDefault();
          tryTexts(sendText);
        });
        part('texts-more').addEventListener('click', () => {
          texts.shown += 20;
          drawTexts();
        });

        """#
}
