// drive.js URL TOKEN [PICTURES]: reads the agent's page in a real browser, and fails when something is wrong with it.
// A line "grow" or "drift" asks who started it for a change; every other line is for people.
'use strict';

const { readFileSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const puppeteer = require('puppeteer-core');

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const [url, token] = process.argv.slice(-2);
const pictures = process.env.STACKREEVE_PAGE_PICTURES;
const problems = [];
const problem = text => { problems.push(text); console.log('PROBLEM ' + text); };
const check = (ok, text) => { if (!ok) problem(text); };

async function main() {
  const profile = mkdtempSync(join(tmpdir(), 'page-'));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, acceptInsecureCerts: true, userDataDir: profile, protocolTimeout: 120000,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars'],
  });
  try { await story(browser); } finally { await browser.close(); rmSync(profile, { recursive: true, force: true, maxRetries: 5 }); }
}

// watchPage notes everything that a browser complains about.
async function open(browser) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  page.on('console', m => { if (['error', 'warn'].includes(m.type()) && !(expected && m.text().includes('401'))) problem('console: ' + m.text()); });
  page.on('pageerror', e => problem('error in the page: ' + e.message));
  page.on('dialog', d => { problem('a dialog: ' + d.message()); d.dismiss(); });
  page.on('request', r => { if (!r.url().startsWith(url) && !r.url().startsWith('data:')) problem('a request to ' + r.url()); });
  await page.evaluateOnNewDocument(() => {
    window.violations = []; window.slow = [];
    document.addEventListener('securitypolicyviolation', e => window.violations.push(e.violatedDirective + ' ' + e.blockedURI));
    new PerformanceObserver(list => { for (const e of list.getEntries()) window.slow.push(Math.round(e.duration)); }).observe({ type: 'longtask', buffered: true });
  });
  return page;
}
let expected = true; // before the login answers are 401

async function scheme(page, name) { await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: name }]); }

// audit asks axe in light and dark.
async function audit(page, name, modes = ['light', 'dark']) {
  for (const mode of modes) {
    await scheme(page, mode);
    await page.evaluate(axe + ';0').catch(e => problem('axe: ' + e.message));
    const found = await page.evaluate(async () => (await window.axe.run(document)).violations.map(v => `${v.id} (${v.impact}): ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + (n.any[0] ? n.any[0].message : '')).join(' | ')}`));
    for (const text of found) problem(`axe, ${name}, ${mode}: ${text}`);
  }
  await scheme(page, 'light');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(wide <= 0, `${name} is ${wide} pixels too wide`);
  console.log(`axe: ${name}`);
}

async function picture(page, name) {
  if (!pictures) return;
  const image = await page.screenshot({ type: 'png', optimizeForSpeed: false });
  writeFileSync(join(pictures, `page-${name}.png`), image);
  console.log(`page-${name}.png: ${Math.round(image.length / 1024)} KiB`);
  check(image.length < 150 * 1024, `page-${name}.png is ${image.length} bytes`);
}

const text = page => page.$eval('main', e => e.innerText);
// table is what the columns of a table's rows show, by the names of the columns.
const table = page => page.$$eval('main table', list => list.flatMap(t => { const names = [...t.querySelectorAll('thead th')].map(e => e.textContent); return [...t.querySelectorAll('tbody tr')].map(r => Object.fromEntries([...r.children].map((e, n) => [names[n], e.innerText]))); }));
const numbers = text => (text.match(/\d+/g) || []).map(Number);
const shows = (page, what, timeout = 60000) => page.waitForFunction(w => document.querySelector('main').innerText.includes(w), { timeout }, what).catch(async () => problem(`the page does not show ${what}: ${(await text(page)).slice(0, 400)}`));
async function go(page, hash, what) { await page.evaluate(h => { location.hash = h; }, hash); await shows(page, what); }
async function type(page, words) { await page.$eval('#q', (e, w) => { e.value = w; e.dispatchEvent(new Event('input')); }, words); }

async function story(browser) {
  const page = await open(browser);
  await page.goto(url + '/', { waitUntil: 'load' });
  await page.waitForSelector('#token');
  await audit(page, 'login');
  await page.type('#token', 'x'.repeat(40));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#login-problem').textContent !== '', { timeout: 60000 });
  await page.type('#token', token);
  await page.keyboard.press('Enter');
  await shows(page, 'warehouse');
  expected = false;
  check(!page.url().includes(token) && await page.evaluate(() => document.cookie === '' && localStorage.length === 0), 'the token or the session is where scripts can read it');
  const cookies = await page.cookies(url + '/ui/');
  check(cookies.length === 1 && cookies[0].httpOnly && cookies[0].secure && cookies[0].sameSite === 'Strict', 'the cookie is ' + JSON.stringify(cookies.map(c => ({ ...c, value: '' }))));

  for (const state of ['in sync', 'drifted', 'held', 'suspended', 'refused']) await shows(page, state);
  await page.waitForFunction(() => document.querySelector('#live').textContent.includes('live'));
  await audit(page, 'stacks');
  await picture(page, 'stacks');
  const listed = await table(page);
  const at = state => listed.findIndex(r => r.Sync.includes(state));
  check(at('refused') < at('held') && at('held') < at('drifted') && at('drifted') < at('in sync'), 'stacks are not ordered by urgency: ' + listed.map(r => r.Sync));
  check(listed.every(r => r.Cloud === 'demo' && r.Repository.includes('/repo')), 'stacks do not say their cloud and repository: ' + JSON.stringify(listed));
  check(listed.find(r => r.Stack.startsWith('shop')).Health.includes('healthy'), 'a stack does not say its health');
  await page.evaluate(() => [...document.querySelectorAll('.chip')].find(e => e.textContent.startsWith('drifted')).click());
  check((await table(page)).length === 1, 'stacks cannot be filtered');
  await page.evaluate(() => [...document.querySelectorAll('.chip')].find(e => e.textContent.startsWith('all')).click());
  await type(page, 'edge-r');
  await shows(page, 'edge-right');
  await type(page, '');

  console.log('drift'); // that is corrected: an event tells of it
  await go(page, '#/stack/office/events', 'Healed');
  await audit(page, 'events');

  await go(page, '#/stack/shop', 'shop-web');
  await audit(page, 'objects');
  await picture(page, 'objects');
  const counts = await page.evaluate(() => ({ tab: document.querySelector('nav.tabs a').textContent, all: document.querySelector('.chip').textContent, fact: [...document.querySelectorAll('dl.facts div')].find(e => e.textContent.startsWith('Objects')).textContent }));
  check(numbers(counts.tab)[0] === numbers(counts.all)[0] && numbers(counts.fact)[0] === numbers(counts.all)[0], 'counts differ: ' + JSON.stringify(counts));
  console.log('grow');
  await page.waitForSelector('progress', { timeout: 60000 }).catch(() => problem('the page does not show that a pass is running'));
  await audit(page, 'a pass that runs');
  await picture(page, 'rollout');
  await shows(page, 'shop-web-4');
  await page.waitForFunction(() => !document.querySelector('progress') && document.querySelector('h1 + .state').textContent === 'in sync', { timeout: 90000 }).catch(() => problem('the pass does not end'));
  await go(page, '#/stack/shop/passes', 'created');
  await audit(page, 'passes');

  await group(page);
  await go(page, '#/stack/shop', 'shop-db');
  await page.evaluate(() => [...document.querySelectorAll('main a')].find(a => a.textContent === 'shop-db' && a.dataset.key.includes('VirtualMachine')).click());
  await shows(page, 'Parts');
  await shows(page, 'Last written by');
  await page.evaluate(() => [...document.querySelectorAll('button.copy')][0].click());
  await page.waitForFunction(() => document.querySelector('button.copy').textContent === 'copied', { timeout: 10000 }).catch(() => problem('an address cannot be copied'));
  await audit(page, 'object');
  await picture(page, 'object');

  await go(page, '#/stack/edge', 'edge-left');
  await page.evaluate(() => [...document.querySelectorAll('main a')].find(a => a.textContent === 'edge-left').click());
  await shows(page, 'cabinet 7, moved by hand');
  await audit(page, 'drift');
  check((await text(page)).includes('unknown to this cloud') && (await text(page)).includes('Changed in the cloud'), 'drift does not say who made it, and when');
  check(await page.$('a[href^="https://dashboard.example.com/networks/"]') !== null, 'no link leads to the dashboard');
  await go(page, '#/stack/data/plan', 'stackreeve approve data');
  await audit(page, 'plan');
  const planned = await text(page);
  check(planned.includes('create') && !planned.includes('(-v') && await page.$eval('.block', e => e.innerText.includes('Network')), 'the plan is not in words: ' + planned.slice(0, 300));
  check(await page.$$eval('main pre', list => list.length) === 0 && await page.$$eval('.block', list => list.every(e => e.scrollWidth <= e.clientWidth)), 'the plan is cut off');
  await scheme(page, 'dark');
  await picture(page, 'plan-dark');
  await scheme(page, 'light');

  // Markup of others stays text.
  const hostile = '<img src=x onerror=alert(1)>';
  await go(page, '#/stack/edge/object/' + encodeURIComponent('openstack.k-orc.cloud/v1alpha1') + '/Network/default/edge-right', hostile);
  await go(page, '#/stack/lab', 'refused');
  await audit(page, 'refused');
  check((await text(page)).includes('mtuu'), 'the page does not say why a commit is refused');
  check(await page.$('img') === null, 'what somebody wrote became an element');

  await keyboard(page);
  await large(page);
  await phone(page);

  const violations = await page.evaluate(() => window.violations);
  for (const v of violations) problem('the policy forbids ' + v);
  expected = true;
  await page.click('#logout');
  await page.waitForSelector('#token');
  check(!(await text(page)).includes('shop'), 'something is left after the end of the session');
  console.log(`${problems.length} problems`);
}

// group shows one of several machines: few of their addresses, and rows that are not a wall.
async function group(page) {
  await go(page, '#/stack/shop', 'shop-web-4');
  const row = (await table(page)).find(r => r.Name.trim() === 'shop-web' && r.Kind === 'VirtualMachineGroup');
  check(/\+\d+/.test(row.Addresses) && row.Addresses.trim().split(/\s+/).length === 3, 'a group shows all its addresses: ' + row.Addresses);
  const high = await page.$$eval('main tbody tr', list => Math.max(...list.map(e => e.getBoundingClientRect().height)));
  check(high < 100, `a row is ${high} pixels high`);
}

// keyboard finds the first link, the search box and a fold without a mouse.
async function keyboard(page) {
  await go(page, '#/stack/shop', 'shop-web');
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  await page.keyboard.press('/');
  check(await page.evaluate(() => document.activeElement.id === 'q'), 'a slash does not lead to the search box');
  await page.focus('main .fold[aria-expanded]');
  const rows = () => page.$$eval('main tbody tr', list => list.length);
  const before = await rows();
  await page.keyboard.press('Enter');
  check(await rows() < before, 'a part cannot be folded with the keyboard');
  check(await page.evaluate(() => document.activeElement.className === 'fold' && document.activeElement.getAttribute('aria-expanded') === 'false'), 'the focus is lost');
  check(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== 'none'), 'the focus cannot be seen');
}

// large measures a stack of 10,000 objects. Numbers are for people: machines differ.
async function large(page) {
  await go(page, '#/', 'warehouse');
  await page.evaluate(() => { window.slow.length = 0; window.began = performance.now(); });
  await page.evaluate(() => { location.hash = '#/stack/warehouse'; });
  await page.waitForFunction(() => document.querySelectorAll('main tbody tr').length >= 200, { polling: 'raf' });
  const first = await page.evaluate(() => Math.round(performance.now() - window.began));
  const counted = await page.$eval('nav.tabs a', e => e.textContent);
  check(counted === 'Objects 10000', 'the large stack says ' + counted);
  await page.evaluate(async () => { for (let y = 0; y < 6000; y += 120) { scrollTo(0, y); await new Promise(requestAnimationFrame); } });
  const found = Date.now();
  await type(page, 'aisle-7-shelf-99');
  await page.waitForFunction(() => { const n = document.querySelectorAll('main tbody tr').length; return n > 0 && n < 200; }, { polling: 'raf' });
  const search = Date.now() - found;
  await type(page, '');
  const slow = await page.evaluate(() => window.slow);
  const bytes = await page.evaluate(async () => (await (await fetch('/ui/data/objects?stack=warehouse')).text()).length);
  console.log(`10,000 objects: ${Math.round(bytes / 1024)} KiB, first rows after ${first} ms, search ${search} ms, tasks above 50 ms: ${slow.length}, above 200 ms: ${slow.filter(ms => ms > 200).length}, longest ${Math.max(0, ...slow)} ms`);
  await audit(page, '10,000 objects');
}

async function phone(page) {
  await page.setViewport({ width: 360, height: 740, deviceScaleFactor: 1 });
  for (const [hash, what] of [['#/', 'warehouse'], ['#/stack/shop', 'shop-web'], ['#/stack/data/plan', 'data-front'], ['#/stack/shop/passes', 'created'], ['#/stack/office/events', 'Healed']]) {
    await go(page, hash, what);
    await audit(page, 'phone ' + hash, ['light']);
    if (hash === '#/stack/shop') await picture(page, 'phone');
  }
  await page.setViewport({ width: 1280, height: 800 });
}

main().then(() => process.exit(problems.length ? 1 : 0), e => { console.log('PROBLEM ' + e.stack); process.exit(1); });
