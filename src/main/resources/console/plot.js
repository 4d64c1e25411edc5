/**
 * A plot over time, as an element: <weir-plot .series=… .data=… label="…">.
 * @module
 */

import uPlot from './lib/uplot/dist/uPlot.esm.js';
import { clock, local } from './format.js';

const HEIGHT = 220;

/** A colour of the style sheet as the canvas takes it. */
function colour(name) {
  const probe = document.getElementById('main');
  const before = probe.style.outlineColor;
  probe.style.outlineColor = `var(--${name})`;
  const found = getComputedStyle(probe).outlineColor;
  probe.style.outlineColor = before;
  return found;
}

class Plot extends HTMLElement {
  /** @type {{name: string, label: string, colour: string, dash?: number[], width?: number, bars?: boolean}[]} */
  series = [];

  /** Seconds of the epoch, and a list of values for each series. */
  #data = [[]];
  #plot = null;
  #size = null;

  set data(data) {
    this.#data = data;
    if (this.#plot?.series.length === data.length) {
      this.#plot.setData(data);
    } else if (this.isConnected) {
      this.#make();
    }
  }

  connectedCallback() {
    this.#size = new ResizeObserver(() => this.#plot?.setSize({ width: this.clientWidth || 300, height: HEIGHT }));
    this.#size.observe(this);
    window.addEventListener('weir-theme', this.#again);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', this.#again);
    this.#make();
  }

  disconnectedCallback() {
    this.#size.disconnect();
    window.removeEventListener('weir-theme', this.#again);
    matchMedia('(prefers-color-scheme: dark)').removeEventListener('change', this.#again);
    this.#plot?.destroy();
    this.#plot = null;
  }

  #again = () => this.#make();

  #make() {
    this.#plot?.destroy();
    this.#plot = null;
    if (this.#data.length !== this.series.length + 1) {
      return;
    }
    const axis = { stroke: colour('muted'), grid: { stroke: colour('line'), width: 1 }, ticks: { stroke: colour('line') } };
    const one = (each) => ({
      label: each.label,
      stroke: colour(each.colour),
      width: each.width ?? 1.5,
      dash: each.dash,
      points: { show: false },
      fill: each.bars ? colour(each.colour) : undefined,
      paths: each.bars ? uPlot.paths.bars({ size: [0.8, 40] }) : undefined,
      value: (_, value) => (value == null ? '–' : value.toLocaleString('en-GB', { maximumFractionDigits: 1 })),
    });
    this.#plot = new uPlot(
      {
        width: this.clientWidth || 300,
        height: HEIGHT,
        cursor: { drag: { x: false, y: false } },
        legend: { live: true },
        scales: { y: { range: (_, least, most) => [0, Math.max(1, (most ?? 0) * 1.1)] } },
        axes: [
          { ...axis, space: 80, values: (_, ticks, _i, _s, step) => ticks.map((at) => this.#tick(at, step)) },
          { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => tick.toLocaleString('en-GB')) },
        ],
        series: [{ label: 'time', value: (_, at) => (at == null ? '–' : local(new Date(at * 1000))) }, ...this.series.map(one)],
      },
      this.#data,
      this,
    );
    this.querySelector('canvas')?.setAttribute('aria-hidden', 'true');
  }

  #tick(at, step) {
    const date = new Date(at * 1000);
    return step >= 86400 ? local(date).slice(5, 10) : step >= 60 ? clock(date).slice(0, 5) : clock(date);
  }
}

customElements.define('weir-plot', Plot);
