// SPDX-License-Identifier: Apache-2.0
// Opens the page that `assay explain --html` writes in headless Chromium, filled with each fixture. What is
// asserted: no console message, no request but the file itself, every chart drawn, keyboard and pointer
// zoom, light and dark, paper, narrow and wide. Screenshots go to ASSAY_WEB_SHOTS, or a temporary folder.
//
// Environment: ASSAY_WEB_MODULES (folder with package.json and node_modules, default ../../web),
// ASSAY_WEB_PAGE (the built page, default the committed one), CHROMIUM.
import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {fill, fixtures, two_runs} from './fixtures.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const modules = process.env.ASSAY_WEB_MODULES ?? join(here, '../../web');
const template = readFileSync(process.env.ASSAY_WEB_PAGE ?? join(here, '../../web/dist/report.html'), 'utf8');
const {chromium} = createRequire(join(modules, 'package.json'))('playwright-core');
const work = mkdtempSync(join(tmpdir(), 'assay-report-'));
const shots = process.env.ASSAY_WEB_SHOTS ?? join(work, 'shots');
mkdirSync(shots, {recursive: true});
const kFlags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
                '--disable-component-update', '--disable-sync'];
let context;

before(async () => {
  context = await chromium.launchPersistentContext(join(work, 'profile'), {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: kFlags, headless: true});
});

after(async () => {
  await context?.close();
  if (process.env.ASSAY_WEB_SHOTS) rmSync(work, {recursive: true, force: true});
  else console.log(`screenshots: ${shots}`);
});

// Runs `act` on a page with `document`; fails on any console message, error or request.
async function with_page(document, options, act) {
  const file = join(work, `report-${Math.random().toString(36).slice(2)}.html`);
  writeFileSync(file, typeof document === 'string' ? document : fill(template, document));
  const page = await context.newPage();
  const trouble = [];
  const address = pathToFileURL(file).href;
  page.on('console', (message) => trouble.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== address && !request.url().startsWith('data:')) trouble.push(`request: ${request.url()}`);
  });
  try {
    await page.setViewportSize({width: options.width ?? 1280, height: 900});
    await page.emulateMedia({colorScheme: options.scheme ?? 'light', media: options.media ?? 'screen'});
    await page.goto(address);
    await page.waitForSelector('#report[data-ready]', {state: 'attached'});
    await settle(page);
    await act(page);
    assert.deepEqual(trouble, []);
  } finally {
    await page.close();
  }
}

// Two frames: observers have run and canvases are drawn.
function settle(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))));
}

// How many colours each canvas shows (0 = nothing was drawn), and what the SVG pictures hold.
function drawn(page) {
  return page.evaluate(() => {
    const colours = (canvas) => {
      if (canvas.width === 0 || canvas.height === 0) return 0;
      const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return seen.size;
    };
    return {
      timeline: [...document.querySelectorAll('.timeline canvas')].map(colours),
      plots: [...document.querySelectorAll('.plot')].map((plot) => (plot.querySelector('canvas') ? colours(plot.querySelector('canvas')) : 0)),
      bars: document.querySelectorAll('.waterfall .bar').length,
      stacks: [...document.querySelectorAll('.stack')].map((stack) => stack.children.length),
      windows: document.querySelectorAll('.window').length,
    };
  });
}

function fits(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

const view_of = async (page) => {
  await settle(page);
  return page.evaluate(() => document.querySelector('.timeline canvas').toDataURL());
};

const kSections = {
  two_runs: ['warnings', 'answer', 'waterfall', 'stages', 'timeline', 'distributions', 'in-flight', 'memory', 'bottleneck', 'books', 'phases',
             'challenges', 'tails', 'permits', 'memory-model', 'settings', 'raw'],
  one_run: ['answer', 'stages', 'timeline', 'distributions', 'in-flight', 'memory', 'bottleneck', 'books', 'phases', 'challenges', 'permits',
            'memory-model', 'settings', 'raw', 'missing'],
  plain_spans: ['answer', 'waterfall', 'spans', 'timeline', 'distributions', 'settings', 'raw', 'missing'],
  refused: ['warnings', 'answer', 'waterfall', 'stages', 'timeline'],
  empty: ['answer'],
  no_runs: ['answer'],
};

for (const [name, make] of Object.entries(fixtures)) {
  for (const [width, scheme] of [[1600, 'light'], [360, 'dark']]) {
    test(`${name} at ${width}, ${scheme}`, async () => {
      await with_page(make(), {width, scheme}, async (page) => {
        await page.screenshot({path: join(shots, `${name}-${width}-${scheme}.png`), fullPage: true});
        assert.equal(await page.getAttribute('#report', 'data-failed'), null);
        assert.ok((await fits(page)) <= 0, 'the page is wider than the window');
        assert.equal(await page.getAttribute('html', 'data-theme'), scheme);
        const ids = await page.$$eval('main > section', (sections) => sections.map((section) => section.id));
        if (kSections[name]) assert.deepEqual(kSections[name].filter((id) => !ids.includes(id)), []);
        assert.deepEqual([...ids].sort((x, y) => order(x) - order(y)), ids, 'the order of the sections');
        const now = await drawn(page);
        for (const colours of [...now.timeline, ...now.plots]) assert.ok(colours >= 3, `a chart with ${colours} colours`);
        for (const parts of now.stacks) assert.ok(parts > 0 || name === 'broken', 'an empty bar');
        if (['two_runs', 'hostile', 'huge'].includes(name)) {
          assert.equal(now.timeline.length, 1);
          assert.ok(now.plots.length >= 7 && now.bars >= 5 && now.windows === 40, JSON.stringify(now));
        }
      });
    });
  }
}

function order(id) {
  return [...kSections.two_runs.slice(0, 4), 'spans', ...kSections.two_runs.slice(4), 'missing'].indexOf(id);
}

test('the answer says what the numbers say', async () => {
  const document = two_runs();
  await with_page(document, {}, async (page) => {
    const text = (await page.textContent('.answer .sentence')).replaceAll('\u00a0', ' ');
    assert.match(text, /^B takes 109 s longer than A: 18 min → 20 min \(\+10 %\)\. Of this, gpu\.service accounts for \+100 s \(92 %\), synth/);
    assert.equal(await page.locator('.warnings details').count(), 3);
    const labels = await page.$$eval('.waterfall text.label', (texts) => texts.map((text) => text.firstChild.textContent));
    assert.deepEqual(labels, ['A, makespan', 'gpu.service', 'synth.service', 'channel capacity', 'remainder', 'B, makespan']);
    // The parts and the remainder lead from A to B: each bar begins where the one before ends.
    const ends = await page.$$eval('.waterfall .bar', (bars) => bars.map((bar) => [bar.x.baseVal.value, bar.x.baseVal.value + bar.width.baseVal.value]));
    for (let i = 1; i < ends.length; ++i)
      assert.ok(ends[i].some((x) => ends[i - 1].some((y) => Math.abs(x - y) < 2)), `bar ${i} hangs in the air`);
  });
});

test('one run says why there is no delta, a refused attribution says why', async () => {
  await with_page(fixtures.one_run(), {}, async (page) => {
    assert.match(await page.textContent('#missing'), /delta needs two sides/);
    assert.equal(await page.locator('.waterfall').count(), 0);
  });
  await with_page(fixtures.refused(), {}, async (page) => {
    assert.match(await page.textContent('#waterfall .note'), /misses its makespan by 61\.2 s/);
    assert.equal(await page.locator('.waterfall .bar').count(), 3);
  });
});

test('strings of the data stay text', async () => {
  await with_page(fixtures.hostile(), {}, async (page) => {
    assert.equal(await page.evaluate(() => document.body.dataset.owned), undefined);
    assert.equal(await page.locator('main img, main script:not(#assay-data)').count(), 0);
    const longest = await page.evaluate(() => Math.max(...[...document.querySelectorAll('main *')].filter((node) => node.id !== 'assay-data')
      .flatMap((node) => [...node.childNodes].filter((child) => child.nodeType === 3).map((child) => child.data.length))));
    assert.ok(longest <= 4000, `a text of ${longest} characters`);
    assert.ok(!/[\u202a-\u202e]/.test(await page.textContent('main')));
  });
});

test('even unescaped data cannot run a script', async () => {
  const json = JSON.stringify({...two_runs(), sentence: '</script><script>document.body.dataset.owned = 1</script>'});
  const text = template.replace('id="assay-data">{}<', () => `id="assay-data">${json}<`);
  const file = join(work, 'unescaped.html');
  writeFileSync(file, text);
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('#report[data-ready]', {state: 'attached'});
  assert.equal(await page.evaluate(() => document.body.dataset.owned), undefined);
  assert.match(await page.textContent('[role=alert]'), /cannot be shown/);
  await page.close();
});

test('keyboard: zoom, pan, choose, reset', async () => {
  await with_page(two_runs(), {}, async (page) => {
    const canvas = page.locator('.timeline canvas');
    await canvas.focus();
    const whole = await view_of(page);
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    const zoomed = await view_of(page);
    assert.notEqual(zoomed, whole);
    await page.keyboard.press('ArrowRight');
    assert.notEqual(await view_of(page), zoomed);
    await page.keyboard.press('0');
    assert.equal(await view_of(page), whole);
    await page.keyboard.press('ArrowDown');
    const details = await page.textContent('.details');
    assert.match(details, /job-\d+\/\d.*synth, service: [\d.]+\ss; A, synth worker 0; from [\d.]+ s/);
    await page.keyboard.press('Shift+ArrowRight');
    assert.notEqual(await page.textContent('.details'), details);
    await page.keyboard.press('Enter');
    assert.notEqual(await view_of(page), whole);
    await page.keyboard.press('Escape');
    await page.keyboard.press('-');
    await page.keyboard.press('Home');
    assert.equal(await view_of(page), whole);
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'CANVAS');
  });
});

test('pointer: hover, wheel only with the focus, drag, legend', async () => {
  await with_page(two_runs(), {}, async (page) => {
    const canvas = page.locator('.timeline canvas');
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    const whole = await view_of(page);
    await page.mouse.move(box.x + 300, box.y + 55);
    await page.waitForSelector('.tip:not([hidden])');
    assert.match(await page.textContent('.tip'), /job-\d+\/\d.*service/);
    await page.mouse.wheel(0, 10);
    assert.equal(await view_of(page), whole, 'the wheel zooms before a click');
    await canvas.scrollIntoViewIfNeeded();
    await canvas.focus();
    const now = await canvas.boundingBox();
    await page.mouse.move(now.x + 500, now.y + 55);
    await page.mouse.wheel(0, -300);
    await page.waitForTimeout(50);
    const zoomed = await view_of(page);
    assert.notEqual(zoomed, whole);
    await page.mouse.down();
    await page.mouse.move(now.x + 400, now.y + 60, {steps: 3});
    await page.mouse.up();
    assert.notEqual(await view_of(page), zoomed);
    await page.getByRole('button', {name: 'show the whole run'}).click();
    assert.equal(await view_of(page), whole);
    const key = page.locator('.legend button', {hasText: 'synth'});
    await key.click();
    assert.equal(await key.getAttribute('aria-pressed'), 'false');
    assert.notEqual(await view_of(page), whole);
    await key.click();
    assert.equal(await view_of(page), whole);
    await page.getByLabel('colour by').selectOption('kind');
    assert.notEqual(await view_of(page), whole);
  });
});

test('light and dark: the button turns the canvases too', async () => {
  await with_page(two_runs(), {scheme: 'dark'}, async (page) => {
    const dark = await view_of(page);
    await page.getByRole('button', {name: 'switch between light and dark'}).click();
    await settle(page);
    assert.equal(await page.getAttribute('html', 'data-theme'), 'light');
    assert.notEqual(await view_of(page), dark);
    await page.evaluate(() => localStorage.clear());
  });
});

test('paper: light, all open, no controls, the width of a sheet', async () => {
  await with_page(two_runs(), {scheme: 'dark'}, async (page) => {
    await page.emulateMedia({media: 'print', colorScheme: 'dark'});
    await settle(page);
    assert.equal(await page.getAttribute('html', 'data-theme'), 'light');
    assert.equal(await page.locator('details:not([open])').count(), 0);
    for (const gone of ['.controls', 'nav', '.theme', '.hint']) assert.equal(await page.locator(gone).isVisible(), false, gone);
    const wide = await page.$$eval('canvas, svg', (nodes) => Math.max(...nodes.map((node) => node.getBoundingClientRect().right)));
    assert.ok(wide <= 701, `a picture ends at ${wide}`);
    await page.screenshot({path: join(shots, 'paper.png'), fullPage: true});
    const pdf = await page.pdf({format: 'A4'});
    assert.ok(pdf.length > 20000);
    await page.emulateMedia({media: 'screen', colorScheme: 'dark'});
    await settle(page);
    assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
    assert.equal(await page.locator('details[open]').count(), 0);
  });
});

test('names, roles and focus', async () => {
  await with_page(two_runs(), {}, async (page) => {
    const bare = await page.$$eval('button, select, canvas[tabindex], [role=img], [role=region], section', (nodes) => nodes.filter((node) => {
      const label = node.getAttribute('aria-label') ?? node.getAttribute('aria-labelledby') ?? '';
      const words = node.tagName === 'BUTTON' ? node.textContent : node.labels?.[0]?.textContent ?? '';
      return !(label.trim() || words.trim());
    }).map((node) => node.outerHTML.slice(0, 80)));
    assert.deepEqual(bare, []);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the answer');
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement.tagName === 'CANVAS')) break;
    }
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'CANVAS');
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
    assert.match(await page.textContent('.timeline ~ .hidden'), /spans on 6 workers/);
  });
});

test('a newer document is refused by name', async () => {
  await with_page({schema_version: 2, kind: 'explain'}, {}, async (page) => {
    assert.match(await page.textContent('[role=alert]'), /schema_version 2/);
  });
});
