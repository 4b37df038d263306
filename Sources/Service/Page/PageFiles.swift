/// The page's files: no build step, nothing from elsewhere.
enum PageFiles {
    /// What each page begins with.
    static let top = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>yodel</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/page.css">
        <script src="/page.js" defer></script>
        </head>
        <body>
        <header>
        <h1>yodel</h1>
        """

    static let html = """
        \(top)
        <p id="service" role="status">connecting to the service</p>
        <button id="notify" type="button" hidden>Notify me of calls and texts</button>
        </header>
        <main>
        <section id="incoming" aria-label="Calls that ring" aria-live="assertive"></section>
        <section aria-labelledby="dial-title">
        <h2 id="dial-title">Call</h2>
        <form id="dial">
        <label for="to">Number or address</label>
        <input id="to" type="text" inputmode="email" autocomplete="off" autocapitalize="none" spellcheck="false"
          placeholder="102 or sip:102@example.com" maxlength="1024" required>
        <label for="account" id="account-label" hidden>Call and write as</label>
        <select id="account" hidden></select>
        <button id="call" type="submit" class="go">Call</button>
        <button id="echo" type="button">Echo test</button>
        </form>
        <p id="state" role="status">no call</p>
        <details id="devices">
        <summary>Microphone and loudspeaker</summary>
        <div class="choices">
        <label for="microphone">Microphone</label>
        <select id="microphone"></select>
        <label for="loudspeaker" id="loudspeaker-label">Loudspeaker</label>
        <select id="loudspeaker"></select>
        <label><input id="takes-echo" type="checkbox"> The browser takes the loudspeaker's echo out; not needed with a headset</label>
        <p id="devices-state"></p>
        </div>
        </details>
        </section>
        <section id="talk" aria-labelledby="talk-title" hidden>
        <h2 id="talk-title">In this call</h2>
        <p><strong id="who"></strong> <span id="how"></span> <time id="timer">0:00</time></p>
        <div class="row">
        <button id="hangup" type="button" class="stop">Hang up</button>
        <button id="hold" type="button" aria-pressed="false">Hold</button>
        <button id="mute" type="button" aria-pressed="false">Mute</button>
        <button id="keys" type="button" aria-expanded="false" aria-controls="keypad">Keypad</button>
        <button id="transfer-open" type="button" aria-expanded="false" aria-controls="transfer">Transfer</button>
        <button id="look-open" type="button">Look closer</button>
        </div>
        <form id="transfer" hidden>
        <label for="transfer-to">Transfer to number or address</label>
        <input id="transfer-to" type="text" inputmode="email" autocomplete="off" autocapitalize="none" spellcheck="false"
          maxlength="1024" required>
        <button id="transfer-go" type="submit" class="go">Transfer</button>
        </form>
        <div id="keypad" role="group" aria-label="Keypad" hidden></div>
        <div id="others" class="row" aria-label="Other calls" role="group"></div>
        <div class="levels">
        <label>You <meter id="spoken" min="-60" max="0" low="-50" value="-60"></meter></label>
        <label>Heard <meter id="heard" min="-60" max="0" low="-50" value="-60"></meter></label>
        </div>
        <div class="delays" role="group" aria-label="Delay">
        <p>You to them <output id="delay-out">-</output></p>
        <p>Them to you <output id="delay-in">-</output></p>
        <p>Inside yodel, both ways <output id="delay">-</output></p>
        </div>
        <details>
        <summary>Where the delay is</summary>
        <div class="wide" tabindex="0" role="region" aria-label="Stages of the delay">
        <table><thead><tr><th scope="col">Stage</th><th scope="col">You to them</th><th scope="col">Them to you</th></tr></thead>
        <tbody id="stages"></tbody></table>
        </div>
        <p id="unknown">Not known: what microphones, loudspeakers and the other side's program add.</p>
        </details>
        </section>
        <section aria-labelledby="accounts-title">
        <h2 id="accounts-title">Accounts</h2>
        <ul id="accounts"></ul>
        </section>
        <section aria-labelledby="health-title">
        <h2 id="health-title">This machine</h2>
        <p id="health-state" role="status"></p>
        <ul id="findings"></ul>
        <button id="health-look" type="button" class="check">Look anew</button>
        </section>
        <section aria-labelledby="calls-title">
        <h2 id="calls-title">Calls</h2>
        <div class="wide" tabindex="0" role="region" aria-label="List of calls">
        <table><thead><tr><th scope="col">With</th><th scope="col">State</th><th scope="col">Began</th><th scope="col">Lasted</th>
        <th scope="col">Delay</th><th scope="col">MOS</th><th scope="col">More</th></tr></thead>
        <tbody id="calls"></tbody></table>
        </div>
        </section>
        <section id="look" aria-labelledby="look-title" tabindex="-1" hidden>
        <h2 id="look-title">The call</h2>
        <p id="look-state" role="status"></p>
        <div class="delays" role="group" aria-label="Delay of this call">
        <p>Us to them <output id="look-out">-</output></p>
        <p>Them to us <output id="look-in">-</output></p>
        <p>Mouth to ear, as the other side tells its part <output id="look-both">-</output></p>
        </div>
        <figure>
        <svg id="ledger" viewBox="0 0 600 92" preserveAspectRatio="none" role="img" aria-labelledby="ledger-text"></svg>
        <figcaption id="ledger-text"></figcaption>
        </figure>
        <p id="echo-state"></p>
        <div id="curves" role="group" aria-label="The last minute"></div>
        <h3>Moments that were made up</h3>
        <p id="moments-state"></p>
        <ol id="moments"></ol>
        <h3>What was agreed on</h3>
        <p id="negotiation-sum"></p>
        <div class="wide" tabindex="0" role="region" aria-label="What was agreed on, line by line">
        <table><thead><tr><th scope="col">What</th><th scope="col">Offered</th><th scope="col">Answered</th>
        <th scope="col">In force</th><th scope="col">Why</th></tr></thead>
        <tbody id="negotiation"></tbody></table>
        </div>
        <h3>Messages by SIP</h3>
        <p id="ladder-state"></p>
        <ol id="ladder"></ol>
        <button id="look-close" type="button">Close</button>
        </section>
        <section aria-labelledby="texts-title">
        <h2 id="texts-title">Texts</h2>
        <form id="text">
        <label for="text-to">Text to number or address</label>
        <input id="text-to" type="text" inputmode="email" autocomplete="off" autocapitalize="none" spellcheck="false"
          maxlength="1024" required>
        <label for="text-words">What it says</label>
        <input id="text-words" type="text" autocomplete="off" maxlength="1000" required>
        <button id="text-send" type="submit" class="go">Send</button>
        </form>
        <p id="texts-state" role="status"></p>
        <ul id="texts"></ul>
        <button id="texts-more" type="button" hidden>Older texts</button>
        </section>
        <section id="past-section" aria-labelledby="past-title" hidden>
        <details id="past">
        <summary><h2 id="past-title">History</h2></summary>
        <form id="search">
        <label for="search-text">Search in address, name, account or end</label>
        <input id="search-text" type="search" maxlength="200" autocomplete="off" spellcheck="false">
        <button id="search-go" type="submit">Search</button>
        </form>
        <p id="past-state" role="status"></p>
        <div class="wide" tabindex="0" role="region" aria-label="Calls that were">
        <table><thead><tr><th scope="col">With</th><th scope="col">Began</th><th scope="col">Lasted</th><th scope="col">End</th>
        <th scope="col">Delay</th><th scope="col">Made up</th><th scope="col">More</th></tr></thead>
        <tbody id="past-calls"></tbody></table>
        </div>
        <button id="past-more" type="button" hidden>Older calls</button>
        <div id="past-call" tabindex="-1" hidden></div>
        </details>
        </section>
        <audio id="sound" autoplay></audio>
        </main>
        </body>
        </html>

        """

    /// One file for the browser, in the order of what needs what.
    static let script =
        "'use strict';\n\n" + apiScript + entranceScript + handsetScript + callScript + partiesScript + textScript
        + historyScript
        + playbackScript
        + lookScript + curveScript
        + delayScript
        + accountScript + healthScript + bundleScript + deviceScript + viewScript
}
