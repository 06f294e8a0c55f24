// review.js: logs in with the link's token, shows the permissions that a plugin requests, and sends the decision, once.
// Invariant: Allow can be pressed only while the box is checked; a decision names the hashes that were shown. The
// plugin's texts become text nodes. Not here: the content of a review (src/plugin/review.h).
import {byId, foreign, make} from '/dom.js';

// SVG paths instead of characters: a system without a suitable font would show boxes.
const MARKS = {low: 'M12 4a8 8 0 1 0 .01 0', medium: 'M12 4 2.5 20h19ZM12 10v5M12 17.4v.2', high: 'M12 3a9 9 0 1 0 .01 0M7 12h10'};
const ICONS = {
  PLUGIN: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0ZM12 17v4',
  NETWORK: 'M12 3a9 9 0 1 0 .01 0M3.5 9h17M3.5 15h17M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18',
  FILES: 'M3 6h6l2 3h10v10H3Z',
  ENVIRONMENT: 'M4 4h8l9 9-8 8-9-9ZM8 8.2v.1',
  SECRETS: 'M8 12a4 4 0 1 0 .01 0M11 13l9-9M16 8l3 3M19 5l2 2',
  SHELL: 'M3 5h18v14H3ZM7 9l3 3-3 3M12 15h5',
  CLIPBOARD: 'M6 5h12v16H6ZM9 3h6v4H9Z'};
const LINKS = {
  used: 'This link was used: each link works once.', expired: 'This link has expired.', unknown: 'This link is not known.',
  none: 'Open the link that Pinfold printed.'};
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

function drawn(path, name) {
  const SVG = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(SVG, 'svg');
  for (const [key, value] of Object.entries({viewBox: '0 0 24 24', class: name, 'aria-hidden': 'true'})) picture.setAttribute(key, value);
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  picture.append(line);
  return picture;
}

const badge = (level) => make('span', {class: `badge ${level}`},
  drawn(MARKS[level], `mark ${level}`), ` ${level.toUpperCase()}`);

function rows() {
  if (!review.permissions.length) byId('rows').append(make('li', {class: 'muted'}, 'None.'));
  for (const each of review.permissions)
    byId('rows').append(make('li', {class: `row ${each.level}`}, drawn(ICONS[each.title] || ICONS.PLUGIN, 'icon'),
      make('h3', {}, each.title), badge(each.level), foreign('p', 'text', each.text), make('p', {class: 'reason'}, each.reason)));
}

function changes() {
  const change = review.change;
  if (!change) return;
  byId('changes').hidden = false;
  byId('changes-title').append(make('span', {}, 'Changed since you allowed version ', foreign('span', '', change.before_version)));
  const line = (kind, sign, text) => byId('changed').append(make('li', {class: kind}, `${sign} `, foreign('span', '', text)));
  for (const each of change.added) line('added', '+', each);
  for (const each of change.removed) line('removed', '−', each);
  if (change.code_changed) line('code', '~', 'its code changed');
}

function facts() {
  const all = [['Starts', review.command], ['Cannot start', review.problem], ['Folder', review.folder], ['Id', review.id],
    ['State', review.state], ['Permissions', review.permissions_hash], ['Files', review.files_hash]];
  for (const [name, value] of all) if (value) byId('facts').append(make('dt', {}, name), foreign('dd', '', value));
}

function show() {
  byId('title').append(drawn(ICONS.PLUGIN, 'icon'), review.state === 'changed' ? ' Changed plugin: ' : ' New plugin: ', foreign('span', '', review.name));
  byId('by').append('by ', foreign('span', '', review.author || 'an unnamed author'), ' · v', foreign('span', '', review.version));
  if (review.description) byId('quote').append('“', foreign('span', '', review.description), '”');
  if (review.flagged.length) {
    byId('flagged').hidden = false;
    byId('flagged').append('Invisible or reordering characters in its ', foreign('span', '', review.flagged.join(', ')));
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
    byId('failed').textContent = `The decision was not recorded: ${problem.message}`;
  }
}

async function begin() {
  const token = location.hash.slice(1);
  history.replaceState(null, '', '/');
  try {
    if (!token) return notice(LINKS.none, '');
    const entered = await call('/api/enter', {token});
    if (entered.verdict !== 'in') return notice(LINKS[entered.verdict] || LINKS.unknown, 'For a new link, run: pinfold plugin review ID --web');
    secret = entered.secret;
    review = await call('/api/review');
  } catch {
    return notice('This page has ended', 'For a new link, run: pinfold plugin review ID --web');
  }
  byId('understand').addEventListener('change', () => { byId('allow').disabled = !byId('understand').checked; });
  byId('deny').addEventListener('click', () => decide('deny'));
  byId('form').addEventListener('submit', (event) => { event.preventDefault(); if (byId('understand').checked) decide('allow'); });
  return show();
}

begin();
