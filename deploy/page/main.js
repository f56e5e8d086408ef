// The page: asks for the broker, keeps what the topics say, and draws it: events at once, distances once a second.

import { connect } from './connection.js';
import { Devices } from './devices.js';
import { byId, html, keep, say, set } from './dom.js';
import { Events, sentence } from './events.js';
import { Health, ahead, clockTrouble, state } from './health.js';
import { Plan, standing } from './plan.js';
import { Regions, occupancy } from './regions.js';
import { Site } from './site.js';
import { clock, counted } from './words.js';

/** @typedef {import('./connection.js').Condition} Condition */

/** What comes many times a second, and changes little each time. */
const often = /^[^/]*\/[^/]*\/[^/]*\/(proximity|ranging|telemetry)/;

const words = new URLSearchParams(location.search);
const prefix = words.get('prefix') ?? 'forecourt';
const site = new Site();
const page = { condition: /** @type {Condition} */ ('connecting'), since: Date.now(), detail: '', utc: false, chosen: '', site: '', announced: '', dirty: true };
const changed = () => void (page.dirty = true);
const choose = (/** @type {string} */ key) => {
  page.chosen = page.chosen === key ? '' : key;
  page.dirty = true;
};
/**
 * By site.
 * @type {Map<string, Plan>}
 */
const plans = new Map();
const events = new Events(changed);
const devices = new Devices(changed);
const regions = new Regions(choose, changed);
const health = new Health();
/** @type {ReturnType<typeof connect> | undefined} */
let connection;

// -- The broker ------------------------------------------------------------------------------------------------------------

function ownBroker() {
  if (!location.protocol.startsWith('http')) return '';
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}`;
}

/** @param {string} address */
const stored = (address) => /** @type {{username: string, password: string} | null} */ (JSON.parse(sessionStorage.getItem(`forecourt ${address}`) ?? 'null'));

/** @param {string} address @param {{username: string, password: string} | null} login */
function open(address, login) {
  connection?.end();
  set(byId('login', HTMLFormElement), 'hidden', true);
  set(document.getElementsByTagName('main')[0], 'hidden', false);
  const settle = (/** @type {Condition} */ condition, /** @type {string} */ detail) => {
    const now = Date.now();
    if (condition === 'live' && page.condition === 'lost') site.resume(now - page.since, now);
    if (condition !== page.condition) page.since = now;
    // Trying again is no news while nothing has come of it.
    if (!(page.condition === 'lost' && condition === 'connecting')) [page.condition, page.detail] = [condition, detail];
    if (condition === 'live' && login) sessionStorage.setItem(`forecourt ${address}`, JSON.stringify(login));
    if (condition === 'refused') ask(address, login ? `The broker refuses: ${detail}.` : '');
    page.dirty = true;
  };
  try {
    connection = connect({ address, prefix, ...login }, settle, (topic, payload, kept) => {
      site.receive(topic, payload, kept, Date.now());
      if (!often.test(topic)) page.dirty = true;
    });
  } catch (error) {
    ask(address, `This is no broker’s address: ${error instanceof Error ? error.message : error}`);
  }
}

/** @param {string} address @param {string} error */
function ask(address, error) {
  connection?.end();
  connection = undefined;
  page.condition = 'refused';
  sessionStorage.removeItem(`forecourt ${address}`);
  const elsewhere = ownBroker() && address && address !== ownBroker();
  say(byId('login-words', HTMLElement), elsewhere ? `Attention: user and password will go to ${address}, not to where this page came from.` : '');
  say(byId('login-error', HTMLElement), error);
  byId('broker', HTMLInputElement).value = address;
  set(byId('login', HTMLFormElement), 'hidden', false);
  set(document.getElementsByTagName('main')[0], 'hidden', true);
  byId(address ? 'username' : 'broker', HTMLInputElement).focus();
}

byId('login', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  const [address, username, password] = ['broker', 'username', 'password'].map((id) => byId(id, HTMLInputElement).value);
  open(address.trim(), username ? { username, password } : null);
});

// -- Drawing ---------------------------------------------------------------------------------------------------------------

/**
 * What must be known before anything on the page is believed.
 * @param {import('./site.js').Gateway[]} gateways @param {number} now
 */
function notices(gateways, now) {
  /** @type {[kind: string, head: string, text: string][]} */
  const all = [];
  if (page.condition === 'lost') all.push(['fault', 'Broker lost', `Since ${clock(page.since + site.clockError, page.utc)} all below is as it was then. Trying again every two seconds.`]);
  if (page.condition === 'connecting' && now - page.since > 3000) all.push(['fault', 'No connection yet', 'The broker has not answered so far.']);
  const named = (/** @type {import('./site.js').Gateway[]} */ some) => some.slice(0, 5).map((gateway) => site.placed(gateway.site, gateway.name)).join(', ') + (some.length > 5 ? ` and ${some.length - 5} more` : '');
  const rehearsing = gateways.filter((gateway) => gateway.simulated);
  if (rehearsing.length) all.push(['fault', 'Rehearsal', `${rehearsing.length === gateways.length ? 'Nothing here is real' : `${named(rehearsing)}: not real`}. Do not act on it.`]);
  const silent = gateways.filter((gateway) => state(gateway, now) === 'silent');
  if (silent.length) all.push(['doubt', 'Stale', `${named(silent)} ${silent.length > 1 ? 'have' : 'has'} said nothing for longer than usual.`]);
  if (site.clockError) all.push(['doubt', 'This device’s clock is wrong', `It is ${ahead(-site.clockError)} the gateways’. The page goes by theirs.`]);
  const wrong = gateways.filter((gateway) => gateway.state !== 'offline' && clockTrouble(site, gateway));
  if (wrong.length) all.push(['doubt', 'Clock', `${named(wrong.slice(0, 1))}: ${clockTrouble(site, wrong[0])}${wrong.length > 1 ? `, and ${counted(wrong.length - 1, 'more gateway')}` : ''}.`]);
  if (site.leftOut.size) all.push(['doubt', 'Not all', `There are more gateways than this page shows: ${[...site.leftOut][0]}${site.leftOut.size > 1 ? ` and ${site.leftOut.size - 1} more are` : ' is'} left out.`]);
  keep(byId('notices', HTMLElement), all, ([, head]) => head, ([kind]) => html('p', { class: 'notice', 'data-kind': kind }, html('b'), ' ', html('span', { class: 'name' })),
    (element, [, head, text]) => {
      say(element.firstElementChild, head + '.');
      say(element.lastElementChild, text);
    });
  set(byId('watermark', HTMLElement), 'hidden', rehearsing.length === 0);
}

/** @param {string[]} sites */
function chooseSite(sites) {
  // The chosen site may be cleared away.
  if (!sites.includes(page.site)) page.site = '';
  const select = byId('site', HTMLSelectElement);
  set(byId('sites', HTMLElement), 'hidden', sites.length < 2);
  keep(select, ['', ...sites], (name) => name || ' ', (name) => html('option', { value: name }), (option, name) => say(option, name ? site.titleOf(name) : 'all'));
  const only = sites.length === 1 ? sites[0] : page.site;
  const title = only ? site.titleOf(only) : sites.length ? `${sites.length} sites` : 'forecourt';
  say(byId('title', HTMLElement), title);
  document.title = title === 'forecourt' ? title : `${title} – forecourt`;
}

/**
 * A screen reader hears of arrivals and of what keeps somebody waiting, one at a time.
 * @param {boolean} withRegions
 */
function announce(withRegions) {
  const kinds = ['fire', 'manual', 'undecided', 'anomaly', ...(withRegions ? ['enter', 'exit'] : [])];
  const newest = site.events.find((event) => kinds.includes(event.event));
  if (!newest || newest.key === page.announced) return;
  page.announced = newest.key;
  say(byId('announce', HTMLElement), sentence(site, newest));
}

/**
 * A plan for each site that has a trigger; with several its name stands above.
 * @param {import('./site.js').Trigger[]} triggers @param {import('./site.js').Device[]} devices @param {boolean} isNamed @param {number} now
 */
function drawPlans(triggers, devices, isNamed, now) {
  const names = [...new Set(triggers.map((trigger) => trigger.site))];
  for (const name of names) if (!plans.has(name)) plans.set(name, new Plan(choose));
  for (const name of plans.keys()) if (!names.includes(name)) plans.delete(name);
  const plan = (/** @type {string} */ name) => /** @type {Plan} */ (plans.get(name));
  set(byId('no-pumps', HTMLElement), 'hidden', triggers.length > 0);
  keep(byId('plans', HTMLElement), names, (name) => name, (name) => plan(name).element, (_, name) => {
    const of = (/** @type {{site: string}} */ thing) => thing.site === name;
    plan(name).update(site, isNamed ? site.titleOf(name) : '', triggers.filter(of), devices.filter(of), page.chosen, now);
  });
}

function draw() {
  // Without a broker the time stands still for what it said.
  const isLost = page.condition === 'lost';
  const now = isLost ? page.since : Date.now();
  set(document.getElementsByTagName('main')[0], 'data-stale', isLost);
  const broker = byId('condition', HTMLElement);
  set(broker, 'data-condition', page.condition);
  say(broker, page.condition === 'live' ? '● live' : page.condition === 'lost' ? '✕ broker lost' : page.condition === 'refused' ? '✕ not connected' : '○ connecting…');
  if (page.condition === 'live' && connection?.ask(site.missing())) site.await(now);
  site.expire(now);
  say(byId('time', HTMLElement), `${clock(Date.now() + site.clockError, page.utc)} ${page.utc ? 'UTC' : 'local'}`);
  const all = [...site.gateways.values()].sort((a, b) => a.key.localeCompare(b.key, undefined, { numeric: true }));
  const sites = [...new Set(all.map((gateway) => gateway.site))];
  chooseSite(sites);
  site.isMany = sites.length > 1 && !page.site;
  const here = (/** @type {{site: string}} */ thing) => !page.site || thing.site === page.site;
  const gateways = all.filter(here);
  const sorted = (/** @type {any[]} */ places) => places.filter(here).sort((a, b) => a.key.localeCompare(b.key, undefined, { numeric: true }));
  /** @type {import('./site.js').Trigger[]} */ const triggers = sorted([...site.triggers.values()]);
  /** @type {import('./site.js').Region[]} */ const places = sorted([...site.regions.values()]);
  // Where there are no pumps, people coming and going are what matters.
  const isRooms = triggers.length === 0 && places.length > 0;
  const withRegions = isRooms || places.some(({ key }) => key === page.chosen);
  const served = new Set(triggers.flatMap((trigger) => trigger.served.map(({ id }) => `${trigger.site}/${id}`)));
  const near = [...site.devices.values()].filter(here);
  notices(gateways, now);
  drawPlans(triggers, near, site.isMany, now);
  set(document.getElementsByTagName('main')[0], 'data-regions', places.length > 0);
  set(byId('plan', HTMLElement), 'hidden', isRooms);
  // Instead of the pumps, or after those who are there: to the eye and to a screen reader.
  const before = byId(isRooms ? 'plan' : 'who', HTMLElement);
  if (before.nextElementSibling !== regions.section) before.after(regions.section);
  regions.update(site, places, page.chosen, isRooms ? 6 : 3, now);
  events.update(site, site.events.filter(here), page.chosen, withRegions, page.utc);
  devices.update(site, near, served, now);
  health.update(site, gateways, now);
  announce(withRegions);
  const wrong = gateways.filter((gateway) => state(gateway, now) !== 'online').length;
  set(byId('summary', HTMLElement), 'data-trouble', wrong > 0);
  set(byId('summary', HTMLElement), 'hidden', gateways.length === 0);
  say(byId('summary', HTMLElement), wrong ? `⚠ ${wrong} of ${counted(gateways.length, 'gateway')} in trouble` : `${counted(gateways.length, 'gateway')} online`);
  const busy = triggers.filter((trigger) => standing(site, trigger, now).state !== 'nobody').length;
  const occupied = places.filter((region) => occupancy(site, region, now).state === 'inside').length;
  const figures = [counted(gateways.length, 'gateway'), isRooms ? '' : `${busy} of ${counted(triggers.length, 'pump')} not free`,
    places.length ? `${occupied} of ${counted(places.length, 'region')} occupied` : '', counted(near.length, 'device')].filter(Boolean).join(', ');
  say(byId('figures', HTMLElement), !connection ? '' : `${figures}; ${counted(site.messages, 'message')}${site.malformed ? `, ${site.malformed} unreadable` : ''}`);
}

byId('time', HTMLButtonElement).addEventListener('click', () => {
  page.utc = !page.utc;
  page.dirty = true;
});
byId('time', HTMLButtonElement).setAttribute('title', 'Switch between local time and UTC');
byId('all', HTMLButtonElement).addEventListener('click', () => {
  page.chosen = '';
  page.dirty = true;
});
byId('site', HTMLSelectElement).addEventListener('input', (event) => {
  page.site = /** @type {HTMLSelectElement} */ (event.target).value;
  page.chosen = '';
  page.dirty = true;
});
for (let line = 0; line < 6; line += 1) byId('watermark', HTMLElement).append(html('span', {}, 'REHEARSAL · REHEARSAL'));

// At once where something happened, once a second for distances and clocks; nothing while nobody looks.
let drawn = 0;
setInterval(() => {
  if (document.hidden || (!page.dirty && Date.now() - drawn < 990)) return;
  page.dirty = false;
  drawn = Date.now();
  draw();
}, 200);
document.addEventListener('visibilitychange', changed);

const address = words.get('broker') ?? ownBroker();
if (address) open(address, stored(address));
else ask('', '');
draw();
