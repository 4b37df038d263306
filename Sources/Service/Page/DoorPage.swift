extension PageFiles {
    /// The page of `yodel listen http://`: one call, with whoever runs it.
    static let doorHTML = """
        \(top)
        <p id="state" role="status">no call</p>
        </header>
        <main>
        <section aria-labelledby="call-title">
        <h2 id="call-title">Call</h2>
        <div class="row">
        <button id="call" type="button" class="go">Call</button>
        <button id="hangup" type="button" class="stop" disabled>Hang up</button>
        </div>
        <div class="levels">
        <label>You <meter id="spoken" min="-60" max="0" low="-50" value="-60"></meter></label>
        <label>Heard <meter id="heard" min="-60" max="0" low="-50" value="-60"></meter></label>
        </div>
        <div class="delays" role="group" aria-label="Delay">
        <p>There and back <output id="delay">-</output></p>
        <p>Of it inside yodel <output id="delay-inside">-</output></p>
        </div>
        </section>
        <audio id="sound" autoplay></audio>
        </main>
        </body>
        </html>

        """

    /// One file for the browser, in the order of what needs what.
    static let doorFile = "'use strict';\n\n" + apiScript + handsetScript + delayScript + doorScript

    /// What this page has in place of the service's: its one button, and the delay.
    private static let doorScript = #"""
        const offerPath = () => '/call';
        const relays = () => [];
        const openMicrophone = () => navigator.mediaDevices.getUserMedia({ audio: talk.constraints || { echoCancellation: true } });
        const drawDevices = async () => {};
        const useLoudspeaker = () => null;
        const tell = (text) => { part('state').textContent = text; };
        const milliseconds = (value) => (value == null ? '-' : Math.round(value) + ' ms');

        function changed() {
          part('call').disabled = !!talk.peer;
          part('hangup').disabled = !talk.peer;
          if (talk.peer?.connectionState === 'connected') tell('connected');
        }

        // What the browser measures of its half, and what yodel tells of its own.
        async function drawDoorDelay() {
          const own = await ownFigures();
          const told = talk.place ? await order('GET', talk.place) : {};
          const theirs = told.local_delay_ms ?? inside(told.ledger_ms);
          const stages = [own.packing, own.sending, own.network, own.network, own.buffer, own.playing, theirs].filter((value) => value != null);
          const isMeasured = own.network != null;
          part('delay').textContent = milliseconds(isMeasured ? stages.reduce((one, other) => one + other, 0) : null);
          part('delay-inside').textContent = milliseconds(theirs);
        }

        part('call').addEventListener('click', () => {
          part('call').disabled = true;
          openHandset().then(changed, (error) => { tell(error.message); changed(); });
        });
        part('hangup').addEventListener('click', () => closeHandset('over'));
        setInterval(() => drawDoorDelay().catch(() => {}), 1000);
        if (!token) tell('put #token=TOKEN behind the address, as yodel printed it');
        else if (!window.isSecureContext) tell(noMicrophone);

        """#
}
