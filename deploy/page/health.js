// Each gateway and its radios: its own word for its state, the reason and remedy that it gives, and what its clock is worth.

import { byId, html, keep, say, set, spark, svg } from './dom.js';
import { glyph, shape } from './glyphs.js';
import { clockTolerance } from './site.js';
import { counted, elapsed, megabytes } from './words.js';

/** @typedef {import('./site.js').Gateway} Gateway */

/**
 * How far a clock is ahead of another. In steps: every change of a notice is read aloud.
 * @param {number} error milliseconds
 */
export const ahead = (error) => `${elapsed(Math.round(Math.abs(error) / clockTolerance) * clockTolerance)} ${error > 0 ? 'ahead of' : 'behind'}`;

/** @param {import('./site.js').Site} site @param {Gateway} gateway */
export function clockTrouble(site, gateway) {
  if (gateway.clockUnset && !gateway.simulated) return 'its clock is not set';
  const error = (gateway.clockError ?? site.clockError) - site.clockError;
  if (Math.abs(error) < clockTolerance) return '';
  const doubt = site.gateways.size === 1 && !gateway.clockDoubted ? ' (either may be wrong)' : '';
  return `its clock is ${ahead(error)} ${site.clockError ? 'the others’' : 'this device’s'}${doubt}`;
}

/** @param {Gateway} gateway @param {number} now */
export const state = (gateway, now) => (gateway.isSilent(now) ? 'silent' : gateway.state);

export class Health {
  constructor() {
    this.list = byId('gateways', HTMLUListElement);
  }

  /** @param {import('./site.js').Site} site @param {Gateway[]} gateways @param {number} now */
  update(site, gateways, now) {
    set(byId('no-gateways', HTMLElement), 'hidden', gateways.length > 0);
    const allSimulated = gateways.every((gateway) => gateway.simulated);
    const make = () => html('li', { class: 'gateway' },
      html('div', { class: 'head' }, glyph('online'), html('span', { class: 'name' }), html('span', { class: 'state' })),
      html('p', { class: 'reason name' }), html('p', { class: 'radios name' }), svg('svg', { class: 'rates', width: 240, height: 26, 'aria-hidden': 'true' }),
      html('p', { class: 'figures' }));
    keep(this.list, gateways, (gateway) => gateway.key, make, (element, gateway) => {
      this.#fill(element, site, gateway, allSimulated, now);
      say(element.querySelector('.head .name'), site.placed(gateway.site, gateway.name));
    });
  }

  /** @param {HTMLElement} element @param {import('./site.js').Site} site @param {Gateway} gateway @param {boolean} allSimulated @param {number} now */
  #fill(element, site, gateway, allSimulated, now) {
    const part = (/** @type {string} */ query) => /** @type {HTMLElement} */ (element.querySelector(query));
    const how = state(gateway, now);
    const figure = (/** @type {string} */ name) => gateway.telemetry.get(name);
    set(element, 'data-state', how);
    set(element, 'title', gateway.version ? `${gateway.purpose} (forecourt ${gateway.version})` : undefined);
    set(part('.glyph path'), 'd', shape(how));
    say(part('.state'), how === 'silent' ? `silent for ${elapsed(now - gateway.heard)}` : how);
    // Where all rehearse, the notice above says so once.
    const isOdd = gateway.simulated && !allSimulated;
    const reasons = [gateway.reason, gateway.missing && !gateway.reason ? `not heard: ${gateway.missing}` : '', clockTrouble(site, gateway),
      gateway.authorization && gateway.authorization !== 'always' ? `authorization: ${gateway.authorization}` : '',
      isOdd ? 'rehearsal: what it hears is not real' : ''].filter(Boolean);
    say(part('.reason'), reasons.join(' · '));
    say(part('.radios'), gateway.state === 'offline' ? '' : gateway.radios.map((radio) => `${radio.name} ${radio.state}`).join(', '));
    const top = Math.max(10, ...gateway.rates);
    spark(/** @type {any} */ (part('.rates')), gateway.rates.map((value) => ({ value })), (value) => value / top);
    set(part('.rates'), 'hidden', gateway.rates.length < 2);
    if (!gateway.told) return say(part('.figures'), '');
    const dropped = ['dropped_packets', 'dropped_messages'].reduce((sum, name) => sum + (figure(name) ?? 0), 0);
    say(part('.figures'), [`${(figure('adverts_hz') ?? 0).toFixed(0)} adverts/s`, counted(figure('devices') ?? 0, 'device'),
      gateway.processor === undefined ? '' : `${(gateway.processor * 100).toFixed(1)} % CPU`, megabytes(figure('memory_bytes')),
      figure('outbox_waiting') ? `${figure('outbox_waiting')} events wait` : '', dropped ? `${dropped} dropped` : ''].filter(Boolean).join(' · '));
  }
}
