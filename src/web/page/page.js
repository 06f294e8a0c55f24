// page.js: logs in with the link's token, polls the server and updates the parts of the page.
// Invariant: the token is removed from the address at once and works once; the secret that it is exchanged for stays in
// this tab. Not here: rendering (cards.js, activity.js, lists.js).
import {byId, clock, tick, toast} from '/dom.js';
import * as activity from '/activity.js';
import * as cards from '/cards.js';
import * as lists from '/lists.js';

const KEY = 'pinfold-secret';
const NOTICES = {
  used: ['This link was used', 'Each link opens one window, once, so that it is useless to anyone who sees it later.',
    'Continue in the window that it opened. For another window press “Another window” there, or run: pinfold web'],
  expired: ['This link has expired', 'It was not opened in time.', 'For a new link, run: pinfold web'],
  unknown: ['This link is not known', 'Its page has ended, or the link was not copied completely.', 'For a new link, run: pinfold web'],
  none: ['Open the link that Pinfold printed', 'Without the link this page shows nothing.', 'For a new link, run: pinfold web'],
  lost: ['This window is no longer connected', 'The page server has ended.', 'For a new link, run: pinfold web'],
};

let secret = sessionStorage.getItem(KEY);
let version = 0;
let seenAt = Date.now();
let knownSandboxes = new Map();
let knownGrants = [];

function state(word, text) {
  document.body.dataset.state = word;
  byId('state').textContent = text;
}

function notice(kind) {
  const [title, text, fix] = NOTICES[kind] || NOTICES.unknown;
  state('notice', 'Not connected');
  byId('shown').hidden = byId('another').hidden = byId('gone').hidden = true;
  byId('notice').hidden = false;
  byId('notice').dataset.kind = kind;
  byId('notice-title').textContent = title;
  byId('notice-text').textContent = text;
  byId('notice-fix').textContent = fix;
  byId('notice-title').focus();
}

async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST', headers: {'Content-Type': 'application/json', Authorization: `Bearer ${secret}`}, body: JSON.stringify(body)});
  const answer = await response.json();
  if (!response.ok && !answer.verdict) throw new Error(answer.error || response.statusText);
  return answer;
}

// Logs in; returns the kind of a notice to show instead of the page, or null.
async function enter() {
  const token = location.hash.slice(1);
  history.replaceState(null, '', '/');
  if (!token) return secret ? null : 'none';
  const {verdict, secret: given} = await post('/api/enter', {token});
  if (verdict !== 'in') return secret ? null : verdict;  // this window is logged in already
  secret = given;
  sessionStorage.setItem(KEY, secret);
  return null;
}

function show(news) {
  const isFirst = version === 0;
  version = news.version;
  seenAt = Date.now();
  knownSandboxes = new Map(news.sandboxes.map((each) => [each.id, each]));
  knownGrants = news.grants;
  cards.update(news.questions, knownSandboxes);
  activity.update(news.events, knownSandboxes);
  lists.update(knownSandboxes, knownGrants);
  if (isFirst) return;
  for (const event of news.events)
    if (event.kind === 'answered') toast(`${cards.DECISIONS[event.answer]}: ${event.operation} ${event.what}`, event.answer === 'deny' ? 'no' : 'yes');
}

function live() {
  byId('gone').hidden = true;
  byId('shown').hidden = byId('another').hidden = false;
  byId('notice').hidden = true;
  state('live', 'Live');
}

function gone() {
  if (document.body.dataset.state === 'gone') return;
  state('gone', 'Not connected');
  cards.disable();
  byId('gone').textContent = `Pinfold has ended, or cannot be reached. This page shows the state of ${clock(seenAt)}; no decision can be sent.`;
  byId('gone').hidden = false;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function listen() {
  for (;;) {
    try {
      const response = await fetch(`/api/news?since=${version}`, {headers: {Authorization: `Bearer ${secret}`}, signal: AbortSignal.timeout(40000)});
      if (response.status === 401) {
        sessionStorage.removeItem(KEY);
        return notice('lost');
      }
      if (!response.ok) throw new Error(response.statusText);
      const news = await response.json();
      const wasAway = document.body.dataset.state !== 'live';
      if (wasAway) live();
      show(news);
      if (wasAway) window.dispatchEvent(new Event('focus'));
      await pause(100);
    } catch {
      gone();
      await pause(1000);
    }
  }
}

async function another() {
  try {
    const {token} = await post('/api/link', {});
    window.open(`/#${token}`, '_blank', 'noopener');
  } catch (problem) {
    toast(`No new window: ${problem.message}`, 'bad');
  }
}

async function begin() {
  cards.start(async (question, answer) => (await post('/api/answer', {sandbox: question.sandbox, question: question.id, answer})).counted);
  lists.start((grant) => post('/api/revoke', {sandbox: grant.sandbox, grant: grant.id}));
  activity.start(() => lists.update(knownSandboxes, knownGrants));
  byId('another').addEventListener('click', another);
  window.addEventListener('hashchange', () => { if (location.hash) location.reload(); });
  setInterval(tick, 1000);
  let problem = null;
  try {
    problem = await enter();
  } catch {
    problem = 'lost';
  }
  if (problem) return notice(problem);
  return listen();
}

begin();
