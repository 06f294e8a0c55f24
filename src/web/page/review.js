// review.js: comes in by the link, shows what a plugin asks for, and sends back what the person decides, once.
// Invariant: Allow can be pressed only while the box is checked; what is sent names the hashes that were shown. Text of
// the plugin's own becomes text nodes. Not here: what is in a review (src/plugin/review.h).
import {byId, foreign, make} from '/dom.js';

const MARKS = {low: '○', medium: '⚠', high: '⛔'};
const LINKS = {
  used: 'This link was used: each opens one window, once.', expired: 'This link has expired.', unknown: 'This link is not known.',
  'too-often': 'Too many wrong links were tried. Wait a minute.', none: 'Open the link that Pinfold printed.'};
let secret = '';
let review = null;

function notice(title, text) {
  document.body.dataset.state = 'notice';
  byId('dialog').hidden = true;
  byId('notice').hidden = false;
  byId('notice-title').textContent = title;
  byId('notice-text').textContent = text;
  byId('notice-title').focus();
}

async function call(path, body) {
  const response = await fetch(path, {
    method: body ? 'POST' : 'GET', body: body && JSON.stringify(body),
    headers: {...(body && {'Content-Type': 'application/json'}), Authorization: `Bearer ${secret}`}});
  const answer = await response.json();
  if (!response.ok && !answer.verdict) throw new Error(answer.error || response.statusText);
  return answer;
}

const badge = (level) => make('span', {class: `badge ${level}`},
  make('span', {class: `mark ${level}`, 'aria-hidden': 'true'}, MARKS[level]), ` ${level.toUpperCase()}`);

function rows() {
  if (!review.permissions.length) byId('rows').append(make('li', {class: 'muted'}, 'None.'));
  for (const each of review.permissions)
    byId('rows').append(make('li', {class: `row ${each.level}`}, make('span', {class: 'icon', 'aria-hidden': 'true'}, each.icon),
      make('h3', {}, each.title), badge(each.level), foreign('p', 'text', each.text), make('p', {class: 'reason'}, each.reason)));
}

function changes() {
  const change = review.change;
  if (!change) return;
  byId('changes').hidden = false;
  byId('changes-title').append('Changed since you allowed version ', foreign('span', '', change.before_version));
  const line = (kind, sign, text) => byId('changed').append(make('li', {class: kind}, `${sign} `, foreign('span', '', text)));
  for (const each of change.added) line('more', '+', each);
  for (const each of change.removed) line('less', '−', each);
  if (change.code_changed) line('other', '~', 'its code changed');
}

function facts() {
  const all = [['Starts', review.command], ['Cannot start', review.problem], ['Folder', review.folder], ['Id', review.id],
    ['State', review.state], ['Permissions', review.permissions_hash], ['Files', review.files_hash]];
  for (const [name, value] of all) if (value) byId('facts').append(make('dt', {}, name), foreign('dd', '', value));
}

function show() {
  byId('title').append(review.state === 'changed' ? '🔌 Changed plugin: ' : '🔌 New plugin: ', foreign('span', '', review.name));
  byId('by').append('by ', foreign('span', '', review.author || 'an unnamed author'), ' · v', foreign('span', '', review.version));
  if (review.description) byId('quote').append('“', foreign('span', '', review.description), '”');
  if (review.flagged.length) {
    byId('flagged').hidden = false;
    byId('flagged').append('⛔ Invisible or reordering characters in its ', foreign('span', '', review.flagged.join(', ')));
  }
  changes();
  rows();
  byId('risk').classList.add(review.risk.level);
  byId('level').append(badge(review.risk.level));
  byId('sentence').textContent = review.risk.sentence;
  for (const each of review.risk.combinations) byId('together').append(make('li', {}, make('strong', {}, each.name), `: ${each.text}`));
  for (const each of review.cannot) byId('cannot').append(foreign('li', '', each));
  facts();
  byId('dialog').hidden = false;
  document.body.dataset.state = 'live';
  byId('title').focus();
}

async function decide(decision) {
  byId('deny').disabled = byId('allow').disabled = byId('understand').disabled = true;
  try {
    await call('/api/decide', {decision, understood: byId('understand').checked, permissions_hash: review.permissions_hash, files_hash: review.files_hash});
    notice(decision === 'allow' ? 'Allowed' : 'Denied', 'You can close this window.');
  } catch (problem) {
    byId('failed').hidden = false;
    byId('failed').textContent = `Nothing was decided: ${problem.message}`;
  }
}

async function begin() {
  const token = location.hash.slice(1);
  history.replaceState(null, '', '/');
  try {
    if (!token) return notice(LINKS.none, '');
    const entered = await call('/api/enter', {token});
    if (entered.verdict !== 'in') return notice(LINKS[entered.verdict] || LINKS.unknown, 'For a new one, run: pinfold plugin review ID --web');
    secret = entered.secret;
    review = await call('/api/review');
  } catch {
    return notice('This page has ended', 'For a new one, run: pinfold plugin review ID --web');
  }
  byId('understand').addEventListener('change', () => { byId('allow').disabled = !byId('understand').checked; });
  byId('deny').addEventListener('click', () => decide('deny'));
  byId('form').addEventListener('submit', (event) => { event.preventDefault(); if (byId('understand').checked) decide('allow'); });
  return show();
}

begin();
