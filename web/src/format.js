// SPDX-License-Identifier: Apache-2.0
// Numbers as the terminal prints them (src/base/text.cpp): 3 significant digits, SI for time, IEC for
// bytes. What is absent is said, never drawn as 0.

export const absent = '–';
const kSpace = '\u00a0';  // a number keeps its unit on its line

export function is_number(value) {
  return typeof value === 'number' && Number.isFinite(value);
}

// `value` with 3 significant digits, without exponent for 0.001 <= |value| < 1e6.
export function three_digits(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [digits, exponent] = value.toExponential(2).split('e');
    return `${Number(digits)}e${exponent}`;
  }
  const decimals = size >= 99.95 || size === 0 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return value.toFixed(decimals);
}

const kSeconds = [[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']];
const kBytes = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']];
const kCounts = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

function prefix_for(value, prefixes) {
  const size = Math.abs(value);
  return prefixes.find(([scale]) => size >= scale * 0.9995) ?? prefixes[prefixes.length - 1];
}

function with_prefix(value, prefixes) {
  const [scale, name] = prefix_for(value, prefixes);
  return `${three_digits(value / scale)}${kSpace}${name}`;
}

function long_duration(seconds) {
  const two = (big, unit, small, small_unit) =>
    [big, unit, ...(small === 0 ? [] : [small, small_unit])].join(kSpace);
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes}${kSpace}min`;
  if (minutes < 48 * 60) return two(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  return two(Math.floor(minutes / 1440), 'd', Math.floor((minutes % 1440) / 60), 'h');
}

export function seconds(value) {
  if (!is_number(value)) return absent;
  if (value === 0) return `0${kSpace}s`;
  if (Math.abs(value) >= 600) return (value < 0 ? '-' : '') + long_duration(Math.abs(value));
  return with_prefix(value, kSeconds);
}

function with_sign(text, value) {
  return value > 0 ? `+${text}` : text;
}

export function signed_seconds(value) {
  return is_number(value) ? with_sign(seconds(value), value) : absent;
}

// "[+15.1, +20.6]" in the unit of `value`; "" when there is no interval.
export function interval(value, lo, hi) {
  if (!is_number(lo) || !is_number(hi)) return '';
  const largest = Math.max(Math.abs(value), Math.abs(lo), Math.abs(hi));
  if (largest >= 600) return `[${signed_seconds(lo)}, ${signed_seconds(hi)}]`;
  const [scale, unit] = prefix_for(value === 0 ? largest : value, kSeconds);
  const own = (bound) => with_sign(three_digits(bound / scale), bound);
  return `[${own(lo)}, ${own(hi)}]${value === 0 ? ` ${unit}` : ''}`;
}

export function bytes(value) {
  if (!is_number(value)) return absent;
  if (Math.abs(value) < 1024) return `${value.toFixed(0)}${kSpace}B`;
  return with_prefix(value, kBytes);
}

export function count(value) {
  if (!is_number(value)) return absent;
  if (Math.abs(value) < 1e4 && Number.isInteger(value)) return String(value);
  if (Math.abs(value) < 1000) return three_digits(value);
  return with_prefix(value, kCounts);
}

// A share in 0..1: "93 %", "4.6 %".
export function percent(share) {
  if (!is_number(share)) return absent;
  const value = share * 100;
  const size = Math.abs(value);
  const decimals = size >= 9.95 || size === 0 ? 0 : size >= 0.095 ? 1 : 2;
  return `${value.toFixed(decimals)}${kSpace}%`;
}

// b against a as a signed change: "+6.9 %"; "" when it has no meaning.
export function change(a, b) {
  if (!is_number(a) || !is_number(b) || !(a > 0)) return '';
  const value = (b / a - 1) * 100;
  const size = Math.abs(value);
  const decimals = size >= 9.95 ? 0 : size >= 0.095 || size === 0 ? 1 : 2;
  const text = value.toFixed(decimals);
  return `${/^-?[0.]+$/.test(text) ? `+${text.replace('-', '')}` : with_sign(text, value)}${kSpace}%`;
}

// Ticks of a time axis over [0 or from, to]: about `most` round values and how to print them.
export function time_ticks(from, to, most) {
  const span = Math.max(to - from, 1e-12);
  const units = [[1e-9, 'ns'], [1e-6, 'us'], [1e-3, 'ms'], [1, 's'], [60, 'min'], [3600, 'h']];
  const largest = Math.max(Math.abs(from), Math.abs(to));
  const [scale, unit] =
    [...units].reverse().find(([size, name]) =>
      largest >= size * (name === 'min' ? 10 : name === 'h' ? 3 : 1)) ?? units[0];
  const step = round_step(span / scale / Math.max(1, most));
  const decimals = Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const ticks = [];
  for (let n = Math.ceil(from / scale / step - 1e-9); n * step * scale <= to + span * 1e-9; ++n) {
    ticks.push(n * step * scale);
    if (ticks.length > 200) break;
  }
  return {ticks, unit, text: (value) => `${(value / scale).toFixed(decimals)} ${unit}`,
          bare: (value) => (value / scale).toFixed(decimals)};
}

export function round_step(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  const digits = step / power;
  return (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10) * power;
}

const kKindWords = {
  service: 'service', queue_wait: 'queue wait', blocked_send: 'blocked send',
  wait_permit: 'wait for permit', starved: 'starved', lock_wait: 'lock wait',
  transfer: 'transfer', other: 'other',
};
export const kinds = Object.keys(kKindWords);

export function kind_words(kind) {
  return kKindWords[kind] ?? String(kind ?? 'other');
}
