// The broker over a websocket: node-mqtt's client on a line of our own, so that nothing of Node's network code is bundled.

import Client from 'mqtt/lib/client.js';
import { Duplex } from 'readable-stream';
import { Buffer } from 'buffer';

/** @typedef {'connecting' | 'live' | 'lost' | 'refused'} Condition */

const words = new TextDecoder();

/**
 * Where the packet ends that begins here, and where its body begins; nothing if this is less than a packet's head.
 * @param {Uint8Array} bytes @param {number} start
 */
function packet(bytes, start) {
  let length = 0;
  for (let at = start + 1; at < start + 5 && at < bytes.length; at += 1) {
    length += (bytes[at] & 127) * 128 ** (at - start - 1);
    if (bytes[at] < 128) return { body: at + 1, end: at + 1 + length };
  }
}

/**
 * Whether these bytes end with a packet, if they begin with one.
 * @param {Uint8Array} bytes
 */
function isWhole(bytes) {
  let at = 0;
  while (at < bytes.length) at = packet(bytes, at)?.end ?? Infinity;
  return at === bytes.length;
}

/**
 * A message that needs no acknowledgement (MQTT 3.1.1, 3.3: PUBLISH with QoS 0), alone in its frame. Nearly all that comes is one: read here it
 * costs a fifth of the way through the client.
 * @param {Uint8Array} bytes @param {(topic: string, payload: string, kept: boolean) => void} receive
 */
function isReceived(bytes, receive) {
  const frame = bytes[0] >> 4 === 3 && (bytes[0] & 6) === 0 ? packet(bytes, 0) : undefined;
  if (frame?.end !== bytes.length || frame.end < frame.body + 2) return false;
  const topic = frame.body + 2;
  const payload = topic + bytes[topic - 2] * 256 + bytes[topic - 1];
  if (payload > bytes.length) return false;
  receive(words.decode(bytes.subarray(topic, payload)), words.decode(bytes.subarray(payload)), (bytes[0] & 1) === 1);
  return true;
}

class Line extends Duplex {
  /** @param {string} address @param {(topic: string, payload: string, kept: boolean) => void} receive what needs no acknowledgement */
  constructor(address, receive) {
    super();
    const socket = new WebSocket(address, ['mqtt']);
    socket.binaryType = 'arraybuffer';
    /**
     * What waits for the socket to open.
     * @type {(() => void)[]}
     */
    const waiting = [];
    this.send = (/** @type {Uint8Array} */ bytes, /** @type {() => void} */ done) => {
      if (socket.readyState === WebSocket.CONNECTING) waiting.push(() => this.send(bytes, done));
      else {
        if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
        done();
      }
    };
    this.hangUp = () => socket.close();
    socket.onopen = () => waiting.splice(0).forEach((write) => write());
    // A broker may cut its packets anywhere: from the first cut on, all goes through the client.
    let isAligned = true;
    socket.onmessage = (event) => {
      const bytes = new Uint8Array(event.data);
      isAligned &&= isWhole(bytes);
      if (!isAligned || !isReceived(bytes, receive)) this.push(Buffer.from(event.data));
    };
    socket.onclose = () => this.destroy();
    socket.onerror = () => this.destroy();
  }

  _read() {}

  /** @param {Uint8Array} bytes @param {string} _encoding @param {() => void} done */
  _write(bytes, _encoding, done) {
    this.send(bytes, done);
  }

  /** @param {(error?: Error | null) => void} done */
  _final(done) {
    this.hangUp();
    done();
  }

  /** @param {Error | null} error @param {(error: Error | null) => void} done */
  _destroy(error, done) {
    this.hangUp();
    done(error);
  }
}

/** What the broker keeps comes within so many milliseconds, if it comes unasked. */
const unasked = 2000;

/**
 * Not claims and hellos: a rush of them would be work for nothing.
 * @param {string} prefix
 */
const topics = (prefix) => [
  `${prefix}/+/plan`, ...['status', 'telemetry', 'region/+', 'region/+/event', 'trigger/+', 'trigger/+/state'].map((tail) => `${prefix}/+/+/${tail}`),
];

/**
 * Levels and distances, nine in ten of all messages: not while nobody looks.
 * @param {string} prefix
 */
const distances = (prefix) => [`${prefix}/+/+/proximity/+`, `${prefix}/+/+/ranging/+`];

/**
 * Stays connected until `end` is called.
 * @param {{address: string, prefix: string, username?: string, password?: string}} options
 * @param {(condition: Condition, detail: string) => void} changed
 * @param {(topic: string, payload: string, kept: boolean) => void} receive
 */
export function connect(options, changed, receive) {
  let ended = false;
  changed('connecting', '');
  const client = new Client(() => new Line(options.address, receive), {
    clientId: 'page-' + Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
    username: options.username || undefined, password: options.username ? options.password : undefined,
    protocolVersion: 4, keepalive: 10, connectTimeout: 8000, reconnectPeriod: 2000, clean: true, resubscribe: false,
  });
  const look = () => {
    if (!client.connected) return;
    if (document.hidden) client.unsubscribe(distances(options.prefix));
    else client.subscribe(distances(options.prefix), { qos: 0 });
  };
  /**
   * Asked for since the line stands: once each, and not for longer than the answer takes, or some brokers would say all twice.
   * @type {Set<string>}
   */
  const asked = new Set();
  let since = Infinity;
  const ask = (/** @type {string[]} */ tails) => {
    if (!client.connected || Date.now() - since < unasked) return false;
    const whole = tails.map((tail) => `${options.prefix}/${tail}`).filter((topic) => !asked.has(topic) && !/[+#]/.test(topic));
    if (whole.length === 0) return false;
    for (const topic of whole) asked.add(topic);
    client.subscribe(whole, { qos: 1 }, () => void client.unsubscribe(whole));
    return true;
  };
  document.addEventListener('visibilitychange', look);
  const end = () => {
    ended = true;
    document.removeEventListener('visibilitychange', look);
    client.end(true);
  };
  client.on('connect', () => {
    changed('live', '');
    asked.clear();
    since = Date.now();
    client.subscribe(topics(options.prefix), { qos: 1 });
    look();
  });
  client.on('message', (topic, payload, packet) => receive(topic, payload.toString(), packet.retain));
  client.on('error', (error) => {
    // 2: client id refused; 4 and 5: the broker does not want this user.
    if (error.code !== 4 && error.code !== 5) return;
    end();
    changed('refused', error.code === 4 ? 'wrong username or password' : 'not authorized');
  });
  client.on('close', () => {
    if (!ended) changed('lost', '');
  });
  return { end, ask };
}
