// SPDX-License-Identifier: Apache-2.0
// The stage table before and after, and the same for plain nested spans.
import {side_mark} from './answer.js';
import {h, name, shorten, table} from './dom.js';
import * as f from './format.js';
import {list} from './model.js';

const kMostRows = 60;
const kFields = ['mean', 'median', 'p90', 'p99', 'max'];

function utilisation(row, kind) {
  return kind === 'service' && f.is_number(row?.utilisation) ? f.percent(row.utilisation) : '';
}

function stage_cell(row, kind, lines) {
  const own = row.row_b ?? row.row_a ?? {};
  const facts = [];
  if (kind === 'service' && f.is_number(own.servers))
    facts.push(`${own.servers} ${own.servers === 1 ? 'worker' : 'workers'}`);
  if (kind === 'service' && f.is_number(own.capacity)) facts.push(`queue of ${own.capacity}`);
  if (kind === 'service' && f.is_number(own.permits)) facts.push(`${own.permits} permits`);
  if (kind === 'blocked_send' && own.blocked_derived) facts.push('estimated, not in the log');
  return {head: true, rows: lines, class: 'stage', text: [
    h('div', null, name(row.stage, 28)),
    h('div', {class: 'quiet'}, f.kind_words(kind)),
    facts.length > 0 ? h('div', {class: 'quiet'}, facts.join(', ')) : null]};
}

function shape_cell(row, lines) {
  const mean = f.is_number(row.mean_delta_s) ?
    h('div', null, `${f.signed_seconds(row.mean_delta_s)} ${f.interval(row.mean_delta_s, row.lo_s, row.hi_s)}`.trim(),
      h('span', {class: 'quiet'}, ' per item')) : null;
  const skew = row.sentence || row.b?.skew || row.a?.skew || '';
  return {rows: lines, class: 'shape', text: [
    row.shape ? h('span', {class: `word shape-${shorten(row.shape, 12).toLowerCase()}`}, shorten(row.shape, 12).toUpperCase()) : null,
    mean, skew ? h('div', {class: 'sentence-small'}, shorten(skew, 200)) : null]};
}

function rows_of(row) {
  const both = row.a && row.b;
  const lines = both ? 3 : 1;
  const kind = row.kind ?? 'service';
  const values = (side, own, run_row) => [
    side_mark(side), f.count(own.n), ...kFields.map((key) => f.seconds(own[key])), utilisation(run_row, kind)];
  const first = row.a ? values('A', row.a, row.row_a) : values('B', row.b, row.row_b);
  const rows = [{class: 'first', cells: [stage_cell(row, kind, lines), ...first, shape_cell(row, lines)]}];
  if (both) {
    rows.push({skip: 1, cells: values('B', row.b, row.row_b)});
    rows.push({skip: 1, class: 'change', cells: [{text: 'change'}, row.a.n === row.b.n ? '' : f.change(row.a.n, row.b.n),
      ...kFields.map((key) => f.change(row.a[key], row.b[key])), '']});
  }
  return rows;
}

export function stages_section(model) {
  if (model.stage_rows.length === 0) return {missing: 'the stage table: no stage has spans with a known service or wait'};
  const columns = [{head: 'stage', row_head: true}, {head: 'side'}, {head: 'n', align: 'right'},
    ...kFields.map((head) => ({head, align: 'right'})),
    {head: 'used', align: 'right', title: 'utilisation: busy time over servers x makespan'}, {head: 'shape'}];
  const rows = model.stage_rows.slice(0, kMostRows).flatMap(rows_of);
  const left = model.stage_rows.length - kMostRows;
  return {node: [
    table('Stages, before and after', columns, rows, {quiet: true, class: 'stages'}),
    left > 0 ? h('p', {class: 'quiet'}, `${left} more rows are in the JSON of assay explain.`) : null]};
}

function span_bar(value, most, side) {
  return h('span', {class: `inline-bar side-${side}`, 'aria-hidden': 'true',
    style: {width: `${most > 0 ? Math.max(0, Math.min(1, value / most)) * 100 : 0}%`}});
}

function spans_of_two(model, rows) {
  const sorted = [...rows].sort((x, y) => Math.abs((y.self_b_s ?? 0) - (y.self_a_s ?? 0)) -
    Math.abs((x.self_b_s ?? 0) - (x.self_a_s ?? 0)));
  const most = sorted.reduce((top, row) => Math.max(top, row.self_a_s ?? 0, row.self_b_s ?? 0), 0);
  const unmatched = model.document.unmatched_share;
  const label = (row) => {
    const a = row.name_a ?? '', b = row.name_b ?? '';
    if (!a || !b) return [name(a || b, 40), h('div', {class: 'quiet'}, a ? 'only in A' : 'only in B')];
    return a === b ? name(a, 40) : [name(a, 40), h('div', {class: 'quiet'}, 'B: ', name(b, 40))];
  };
  return [
    table('Self time by span name', [
      {head: 'span', row_head: true}, {head: 'matched'}, {head: 'A', align: 'right'}, {head: 'B', align: 'right'},
      {head: 'B − A', align: 'right'}, {head: 'change', align: 'right'}, {head: 'count A', align: 'right'},
      {head: 'count B', align: 'right'}, {head: 'self time'}],
      sorted.slice(0, kMostRows).map((row) => [label(row), shorten(row.matched_by || 'no', 16), f.seconds(row.self_a_s),
        f.seconds(row.self_b_s), f.signed_seconds((row.self_b_s ?? 0) - (row.self_a_s ?? 0)),
        f.change(row.self_a_s, row.self_b_s), f.count(row.count_a), f.count(row.count_b),
        {class: 'bars', text: [span_bar(row.self_a_s ?? 0, most, 'a'), span_bar(row.self_b_s ?? 0, most, 'b')]}]),
      {quiet: true}),
    sorted.length > kMostRows ? h('p', {class: 'quiet'}, `The ${kMostRows} largest differences of ${sorted.length} names.`) : null,
    f.is_number(unmatched) && unmatched > 0 ?
      h('p', {class: 'quiet'}, `${f.percent(unmatched)} of the self time of both sides has no partner on the other side.`) : null];
}

function spans_of_one(rows, side) {
  const most = rows.reduce((top, row) => Math.max(top, row.self_s ?? 0), 0);
  return [
    table(`Spans by name, ${side}`, [
      {head: 'span', row_head: true}, {head: 'count', align: 'right'}, {head: 'total', align: 'right'},
      {head: 'self', align: 'right'}, {head: 'median', align: 'right'}, {head: 'p99', align: 'right'},
      {head: 'max', align: 'right'}, {head: 'self time'}],
      rows.slice(0, kMostRows).map((row) => [name(row.name, 40), f.count(row.count), f.seconds(row.total_s),
        f.seconds(row.self_s), f.seconds(row.duration?.median), f.seconds(row.duration?.p99),
        f.seconds(row.duration?.max),
        {class: 'bars', text: span_bar(row.self_s ?? 0, most, side.toLowerCase())}]), {quiet: true}),
    rows.length > kMostRows ? h('p', {class: 'quiet'}, `The first ${kMostRows} of ${rows.length} names.`) : null];
}

export function spans_section(model) {
  const deltas = list(model.document.spans);
  if (deltas.length > 0) return {node: spans_of_two(model, deltas)};
  const sides = model.sides.filter((side) => list(model.shown[side]?.spans_by_name).length > 0);
  if (sides.length === 0) return {};
  return {node: sides.map((side) => spans_of_one(list(model.shown[side].spans_by_name), side))};
}
