/**
 * Addresses of pages: #/bans/history?principal=client:a is the page bans, its parts [history], and a query.
 * @module
 */

/** What an address says. */
export function parse(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  return { page: parts[0] ?? 'now', parts: parts.slice(1), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a page, with a query of what is not empty. */
export function link(path, query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== '' && value != null);
  const text = new URLSearchParams(kept).toString();
  return `#/${path}${text ? `?${text}` : ''}`;
}

/** Goes to a page. */
export function go(path, query) {
  location.hash = link(path, query);
}

/** Goes to a page without a way back to the one that is left. */
export function replace(path, query) {
  location.replace(link(path, query));
}
