// What the topics say, kept in bounds. Nothing here touches the page or the network; time is a parameter.

import { number, plain } from './words.js';

const most = { gateways: 64, devices: 1024, events: 400, history: 60, triggers: 64, listed: 32 };
/** A hearing without news for this long counts no more, in milliseconds. */
const fresh = 30_000;
/** Without a telemetry message for two and a half intervals a gateway is silent; until two have come, an interval is a minute. */
const patience = 2.5;

/** @typedef {{distance?: number, low?: number, high?: number, at: number}} Sample */
/** @typedef {{gateway: string, average?: number, distance?: number, low?: number, high?: number, zone: string, rate?: number, at: number}} Hearing */
/** @typedef {{id: string, since?: number}} Visitor */
/** @typedef {{key: string, event: string, place: string, region: boolean, site: string, gateway: string, id: string, at: number, simulated: boolean,
 *   reason: string, kept: boolean, evidence: [string, string][], distance?: number, low?: number, high?: number, dwell?: number}} Event */
/** @typedef {{name: string, state: string}} Radio */

/**
 * Milliseconds since 1970, or nothing.
 * @param {unknown} value
 */
function moment(value) {
  const parsed = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** @param {unknown} value @returns {Record<string, unknown>} */
const object = (value) => (value && typeof value === 'object' && !Array.isArray(value) ? /** @type {Record<string, unknown>} */ (value) : {});

/**
 * Metres, never nothing nor less: they are drawn on a logarithmic scale.
 * @param {unknown} value
 */
function length(value) {
  const metres = number(value);
  return metres === undefined || metres < 0 ? undefined : Math.max(metres, 0.01);
}

/** @param {unknown} value @returns {Record<string, unknown>[]} */
const list = (value) => (Array.isArray(value) ? value.slice(0, most.listed).map(object) : []);

export class Trigger {
  /** @param {string} site @param {string} gateway @param {string} name */
  constructor(site, gateway, name) {
    this.site = site;
    this.gateway = gateway;
    this.name = name;
    this.key = `${site}/${gateway}/${name}`;
    /** @type {Visitor[]} */ this.served = [];
    /** @type {Visitor[]} */ this.near = [];
    this.servedCount = 0;
    this.nearCount = 0;
    this.simulated = false;
    /**
     * Why somebody who is near is not served: identity to reason.
     * @type {Map<string, string>}
     */
    this.doubts = new Map();
  }
}

export class Gateway {
  /** @param {string} site @param {string} name */
  constructor(site, name) {
    this.site = site;
    this.name = name;
    this.key = `${site}/${name}`;
    this.state = 'unknown';
    this.reason = '';
    this.version = '';
    this.purpose = '';
    this.authorization = '';
    this.trust = '';
    this.missing = '';
    /** @type {Radio[]} */ this.radios = [];
    this.simulated = false;
    this.heard = 0;
    this.interval = 60_000;
    this.told = 0;
    /**
     * How far its clock is from this computer's, in milliseconds; nothing until it has sent a live message.
     * @type {number | undefined}
     */
    this.clockError = undefined;
    this.clockUnset = false;
    /** @type {Map<string, number>} */ this.telemetry = new Map();
    /** @type {number[]} */ this.rates = [];
    /**
     * Share of one core, from two telemetry messages.
     * @type {number | undefined}
     */
    this.processor = undefined;
    /** @type {Map<string, {state: string, count: number}>} */ this.regions = new Map();
  }

  /** @param {number} now */
  isSilent(now) {
    return this.state !== 'offline' && this.told > 0 && now - this.heard > this.interval * patience;
  }
}

export class Device {
  /** @param {string} site @param {string} id */
  constructor(site, id) {
    this.site = site;
    this.id = id;
    this.key = `${site}/${id}`;
    /** @type {Map<string, Hearing>} */ this.hearings = new Map();
    /** @type {Sample[]} */ this.history = [];
    this.heard = 0;
    this.simulated = false;
  }

  /**
   * The gateway that hears it best now.
   * @param {number} now @returns {Hearing | undefined}
   */
  best(now) {
    let found;
    for (const hearing of this.hearings.values()) {
      if (now - hearing.at > fresh || hearing.average === undefined) continue;
      if (!found || hearing.average > (found.average ?? -Infinity)) found = hearing;
    }
    return found;
  }
}

export class Site {
  constructor() {
    /** @type {Map<string, Gateway>} */ this.gateways = new Map();
    /** @type {Map<string, Trigger>} */ this.triggers = new Map();
    /** @type {Map<string, Device>} */ this.devices = new Map();
    /**
     * Newest first.
     * @type {Event[]}
     */
    this.events = [];
    /** @type {Set<string>} */ this.known = new Set();
    /** @type {Map<string, {title: string, places: Map<string, [number, number]>, names: Map<string, string>}>} */ this.plans = new Map();
    /**
     * What gateways call devices, by site and identity.
     * @type {Map<string, string>}
     */
    this.names = new Map();
    this.messages = 0;
    this.malformed = 0;
  }

  /** @param {string} topic @param {string} payload @param {boolean} kept from the broker's memory, not just now @param {number} now */
  receive(topic, payload, kept, now) {
    this.messages += 1;
    const [, site, gateway, kind, name, tail] = topic.split('/').map((level) => plain(level, 128));
    if (gateway === 'claim' || gateway === 'peer' || !gateway) return;
    if (payload === '') return this.#forget(site, gateway, kind, name, tail);
    /** @type {Record<string, unknown>} */
    let body;
    try {
      body = object(JSON.parse(payload));
    } catch {
      this.malformed += 1;
      return;
    }
    if (gateway === 'plan' && !kind) return this.#plan(site, body);
    const from = this.#gateway(site, gateway);
    if (!from) return;
    if (!kept) {
      from.heard = now;
      if ('at' in body) this.#compareClock(from, body.at, now);
    }
    if (kind === 'status') this.#status(from, body, now);
    else if (kind === 'telemetry') this.#telemetry(from, body, now);
    else if (kind === 'proximity') this.#hearing(from, body, body.simulated === true, now);
    else if (kind === 'ranging') list(body.devices).forEach((device) => this.#hearing(from, device, body.simulated === true, now));
    else if (kind === 'trigger' && tail === 'state') this.#state(from, name, body, now);
    else if (kind === 'region' && !tail) from.regions.set(name, { state: plain(body.state), count: number(body.count) ?? 0 });
    else if ((kind === 'trigger' && !tail) || (kind === 'region' && tail === 'event')) this.#event(from, kind === 'region', name, body, kept, now);
  }

  /** @param {number} now */
  expire(now) {
    for (const [key, device] of this.devices) if (now - device.heard > 2 * fresh) this.devices.delete(key);
  }

  /**
   * What people call it: the plan's name for it, else a gateway's, or nothing.
   * @param {string} site @param {string} id
   */
  nameOf(site, id) {
    return this.plans.get(site)?.names.get(id) ?? this.names.get(`${site}/${id}`);
  }

  /** @param {string} site @param {Record<string, unknown>} body of a message about a device */
  #name(site, body) {
    const key = `${site}/${plain(body.id)}`;
    const name = plain(body.name, 60);
    if (name && (this.names.has(key) || this.names.size < most.devices)) this.names.set(key, name);
  }

  /** @param {string} site @param {string} name */
  #gateway(site, name) {
    const key = `${site}/${name}`;
    let found = this.gateways.get(key);
    if (!found && this.gateways.size < most.gateways) this.gateways.set(key, (found = new Gateway(site, name)));
    return found;
  }

  /** @param {string} site @param {string} gateway @param {string} kind @param {string} name @param {string} tail */
  #forget(site, gateway, kind, name, tail) {
    if (kind === 'status') {
      this.gateways.delete(`${site}/${gateway}`);
      for (const [key, trigger] of this.triggers) if (trigger.site === site && trigger.gateway === gateway) this.triggers.delete(key);
    }
    if (kind === 'trigger' && tail === 'state') this.triggers.delete(`${site}/${gateway}/${name}`);
    if (kind === 'region' && !tail) this.gateways.get(`${site}/${gateway}`)?.regions.delete(name);
    if (gateway === 'plan') this.plans.delete(site);
  }

  /** @param {string} site @param {Record<string, unknown>} body */
  #plan(site, body) {
    const places = new Map();
    for (const [name, at] of Object.entries(object(body.at_m)).slice(0, 256)) {
      const [x, y] = Array.isArray(at) ? at.map(number) : [];
      if (x !== undefined && y !== undefined) places.set(plain(name), [x, y]);
    }
    const names = new Map(Object.entries(object(body.names)).slice(0, 4096).map(([id, name]) => [plain(id), plain(name, 60)]));
    this.plans.set(site, { title: plain(body.title, 80), places, names });
  }

  /** @param {Gateway} from @param {unknown} at @param {number} now */
  #compareClock(from, at, now) {
    const said = moment(at);
    from.clockUnset = said === undefined;
    if (said !== undefined) from.clockError = said - now;
  }

  /** @param {Gateway} from @param {Record<string, unknown>} body @param {number} now */
  #status(from, body, now) {
    from.state = plain(body.state, 20) || 'unknown';
    from.reason = plain(body.reason);
    from.simulated = body.simulated === true || (from.simulated && from.state === 'offline');
    if (from.state === 'offline') {
      for (const device of this.devices.values()) if (device.site === from.site) device.hearings.delete(from.name);
      return;
    }
    // A gateway that was silent for long is judged from now on.
    if (from.heard === 0) from.heard = now;
    from.version = plain(body.version, 40);
    from.purpose = plain(body.purpose);
    from.authorization = plain(body.authorization, 20);
    const site = object(body.site);
    from.trust = plain(site.trust, 20);
    from.missing = plain(site.missing, 100);
    from.radios = list(body.radios).map((radio) => ({ name: plain(radio.name, 40), state: plain(radio.state, 40) }));
  }

  /** @param {Gateway} from @param {Record<string, unknown>} body @param {number} now */
  #telemetry(from, body, now) {
    if (from.told > 0) from.interval = Math.max(2000, now - from.told);
    const before = from.telemetry;
    from.told = now;
    from.telemetry = new Map();
    for (const [name, value] of Object.entries(body)) if (number(value) !== undefined) from.telemetry.set(name, Number(value));
    const seconds = (from.telemetry.get('uptime_s') ?? 0) - (before.get('uptime_s') ?? 0);
    const used = (from.telemetry.get('cpu_s') ?? 0) - (before.get('cpu_s') ?? 0);
    if (before.size > 0 && seconds > 0) from.processor = Math.max(0, used / seconds);
    from.rates.push(from.telemetry.get('adverts_hz') ?? 0);
    if (from.rates.length > most.history) from.rates.shift();
  }

  /** @param {Gateway} from @param {Record<string, unknown>} body @param {boolean} simulated @param {number} now */
  #hearing(from, body, simulated, now) {
    const id = plain(body.id);
    if (!id) return;
    this.#name(from.site, body);
    const key = `${from.site}/${id}`;
    let device = this.devices.get(key);
    if (!device) {
      if (this.devices.size >= most.devices) return;
      this.devices.set(key, (device = new Device(from.site, id)));
    }
    const hearing = {
      gateway: from.name, zone: plain(body.zone, 20) || 'unknown', at: now, average: number(body.average), distance: length(body.distance_m),
      low: length(body.low_m), high: length(body.high_m), rate: number(body.rate_hz),
    };
    if (hearing.zone === 'unknown') return void device.hearings.delete(from.name);
    device.hearings.set(from.name, hearing);
    device.heard = now;
    device.simulated = simulated;
    if (device.best(now) !== hearing) return;
    const last = device.history[device.history.length - 1];
    if (last && now - last.at < 900) device.history.pop();
    device.history.push({ distance: hearing.distance, low: hearing.low, high: hearing.high, at: last && now - last.at < 900 ? last.at : now });
    if (device.history.length > most.history) device.history.shift();
  }

  /** @param {Gateway} from @param {string} name @param {Record<string, unknown>} body @param {number} now */
  #state(from, name, body, now) {
    const key = `${from.site}/${from.name}/${name}`;
    let trigger = this.triggers.get(key);
    if (!trigger) {
      if (this.triggers.size >= most.triggers * 4) return;
      this.triggers.set(key, (trigger = new Trigger(from.site, from.name, name)));
    }
    const before = [...trigger.served, ...trigger.near];
    /** @param {Record<string, unknown>} visitor */
    const read = (visitor) => {
      const id = plain(visitor.id);
      this.#name(from.site, visitor);
      // A gateway whose clock is not set says no time: then the first time we heard of it serves.
      return { id, since: moment(visitor.since) ?? before.find((known) => known.id === id)?.since ?? now };
    };
    trigger.served = list(body.served).map(read);
    trigger.near = list(body.near).map(read);
    trigger.servedCount = number(body.served_count) ?? trigger.served.length;
    trigger.nearCount = number(body.near_count) ?? trigger.near.length;
    trigger.simulated = body.simulated === true;
    const here = new Set(trigger.near.map((visitor) => visitor.id));
    for (const id of trigger.doubts.keys()) if (!here.has(id)) trigger.doubts.delete(id);
  }

  /** @param {Gateway} from @param {boolean} region @param {string} name @param {Record<string, unknown>} body @param {boolean} kept @param {number} now */
  #event(from, region, name, body, kept, now) {
    this.#name(from.site, body);
    const key = `${from.key}/${plain(body.event_id) || `${name}/${now}`}`;
    const evidence = object(body.evidence);
    /** @type {Event} */
    const event = {
      key, region, kept, event: plain(body.event, 20), place: name, site: from.site, gateway: from.name, id: plain(body.id),
      at: moment(body.at) ?? now, simulated: body.simulated === true, reason: plain(evidence.reason ?? body.reason, 60),
      distance: length(evidence.distance_m), low: length(evidence.low_m), high: length(evidence.high_m), dwell: number(evidence.dwell_s),
      evidence: Object.entries(evidence).slice(0, 24).map(([member, value]) => [plain(member, 40), plain(String(value), 60)]),
    };
    const doubts = region ? undefined : this.triggers.get(`${from.site}/${from.name}/${name}`)?.doubts;
    if (event.event === 'undecided') doubts?.set(event.id, event.reason);
    else if (event.event !== 'anomaly') doubts?.delete(event.id);
    // Delivered again after an outage: the same event.
    if (this.known.has(key)) return;
    this.known.add(key);
    const place = this.events.findIndex((other) => other.at <= event.at);
    this.events.splice(place < 0 ? this.events.length : place, 0, event);
    for (const old of this.events.splice(most.events)) this.known.delete(old.key);
  }
}
