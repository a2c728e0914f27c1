// SPDX-License-Identifier: Apache-2.0
// The delta as a waterfall: the makespan of A, each part, the remainder, the makespan of B. The bars of
// the totals are cut at the left when the parts would vanish beside them, and show the cut.
import {h, name, shorten, svg, table} from './dom.js';
import * as f from './format.js';
import {list} from './model.js';
import {on_width} from './theme.js';

const kMostParts = 12;

function steps_of(model) {
  const {A, B} = model.makespan;
  const delta = model.delta ?? B - A;
  const start = f.is_number(A) ? A : 0;
  const sorted = [...model.parts].sort((x, y) => Math.abs(y.seconds) - Math.abs(x.seconds));
  const steps = [{kind: 'total', side: 'A', label: 'A, makespan', from: 0, to: start, text: f.seconds(start)}];
  let at = start;
  const push = (step, seconds) => {
    steps.push({...step, from: at, to: at + seconds, seconds,
                text: f.signed_seconds(seconds),
                share: delta ? f.percent(seconds / delta) : ''});
    at += seconds;
  };
  for (const part of sorted.slice(0, kMostParts))
    push({kind: part.seconds >= 0 ? 'slower' : 'faster', label: part.factor, lo: part.lo, hi: part.hi},
         part.seconds);
  const rest = sorted.slice(kMostParts);
  if (rest.length > 0)
    push({kind: 'rest', label: `${rest.length} smaller parts`}, rest.reduce((sum, part) => sum + part.seconds, 0));
  const remainder = model.document.remainder_s;
  if (model.refused || model.parts.length === 0) push({kind: 'rest', label: 'not attributed'}, delta);
  else if (f.is_number(remainder)) push({kind: 'rest', label: 'remainder'}, remainder);
  const end = f.is_number(B) ? B : start + delta;
  steps.push({kind: 'total', side: 'B', label: 'B, makespan', from: 0, to: end, text: f.seconds(end),
              lo: f.is_number(model.document.delta_lo_s) ? start + model.document.delta_lo_s : null,
              hi: f.is_number(model.document.delta_hi_s) ? start + model.document.delta_hi_s : null,
              delta});
  return steps;
}

// What the bars and whiskers cover, in seconds of makespan.
function range_of(steps) {
  let low = Infinity, high = -Infinity;
  for (const step of steps) {
    const points = step.kind === 'total' ? [step.to, step.lo, step.hi] :
      [step.from, step.to, f.is_number(step.lo) ? step.from + step.lo : null,
       f.is_number(step.hi) ? step.from + step.hi : null];
    for (const point of points) if (f.is_number(point)) {
      low = Math.min(low, point);
      high = Math.max(high, point);
    }
  }
  const span = Math.max(high - low, high * 1e-6, 1e-9);
  if (low - span * 1.2 <= 0) return {low: Math.min(0, low), high: high + span * 0.04, cut: false};
  return {low: low - span * 0.35, high: high + span * 0.08, cut: true};
}

function whisker(x, step, middle, base) {
  if (!f.is_number(step.lo) || !f.is_number(step.hi)) return null;
  const left = x(base + step.lo), right = x(base + step.hi);
  const d = `M${left} ${middle}H${right}M${left} ${middle - 4}V${middle + 4}M${right} ${middle - 4}V${middle + 4}`;
  return svg('g', null, svg('path', {class: 'halo', d}), svg('path', {class: 'whisker', d}));
}

function bar(x, step, top, height, range) {
  const from = step.kind === 'total' ? range.low : step.from;
  const left = Math.min(x(from), x(step.to)), width = Math.max(1.5, Math.abs(x(step.to) - x(from)));
  const shape = svg('rect', {x: left, y: top, width, height, rx: 2,
    class: `bar ${step.kind}${step.side ? ` side-${step.side.toLowerCase()}` : ''}`});
  if (step.kind !== 'total' || !range.cut) return shape;
  const at = left + 10, third = height / 3;
  return [shape, svg('path', {class: 'cut',
    d: `M${at} ${top - 1}l5 ${third}l-5 ${third}l5 ${third + 2}M${at + 5} ${top - 1}l5 ${third}l-5 ${third}l5 ${third + 2}`})];
}

function value_text(step) {
  if (step.kind === 'total')
    return [step.text, step.side === 'B' ? `${f.signed_seconds(step.delta)}` : ''];
  return [`${step.text} ${f.interval(step.seconds, step.lo, step.hi)}`.trim(), step.share];
}

function draw(model, steps, width) {
  const narrow = width < 640;
  const label_width = narrow ? 0 : Math.min(220, Math.max(120, width * 0.2));
  const longest = steps.reduce((top, step) => Math.max(top, value_text(step).join('  ').length), 0);
  const value_width = narrow ? 0 : Math.min(width * 0.4, 20 + longest * 7.4);
  const row = narrow ? 42 : 30, bar_height = 16, bottom = 26;
  const range = range_of(steps);
  const plot = {left: label_width + 4, right: width - value_width - 6};
  const x = (value) => plot.left + ((value - range.low) / (range.high - range.low)) * (plot.right - plot.left);
  const height = steps.length * row + bottom + 4;
  const picture = svg('svg', {class: 'waterfall', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
    'aria-label': `Waterfall of the delta. ${steps.map((step) =>
      `${shorten(step.label, 60)}: ${step.text}`).join('; ')}.`});
  picture.append(svg('defs', null, svg('pattern', {id: 'hatch', width: 6, height: 6,
    patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
    svg('rect', {width: 6, height: 6, class: 'hatch-ground'}),
    svg('rect', {width: 2.5, height: 6, class: 'hatch-line'}))));
  const axis = f.time_ticks(range.low, range.high, Math.max(2, (plot.right - plot.left) / 110));
  for (const tick of axis.ticks) {
    const at = x(tick);
    if (range.cut && at < plot.left + 24) continue;
    picture.append(svg('path', {class: 'grid', d: `M${at} 0V${height - bottom}`}),
      svg('text', {class: 'tick', x: Math.min(at, width - 20), y: height - 8, 'text-anchor': 'middle'}, axis.text(tick)));
  }
  steps.forEach((step, index) => {
    const top = index * row + (narrow ? 20 : 7), middle = top + bar_height / 2;
    const label = shorten(step.label, narrow ? Math.max(12, Math.floor(width / 16)) : Math.floor(label_width / 8.4));
    const [value, extra] = value_text(step);
    picture.append(svg('text', {class: `label ${step.kind}`, x: 0, y: narrow ? top - 6 : middle + 4}, label,
      svg('title', null, shorten(step.label, 400))));
    picture.append(svg('text', {class: `value ${step.kind}`, x: narrow ? width : plot.right + 14,
      y: narrow ? top - 6 : middle + 4, 'text-anchor': narrow ? 'end' : 'start'},
      value, extra && !narrow ? svg('tspan', {class: 'share', dx: 8}, extra) : null));
    if (index > 0) {
      const joint = x(steps[index - 1].to);
      picture.append(svg('path', {class: 'joint', d: `M${joint} ${top - row + bar_height}V${top + bar_height}`}));
    }
    for (const node of [bar(x, step, top, bar_height, range)].flat()) picture.append(node);
    const line = whisker(x, step, middle, step.kind === 'total' ? 0 : step.from);
    if (line) picture.append(line);
  });
  return picture;
}

function notes(model) {
  const document = model.document;
  const lines = [];
  const basis = document.interval_basis;
  if (model.parts.some((part) => f.is_number(part.lo)))
    lines.push(`Whiskers and brackets are 99 % intervals${basis ? `, ${shorten(basis, 60)}` : ''}.`);
  const errors = list(document.model_error_s);
  if (errors.length === 2 && errors.every(f.is_number))
    lines.push(`The replay differs from the measured makespan by ${f.signed_seconds(errors[0])} on A and ` +
      `${f.signed_seconds(errors[1])} on B.`);
  for (const note of list(document.notes).slice(0, 20)) lines.push(shorten(note, 400));
  return lines.length > 0 ? h('ul', {class: 'notes'}, lines.map((line) => h('li', null, line))) : null;
}

function interactions(model) {
  const rows = list(model.document.interactions);
  if (rows.length === 0) return null;
  return table('Interactions: what two changes do only together', [
    {head: 'first', row_head: true}, {head: 'second'}, {head: 'seconds', align: 'right'}],
    rows.slice(0, 50).map((row) => [name(row.first), name(row.second), f.signed_seconds(row.seconds)]));
}

export function waterfall_section(model) {
  if (!model.two) return {missing: 'the delta: there is one run, and a delta needs two sides'};
  if (model.delta === null && (model.makespan.A === null || model.makespan.B === null))
    return {missing: 'the delta: the makespans of the sides are not both known'};
  const steps = steps_of(model);
  const host = h('div', {class: 'chart'});
  let drawn = 0;
  on_width(host, (width) => {
    if (width < 50 || width === drawn) return;
    drawn = width;
    host.replaceChildren(draw(model, steps, width));
  });
  return {node: [
    model.refused ? h('p', {class: 'note'}, `Not attributed: ${shorten(model.refused, 600)}`) :
      model.parts.length === 0 ? h('p', {class: 'note'}, 'There is no attribution in this report: it needs a pipeline on both sides.') : null,
    host, notes(model), interactions(model)]};
}
