// Who is there: the nearest first by zone, so that rows keep their places while people walk.

import { byId, html, keep, say, set, spark, svg } from './dom.js';
import { counted, metres, places, range, short } from './words.js';

/** @typedef {import('./site.js').Site} Site */
/** @typedef {import('./site.js').Device} Device */

const few = 12;
const zones = ['immediate', 'near', 'far'];

export class Devices {
  /** @param {() => void} changed */
  constructor(changed) {
    this.body = byId('devices', HTMLTableSectionElement);
    this.more = byId('more', HTMLButtonElement);
    this.all = false;
    /**
     * Rows whose whole identity is shown.
     * @type {Set<string>}
     */
    this.open = new Set();
    this.changed = changed;
    this.more.addEventListener('click', () => {
      this.all = !this.all;
      changed();
    });
  }

  /** @param {Site} site @param {Device[]} devices @param {Set<string>} served keys of those that are served @param {number} now */
  update(site, devices, served, now) {
    const ranked = devices.flatMap((device) => {
      const best = device.best(now);
      return best ? [{ device, rank: served.has(device.key) ? 0 : 1 + zones.indexOf(best.zone) }] : [];
    });
    const present = ranked.sort((a, b) => a.rank - b.rank || (a.device.key < b.device.key ? -1 : 1)).map(({ device }) => device);
    const rows = this.all ? present : present.slice(0, few);
    set(byId('no-devices', HTMLElement), 'hidden', present.length > 0);
    set(this.more, 'hidden', present.length <= few);
    say(this.more, this.all ? 'show fewer' : `show ${counted(present.length - few, 'more device')}`);
    keep(this.body, rows, (device) => device.key, (device) => this.#make(device), (row, device) => this.#fill(row, site, device, served, now));
  }

  /** @param {Device} device */
  #make(device) {
    const name = html('button', { type: 'button', class: 'device name' });
    name.addEventListener('click', () => {
      if (!this.open.delete(device.key)) this.open.add(device.key);
      this.changed();
    });
    return html('tr', {}, html('th', { scope: 'row' }, name), html('td', { class: 'name' }),
      html('td', { class: 'figure' }, html('b'), ' ', html('small')),
      html('td', { class: 'line-column' }, svg('svg', { width: 160, height: 26, 'aria-hidden': 'true' })), html('td', { class: 'figure level-column' }));
  }

  /** @param {HTMLTableRowElement} row @param {Site} site @param {Device} device @param {Set<string>} served @param {number} now */
  #fill(row, site, device, served, now) {
    const best = device.best(now);
    if (!best) return;
    const [name, where, distance, line, level] = Array.from(row.cells);
    const button = /** @type {HTMLElement} */ (name.firstElementChild);
    const isOpen = this.open.has(device.key);
    const called = site.nameOf(device.site, device.id);
    set(row, 'data-served', served.has(device.key));
    say(button, isOpen ? (called ? `${called}: ${device.id}` : device.id) : called ?? short(device.id));
    set(button, 'aria-expanded', String(isOpen));
    set(button, 'title', device.id);
    const likely = places(best.likely);
    say(where, site.placed(device.site, best.gateway) + (served.has(device.key) ? ', served' : '') + (likely ? `; ${likely}` : ''));
    say(/** @type {Element} */ (distance.firstElementChild), metres(best.distance));
    say(/** @type {Element} */ (distance.lastElementChild), range(best.low, best.high));
    say(level, `${best.average?.toFixed(0)} dBm`);
    // Up is near; each factor is the same height.
    const samples = device.history.map(({ distance, low, high }) => ({ value: distance, low: high, high: low }));
    spark(/** @type {SVGSVGElement} */ (line.firstElementChild), samples, (value) => 1 - Math.log(Math.max(value, 0.3) / 0.3) / Math.log(200));
  }
}
