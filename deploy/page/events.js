// What happened, newest first: a line each, and its evidence when it is opened.

import { byId, html, keep, say, set } from './dom.js';
import { glyph } from './glyphs.js';
import { clock, elapsed, fact, metres, places, range, remedy, short, verb, why } from './words.js';

/** @typedef {import('./site.js').Site} Site */
/** @typedef {import('./site.js').Event} Event */

const shown = 120;

/** @param {Site} site @param {Event} event */
export function sentence(site, event) {
  const name = event.id ? site.nameOf(event.site, event.id) ?? short(event.id) : '';
  const reason = why(event.event, event.reason);
  return `${event.simulated ? 'rehearsal: ' : ''}${site.placeOf(event)}: ${name} ${verb(event.event)}${reason ? ', ' + reason : ''}`;
}

/** @param {Event} event */
function remark(event) {
  const reason = why(event.event, event.reason);
  const distance = event.distance === undefined || event.event === 'leave' ? '' : `${metres(event.distance)} (${range(event.low, event.high)})`;
  const dwell = event.dwell && ['fire', 'undecided'].includes(event.event) ? `after ${event.dwell.toFixed(1)} s` : '';
  const stayed = event.dwell && event.event === 'leave' ? `was there for ${elapsed(event.dwell * 1000)}` : '';
  return [event.simulated ? 'a rehearsal, not real' : '', reason, remedy(event.event, event.reason), distance, dwell, stayed, places(event.likely)].filter(Boolean).join(' · ');
}

export class Events {
  /** @param {() => void} changed */
  constructor(changed) {
    this.list = byId('events', HTMLOListElement);
    this.kind = byId('kind', HTMLSelectElement);
    this.find = byId('find', HTMLInputElement);
    for (const control of [this.kind, this.find]) control.addEventListener('input', changed);
  }

  /** @param {Site} site @param {Event[]} events @param {string} chosen a trigger's or region's key @param {boolean} withRegions whether enters and
   * exits matter @param {boolean} utc */
  update(site, events, chosen, withRegions, utc) {
    const kinds = this.kind.value.split(' ').filter(Boolean);
    if (withRegions && this.kind.selectedIndex === 0) kinds.push('enter', 'exit');
    const words = this.find.value.trim().toLowerCase();
    const some = events.filter((event) => (!kinds.length || kinds.includes(event.event))
      && (!chosen || chosen === `${event.site}/${event.gateway}/${event.region ? 'region/' : ''}${event.place}`)
      && (!words || `${sentence(site, event)} ${event.id} ${event.gateway}`.toLowerCase().includes(words))).slice(0, shown);
    const nothing = events.length ? 'No event is like this.' : 'Nothing has happened since this page was opened. “forecourt events” lists what was before.';
    say(byId('no-events', HTMLElement), some.length ? '' : nothing);
    set(byId('only', HTMLElement), 'hidden', !chosen);
    const [place, gateway, kind, region] = chosen.split('/');
    say(byId('only-words', HTMLElement), `Only ${region ? site.regionName(place, gateway, region) : kind}.`);
    keep(this.list, some, (event) => event.key, (event) => this.#make(site, event), (element, event) => {
      const time = element.querySelector('time');
      say(time, clock(event.at, utc));
      say(element.querySelector('.told .who'), event.id ? site.nameOf(event.site, event.id) ?? short(event.id) : '');
    });
  }

  /** @param {Site} site @param {Event} event */
  #make(site, event) {
    const facts = [...(event.simulated ? [['rehearsal', 'not real']] : []), ['identity', event.id], ['gateway', site.placed(event.site, event.gateway)], ['time', new Date(event.at).toISOString()], ...event.evidence.map(([member, value]) => fact(member, value))];
    const details = html('details', {},
      html('summary', {}, html('time', { datetime: new Date(event.at).toISOString() }), glyph(event.event),
        html('span', { class: 'told' }, html('b', { class: 'name' }, site.placeOf(event)), ' ', html('span', { class: 'who name' }), ' ' + verb(event.event),
          html('small', {}, remark(event)))));
    // Most are never opened.
    details.addEventListener('toggle', () => {
      if (details.querySelector('dl')) return;
      details.append(html('dl', {}, ...facts.flatMap(([name, value]) => [html('dt', {}, name), html('dd', { class: 'name' }, value)])));
    });
    return html('li', { 'data-event': event.event }, details);
  }
}
