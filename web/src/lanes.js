// SPDX-License-Identifier: Apache-2.0
// The lanes of a timeline: one a worker, and, for spans without a worker, as many a stage as overlap.
// Within a lane spans that overlap (nested, or concurrent) are stacked in rows: each goes to the lowest
// row that is free when it begins.
import {f64, index_of} from './columns.js';

const kMostLanes = 240;
const kRows = {worker: 6, work: 24, wait: 8};

function group_spans(side) {
  const {t0, worker} = side.spans;
  const groups = new Map();
  for (let i = 0; i < t0.length; ++i) {
    if (!(side.ends[i] >= side.begins[i])) continue;
    const of_worker = index_of(worker[i], side.workers.length);
    const of_stage = side.stage_code[i];
    const is_service = side.is_service(i);
    const key = of_worker >= 0 ? of_worker : -1 - (of_stage + 1) * 2 - (is_service ? 0 : 1);
    let group = groups.get(key);
    if (!group) {
      group = of_worker >= 0 ? worker_group(side, of_worker) :
        {type: is_service ? 'work' : 'wait', stage: of_stage, order: is_service ? 1 : 2,
         label: `${side.stages[of_stage] ?? 'spans'}${is_service ? '' : ' waits'}`, spans: []};
      groups.set(key, group);
    }
    group.spans.push(i);
  }
  return [...groups.values()];
}

function worker_group(side, index) {
  const worker = side.workers[index] ?? {};
  const by_index = index_of(worker.stage, side.stages.length);
  const stage = by_index >= 0 ? by_index : side.stages.indexOf(worker.stage);
  const prefix = stage >= 0 ? side.stages[stage] : '';
  const label = String(worker.label ?? index);
  const text = prefix && !label.startsWith(prefix) ? `${prefix} ${label}` : label;
  return {type: 'worker', stage, order: 0, worker: index, label: text, spans: []};
}

// Rows of span numbers, each ascending and without overlap; what finds no row is in the last one.
function pack(side, group) {
  const {begins, ends} = side;
  group.spans.sort((x, y) => begins[x] - begins[y] || ends[y] - ends[x]);
  const most = kRows[group.type];
  const rows = [], free = [];
  let crowded = 0;
  for (const i of group.spans) {
    let row = 0;
    while (row < rows.length && free[row] > begins[i] + 1e-12) row += 1;
    if (row === most) {
      row = most - 1;
      crowded += 1;
    }
    if (row === rows.length) rows.push([]);
    rows[row].push(i);
    free[row] = Math.max(free[row] ?? -Infinity, ends[i]);
  }
  return {rows: rows.map((row) => Int32Array.from(row)), crowded};
}

// The kind of each span as a number into side.kind_words, its stage as one into side.stages (-1 = none).
function encode(side) {
  const codes = new Map();
  side.kind_words = [];
  side.kind_code = new Uint16Array(side.spans.t0.length);
  side.stage_code = new Int32Array(side.spans.t0.length);
  for (let i = 0; i < side.kind_code.length; ++i) {
    const kind = side.spans.kind[i];
    let code = codes.get(kind);
    if (code === undefined) {
      const word = typeof kind === 'string' ? kind : String(side.kinds[kind] ?? 'other');
      code = side.kind_words.indexOf(word);
      if (code < 0) code = side.kind_words.push(word) - 1;
      codes.set(kind, code);
    }
    side.kind_code[i] = code;
    side.stage_code[i] = index_of(side.spans.stage[i], side.stages.length);
  }
  side.is_service = (i) => side.kind_words[side.kind_code[i]] === 'service';
}

// Adds begins, ends (seconds), the codes of kinds and stages, and lanes to a side of the timeline.
export function lay_out(side) {
  encode(side);
  side.begins = f64(side.spans.t0);
  const lengths = f64(side.spans.dur);
  side.ends = side.begins.map((begin, i) => begin + (lengths[i] >= 0 ? lengths[i] : NaN));
  const groups = group_spans(side);
  const position = (group) => (group.stage >= 0 ? group.stage : side.stages.length);
  groups.sort((x, y) => position(x) - position(y) || x.order - y.order || (x.worker ?? 0) - (y.worker ?? 0));
  side.lanes_left_out = Math.max(0, groups.length - kMostLanes);
  side.lanes = groups.slice(0, kMostLanes).map((group) => ({...group, ...pack(side, group)}));
  side.domain = [Infinity, -Infinity];
  for (let i = 0; i < side.begins.length; ++i) {
    if (!(side.ends[i] >= side.begins[i])) continue;
    if (side.begins[i] < side.domain[0]) side.domain[0] = side.begins[i];
    if (side.ends[i] > side.domain[1]) side.domain[1] = side.ends[i];
  }
  return side;
}
