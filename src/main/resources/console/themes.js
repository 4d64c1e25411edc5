/**
 * Light, dark, or as the system is.
 * @module
 */

const order = ['system', 'light', 'dark'];

/** Which is chosen. */
export const theme = () => document.documentElement.dataset.theme ?? 'system';

/** Chooses the next one, and tells plots, whose colours are not in the style sheet. */
export function next() {
  const chosen = order[(order.indexOf(theme()) + 1) % order.length];
  if (chosen === 'system') {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = chosen;
  }
  try {
    localStorage.setItem('weir-theme', chosen);
  } catch {
    // Storage is shut; it holds until the page is left.
  }
  window.dispatchEvent(new Event('weir-theme'));
}
