// The broker over a websocket: node-mqtt's client on a line of our own, so that nothing of Node's network code is bundled.

import Client from 'mqtt/lib/client.js';
import { Duplex } from 'readable-stream';
import { Buffer } from 'buffer';

/** @typedef {'connecting' | 'live' | 'lost' | 'refused'} Condition */

class Line extends Duplex {
  /** @param {string} address */
  constructor(address) {
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
    socket.onmessage = (event) => this.push(Buffer.from(event.data));
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

/**
 * Not claims and hellos: a rush of them would be work for nothing.
 * @param {string} prefix
 */
const topics = (prefix) => [
  `${prefix}/+/plan`, ...['status', 'telemetry', 'proximity/+', 'ranging/+', 'region/+', 'region/+/event', 'trigger/+', 'trigger/+/state']
    .map((tail) => `${prefix}/+/+/${tail}`),
];

/**
 * Stays connected until `end` is called.
 * @param {{address: string, prefix: string, username?: string, password?: string}} options
 * @param {(condition: Condition, detail: string) => void} changed
 * @param {(topic: string, payload: string, kept: boolean) => void} receive
 */
export function connect(options, changed, receive) {
  let ended = false;
  changed('connecting', '');
  const client = new Client(() => new Line(options.address), {
    clientId: 'page-' + Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
    username: options.username || undefined, password: options.username ? options.password : undefined,
    protocolVersion: 4, keepalive: 10, connectTimeout: 8000, reconnectPeriod: 2000, clean: true, resubscribe: false,
  });
  const end = () => {
    ended = true;
    client.end(true);
  };
  client.on('connect', () => {
    changed('live', '');
    client.subscribe(topics(options.prefix), { qos: 1 });
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
  return { end };
}
