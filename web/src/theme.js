// SPDX-License-Identifier: Apache-2.0
// Light, dark or as the system says; the colours live in style.css and canvases ask for them here.
// Printing is always light. Who draws on a canvas registers with on_theme.

const listeners = new Set();
let printing = false;
let cache = new Map();

export function colour(variable) {
  if (!cache.has(variable))
    cache.set(variable, getComputedStyle(document.documentElement).getPropertyValue(variable).trim());
  return cache.get(variable);
}

export function on_theme(draw) {
  listeners.add(draw);
}

// Calls `fit` whenever the width of `host` changes, and at once when the page becomes paper or screen:
// a print does not wait for an observer.
const fits = new Set();
export function on_width(host, fit) {
  const now = () => fit(Math.floor(host.clientWidth));
  new ResizeObserver(now).observe(host);
  fits.add(now);
}

function wanted() {
  try {
    return localStorage.getItem('assay-theme');
  } catch {
    return null;  // a page from a disk may have no storage
  }
}

let chosen = wanted();
const dark_system = matchMedia('(prefers-color-scheme: dark)');

export function is_dark() {
  return !printing && (chosen === 'dark' || (chosen !== 'light' && dark_system.matches));
}

function apply() {
  document.documentElement.dataset.theme = is_dark() ? 'dark' : 'light';
  cache = new Map();
  for (const draw of listeners) draw();
}

export function toggle_theme() {
  chosen = is_dark() ? 'light' : 'dark';
  try {
    localStorage.setItem('assay-theme', chosen);
  } catch {
    // it holds until the page is closed
  }
  apply();
}

// `prepare(true)` before a print, `prepare(false)` after it.
export function start_theme(prepare) {
  const print = (is_print) => {
    if (is_print === printing) return;
    printing = is_print;
    prepare(is_print);
    document.documentElement.classList.toggle('paper', is_print);
    apply();
    for (const fit of fits) fit();
  };
  apply();
  dark_system.addEventListener('change', apply);
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
  matchMedia('print').addEventListener('change', (event) => print(event.matches));
}

const kStageColours = 10;

export function stage_colour_name(index) {
  return `--stage-${(index ?? 0) % kStageColours}`;
}

export function kind_colour_name(kind) {
  return `--kind-${String(kind).replaceAll('_', '-').replace(/[^a-z-]/g, '') || 'other'}`;
}

// Black or white, whichever reads better on a "#rrggbb" or "#rgb".
export function ink_on(hex) {
  const digits = hex.slice(1);
  const value = Number.parseInt(digits.length === 3 ? [...digits].map((d) => d + d).join('') : digits, 16);
  const linear = [16, 8, 0].map((shift) => {
    const part = ((value >> shift) & 255) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.3 ? '#111418' : '#ffffff';
}
