// SPDX-License-Identifier: Apache-2.0
// Distributions, items in flight and memory over time, as small charts of the same shape.
import {chart_figure} from './chart.js';
import {merge_steps, step_at} from './columns.js';
import {h, name, shorten} from './dom.js';
import * as f from './format.js';
import {list} from './model.js';

const kMostCharts = 24;
export const kSideColour = {A: '--a', B: '--b'};
const kSideDash = {A: [6, 3], B: undefined};

function second_base(largest) {
  return [1, 1e-3, 1e-6, 1e-9].find((scale) => largest >= scale) ?? 1e-9;
}
function byte_base(largest) {
  return [2 ** 40, 2 ** 30, 2 ** 20, 2 ** 10].find((scale) => largest >= scale) ?? 1;
}
function plain_seconds(value) {
  return value === 0 ? '0' : trim(f.seconds(value));
}
function plain_bytes(value) {
  return value === 0 ? '0' : trim(f.bytes(value));
}
// "30.0 s" on an axis is "30 s".
function trim(text) {
  return text.replace(/(\.\d*?)0+(?=\s)/, '$1').replace(/\.(?=\s)/, '');
}

function grid(charts, what) {
  const shown = charts.slice(0, kMostCharts);
  return [h('div', {class: 'charts'}, shown.map(chart_figure)),
    charts.length > shown.length ?
      h('p', {class: 'quiet'}, `${charts.length - shown.length} more ${what} are not drawn; their numbers are in the tables.`) : null];
}

function curve_of(own) {
  const curve = list(own?.curve).filter(f.is_number);
  return curve.length >= 2 ? curve : null;
}

// The curve at 0, .01, ..., 1, whatever number of points it came with.
function at_percents(curve) {
  return Array.from({length: 101}, (unused, i) => {
    const at = (i / 100) * (curve.length - 1), low = Math.floor(at);
    return curve[low] + (at - low) * ((curve[low + 1] ?? curve[low]) - curve[low]);
  });
}

export function distributions_section(model) {
  const rows = model.stage_rows.map((row) => ({...row, title: [name(row.stage, 36), `, ${f.kind_words(row.kind ?? 'service')}`],
    title_text: `${shorten(row.stage, 60)}, ${f.kind_words(row.kind ?? 'service')}`}));
  const latency = {A: model.shown.A?.latency, B: model.shown.B?.latency};
  if (latency.A?.n > 0 || latency.B?.n > 0)
    rows.unshift({a: latency.A?.n > 0 ? latency.A : null, b: latency.B?.n > 0 ? latency.B : null,
                  title: 'latency of items', title_text: 'latency of items'});
  if (rows.length === 0)
    for (const side of model.sides)
      for (const row of list(model.shown[side]?.spans_by_name).slice(0, 12)) {
        const own = rows.find((entry) => entry.span === row.name);
        if (own) own[side.toLowerCase()] = row.duration;
        else rows.push({[side.toLowerCase()]: row.duration, span: row.name, title: name(row.name, 36), title_text: shorten(row.name, 60)});
      }
  const charts = [];
  for (const row of rows) {
    const sides = [['A', row.a], ['B', row.b]].map(([side, own]) => ({side, own, curve: curve_of(own)})).filter((entry) => entry.curve);
    if (sides.length === 0) continue;
    charts.push({
      title: row.title, title_text: row.title_text,
      summary: sides.map(({side, own}) => `${side}: median ${f.seconds(own.median)}, p90 ${f.seconds(own.p90)}, ` +
        `p99 ${f.seconds(own.p99)}, max ${f.seconds(own.max)} of ${f.count(own.n)}`).join('; '),
      data: [Array.from({length: 101}, (unused, i) => i), ...sides.map((entry) => at_percents(entry.curve))],
      series: sides.map(({side}) => ({label: side, colour: kSideColour[side], dash: model.two ? kSideDash[side] : undefined, text: f.seconds})),
      x: {label: 'share', range: [0, 100], splits: (plot) => (plot.width < 340 ? [0, 25, 50, 75, 90] : [0, 25, 50, 75, 90, 99]), space: 10,
          text: (value) => (value === 0 ? 'min' : value === 50 ? 'median' : `p${value}`),
          cursor_text: (value) => (value === 0 ? 'min' : value === 100 ? 'max' : `p${value}`)},
      y_text: plain_seconds, y_base: second_base,
    });
  }
  if (charts.length === 0) return {missing: 'the distributions: no stage carries a quantile curve'};
  return {node: [h('p', {class: 'quiet'}, `Quantile curves: the height at p90 is what nine of ten stay below.${model.two ? ' A is dashed, B solid.' : ''}`),
    grid(charts, 'distributions')]};
}

function time_axis() {
  return {
    label: 'time', range: (plot, low, high) => (high > low ? [low > 0 && low < high / 2 ? 0 : low, high] : [low, low + 1]),
    splits: (plot, index, low, high) => f.time_ticks(low, high, Math.max(2, plot.width / 110)).ticks,
    text: (value, splits, plot) => f.time_ticks(plot.scales.x.min, plot.scales.x.max, Math.max(2, plot.width / 110)).text(value),
    cursor_text: f.seconds,
  };
}

export function in_flight_section(model) {
  const stages = new Map();
  for (const side of model.sides)
    for (const entry of list(model.timeline[side]?.in_flight)) {
      if (!Array.isArray(entry.t) || !Array.isArray(entry.n) || entry.t.length === 0) continue;
      const key = String(entry.stage ?? '');
      if (!stages.has(key)) stages.set(key, {});
      stages.get(key)[side] = {t: entry.t, v: entry.n};
    }
  if (stages.size === 0) return {missing: 'items in flight over time: no stage has them'};
  const charts = [...stages].map(([stage, by_side]) => {
    const sides = ['A', 'B'].filter((side) => by_side[side]);
    const most = (side) => by_side[side].v.reduce((top, value) => (value > top ? value : top), 0);
    return {
      title: name(stage, 36), title_text: `Items in flight in ${shorten(stage, 60)}`,
      summary: sides.map((side) => `${side}: at most ${f.count(most(side))}`).join('; '),
      note: sides.map((side) => `${side} at most ${f.count(most(side))}`).join(', '),
      data: merge_steps(sides.map((side) => by_side[side])),
      series: sides.map((side) => ({label: side, colour: kSideColour[side], dash: model.two ? kSideDash[side] : undefined, step: true, width: 1.25, text: f.count})),
      x: time_axis(), y_text: f.count, y_base: () => 1,
    };
  });
  return {node: grid(charts, 'stages')};
}

// base + sum of in-flight x bytes over time, where every term of the model has its series.
function model_series(side, model) {
  const fit = list(model.shown[side]?.memory).find((entry) => list(entry.terms).length > 0);
  if (!fit) return null;
  const in_flight = list(model.timeline[side]?.in_flight);
  const terms = list(fit.terms).map((term) => ({...term, series: in_flight.find((entry) => entry.stage === term.stage)}));
  if (terms.some((term) => !Array.isArray(term.series?.t))) return null;
  const times = [...new Set(terms.flatMap((term) => term.series.t))].filter(f.is_number).sort((x, y) => x - y);
  if (times.length > 100000) return null;
  const value = (time) => terms.reduce((sum, term) =>
    sum + (term.bytes_per_item ?? 0) * step_at(term.series.t, term.series.n, time), fit.base_bytes ?? 0);
  return {scope: fit.scope, t: times, v: times.map(value)};
}

export function memory_section(model) {
  const scopes = new Map();
  for (const side of model.sides)
    for (const entry of list(model.timeline[side]?.memory)) {
      if (!Array.isArray(entry.t) || !Array.isArray(entry.bytes) || entry.t.length === 0) continue;
      const key = `${entry.scope ?? ''}\n${entry.method ?? ''}`;
      if (!scopes.has(key)) scopes.set(key, {scope: entry.scope ?? 'memory', method: entry.method ?? ''});
      scopes.get(key)[side] ??= {t: entry.t, v: entry.bytes};
    }
  if (scopes.size === 0) return {missing: 'memory over time: the logs carry no memory samples'};
  const charts = [...scopes.values()].map((entry) => {
    const series = [];
    for (const side of ['A', 'B']) {
      if (!entry[side]) continue;
      series.push({side, label: side, own: entry[side], dash: model.two ? kSideDash[side] : undefined, width: 1.75});
      const fit = model_series(side, model);
      if (fit && (fit.scope === entry.scope || scopes.size === 1))
        series.push({side, label: `${side}, model`, own: fit, dash: [2, 3], width: 1, step: true});
    }
    const peak = (side) => entry[side].v.reduce((top, value) => (value > top ? value : top), 0);
    const sides = ['A', 'B'].filter((side) => entry[side]);
    const words = sides.map((side) => `${side} peak ${f.bytes(peak(side))}`).join(', ');
    return {
      wide: true, height: 240, title: [name(entry.scope, 30), entry.method ? [', ', name(entry.method, 50)] : ''],
      title_text: `Memory, ${shorten(entry.scope, 30)}`, summary: words, note: words,
      data: merge_steps(series.map((one) => one.own)),
      series: series.map((one) => ({label: one.label, colour: kSideColour[one.side], dash: one.dash, width: one.width, step: one.step, text: f.bytes})),
      x: time_axis(), y_text: plain_bytes, y_base: byte_base,
    };
  });
  return {node: grid(charts, 'series')};
}
