// cases.mjs: what the page shows and does for the person it belongs to.
import assert from 'node:assert/strict';
import {armed, card, later, live, portOf, press, request, secretOf} from './world.mjs';

export default {
  'a question appears with all that is known about it': async (world) => {
    const queue = await world.queue({web: true, command: ['npm', 'run', 'a b']});
    const page = await world.page(queue.link);
    await live(page);
    await page.getByText('No approval requests').waitFor();
    queue.ask(1, {program: 'node', pid: 777, named: '../.ssh/key-1', risk: 'high', words: 'It could log in as you.'});
    const shown = card(page, 'key-1');
    await shown.waitFor();
    const text = await shown.innerText();
    for (const part of ['High risk', 'node', 'wants to read', '/home/ada/.ssh/key-1', '../.ssh/key-1', 'It could log in as you.',
      '777', "npm run 'a b'", 'files outside of the workspace', 'Allow once', 'For this session', 'Always', 'Deny'])
      assert.ok(text.includes(part), `${part} is missing in: ${text}`);
    assert.equal(await page.title(), '(1) Pinfold');
    assert.ok(!page.url().includes('#'), page.url());
    assert.deepEqual(page.problems, []);
  },

  'buttons wait half a second': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    await live(page);
    await page.evaluate(() => {
      new MutationObserver((changes) => {
        for (const change of changes) {
          const there = document.querySelector('.card');
          if (there && window.appeared === undefined) window.appeared = [performance.now(), [...there.querySelectorAll('button')].every((each) => each.disabled)];
          if (change.attributeName === 'disabled' && !change.target.disabled && window.enabled === undefined) window.enabled = performance.now();
        }
      }).observe(document.getElementById('cards'), {subtree: true, childList: true, attributes: true});
    });
    queue.ask(1);
    await armed(page, 'key-1');
    const [[appeared, disabled], enabled] = await page.evaluate(() => [window.appeared, window.enabled]);
    assert.ok(disabled, 'a button could be pressed at once');
    // The measurement begins with the browser's first event.
    assert.ok(enabled - appeared >= 300, `${enabled - appeared} ms`);
  },

  'a card that moves has to stand still again': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    queue.ask(1);
    queue.ask(2);
    await armed(page, 'key-1');
    await armed(page, 'key-2');
    await page.evaluate(() => {
      new MutationObserver(() => { window.second ??= document.querySelectorAll('.card').length === 1 && document.querySelector('.card button').disabled; })
        .observe(document.getElementById('cards'), {childList: true});
    });
    await press(page, 'key-1', 'Allow once');
    await card(page, 'key-1').waitFor({state: 'detached'});
    assert.equal(await page.evaluate(() => window.second), true);
    await armed(page, 'key-2');
  },

  'allow once reaches the waiting command': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    queue.ask(1);
    await press(page, 'key-1', 'Allow once');
    assert.deepEqual(await queue.next(), {answer: 'once', reply: 1});
    await card(page, 'key-1').waitFor({state: 'detached'});
    await page.locator('.event.answered', {hasText: 'Allowed once'}).waitFor();
  },

  'deny reaches the waiting command': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    queue.ask(1);
    await press(page, 'key-1', 'Deny');
    assert.deepEqual(await queue.next(), {answer: 'deny', reply: 1});
    await page.locator('.event.answered', {hasText: 'Denied'}).waitFor();
    await page.getByText('No approval requests').waitFor();
  },

  'a yes for the session is listed and can be revoked': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    queue.ask(1);
    await press(page, 'key-1', 'For this session');
    assert.deepEqual(await queue.next(), {answer: 'session', reply: 1});
    const grant = page.locator('.grant', {hasText: 'read /home/ada/.ssh/key-1'});
    await grant.waitFor();
    assert.match(await grant.innerText(), /for this session/);
    await grant.getByRole('button', {name: 'Revoke'}).click();
    assert.deepEqual(await queue.next(), {revoked: '/home/ada/.ssh/key-1'});
    await grant.waitFor({state: 'detached'});
  },

  'always is an answer of its own': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    queue.ask(1, {operation: 'connect', resource: 'registry.example.org:443', risk: 'medium'});
    await press(page, 'registry.example.org', 'Always');
    assert.deepEqual(await queue.next(), {answer: 'always', reply: 1});
    await page.locator('.grant', {hasText: 'connect to registry.example.org:443'}).waitFor();
  },

  'the page shows only the offered decisions': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    queue.ask(1, {grant: false});
    queue.ask(2, {once: false});
    await card(page, 'key-2').waitFor();
    assert.deepEqual(await card(page, 'key-1').getByRole('button').allInnerTexts(), ['Deny\nD', 'Allow once\nO']);
    assert.deepEqual(await card(page, 'key-2').getByRole('button').allInnerTexts(), ['Deny\nD', 'For this session\nS', 'Always\nA']);
  },

  'when the waiting command has ended, its card disappears': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    queue.ask(1);
    await card(page, 'key-1').waitFor();
    queue.send({do: 'withdraw', id: 1});
    await card(page, 'key-1').waitFor({state: 'detached'});
    await page.locator('.event.answered', {hasText: 'Withdrawn'}).waitFor();
  },

  'two windows: an answer in one shows in the other, a second one counts nothing': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    await live(page);
    const [other] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('button', {name: 'Another window'}).click()]);
    await live(other);
    assert.notEqual(await secretOf(page), await secretOf(other));
    queue.ask(1);
    await card(other, 'key-1').waitFor();
    await press(page, 'key-1', 'Deny');
    await card(other, 'key-1').waitFor({state: 'detached'});
    assert.deepEqual(await queue.next(), {answer: 'deny', reply: 1});
    const again = await request(portOf(queue.link), '/api/answer', {method: 'POST',
      headers: {'Content-Type': 'application/json', Authorization: `Bearer ${await secretOf(other)}`},
      body: JSON.stringify({sandbox: queue.id, question: 1, answer: 'always'})});
    assert.deepEqual([again.status, JSON.parse(again.text)], [200, {counted: false}]);
    // Both at once: one of them counts.
    queue.ask(2);
    await Promise.all([armed(page, 'key-2'), armed(other, 'key-2')]);
    await Promise.all([page, other].map((each) => each.evaluate(() => document.querySelector('.card .answer.once')?.click())));
    assert.deepEqual(await queue.next(), {answer: 'once', reply: 2});
    queue.ask(3);
    await press(other, 'key-3', 'Deny');
    assert.deepEqual(await queue.next(), {answer: 'deny', reply: 3});
  },

  'the keyboard alone is enough': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    await live(page);
    queue.ask(1);
    await armed(page, 'key-1');
    assert.ok(await page.evaluate(() => document.activeElement.matches('.card')), 'the focus did not move to the question');
    await later(500);
    await page.keyboard.press('d');
    assert.deepEqual(await queue.next(), {answer: 'deny', reply: 1});
    queue.ask(2);
    await armed(page, 'key-2');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    assert.match(await page.evaluate(() => document.activeElement.innerText), /Allow once/);
    await page.keyboard.press('Enter');
    assert.deepEqual(await queue.next(), {answer: 'once', reply: 2});
    // Keys typed into the filter decide no request.
    await page.getByText('No approval requests').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('x');
    queue.ask(3);
    await armed(page, 'key-3');
    await page.keyboard.type('asod');
    assert.equal(await page.locator('#filter').inputValue(), 'xasod');
    assert.equal(await card(page, 'key-3').count(), 1);
  },

  'a reload keeps the window connected': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    await live(page);
    await page.reload();
    await live(page);
    queue.ask(1);
    await press(page, 'key-1', 'Deny');
    assert.deepEqual(await queue.next(), {answer: 'deny', reply: 1});
  },

  'all sandboxes of the user are shown, new ones and ended ones': async (world) => {
    const first = await world.queue({command: ['make', 'one']});
    const web = await world.web();
    const page = await world.page(web.link);
    await page.locator('.sandbox', {hasText: 'make one'}).waitFor();
    const second = await world.queue({command: ['make', 'two']});
    await page.locator('.sandbox', {hasText: 'make two'}).waitFor();
    first.ask(1);
    second.ask(1, {resource: '/other'});
    await press(page, '/other', 'Allow once');
    assert.deepEqual(await second.next(), {answer: 'once', reply: 1});
    await card(page, 'key-1').waitFor();
    await first.end();
    await card(page, 'key-1').waitFor({state: 'detached'});
    await page.locator('.sandbox.ended', {hasText: 'make one'}).waitFor();
    assert.deepEqual(page.problems, []);
  },

  'the run ends while its page is open': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    queue.ask(1);
    await armed(page, 'key-1');
    await queue.end();
    await page.locator('#gone', {hasText: 'Pinfold has ended'}).waitFor();
    assert.equal(await page.locator('.card button:enabled').count(), 0);
  },

  'the page ends with a run that was killed': async (world) => {
    const queue = await world.queue({web: true});
    assert.equal((await request(portOf(queue.link), '/')).status, 200);
    queue.child.kill('SIGKILL');
    await queue.ended;
    for (let reached = true; reached;) {
      reached = await request(portOf(queue.link), '/').then(() => true, () => false);
      if (reached) await later(50);
    }
  },

  'ten thousand events: complete, quick, and to be filtered': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    await live(page);
    const headers = {Authorization: `Bearer ${await secretOf(page)}`};
    // No faster than the page's program reads: the queue disconnects a watcher that cannot follow.
    let since = 0;
    for (let sent = 0, received = 0; sent < 10_500; sent += 1500) {
      queue.send({do: 'flood', count: 1500});
      assert.deepEqual(await queue.next(), {flooded: true});
      while (received < sent + 1500) {
        const {version, events} = JSON.parse((await request(portOf(queue.link), `/api/news?since=${since}`, {headers})).text);
        received += events.filter((each) => ['denied', 'connected'].includes(each.kind)).length;
        since = version;
        await later(50);
      }
    }
    queue.send({do: 'deny', resource: '/the/last/one'});
    await page.locator('.event', {hasText: '/the/last/one'}).waitFor();
    const times = [];
    let news;
    for (let i = 0; i < 11; ++i) {
      const began = performance.now();
      news = await request(portOf(queue.link), '/api/news?since=0', {headers});
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    assert.equal(JSON.parse(news.text).events.length, 10_000);
    console.log(`      10,000 events: ${(news.text.length / 1e6).toFixed(1)} MB in ${times[5].toFixed(1)} ms (median of 11; budget 50)`);
    assert.equal(await page.locator('.event').count(), 200);
    await page.getByLabel('Filter by text').fill('denied /the/last/');
    await page.locator('#activity-count', {hasText: /^1$/}).waitFor();
    assert.equal(await page.locator('.event', {hasText: '/the/last/one'}).count(), 1);
    await page.getByRole('button', {name: 'Denied', exact: true}).click();
    await page.getByText('No event matches the filter.').waitFor();
    assert.deepEqual(page.problems, []);
  },

  'a run is no session': async (world) => {
    const queue = await world.queue();
    const list = await world.command('session', 'list');
    assert.ok(!list.out.includes(queue.id), list.out);
    for (const words of [['session', 'exec', queue.id, '--', 'true'], ['session', 'stop', queue.id]]) {
      const said = await world.command(...words);
      assert.equal(said.code, 125, said.errors);
      assert.match(said.errors, /not a session/);
    }
    queue.ask(1);
    queue.send({do: 'withdraw', id: 1});  // it goes on
    await queue.end();
  },
};
