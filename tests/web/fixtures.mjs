// SPDX-License-Identifier: Apache-2.0
// Documents of `assay explain` for the tests of its page: a small simulated pipeline (producers, a bounded
// queue, one server), plain nested spans, and what a hostile or unlucky log could bring.

const kKinds = ['service', 'queue_wait', 'blocked_send', 'wait_permit', 'starved', 'lock_wait', 'transfer', 'other'];

// A small generator of uniform numbers in [0, 1): the fixtures are the same on every machine.
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function distribution(values) {
  const sorted = [...values].sort((x, y) => x - y);
  const n = sorted.length;
  if (n === 0) return {n: 0, mean: 0, median: 0, p90: 0, p99: 0, min: 0, max: 0, total: 0, curve: [], skew: ''};
  const at = (p) => {
    const x = p * (n - 1), low = Math.floor(x);
    return sorted[low] + (x - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
  };
  const total = sorted.reduce((sum, value) => sum + value, 0);
  return {n, mean: total / n, median: at(0.5), p90: at(0.9), p99: at(0.99), min: sorted[0], max: sorted[n - 1], total,
          curve: Array.from({length: 101}, (unused, i) => at(i / 100)), skew: ''};
}

const kEmpty = distribution([]);

// Step series of how many intervals [from, to) are open.
function open_over_time(intervals) {
  const events = intervals.flatMap(([from, to]) => [[from, 1], [to, -1]]).sort((x, y) => x[0] - y[0] || x[1] - y[1]);
  const t = [], n = [];
  let open = 0;
  for (const [time, step] of events) {
    open += step;
    if (t[t.length - 1] === time) n[n.length - 1] = open;
    else {
      t.push(time);
      n.push(open);
    }
  }
  return {t, n};
}

function simulate({items, producers, capacity, synth, gpu, seed}) {
  const random = generator(seed);
  const skewed = (mean) => mean * (0.86 + 0.22 * random() + (random() < 0.07 ? 0.75 * random() : 0));
  const free = new Array(producers).fill(0);
  const picked = [], spans = [], waits = {synth: [], blocked: [], queue: [], gpu: [], starved: [], latency: []};
  const running = [];
  let begun = 0, gpu_free = 0;
  const begin = (worker) => {
    const from = free[worker];
    running.push({worker, item: begun++, from, to: from + skewed(synth)});
  };
  for (let worker = 0; worker < producers && begun < items; ++worker) begin(worker);
  for (let sent = 0; sent < items; ++sent) {
    running.sort((x, y) => x.to - y.to);
    const {worker, item, from, to} = running.shift();
    const room = sent >= capacity ? picked[sent - capacity] : 0;
    const send = Math.max(to, room, spans.last_send ?? 0);
    spans.last_send = send;
    const pick = Math.max(send, gpu_free);
    if (pick > gpu_free) spans.push([gpu_free, pick, 1, producers, 'starved', -1]);
    const end = pick + skewed(gpu);
    spans.push([from, to, 0, worker, 'service', item]);
    if (send > to) spans.push([to, send, 0, worker, 'blocked_send', item]);
    if (pick > send) spans.push([send, pick, 1, -1, 'queue_wait', item]);
    spans.push([pick, end, 1, producers, 'service', item]);
    waits.synth.push(to - from);
    waits.blocked.push(send - to);
    waits.queue.push(pick - send);
    waits.gpu.push(end - pick);
    waits.latency.push(end - from);
    picked.push(pick);
    gpu_free = end;
    free[worker] = send;
    if (begun < items) begin(worker);
  }
  return {spans, waits, makespan: gpu_free};
}

// One side: its description and its timeline.
function side_of(side, options) {
  const {spans, waits, makespan} = simulate(options);
  const {producers, capacity, source, random = generator(options.seed + 9)} = options;
  const columns = {t0: [], dur: [], stage: [], worker: [], kind: [], item: []};
  for (const [from, to, stage, worker, kind, item] of spans) {
    columns.t0.push(from);
    columns.dur.push(to - from);
    columns.stage.push(stage);
    columns.worker.push(worker < 0 ? null : worker);
    columns.kind.push(kKinds.indexOf(kind));
    columns.item.push(item < 0 ? null : item);
  }
  const of = (stage, ...kinds) => spans.filter((span) => span[2] === stage && kinds.includes(span[4]));
  const flight = [{stage: 'synth', ...open_over_time(of(0, 'service', 'blocked_send').map((span) => [span[0], span[1]]))},
    {stage: 'gpu', ...open_over_time(of(1, 'service', 'queue_wait').map((span) => [span[0], span[1]]))}];
  const gib = 2 ** 30;
  const step_value = (series, time) => {
    let value = 0;
    for (let i = 0; i < series.t.length && series.t[i] <= time; ++i) value = series.n[i];
    return value;
  };
  const memory = {scope: 'tree', method: 'samples of the tree', t: [], bytes: []};
  for (let i = 0; i <= 300; ++i) {
    const time = (makespan * i) / 300;
    memory.t.push(time);
    memory.bytes.push(Math.round((3.1 + 1.4 * step_value(flight[0], time) + 0.6 * step_value(flight[1], time) + 0.5 * random()) * gib));
  }
  const peak = Math.max(...memory.bytes), peak_at = memory.t[memory.bytes.indexOf(peak)];
  const books = Array.from({length: producers + 1}, (unused, worker) => {
    const seconds = kKinds.map((kind) => spans.filter((span) => span[3] === worker && span[4] === kind)
      .reduce((sum, span) => sum + span[1] - span[0], 0));
    const known = seconds.reduce((sum, value) => sum + value, 0);
    return {who: worker < producers ? `synth worker ${worker}` : 'gpu worker 0', wall_s: makespan, seconds, unknown_s: makespan - known};
  });
  const busy = (values) => values.reduce((sum, value) => sum + value, 0);
  const use = {synth: busy(waits.synth) / producers / makespan, gpu: busy(waits.gpu) / makespan};
  const stage = (name, own) => ({
    name, parent: '', servers: null, servers_from: 'count(worker)', capacity: null, permits: null, service: kEmpty, queue_wait: kEmpty,
    blocked_send: kEmpty, lock_wait: kEmpty, intervals: kEmpty, steady_service: kEmpty, blocked_derived: false, utilisation: null,
    busy_s: 0, in_flight_max: 0, in_flight_mean: 0, ...own});
  const run = {
    side, source, format: 'timeline', clock: {source: 'offset in ms', resolution_ns: 1000000, epoch_ns: null}, is_pipeline: true,
    not_pipeline_because: '', items: options.items, spans: spans.length, jobs: 15, makespan_s: makespan,
    settings: [{name: 'effective_lookahead', value: String(options.lookahead ?? 2), changed: false}, {name: 'gpu_workers', value: '1', changed: false},
               {name: 'partition_workers', value: String(producers), changed: false}],
    stages: [
      stage('synth', {servers: producers, permits: producers, service: distribution(waits.synth), blocked_send: distribution(waits.blocked),
                      blocked_derived: true, utilisation: use.synth, busy_s: busy(waits.synth), in_flight_max: producers}),
      stage('gpu', {servers: 1, capacity, service: {...distribution(waits.gpu),
        skew: 'mean 7.28 s, median 7.05 s: the slowest tenth holds 14 % of the time'}, queue_wait: distribution(waits.queue),
        utilisation: use.gpu, busy_s: busy(waits.gpu), in_flight_max: capacity + 1})],
    books, phases: {fill_s: 36, steady_s: makespan - 60, drain_s: 24, makespan_s: makespan, first_completion_s: spans.find((span) => span[2] === 1 && span[4] === 'service')[1],
                    interval_sum_s: makespan - 36},
    laws: [{law: 'U = X S / c', stage: 'gpu', left: use.gpu, right: use.gpu * 1.001, difference: 0.001, violated: false},
           {law: 'L = X W', stage: 'synth', left: 4.2, right: side === 'B' ? 4.81 : 4.22, difference: side === 'B' ? 0.127 : 0.005, violated: side === 'B'}],
    bottleneck: {stage: 'gpu', utilisation: use.gpu, upstream_blocked: 0.23, downstream_starved: 0, next: 'synth', headroom: 1 - use.synth / use.gpu,
                 window_stage: Array.from({length: 20}, (unused, i) => (i < 2 || i === 11 ? 'synth' : 'gpu')),
                 window_utilisation: Array.from({length: 20}, (unused, i) => Math.min(1, (i < 1 ? 0.7 : 0.9) + 0.1 * random())), moves: true},
    permits: [{stage: 'synth', permits: producers, capacity, most: producers + (side === 'B' ? capacity + 4 : 2), at_s: 212.5, exceeded: side === 'B'}],
    challenges: [{stage: 'gpu', total_s: busy(waits.gpu), shares: [{name: 'kernel', seconds: busy(waits.gpu) * 0.51},
      {name: 'lock', seconds: busy(waits.gpu) * 0.2}, {name: 'cpu: b_g2_msm', seconds: busy(waits.gpu) * 0.29}]}],
    spans_by_name: [], latency: distribution(waits.latency),
    memory: [{scope: 'tree', method: 'samples of the tree', samples: 301, base_bytes: 3.3 * gib,
      terms: [{stage: 'synth', bytes_per_item: 1.39 * gib, in_flight_at_peak: producers}, {stage: 'gpu', bytes_per_item: 0.61 * gib, in_flight_at_peak: capacity + 1}],
      residual_bytes: 0.15 * gib, explained: 0.968, peak_bytes: peak, peak_at_s: peak_at,
      peak_model_bytes: (3.3 + 1.39 * producers + 0.61 * (capacity + 1)) * gib}],
    warnings: side === 'B' ? [{kind: 'torn', text: `${source}: the last line has no newline and was not used; 1 END is missing.`}] : [],
    trusted: side === 'A',
  };
  const timeline = {
    side, source, workers: [...Array.from({length: producers}, (unused, i) => ({stage: 0, label: `worker ${i}`})), {stage: 1, label: 'worker 0'}],
    spans: columns, stages: ['synth', 'gpu'], kinds: kKinds, items: Array.from({length: options.items}, (unused, i) => `job-${Math.floor(i / 10)}/${i % 10}`),
    in_flight: flight, memory: [memory], thinned: null};
  return {run, timeline, waits, makespan};
}

function stage_deltas(a, b) {
  const row = (stage, kind, x, y, shape, sentence) => {
    const left = distribution(x), right = distribution(y), mean = right.mean - left.mean;
    return {stage, kind, a: left, b: right, mean_delta_s: mean, lo_s: mean - Math.abs(mean) * 0.3 - 0.05, hi_s: mean + Math.abs(mean) * 0.3 + 0.05, shape, sentence};
  };
  return [row('synth', 'service', a.waits.synth, b.waits.synth, 'same', ''),
    row('synth', 'blocked_send', a.waits.blocked, b.waits.blocked, 'tail', 'a few are much slower: the slowest tenth holds 41 % of the time'),
    row('gpu', 'queue_wait', a.waits.queue, b.waits.queue, 'mode', 'a new mode at 21 s holds 18 % of the items'),
    row('gpu', 'service', a.waits.gpu, b.waits.gpu, 'shift', 'all of them slower by about 9 %')];
}

export function two_runs({items = 150, producers = 5, more_parts = 0} = {}) {
  const a = side_of('A', {items, producers, capacity: 3, synth: 29, gpu: 7.05, seed: 1, source: 'before.log'});
  const b = side_of('B', {items, producers, capacity: 3, synth: 30.4, gpu: 7.64, seed: 2, lookahead: 3, source: 'after.log'});
  // The writer's form of a book: seconds by kind.
  for (const book of b.run.books) book.seconds = Object.fromEntries(kKinds.map((kind, i) => [kind, book.seconds[i]]));
  b.run.memory[0].budget = {bytes: 12 * 2 ** 30, stage: 'synth', permits: 5, fits: 4, fits_bytes: 11.3 * 2 ** 30, next_bytes: 12.7 * 2 ** 30};
  const delta = b.makespan - a.makespan;
  const parts = [{factor: 'gpu.service', seconds: delta * 0.92, lo: delta * 0.74, hi: delta * 1.08},
    {factor: 'synth.service', seconds: delta * 0.13, lo: delta * 0.02, hi: delta * 0.24},
    {factor: 'channel capacity', seconds: -delta * 0.08, lo: -delta * 0.15, hi: -delta * 0.01}];
  for (let i = 0; i < more_parts; ++i) parts.push({factor: `stage ${i}.service`, seconds: delta * 0.001 * (i % 7 - 3), lo: null, hi: null});
  return {
    schema_version: 1, kind: 'explain', replicated: false, reason: 'unreplicated', runs: [a.run, b.run], delta_s: delta, delta_lo_s: delta * 0.8, delta_hi_s: delta * 1.2, parts,
    interactions: [{first: 'gpu.service', second: 'synth.service', seconds: delta * 0.04}],
    remainder_s: delta - parts.reduce((sum, part) => sum + part.seconds, 0), model_error_s: [0.41, -0.22], refused: null,
    interval_basis: 'within this run', notes: ['service of synth inflated together with setting effective_lookahead; assay ablate separates them'],
    comparability: {differences: [{what: 'setting effective_lookahead', a: '2', b: '3', forbids: false}], stages_matched: 1, items_matched: 1,
                    comparable: true, because: ''},
    stages: stage_deltas(a, b),
    tails: [{label: '', p99_a_s: 71.2, p99_b_s: 94.5, items_a: 2, items_b: 2, gap_a_s: 0.1, gap_b_s: 0.2, rows: [
      {stage: 'synth', kind: 'service', a_s: 33.1, b_s: 35.9}, {stage: 'synth', kind: 'blocked_send', a_s: 9.1, b_s: 24.4},
      {stage: 'gpu', kind: 'queue_wait', a_s: 19.6, b_s: 22.2}, {stage: 'gpu', kind: 'service', a_s: 9.3, b_s: 11.8}]}],
    spans: [],
    warnings: [{kind: 'never-occurs', text: 'CHAN_SEND is documented but never occurs in before.log: blocked send is estimated from the other events, and the books of synth are closed per permit, not per thread.'},
               {kind: 'coarse-clock', text: 'Timestamps are written in steps of 1 ms.'}],
    timeline: {runs: [a.timeline, b.timeline]},
    verdict: {sentence: 'after.log is slower by 10 % (99 % interval +8.4 to +12 %).', metrics: [
      {name: 'wall', verdict: 'SLOWER', ratio: 1.101, lo99: 1.084, hi99: 1.117, runs: 18}, {name: 'peak memory', verdict: 'MORE', ratio: 1.02, lo99: 1.01, hi99: 1.03, runs: 18}]},
  };
}

export function one_run() {
  const {run, timeline} = side_of('A', {items: 60, producers: 3, capacity: 2, synth: 0.0213, gpu: 0.0072, seed: 3, source: 'one.log'});
  return {schema_version: 1, kind: 'explain', sentence: 'One run of 456 ms: gpu binds, busy 95 % of the time.', runs: [{...run, trusted: true}], warnings: [], timeline: {runs: [timeline]}};
}

// Nested spans without a pipeline, on both sides.
export function plain_spans() {
  const names = ['main', 'load', 'parse', 'prove', 'msm_g1', 'ntt', 'write'];
  const run = (side, factor) => {
    const random = generator(side === 'A' ? 5 : 6);
    const columns = {t0: [], dur: [], stage: [], worker: [], kind: [], item: []};
    const push = (from, to, stage, worker) => {
      [from, to - from, stage, worker, 0, null].forEach((value, i) => Object.values(columns)[i].push(value));
    };
    push(0, 2.4 * factor, 0, 0);
    let at = 0.02;
    for (const stage of [1, 2, 3, 4, 5, 4, 5, 6]) {
      const length = 0.2 * (0.5 + random()) * factor;
      push(at, at + length, stage, 0);
      push(at + length * 0.1, at + length * 0.7, (stage % 6) + 1, 0);
      push(at, at + length * 0.9, 4, 1);
      at += length + 0.01;
    }
    const rows = names.map((name, i) => ({name, count: 3 + i, total_s: 0.4 * factor * (7 - i), self_s: 0.1 * factor * (7 - i),
      duration: distribution(Array.from({length: 40}, () => 0.05 * factor * (0.5 + random())))}));
    return [{side, source: `${side.toLowerCase()}.json`, format: 'chrome', is_pipeline: false, not_pipeline_because: 'no stage says what comes after it',
             items: 0, spans: columns.t0.length, jobs: 0, makespan_s: 2.4 * factor, stages: [], spans_by_name: rows, trusted: true},
            {side, source: `${side.toLowerCase()}.json`, workers: [{stage: null, label: 'main'}, {stage: null, label: 'pool-1'}], spans: columns,
             stages: names, kinds: kKinds, items: [], in_flight: [], memory: [], thinned: null}];
  };
  const [run_a, line_a] = run('A', 1), [run_b, line_b] = run('B', 1.12);
  return {schema_version: 1, kind: 'explain', runs: [run_a, run_b], delta_s: run_b.makespan_s - run_a.makespan_s,
    spans: run_a.spans_by_name.map((row, i) => ({name_a: row.name, name_b: i === 6 ? '' : row.name, matched_by: i === 6 ? '' : 'exact',
      self_a_s: row.self_s, self_b_s: run_b.spans_by_name[i].self_s, count_a: row.count, count_b: row.count})),
    unmatched_share: 0.03, timeline: {runs: [line_a, line_b]}};
}

export function refused() {
  const document = two_runs();
  return {...document, parts: [], remainder_s: null, refused: 'the replay of B misses its makespan by 61.2 s, more than half of the delta', verdict: undefined};
}

const kScript = '<script>document.body.dataset.owned = "yes"</script><img src=x onerror="document.body.dataset.owned=1">';
const kHostile = [kScript, '\u202egnp.exe\u202c', 'شركة الأمثلة المحدودة', 'x'.repeat(10000), '', '\u0000\u0007\u001b[31mred', '</table></section>',
  'a\u0301'.repeat(300), '\ud800 lone', '__proto__', 'constructor', 'deep/'.repeat(600)];

// Every string replaced by something unpleasant, numbers and shape untouched.
export function hostile() {
  let next = 0;
  const keep = new Set(['side', 'kind']);
  const spoil = (value, key) => {
    if (typeof value === 'string') return keep.has(key) ? value : kHostile[next++ % kHostile.length];
    if (Array.isArray(value)) return key === 'kinds' ? value : value.map((entry) => spoil(entry, key));
    if (value !== null && typeof value === 'object') {
      const out = {};
      for (const [name, entry] of Object.entries(value)) out[name] = spoil(entry, name);
      return out;
    }
    return value;
  };
  return {...spoil(two_runs()), kind: 'explain'};
}

// Numbers where text should be, text where numbers should be, null, indices out of range.
export function broken() {
  return {schema_version: 1, kind: 'explain', runs: [{side: 'A', source: 7, stages: 'none', books: [{who: null, seconds: null}, null], memory: {},
    phases: 3, makespan_s: '12', bottleneck: {window_stage: [null, 3, 'x'], window_utilisation: null}, settings: [{}], warnings: ['a plain text', null]},
    {side: 'B', stages: [{name: null, service: {n: 3, curve: [null, 1]}}, {name: 'x', service: {n: 2, mean: 'much'}}]}, null, 5],
    delta_s: 'a lot', parts: [{factor: null, seconds: null}, 3], stages: [{stage: null}, 4, {stage: 'x', a: {n: 1}, b: {n: 1, curve: 'no'}}],
    tails: [{}, null], spans: [{}], comparability: [], warnings: {}, model_error_s: [null],
    timeline: {runs: [{side: 'A', workers: [null, 3], spans: {t0: [0, 'x', 2, 1e308], dur: [1, 1, -1, 1e308], stage: [9, null, 0], worker: [77, 0], kind: ['service', 99], item: [5]},
      stages: ['x'], kinds: [], items: null, in_flight: [{stage: 3, t: [0, 1], n: ['a', null]}, {t: 3}], memory: [{t: [2, 1], bytes: [1]}]}, {side: 'B'}, 4]}};
}

export function huge() {
  const document = two_runs({items: 6500, producers: 12, more_parts: 40});
  for (const side of document.timeline.runs) side.thinned = {kept: side.spans.t0.length, of: 1800000, rule: 'the longest of each pixel'};
  return document;
}

export const fixtures = {two_runs: () => two_runs(), one_run, plain_spans, refused, empty: () => ({}), no_runs: () => ({schema_version: 1, kind: 'explain', runs: []}),
                         hostile, broken, huge};

// What the writer of the file must do: no "</script" and no "<!--" in the text of the JSON.
export function fill(page, document) {
  const marker = '<script type="application/json" id="assay-data">{}</script>';
  const parts = page.split(marker);
  if (parts.length !== 2) throw new Error('the page does not hold the marker of the data once');
  const json = JSON.stringify(document).replaceAll('<', '\\u003c');
  return parts.join(`<script type="application/json" id="assay-data">${json}</script>`);
}
