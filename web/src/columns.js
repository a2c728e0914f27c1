// SPDX-License-Identifier: Apache-2.0
// Columns of the timeline as typed arrays.

// What is no number becomes NaN.
export function f64(values) {
  const out = new Float64Array(values.length);
  for (let i = 0; i < values.length; ++i) out[i] = typeof values[i] === 'number' ? values[i] : NaN;
  return out;
}

// A valid index below `size`, else -1: absent (null, -1, 2^32 - 1) or not an index at all.
export function index_of(value, size) {
  return Number.isInteger(value) && value >= 0 && value < size ? value : -1;
}

// Two step series on one ascending time axis, each value held until its next; nothing outside its own
// range. For uPlot: [x, ys...].
export function merge_steps(series) {
  const clean = series.map(({t, v}) => {
    const pairs = [];
    for (let i = 0; i < Math.min(t.length, v.length); ++i)
      if (Number.isFinite(t[i]) && Number.isFinite(v[i])) pairs.push([t[i], v[i]]);
    return pairs.sort((x, y) => x[0] - y[0]);
  });
  const x = Float64Array.from(new Set(clean.flatMap((pairs) => pairs.map((pair) => pair[0])))).sort();
  const ys = clean.map((pairs) => {
    const out = new Array(x.length).fill(null);
    let at = -1;
    for (let i = 0; i < x.length; ++i) {
      while (at + 1 < pairs.length && pairs[at + 1][0] <= x[i]) at += 1;
      if (at >= 0 && x[i] <= pairs[pairs.length - 1][0]) out[i] = pairs[at][1];
    }
    return out;
  });
  return [Array.from(x), ...ys];
}

// The value of a step series at `time`; 0 before its first point.
export function step_at(t, v, time) {
  let low = 0, high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : v[low - 1];
}
