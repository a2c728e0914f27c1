// SPDX-License-Identifier: Apache-2.0
// Tails, permits, the memory model, settings compared, and the raw numbers.
import {side_mark} from './answer.js';
import {h, name, shorten, swatch, table} from './dom.js';
import * as f from './format.js';
import {distribution, list, object, which_run} from './model.js';
import {stacked_bar} from './panels.js';
import {stage_colour_name} from './theme.js';

const kMostRaw = 2000;
const right = (head, title) => ({head, align: 'right', title});

export function tails_section(model) {
  const tails = list(model.document.tails);
  if (tails.length === 0) return {missing: model.two ? 'the tails: no item latency is known on both sides' : 'the tails: they compare two sides'};
  return {node: tails.slice(0, 20).map((tail) => {
    const rows = [...list(tail.rows), {stage: 'gaps', kind: null, a_s: tail.gap_a_s, b_s: tail.gap_b_s}]
      .filter((row) => row.a_s > 0 || row.b_s > 0);
    const most = rows.reduce((top, row) => Math.max(top, row.a_s ?? 0, row.b_s ?? 0), 0);
    const bar = (value, side) => h('span', {class: `inline-bar side-${side}`, style: {width: `${most > 0 ? ((value ?? 0) / most) * 100 : 0}%`}});
    const label = tail.label ? `Items of class ${shorten(tail.label, 40)}` : 'All items';
    return table(`${label}: p99 latency ${f.seconds(tail.p99_a_s)} → ${f.seconds(tail.p99_b_s)}; the means of the ` +
      `${f.count(tail.items_a)} and ${f.count(tail.items_b)} items above it`, [
      {head: 'component', row_head: true}, right('A'), right('B'), right('B − A'), {head: 'A above B'}],
      rows.slice(0, 100).map((row) => [
        [name(row.stage, 36), row.kind ? ` ${f.kind_words(row.kind)}` : ''], f.seconds(row.a_s), f.seconds(row.b_s),
        f.signed_seconds((row.b_s ?? 0) - (row.a_s ?? 0)), {class: 'bars', text: [bar(row.a_s, 'a'), bar(row.b_s, 'b')]}]));
  })};
}

export function permits_section(model) {
  const rows = model.sides.flatMap((side) => list(model.shown[side]?.permits).map((own) => ({...own, side})));
  if (rows.length === 0) return {missing: 'permits: no stage declares any'};
  return {node: table('Permits against what was in flight', [
    {head: 'stage', row_head: true}, {head: 'side'}, right('permits'), right('+ queue'), right('most at once'), right('at'), {head: ''}],
    rows.slice(0, 100).map((row) => [name(row.stage, 36), side_mark(row.side), f.count(row.permits), f.count(row.capacity),
      f.count(row.most), f.seconds(row.at_s), row.exceeded ?
        h('span', {class: 'bad'}, 'exceeded: a permit was released before its send') : 'within']), {quiet: true})};
}

// What --memory-budget allows, in the words of the terminal; `fits` counts items, 0 = not even one.
function budget_line(value) {
  const own = object(value);
  if (!own) return null;
  const what = [f.is_number(own.permits) ? 'permits of ' : 'items in ', name(own.stage, 32)];
  if (!(own.fits > 0))
    return h('p', null, h('span', {class: 'bad'}, `${f.bytes(own.bytes)} does not fit`), ' even one of ', what, ` (${f.bytes(own.next_bytes)} by the model).`);
  return h('p', null, 'Budget: ', what, ` = ${own.fits} fits ${f.bytes(own.bytes)} (${f.bytes(own.fits_bytes)} by the model); `,
    `${own.fits + 1} does not (${f.bytes(own.next_bytes)}).`);
}

function memory_block(own, side) {
  const terms = list(own.terms);
  const parts = [{label: 'base', value: own.base_bytes ?? 0, colour: 'var(--kind-starved)', ink: 'in ink-starved'},
    ...terms.map((term, i) => ({label: shorten(term.stage, 40), value: (term.bytes_per_item ?? 0) * (term.in_flight_at_peak ?? 0),
      colour: `var(${stage_colour_name(i)})`, ink: `in ink-stage-${i % 10}`}))].map((part) => ({...part, text: f.bytes(part.value)}));
  const above = (own.peak_bytes ?? 0) - (own.peak_model_bytes ?? 0);
  if (above > 0) parts.push({label: 'above the model', value: above, text: f.bytes(above), class: 'unknown', ink: 'in plain'});
  const whole = Math.max(own.peak_bytes ?? 0, own.peak_model_bytes ?? 0);
  const equation = [f.bytes(own.base_bytes), ...terms.map((term) => [` + ${f.bytes(term.bytes_per_item)} × `, name(term.stage, 24)])];
  return h('div', {class: 'memory-model'},
    h('h3', null, side_mark(side), ' ', name(own.scope, 24), own.method ? h('span', {class: 'quiet'}, ', ', name(own.method, 40)) : null),
    h('p', null, 'Memory = ', equation, '. ', h('span', {class: 'quiet'},
      `${f.count(own.samples)} samples; it explains ${f.percent(own.explained)} of the variance, residual ${f.bytes(own.residual_bytes)} (root mean square).`)),
    h('p', null, `Peak ${f.bytes(own.peak_bytes)} at ${f.seconds(own.peak_at_s)}; the model says ${f.bytes(own.peak_model_bytes)}: `,
      f.bytes(own.base_bytes), terms.map((term) => ` + ${f.count(term.in_flight_at_peak)} × ${f.bytes(term.bytes_per_item)}`), '.'),
    budget_line(own.budget),
    stacked_bar(parts, whole, 'Parts of the peak'),
    h('div', {class: 'legend'}, parts.map((part) => h('span', {class: 'key'},
      part.class ? h('span', {class: 'swatch unknown', 'aria-hidden': 'true'}) : swatch(part.colour), `${part.label} ${part.text}`))));
}

export function memory_model_section(model) {
  const blocks = model.sides.flatMap((side) => list(model.shown[side]?.memory).slice(0, 6).map((own) => memory_block(own, side)));
  if (blocks.length === 0) return {missing: 'the memory model: it needs memory samples and items in flight'};
  return {node: h('div', {class: 'pair'}, blocks)};
}

function settings_of(model) {
  const values = new Map();
  for (const side of model.sides)
    for (const setting of list(model.shown[side]?.settings)) {
      const key = String(setting.name ?? '');
      if (!values.has(key)) values.set(key, {});
      values.get(key)[side] = setting;
    }
  return [...values].sort(([, x], [, y]) => (x.A?.value === x.B?.value) - (y.A?.value === y.B?.value));
}

export function settings_section(model) {
  const own = object(model.document.comparability);
  const differences = list(own?.differences);
  const settings = settings_of(model);
  const runs = model.sides.filter((side) => model.shown[side]);
  const value = (setting) => (setting ? [name(setting.value, 48), setting.changed ? h('span', {class: 'quiet'}, ', changed in the run') : ''] : f.absent);
  const clock = (run) => [shorten(run.clock?.source || 'clock unknown', 40),
    f.is_number(run.clock?.resolution_ns) ? `, steps of ${f.seconds(run.clock.resolution_ns * 1e-9)}` : ''];
  return {node: [
    own ? h('p', null, own.comparable === false ? h('span', {class: 'bad'}, `Not comparable: ${shorten(own.because, 400)} `) : 'The sides are comparable. ',
      `Matched: ${f.percent(own.stages_matched)} of the stages, ${f.percent(own.items_matched)} of the items.`) : null,
    differences.length > 0 ? table('Differences between the sides', [
      {head: 'what', row_head: true}, {head: 'A'}, {head: 'B'}, {head: ''}],
      differences.slice(0, 100).map((row) => [name(row.what, 48), name(row.a, 48), name(row.b, 48),
        row.forbids ? h('span', {class: 'bad'}, 'forbids an attribution') : ''])) :
      model.two && own ? h('p', {class: 'quiet'}, 'No difference was found in workers, capacity, permits, settings, clock or build.') : null,
    settings.length > 0 ? table('Settings that the runs printed', [{head: 'setting', row_head: true},
      ...model.sides.map((side) => ({head: side})), ...(model.two ? [{head: ''}] : [])],
      settings.slice(0, 200).map(([key, by_side]) => [name(key, 48), ...model.sides.map((side) => value(by_side[side])),
        ...(model.two ? [by_side.A?.value === by_side.B?.value ? 'same' : h('strong', null, 'differs')] : [])])) :
      h('p', {class: 'quiet'}, 'The runs printed no settings that the rules know.'),
    runs.length > 0 ? table('The runs', [{head: 'side'}, {head: 'source', row_head: true}, {head: 'format'}, {head: 'clock'}, right('jobs'),
      right('items'), right('spans'), right('makespan')],
      runs.flatMap((side) => model.by_side[side].slice(0, 40).map((run) => [side_mark(side), name(run.source, 48), shorten(run.format, 20), clock(run),
        f.count(run.jobs), f.count(run.items), f.count(run.spans), f.seconds(run.makespan_s)]))) : null]};
}

// ---- raw numbers: everything with all its digits ----

function raw(value) {
  if (f.is_number(value)) return String(Number(value.toPrecision(12)));
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return name(typeof value === 'object' ? JSON.stringify(value) : value, 60);
}

// Tables of lists of flat objects; members that are objects of numbers are spread: "service.mean".
function flatten(row, prefix = '') {
  const out = {};
  for (const [key, value] of Object.entries(row)) {
    if (key === 'curve' || key === 'skew') continue;
    if (object(value)) Object.assign(out, flatten(value, `${prefix}${key}.`));
    else if (Array.isArray(value) && value.length <= 8 && value.every(f.is_number))
      value.forEach((one, i) => (out[`${prefix}${key}.${key === 'seconds' ? f.kinds[i] : i}`] = one));
    else if (!Array.isArray(value)) out[`${prefix}${key}`] = value;
  }
  return out;
}

function raw_table(title, rows) {
  const flat = rows.slice(0, kMostRaw).map((row) => flatten(row));
  const columns = [...new Set(flat.flatMap(Object.keys))].slice(0, 80);
  const numeric = new Map(columns.map((column) => [column, flat.some((row) => f.is_number(row[column]))]));
  const shown = columns.filter((column) => flat.some((row) => {
    const value = row[column];
    return value !== null && value !== undefined && value !== '' && value !== 0;
  }));
  const upright = () => table(title,
    shown.map((column) => ({head: shorten(column, 40), align: numeric.get(column) ? 'right' : undefined})),
    flat.map((row) => shown.map((column) => raw(row[column]))), {quiet: true, class: 'raw'});
  return h('details', null, h('summary', null, `${title}, ${rows.length === 1 ? '1 row' : `${rows.length} rows`}`),
    rows.length > flat.length ? h('p', {class: 'quiet'}, `The first ${flat.length}.`) : null,
    shown.length > 12 ? lying(title, shown, flat) : upright());
}

// Too many members for the width of a page: one line a member, six entries beside one another.
function lying(title, members, rows) {
  const tables = [];
  for (let from = 0; from < rows.length && from < 120; from += 6) {
    const group = rows.slice(from, from + 6);
    tables.push(table(title, [{head: 'member', row_head: true}, ...group.map((row, i) => right(`${from + i + 1}`))],
      members.map((member) => [shorten(member, 40), ...group.map((row) => raw(row[member]))]), {quiet: true, class: 'raw'}));
  }
  if (rows.length > 120) tables.push(h('p', {class: 'quiet'}, 'The first 120.'));
  return tables;
}

export function raw_section(model) {
  const document = model.document;
  const blocks = [];
  const add = (title, rows) => rows.length > 0 && blocks.push(raw_table(title, rows.map((row) => object(row) ?? {value: row})));
  add('Parts of the delta', [...model.parts, ...(f.is_number(document.remainder_s) ? [{factor: 'remainder', seconds: document.remainder_s}] : []),
    ...(model.delta !== null ? [{factor: 'delta', seconds: model.delta, lo: document.delta_lo_s, hi: document.delta_hi_s}] : [])]);
  add('Stages of both sides', list(document.stages));
  for (const side of model.sides) {
    const run = model.shown[side];
    if (!run) continue;
    const which = `${side}${which_run(model, side) ? `, ${which_run(model, side)}` : ''}`;
    add(`Stages of ${which}`, list(run.stages));
    add(`Books of ${which}`, list(run.books));
    if (distribution(run.latency)) add(`Latency of items of ${which}`, [run.latency]);
    add(`Spans by name of ${which}`, list(run.spans_by_name));
  }
  add('Self time by span name', list(document.spans));
  add('Runs', ['A', 'B'].flatMap((side) => model.by_side[side].map(({source, format, items, spans, jobs, makespan_s, trusted}) =>
    ({side, source, format, jobs, items, spans, makespan_s, trusted}))));
  return blocks.length > 0 ? {node: blocks} : {};
}
