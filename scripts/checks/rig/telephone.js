'use strict';

// A telephone in a page, by SIP over WebSocket (RFC 7118), for checks: one call at a time, no repetitions (a WebSocket loses
// nothing), digests by SHA-256. Nothing is done about media but what RTCPeerConnection does.
const telephone = {
  heard: null,
  peer: null,
  // What happened, oldest first: registered, ringing, connected, held, resumed, ended, refused NNN.
  told: [],

  async register(url, user, realm, password) {
    Object.assign(this, { user, realm, password, host: `${token()}.invalid`, waiting: new Map(), dialog: null });
    this.socket = new WebSocket(url, 'sip');
    await new Promise((done, failed) => Object.assign(this.socket, { onopen: done, onerror: () => failed(Error('no WebSocket')) }));
    this.socket.onmessage = (event) => this.receive(parsed(event.data));
    const own = `<sip:${user}@${realm}>`;
    const dialog = { callID: token(), local: `${own};tag=${token()}`, remote: own, target: `sip:${realm}`, routes: [], number: 0 };
    const answer = await this.ask('REGISTER', dialog, { fields: ['Expires: 600'] });
    if (answer.status !== 200) throw Error(`REGISTER is answered ${answer.status}`);
    this.told.push('registered');
  },

  async call(user) {
    const peer = await this.open();
    const [own, other] = [this.user, user].map((name) => `sip:${name}@${this.realm}`);
    const dialog = { callID: token(), local: `<${own}>;tag=${token()}`, remote: `<${other}>`, target: other, routes: [], number: 0 };
    this.dialog = dialog;
    const answer = await this.ask('INVITE', dialog, { body: await this.offer() });
    if (answer.status >= 300) return this.end(`refused ${answer.status}`);
    Object.assign(dialog, { remote: answer.fields.to[0], target: contact(answer), routes: answer.fields['record-route'].reverse() });
    this.send('ACK', dialog, { number: dialog.number });
    await peer.setRemoteDescription({ type: 'answer', sdp: answer.body });
    this.told.push('connected');
  },

  // A second offer of ours: the other side is held, or not any more.
  async hold(isHeld) {
    this.peer.getTransceivers()[0].direction = isHeld ? 'sendonly' : 'sendrecv';
    const answer = await this.ask('INVITE', this.dialog, { body: await this.offer() });
    if (answer.status >= 300) throw Error(`a second offer is answered ${answer.status}`);
    this.send('ACK', this.dialog, { number: this.dialog.number });
    await this.peer.setRemoteDescription({ type: 'answer', sdp: answer.body });
    this.told.push(isHeld ? 'held' : 'resumed');
  },

  async hangUp() {
    await this.ask('BYE', this.dialog);
    this.end('ended');
  },

  // MARK: - Media

  async open() {
    const constraints = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    const microphone = await navigator.mediaDevices.getUserMedia({ audio: constraints });
    const peer = new RTCPeerConnection();
    peer.addTrack(microphone.getAudioTracks()[0], microphone);
    peer.ontrack = (event) => {
      this.heard = event.streams[0] ?? new MediaStream([event.track]);
      this.loudspeaker = Object.assign(new Audio(), { srcObject: this.heard });
      this.loudspeaker.play();
    };
    this.peer = peer;
    return peer;
  },

  async offer() {
    await this.peer.setLocalDescription(await this.peer.createOffer());
    return this.whole();
  },

  async answer(offer) {
    await this.peer.setRemoteDescription({ type: 'offer', sdp: offer });
    await this.peer.setLocalDescription(await this.peer.createAnswer());
    return this.whole();
  },

  // SIP takes no candidates that come later.
  async whole() {
    while (this.peer.iceGatheringState !== 'complete') await new Promise((done) => setTimeout(done, 10));
    return this.peer.localDescription.sdp;
  },

  end(how) {
    this.peer?.getSenders().forEach((sender) => sender.track?.stop());
    this.peer?.close();
    Object.assign(this, { peer: null, dialog: null });
    this.told.push(how);
  },

  // MARK: - Requests of ours

  // The final answer; a challenge is met once.
  async ask(method, dialog, what = {}) {
    const answer = await this.transact(method, dialog, what);
    const challenge = answer.fields['www-authenticate']?.[0] ?? answer.fields['proxy-authenticate']?.[0];
    if (!challenge) return answer;
    const name = answer.status === 401 ? 'Authorization' : 'Proxy-Authorization';
    const credentials = `${name}: ${await this.credentials(challenge, method, dialog.target)}`;
    return this.transact(method, dialog, { ...what, fields: [...(what.fields ?? []), credentials] });
  },

  transact(method, dialog, what) {
    const branch = `z9hG4bK${token()}`;
    const number = ++dialog.number;
    return new Promise((done) => {
      this.waiting.set(`${branch} ${method}`, (answer) => {
        if (answer.status < 200) return this.told.push('ringing');
        this.waiting.delete(`${branch} ${method}`);
        const target = { ...dialog, remote: answer.fields.to[0], routes: [] };
        if (method === 'INVITE' && answer.status >= 300) this.send('ACK', target, { branch, number });
        done(answer);
      });
      this.send(method, dialog, { ...what, branch, number });
    });
  },

  send(method, dialog, { branch = `z9hG4bK${token()}`, number, body = '', fields = [] }) {
    this.write(`${method} ${dialog.target} SIP/2.0`, [
      `Via: SIP/2.0/WS ${this.host};branch=${branch}`, 'Max-Forwards: 70', `From: ${dialog.local}`, `To: ${dialog.remote}`,
      `Call-ID: ${dialog.callID}`, `CSeq: ${number} ${method}`, ...dialog.routes.map((route) => `Route: ${route}`), ...fields,
    ], body);
  },

  write(first, fields, body) {
    const described = body ? ['Content-Type: application/sdp'] : [];
    const own = `Contact: <sip:${this.user}@${this.host};transport=ws>`;
    this.socket.send([first, ...fields, own, ...described, `Content-Length: ${body.length}`, '', body].join('\r\n'));
  },

  // RFC 8760, qop auth.
  async credentials(challenge, method, uri) {
    const [, realm] = challenge.match(/realm="([^"]*)"/);
    const [, nonce] = challenge.match(/nonce="([^"]*)"/);
    if (!/algorithm="?SHA-256\b/.test(challenge)) throw Error(`not by SHA-256: ${challenge}`);
    const cnonce = token();
    const [whose, what] = [await digest(`${this.user}:${realm}:${this.password}`), await digest(`${method}:${uri}`)];
    const response = await digest(`${whose}:${nonce}:00000001:${cnonce}:auth:${what}`);
    return `Digest username="${this.user}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}", `
      + `algorithm=SHA-256, qop=auth, nc=00000001, cnonce="${cnonce}"`;
  },

  // MARK: - What comes

  receive(message) {
    if (message.status) return this.waiting.get(`${message.branch} ${message.method}`)?.(message);
    const isOurs = message.fields['call-id'][0] === this.dialog?.callID;
    switch (message.method) {
      case 'ACK': return;
      case 'INVITE': return isOurs ? this.change(message) : this.take(message);
      case 'BYE':
        this.respond(message, isOurs ? 200 : 481);
        return isOurs && this.end('ended');
      default: return this.respond(message, message.method === 'OPTIONS' ? 200 : 405);
    }
  },

  // A call, which is answered at once.
  async take(message) {
    if (this.dialog) return this.respond(message, 486);
    const { from, to, 'call-id': [callID], 'record-route': routes } = message.fields;
    const local = `${to[0]};tag=${token()}`;
    this.dialog = { callID, local, remote: from[0], target: contact(message), routes, number: 0 };
    this.told.push('ringing');
    this.respond(message, 180);
    await this.open();
    try {
      const body = await this.answer(message.body);
      if (/^m=audio 0 /m.test(body)) throw `no audio of ${message.body.match(/^m=.*/m)}`;
      this.respond(message, 200, body);
      this.told.push('connected');
    } catch (problem) {
      this.respond(message, 488);
      this.end(`refused 488: ${problem}`);
    }
  },

  // A second offer of theirs.
  async change(message) {
    this.respond(message, 200, await this.answer(message.body));
    this.told.push('changed');
  },

  respond(message, status, body = '') {
    const { via, from, to, 'call-id': [callID], cseq, 'record-route': routes } = message.fields;
    const own = status > 100 && this.dialog?.callID === callID ? this.dialog.local : to[0];
    this.write(`SIP/2.0 ${status} ${status < 300 ? 'OK' : 'No'}`, [
      ...via.map((text) => `Via: ${text}`), ...routes.map((text) => `Record-Route: ${text}`), `From: ${from[0]}`, `To: ${own}`,
      `Call-ID: ${callID}`, `CSeq: ${cseq[0]}`,
    ], body);
  },
};

// 64 random bits.
function token() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function digest(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// What a message says; `status` is 0 in requests. Every list stands in one field or in several: here it is one.
function parsed(text) {
  const [head, body] = [text.slice(0, text.indexOf('\r\n\r\n')), text.slice(text.indexOf('\r\n\r\n') + 4)];
  const [first, ...lines] = head.split('\r\n');
  const fields = { via: [], 'record-route': [] };
  for (const line of lines) {
    const [, name, value] = line.match(/^([^:\s]+)\s*:\s*(.*)$/);
    const values = ['via', 'record-route'].includes(name.toLowerCase()) ? value.split(/\s*,\s*/) : [value];
    fields[name.toLowerCase()] = [...(fields[name.toLowerCase()] ?? []), ...values];
  }
  const [, branch] = fields.via[0].match(/;branch=([^;\s]+)/);
  const status = first.startsWith('SIP/2.0 ') ? Number(first.split(' ')[1]) : 0;
  return { status, method: fields.cseq[0].split(' ')[1], branch, fields, body };
}

function contact(message) {
  return message.fields.contact[0].match(/<([^>]*)>/)[1];
}
