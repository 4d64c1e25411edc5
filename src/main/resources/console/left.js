/**
 * The time that is left until an instant, counted down: <weir-left until="…">.
 * @module
 */

import { duration, local, utc } from './format.js';

const all = new Set();
setInterval(() => all.forEach((one) => one.draw()), 1000);

class Left extends HTMLElement {
  static observedAttributes = ['until'];

  connectedCallback() {
    all.add(this);
    this.draw();
  }

  disconnectedCallback() {
    all.delete(this);
  }

  attributeChangedCallback() {
    this.draw();
  }

  draw() {
    const until = this.getAttribute('until');
    const end = new Date(until);
    const left = (end - Date.now()) / 1000;
    const text = left > 0 ? duration(left) : 'over';
    if (this.textContent !== text) {
      this.textContent = text;
    }
    this.title = `until ${local(end)} (${utc(until)})`;
  }
}

customElements.define('weir-left', Left);
