extension PageFiles {
    /// Calls among each other: one goes to somebody else, two are one conversation, or their other sides are connected.
    static let partiesScript = #"""
        function openTransfer(isOpen) {
          part('transfer').hidden = !isOpen;
          part('transfer-open').setAttribute('aria-expanded', String(isOpen));
          if (isOpen) part('transfer-to').focus();
        }

        function drawParties(call) {
          part('transfer-open').disabled = !talks(call);
          if (!talks(call)) openTransfer(false);
          const others = mine().filter((other) => other.id !== call.id && other.kind === 'sip');
          fill(part('others'), JSON.stringify(others.map((other) => [other.id, other.held.by_us])), () =>
            others.flatMap((other) => [
              button('Back to ' + withWhom(other), 'back', () => attempt(async () => {
                wanted = other.id;
                await holdAllBut(other);
                await wakeMicrophone();
                await change(other, 'DELETE', 'hold');
              })),
              ...(other.held.by_us ? [button('Join ' + withWhom(other), 'join', () => attempt(() => change(other, 'DELETE', 'hold')))] : []),
              button('Connect with ' + withWhom(other), 'connect', () => attempt(async () => {
                await order('POST', `/v1/calls/${current().id}/transfer`, { call: other.id });
              })),
            ]));
        }

        // How far the other side is with the call that it makes in place of ours.
        function tellTransfer(event) {
          if (event.type !== 'transfer_progress' || !isMine(event.call)) return;
          tell(event.sip_code < 200 ? 'transferring: ' + event.reason : event.sip_code < 300 ? 'transferred' :
            'the transfer failed: ' + event.sip_code + ' ' + event.reason);
        }

        part('transfer-open').addEventListener('click', () => openTransfer(part('transfer').hidden));
        part('transfer').addEventListener('submit', (event) => {
          event.preventDefault();
          const call = current();
          attempt(async () => {
            await order('POST', `/v1/calls/${call.id}/transfer`, { to: address(part('transfer-to').value.trim(), call.account) });
            openTransfer(false);
            tell('transferring');
          });
        });

        """#
}
