// SPDX-License-Identifier: Apache-2.0
// The timeline: controls, legend, pointer and keyboard, and the words for those who do not see it.
import {fresh_id, h, name, shorten, swatch, table} from './dom.js';
import * as f from './format.js';
import {lay_out} from './lanes.js';
import {object} from './model.js';
import {kind_colour_name, on_theme, on_width, stage_colour_name} from './theme.js';
import {TimelineView} from './timeline_view.js';

function span_words(view, target) {
  const side = view.sides[target.side], i = target.span;
  const key = side.items[side.spans.item[i]];
  const stage = side.stages[side.stage_code[i]];
  return {
    title: key === undefined ? shorten(stage ?? 'span', 60) : shorten(key, 60),
    lines: [
      `${shorten(stage ?? 'no stage', 40)}, ${f.kind_words(side.kind_words[side.kind_code[i]])}: ` +
        f.seconds(side.ends[i] - side.begins[i]),
      `${side.side}, ${shorten(side.lanes[target.lane].label, 40)}`,
      `from ${exact(side.begins[i], view)} to ${exact(side.ends[i], view)}`],
  };
}

// A point in time, precise enough for the range that is on view.
function exact(time, view) {
  const step = (view.view[1] - view.view[0]) / 2000;
  const decimals = Math.min(9, Math.max(0, -Math.floor(Math.log10(Math.max(step, 1e-9)))));
  return `${time.toFixed(decimals)} s`;
}

function summary_of(side) {
  const sums = new Map(), kinds = side.kind_words.length;
  let drawn = 0;
  for (let i = 0; i < side.begins.length; ++i) {
    if (!(side.ends[i] >= side.begins[i])) continue;
    drawn += 1;
    const code = (side.stage_code[i] + 1) * kinds + side.kind_code[i];
    sums.set(code, (sums.get(code) ?? 0) + side.ends[i] - side.begins[i]);
  }
  const words = (code) => `${shorten(side.stages[Math.floor(code / kinds) - 1] ?? 'no stage', 40)} ` +
    f.kind_words(side.kind_words[code % kinds]);
  const top = [...sums].sort((x, y) => y[1] - x[1]).slice(0, 8).map(([code, sum]) => [words(code), sum]);
  const lanes = side.lanes.filter((lane) => lane.type === 'worker').length;
  return `${side.side}, ${shorten(side.source, 60)}: ${f.count(drawn)} spans on ${lanes} workers over ` +
    `${f.seconds(side.domain[1] - side.domain[0])}. Time by stage and kind: ` +
    `${top.map(([key, sum]) => `${key} ${f.seconds(sum)}`).join(', ')}.`;
}

function notes_of(side) {
  const notes = [];
  const thinned = object(side.thinned);
  if (thinned)
    notes.push(`${side.side}: ${f.count(thinned.kept)} of ${f.count(thinned.of)} spans are drawn` +
      `${thinned.rule ? ` (${shorten(thinned.rule, 200)})` : ''}; the numbers are of all.`);
  const crowded = side.lanes.reduce((sum, lane) => sum + lane.crowded, 0);
  if (crowded > 0) notes.push(`${side.side}: ${f.count(crowded)} spans overlap more deeply than there are rows; they share the last row of their lane.`);
  if (side.lanes_left_out > 0) notes.push(`${side.side}: ${f.count(side.lanes_left_out)} more lanes are not drawn.`);
  const bad = side.begins.length - side.lanes.reduce((sum, lane) => sum + lane.spans.length, 0);
  if (bad > 0 && side.lanes_left_out === 0) notes.push(`${side.side}: ${f.count(bad)} spans have no valid time.`);
  return notes;
}

function longest(sides) {
  const rows = sides.flatMap((side) => {
    const order = Array.from(side.begins.keys()).filter((i) => side.ends[i] >= side.begins[i]);
    order.sort((x, y) => side.ends[y] - side.begins[y] - (side.ends[x] - side.begins[x]));
    return order.slice(0, 10).map((i) => [side.side, name(side.items[side.spans.item[i]] ?? '', 40),
      name(side.stages[side.stage_code[i]] ?? '', 40), f.kind_words(side.kind_words[side.kind_code[i]]),
      f.seconds(side.begins[i]), f.seconds(side.ends[i] - side.begins[i])]);
  });
  return h('details', null, h('summary', null, 'The longest spans as a table'),
    table('The longest spans', [{head: 'side'}, {head: 'item'}, {head: 'stage'}, {head: 'kind'},
      {head: 'begins', align: 'right'}, {head: 'lasts', align: 'right'}], rows, {quiet: true}));
}

function legend(view, model, sides) {
  const draw = () => view.draw();
  const group = (label, entries, hidden, colour_name, text) => {
    const shown = entries.slice(0, 24);
    return h('div', {class: 'legend', role: 'group', 'aria-label': label},
      h('span', {class: 'quiet'}, label),
      shown.map((entry) => {
        const button = h('button', {type: 'button', class: 'key', 'aria-pressed': 'true', title: `show or hide ${shorten(text(entry), 80)}`,
          onclick: () => {
            if (!hidden.delete(entry)) hidden.add(entry);
            button.setAttribute('aria-pressed', String(!hidden.has(entry)));
            draw();
          }}, swatch(`var(${colour_name(entry)})`), shorten(text(entry), 32));
        return button;
      }),
      entries.length > shown.length ? h('span', {class: 'quiet'}, `and ${entries.length - shown.length} more`) : null);
  };
  const used_stages = new Set(), used_kinds = new Set();
  for (const side of sides)
    for (let i = 0; i < side.begins.length; ++i) {
      used_stages.add(side.stages[side.stage_code[i]]);
      used_kinds.add(side.kind_words[side.kind_code[i]]);
    }
  const stages = model.stages.filter((stage) => used_stages.has(stage));
  const kinds = [...f.kinds.filter((kind) => used_kinds.has(kind)), ...[...used_kinds].filter((kind) => !f.kinds.includes(kind))];
  const stage_keys = group('stages', stages, view.hidden_stages,
    (stage) => stage_colour_name(model.stage_index.get(stage)), (stage) => stage);
  const kind_keys = group('kinds', kinds, view.hidden_kinds, kind_colour_name, f.kind_words);
  const colour_keys = () => {
    stage_keys.classList.toggle('no-colour', view.by !== 'stage');
    kind_keys.classList.toggle('no-colour', view.by !== 'kind');
  };
  colour_keys();
  return {node: [stage_keys, kind_keys], colour_keys};
}

function select(label, options, value, act) {
  const id = fresh_id('select');
  return h('span', {class: 'choice'}, h('label', {for: id}, label),
    h('select', {id, onchange: (event) => act(event.target.value)},
      options.map(([key, text]) => h('option', {value: key, selected: key === value}, text))));
}

class Pointer {
  constructor(view, canvas, tip, choose) {
    Object.assign(this, {view, canvas, tip, choose, drag: null});
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', () => (this.drag = null));
    canvas.addEventListener('pointerleave', () => (this.tip.hidden = true));
    canvas.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
    canvas.addEventListener('dblclick', (event) => this.view.zoom(0.25, this.view.time_at(this.point(event)[0])));
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const k = box.width > 0 ? this.view.width / box.width : 1;
    return [(event.clientX - box.left) * k, (event.clientY - box.top) * k];
  }

  down(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = {x: this.point(event)[0], view: [...this.view.view], moved: false};
    this.tip.hidden = true;
  }

  move(event) {
    const [x, y] = this.point(event);
    if (this.drag) {
      const by = x - this.drag.x;
      if (Math.abs(by) > 3) this.drag.moved = true;
      const time = (by / (this.view.width - this.view.left)) * (this.drag.view[1] - this.drag.view[0]);
      if (this.drag.moved) this.view.set_view(this.drag.view[0] - time, this.drag.view[1] - time);
      return;
    }
    const target = this.view.hit(x, y);
    this.tip.hidden = !target;
    if (!target) return;
    const words = span_words(this.view, target);
    this.tip.replaceChildren(h('strong', null, words.title), ...words.lines.map((line) => h('div', null, line)));
    const room = this.canvas.parentElement.clientWidth - this.tip.offsetWidth - 8;
    this.tip.style.setProperty('left', `${Math.max(0, Math.min(room, x + 14))}px`);
    this.tip.style.setProperty('top', `${y + 16}px`);
  }

  up(event) {
    const was_click = this.drag && !this.drag.moved;
    this.drag = null;
    if (was_click) this.choose(this.view.hit(...this.point(event)));
  }

  // The page scrolls as ever until the timeline has the focus.
  wheel(event) {
    const focused = document.activeElement === this.canvas;
    if (!focused && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return this.view.pan(event.deltaX / 1000);
    return this.view.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) / 400), this.view.time_at(this.point(event)[0]));
  }
}

function on_key(view, choose, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const row = () => (view.selected ? view.selected.row : -1);
  const act = {
    '+': () => view.zoom(0.6), '=': () => view.zoom(0.6), '-': () => view.zoom(1 / 0.6), _: () => view.zoom(1 / 0.6),
    ArrowLeft: () => (event.shiftKey ? view.selected && choose(view.beside(-1), true) : view.pan(-0.15)),
    ArrowRight: () => (event.shiftKey ? view.selected && choose(view.beside(1), true) : view.pan(0.15)),
    ArrowDown: () => choose(view.first_from(row() + 1, 1), true),
    ArrowUp: () => choose(view.first_from(row() < 0 ? view.rows.length - 1 : row() - 1, -1), true),
    Home: () => view.set_view(...view.domain), 0: () => view.set_view(...view.domain),
    Enter: () => {
      if (!view.selected) return;
      const side = view.sides[view.selected.side], i = view.selected.span;
      const from = side.begins[i] - side.offset, to = side.ends[i] - side.offset, pad = (to - from) * 0.5;
      view.set_view(from - pad, to + pad);
    },
    Escape: () => choose(null),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function align(sides, model, how) {
  for (const side of sides) {
    const first = model.shown[side.side]?.phases?.first_completion_s;
    side.offset = how === 'first' && f.is_number(first) ? first : 0;
  }
}

export function timeline_section(model) {
  const sides = ['A', 'B'].map((side) => model.timeline[side]).filter(Boolean).map(lay_out)
    .filter((side) => side.lanes.length > 0);
  if (sides.length === 0) return {missing: 'the timeline: this report holds no spans'};
  align(sides, model, 'start');
  const summary = h('div', {class: 'hidden', id: fresh_id('summary')}, sides.map((side) => h('p', null, summary_of(side))));
  const help = h('p', {class: 'quiet hint', id: fresh_id('hint')},
    'Full bars are service, thin or pale ones waits. Drag to pan; wheel to zoom once clicked, or with Ctrl. Keys: + and - zoom, left and right pan, up and down choose a ' +
    'span, Shift with left and right its neighbours, Enter zooms to it, 0 shows all.');
  const canvas = h('canvas', {tabindex: 0, role: 'application', 'aria-roledescription': 'timeline', 'aria-label':
    `Timeline of ${sides.map((side) => side.side).join(' and ')} by worker`, 'aria-describedby': `${summary.id} ${help.id}`});
  const view = new TimelineView(canvas, sides, model);
  const tip = h('div', {class: 'tip', hidden: true, 'aria-hidden': 'true'});
  const details = h('p', {class: 'details', role: 'status', 'aria-live': 'polite'}, 'No span chosen.');
  const choose = (target, keep = false) => {
    if (!target && keep) return;
    view.selected = target;
    if (target) {
      const words = span_words(view, target);
      details.replaceChildren(h('strong', null, words.title), ` ${words.lines.join('; ')}`);
      view.reveal();
    } else {
      details.replaceChildren('No span chosen.');
      view.draw();
    }
  };
  new Pointer(view, canvas, tip, choose);
  canvas.addEventListener('keydown', (event) => on_key(view, choose, event));
  const keys = legend(view, model, sides);
  const button = (text, label, act) => h('button', {type: 'button', 'aria-label': label, title: label, onclick: act}, text);
  const can_align = sides.length === 2 && sides.every((side) => f.is_number(model.shown[side.side]?.phases?.first_completion_s));
  const controls = h('div', {class: 'controls'},
    h('span', {class: 'buttons'},
      button('+', 'zoom in', () => view.zoom(0.6)), button('−', 'zoom out', () => view.zoom(1 / 0.6)),
      button('←', 'earlier', () => view.pan(-0.25)), button('→', 'later', () => view.pan(0.25)),
      button('all', 'show the whole run', () => view.set_view(...view.domain))),
    select('colour by', [['stage', 'stage'], ['kind', 'kind']], 'stage', (value) => {
      view.by = value;
      keys.colour_keys();
      view.draw();
    }),
    can_align ? select('align at', [['start', 'the begin'], ['first', 'the first completion']], 'start', (value) => {
      align(sides, model, value);
      view.fit();
      view.draw();
    }) : null);
  const host = h('div', {class: 'timeline'}, canvas, tip);
  on_width(host, (width) => {
    if (width > 50 && width !== view.width) view.resize(width);
  });
  on_theme(() => view.draw_now());
  const notes = sides.flatMap(notes_of);
  return {node: [controls, keys.node, host, details, help, summary,
    notes.length > 0 ? h('ul', {class: 'notes'}, notes.map((note) => h('li', null, note))) : null, longest(sides)]};
}
