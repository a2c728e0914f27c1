// SPDX-License-Identifier: Apache-2.0
// Elements without markup: every string of the data goes through text nodes, with its invisible and
// direction-changing characters shown as escapes, and shortened in the middle.

const kSvg = 'http://www.w3.org/2000/svg';
// C0 and C1 controls, marks and overrides of direction, separators, zero-width and byte-order marks.
const kRisky =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

export function clean(text) {
  return String(text ?? '')
    .replace(kRisky, (c) => `\\u${c.codePointAt(0).toString(16).padStart(4, '0')}`)
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replace(/\p{M}{4,}/gu, (marks) => [...marks].slice(0, 3).join(''));
}

// At most `most` characters, the middle left out: names differ at their ends.
export function shorten(text, most = 48) {
  const raw = String(text ?? '');
  const head = clean(raw.length > 20000 ? raw.slice(0, 10000) + raw.slice(-10000) : raw);
  const all = [...head];
  if (all.length <= most) return head;
  const left = Math.ceil((most - 1) * 0.6);
  return `${all.slice(0, left).join('')}…${all.slice(all.length - (most - 1 - left)).join('')}`;
}

function attach(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'style') for (const [name, own] of Object.entries(value)) set_style(node, name, own);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child);
  }
  return node;
}

function set_style(node, name, value) {
  node.style.setProperty(name, value);
}

// h('p', {class: 'quiet'}, 'text', node, ...); handlers as onclick: f.
export function h(tag, attributes, ...children) {
  return attach(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return attach(document.createElementNS(kSvg, tag), attributes, children);
}

// A name of the data: isolated from the text around it, the whole of it as a tooltip when shortened.
export function name(text, most = 48) {
  const short = shorten(text, most);
  const whole = shorten(text, 600);
  return h('bdi', {class: 'name', dir: 'ltr', title: short === whole ? undefined : whole}, short);
}

let ids = 0;
export function fresh_id(stem) {
  ids += 1;
  return `${stem}-${ids}`;
}

// A table in a box that scrolls sideways. `columns` are {head, align, title, row_head}; a cell is a string,
// nodes, or {text, rows, class, head}; a row is its cells, or {cells, skip, class} where `skip` says how
// many columns the row above still covers. `quiet` hides the caption from the eye only.
export function table(caption, columns, rows, {quiet = false, ...attributes} = {}) {
  const cell = (value, column) => {
    const plain = value === null || typeof value !== 'object' || value instanceof Node ||
      Array.isArray(value);
    const own = plain ? {text: value} : value;
    const is_head = own.head ?? column.row_head ?? false;
    const kind = is_head ? 'th' : 'td';
    return h(kind, {
      class: `${column.align === 'right' ? 'number' : ''} ${own.class ?? ''}`.trim() || undefined,
      scope: is_head ? 'row' : undefined,
      rowspan: own.rows > 1 ? own.rows : undefined,
      colspan: own.columns > 1 ? own.columns : undefined,
    }, own.text);
  };
  const body = rows.map((row) => h('tr', {class: row.class}, (row.cells ?? row).map(
    (value, index) => cell(value, columns[index + (row.skip ?? 0)] ?? {}))));
  const box = h('div', {class: 'scroll', role: 'region', 'aria-label': caption},
    h('table', attributes,
      h('caption', {class: 'hidden'}, caption),
      h('thead', null, h('tr', null, columns.map((column) =>
        h('th', {scope: 'col', class: column.align === 'right' ? 'number' : undefined,
                 title: column.title}, column.head)))),
      h('tbody', null, body)));
  watch_overflow(box);
  return quiet ? box : h('div', {class: 'titled'}, h('h3', {'aria-hidden': 'true'}, caption), box);
}

// A box is a stop of the Tab key only while there is something to scroll.
let observer;
function watch_overflow(box) {
  observer ??= new ResizeObserver((entries) => {
    for (const {target} of entries) {
      if (target.scrollWidth > target.clientWidth + 1) target.tabIndex = 0;
      else target.removeAttribute('tabindex');
    }
  });
  observer.observe(box);
}

// A swatch beside a word of a legend.
export function swatch(colour, extra = '') {
  return h('span', {class: `swatch ${extra}`.trim(), style: {background: colour}, 'aria-hidden': 'true'});
}
