// SPDX-License-Identifier: Apache-2.0
// The page of `assay explain --html`: reads the document beside it and builds the sections in the order in
// which somebody asks: can I trust it, what is the answer, where does it sit, show me, all the numbers.
import './style.css';
import {answer_section, side_mark, warnings_section} from './answer.js';
import {distributions_section, in_flight_section, memory_section} from './charts.js';
import {memory_model_section, permits_section, raw_section, settings_section, tails_section} from './details.js';
import {h, name, shorten} from './dom.js';
import {list, object, read_model, which_run} from './model.js';
import {books_section, challenges_section, phases_section, windows_section} from './panels.js';
import {spans_section, stages_section} from './stages.js';
import {is_dark, on_theme, start_theme, toggle_theme} from './theme.js';
import {timeline_section} from './timeline.js';
import {waterfall_section} from './waterfall.js';

const kSections = [
  ['waterfall', 'Where the difference sits', waterfall_section],
  ['stages', 'Stages', stages_section],
  ['spans', 'Spans by name', spans_section],
  ['timeline', 'Timeline', timeline_section],
  ['distributions', 'Distributions', distributions_section],
  ['in-flight', 'Items in flight', in_flight_section],
  ['memory', 'Memory over time', memory_section],
  ['bottleneck', 'Bottleneck over time', windows_section],
  ['books', 'Books of the workers', books_section],
  ['phases', 'Phases and laws', phases_section],
  ['challenges', 'Inside the spans', challenges_section],
  ['tails', 'Tails', tails_section],
  ['permits', 'Permits', permits_section],
  ['memory-model', 'Memory model', memory_model_section],
  ['settings', 'Settings and comparability', settings_section],
  ['raw', 'Raw numbers', raw_section],
];

function read_document() {
  const holder = document.getElementById('assay-data');
  const parsed = JSON.parse(holder.textContent);
  if (!object(parsed)) throw new Error('it is not an object');
  if (parsed.schema_version !== undefined && parsed.schema_version !== 1)
    throw new Error(`schema_version ${shorten(parsed.schema_version, 20)} is newer than this page, which knows 1`);
  return parsed;
}

function theme_button() {
  const button = h('button', {type: 'button', class: 'theme', onclick: toggle_theme});
  const say = () => (button.textContent = is_dark() ? 'light' : 'dark');
  on_theme(say);
  say();
  button.setAttribute('aria-label', 'switch between light and dark');
  return button;
}

function header(model) {
  const source = (side) => {
    const run = model.shown[side] ?? model.timeline[side];
    const runs = which_run(model, side);
    return h('div', {class: 'source'}, side_mark(side), ' ', name(run.source, 80),
      runs ? h('span', {class: 'quiet'}, ` shown: ${runs}`) : null);
  };
  return h('header', null,
    h('div', {class: 'title'}, h('h1', null, 'assay explain'), theme_button()),
    model.sides.map(source));
}

// A section whose data is not what it expects must not take the others with it.
function build_section(title, build, model) {
  try {
    return build(model);
  } catch (error) {
    root.dataset.failed = shorten(error.stack, 4000);
    return {missing: `${title}: its data cannot be shown (${shorten(error.message, 200)})`};
  }
}

function show(root, model) {
  const head = header(model);
  root.before(h('a', {href: '#answer', class: 'skip'}, 'Skip to the answer'), head);
  root.append(...[warnings_section(model), answer_section(model)].filter(Boolean));
  if (model.sides.length === 0) return;
  const links = h('nav', {'aria-label': 'Sections'});
  root.append(links);
  const missing = [];
  for (const [id, title, build] of kSections) {
    const {node, missing: why} = build_section(title, build, model);
    if (why) missing.push(why);
    if (!node) continue;
    links.append(h('a', {href: `#${id}`}, title));
    const heading = h('h2', {id: `${id}-title`}, title);
    root.append(h('section', {id, 'aria-labelledby': heading.id}, heading, node));
  }
  if (!list(model.document.runs).some((run) => run?.is_pipeline === true))
    for (const side of model.sides)
      if (model.shown[side]?.not_pipeline_because)
        missing.push(`a pipeline in ${side}: ${shorten(model.shown[side].not_pipeline_because, 300)}`);
  if (missing.length > 0)
    root.append(h('section', {id: 'missing', 'aria-labelledby': 'missing-title'},
      h('h2', {id: 'missing-title'}, 'What is not here'), h('ul', {class: 'notes'}, missing.map((why) => h('li', null, why)))));
}

// All details are open on paper, and as they were afterwards.
let opened = [];
function prepare_print(is_print) {
  if (is_print) {
    opened = [...document.querySelectorAll('details:not([open])')];
    opened.forEach((one) => (one.open = true));
  } else {
    opened.forEach((one) => (one.open = false));
    opened = [];
  }
}

const root = document.getElementById('report');
try {
  const model = read_model(read_document());
  if (model.sides.length > 0)
    document.title = `assay explain: ${model.sides.map((side) => shorten((model.shown[side] ?? model.timeline[side]).source, 40)).join(' → ')}`;
  start_theme(prepare_print);
  show(root, model);
} catch (error) {
  start_theme(prepare_print);
  root.replaceChildren(h('section', {class: 'answer', role: 'alert'},
    h('p', {class: 'sentence'}, `The data of this report cannot be shown: ${shorten(error.message, 300)}`),
    h('p', {class: 'quiet'}, 'The file may be cut short. Write it again with assay explain --html.')));
  root.dataset.failed = shorten(error.stack, 4000);
}
root.dataset.ready = 'yes';
