// SPDX-License-Identifier: Apache-2.0
// The warnings, and the answer in one sentence.
import {h, name, shorten, table} from './dom.js';
import * as f from './format.js';
import {list, object} from './model.js';

export function side_mark(side) {
  return h('span', {class: `side side-${side.toLowerCase()}`}, side);
}

// Each warning is one line; opened, the whole of it. Equal ones are counted.
export function warnings_section(model) {
  const found = new Map();
  const add = (warning, where) => {
    const own = object(warning) ?? {text: warning};
    const key = `${own.kind ?? 'other'}\n${own.text ?? ''}`;
    const entry = found.get(key) ?? {kind: own.kind ?? 'other', text: String(own.text ?? ''), where: new Set()};
    if (where) entry.where.add(where);
    found.set(key, entry);
  };
  list(model.document.warnings).forEach((warning) => add(warning, null));
  // Of many runs the document has them by kind, with a count; one by one they would say the same again.
  const few = model.by_side.A.length <= 1 && model.by_side.B.length <= 1;
  for (const side of few ? ['A', 'B'] : [])
    for (const run of model.by_side[side]) list(run.warnings).forEach((warning) => add(warning, side));
  if (found.size === 0) return null;
  const entries = [...found.values()];
  const line = (entry) => {
    const marks = model.two ? [...entry.where].sort().map(side_mark) : [];
    const kind = h('span', {class: 'kind'}, shorten(entry.kind, 32));
    return h('li', null, h('details', {class: 'warning'},
      h('summary', null, marks, kind, h('span', {class: 'line'}, shorten(entry.text, 400))),
      h('p', null, shorten(entry.text, 4000))));
  };
  const shown = entries.slice(0, 200);
  const count = entries.length === 1 ? '1 warning' : `${entries.length} warnings`;
  return h('section', {class: 'warnings', id: 'warnings', 'aria-label': count},
    h('h2', null, count),
    h('ul', null, shown.map(line)),
    entries.length > shown.length ?
      h('p', {class: 'quiet'}, `${entries.length - shown.length} more are in the JSON of assay explain.`) : null);
}

function ratio_text(model) {
  const change = f.change(model.makespan.A, model.makespan.B);
  return change ? ` (${change})` : '';
}

// "gpu.service carries +281 s (94 %) of it"
function carrier(model) {
  const [first, second] = [...model.parts].sort((x, y) => Math.abs(y.seconds) - Math.abs(x.seconds));
  if (!first || !model.delta) return [];
  const one = (part) => [h('strong', null, name(part.factor)), ` accounts for ${f.signed_seconds(part.seconds)}`,
    ` (${f.percent(part.seconds / model.delta)})`];
  const text = [' Of this, ', ...one(first)];
  if (second && Math.abs(second.seconds) >= 0.1 * Math.abs(model.delta)) text.push(', ', ...one(second));
  return [...text, '.'];
}

function two_sides(model) {
  const {A, B} = model.makespan;
  if (A === null || B === null) return ['The makespans of the sides are not both known.'];
  const delta = model.delta ?? B - A;
  const word = delta > 0 ? 'longer' : 'shorter';
  const start = delta === 0 ? ['B takes as long as A: ', f.seconds(A), '.'] :
    [side_mark('B'), ' takes ', h('strong', null, f.seconds(Math.abs(delta))), ` ${word} than `, side_mark('A'),
     `: ${f.seconds(A)} → ${f.seconds(B)}${ratio_text(model)}.`];
  if (model.refused) return [...start, ` The difference is not attributed: ${shorten(model.refused, 400).replace(/\.$/, '')}.`];
  return [...start, ...carrier(model)];
}

function one_side(model) {
  const run = model.shown[model.sides[0]];
  if (!run) return ['Only spans are here, without a description of the run.'];
  const text = [`It takes ${f.seconds(run.makespan_s)} from the first begin to the last end`];
  const bottleneck = object(run.bottleneck);
  if (bottleneck) {
    text.push('; ', h('strong', null, name(bottleneck.stage)),
      ` binds, busy ${f.percent(bottleneck.utilisation)} of the time`);
    if (bottleneck.next)
      text.push(', and ', name(bottleneck.next), ` would bind next (headroom ${f.percent(bottleneck.headroom)})`);
  } else {
    const [first] = list(run.spans_by_name);
    if (first) text.push('; ', h('strong', null, name(first.name)), ` has the most time, ${f.seconds(first.self_s)} of its own`);
  }
  return [...text, '.'];
}

function verdict_block(model) {
  const verdict = object(model.document.verdict);
  if (!verdict) return null;
  const stages = list(verdict.stages).map((stage) => ({...stage, name: `${stage.name} (stage)`}));
  const metrics = [...list(verdict.metrics), ...stages];
  return [
    verdict.sentence ? h('p', {class: 'verdict'}, shorten(verdict.sentence, 600)) : null,
    metrics.length === 0 ? null : table('Verdicts', [
      {head: 'metric', row_head: true}, {head: 'verdict'}, {head: 'B against A', align: 'right'},
      {head: '99 % interval', align: 'right'}, {head: 'runs', align: 'right'},
    ], metrics.slice(0, 50).map((metric) => [
      name(metric.name), h('span', {class: 'word'}, shorten(metric.word ?? metric.verdict, 24)),
      f.change(1, metric.ratio) || f.absent,
      f.is_number(metric.lo99) && f.is_number(metric.hi99) ?
        `[${f.change(1, metric.lo99)}, ${f.change(1, metric.hi99)}]` : f.absent,
      Array.isArray(metric.runs) ? metric.runs.map(f.count).join(' + ') : f.count(metric.runs),
    ]), {quiet: true}),
  ];
}

export function answer_section(model) {
  const own = model.document.sentence;
  const sentence = own ? [shorten(own, 1000)] :
    model.sides.length === 0 ? ['There is no run in this report.'] :
    model.two ? two_sides(model) : one_side(model);
  const trusted = model.sides.filter((side) => model.shown[side]?.trusted === false);
  return h('section', {class: 'answer', id: 'answer', 'aria-label': 'Answer'},
    verdict_block(model),
    h('p', {class: 'sentence'}, sentence),
    model.document.reason === 'unreplicated' ? h('p', {class: 'quiet'},
      'Unreplicated: one log a side describes what happened; it is no verdict on what would happen again.') : null,
    trusted.length > 0 ? h('p', {class: 'quiet'},
      `The books or the laws do not hold for ${trusted.join(' and ')}: read the numbers below with the warnings.`) : null);
}
