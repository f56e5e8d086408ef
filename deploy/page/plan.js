// A forecourt from above: a card for each trigger at its place, or in a tidy row while nobody has said where it is.

import { html, keep, say, set, svg } from './dom.js';
import { glyph, shape } from './glyphs.js';
import { elapsed, metres, percent, short, why } from './words.js';

/** @typedef {import('./site.js').Site} Site */
/** @typedef {import('./site.js').Trigger} Trigger */
/** @typedef {import('./site.js').Device} Device */
/** @typedef {{state: 'nobody' | 'near' | 'served' | 'undecided' | 'unknown', words: string, who: string, since?: number}} Standing */

/** @typedef {{device: Device, hearing: import('./site.js').Hearing, isBest: boolean}} Heard */
/** @typedef {{wide: number, tall: number, scale: number, stretch: number, turned: boolean, left: number, top: number, margin: number, height: number,
 *   at: (trigger: Trigger) => number[] | undefined}} Layout */

const gap = 10;

/**
 * By the trigger's state, or by what its gateway hears.
 * @param {Site} site @param {Trigger} trigger @param {import('./site.js').Visitor} visitor
 */
function likely(site, trigger, visitor) {
  if (visitor.likely.length) return visitor.likely;
  return site.devices.get(`${trigger.site}/${visitor.id}`)?.hearings.get(trigger.gateway)?.likely ?? [];
}

/** @param {Site} site @param {Trigger} trigger @param {number} now @returns {Standing} */
export function standing(site, trigger, now) {
  const gateway = site.gateways.get(`${trigger.site}/${trigger.gateway}`);
  const blindness = gateway?.blindness(now) ?? 'gateway offline';
  if (blindness) return { state: 'unknown', words: `Unknown: ${blindness}`, who: gateway?.state === 'offline' ? gateway.reason : '' };
  const names = (/** @type {import('./site.js').Visitor[]} */ visitors, /** @type {number} */ count) => {
    const known = visitors.map((visitor) => {
      const here = likely(site, trigger, visitor).find(([place]) => place === 'here');
      return (site.nameOf(trigger.site, visitor.id) ?? short(visitor.id)) + (here ? `, ${percent(here[1])}` : '');
    });
    const named = known.slice(0, count > 2 ? 1 : 2);
    return named.join(', ') + (count > named.length ? ` and ${count - named.length} more` : '');
  };
  const { served, near, servedCount, nearCount, doubts } = trigger;
  if (servedCount > 0) {
    const words = servedCount > 1 ? `${servedCount} served` : 'Served';
    return { state: 'served', words: nearCount > 0 ? `${words}, ${nearCount} more near` : words, who: names(served, servedCount), since: served[0]?.since };
  }
  const doubted = near.find(({ id }) => doubts.has(id));
  if (doubted) return { state: 'undecided', words: 'Undecided: ' + why('undecided', doubts.get(doubted.id)), who: names(near, nearCount), since: doubted.since };
  if (nearCount > 0) {
    const nearest = near.map(({ id }) => site.devices.get(`${trigger.site}/${id}`)?.hearings.get(trigger.gateway)?.distance)
      .filter((distance) => distance !== undefined).sort((a, b) => Number(a) - Number(b))[0];
    const words = `${nearCount > 1 ? nearCount + ' approaching' : 'Approaching'}${nearest === undefined ? '' : ', ' + metres(nearest)}`;
    return { state: 'near', words, who: names(near, nearCount), since: near[0]?.since };
  }
  return { state: 'nobody', words: 'Nobody', who: '' };
}

/**
 * Half a metre to thirty, as 0 to 1, each factor the same length: a doubt is a factor.
 * @param {number} distance
 */
const along = (distance) => Math.min(1, Math.max(0, Math.log(distance / 0.5) / Math.log(60)));

/**
 * A place in metres as it lies on the page: a quarter turn to the right where that fits better, never a mirror image.
 * @param {[number, number]} place @param {number} stretch @param {boolean} turned
 */
const laid = ([x, y], stretch, turned) => (turned ? [-y, x * stretch] : [x, y * stretch]);

/**
 * What each gateway hears, the nearest first.
 * @param {Device[]} devices
 * @param {number} now
 * @returns {Map<string, Heard[]>}
 */
function nearest(devices, now) {
  const heard = new Map();
  for (const device of devices) {
    const best = device.best(now);
    for (const hearing of device.hearings.values()) {
      const key = `${device.site}/${hearing.gateway}`;
      if (!heard.has(key)) heard.set(key, []);
      heard.get(key).push({ device, hearing, isBest: hearing === best });
    }
  }
  for (const some of heard.values()) {
    some.sort((/** @type {Heard} */ a, /** @type {Heard} */ b) => (a.hearing.distance ?? 99) - (b.hearing.distance ?? 99));
  }
  return heard;
}

/** One site's. */
export class Plan {
  /** @param {(key: string) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.ground = svg('svg', { class: 'ground', 'aria-hidden': 'true' });
    this.pumps = html('div', { class: 'pumps' });
    this.title = html('h3', { class: 'name' });
    this.element = html('div', {}, this.title, html('div', { class: 'area' }, this.ground, this.pumps));
    this.width = 0;
    new ResizeObserver(([entry]) => (this.width = Math.floor(entry.contentRect.width))).observe(this.pumps);
    this.drawn = '';
  }

  /** @param {Site} site @param {string} title @param {Trigger[]} triggers @param {Device[]} devices @param {string} chosen @param {number} now */
  update(site, title, triggers, devices, chosen, now) {
    set(this.title, 'hidden', !title);
    say(this.title, title);
    const layout = this.#layout(site, triggers);
    const mode = layout ? 'map' : 'row';
    set(this.pumps, 'data-mode', mode);
    set(this.ground, 'data-mode', mode);
    this.#ground(layout, site, triggers);
    const heard = nearest(devices, now);
    // Measured once, before anything changes: a measurement between changes costs a layout each.
    const width = (layout?.wide ?? (this.pumps.firstElementChild?.clientWidth || 168)) - 23;
    const allSimulated = triggers.every((trigger) => trigger.simulated);
    const alone = (/** @type {Trigger} */ trigger) => triggers.every((other) => other === trigger || other.name !== trigger.name);
    keep(this.pumps, triggers, (trigger) => trigger.key, (trigger) => this.#make(trigger), (element, trigger) => {
      const name = alone(trigger) ? trigger.name : `${trigger.gateway} · ${trigger.name}`;
      this.#fill(element, trigger, name, standing(site, trigger, now), chosen === trigger.key, allSimulated, site.timeAt(trigger, now));
      this.#track(element, trigger, heard.get(`${trigger.site}/${trigger.gateway}`) ?? [], width);
      const place = layout?.at(trigger);
      element.style.left = place ? `${place[0]}px` : '';
      element.style.top = place ? `${place[1]}px` : '';
      element.style.width = layout ? `${layout.wide}px` : '';
      element.style.height = layout ? `${layout.tall}px` : '';
    });
  }

  /** @param {Trigger} trigger */
  #make(trigger) {
    const element = html('button', { type: 'button', class: 'pump' },
      html('span', { class: 'head' }, glyph('nobody'), html('span', { class: 'name' }), html('span', { class: 'since' })),
      html('span', { class: 'words' }), html('span', { class: 'who name' }),
      svg('svg', { class: 'track', 'aria-hidden': 'true' }));
    element.addEventListener('click', () => this.choose(trigger.key));
    return element;
  }

  /** @param {HTMLElement} element @param {Trigger} trigger @param {string} name @param {Standing} standing @param {boolean} pressed @param {boolean} allSimulated
   * @param {number} now by its gateway's clock */
  #fill(element, trigger, name, { state, words, who, since }, pressed, allSimulated, now) {
    const part = (/** @type {string} */ query) => /** @type {Element} */ (element.querySelector(query));
    set(element, 'data-state', state);
    set(element, 'data-trigger', trigger.key);
    set(element, 'aria-pressed', String(pressed));
    set(part('.glyph path'), 'd', shape(state));
    say(part('.head .name'), name);
    // Where some are real and some are not, each card that is not says so.
    const isOdd = trigger.simulated && !allSimulated;
    set(part('.since'), 'class', isOdd ? 'since rehearsal' : 'since');
    say(part('.since'), isOdd ? 'rehearsal' : since === undefined ? '' : elapsed(now - since));
    say(part('.words'), words);
    say(part('.who'), who);
    const sentence = [`${name}: ${words}`, who, since === undefined ? '' : `for ${elapsed(Math.floor((now - since) / 10000) * 10000)}`];
    set(element, 'aria-label', sentence.filter(Boolean).join(', ') + (trigger.simulated ? ' (rehearsal)' : ''));
  }

  /**
   * How far away those are that this pump hears best or serves, each with its doubt.
   * @param {Element} element @param {Trigger} trigger @param {Heard[]} heard @param {number} width
   */
  #track(element, trigger, heard, width) {
    const track = /** @type {SVGSVGElement} */ (element.querySelector('.track'));
    const x = (/** @type {number} */ distance) => (8 + along(distance) * (width - 16)).toFixed(1);
    if (track.childElementCount === 0 || track.dataset.width !== String(width)) {
      track.dataset.width = String(width);
      const marks = [1, 3, 10].map((distance) => svg('text', { x: x(distance), y: 23, 'text-anchor': 'middle' }, `${distance} m`));
      track.replaceChildren(svg('path', { class: 'axis', d: `M8 7H${width - 8}` }), ...marks, svg('g'));
    }
    const visitors = new Set([...trigger.served, ...trigger.near].map(({ id }) => id));
    const shown = heard.filter(({ device, isBest }) => isBest || visitors.has(device.id)).slice(0, 6);
    keep(/** @type {Element} */ (track.lastElementChild), shown, ({ device }) => device.id, () => svg('g', {}, svg('path', { class: 'reach' }), svg('circle', { r: 4, cy: 7 })),
      (dot, { device, hearing }) => {
        set(dot, 'class', trigger.served.some(({ id }) => id === device.id) ? 'served' : undefined);
        set(dot.firstElementChild, 'd', `M${x(hearing.low ?? hearing.distance ?? 30)} 7H${x(hearing.high ?? hearing.distance ?? 30)}`);
        set(dot.lastElementChild, 'cx', x(hearing.distance ?? 30));
      });
  }

  /**
   * Metres to pixels so that no two cards touch; the plan turns when that fits better, as on a phone.
   * @param {Site} site @param {Trigger[]} triggers @returns {Layout | undefined}
   */
  #layout(site, triggers) {
    const wide = this.width < 560 ? Math.min(168, Math.floor((this.width - 12 - gap) / 2)) : this.width > 1000 ? 224 : 176;
    const tall = this.width > 1000 ? 150 : 142;
    /** @type {[Trigger, [number, number]][]} */
    const placed = [];
    for (const trigger of triggers) {
      const places = site.plans.get(trigger.site)?.places;
      const place = places?.get(`${trigger.gateway}/${trigger.name}`) ?? places?.get(trigger.name);
      if (!place) return undefined;
      placed.push([trigger, place]);
    }
    if (placed.length < 2) return undefined;
    // Turned, stretched, or higher than a screen, when only so the cards have room.
    const [low, high, stretches] = [Math.max(240, innerHeight * 0.3), 1000, [1, 1.3, 1.7, 2.5]];
    const ways = [...stretches.flatMap((stretch) => [[stretch, false, low], [stretch, true, high]]), ...stretches.map((stretch) => [stretch, false, high])];
    for (const [stretch, turned, most] of /** @type {[number, boolean, number][]} */ (ways)) {
      const points = placed.map(([, place]) => laid(place, stretch, turned));
      const [left, top] = [Math.min(...points.map(([x]) => x)), Math.min(...points.map(([, y]) => y))];
      const [dx, dy] = [Math.max(...points.map(([x]) => x)) - left, Math.max(...points.map(([, y]) => y)) - top];
      const scale = Math.min((this.width - wide - 12) / Math.max(dx, 0.1), most / Math.max(dy, 0.1), 60);
      const free = points.every(([x, y], index) => points.slice(index + 1).every(([u, v]) =>
        Math.abs(x - u) * scale >= wide + gap || Math.abs(y - v) * scale >= tall + gap));
      if (!free) continue;
      const margin = (this.width - dx * scale - wide) / 2;
      const at = new Map(placed.map(([trigger], index) => [trigger.key, [margin + (points[index][0] - left) * scale, 14 + (points[index][1] - top) * scale]]));
      return { wide, tall, scale, stretch, turned, left, top, margin, height: dy * scale + tall + 48, at: (/** @type {Trigger} */ trigger) => at.get(trigger.key) };
    }
    return undefined;
  }

  /** @param {Layout | undefined} layout @param {Site} site @param {Trigger[]} triggers */
  #ground(layout, site, triggers) {
    if (!layout) return;
    const { scale, stretch, height, margin, left, top, turned, wide, tall } = layout;
    const places = site.plans.get(triggers[0].site)?.places ?? new Map();
    const radios = [...places].filter(([name]) => site.gateways.has(`${triggers[0].site}/${name}`) && triggers.every((trigger) => trigger.name !== name));
    const drawing = JSON.stringify([this.width, layout, radios]);
    if (drawing === this.drawn) return;
    this.drawn = drawing;
    set(this.ground, 'height', height);
    set(this.ground, 'viewBox', `0 0 ${this.width} ${height}`);
    const dots = [];
    const step = 5 * scale;
    const down = step * stretch;
    // Not for a plan of kilometres.
    for (let x = (margin + wide / 2) % step; step > 12 && x < this.width; x += step) {
      for (let y = (14 + tall / 2) % down; y < height; y += down) dots.push(svg('circle', { class: 'grid', cx: x.toFixed(1), cy: y.toFixed(1), r: 1.6 }));
    }
    const antennas = radios.map(([name, place]) => {
      const [u, v] = laid(place, stretch, turned);
      const [cx, cy] = [margin + wide / 2 + (u - left) * scale, 14 + tall / 2 + (v - top) * scale];
      return svg('g', {}, svg('circle', { class: 'radio', cx, cy, r: 5 }), svg('text', { x: cx + 9, y: cy + 4 }, name));
    });
    this.ground.replaceChildren(svg('rect', { class: 'tarmac', width: this.width, height, rx: 10 }), ...dots, ...antennas,
      svg('path', { class: 'scale', d: `M12 ${height - 16}v6h${step.toFixed(1)}v-6` }), svg('text', { x: 12 + step + 8, y: height - 9 }, '5 m'));
  }
}
