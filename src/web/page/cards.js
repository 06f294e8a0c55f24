// cards.js: the pending approval requests, one card each.
// Invariant: a card accepts a decision only 500 ms after the last of these: it appeared, another card was removed, the
// window came to the front; for a key press, also after it got the focus. One card, one decision.
import {aging, byId, count, foreign, make, plain, toast} from '/dom.js';

const CALM_MS = 500;
const ANSWERS = [
  {word: 'deny', label: 'Deny', key: 'd'},
  {word: 'once', label: 'Allow once', key: 'o'},
  {word: 'session', label: 'For this session', key: 's'},
  {word: 'always', label: 'Always', key: 'a'},
];
const RISKS = {low: 'Low risk', medium: 'Medium risk', high: 'High risk'};
const WANTS = {
  read: 'wants to read', write: 'wants to write', create: 'wants to create', delete: 'wants to delete',
  rename: 'wants to rename', exec: 'wants to run', connect: 'wants to connect to', send: 'wants to send to',
  bind: 'wants to listen on',
};
export const DECISIONS = {
  deny: 'Denied', once: 'Allowed once', session: 'Allowed for this session', always: 'Always allowed', gone: 'Withdrawn',
};

const cards = new Map();  // "sandbox/id" → {node, buttons, answered, timer, focusedAt}
let send = async () => false;

export function start(sender) {
  send = sender;
  document.addEventListener('visibilitychange', calmAll);
  window.addEventListener('focus', calmAll);
  byId('cards').addEventListener('keydown', pressed);
}

export function disable() {
  for (const card of cards.values()) {
    clearTimeout(card.timer);
    card.buttons.forEach((button) => { button.disabled = true; });
  }
}

function offered(question) {
  return ANSWERS.filter(({word}) => word === 'deny' || (word === 'once' ? question.once : question.grant));
}

function calm(card) {
  clearTimeout(card.timer);
  if (card.answered) return;
  card.buttons.forEach((button) => { button.disabled = true; });
  card.node.dataset.armed = 'no';
  if (document.hidden) return;
  card.timer = setTimeout(() => {
    if (card.answered || document.body.dataset.state !== 'live') return;
    card.buttons.forEach((button) => { button.disabled = false; });
    card.node.dataset.armed = 'yes';
  }, CALM_MS);
}

function calmAll() {
  cards.forEach(calm);
}

async function answer(card, question, word) {
  if (card.answered || card.node.dataset.armed !== 'yes') return;
  card.answered = true;
  card.node.dataset.armed = 'no';
  card.node.classList.add('sent');
  card.buttons.forEach((button) => { button.disabled = true; });
  try {
    const counted = await send(question, word);
    if (!counted) toast('This request was already decided, or the program that waited has exited.');
  } catch (problem) {
    toast(`The decision was not sent: ${problem.message}`, 'bad');
    card.answered = false;
    card.node.classList.remove('sent');
    calm(card);
  }
}

function pressed(event) {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  const node = event.target.closest('.card');
  const card = node && cards.get(node.dataset.key);
  const button = card && card.buttons.find((each) => each.dataset.shortcut === event.key.toLowerCase());
  if (!button) return;
  event.preventDefault();
  if (performance.now() - card.focusedAt >= CALM_MS) button.click();
}

function fact(name, ...value) {
  return make('div', {}, make('dt', {}, name), make('dd', {}, ...value));
}

function cardOf(key, question, sandbox) {
  const card = {answered: false, timer: 0, focusedAt: 0, buttons: []};
  card.buttons = offered(question).map(({word, label, key: shortcut}) =>
    make('button', {type: 'button', class: `answer ${word}`, disabled: true, 'data-shortcut': shortcut, 'aria-keyshortcuts': shortcut,
      onclick: () => answer(card, question, word)}, label, make('kbd', {'aria-hidden': 'true'}, shortcut.toUpperCase())));
  const titleId = `title-${key}`;
  const facts = make('dl', {class: 'facts'});
  if (sandbox) facts.append(fact('Command', foreign('code', '', sandbox.title)));
  facts.append(fact('Program', foreign('code', '', question.program || 'unknown'), question.pid ? `, process ${question.pid}` : ''));
  if (question.named) facts.append(fact('Name in the call', foreign('code', '', question.named)));
  if (question.rule) facts.append(fact('Denied by', foreign('span', '', question.rule)));
  if (question.grant) facts.append(fact('Session, always', 'this sandbox may ', foreign('code', '', question.grant)));
  card.node = make('article', {class: `card ${question.risk}`, tabindex: '-1', 'data-key': key, 'data-armed': 'no', 'aria-labelledby': titleId},
    make('div', {class: 'card-head'},
      make('span', {class: `pill ${question.risk}`}, RISKS[question.risk] || RISKS.high),
      make('span', {class: 'muted waiting'}, aging(question.at / 1000, 'waiting '))),
    make('h3', {id: titleId}, foreign('span', 'who', question.program || 'A program'), ' ',
      WANTS[question.operation] || `wants: ${plain(question.operation)}`),
    foreign('p', 'resource', question.resource),
    question.risk_words ? foreign('p', 'words', question.risk_words) : '',
    facts,
    make('div', {class: 'answers', role: 'group', 'aria-label': 'Your decision'}, ...card.buttons));
  card.node.addEventListener('focusin', (event) => {
    if (!card.node.contains(event.relatedTarget)) card.focusedAt = performance.now();
  });
  return card;
}

function isTyping() {
  return document.activeElement && ['INPUT', 'TEXTAREA'].includes(document.activeElement.tagName);
}

export function update(questions, sandboxes) {
  const wanted = new Map(questions.map((each) => [`${each.sandbox}/${each.id}`, each]));
  const focused = document.activeElement && document.activeElement.closest('.card');
  let left = false;
  let lostFocus = false;
  for (const [key, card] of cards) {
    if (wanted.has(key)) continue;
    lostFocus = lostFocus || card.node === focused;
    clearTimeout(card.timer);
    card.node.remove();
    cards.delete(key);
    left = true;
  }
  if (left) calmAll();  // the cards behind it have moved
  let newest = null;
  for (const [key, question] of wanted) {
    if (cards.has(key)) continue;
    const card = cardOf(key, question, sandboxes.get(question.sandbox));
    cards.set(key, card);
    byId('cards').append(card.node);
    calm(card);
    newest = newest || card;
    byId('spoken').textContent = `New approval request, ${RISKS[question.risk]}: ${plain(question.program || 'a program')} ` +
      `${WANTS[question.operation] || plain(question.operation)} ${plain(question.resource)}`;
  }
  byId('calm').hidden = cards.size > 0;
  count(byId('questions-count'), cards.size);
  document.title = cards.size ? `(${cards.size}) Pinfold` : 'Pinfold';
  const first = cards.values().next().value;
  // Do not move the focus away from another card or from a text field.
  if (lostFocus) (first ? first.node : byId('questions-title')).focus();
  else if (newest && !focused && !isTyping()) newest.node.focus();
}
