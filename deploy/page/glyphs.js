// A sign for each state, by its shape: colour alone says nothing to some eyes, and little on a phone in the sun.

import { svg } from './dom.js';

/** @type {Record<string, string>} */
const shapes = {
  nobody: 'M3 9a6 6 0 1 0 12 0a6 6 0 1 0-12 0',
  near: 'M4 4l5 5-5 5M10 4l5 5-5 5',
  served: 'M3 9.5l4 4 8-9',
  undecided: 'M6 6.5a3 3 0 1 1 4.6 2.5c-1 .7-1.6 1.2-1.6 2.4M9 14.6v.1',
  unknown: 'M4 4l10 10M14 4l-10 10',
  left: 'M3 9h11M10 5l4 4-4 4',
  anomaly: 'M9 2.5l7 13H2zM9 7.5v3.5M9 13.2v.1',
  enter: 'M3 3v12M15 9H7M10 6L7 9l3 3',
  exit: 'M3 3v12M7 9h8M12 6l3 3-3 3',
};

/** @type {Record<string, string>} */
const alike = {
  fire: 'served', manual: 'served', arm: 'near', leave: 'left', online: 'served', degraded: 'anomaly', silent: 'undecided', offline: 'unknown',
};

/** @param {string} state */
export const shape = (state) => shapes[alike[state] ?? state] ?? shapes.nobody;

/** @param {string} state */
export const glyph = (state) => svg('svg', { class: 'glyph', viewBox: '0 0 18 18', 'aria-hidden': 'true' }, svg('path', { d: shape(state) }));
