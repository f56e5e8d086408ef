// Each gateway's regions: how many are inside, who they are as far as messages named them, and since when.

import { byId, html, keep, say, set } from './dom.js';
import { glyph, shape } from './glyphs.js';
import { counted, elapsed, metres, short } from './words.js';

/** @typedef {import('./site.js').Site} Site */
/** @typedef {import('./site.js').Region} Region */
/** @typedef {{id: string, name: string, rank: number, details: string}} Row */

const few = 24;
const zones = ['immediate', 'near', 'far'];

/** @param {Site} site @param {Region} region @param {number} now @returns {{state: 'inside' | 'nobody' | 'unknown', words: string}} */
export function occupancy(site, region, now) {
  const why = site.gateways.get(`${region.site}/${region.gateway}`)?.blindness(now) ?? 'gateway offline';
  if (why) return { state: 'unknown', words: `Unknown: ${why}` };
  return region.occupants > 0 ? { state: 'inside', words: `${region.occupants} inside` } : { state: 'nobody', words: 'Nobody inside' };
}

/**
 * The nearest zone first; within one the order stays.
 * @param {Site} site @param {Region} region @param {number} now @returns {Row[]}
 */
function rows(site, region, now) {
  const there = site.timeAt(region, now);
  return region.named().map(({ id, since, known }) => {
    const hearing = site.devices.get(`${region.site}/${id}`)?.heardBy(region.gateway, now);
    const stay = since === undefined ? `over ${elapsed(now - known)}` : elapsed(there - since);
    return {
      id, name: site.nameOf(region.site, id) ?? short(id), rank: hearing ? zones.indexOf(hearing.zone) : zones.length,
      details: hearing ? `${hearing.zone}, ${metres(hearing.distance)} · ${stay}` : stay,
    };
  }).sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
}

/**
 * The few that are shown first: those that are occupied or chosen, then those that are unknown; their order stays.
 * @param {Site} site @param {Region[]} regions @param {string} chosen @param {number} now
 */
function foremost(site, regions, chosen, now) {
  const order = ['inside', 'unknown', 'nobody'];
  const ranked = regions.map((region) => ({ region, rank: region.key === chosen ? 0 : order.indexOf(occupancy(site, region, now).state) }));
  const first = new Set(ranked.sort((a, b) => a.rank - b.rank).slice(0, few).map(({ region }) => region));
  return regions.filter((region) => first.has(region));
}

export class Regions {
  /** @param {(key: string) => void} choose @param {() => void} changed */
  constructor(choose, changed) {
    this.section = byId('inside', HTMLElement);
    this.list = byId('regions', HTMLUListElement);
    this.more = byId('more-regions', HTMLButtonElement);
    this.all = false;
    /**
     * Regions of which everybody is shown.
     * @type {Set<string>}
     */
    this.open = new Set();
    this.choose = choose;
    this.changed = changed;
    this.more.addEventListener('click', () => {
      this.all = !this.all;
      changed();
    });
  }

  /** @param {Site} site @param {Region[]} regions @param {string} chosen a region's key @param {number} most so many of each are named @param {number} now */
  update(site, regions, chosen, most, now) {
    set(this.section, 'hidden', regions.length === 0);
    set(this.more, 'hidden', regions.length <= few);
    say(this.more, this.all ? 'show fewer regions' : `show ${counted(regions.length - few, 'more region')}`);
    const allSimulated = regions.every((region) => region.simulated);
    keep(this.list, this.all ? regions : foremost(site, regions, chosen, now), (region) => region.key, (region) => this.#make(region), (element, region) => {
      const name = site.placed(region.site, site.regionName(region.site, region.gateway, region.name));
      this.#fill(element, site, region, name, chosen === region.key, allSimulated, now);
      this.#name(element, site, region, name, most, now);
    });
  }

  /** @param {Region} region */
  #make(region) {
    const head = html('button', { type: 'button', class: 'head' }, glyph('nobody'), html('span', { class: 'name' }), html('span', { class: 'since' }));
    head.addEventListener('click', () => this.choose(region.key));
    const more = html('button', { type: 'button', class: 'others' });
    more.addEventListener('click', () => {
      if (!this.open.delete(region.key)) this.open.add(region.key);
      this.changed();
    });
    return html('li', { class: 'region', 'data-region': region.key }, head, html('p', { class: 'words' }), html('ul', { class: 'people' }), more,
      html('p', { class: 'unnamed' }));
  }

  /** @param {HTMLElement} element @param {Site} site @param {Region} region @param {string} name @param {boolean} pressed @param {boolean} allSimulated
   * @param {number} now */
  #fill(element, site, region, name, pressed, allSimulated, now) {
    const part = (/** @type {string} */ query) => /** @type {Element} */ (element.querySelector(query));
    const { state, words } = occupancy(site, region, now);
    set(element, 'data-state', state);
    set(part('.head'), 'aria-pressed', String(pressed));
    set(part('.glyph path'), 'd', shape(state === 'inside' ? 'enter' : state));
    say(part('.head .name'), name);
    // Where some are real and some are not, each card that is not says so.
    const isOdd = region.simulated && !allSimulated;
    const stay = state === 'unknown' || region.since === undefined ? undefined : site.timeAt(region, now) - region.since;
    set(part('.since'), 'class', isOdd ? 'since rehearsal' : 'since');
    say(part('.since'), isOdd ? 'rehearsal' : stay === undefined ? '' : elapsed(stay));
    say(part('.words'), words);
    const sentence = [`${name}: ${words}`, stay === undefined ? '' : `for ${elapsed(Math.floor(stay / 10000) * 10000)}`];
    set(part('.head'), 'aria-label', sentence.filter(Boolean).join(', ') + (region.simulated ? ' (rehearsal)' : ''));
  }

  /** @param {HTMLElement} element @param {Site} site @param {Region} region @param {string} name @param {number} most @param {number} now */
  #name(element, site, region, name, most, now) {
    const part = (/** @type {string} */ query) => /** @type {Element} */ (element.querySelector(query));
    const isKnown = element.dataset.state === 'inside';
    const all = isKnown ? rows(site, region, now) : [];
    const shown = this.open.has(region.key) ? all : all.slice(0, most);
    set(part('.people'), 'aria-label', `Inside ${name}`);
    set(part('.people'), 'hidden', shown.length === 0);
    keep(part('.people'), shown, (row) => row.id, () => html('li', {}, html('span', { class: 'name' }), ' ', html('small')),
      (item, row) => {
        set(item, 'title', row.id);
        say(item.children[0], row.name);
        say(item.children[1], row.details);
      });
    const words = this.open.has(region.key) ? 'show fewer' : `show ${all.length - shown.length} more`;
    set(part('.others'), 'hidden', all.length <= most);
    set(part('.others'), 'aria-label', `${words} inside ${name}`);
    say(part('.others'), words);
    const unnamed = isKnown ? region.occupants - all.length : 0;
    set(part('.unnamed'), 'hidden', unnamed <= 0);
    say(part('.unnamed'), all.length ? `and ${unnamed} more whom no message has named yet` : 'No message has named them yet.');
  }
}
