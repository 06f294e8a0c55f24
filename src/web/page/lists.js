// lists.js: the lists of sandboxes and of live grants.
import {aging, byId, count, foreign, make, toast} from '/dom.js';
import * as activity from '/activity.js';

const LASTS = {session: 'for this session', always: 'always'};
let revoke = async () => {};
let last = '';

export function start(revoker) {
  revoke = revoker;
}

function sandboxRow(each) {
  const facts = [each.kind === 'run' ? 'Run' : 'Session', each.backend, each.workspace].filter(Boolean);
  return make('li', {class: each.ended ? 'sandbox ended' : 'sandbox'},
    make('button', {type: 'button', class: 'sandbox-button', 'data-key': `sandbox/${each.id}`, 'aria-pressed': activity.isOnly(each.id) ? 'true' : 'false',
      onclick: () => activity.only(activity.isOnly(each.id) ? null : each.id)},
      make('span', {class: 'dot', 'aria-hidden': 'true'}),
      make('span', {class: 'sandbox-text'},
        foreign('span', 'sandbox-title', each.title),
        make('span', {class: 'muted sandbox-facts'}, foreign('span', '', facts.join(' · ')), ' · ',
          each.ended ? 'ended' : aging(each.since)))));
}

function grantRow(each, sandboxes) {
  const where = sandboxes.get(each.sandbox);
  const button = make('button', {type: 'button', class: 'quiet small', 'data-key': `grant/${each.sandbox}/${each.id}`,
    'aria-label': `Revoke: ${each.what}`, onclick: async () => {
      button.disabled = true;
      try {
        await revoke(each);
        toast(`Revoked: ${each.what}`);
      } catch (problem) {
        button.disabled = false;
        toast(`Not revoked: ${problem.message}`, 'bad');
      }
    }}, 'Revoke');
  return make('li', {class: 'grant'},
    make('div', {class: 'grant-text'}, foreign('span', 'grant-what', each.what),
      make('span', {class: 'muted'}, `${LASTS[each.answer] || ''} · `, where ? foreign('span', '', where.title) : '', ' · ', aging(each.since))),
    button);
}

export function update(sandboxes, grants) {
  const now = JSON.stringify([[...sandboxes.values()], grants, [...sandboxes.keys()].find(activity.isOnly)]);
  if (now === last) return;
  last = now;
  const key = document.activeElement && document.activeElement.dataset.key;
  const all = [...sandboxes.values()].sort((a, b) => a.ended - b.ended || b.since - a.since);
  byId('sandboxes').replaceChildren(...all.map(sandboxRow));
  byId('grants').replaceChildren(...grants.map((each) => grantRow(each, sandboxes)));
  byId('no-sandboxes').hidden = all.length > 0;
  byId('no-grants').hidden = grants.length > 0;
  count(byId('sandboxes-count'), all.filter((each) => !each.ended).length);
  count(byId('grants-count'), grants.length);
  if (key && !document.querySelector('.card:focus-within')) document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}
