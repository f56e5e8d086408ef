// What node-mqtt expects to find everywhere, because Node has it; esbuild puts it in where it is used.

export { Buffer } from 'buffer';

export const process = {
  browser: true, title: 'browser', version: 'v18.0.0', env: {},
  // A microtask, as in Node: a timer for every message would be most of the page's work.
  nextTick: (/** @type {(...args: unknown[]) => void} */ then, /** @type {unknown[]} */ ...args) => queueMicrotask(() => then(...args)),
};
