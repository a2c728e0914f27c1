// SPDX-License-Identifier: Apache-2.0
// Bars made of parts: the books of workers, phases, which stage binds when, challenged spans.
import {side_mark} from './answer.js';
import {h, name, shorten, swatch, table} from './dom.js';
import * as f from './format.js';
import {list, object, which_run} from './model.js';
import {kind_colour_name, stage_colour_name} from './theme.js';

const kMostBooks = 40;

// One bar of parts {label, value, colour, class}; widths are shares of `whole`.
export function stacked_bar(parts, whole, label) {
  const words = parts.filter((part) => part.value > 0).map((part) => `${part.label} ${part.text}`).join(', ');
  return h('div', {class: 'stack', role: 'img', 'aria-label': `${label}: ${words || 'nothing'}`},
    parts.filter((part) => part.value > 0 && whole > 0).map((part) => {
      const share = Math.min(1, part.value / whole);
      return h('span', {class: `part ${part.class ?? ''}`.trim(), title: `${part.label}: ${part.text} (${f.percent(share)})`,
        style: {width: `${share * 100}%`, ...(part.colour ? {background: part.colour} : {})}},
        share > 0.13 ? h('span', {class: part.ink ?? 'in'}, f.percent(share)) : null);
    }));
}

function kind_seconds(book) {
  const own = book.seconds;
  if (Array.isArray(own)) return f.kinds.map((kind, index) => [kind, own[index]]);
  return Object.entries(object(own) ?? {});
}

function book_row(book) {
  const parts = kind_seconds(book).filter(([, value]) => f.is_number(value) && value > 0).map(([kind, value]) => ({
    kind, label: f.kind_words(kind), value, text: f.seconds(value), colour: `var(${kind_colour_name(kind)}, var(--kind-other))`,
    ink: `in ink-${kind.replaceAll('_', '-')}`}));
  if (book.unknown_s > 0)
    parts.push({kind: 'unknown', label: 'unknown', value: book.unknown_s, text: f.seconds(book.unknown_s), class: 'unknown', ink: 'in plain'});
  const sum = parts.reduce((total, part) => total + part.value, 0);
  const whole = Math.max(book.wall_s ?? 0, sum);
  const over = book.unknown_s < -1e-8 ? ` overlap ${f.seconds(-book.unknown_s)}` : '';
  return {parts, node: h('div', {class: 'bar-row'},
    h('div', {class: 'who'}, name(book.who, 26)), stacked_bar(parts, whole, shorten(book.who, 60)),
    h('div', {class: 'wall'}, f.seconds(book.wall_s), over ? h('span', {class: 'bad'}, over) : null))};
}

function side_head(model, side) {
  const run = which_run(model, side);
  return h('h3', null, side_mark(side), ' ', name(model.shown[side]?.source ?? model.timeline[side]?.source, 60),
    run ? h('span', {class: 'quiet'}, `, ${run}`) : null);
}

export function books_section(model) {
  const sides = model.sides.filter((side) => list(model.shown[side]?.books).length > 0);
  if (sides.length === 0) return {missing: 'the books: no worker or item has them'};
  const used = new Set();
  const blocks = sides.map((side) => {
    const books = list(model.shown[side].books);
    const rows = books.slice(0, kMostBooks).map(book_row);
    rows.forEach((row) => row.parts.forEach((part) => used.add(part.kind)));
    return h('div', null, side_head(model, side), rows.map((row) => row.node),
      books.length > kMostBooks ? h('p', {class: 'quiet'}, `${books.length - kMostBooks} more workers are in the tables below.`) : null);
  });
  const keys = [...f.kinds.filter((kind) => used.has(kind)), ...[...used].filter((kind) => !f.kinds.includes(kind))];
  return {node: [h('p', {class: 'quiet'}, 'Each bar is the whole time of one worker (or of the items of a stage), 100 % wide; its length is at the right.'),
    h('div', {class: 'legend'}, keys.map((kind) => h('span', {class: 'key'},
      kind === 'unknown' ? h('span', {class: 'swatch unknown', 'aria-hidden': 'true'}) :
        swatch(`var(${kind_colour_name(kind)}, var(--kind-other))`), kind === 'unknown' ? 'unknown' : f.kind_words(kind)))),
    h('div', {class: 'pair'}, blocks)]};
}

export function windows_section(model) {
  const sides = model.sides.filter((side) => list(model.shown[side]?.bottleneck?.window_stage).length > 0);
  if (sides.length === 0) return {missing: 'the bottleneck over time: no stage has a known number of workers'};
  const used = new Set();
  const strips = sides.map((side) => {
    const own = model.shown[side].bottleneck;
    const stages = list(own.window_stage).slice(0, 200), values = own.window_utilisation ?? [];
    const runs = [];
    stages.forEach((stage, i) => {
      used.add(stage);
      if (i > 0 && stage === stages[i - 1]) runs[runs.length - 1].length += 1;
      else runs.push({stage, length: 1});
    });
    const facts = [`busy ${f.percent(own.utilisation)}`,
      f.is_number(own.upstream_blocked) ? `upstream blocked ${f.percent(own.upstream_blocked)}` : '',
      f.is_number(own.downstream_starved) ? `downstream starved ${f.percent(own.downstream_starved)}` : '',
      own.moves ? 'the bottleneck moves in the steady part' : ''].filter(Boolean);
    return h('div', null, side_head(model, side),
      h('p', null, h('strong', null, name(own.stage, 40)), `: ${facts.join(', ')}`,
        own.next ? ['; next ', name(own.next, 40), `, headroom ${f.percent(own.headroom)}`] : null, '.'),
      h('div', {class: 'windows', role: 'img', 'aria-label': `Busiest stage in ${stages.length} windows: ${stages.map((stage, i) =>
        `${shorten(stage, 30)} ${f.percent(values[i])}`).join(', ')}`},
        stages.map((stage, i) => h('span', {class: 'window', title: `window ${i + 1}: ${shorten(stage, 60)}, ${f.percent(values[i])}`},
          h('span', {style: {height: `${Math.max(2, Math.min(1, values[i] ?? 0) * 100)}%`,
                             background: `var(${stage_colour_name(model.stage_index.get(stage))})`}})))),
      h('div', {class: 'windows-words', 'aria-hidden': 'true'}, runs.map((run) =>
        h('span', {style: {flex: `${run.length} 1 0`}}, shorten(run.stage, 24).length <= (run.length * 50) / stages.length ? shorten(run.stage, 24) : ''))));
  });
  return {node: [h('p', {class: 'quiet'}, 'The busiest stage of each twentieth of the run; the height is its utilisation.'),
    h('div', {class: 'legend'}, [...used].slice(0, 24).map((stage) => h('span', {class: 'key'},
      swatch(`var(${stage_colour_name(model.stage_index.get(stage))})`), name(stage, 32)))),
    h('div', {class: 'pair'}, strips)]};
}

export function phases_section(model) {
  const sides = model.sides.filter((side) => object(model.shown[side]?.phases));
  const laws = model.sides.flatMap((side) => list(model.shown[side]?.laws).map((law) => ({...law, side})));
  if (sides.length === 0 && laws.length === 0) return {missing: 'phases and laws: they need a pipeline'};
  const most = sides.reduce((top, side) => Math.max(top, model.shown[side].phases.makespan_s ?? 0), 0);
  const bars = sides.map((side) => {
    const own = model.shown[side].phases;
    const parts = [['fill', own.fill_s, 'light'], ['steady', own.steady_s, ''], ['drain', own.drain_s, 'light']].map(([label, value, kind]) =>
      ({label, value, text: f.seconds(value), class: `phase side-${side.toLowerCase()} ${kind}`, ink: kind ? 'in plain' : `in on-${side.toLowerCase()}`}));
    return h('div', {class: 'bar-row'}, h('div', {class: 'who'}, side_mark(side), ' fill, steady, drain'),
      stacked_bar(parts, most, `Phases of ${side}`),
      h('div', {class: 'wall'}, f.seconds(own.makespan_s)));
  });
  const rows = sides.map((side) => {
    const own = model.shown[side].phases;
    return [side_mark(side), ...['fill_s', 'steady_s', 'drain_s', 'first_completion_s', 'interval_sum_s', 'makespan_s'].map((key) => f.seconds(own[key]))];
  });
  return {node: [bars,
    rows.length > 0 ? table('Phases', [{head: 'side'}, {head: 'fill', align: 'right'}, {head: 'steady', align: 'right'},
      {head: 'drain', align: 'right'}, {head: 'first completion', align: 'right'}, {head: '+ intervals', align: 'right'},
      {head: '= makespan', align: 'right'}], rows, {quiet: true}) : null,
    laws.length > 0 ? table('Laws that must hold: a violation means lost events, a wrong number of workers or two clocks', [
      {head: 'law', row_head: true}, {head: 'side'}, {head: 'stage'}, {head: 'left', align: 'right'}, {head: 'right', align: 'right'},
      {head: 'differs by', align: 'right'}, {head: ''}],
      laws.slice(0, 100).map((law) => [shorten(law.law, 40), side_mark(law.side), name(law.stage, 36), f.count(law.left), f.count(law.right),
        f.percent(law.difference), law.violated ? h('span', {class: 'bad'}, 'violated') : 'holds'])) : null]};
}

export function challenges_section(model) {
  const rows = model.sides.flatMap((side) => list(model.shown[side]?.challenges).map((own) => ({...own, side})));
  if (rows.length === 0) return {};
  return {node: [h('p', {class: 'quiet'}, 'Spans that are more than their name says, split by what is inside them.'),
    rows.slice(0, 30).map((row) => {
      const shares = list(row.shares).slice(0, 12);
      const parts = shares.map((share, i) => ({label: shorten(share.name, 40), value: share.seconds, text: f.seconds(share.seconds),
        colour: `var(${stage_colour_name(i)})`, ink: `in ink-stage-${i % 10}`}));
      return h('div', {class: 'challenge'},
        h('div', {class: 'bar-row'}, h('div', {class: 'who'}, side_mark(row.side), ' ', name(row.stage, 26)),
          stacked_bar(parts, row.total_s, shorten(row.stage, 60)), h('div', {class: 'wall'}, f.seconds(row.total_s))),
        h('div', {class: 'legend'}, shares.map((share, i) => h('span', {class: 'key'}, swatch(`var(${stage_colour_name(i)})`),
          name(share.name, 32), ` ${f.seconds(share.seconds)}`))));
    })]};
}
