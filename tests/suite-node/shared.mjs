// SPDX-License-Identifier: Apache-2.0
// What the files of the suite share: the same modules run in one process.
let kept = new Map();

export function numbers(count) {
  if (!kept.has(count)) kept.set(count, Array.from({length: count}, (_, i) => i * 1.5));
  return kept.get(count);
}

export function forget() {
  kept = new Map();
}
