/**
 * Numbers, times and names as people read them.
 * @module
 */

import { html, nothing } from './lib/lit-html/lit-html.js';

const two = (number) => String(number).padStart(2, '0');

/** A day and time in the browser's zone, to the second. */
export function local(date) {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(date)}`;
}

/** A time of day in the browser's zone, to the second. */
export const clock = (date) => `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;

/** A time in UTC, as text. */
export const utc = (text) => `${text.replace('T', ' ').replace(/Z$/, '')} UTC`;

/** A time: local, and in UTC where one points at it. */
export function time(text) {
  if (!text) {
    return nothing;
  }
  const date = new Date(text);
  const shown = date.toDateString() === new Date().toDateString() ? clock(date) : local(date);
  return html`<time datetime=${text} title=${utc(text)}>${shown}</time>`;
}

/** How long seconds are, in the two units that matter. */
export function duration(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const [d, h, m, s] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  if (d > 0) {
    return h ? `${d} d ${h} h` : `${d} d`;
  }
  if (h > 0) {
    return m ? `${h} h ${m} min` : `${h} h`;
  }
  if (m > 0) {
    return s ? `${m} min ${two(s)} s` : `${m} min`;
  }
  return `${s} s`;
}

/** Milliseconds with their unit. */
export const millis = (ms) => (ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms / 1000));

/** A number, grouped by thousands, with at most so many decimals. */
export const number = (value, decimals = 0) =>
  value == null ? '–' : value.toLocaleString('en-GB', { maximumFractionDigits: decimals }).replaceAll(',', '\u202f');

/** A rate with its unit. */
export const rate = (value) => (value == null ? '–' : `${number(value, value < 10 ? 1 : 0)}/s`);

/** Bytes as mebibytes. */
export const mebibytes = (bytes) => `${number(bytes / 1048576)} MiB`;

/** Words of the API as they are read: would_throttle becomes would throttle. */
export const words = (text) => String(text ?? '').replaceAll('_', ' ');

/** A value of a row. */
export function value(content, type) {
  if (content === null || content === undefined || content === '') {
    return html`<span class="none">–</span>`;
  }
  if (type === 'time') {
    return time(content);
  }
  if (typeof content === 'boolean') {
    return content ? 'yes' : 'no';
  }
  return typeof content === 'number' ? number(content, 6) : String(content);
}

const shapes = { requests: '○', admitted: '●', throttled: '▲', banned: '■', forbidden: '◆' };

/** A decision: its colour never stands alone, but with a shape and a word. */
export const mark = (kind, text = kind) =>
  html`<span class="mark ${kind}"><span aria-hidden="true">${shapes[kind] ?? '●'}</span> ${text}</span>`;

/** How something stands: good, bad or between, with a shape and a word. */
export const badge = (tone, text) =>
  html`<span class="badge ${tone}"><span aria-hidden="true">${{ good: '●', warn: '▲', bad: '■' }[tone] ?? '○'}</span> ${text}</span>`;
