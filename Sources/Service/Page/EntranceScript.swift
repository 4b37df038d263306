extension PageFiles {
    /// How the page comes in: by the token in its address, by the first link, or by the session that this has brought.
    static let entranceScript = #"""
        const hasSession = async () => (await ask('GET', '/v1/accounts')).ok;

        // What keeps the page out, in words; nothing where it is in.
        async function enter() {
          if (token) return '';
          const secret = location.hash.slice(1);
          if (!secret) {
            return (await hasSession()) ? '' :
              'open the link that the service printed, or put #token=TOKEN behind the address, with the token of its file';
          }
          // It counts once, and has no place in the history of a browser.
          history.replaceState(null, '', location.pathname + location.search);
          const response = await ask('POST', '/v1/session', 'application/json', JSON.stringify({ secret }));
          if (response.ok) return '';
          const problem = await reason(response);
          return (await hasSession()) ? '' : problem;
        }

        """#
}
