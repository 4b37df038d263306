extension PageFiles {
    /// All that explains a call, as a file: one click.
    static let bundleScript = #"""
        // Calls whose bundle is being made: it takes some seconds.
        const bundling = new Set();

        async function saveBundle(call) {
          if (bundling.has(call.id)) return;
          bundling.add(call.id);
          try {
            const response = await ask('POST', `/v1/calls/${call.id}/bundle`);
            if (!response.ok) throw new Error(await reason(response));
            const address = URL.createObjectURL(await response.blob());
            element('a', '', { href: address, download: `call-${call.id}.tar` }).click();
            setTimeout(() => URL.revokeObjectURL(address), 60000);
          } finally { bundling.delete(call.id); }
        }

        function bundleButton(call) {
          const made = button('Save', 'check', () => attempt(() => saveBundle(call)));
          made.dataset.bundle = call.id;
          made.setAttribute('aria-label', 'Save all that explains the call with ' + withWhom(call));
          return made;
        }

        """#
}
