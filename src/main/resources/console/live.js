/**
 * The stream of live numbers, and the last five minutes of them.
 * @module
 */

import * as api from './api.js';

const KEPT_SECONDS = 300;
const LATE_MS = 4_000;
const BRIDGED_SECONDS = 3;
const AGAIN_MS = 2_000;
const names = ['requests', 'admitted', 'throttled', 'banned'];

/**
 * Watches until the signal says so, and calls back whenever there is something new.
 *
 * @returns {{live: object|null, interrupted: boolean, since: Date|null, data: (node: string) => number[][]}}
 */
export function watch(signal, changed) {
  /** Seconds of the epoch → id of a node → its numbers. */
  const seconds = new Map();
  const watched = { live: null, interrupted: false, since: null, data: (node) => data(seconds, node) };
  let source = null;
  let heard = Date.now();

  const interrupted = () => {
    if (!watched.interrupted) {
      watched.interrupted = true;
      watched.since = new Date(heard);
      changed();
    }
  };
  const open = () => {
    source = new EventSource(api.address('/v1/live'));
    source.addEventListener('past', (event) => {
      const past = JSON.parse(event.data);
      past.seconds.forEach((second) => put(seconds, second.at, past.id ?? past.node, second));
    });
    source.addEventListener('live', (event) => {
      heard = Date.now();
      watched.interrupted = false;
      watched.since = null;
      watched.live = JSON.parse(event.data);
      watched.live.nodes.forEach((each) => each.requests === undefined || put(seconds, watched.live.at, each.id ?? each.node, each));
      changed();
    });
    source.addEventListener('error', async () => {
      source.close();
      interrupted();
      // The stream does not tell why; a plain question does, and leads to the login page if the session is over.
      await api.refresh('/v1/session', {}, signal).catch(() => {});
      setTimeout(() => signal.aborted || open(), AGAIN_MS);
    });
  };
  open();
  const late = setInterval(() => Date.now() - heard > LATE_MS && interrupted(), 1_000);
  signal.addEventListener('abort', () => {
    clearInterval(late);
    source.close();
  });
  return watched;
}

function put(seconds, at, node, numbers) {
  const second = Math.floor(new Date(at) / 1000);
  if (!seconds.has(second)) {
    seconds.set(second, new Map());
    for (const old of seconds.keys()) {
      if (old < second - KEPT_SECONDS) {
        seconds.delete(old);
      }
    }
  }
  seconds.get(second).set(node, numbers);
}

/** The numbers of a second, or of the one before where a beat came a little late. */
function at(seconds, second) {
  for (let back = 0; back <= BRIDGED_SECONDS; back++) {
    if (seconds.has(second - back)) {
      return seconds.get(second - back);
    }
  }
  return undefined;
}

function data(seconds, node) {
  const last = seconds.size ? Math.max(...seconds.keys()) : Math.floor(Date.now() / 1000);
  const all = [[], ...names.map(() => [])];
  for (let second = last - KEPT_SECONDS + 1; second <= last; second++) {
    const nodes = at(seconds, second);
    const chosen = !nodes ? [] : node ? [nodes.get(node)].filter(Boolean) : [...nodes.values()];
    all[0].push(second);
    names.forEach((name, index) => all[index + 1].push(chosen.length ? chosen.reduce((sum, each) => sum + each[name], 0) : null));
  }
  return all;
}
