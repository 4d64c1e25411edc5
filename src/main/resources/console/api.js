/**
 * The admin API: asks, and says why it was refused.
 * @module
 */

const base = new URL('api', document.baseURI.replace(/[#?].*$/, '').replace(/[^/]*$/, '')).href;

/** Who is logged in: name, role, csrf, idleEnd, end; null if nobody is. */
export let session = null;

let lost = () => {};

/** Says what is to be done when the session is over; it is given the reason. */
export function onLost(listener) {
  lost = listener;
}

/** A refusal of the API: problem details (RFC 9457), or what comes nearest if nothing answered. */
export class Refusal extends Error {
  /**
   * @param {number} status the answer's; 0 if there was none
   * @param {{code?: string, detail?: string, errors?: {field: string, rule: string}[]}} problem
   * @param {Headers} [headers]
   */
  constructor(status, problem, headers) {
    super(problem.detail || `The server answered ${status}.`);
    this.status = status;
    this.code = problem.code || '';
    this.faults = problem.errors || [];
    this.headers = headers;
  }
}

/** The address of something below the API's, with a query of what is not empty. */
export function address(path, query = {}) {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '' && value != null)).toString();
  return base + path + (text ? `?${text}` : '');
}

/** How a name stands in a path: as it is if it is plain, else as a tilde and its base64url. */
export function segment(name) {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) {
    return name;
  }
  const bytes = String.fromCharCode(...new TextEncoder().encode(name));
  return `~${btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}

/** The name that a segment stands for; the segment itself if it stands for none. */
export function unsegment(part) {
  if (!part.startsWith('~')) {
    return part;
  }
  try {
    const bytes = atob(part.slice(1).replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
  } catch {
    return part;
  }
}

async function send(method, path, { query, body, headers = {}, signal } = {}) {
  const all = { Accept: 'application/json', ...headers };
  if (method !== 'GET' && session?.csrf) {
    all['X-CSRF-Token'] = session.csrf;
  }
  if (body !== undefined) {
    all['Content-Type'] = 'application/json';
  }
  try {
    return await fetch(address(path, query), {
      method,
      headers: all,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal,
    });
  } catch (failure) {
    if (failure.name === 'AbortError') {
      throw failure;
    }
    throw new Refusal(0, { code: 'unreachable', detail: 'Weir does not answer. It may be stopping, or the network is away.' });
  }
}

async function read(response) {
  const text = await response.text();
  let json = {};
  try {
    json = text ? JSON.parse(text) : {};
  } catch {
    json = { detail: `The answer (${response.status}) is no JSON.` };
  }
  if (!response.ok) {
    throw new Refusal(response.status, { ...json, detail: json.detail ?? json.message }, response.headers);
  }
  return json;
}

async function ask(method, path, options = {}) {
  let response = await send(method, path, options);
  if (response.status === 403 && method !== 'GET' && session) {
    // Another tab has logged in meanwhile: what it sends with its changes is no longer what this one knows.
    const problem = await response.clone().json().catch(() => ({}));
    if (problem.code === 'csrf') {
      await who();
      response = await send(method, path, options);
    }
  }
  try {
    return { json: await read(response), headers: response.headers, status: response.status };
  } catch (refusal) {
    if (refusal.status === 401) {
      const had = session !== null;
      session = null;
      lost(had ? 'Your session has ended. Log in again to go on where you were.' : '');
    }
    throw refusal;
  }
}

/** What stands at a path. */
export const get = async (path, query, signal) => (await ask('GET', path, { query, signal })).json;

/** The same, asked for by a page and not by a person, so that a session which nobody uses ends all the same. */
export const refresh = async (path, query, signal) =>
  (await ask('GET', path, { query, signal, headers: { 'X-Weir-Unattended': '1' } })).json;

/** Makes something. */
export const post = async (path, body) => (await ask('POST', path, { body })).json;

/** Changes a row that is still as its etag says. */
export const patch = async (path, body, etag) => (await ask('PATCH', path, { body, headers: { 'If-Match': etag } })).json;

/** Deletes a row that is still as its etag says. */
export const remove = async (path, etag) => (await ask('DELETE', path, { headers: { 'If-Match': etag } })).json;

/** Whether this browser has logged in, as far as it knows: only a hint that spares a question. */
function hint(is) {
  try {
    if (is === undefined) {
      return localStorage.getItem('weir-in') === '1';
    }
    localStorage.setItem('weir-in', is ? '1' : '0');
  } catch {
    // Storage is shut; then it is asked.
  }
  return true;
}

/** Asks who is logged in, and remembers it. Throws if nobody is, without going to the login page. */
export async function who() {
  if (!hint()) {
    throw new Refusal(401, { code: 'unauthenticated', detail: 'Nobody is logged in.' });
  }
  session = await read(await send('GET', '/v1/session'));
  return session;
}

/** Logs in with a token. */
export async function logIn(token) {
  session = null;
  session = await read(await send('POST', '/v1/session', { headers: { Authorization: `Bearer ${token}` } }));
  hint(true);
  return session;
}

/** Logs out; the session is over whatever is answered. */
export async function logOut() {
  try {
    await read(await send('DELETE', '/v1/session'));
  } finally {
    session = null;
    hint(false);
  }
}

const roles = ['viewer', 'operator', 'admin'];

/** Whether who is logged in has at least this role. */
export const may = (role) => session !== null && roles.indexOf(session.role) >= roles.indexOf(role);
