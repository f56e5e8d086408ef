// What the topics say, kept in bounds. Nothing here touches the page or the network; time is a parameter.

import { number, plain } from './words.js';

const most = { gateways: 256, devices: 1024, events: 400, history: 60, triggers: 1024, regions: 1024, inside: 256, listed: 32, topics: 4096, names: 4096 };
/** A hearing without news for this long counts no more, in milliseconds. */
const fresh = 30_000;
/** Without a telemetry message for two and a half intervals a gateway is silent; until two have come, an interval is a minute. */
const patience = 2.5;
/** A gateway of which the broker keeps a status, but that says nothing, in milliseconds: longer than most say telemetry. */
const unheard = 900_000;
/** After an outage the broker says again all that it keeps, within this many milliseconds: what it does not say is gone. */
const settling = 10_000;
/** What is said of a gateway whose status the broker does not give: that of one that says nothing either, and that of one that talks. */
const forgotten = 'the broker keeps no status of it any more';
const untold = 'it talks, but the broker gives no status of it';
/** A clock this far off, in milliseconds, makes times on the page and `expires` misleading. */
export const clockTolerance = 5000;
/** How long a message may take and say nothing of the clock, in milliseconds. */
const delay = 1000;

/** @typedef {{distance?: number, low?: number, high?: number, at: number}} Sample */
/** @typedef {{gateway: string, average?: number, distance?: number, low?: number, high?: number, zone: string, rate?: number, at: number, likely: Likelihood}} Hearing */
/**
 * Places and how likely a device is there, the likeliest first; none where no gateway says it.
 * @typedef {[place: string, part: number][]} Likelihood
 */
/** @typedef {{id: string, since?: number, likely: Likelihood}} Visitor */
/** @typedef {{key: string, event: string, place: string, region: boolean, site: string, gateway: string, id: string, at: number, simulated: boolean,
 *   reason: string, kept: boolean, likely: Likelihood, evidence: [string, string][], distance?: number, low?: number, high?: number, dwell?: number}} Event */
/** @typedef {{name: string, state: string}} Radio */
/** @typedef {{id: string, since?: number, known: number, heard: number}} Inside since when, if its enter was told; since when the page knows of it */

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

/** @param {Record<string, unknown>} body @returns {Likelihood} */
function likelihood(body) {
  const parts = Object.entries(object(body.likelihood)).slice(0, most.listed);
  return parts.flatMap(([place, part]) => /** @type {Likelihood} */ (number(part) === undefined ? [] : [[plain(place, 60), Number(part)]]))
    .sort(([, a], [, b]) => b - a);
}

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

/** A place that devices enter and leave. Its state counts them; enters, exits and ranging say who they are. */
export class Region {
  /** @param {string} site @param {string} gateway @param {string} name */
  constructor(site, gateway, name) {
    this.site = site;
    this.gateway = gateway;
    this.name = name;
    // No trigger has such a key: names have no slash.
    this.key = `${site}/${gateway}/region/${name}`;
    /**
     * Nothing until its state has come, and after a rehearsal's run.
     * @type {number | undefined}
     */
    this.count = undefined;
    /** Whether its state has ever come. */
    this.isTold = false;
    /**
     * When it became occupied, or empty.
     * @type {number | undefined}
     */
    this.since = undefined;
    this.simulated = false;
    /** @type {Map<string, Inside>} */ this.inside = new Map();
  }

  /** How many are inside. */
  get occupants() {
    return this.count ?? this.inside.size;
  }

  /** Who they are, as far as a message named them. Whose exit was lost was not heard for longest. */
  named() {
    const all = [...this.inside.values()];
    return all.length <= this.occupants ? all : all.sort((a, b) => b.heard - a.heard).slice(0, this.occupants);
  }

  /** @param {string} id @param {number} now @param {number} [since] */
  enter(id, now, since) {
    const before = this.inside.get(id);
    if (!before && this.inside.size >= most.inside) this.inside.delete(/** @type {string} */ (this.inside.keys().next().value));
    this.inside.set(id, { id, since: since ?? before?.since, known: before?.known ?? now, heard: now });
  }

  forgetAll() {
    this.count = undefined;
    this.inside.clear();
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
     * How far its clock is ahead of this device's, in milliseconds; nothing until it has sent a live message.
     * @type {number | undefined}
     */
    this.clockError = undefined;
    this.clockUnset = false;
    /** Whether the gateway itself says that nothing has set its clock right. */
    this.clockDoubted = false;
    /** @type {Map<string, number>} */ this.telemetry = new Map();
    /** @type {number[]} */ this.rates = [];
    /**
     * Share of one core, from two telemetry messages.
     * @type {number | undefined}
     */
    this.processor = undefined;
  }

  /** @param {number} now */
  isSilent(now) {
    return this.state !== 'offline' && now - this.heard > (this.told > 0 ? this.interval * patience : unheard);
  }

  /**
   * Why it does not know who is at its triggers and inside its regions; nothing if it does.
   * @param {number} now
   */
  blindness(now) {
    if (this.state === 'offline') return 'gateway offline';
    if (this.isSilent(now)) return 'gateway silent';
    if (this.reason === untold) return 'the broker does not say';
    if (this.authorization === 'denied') return 'listening is denied';
    if (this.authorization && this.authorization !== 'always') return 'it listens only when asked';
    return this.radios.length > 0 && this.radios.every(({ state }) => state !== 'scanning' && state !== 'quiet') ? 'no radio listens' : '';
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
   * What this gateway hears of it now.
   * @param {string} gateway @param {number} now @returns {Hearing | undefined}
   */
  heardBy(gateway, now) {
    const hearing = this.hearings.get(gateway);
    return hearing && now - hearing.at <= fresh ? hearing : undefined;
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
    /** @type {Map<string, Region>} */ this.regions = new Map();
    /** @type {Map<string, Device>} */ this.devices = new Map();
    /**
     * Newest first.
     * @type {Event[]}
     */
    this.events = [];
    /** @type {Set<string>} */ this.known = new Set();
    /** @type {Map<string, {title: string, places: Map<string, [number, number]>, names: Map<string, string>}>} */ this.plans = new Map();
    /**
     * Topics, taken apart.
     * @type {Map<string, string[]>}
     */
    this.topics = new Map();
    /** Whether several are shown at once, so that a place alone says too little. */
    this.isMany = false;
    /**
     * What gateways call their devices, by site and identity.
     * @type {Map<string, string>}
     */
    this.names = new Map();
    /**
     * Gateways beyond those that the page shows.
     * @type {Set<string>}
     */
    this.leftOut = new Set();
    /**
     * Keys of gateways, triggers, regions and plans that the broker has not said again since the last outage.
     * @type {Set<string>}
     */
    this.unsaid = new Set();
    this.resumed = 0;
    this.settled = 0;
    /**
     * How far the clocks of all gateways are ahead of this device's, alike, in milliseconds: then this device's is wrong. Otherwise 0.
     */
    this.clockError = 0;
    this.messages = 0;
    this.malformed = 0;
  }

  /** @param {string} topic @param {string} payload @param {boolean} kept from the broker's memory, not just now @param {number} now */
  receive(topic, payload, kept, now) {
    this.messages += 1;
    const [, site, gateway, kind, name, tail] = this.#levels(topic);
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
      // Who talks is not offline, whatever the broker keeps.
      if (from.reason === forgotten) [from.state, from.reason] = ['unknown', untold];
      // An event says when it happened, and may have waited since.
      const isEvent = (kind === 'trigger' && !tail) || tail === 'event';
      if ('at' in body && !isEvent) this.#compareClock(from, body.at, now);
    }
    if (kind === 'status') this.#status(from, body, now);
    else if (kind === 'telemetry') this.#telemetry(from, body, now);
    else if (kind === 'proximity') this.#hearing(from, body, body.simulated === true, now);
    else if (kind === 'ranging') this.#ranging(from, name, body, now);
    else if (kind === 'region' && !tail) this.#regionState(from, name, body, kept, now);
    else if (kind === 'trigger' && tail === 'state') this.#state(from, name, body, now);
    else if ((kind === 'trigger' && !tail) || (kind === 'region' && tail === 'event')) this.#event(from, kind === 'region', name, body, kept, now);
  }

  /**
   * The same topics come again and again.
   * @param {string} topic
   */
  #levels(topic) {
    let levels = this.topics.get(topic);
    if (levels) return levels;
    levels = topic.split('/').map((level) => plain(level, 128));
    if (this.topics.size >= most.topics) this.topics.clear();
    this.topics.set(topic, levels);
    return levels;
  }

  /**
   * Nobody could be heard meanwhile: that is no gateway's silence.
   * @param {number} outage milliseconds @param {number} now
   */
  resume(outage, now) {
    for (const gateway of this.gateways.values()) gateway.heard += outage;
    this.unsaid = new Set([this.gateways, this.triggers, this.regions, this.plans].flatMap((kept) => [...kept.keys()]));
    // Enters and exits were missed, too.
    for (const region of this.regions.values()) region.inside.clear();
    this.resumed = now;
    this.await(now);
  }

  /**
   * The broker has been asked, and answers.
   * @param {number} now
   */
  await(now) {
    this.settled = now + settling;
  }

  /**
   * What was cleared away during an outage. A gateway stays: perhaps a broker with a short memory lost it, and nobody should overlook that. If it
   * talks, its pumps stay, too: what has become of them nobody knows.
   */
  #settle() {
    for (const key of this.unsaid) {
      const [gateway, trigger] = [this.gateways.get(key), this.triggers.get(key)];
      if (gateway) [gateway.state, gateway.reason] = gateway.heard > this.resumed ? ['unknown', untold] : ['offline', forgotten];
      const place = trigger ?? this.regions.get(key);
      if (place && !this.unsaid.has(`${place.site}/${place.gateway}`)) (trigger ? this.triggers : this.regions).delete(key);
      this.plans.delete(key);
    }
    this.unsaid.clear();
  }

  /**
   * Topics, below the prefix, that should have been said by now: RabbitMQ gives a subscription with wildcards nothing of what it keeps, but all to
   * whoever asks for a whole topic.
   */
  missing() {
    /** @type {string[]} */
    const topics = [];
    const sites = new Set();
    for (const { key, site, state, reason } of this.gateways.values()) {
      sites.add(site);
      if (state === 'unknown' || reason === forgotten || this.unsaid.has(key)) topics.push(`${key}/status`);
    }
    for (const site of sites) if (!this.plans.has(site) || this.unsaid.has(site)) topics.push(`${site}/plan`);
    for (const { key, site, gateway, name } of this.triggers.values()) {
      if (this.unsaid.has(key)) topics.push(`${site}/${gateway}/trigger/${name}/state`);
    }
    for (const { key, isTold } of this.regions.values()) if (!isTold || this.unsaid.has(key)) topics.push(key);
    return topics;
  }

  /** @param {number} now */
  expire(now) {
    this.#judgeClock();
    if (this.unsaid.size > 0 && now > this.settled) this.#settle();
    for (const [key, device] of this.devices) if (now - device.heard > 2 * fresh) this.devices.delete(key);
  }

  /**
   * What people call it: the plan's name for it, or the gateway's, or nothing.
   * @param {string} site @param {string} id
   */
  nameOf(site, id) {
    return this.plans.get(site)?.names.get(id) ?? this.names.get(`${site}/${id}`);
  }

  /** @param {string} site */
  titleOf(site) {
    return this.plans.get(site)?.title || site;
  }

  /**
   * A gateway's or trigger's name, with its site where several are shown.
   * @param {string} site @param {string} name
   */
  placed(site, name) {
    return this.isMany ? `${name} · ${this.titleOf(site)}` : name;
  }

  /**
   * A region's name, with its gateway where another has one of the same name.
   * @param {string} site @param {string} gateway @param {string} name
   */
  regionName(site, gateway, name) {
    for (const other of this.regions.values()) {
      if (other.name === name && other.site === site && other.gateway !== gateway) return `${gateway} · ${name}`;
    }
    return name;
  }

  /** @param {Event} event */
  placeOf({ site, gateway, region, place }) {
    return this.placed(site, region ? this.regionName(site, gateway, place) : place);
  }

  /**
   * From any message about a device that has a name.
   * @param {string} site @param {Record<string, unknown>} body
   */
  #learnName(site, body) {
    if (!body.name) return;
    if (this.names.size >= most.names) this.names.clear();
    this.names.set(`${site}/${plain(body.id)}`, plain(body.name, 60));
  }

  /** @param {string} site @param {string} name */
  #gateway(site, name) {
    const key = `${site}/${name}`;
    let found = this.gateways.get(key);
    if (found) return found;
    if (this.gateways.size < most.gateways) this.gateways.set(key, (found = new Gateway(site, name)));
    else if (this.leftOut.size < most.gateways) this.leftOut.add(key);
    return found;
  }

  /** @param {string} site @param {string} gateway @param {string} kind @param {string} name @param {string} tail */
  #forget(site, gateway, kind, name, tail) {
    if (kind === 'status') {
      this.gateways.delete(`${site}/${gateway}`);
      this.leftOut.delete(`${site}/${gateway}`);
      for (const places of [this.triggers, this.regions]) {
        for (const [key, place] of places) if (place.site === site && place.gateway === gateway) places.delete(key);
      }
    }
    if (kind === 'trigger' && tail === 'state') this.triggers.delete(`${site}/${gateway}/${name}`);
    if (kind === 'region' && !tail) this.regions.delete(`${site}/${gateway}/region/${name}`);
    if (gateway === 'plan') this.plans.delete(site);
  }

  /** @param {string} site @param {Record<string, unknown>} body */
  #plan(site, body) {
    this.unsaid.delete(site);
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
    if (said === undefined) return;
    const [error, before] = [said - now, from.clockError ?? -Infinity];
    // A message that took longer makes it no other: durations do not jump to and fro.
    if (error > before || before - error > delay) from.clockError = error;
  }

  /** One gateway that differs may be wrong itself, and so may those that say they are not synchronised: after a power cut they may be so alike. */
  #judgeClock() {
    const errors = [...this.gateways.values()].flatMap(({ simulated, clockUnset, clockDoubted, clockError }) => (
      simulated || clockUnset || clockDoubted || clockError === undefined ? [] : [clockError]));
    const [least, highest] = [Math.min(...errors), Math.max(...errors)];
    const isAlike = errors.length > 1 && highest - least < clockTolerance && Math.min(Math.abs(least), Math.abs(highest)) >= clockTolerance;
    this.clockError = isAlike ? highest : 0;
  }

  /**
   * What the clock of a place's gateway shows now: since when something is so, it tells by that.
   * @param {{site: string, gateway: string}} place @param {number} now
   */
  timeAt({ site, gateway }, now) {
    return now + (this.gateways.get(`${site}/${gateway}`)?.clockError ?? this.clockError);
  }

  /** @param {Gateway} from @param {Record<string, unknown>} body @param {number} now */
  #status(from, body, now) {
    this.unsaid.delete(from.key);
    from.state = plain(body.state, 20) || 'unknown';
    from.reason = plain(body.reason);
    from.simulated = body.simulated === true || (from.simulated && from.state === 'offline');
    if (from.state === 'offline') {
      for (const device of this.devices.values()) if (device.site === from.site) device.hearings.delete(from.name);
      // The next run of a rehearsal knows nothing of this one, and ends none of its visits.
      if (from.simulated) for (const region of this.regions.values()) if (region.site === from.site && region.gateway === from.name) region.forgetAll();
      return;
    }
    // A gateway that was silent for long is judged from now on.
    if (from.heard === 0) from.heard = now;
    from.version = plain(body.version, 40);
    from.purpose = plain(body.purpose);
    from.authorization = plain(body.authorization, 20);
    from.clockDoubted = body.clock === 'unsynchronised';
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
    this.#learnName(from.site, body);
    const key = `${from.site}/${id}`;
    let device = this.devices.get(key);
    if (!device) {
      if (this.devices.size >= most.devices) return;
      this.devices.set(key, (device = new Device(from.site, id)));
    }
    const hearing = {
      gateway: from.name, zone: plain(body.zone, 20) || 'unknown', at: now, average: number(body.average), distance: length(body.distance_m),
      low: length(body.low_m), high: length(body.high_m), rate: number(body.rate_hz), likely: likelihood(body),
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

  /** @param {Gateway} from @param {string} name @returns {Region | undefined} */
  #region(from, name) {
    const key = `${from.key}/region/${name}`;
    let found = this.regions.get(key);
    if (!found && this.regions.size < most.regions) this.regions.set(key, (found = new Region(from.site, from.name, name)));
    return found;
  }

  /** @param {Gateway} from @param {string} name @param {Record<string, unknown>} body @param {boolean} kept @param {number} now */
  #regionState(from, name, body, kept, now) {
    const region = this.#region(from, name);
    if (!region) return;
    this.unsaid.delete(region.key);
    const count = Math.max(0, number(body.count) ?? (body.state === 'inside' ? 1 : 0));
    // A gateway whose clock is not set says no time.
    const before = region.count !== undefined && (region.count > 0) === (count > 0) ? region.since : undefined;
    region.since = moment(body.since) ?? before ?? (kept ? undefined : this.timeAt(region, now));
    [region.count, region.isTold] = [count, true];
    region.simulated = body.simulated === true;
    if (count === 0) region.inside.clear();
  }

  /**
   * The nearest of those inside, as many as one message holds.
   * @param {Gateway} from @param {string} name @param {Record<string, unknown>} body @param {number} now
   */
  #ranging(from, name, body, now) {
    const devices = list(body.devices);
    devices.forEach((device) => this.#hearing(from, device, body.simulated === true, now));
    const region = this.#region(from, name);
    if (!region) return;
    const ids = devices.map((device) => plain(device.id)).filter(Boolean);
    for (const id of ids) region.enter(id, now);
    // Without permission to monitor no state counts them.
    const isWhole = body.count === ids.length && ids.length >= (region.count ?? 0);
    if (isWhole) for (const id of region.inside.keys()) if (!ids.includes(id)) region.inside.delete(id);
    region.simulated = body.simulated === true;
  }

  /** @param {Gateway} from @param {string} name @param {Record<string, unknown>} body @param {number} now */
  #state(from, name, body, now) {
    const key = `${from.site}/${from.name}/${name}`;
    this.unsaid.delete(key);
    let trigger = this.triggers.get(key);
    if (!trigger) {
      if (this.triggers.size >= most.triggers) return;
      this.triggers.set(key, (trigger = new Trigger(from.site, from.name, name)));
    }
    const before = [...trigger.served, ...trigger.near];
    const there = this.timeAt(trigger, now);
    /** @param {Record<string, unknown>} visitor */
    const read = (visitor) => {
      const id = plain(visitor.id);
      // A gateway whose clock is not set says no time: then the first time we heard of it serves.
      this.#learnName(from.site, visitor);
      return { id, likely: likelihood(visitor), since: moment(visitor.since) ?? before.find((known) => known.id === id)?.since ?? there };
    };
    trigger.served = list(body.served).map(read);
    trigger.near = list(body.near).map(read);
    trigger.servedCount = number(body.served_count) ?? trigger.served.length;
    trigger.nearCount = number(body.near_count) ?? trigger.near.length;
    trigger.simulated = body.simulated === true;
    const here = new Set(trigger.near.map((visitor) => visitor.id));
    for (const id of trigger.doubts.keys()) if (!here.has(id)) trigger.doubts.delete(id);
    for (const visitor of list(body.near)) if (visitor.undecided) trigger.doubts.set(plain(visitor.id), plain(visitor.undecided, 60));
  }

  /** @param {Gateway} from @param {boolean} region @param {string} name @param {Record<string, unknown>} body @param {boolean} kept @param {number} now */
  #event(from, region, name, body, kept, now) {
    const key = `${from.key}/${plain(body.event_id) || `${name}/${now}`}`;
    const evidence = object(body.evidence);
    this.#learnName(from.site, body);
    /** @type {Event} */
    const event = {
      key, region, kept, event: plain(body.event, 20), place: name, site: from.site, gateway: from.name, id: plain(body.id),
      at: moment(body.at) ?? this.timeAt({ site: from.site, gateway: from.name }, now), simulated: body.simulated === true, reason: plain(evidence.reason ?? body.reason, 60),
      distance: length(evidence.distance_m), low: length(evidence.low_m), high: length(evidence.high_m), dwell: number(evidence.dwell_s),
      likely: likelihood(evidence), evidence: Object.entries(evidence).filter(([member]) => member !== 'likelihood').slice(0, 24).map(([member, value]) => [plain(member, 40), plain(String(value), 60)]),
    };
    const doubts = region ? undefined : this.triggers.get(`${from.site}/${from.name}/${name}`)?.doubts;
    if (event.event === 'undecided') doubts?.set(event.id, event.reason);
    else if (event.event !== 'anomaly') doubts?.delete(event.id);
    // Delivered again after an outage: the same event.
    if (this.known.has(key)) return;
    this.known.add(key);
    if (region) this.#passage(this.#region(from, name), event, now);
    const place = this.events.findIndex((other) => other.at <= event.at);
    this.events.splice(place < 0 ? this.events.length : place, 0, event);
    for (const old of this.events.splice(most.events)) this.known.delete(old.key);
  }

  /**
   * What the broker kept of events, against all custom, says nothing of now.
   * @param {Region | undefined} region @param {Event} event @param {number} now
   */
  #passage(region, event, now) {
    if (!region || event.kept || !event.id) return;
    if (event.event === 'enter') region.enter(event.id, now, event.at);
    else if (event.event === 'exit') region.inside.delete(event.id);
  }
}
