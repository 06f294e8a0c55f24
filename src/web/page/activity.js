// activity.js: the list of events, newest first, with filters.
// Invariant: keeps at most as many events as the server; builds at most `limit` rows.
import {byId, clock, count, foreign, make, size} from '/dom.js';
import {DECISIONS} from '/cards.js';

const MOST = 10000;
const PAGE = 200;
const NAMES = {denied: 'Denied', connected: 'Connected', asked: 'Requested', answered: 'Decided', started: 'Started', ended: 'Ended'};

let events = [];
let shownKinds = new Set(Object.keys(NAMES));
let words = [];
let sandbox = null;  // its id, or all
let limit = PAGE;
let titles = new Map();
let onOnly = () => {};

export function start(changed) {
  onOnly = changed;
  for (const chip of document.querySelectorAll('.chip')) {
    chip.addEventListener('click', () => {
      const on = chip.getAttribute('aria-pressed') !== 'true';
      chip.setAttribute('aria-pressed', on);
      for (const kind of chip.dataset.kinds.split(' ')) on ? shownKinds.add(kind) : shownKinds.delete(kind);
      rebuild();
    });
  }
  byId('filter').addEventListener('input', (event) => {
    words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    rebuild();
  });
  byId('filter').addEventListener('keydown', (event) => {
    if (event.key === 'Escape') event.target.blur();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.tagName === 'INPUT' || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    byId('filter').focus();
  });
  byId('more').addEventListener('click', () => { limit += PAGE; rebuild(); });
  byId('only-off').addEventListener('click', () => only(null));
}

export function only(id) {
  sandbox = id;
  onOnly(id);
  rebuild();
}

export function isOnly(id) {
  return sandbox === id;
}

function text(event) {
  event.text ??= [NAMES[event.kind], event.what, event.operation, event.program, event.rule, event.answer && DECISIONS[event.answer],
    titles.get(event.sandbox)].filter(Boolean).join(' ').toLowerCase();
  return event.text;
}

function fits(event) {
  return shownKinds.has(event.kind) && (!sandbox || event.sandbox === sandbox) && words.every((word) => text(event).includes(word));
}

function details(event) {
  const out = [];
  const add = (node) => out.length ? out.push(' · ', node) : out.push(node);
  if (event.program) add(foreign('span', '', event.pid ? `${event.program} (${event.pid})` : event.program));
  if (event.kind === 'answered') add(make('strong', {class: event.answer === 'deny' ? 'no' : ''}, DECISIONS[event.answer] || ''));
  if (event.kind === 'connected') {
    add(`${size(event.up)} up, ${size(event.down)} down`);
    if (event.end) add(foreign('span', '', event.end));
  }
  if (event.count > 1) add(`${event.count} times`);
  if (event.rule) add(foreign('span', '', event.rule));
  if (event.allow) add(make('span', {}, 'allow: ', foreign('code', '', event.allow)));
  if (!sandbox && titles.size > 1 && !['started', 'ended'].includes(event.kind))
    add(foreign('span', 'where', titles.get(event.sandbox) || event.sandbox));
  return out;
}

function row(event) {
  return make('li', {class: `event ${event.kind}`},
    make('time', {datetime: new Date(event.at).toISOString()}, clock(event.at)),
    make('span', {class: `badge ${event.kind}`}, NAMES[event.kind] || ''),
    make('div', {class: 'event-text'},
      make('p', {class: 'event-what'}, event.operation ? foreign('span', 'operation', event.operation) : '', event.operation ? ' ' : '',
        foreign('span', 'what', event.what || '')),
      make('p', {class: 'event-details'}, ...details(event))));
}

function summarise(matching) {
  count(byId('activity-count'), matching);
  byId('no-events').hidden = matching > 0;
  byId('no-events').textContent = events.length && !matching ? 'No event matches the filter.' : 'Denials and connections appear here as they happen.';
  byId('events').hidden = matching === 0;
  byId('more').hidden = matching <= limit;
  byId('only').hidden = !sandbox;
  byId('only-text').replaceChildren('Only ', foreign('code', '', titles.get(sandbox) || ''));
}

let matching = 0;

function rebuild() {
  const rows = [];
  matching = 0;
  for (let i = events.length - 1; i >= 0; --i) {
    if (!fits(events[i])) continue;
    if (++matching <= limit) rows.push(row(events[i]));
  }
  byId('events').replaceChildren(...rows);
  summarise(matching);
}

export function update(news, sandboxes) {
  titles = new Map([...sandboxes.values()].map((each) => [each.id, each.title]));
  if (!news.length) return;
  const dropped = Math.max(0, events.length + news.length - MOST);
  events.push(...news);
  if (dropped) {
    events = events.slice(dropped);
    return rebuild();
  }
  const fitting = news.filter(fits);
  matching += fitting.length;
  const list = byId('events');
  list.prepend(...fitting.slice(-limit).reverse().map(row));
  while (list.children.length > limit) list.lastChild.remove();
  summarise(matching);
}
