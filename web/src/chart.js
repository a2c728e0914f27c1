// SPDX-License-Identifier: Apache-2.0
// One uPlot chart in a figure: title, A and B (or more) lines, values under the cursor, arrows move it.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {h} from './dom.js';
import {round_step} from './format.js';
import {colour, on_theme, on_width} from './theme.js';

const kFont = '12px system-ui, sans-serif';

function axis(extra) {
  return {font: kFont, stroke: () => colour('--quiet'), grid: {stroke: () => colour('--grid'), width: 1},
          ticks: {show: false}, ...extra};
}

function line(series) {
  return {
    label: series.label, scale: 'y', width: series.width ?? 1.75, dash: series.dash, spanGaps: false,
    stroke: () => colour(series.colour), points: {show: false},
    paths: series.step ? uPlot.paths.stepped({align: 1}) : uPlot.paths.linear(),
    value: (plot, value) => (value === null || value === undefined ? '' : series.text(value)),
  };
}

// Ticks that are round in the unit that is printed (bytes: powers of two).
function value_splits(base) {
  return (plot, index, low, high) => {
    const largest = Math.max(Math.abs(low), Math.abs(high));
    const scale = base(largest);
    const step = round_step((high - low) / scale / 4) * scale;
    const splits = [];
    if (!(step > 0) || !Number.isFinite(step)) return [low];
    for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-6 && splits.length < 12; value += step) splits.push(value);
    return splits;
  };
}

// chart: {title, data: [x, ys...], series: [{label, colour, dash, step, text}], x: {label, text, splits,
// range}, y_text, y_base, note, height}. `summary` is what a screen reader says.
export function chart_figure(chart) {
  const host = h('div', {class: 'plot', tabindex: 0, role: 'img', 'aria-label': `${chart.title_text}. ${chart.summary}`});
  const figure = h('figure', {class: chart.wide ? 'wide' : undefined},
    h('figcaption', null, chart.title, chart.note ? h('div', {class: 'quiet'}, chart.note) : null), host);
  let plot = null;
  const y_range = (own, low, high) => {
    if (low === null || high === null || !Number.isFinite(low)) return [0, 1];
    const floor = low >= 0 && low > high * 0.7 && high > low ? low - (high - low) * 0.3 : Math.min(0, low);
    return [floor, high + (high - floor) * 0.06 || 1];
  };
  const options = (width) => ({
    width, height: chart.height ?? 200, padding: [8, 24, 0, 0],
    cursor: {drag: {x: false, y: false}, points: {size: 7}},
    legend: {live: true, markers: {dash: (plot, index) => (plot.series[index].dash ? 'dashed' : 'solid')}}, select: {show: false},
    scales: {x: {time: false, range: chart.x.range}, y: {range: y_range}},
    axes: [
      axis({values: (own, splits) => splits.map((value) => chart.x.text(value, splits, own)), splits: chart.x.splits, size: 30, space: chart.x.space ?? 64}),
      axis({values: (own, splits) => splits.map(chart.y_text), size: 72, splits: value_splits(chart.y_base)})],
    series: [{label: chart.x.label, value: (own, value) => (value === null || value === undefined ? '' : chart.x.cursor_text(value))},
             ...chart.series.map(line)],
  });
  on_width(host, (width) => {
    if (width < 60) return;
    if (!plot) plot = new uPlot(options(width), chart.data, host);
    else if (plot.width !== width) plot.setSize({width, height: chart.height ?? 200});
  });
  on_theme(() => plot?.redraw(false, true));
  host.addEventListener('keydown', (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!plot || !step) return;
    event.preventDefault();
    const count = plot.data[0].length, jump = Math.max(1, Math.round(count / 100));
    const index = Math.min(count - 1, Math.max(0, (plot.cursor.idx ?? (step > 0 ? -jump : count)) + step * jump));
    plot.setCursor({left: plot.valToPos(plot.data[0][index], 'x'), top: 0});
  });
  return figure;
}
