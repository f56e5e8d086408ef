// What the page says: short names, times, reasons. Text in, text out.

/** Why nobody fired: what the gateway's one or two words mean to a person at the pump. */
const undecided = new Map([
  ['rival', 'another pump hears it as well'],
  ['silent neighbour', 'a neighbour does not answer'],
  ['unknown power', 'its power is unknown'],
  ['unclear place', 'what all radios hear fits another place as well'],
  ['no broker', 'the neighbours are out of reach'],
  ['present at start', 'it was here before the start'],
  ['not been away', 'it has not been away'],
  ['served elsewhere', 'it was served at another pump'],
  ['few adverts', 'it advertises too seldom'],
]);

/** What to do about that, or to wait for. */
const remedies = new Map([
  ['rival', 'it fires at the pump that hears it better for long enough'],
  ['silent neighbour', 'see which gateway is offline or not heard'],
  ['unclear place', 'give more radios their place: at_m'],
  ['unknown power', 'measure this kind of phone with “forecourt calibrate walk”'],
  ['no broker', 'see the broker, and “forecourt check” on the gateway'],
  ['present at start', 'it must leave and come back once'],
  ['not been away', 'it was served, and must leave first'],
  ['served elsewhere', 'it must leave there first; group_refractory_s may last longer'],
  ['few adverts', 'lower min_rate_hz, or let it advertise more often'],
]);

/**
 * @param {string} event
 * @param {string} reason
 */
export const remedy = (event, reason) => (event === 'undecided' ? remedies.get(reason) ?? '' : '');

const ended = new Map([
  ['away', 'it went away'],
  ['elsewhere', 'it stands at another pump'],
  ['lost', 'nothing more was heard of it'],
  ['silence', 'nothing more was heard of it'],
  ['reload', 'the configuration changed'],
  ['evicted', 'the device table was full'],
  ['authorization', 'listening is not authorized'],
  ['restart', 'the gateway restarted'],
  ['identified', 'it has a better identity now'],
  ['address renewed', 'it has another address now'],
]);

const anomalies = new Map([
  ['two places at once', 'it is at two places at once: a copy?'],
  ['implausible power', 'it claims a power that no transmitter has'],
]);

const verbs = new Map([
  ['arm', 'approaches'], ['fire', 'served'], ['manual', 'served by hand'], ['undecided', 'undecided'], ['leave', 'left'],
  ['anomaly', 'suspicious'], ['enter', 'entered'], ['exit', 'exited'],
]);

/** @param {string} event */
export const verb = (event) => verbs.get(event) ?? event;

/** @param {string} event @param {string | undefined} reason */
export function why(event, reason) {
  if (!reason) return '';
  const list = event === 'undecided' ? undecided : event === 'anomaly' ? anomalies : ended;
  return list.get(reason) ?? reason;
}

/** Control characters and those that turn the direction of writing could make a name look like something else. */
const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const visible = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/**
 * Whether this mark joins two characters or keeps them apart (U+200D, U+200C): Persian, Hindi and many an emoji are spelt with it.
 * @param {string} mark @param {number} at @param {string} text
 */
const isSpelling = (mark, at, text) => (mark === '\u200c' || mark === '\u200d')
  && visible.test([...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '') && visible.test(text.slice(at + 1, at + 3));

/**
 * Anything from a message, as text that is safe to show.
 * @param {unknown} value @param {number} [limit]
 */
export function plain(value, limit = 200) {
  return typeof value === 'string' ? value.slice(0, limit).replace(invisible, (mark, at, text) => (isSpelling(mark, at, text) ? mark : '·')) : '';
}

/** @param {unknown} value */
export const number = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

/**
 * An identity in a few characters; the whole one is a click away.
 * @param {string} id
 */
export function short(id) {
  const colon = id.indexOf(':');
  const kind = colon < 0 ? '' : id.slice(0, colon);
  const rest = id.slice(colon + 1);
  if (kind === 'irk') return rest.length > 24 ? rest.slice(0, 23) + '…' : rest;
  if (kind === 'ibeacon') {
    const [uuid, ...numbers] = rest.split(':');
    return `${kind} ${uuid.slice(0, 4)}… ${numbers.join(':').slice(0, 12)}`;
  }
  const words = kind ? `${kind} ${rest}` : rest;
  return words.length > 24 ? words.slice(0, 13) + '…' + words.slice(-9) : words;
}

/** @param {number | undefined} value */
export function metres(value) {
  if (value === undefined) return '–';
  return value >= 100 ? '> 100\u00a0m' : `${value >= 9.95 ? value.toFixed(0) : value.toFixed(1)}\u00a0m`;
}

/** @param {number | undefined} low @param {number | undefined} high */
export function range(low, high) {
  if (low === undefined || high === undefined) return '';
  const bare = (/** @type {number} */ value) => (value >= 9.95 ? Math.min(value, 999).toFixed(0) : value.toFixed(1));
  return `${bare(low)}–${bare(high)}`;
}

/** @param {number} part */
export const percent = (part) => `${(part * 100).toFixed(0)}\u00a0%`;

/**
 * Where a device probably is: the three likeliest places.
 * @param {[string, number][]} likely
 */
export const places = (likely) => likely.slice(0, 3).map(([place, part]) => `${place} ${percent(part)}`).join(', ');

/** @type {Record<string, string>} */
const units = { m: 'm', s: 's', db: 'dB', hz: 'Hz' };

/**
 * A member of an event's evidence for people: its unit stands behind its value.
 * @param {string} member
 * @param {string} value
 * @returns {[string, string]}
 */
export function fact(member, value) {
  const [, name, suffix] = /^(.*)_(m|s|db|hz)$/.exec(member) ?? [];
  if (name) return [name.replaceAll('_', ' '), `${value} ${units[suffix]}`];
  return [member.replaceAll('_', ' '), member === 'average' || member === 'runner_up' ? `${value} dBm` : value];
}

/** @param {number} milliseconds */
export function elapsed(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
  return `${Math.floor(seconds / 86400)} days`;
}

/** @param {number} moment @param {boolean} utc */
export function clock(moment, utc) {
  const date = new Date(moment);
  const parts = utc ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    : [date.getHours(), date.getMinutes(), date.getSeconds()];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** @param {number | undefined} bytes */
export const megabytes = (bytes) => (bytes === undefined ? '–' : `${(bytes / 1048576).toFixed(1)} MB`);

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = one + 's') => `${count} ${count === 1 ? one : many}`;
