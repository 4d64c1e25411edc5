/**
 * Dialogs that ask before something is done. Native ones: the focus stays inside and returns, Esc cancels.
 * @module
 */

import { html, nothing, render } from './lib/lit-html/lit-html.js';

/**
 * Asks, and does it. A refusal is shown inside, and the dialog stays.
 *
 * @param {object} what
 * @param {string} what.title
 * @param {unknown} what.body what will happen, and fields, if any
 * @param {string} what.yes what the button that does it says
 * @param {boolean} [what.destroys]
 * @param {(data: FormData) => Promise<unknown>} what.work
 * @returns {Promise<unknown>} what the work gave; undefined if it was cancelled
 */
export function ask({ title, body, yes, destroys = false, work }) {
  const place = document.createElement('div');
  document.getElementById('dialogs').append(place);
  const before = document.activeElement;
  return new Promise((resolve) => {
    let answer;
    let trouble = null;
    let busy = false;
    const dialog = () => place.querySelector('dialog');
    const submit = async (event) => {
      event.preventDefault();
      const data = new FormData(event.target);
      busy = true;
      draw();
      try {
        answer = (await work(data)) ?? true;
        dialog().close();
        return;
      } catch (refusal) {
        trouble = refusal;
      }
      busy = false;
      draw();
      place.querySelector('.trouble')?.focus();
    };
    const closed = () => {
      place.remove();
      if (before?.isConnected) {
        before.focus();
      }
      resolve(answer);
    };
    const draw = () =>
      render(
        html`<dialog aria-labelledby="dialog-title" @close=${closed}>
          <form @submit=${submit}>
            <h2 id="dialog-title">${title}</h2>
            ${body}
            ${trouble ? html`<div class="trouble" role="alert" tabindex="-1">${trouble.message}</div>` : nothing}
            <div class="buttons">
              <button type="button" @click=${() => dialog().close()}>Cancel</button>
              <button class=${destroys ? 'danger' : 'primary'} ?disabled=${busy}>${yes}</button>
            </div>
          </form>
        </dialog>`,
        place,
      );
    draw();
    dialog().showModal();
  });
}

/** Tells something that has to be read. */
export function tell({ title, body }) {
  return ask({ title, body, yes: 'Done', work: async () => true });
}
