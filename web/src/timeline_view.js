// SPDX-License-Identifier: Apache-2.0
// The canvas of the timeline: both sides one above the other on one time axis. Knows how to draw a range
// of time, what lies under a point, and where a span is; the section around it owns the controls.
import {shorten} from './dom.js';
import {time_ticks} from './format.js';
import {colour, ink_on, kind_colour_name, stage_colour_name} from './theme.js';

const kAxis = 24, kHeader = 22, kGap = 10;

function heights(sides) {
  const wanted = {worker: 17, work: 12, wait: 6};
  return sides.map((side) => {
    const total = side.lanes.reduce((sum, lane) => sum + lane.rows.length * wanted[lane.type] + 3, 0);
    const factor = Math.min(1, Math.max(0.35, 380 / Math.max(1, total)));
    return (lane) => Math.max(4, Math.round(wanted[lane.type] * factor));
  });
}

export class TimelineView {
  // sides: laid out (lanes.js), with `offset` (seconds) that is subtracted before drawing.
  constructor(canvas, sides, model) {
    this.canvas = canvas;
    this.sides = sides;
    this.model = model;
    this.by = 'stage';
    this.hidden_stages = new Set();
    this.hidden_kinds = new Set();
    this.selected = null;  // {side, lane, row, at, span}
    this.place();
    this.fit();
  }

  place() {
    const height_of = heights(this.sides);
    let y = kAxis;
    this.rows = [];
    this.sides.forEach((side, index) => {
      side.top = y;
      y += kHeader;
      side.lanes.forEach((lane, lane_index) => {
        const height = height_of[index](lane);
        lane.top = y;
        lane.rows.forEach((spans, row) => {
          this.rows.push({side: index, lane: lane_index, row, spans, top: y, height});
          y += height;
        });
        lane.bottom = y;
        y += 3;
      });
      y += kGap;
    });
    this.height = Math.max(80, y);
  }

  fit() {
    this.domain = [Infinity, -Infinity];
    for (const side of this.sides) {
      this.domain[0] = Math.min(this.domain[0], side.domain[0] - side.offset);
      this.domain[1] = Math.max(this.domain[1], side.domain[1] - side.offset);
    }
    if (!(this.domain[1] > this.domain[0])) {
      const at = Number.isFinite(this.domain[0]) ? this.domain[0] : 0;
      this.domain = [at, at + 1e-9];
    }
    this.view = [...this.domain];
  }

  set_view(from, to) {
    const [low, high] = this.domain, whole = high - low;
    const span = Math.min(whole, Math.max(whole * 1e-7, to - from));
    const middle = (from + to) / 2;
    const start = Math.min(high - span, Math.max(low, middle - span / 2));
    this.view = [start, start + span];
    this.draw();
  }

  zoom(factor, around = (this.view[0] + this.view[1]) / 2) {
    const [from, to] = this.view;
    this.set_view(around - (around - from) * factor, around + (to - around) * factor);
  }

  pan(share) {
    const by = (this.view[1] - this.view[0]) * share;
    this.set_view(this.view[0] + by, this.view[1] + by);
  }

  is_whole() {
    return this.view[1] - this.view[0] >= (this.domain[1] - this.domain[0]) * 0.999999;
  }

  resize(width) {
    const scale = Math.min(3, globalThis.devicePixelRatio || 1);
    this.width = width;
    this.scale = scale;
    this.left = width < 560 ? 92 : 156;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.canvas.style.setProperty('width', `${width}px`);
    this.canvas.style.setProperty('aspect-ratio', `${width} / ${this.height}`);
    this.draw_now();
  }

  time_at(x) {
    return this.view[0] + ((x - this.left) / (this.width - this.left)) * (this.view[1] - this.view[0]);
  }

  x_of(time) {
    return this.left + ((time - this.view[0]) / (this.view[1] - this.view[0])) * (this.width - this.left);
  }

  // Tables by code, so that a draw does no lookup by name a span.
  prepare(side) {
    side.colours = this.by === 'kind' ?
      side.kind_words.map((kind) => colour(kind_colour_name(kind)) || colour('--kind-other')) :
      side.stages.map((stage) => colour(stage_colour_name(this.model.stage_index.get(stage))));
    side.kind_hidden = side.kind_words.map((kind) => this.hidden_kinds.has(kind));
    side.stage_hidden = side.stages.map((stage) => this.hidden_stages.has(stage));
    side.kind_service = side.kind_words.map((kind) => kind === 'service');
    side.no_stage = colour('--kind-other');
  }

  colour_of(side, span) {
    return (this.by === 'kind' ? side.colours[side.kind_code[span]] : side.colours[side.stage_code[span]]) ?? side.no_stage;
  }

  is_hidden(side, span) {
    return side.kind_hidden[side.kind_code[span]] || side.stage_hidden[side.stage_code[span]] === true;
  }

  // At the next frame, however often it is asked for.
  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw_now();
    });
  }

  draw_now() {
    if (!this.width) return;
    this.sides.forEach((side) => this.prepare(side));
    const c = this.canvas.getContext('2d');
    c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    c.fillStyle = colour('--surface');
    c.fillRect(0, 0, this.width, this.height);
    this.draw_axis(c);
    this.sides.forEach((side) => this.draw_labels(c, side));
    c.save();
    c.beginPath();
    c.rect(this.left, 0, this.width - this.left, this.height);
    c.clip();
    for (const row of this.rows) this.draw_row(c, row);
    this.draw_selected(c);
    c.restore();
  }

  draw_axis(c) {
    const axis = time_ticks(this.view[0], this.view[1], Math.max(2, (this.width - this.left) / 100));
    c.font = '12px system-ui, sans-serif';
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    for (const tick of axis.ticks) {
      const x = Math.round(this.x_of(tick)) + 0.5;
      c.fillStyle = colour('--grid');
      c.fillRect(x - 0.5, kAxis - 4, 1, this.height - kAxis);
      c.fillStyle = colour('--quiet');
      const text = axis.text(tick), half = c.measureText(text).width / 2;
      if (x + half > this.width + half * 0.9) continue;
      c.fillText(text, Math.min(Math.max(x, this.left + half - 8), this.width - half - 1), 10);
    }
  }

  draw_labels(c, side) {
    const mark = side.side === 'B' ? '--b' : '--a';
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    c.fillStyle = colour(mark);
    c.fillRect(0, side.top + 2, 18, 17);
    c.fillStyle = ink_on(colour(mark));
    c.font = '600 12px system-ui, sans-serif';
    c.fillText(side.side, 5, side.top + 11);
    c.fillStyle = colour('--ink');
    c.fillText(shorten(side.source, Math.max(10, Math.floor(this.width / 9))), 25, side.top + 11);
    c.font = '12px system-ui, sans-serif';
    let free = -Infinity;
    for (const lane of side.lanes) {
      const height = lane.bottom - lane.top, middle = lane.top + Math.min(height, 20) / 2;
      c.fillStyle = colour('--lane');
      c.fillRect(this.left, lane.top, this.width - this.left, height);
      if (middle - 6.5 < free) continue;
      c.fillStyle = colour('--ink');
      c.fillText(fit_text(c, lane.label, this.left - 10), 2, middle);
      free = middle + 6.5;
    }
  }

  draw_row(c, row) {
    const side = this.sides[row.side];
    const {begins, ends} = side;
    const from = this.view[0] + side.offset, to = this.view[1] + side.offset;
    const k = (this.width - this.left) / (this.view[1] - this.view[0]);
    const body = row.height - 1, low = Math.max(2, Math.round(body * 0.4));
    const by_stage = this.by === 'stage', of_worker = side.lanes[row.lane].type === 'worker';
    let covered = -1, covered_colour = '', style = '';
    c.font = '11px system-ui, sans-serif';
    for (const i of row.spans) {
      if (ends[i] < from) continue;
      if (begins[i] > to) break;
      if (this.is_hidden(side, i)) continue;
      const x = this.left + (begins[i] - from) * k;
      let width = Math.max(1, (ends[i] - begins[i]) * k);
      const own = this.colour_of(side, i);
      const is_service = side.kind_service[side.kind_code[i]];
      // Within a pixel that is painted already only work shows, over what was waited for.
      if (x + width <= covered && (own === covered_colour || !is_service)) continue;
      if (width > 5) width -= 1;
      if (own !== style) c.fillStyle = style = own;
      const pale = !is_service && by_stage;
      const height = pale && of_worker ? low : body;
      if (pale) c.globalAlpha = 0.6;
      c.fillRect(x, row.top + body - height, width, height);
      if (pale) c.globalAlpha = 1;
      covered = Math.ceil(x + width);
      covered_colour = own;
      if (width > 46 && height >= 11) {
        style = '';
        this.draw_key(c, side, i, Math.max(x, this.left), x + width, row.top + height / 2, own);
      }
    }
  }

  draw_key(c, side, span, from, to, y, own) {
    const item = side.items[side.spans.item[span]];
    const text = item === undefined ? side.stages[side.stage_code[span]] : item;
    if (text === undefined || text === null || to - from < 30) return;
    c.fillStyle = ink_on(own);
    c.textAlign = 'left';
    c.fillText(fit_text(c, text, to - from - 8), from + 4, y + 0.5);
  }

  // The selected span, and every other span of the same item on both sides.
  draw_selected(c) {
    if (!this.selected) return;
    const side = this.sides[this.selected.side];
    const key = side.items[side.spans.item[this.selected.span]];
    c.strokeStyle = colour('--ink');
    for (const row of this.rows) {
      const own = this.sides[row.side];
      for (const i of row.spans) {
        const is_it = row.side === this.selected.side && i === this.selected.span;
        if (!is_it && (key === undefined || own.items[own.spans.item[i]] !== key)) continue;
        const x = this.x_of(own.begins[i] - own.offset), right = this.x_of(own.ends[i] - own.offset);
        if (right < this.left || x > this.width) continue;
        c.lineWidth = is_it ? 2.5 : 1;
        c.strokeRect(x - 1, row.top - 0.5, Math.max(3, right - x + 1), row.height);
      }
    }
  }

  // The span at a point of the canvas, within 3 pixels; null.
  hit(x, y) {
    if (x < this.left) return null;
    const row_index = this.rows.findIndex((row) => y >= row.top && y < row.top + row.height);
    if (row_index < 0) return null;
    const row = this.rows[row_index], side = this.sides[row.side];
    const time = this.time_at(x) + side.offset;
    const slack = (3 * (this.view[1] - this.view[0])) / (this.width - this.left);
    let best = -1, distance = Infinity;
    for (let at = 0; at < row.spans.length; ++at) {
      const i = row.spans[at];
      if (side.begins[i] > time + slack) break;
      if (side.ends[i] < time - slack || this.is_hidden(side, i)) continue;
      const off = Math.max(0, side.begins[i] - time, time - side.ends[i]);
      if (off <= distance) {
        best = at;
        distance = off;
      }
    }
    return best < 0 ? null : this.target(row_index, best);
  }

  target(row_index, at) {
    const row = this.rows[row_index];
    return {row: row_index, at, span: row.spans[at], side: row.side, lane: row.lane};
  }

  // The nearest visible span `step` further in the row, null at its end.
  beside(step) {
    const {row, at} = this.selected;
    const spans = this.rows[row].spans, side = this.sides[this.rows[row].side];
    for (let next = at + step; next >= 0 && next < spans.length; next += step)
      if (!this.is_hidden(side, spans[next])) return this.target(row, next);
    return null;
  }

  // The visible span nearest to the middle of the view in row `from` or, going `step`, after it.
  first_from(from, step) {
    for (let row = from; row >= 0 && row < this.rows.length; row += step) {
      const own = this.rows[row], side = this.sides[own.side];
      const middle = this.selected ?
        this.sides[this.selected.side].begins[this.selected.span] - this.sides[this.selected.side].offset + side.offset :
        (this.view[0] + this.view[1]) / 2 + side.offset;
      let best = -1, distance = Infinity;
      for (let at = 0; at < own.spans.length; ++at) {
        const i = own.spans[at];
        if (this.is_hidden(side, i)) continue;
        const off = Math.max(0, side.begins[i] - middle, middle - side.ends[i]);
        if (off < distance) {
          best = at;
          distance = off;
        }
      }
      if (best >= 0) return this.target(row, best);
    }
    return null;
  }

  // Scrolls in time until the selected span is in view.
  reveal() {
    const side = this.sides[this.selected.side];
    const from = side.begins[this.selected.span] - side.offset, to = side.ends[this.selected.span] - side.offset;
    if (to >= this.view[0] && from <= this.view[1]) return this.draw();
    const half = (this.view[1] - this.view[0]) / 2, middle = (from + to) / 2;
    return this.set_view(middle - half, middle + half);
  }
}

// Shortened until it fits; "" when not even two characters do.
function fit_text(c, text, width) {
  let most = Math.max(2, Math.floor(width / 5));
  let shown = shorten(text, most);
  while (most > 2 && c.measureText(shown).width > width) {
    most = Math.max(2, Math.min(most - 1, Math.floor(most * 0.85)));
    shown = shorten(text, most);
  }
  return c.measureText(shown).width > width ? '' : shown;
}
