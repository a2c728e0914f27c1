// SPDX-License-Identifier: Apache-2.0
// The document as the sections want it. Every member of it may be missing: lists become empty, the rest
// null, and nothing is ever guessed.
import {is_number} from './format.js';

export function list(value) {
  return Array.isArray(value) ? value.filter((entry) => entry !== null && entry !== undefined) : [];
}

export function object(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
}

export function finite(value) {
  return is_number(value) ? value : null;
}

function median(values) {
  const sorted = values.filter(is_number).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// A distribution with something in it, else null.
export function distribution(value) {
  const own = object(value);
  return own && own.n > 0 ? own : null;
}

const kKindFields = ['service', 'queue_wait', 'blocked_send', 'lock_wait', 'wait_permit', 'starved',
                     'transfer', 'other'];

// The run of a side that stands for it: the one of the timeline, else that of the median makespan.
function representative(runs, timeline) {
  if (runs.length === 0) return null;
  const drawn = timeline && runs.find((run) => run.source === timeline.source);
  if (drawn) return drawn;
  const sorted = [...runs].sort((a, b) => (a.makespan_s ?? 0) - (b.makespan_s ?? 0));
  return sorted[(sorted.length - 1) >> 1];
}

function timeline_side(value) {
  const own = object(value);
  if (!own) return null;
  const spans = object(own.spans) ?? {};
  const column = (key) => (Array.isArray(spans[key]) ? spans[key] : []);
  return {
    source: own.source ?? '', side: own.side ?? 'A', thinned: object(own.thinned),
    workers: list(own.workers), stages: list(own.stages), kinds: list(own.kinds),
    items: list(own.items), in_flight: list(own.in_flight), memory: list(own.memory),
    spans: {t0: column('t0'), dur: column('dur'), stage: column('stage'), worker: column('worker'),
            kind: column('kind'), item: column('item')},
  };
}

// One row a stage and kind: from the deltas where there are two sides, else from the runs themselves.
function stage_rows(document, shown) {
  const rows = [];
  const own_row = (side, stage) =>
    list(shown[side]?.stages).find((row) => row.name === stage) ?? null;
  for (const delta of list(document.stages)) {
    const a = distribution(delta.a), b = distribution(delta.b);
    if (a || b) rows.push({...delta, a, b, row_a: own_row('A', delta.stage), row_b: own_row('B', delta.stage)});
  }
  if (rows.length > 0) return rows;
  const names = new Set(['A', 'B'].flatMap((side) => list(shown[side]?.stages).map((row) => row.name)));
  for (const stage of names) {
    const row_a = own_row('A', stage), row_b = own_row('B', stage);
    for (const kind of kKindFields) {
      const a = distribution(row_a?.[kind]), b = distribution(row_b?.[kind]);
      if (a || b) rows.push({stage, kind, a, b, row_a, row_b, shape: null, sentence: ''});
    }
  }
  return rows;
}

export function read_model(document) {
  const runs = list(document.runs).map((run) => ({...run, side: run.side === 'B' ? 'B' : 'A'}));
  const by_side = {A: runs.filter((run) => run.side === 'A'), B: runs.filter((run) => run.side === 'B')};
  const timeline = {A: null, B: null};
  for (const entry of list(object(document.timeline)?.runs)) {
    const side = timeline_side(entry);
    if (side) timeline[side.side === 'B' ? 'B' : 'A'] ??= side;
  }
  const shown = {A: representative(by_side.A, timeline.A), B: representative(by_side.B, timeline.B)};
  const sides = ['A', 'B'].filter((side) => shown[side] || timeline[side]);
  const makespan = {A: median(by_side.A.map((run) => run.makespan_s)),
                    B: median(by_side.B.map((run) => run.makespan_s))};
  const stages = [];
  const add = (name) => {
    if (typeof name === 'string' && !stages.includes(name) && stages.length < 5000) stages.push(name);
  };
  for (const side of sides) list(shown[side]?.stages).forEach((row) => add(row.name));
  for (const side of sides) list(timeline[side]?.stages).forEach(add);
  return {
    document, by_side, shown, sides, timeline, makespan, stages,
    delta: finite(document.delta_s), two: sides.length === 2,
    refused: document.refused ? String(document.refused) : null,
    parts: list(document.parts).filter((part) => is_number(part.seconds)),
    stage_rows: stage_rows(document, shown),
    stage_index: new Map(stages.map((name, index) => [name, index])),
  };
}

// "before" runs may be several: which one a section shows.
export function which_run(model, side) {
  const runs = model.by_side[side];
  return runs.length > 1 ? `run ${runs.indexOf(model.shown[side]) + 1} of ${runs.length}` : '';
}
