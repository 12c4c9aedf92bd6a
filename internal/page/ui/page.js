// The agent's page. Everything that is shown becomes a text node: names and messages are written by others.
'use strict';

const rowsAtATime = 200;
const byId = id => document.getElementById(id);
const main = byId('main'), box = byId('q');

// h makes an element; children are elements, texts, or nothing.
function h(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') e.addEventListener(name, value);
    else if (value === true) e.setAttribute(name, '');
    else if (value !== false && value != null) e.setAttribute(name, value);
  }
  e.append(...children.flat(9).filter(c => c != null && c !== false && c !== ''));
  return e;
}

// ---- what is known

const known = { stacks: [], index: new Map(), texts: new Map(), authors: new Map() };
const view = { closed: new Set(), opened: new Set(), only: '', stacks: '', at: 0 }; // only, stacks: a field and its value, as 'y drifted'

class Refused extends Error { constructor(code, text) { super(text); this.code = code; } }

// read is the text of an answer, and null when it is as it was since.
async function read(path) {
  const r = await fetch('data/' + path, { credentials: 'same-origin', cache: 'no-store' });
  if (r.status === 204) return null;
  const text = await r.text();
  if (!r.ok) {
    let message = text;
    try { message = JSON.parse(text).message; } catch { /* it is as it is */ }
    throw new Refused(r.status, message);
  }
  return text;
}

// readOnce parses an answer only when it differs from the one before.
async function readOnce(path) {
  const text = await read(path), had = known.texts.get(path);
  if (had && had.text === text) return had.value;
  const value = JSON.parse(text);
  known.texts.set(path, { text, value });
  return value;
}

const ours = 'apis/stackreeve.dev/v1alpha1/';
const enc = encodeURIComponent;

async function readIndex(stack) {
  const had = known.index.get(stack);
  const text = await read('objects?stack=' + enc(stack) + (had ? '&since=' + had.version : ''));
  if (text !== null) known.index.set(stack, treeOf(JSON.parse(text)));
  return known.index.get(stack);
}

const order = (a, b) => a < b ? -1 : a > b ? 1 : 0;
const byNumbers = new Intl.Collator('en', { numeric: true }).compare; // web-2 before web-10
// treeOf gives the objects of an index their children, in the order of the files.
function treeOf(index) {
  const { objects, kinds } = index;
  objects.forEach((o, n) => {
    const end = (o.w || '').lastIndexOf(':');
    o.file = end < 0 ? '\uffff' : o.w.slice(0, end);
    o.line = end < 0 ? 0 : Number(o.w.slice(end + 1));
    o.t = o.t || o.y; o.h = o.h || 'healthy'; // which are left out
    o.at = n; o.kind = kinds[o.k].kind; o.key = o.kind + '/' + (o.s || '') + '/' + o.n; o.children = [];
  });
  for (const o of objects) if (o.o >= 0) objects[o.o].children.push(o);
  const compare = (a, b) => byNumbers(a.file, b.file) || a.line - b.line || order(a.kind, b.kind) || byNumbers(a.n, b.n);
  for (const o of objects) o.children.sort(compare);
  index.roots = objects.filter(o => o.o < 0).sort(compare);
  return index;
}

const words = o => o.words || (o.words = [o.n, o.kind, o.t, o.y, o.h, o.a, o.i, o.w, o.m, o.s].join(' ').toLowerCase());
const asked = () => box.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
const matches = (text, terms) => terms.every(t => text.includes(t));

// ---- where we are: #/stack/NAME/TAB or #/stack/NAME/object/VERSION/KIND/NAMESPACE/NAME

function where() {
  const [first, stack, tab, ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(part => { try { return decodeURIComponent(part); } catch { return ''; } });
  if (first !== 'stack' || !stack) return { tab: 'stacks' };
  if (tab !== 'object') return { stack, tab: ['plan', 'events', 'passes'].includes(tab) ? tab : 'objects' };
  const [apiVersion, kind, namespace, name] = rest;
  return { stack, tab, apiVersion, kind, namespace: namespace === '-' ? '' : namespace, name };
}
const stackAt = (stack, tab) => '#/stack/' + enc(stack) + (tab ? '/' + tab : '');
const objectAt = (stack, index, o) => stackAt(stack, 'object') + '/' + [index.kinds[o.k].apiVersion, o.kind, o.s || '-', o.n].map(enc).join('/');

// ---- small parts

const tones = {
  'in sync': 'ok', Normal: 'ok', drifted: 'warn', differs: 'warn', degraded: 'warn', outdated: 'warn', 'suspended (differs)': 'warn', 'differences remain': 'warn', Warning: 'warn',
  failed: 'bad', refused: 'bad', 'refused input': 'bad', held: 'hold', waiting: 'busy', False: 'warn', True: 'ok',
  healthy: 'ok', missing: 'warn', 'in progress': 'busy',
};
const tone = state => tones[state] || (/^(to|rolling out|applying) /.test(state) ? 'busy' : 'idle');
const urgency = ['bad', 'hold', 'warn', 'busy', 'idle', 'ok'];
const badge = state => state ? h('span', { class: 'state ' + tone(state) }, state) : '';
const healthTone = health => tones[health] || (health === 'unknown' ? 'idle' : 'bad'); // what is down has a word of its kind's own
const healthBadge = health => health ? h('span', { class: 'state ' + healthTone(health) }, health) : '';
const healthOf = counts => Object.keys(counts || {}).sort((a, b) => urgency.indexOf(healthTone(a)) - urgency.indexOf(healthTone(b)))[0] || '';

// soft is a text that is broken between the words of its names, and not within them.
const soft = text => String(text == null ? '' : text).split(/(?<=[./,:_@=])(?=\S)/).flatMap((part, n) => n ? [h('wbr'), part] : [part]);

// few are the first of a list that may be long.
function few(list, most = 2) {
  if (list.length <= most + 1) return list.join(' ');
  return h('span', { title: list.slice(0, 40).join(' ') }, list.slice(0, most).join(' '), ' ', h('span', { class: 'count' }, `+${list.length - most}`));
}
// onlyIn are the items that a list has and another one has not.
const onlyIn = (list, other) => { const there = new Set(other); return list.filter(item => !there.has(item)); };

// sides are the two values of a change as texts: of lists with many items that differ, how many there are and what only that one has.
function sides(change, word) {
  const values = [change.have, change.want], lists = values.map(v => Array.isArray(v) ? v.map(word) : v == null ? [] : null);
  const show = (v, list) => v == null ? 'none' : list ? list.join(', ') : word(v);
  if (change.secret) return ['a secret', 'a secret'];
  if (lists.includes(null)) return values.map((v, i) => show(v, lists[i]));
  const only = [onlyIn(lists[0], lists[1]), onlyIn(lists[1], lists[0])];
  if (only[0].length + only[1].length <= 8) return values.map((v, i) => show(v, lists[i]));
  return only.map((list, i) => `${lists[i].length} items` + (list.length ? `; ${list.length} only here: ` + list.slice(0, 3).join(', ') + (list.length > 3 ? ` and ${list.length - 3} more` : '') : ''));
}

const addressesOf = o => few((o.a || '').split(',').filter(Boolean));

// copyable is a text with a button that copies it.
function copyable(what, text) {
  const shown = h('span', { class: 'mono' }, text);
  const copy = async e => {
    const button = e.currentTarget;
    try { await navigator.clipboard.writeText(text); } catch { // not over plain HTTP
      getSelection().selectAllChildren(shown);
      document.execCommand('copy');
    }
    const says = (word, label) => { button.textContent = word; button.setAttribute('aria-label', label); };
    says('copied', 'copied the ' + what);
    byId('say').textContent = what + ' copied';
    setTimeout(says, 2000, 'copy', 'copy the ' + what);
  };
  return h('span', {}, shown, ' ', h('button', { type: 'button', class: 'copy', 'aria-label': 'copy the ' + what, 'data-key': 'copy/' + what, click: copy }, 'copy'));
}
const plural = (n, noun) => n + ' ' + noun + (n === 1 ? '' : 's');
const shortCommit = commit => (commit || '').slice(0, 10);

function ago(when) {
  const s = Math.max(0, (Date.now() - Date.parse(when)) / 1000);
  if (s < 10) return 'just now';
  if (s < 90) return Math.round(s) + ' s ago';
  if (s < 5400) return Math.round(s / 60) + ' min ago';
  return s < 172800 ? Math.round(s / 3600) + ' h ago' : Math.round(s / 86400) + ' days ago';
}
const time = when => when ? h('time', { datetime: when, title: new Date(when).toLocaleString() }, ago(when)) : '';

// table is one with a caption for those who hear it. Columns are [name, class].
function table(caption, columns, rows, empty) {
  if (!rows.length) return h('p', { class: 'wide empty' }, empty || 'Nothing.');
  return h('div', { class: 'wide' }, h('table', {},
    h('caption', { class: 'unseen' }, caption),
    h('thead', {}, h('tr', {}, columns.map(([name, kind]) => h('th', { scope: 'col', class: kind }, name)))),
    h('tbody', {}, rows)));
}
const facts = list => h('dl', { class: 'facts' }, list.filter(([, value]) => value != null && value !== '').map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));

// fileLink leads to the line at the forge, where one is known.
function fileLink(written, files) {
  if (!written) return '';
  const [, file, line] = /^(.*):(\d+)$/.exec(written) || [null, written, ''];
  const shown = h('span', { class: 'mono' }, written);
  if (!/^https?:\/\//.test(files || '')) return shown;
  return h('a', { href: files + file.split('/').map(enc).join('/') + '#L' + line, rel: 'noreferrer noopener', target: '_blank' }, shown);
}

// pending is what of a stack is not as its manifests say, counted as the chips count it.
const calm = ['in sync', 'suspended', 'kept', 'outdated'];
const pending = s => Object.entries(s.sync || {}).filter(([word]) => !calm.includes(word)).sort(([a], [b]) => urgency.indexOf(tone(a)) - urgency.indexOf(tone(b)) || order(a, b)).map(([word, n]) => n + ' ' + word).join(', ');

// chips narrow a list to one value of a field; each says how many have it.
function chips(label, name, fields, all) {
  const now = view[name];
  const chip = (value, text, kind) => h('button', { type: 'button', class: 'chip ' + kind, 'aria-pressed': String(now === value), 'data-key': 'c/' + value, click: () => { view[name] = now === value ? '' : value; view.at = 0; render(); } }, text);
  return h('div', { class: 'chips', role: 'group', 'aria-label': label }, chip('', 'all ' + all, ''),
    fields.map(([field, about, toneOf, counts]) => counts.size < 2 && field !== 'y' ? '' : [h('span', { class: 'dim' }, about),
      [...counts].sort(([a], [b]) => urgency.indexOf(toneOf(a)) - urgency.indexOf(toneOf(b)) || byNumbers(a, b)).map(([value, n]) => chip(field + ' ' + value, value + ' ' + n, toneOf(value)))]));
}
function countOf(list, value) {
  const counts = new Map();
  for (const one of list) { const v = value(one); if (v) counts.set(v, (counts.get(v) || 0) + 1); }
  return counts;
}

function progress(status) {
  const p = status.progress;
  if (!p) return '';
  return h('span', { class: 'busy' }, h('progress', { max: p.total || 1, value: p.done, 'aria-label': 'progress of the pass' }), ` ${p.done} of ${p.total}`);
}

// yaml is a value as people write it. names say what IDs in it stand for.
function yaml(v, indent = '', names = new Map()) {
  const named = x => typeof x === 'string' && names.has(x) ? '  # ' + names.get(x) : '';
  const scalar = s => typeof s !== 'string' ? JSON.stringify(s) : /^[A-Za-z_/][\w ./@-]*$/.test(s) && !/ $/.test(s) && !/^(true|false|null|yes|no|on|off)$/i.test(s) ? s : JSON.stringify(s);
  const empty = x => x === null || typeof x !== 'object' || !Object.keys(x).length;
  if (empty(v)) return indent + scalar(v) + named(v) + '\n';
  if (Array.isArray(v)) return v.map(x => empty(x) ? indent + '- ' + scalar(x) + named(x) + '\n' : indent + '- ' + yaml(x, indent + '  ', names).slice(indent.length + 2)).join('');
  return Object.entries(v).map(([k, x]) => indent + scalar(k) + ':' + (empty(x) ? ' ' + scalar(x) + named(x) + '\n' : '\n' + yaml(x, indent + '  ', names))).join('');
}
const source = (label, text) => h('pre', { tabindex: '0', 'aria-label': label, role: 'region' }, text);

// ---- the list of stacks

function stacksPage() {
  const terms = asked(), [field, value] = split(view.stacks);
  const is = { t: s => s.state.replace(/ \d+\/\d+$/, ''), h: s => healthOf(s.health), c: s => s.cloud || '' };
  const list = known.stacks.filter(({ metadata: { name }, status: s }) => (!field || is[field](s) === value) &&
    matches([name, s.state, healthOf(s.health), s.commit, s.subject, s.author, s.cloud, s.repository, s.message].join(' ').toLowerCase(), terms));
  const urgent = ({ status: s }) => Math.min(urgency.indexOf(tone(s.state)), urgency.indexOf(healthTone(healthOf(s.health) || 'unknown')));
  list.sort((a, b) => urgency.indexOf(tone(a.status.state)) - urgency.indexOf(tone(b.status.state)) || urgent(a) - urgent(b) || byNumbers(a.metadata.name, b.metadata.name));
  const rows = list.map(({ metadata: { name }, status: s }) => h('tr', {},
    h('th', { scope: 'row' }, h('a', { href: stackAt(name), 'data-key': 's/' + name }, name), h('span', { class: 'sub' }, soft(s.message))),
    h('td', { class: 'tight' }, badge(s.state), s.progress ? h('div', {}, progress(s)) : ''),
    h('td', { class: 'tight' }, healthBadge(healthOf(s.health))),
    h('td', { class: 'less clip', title: [s.subject, s.author].filter(Boolean).join(', ') }, s.commit ? [h('span', { class: 'mono' }, shortCommit(s.commit)), ' ', h('span', { class: 'dim' }, s.subject), h('div', { class: 'dim' }, s.author)] : ''),
    h('td', { class: 'less' }, s.cloud),
    h('td', { class: 'less repository' }, soft(s.repository)),
    h('td', { class: 'tight' }, time(s.lastRun)),
    h('td', { class: 'num less' }, s.objects == null ? '' : String(s.objects)),
    h('td', { class: 'message less' }, h('div', {}, pending(s)), soft(s.message))));
  const statuses = known.stacks.map(s => s.status);
  return [
    h('div', { class: 'title' }, h('h1', {}, 'Stacks')),
    h('div', { class: 'tools' }, chips('Filter stacks', 'stacks', [['t', 'sync', tone, countOf(statuses, is.t)], ['h', 'health', healthTone, countOf(statuses, is.h)], ['c', 'cloud', () => 'idle', countOf(statuses, is.c)]], known.stacks.length)),
    table('Stacks', [['Stack'], ['Sync'], ['Health'], ['Commit', 'less'], ['Cloud', 'less'], ['Repository', 'less'], ['Last pass'], ['Objects', 'num less'], ['What there is to do', 'less']], rows, 'No stack matches.'),
    terms.join('').length > 1 ? foundObjects(terms) : '',
  ];
}
const split = only => only ? [only.slice(0, 1), only.slice(2)] : ['', ''];

// foundObjects are those of all stacks whose lists are there.
function foundObjects(terms) {
  const most = 100, rows = [];
  let found = 0;
  for (const [stack, index] of known.index) {
    for (const o of index.objects) {
      if (!matches(words(o), terms)) continue;
      if (++found > most) continue;
      rows.push(h('tr', {},
        h('th', { scope: 'row' }, h('a', { href: objectAt(stack, index, o), 'data-key': 'f/' + stack + '/' + o.key }, o.n), h('span', { class: 'sub' }, o.kind)),
        h('td', { class: 'less tight' }, o.kind), h('td', {}, stack), h('td', { class: 'tight' }, badge(o.y)), h('td', { class: 'tight' }, healthBadge(o.h)), h('td', { class: 'less mono' }, addressesOf(o)), h('td', { class: 'message less' }, soft(o.m))));
    }
  }
  return [h('h2', {}, 'Objects', h('span', { class: 'count' }, '  ' + (found > most ? `the first ${most} of ${found}` : found))),
    table('Objects that match', [['Name'], ['Kind', 'less'], ['Stack'], ['Sync'], ['Health'], ['Addresses', 'less'], ['Message', 'less']], rows, 'No object matches.')];
}

// ---- one stack

const stackOf = name => known.stacks.find(s => s.metadata.name === name);

function stackHead(at) {
  const item = stackOf(at.stack);
  if (!item) return null;
  const s = item.status, n = known.index.get(at.stack);
  const commit = s.commit && h('span', {}, /^https?:\/\//.test(s.commitAddress || '') ? h('a', { href: s.commitAddress, class: 'mono', rel: 'noreferrer noopener', target: '_blank' }, shortCommit(s.commit)) : h('span', { class: 'mono' }, shortCommit(s.commit)), s.subject ? ' ' + s.subject : '', s.author ? h('span', { class: 'dim' }, ', by ' + s.author) : '');
  const counted = s.objects == null ? '' : h('span', { title: 'The others stand for some of these, are only used, or are to be created.' }, String(s.objects), s.owned !== s.objects ? h('span', { class: 'dim' }, `, ${s.owned} of them made in the cloud`) : '');
  const tabs = [['objects', n ? `Objects ${n.objects.length}` : 'Objects'], ['plan', 'Plan'], ['events', 'Events'], ['passes', 'Passes']];
  return [
    h('nav', { class: 'crumbs', 'aria-label': 'Breadcrumb' }, h('a', { href: '#/', 'data-key': 'up' }, 'Stacks'), h('span', {}, at.stack)),
    h('div', { class: 'title' }, h('h1', {}, at.stack), badge(s.state), healthBadge(healthOf(s.health))),
    s.state !== 'in sync' && s.message && s.message !== s.state && at.tab !== 'plan' && !s.problems ? h('p', { class: 'lead' }, soft(s.message)) : '',
    facts([['Commit', commit], ['Branch', s.branch], ['Cloud', s.cloud], ['Repository', soft(s.repository)], ['Last pass', time(s.lastRun)], ['Objects', counted], ['Pending', pending(s)]]),
    s.problems ? h('div', { class: 'note bad' }, h('p', {}, h('strong', {}, 'Commit ' + shortCommit(s.refused) + ' is refused; nothing is applied')), h('ul', {}, s.problems.map(p => h('li', {}, p)))) : '',
    s.progress || s.rollouts ? rollout(s) : '',
    h('nav', { class: 'tabs', 'aria-label': 'Stack' }, tabs.map(([tab, text]) => h('a', { href: stackAt(at.stack, tab === 'objects' ? '' : tab), 'aria-current': at.tab === tab ? 'page' : null, 'data-key': 't/' + tab }, text))),
  ];
}

function rollout(s) {
  const p = s.progress || {};
  return h('div', { class: 'note busy' },
    h('p', {}, h('strong', {}, s.progress ? 'A pass is running ' : 'Rolling out'), progress(s)),
    (s.progress ? p.rollouts || [] : s.rollouts).map(text => h('p', {}, text)),
    p.busy && p.busy.length ? h('p', { class: 'dim' }, 'Now: ' + p.busy.join(', ')) : '');
}

function objectsTab(at) {
  const index = known.index.get(at.stack), files = stackOf(at.stack).status.files, terms = asked();
  const sync = countOf(index.objects, o => o.y), health = countOf(index.objects, o => o.h), [field, value] = split(view.only);
  if (field && !{ y: sync, h: health }[field].has(value)) view.only = '';
  const flat = rowsOf(index, terms);
  const last = Math.max(0, Math.ceil(flat.length / rowsAtATime) - 1);
  view.at = Math.min(view.at, last);
  const from = view.at * rowsAtATime, shown = flat.slice(from, from + rowsAtATime);
  const turn = (by, text) => h('button', { type: 'button', disabled: view.at + by < 0 || view.at + by > last, 'data-key': 'p/' + by, click: () => { view.at += by; render(); scrollTo(0, 0); } }, text);
  return [
    h('div', { class: 'tools' }, chips('Filter objects', 'only', [['y', 'sync', tone, sync], ['h', 'health', healthTone, health]], index.objects.length),
      h('span', { class: 'grow' }),
      h('span', { class: 'dim', id: 'range' }, flat.length > rowsAtATime ? `rows ${from + 1}–${from + shown.length} of ${flat.length}` : ''),
      last > 0 ? [turn(-1, 'Previous'), turn(1, 'Next')] : ''),
    table('Objects of ' + at.stack, [['Name'], ['Kind', 'less'], ['Sync'], ['Health'], ['Addresses', 'less'], ['Written at', 'less'], ['Message', 'less']], shown.map(r => objectRow(at.stack, index, r, files)), index.objects.length ? 'No object matches.' : 'There is no object yet.'),
  ];
}

const unfolded = (index, o) => view.opened.has(o.key) || index.objects.length <= rowsAtATime && !view.closed.has(o.key);

// rowsOf are the rows that a tree has now. What is searched for is shown below what it belongs to.
function rowsOf(index, terms) {
  const rows = [], [field, value] = split(view.only), narrowed = terms.length > 0 || field !== '';
  let meets = null;
  if (narrowed) {
    meets = new Uint8Array(index.objects.length); // 1: itself, 2: something below
    for (const o of index.objects) {
      if (field && o[field] !== value || !matches(words(o), terms)) continue;
      meets[o.at] |= 1;
      for (let p = o.o; p >= 0 && !(meets[p] & 2); p = index.objects[p].o) meets[p] |= 2;
    }
  }
  const add = (o, depth) => {
    if (narrowed && !meets[o.at]) return;
    const open = narrowed ? (meets[o.at] & 2) !== 0 : unfolded(index, o);
    rows.push({ o, depth, open, narrowed });
    if (open && depth < 20) for (const c of o.children) add(c, depth + 1);
  };
  for (const o of index.roots) add(o, 0);
  return rows;
}

function objectRow(stack, index, { o, depth, open, narrowed }, files) {
  const fold = () => { (open ? view.opened : view.closed).delete(o.key); (open ? view.closed : view.opened).add(o.key); render(); };
  return h('tr', {},
    h('th', { scope: 'row' }, h('div', { class: 'row in' + Math.min(depth, 5) },
      o.children.length && !narrowed ? h('button', { type: 'button', class: 'fold', 'aria-expanded': String(open), 'aria-label': `${plural(o.children.length, 'part')} of ${o.n}`, 'data-key': 'x/' + o.key, click: fold }) : h('span', { class: 'fold' }),
      h('div', {}, h('a', { href: objectAt(stack, index, o), 'data-key': 'o/' + o.key }, o.n), o.children.length && !open ? h('span', { class: 'count' }, '  ' + o.children.length) : '', h('span', { class: 'sub' }, soft(o.kind + (o.m ? ': ' + o.m : '')))))),
    h('td', { class: 'less dim tight' }, o.kind),
    h('td', { class: 'tight' }, badge(o.y)),
    h('td', { class: 'tight' }, healthBadge(o.h)),
    h('td', { class: 'less mono' }, addressesOf(o)),
    h('td', { class: 'less clip', title: o.w }, fileLink(o.w, files)),
    h('td', { class: 'message less' }, soft(o.m)));
}

function planTab(at) {
  const plan = at.plan && at.plan.status;
  if (!plan) return h('p', { class: 'wide empty' }, 'No pass has ended yet.');
  const why = plan.held || plan.suspended, outline = plan.outline, files = stackOf(at.stack).status.files;
  return [
    why ? h('div', { class: 'note ' + (plan.held ? 'hold' : 'idle') }, h('p', {}, h('strong', {}, plan.held ? 'Held' : 'Suspended')), h('p', {}, why),
      plan.held ? [h('p', {}, 'To carry out exactly this plan, run this, or write ', h('code', {}, '/stackreeve approve'), ' and the same hash on its pull request:'), h('p', {}, copyable('command', `stackreeve approve ${at.stack} ${plan.hash}`))] : '') : '',
    h('p', { class: 'sum' }, outline.sum),
    outline.notes ? h('ul', { class: 'dim' }, outline.notes.map(n => h('li', {}, soft(n)))) : '',
    outline.blocks.map(b => block(b, files)),
    outline.more ? h('p', { class: 'dim' }, `${outline.more} more are not shown: `, h('code', {}, 'stackreeve plan'), ' prints all of it.') : '',
  ];
}

// block is what becomes of one object, or of several alike, with what it stands for.
const planTones = { create: 'ok', change: 'warn', 'only reported': 'warn', replace: 'bad', delete: 'bad', refused: 'bad', 'let go': 'hold', wait: 'busy', stays: 'idle' };
const planWords = { wait: 'waits' };
function block(b, files) {
  return h('div', { class: 'block ' + (planTones[b.does] || 'idle') },
    h('div', { class: 'what' }, b.does ? h('span', { class: 'does' }, planWords[b.does] || b.does) : '', h('strong', {}, soft(b.title)), b.text ? h('span', {}, soft(b.text)) : '', b.written ? h('span', { class: 'dim' }, fileLink(b.written, files)) : ''),
    b.lines ? h('div', { class: 'lines mono' }, b.lines.map(line => h('div', { class: { '+': 'ok', '-': 'bad' }[line.trim()[0]] }, soft(line)))) : '',
    (b.parts || []).map(part => block(part, files)));
}

function eventRows(events, withObject) {
  return events.map(e => h('tr', {},
    h('td', { class: 'tight' }, time(e.lastTimestamp)),
    h('td', { class: 'tight' }, h('span', { class: 'state ' + tone(e.type) }, e.reason)),
    withObject ? h('th', { scope: 'row' }, e.involvedObject.kind + '/' + e.involvedObject.name) : '',
    h('td', { class: 'message' }, soft(e.message)),
    h('td', { class: 'num less' }, e.count > 1 ? e.count + ' times' : '')));
}
const newest = events => [...events].sort((a, b) => order(b.lastTimestamp, a.lastTimestamp));

function eventsTab(at) {
  const terms = asked();
  const list = newest(at.events).filter(e => matches([e.reason, e.message, e.involvedObject.kind, e.involvedObject.name].join(' ').toLowerCase(), terms)).slice(0, rowsAtATime);
  return table('Events, newest first', [['Last seen'], ['What'], ['Object'], ['Message'], ['', 'num less']].map(c => c[0] ? c : ['How often', 'num less']), eventRows(list, true), 'Nothing has happened since the agent started.');
}

function passesTab(at) {
  const list = [...at.passes].sort((a, b) => order(b.status.started, a.status.started));
  return table('Passes, newest first', [['Started'], ['Outcome'], ['Commit'], ['Did', 'less'], ['Took', 'num less'], ['How often', 'num less'], ['Message', 'less']], list.map(({ status: s }) => h('tr', {},
    h('td', { class: 'tight' }, time(s.started)),
    h('td', { class: 'tight' }, badge(s.outcome), h('span', { class: 'sub' }, s.did)),
    h('td', { class: 'mono' }, shortCommit(s.commit)),
    h('td', { class: 'less' }, s.did || h('span', { class: 'dim' }, 'nothing')),
    h('td', { class: 'num less' }, s.seconds.toFixed(1) + ' s'),
    h('td', { class: 'num less' }, s.count > 1 ? s.count + ' times' : ''),
    h('td', { class: 'message less' }, soft(s.message), (s.failures || []).filter(f => !f.endsWith(s.message)).map(f => h('div', {}, soft(f)))))), 'No pass has ended yet.');
}

// ---- one object

function objectPage(at) {
  const index = known.index.get(at.stack), files = stackOf(at.stack).status.files, o = entryOf(index, at), item = at.object;
  const crumbs = h('nav', { class: 'crumbs', 'aria-label': 'Breadcrumb' }, h('a', { href: '#/', 'data-key': 'up' }, 'Stacks'), h('a', { href: stackAt(at.stack), 'data-key': 'up2' }, at.stack), h('span', {}, at.kind + '/' + at.name));
  if (!o || !item) return [crumbs, h('h1', {}, at.name), h('p', { class: 'wide empty' }, 'This object is not there any more.')];
  const s = item.status, parent = o.o >= 0 ? index.objects[o.o] : null;
  const ids = new Map(index.objects.filter(x => x.i && x !== o).map(x => [x.i, x.kind + '/' + x.n]));
  for (const [id, name] of Object.entries(s.names || {})) ids.set(id, name);
  const word = v => ids.get(v) || (typeof v === 'object' && v !== null ? JSON.stringify(v) : String(v));
  const link = p => h('a', { href: objectAt(at.stack, index, p), 'data-key': 'r/' + p.key }, p.kind + '/' + p.n);
  return [
    crumbs,
    h('div', { class: 'title' }, h('h1', {}, at.name), h('span', { class: 'dim' }, at.kind), badge(s.sync), healthBadge(s.health)),
    s.message ? h('p', { class: 'lead' }, soft(s.message)) : '',
    facts([['ID', s.id && copyable('ID', s.id)], ['Addresses', s.addresses && (s.addresses.length > 3 ? h('span', { class: 'mono' }, few(s.addresses, 3)) : s.addresses.map(a => h('div', {}, copyable('address ' + a, a))))],
      ['Dashboard', dashboardLink(stackOf(at.stack).status.dashboards, at.kind, s.id)], ['Changed in the cloud by', s.changedBy && (s.changedBy.user || 'unknown to this cloud')], ['Changed in the cloud', s.changedBy && (s.changedBy.time ? time(s.changedBy.time) : 'when is unknown to this cloud')],
      ['Written at', fileLink(o.w, files)], ['Last written by', at.wrote && h('span', { title: at.wrote.subject }, at.wrote.author, ', ', time(at.wrote.time))], ['Part of', parent && link(parent)], ['Namespace', o.s === 'default' ? '' : o.s], ['Waits for', s.waitsFor]]),
    s.changes && s.changes.length ? [h('h2', {}, s.drift ? 'Changed in the cloud' : 'Differences'), table('Differences', [['Field'], ['In the cloud'], ['In Git']], s.changes.map(c => h('tr', {}, h('th', { scope: 'row', class: 'mono' }, soft(c.field)), sides(c, word).map(text => h('td', { class: 'mono' }, text === 'none' ? h('span', { class: 'dim' }, text) : soft(text))))))] : '',
    h('h2', {}, 'Conditions'),
    table('Conditions', [['Type'], ['Status'], ['Reason'], ['Message', 'less']], (s.conditions || []).map(c => h('tr', {}, h('th', { scope: 'row' }, c.type), h('td', { class: 'tight' }, c.status), h('td', {}, c.reason, h('span', { class: 'sub' }, soft(c.message))), h('td', { class: 'message less' }, soft(c.message))))),
    s.notes && s.notes.length ? [h('h2', {}, 'Notes'), h('ul', {}, s.notes.map(n => h('li', {}, (n.field ? n.field + ': ' : '') + n.text)))] : '',
    o.children.length ? [h('h2', {}, 'Parts'), table('Parts', [['Name'], ['Kind'], ['Sync'], ['Health'], ['Addresses', 'less'], ['Message', 'less']], o.children.slice(0, rowsAtATime).map(c => h('tr', {}, h('th', { scope: 'row' }, h('a', { href: objectAt(at.stack, index, c), 'data-key': 'o/' + c.key }, c.n)), h('td', { class: 'dim tight' }, c.kind), h('td', { class: 'tight' }, badge(c.y)), h('td', { class: 'tight' }, healthBadge(c.h)), h('td', { class: 'less mono' }, addressesOf(c)), h('td', { class: 'message less' }, soft(c.m)))))] : '',
    h('div', { class: 'halves' },
      item.spec ? h('div', {}, h('h2', {}, 'In Git'), source('What the manifest says', yaml(item.spec))) : '',
      s.resource ? h('div', {}, h('h2', {}, 'In the cloud'), source('What the cloud has', yaml(s.resource, '', ids))) : ''),
    h('h2', {}, 'Events'),
    table('Events of this object', [['Last seen'], ['What'], ['Message'], ['How often', 'num less']], eventRows(newest(at.events), false), 'Nothing has happened since the agent started.'),
  ];
}

// dashboardLink leads to the object in the cloud's own dashboard, where the configuration says how that is addressed.
function dashboardLink(patterns, kind, id) {
  const pattern = patterns && (patterns[kind] || patterns['*']);
  if (!id || !/^https?:\/\//.test(pattern || '')) return '';
  return h('a', { href: pattern.replaceAll('{id}', enc(id)), rel: 'noreferrer noopener', target: '_blank' }, new URL(pattern).host);
}

const entryOf = (index, at) => index && index.objects.find(o => o.n === at.name && o.kind === at.kind && (o.s || '') === at.namespace && index.kinds[o.k].apiVersion === at.apiVersion);

// authorOf is who last changed the object's manifest; it is asked once for each commit, and shown when it comes.
function authorOf(at) {
  const o = entryOf(known.index.get(at.stack), at), item = known.stacks.find(s => s.metadata.name === at.stack);
  if (!o || !o.w) return null;
  const path = 'wrote?stack=' + enc(at.stack) + '&file=' + enc(o.w.replace(/:\d+$/, '')), key = (item && item.status.commit) + ' ' + path;
  if (!known.authors.has(key)) {
    known.authors.set(key, null);
    read(path).then(text => { if (text) { known.authors.set(key, JSON.parse(text)); later(0); } }, () => {});
  }
  return known.authors.get(key);
}

async function readObject(at) {
  const index = known.index.get(at.stack), o = entryOf(index, at);
  if (!o) return null;
  const group = at.apiVersion.includes('/') ? 'apis/' : 'api/';
  const path = group + at.apiVersion + '/namespaces/' + enc(at.stack) + '/' + index.kinds[o.k].plural;
  const item = await readOnce(path + '/' + enc(at.name));
  const label = 'stackreeve.dev/namespace', same = i => ((i.metadata.labels || {})[label] || '') === at.namespace;
  if (same(item)) return item;
  const list = await readOnce(path + '?labelSelector=' + enc(label + '=' + at.namespace));
  return list.items.find(i => i.metadata.name === at.name && same(i)) || null;
}

// ---- reading and showing

let current = { tab: '' }, turn = 0;

// refresh reads what is shown now, and shows it when it has changed.
async function refresh() {
  const at = where(), mine = ++turn;
  try {
    const list = await readOnce(ours + 'stacks');
    const inStack = 'namespaces/' + enc(at.stack || '') + '/';
    at.sources = [list];
    if (at.stack && list.items.some(s => s.metadata.name === at.stack)) {
      at.sources.push(await readIndex(at.stack));
      if (at.tab === 'plan') at.sources.push(at.plan = (await readOnce(ours + inStack + 'plans')).items[0] || null);
      if (at.tab === 'passes') at.sources.push(at.passes = (await readOnce(ours + inStack + 'passes')).items);
      if (at.tab === 'events') at.sources.push(at.events = (await readOnce('api/v1/' + inStack + 'events')).items);
      if (at.tab === 'object') {
        at.sources.push(at.object = await readObject(at));
        at.sources.push(at.wrote = authorOf(at));
        at.sources.push(at.events = (await readOnce('api/v1/' + inStack + 'events')).items.filter(e => e.involvedObject.name === at.name && e.involvedObject.kind === at.kind));
      }
    } else if (asked().join('').length > 1) {
      for (const s of list.items) at.sources.push(await readIndex(s.metadata.name));
    }
    if (mine !== turn) return;
    tell(list.items);
    const same = current.hash === location.hash && current.sources && at.sources.length === current.sources.length && at.sources.every((s, n) => s === current.sources[n]);
    if (same) return;
    const moved = current.hash !== location.hash;
    known.stacks = list.items;
    current = Object.assign(at, { hash: location.hash });
    render();
    if (moved) { scrollTo(0, 0); if (document.activeElement === document.body) main.focus(); }
  } catch (problem) {
    if (mine !== turn) return;
    if (problem.code === 401) return showLogin();
    if (!current.tab) main.replaceChildren(h('p', { class: 'wide empty' }, 'The agent does not answer: ' + problem.message));
    setLive(false);
    later(5000);
  }
}

// tell says aloud how stacks are now that were otherwise.
function tell(items) {
  const before = new Map(known.stacks.map(s => [s.metadata.name, s.status.state]));
  const kind = state => state.replace(/ \d+\/\d+$/, ''); // each step further is no news
  const news = items.filter(s => before.has(s.metadata.name) && kind(before.get(s.metadata.name)) !== kind(s.status.state)).map(s => `${s.metadata.name} is now ${s.status.state}`);
  if (news.length) byId('say').textContent = news.slice(0, 5).join('; ');
}

const tabs = { objects: objectsTab, plan: planTab, events: eventsTab, passes: passesTab };

function render() {
  const at = current, focused = document.activeElement && document.activeElement.dataset.key;
  let parts;
  if (at.tab === 'stacks') parts = stacksPage();
  else if (!stackOf(at.stack)) parts = [h('h1', {}, 'There is no such stack'), h('p', {}, h('a', { href: '#/' }, 'All stacks'))];
  else parts = at.tab === 'object' ? objectPage(at) : [stackHead(at), tabs[at.tab](at)];
  main.replaceChildren(...parts.flat(9).filter(Boolean));
  document.title = [at.name, at.stack, 'Stackreeve'].filter(Boolean).join(' · ');
  byId('find').hidden = byId('logout').hidden = false;
  if (focused) { const again = [...main.querySelectorAll('[data-key]')].find(e => e.dataset.key === focused); if (again) again.focus({ preventScroll: true }); }
}

let timer = 0;
function later(ms) { clearTimeout(timer); timer = setTimeout(refresh, ms); }

// ---- news

let stream = null;
function setLive(on) { byId('live').textContent = on ? '● live' : '○ not connected'; }

function listen() {
  if (stream || document.hidden) return;
  stream = new EventSource('events');
  stream.addEventListener('open', () => setLive(true));
  stream.addEventListener('version', () => later(100));
  stream.addEventListener('error', () => {
    setLive(false);
    if (stream && stream.readyState === EventSource.CLOSED) { stream = null; if (current.tab) { setTimeout(() => { if (current.tab) listen(); }, 10000); later(1000); } }
  });
}
function stopListening() { if (stream) stream.close(); stream = null; }

document.addEventListener('visibilitychange', () => { if (current.tab) { if (document.hidden) stopListening(); else { listen(); refresh(); } } });
setInterval(() => { for (const t of main.querySelectorAll('time')) t.textContent = ago(t.dateTime); }, 20000);

// ---- sessions

function showLogin() {
  stopListening();
  clearTimeout(timer);
  turn++;
  if (!current.tab && byId('login')) return;
  current = { tab: '' };
  known.stacks = []; known.index.clear(); known.texts.clear(); known.authors.clear(); // nothing is left of who was here
  byId('find').hidden = byId('logout').hidden = true;
  byId('live').textContent = '';
  main.replaceChildren(byId('login-form').content.cloneNode(true));
  document.title = 'Sign in · Stackreeve';
  byId('token').focus();
  byId('login').addEventListener('submit', async e => {
    e.preventDefault();
    const field = byId('token'), problem = byId('login-problem');
    problem.textContent = '';
    let code = 0;
    try { code = (await fetch('login', { method: 'POST', headers: { Authorization: 'Bearer ' + field.value.trim() } })).status; } catch { /* it stays 0 */ }
    field.value = '';
    if (code === 204) return begin();
    problem.textContent = code === 401 ? 'This token is not known.' : code === 0 ? 'The agent does not answer.' : 'The agent has answered ' + code + '.';
    field.focus();
  });
}

function begin() { refresh().then(() => { if (current.tab) listen(); }); }

byId('logout').addEventListener('click', async () => { await fetch('logout', { method: 'POST' }).catch(() => {}); showLogin(); });
byId('skip').addEventListener('click', e => { e.preventDefault(); main.focus(); });
byId('find').addEventListener('submit', e => e.preventDefault());
box.addEventListener('input', () => { view.at = 0; if (current.tab === 'stacks' && asked().join('').length > 1) later(150); if (current.tab) render(); });
document.addEventListener('keydown', e => {
  if (e.key === '/' && !e.ctrlKey && !e.metaKey && !e.altKey && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName) && !byId('find').hidden) { e.preventDefault(); box.focus(); box.select(); }
  if (e.key === 'Escape' && document.activeElement === box && box.value) { box.value = ''; box.dispatchEvent(new Event('input')); }
});
addEventListener('hashchange', () => {
  if (where().stack !== current.stack) { view.at = 0; view.only = ''; view.closed.clear(); view.opened.clear(); }
  if (where().tab === 'object') box.value = '';
  refresh();
});
begin();
