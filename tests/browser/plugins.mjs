// plugins.mjs: the review of a plugin in a browser: its content, when Allow can be pressed, and the result.
// Invariant: the test reads decisions from the file of approvals, not from the page. Not here: the content of a review (src/plugin).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import {portOf, tokenOf} from './world.mjs';

const PINFOLD = process.env.PINFOLD;
const ID = 'org.example.jira';
const JIRA = {
  id: ID, name: 'Jira Connector', version: '1.0.0', author: '@devtools-community', description: 'Create Jira tickets from snipped screen content',
  runtime: 'python', entry: 'main.py',
  permissions: {network: ['*.atlassian.net'], environment: ['JIRA_API_TOKEN'], clipboard: true}};

// A plugin, and the page that reviews it.
async function review(world, manifest = JIRA) {
  const config = path.join(world.runtime, 'config');
  const folder = path.join(config, 'pinfold/plugins/jira');
  fs.mkdirSync(folder, {recursive: true, mode: 0o700});
  fs.writeFileSync(path.join(folder, 'main.py'), 'print(1)\n', {mode: 0o644});
  fs.writeFileSync(path.join(folder, 'pinfold.plugin.json'), JSON.stringify(manifest), {mode: 0o644});
  const env = {XDG_CONFIG_HOME: config, XDG_STATE_HOME: path.join(world.runtime, 'state')};
  const process = world.start(PINFOLD, ['plugin', 'review', manifest.id, '--web'], env);
  const stored = () => {
    const file = path.join(config, 'pinfold/plugin-approvals.json');
    return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file)) : {approved: {}, denied: {}};
  };
  return {...process, link: await process.lines.next(), stored, folder, env};
}

const ready = (page) => page.waitForSelector('body[data-state="live"]');
const shot = async (page, name) => {
  if (process.env.SHOTS) await page.screenshot({path: path.join(process.env.SHOTS, `${name}.png`), fullPage: true});
};

export default {
  async 'plugin: allow needs the box'(world) {
    const run = await review(world);
    const page = await world.page(run.link);
    await ready(page);
    const text = await page.textContent('#dialog');
    for (const part of ['New plugin: Jira Connector', 'by @devtools-community · v1.0.0', 'Create Jira tickets', 'NETWORK', 'Connect to: *.atlassian.net',
      'SECRETS', 'Read environment variable: JIRA_API_TOKEN', 'CLIPBOARD', 'HIGH', 'Only allow plugins', 'It cannot', 'start any other program', 'main.py', 'sha256:'])
      assert.ok(text.includes(part), part);
    await shot(page, 'review-light');
    const allow = page.getByRole('button', {name: 'Allow'});
    assert.ok(await allow.isDisabled());
    await page.evaluate(() => document.getElementById('form').requestSubmit());
    assert.deepEqual(run.stored().approved, {});
    await page.getByRole('checkbox').check();
    assert.ok(await allow.isEnabled());
    await page.getByRole('checkbox').uncheck();
    assert.ok(await allow.isDisabled());
    await page.getByRole('checkbox').check();
    await allow.click();
    await page.waitForSelector('#notice-title:has-text("Allowed")');
    assert.equal(await run.ended, 0);
    assert.equal(run.stored().approved[ID].version, '1.0.0');
    assert.deepEqual(page.problems, []);
    for (const url of page.requests) assert.equal(new URL(url).origin, new URL(run.link).origin);
  },

  async 'plugin: deny needs no box'(world) {
    const run = await review(world);
    const page = await world.page(run.link);
    await ready(page);
    await page.getByRole('button', {name: 'Deny'}).click();
    await page.waitForSelector('#notice-title:has-text("Denied")');
    assert.equal(await run.ended, 0);
    assert.ok(run.stored().denied[ID].denied_at);
  },

  async 'plugin: borders and colours by risk'(world) {
    const run = await review(world, {...JIRA, permissions: {...JIRA.permissions, shell: {commands: ['git']}}});
    const page = await world.page(run.link);
    await ready(page);
    const rows = await page.$$eval('.row', (all) => all.map((row) => {
      const style = getComputedStyle(row);
      return [row.querySelector('h3').textContent, style.borderLeftWidth, style.borderLeftColor, row.querySelector('.badge').textContent.trim()];
    }));
    assert.deepEqual(rows.map(([title, width, , badge]) => [title, width, badge]),
      [['SHELL', '5px', 'HIGH'], ['SECRETS', '5px', 'MEDIUM'], ['NETWORK', '5px', 'MEDIUM'], ['CLIPBOARD', '1px', 'LOW']]);
    assert.equal(rows[0][2], 'rgb(240, 68, 56)');
    assert.equal(rows[1][2], 'rgb(247, 144, 9)');
    const low = await page.$eval('.mark.low', (mark) => getComputedStyle(mark).color);
    assert.equal(low, 'rgb(18, 183, 106)');
    assert.equal(await page.$$eval('.row svg.icon', (all) => all.length), 4);
  },

  async 'plugin: by keyboard, in the dark'(world) {
    const run = await review(world);
    const page = await world.page(run.link, {colorScheme: 'dark'});
    await ready(page);
    await shot(page, 'review-dark');
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
    assert.equal(await focused(), 'title');
    for (let i = 0; i < 6 && await focused() !== 'understand'; ++i) await page.keyboard.press('Tab');
    assert.equal(await focused(), 'understand');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'deny');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'allow');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#notice-title:has-text("Allowed")');
    assert.equal(await run.ended, 0);
  },

  async 'plugin: hostile text stays text'(world) {
    const evil = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    const run = await review(world, {...JIRA, name: `Good\u202e${evil}`.slice(0, 90), author: evil, description: `${evil}\u200b javascript:alert(3)`,
      permissions: {filesystem: [{path: `/tmp/${evil.replaceAll('/', '')}`, access: 'read-write'}]}});
    const page = await world.page(run.link);
    await ready(page);
    await shot(page, 'review-hostile');
    assert.equal(await page.$$eval('#dialog img, #dialog script, #dialog a', (all) => all.length), 0);
    const text = await page.textContent('body');
    for (const hidden of ['\u202e', '\u200b']) assert.ok(!text.includes(hidden));
    assert.ok(text.includes('name: U+202E') && text.includes('description: U+200B'));
    assert.deepEqual(page.problems, []);
  },

  async 'plugin: narrow, changed'(world) {
    const run = await review(world);
    const first = await world.page(run.link);
    await ready(first);
    await first.getByRole('checkbox').check();
    await first.getByRole('button', {name: 'Allow'}).click();
    await run.ended;
    fs.appendFileSync(path.join(run.folder, 'main.py'), '# more\n');
    const again = await review(world, {...JIRA, permissions: {network: ['api.example.org'], shell: {commands: []}}});
    const page = await world.page(again.link, {viewport: {width: 360, height: 700}});
    await ready(page);
    await shot(page, 'review-narrow');
    // The page shows the whole review, above all the command.
    const cut = await page.$$eval('#dialog dd, #dialog p, #dialog li, #dialog h1, #dialog blockquote',
      (all) => all.filter((each) => each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflow !== 'visible').map((each) => each.textContent));
    assert.deepEqual(cut, []);
    const changes = await page.textContent('#changes');
    for (const part of ['+ Connect to api.example.org', '+ Run sh', '− Connect to *.atlassian.net']) assert.ok(changes.includes(part), part + changes);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  },

  async 'plugin: no way in without the link, no second decision'(world) {
    const run = await review(world);
    const origin = new URL(run.link).origin;
    const bare = await fetch(`${origin}/api/review`);
    assert.ok([401, 403].includes(bare.status));
    const page = await world.page(run.link);
    await ready(page);
    const used = await world.page(`http://127.0.0.1:${portOf(run.link)}/#${tokenOf(run.link)}`);
    await used.waitForSelector('body[data-state="notice"]');
    assert.ok((await used.textContent('#notice-title')).includes('used'));
    const other = await world.stranger(`<script>fetch('${origin}/api/decide', {method: 'POST', headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({decision: 'allow', understood: true, permissions_hash: '', files_hash: ''})}).catch(() => {}).then(() => { document.title = 'tried'; })</script>`);
    const stranger = await world.page(other);
    await stranger.waitForFunction(() => document.title === 'tried');
    assert.deepEqual(run.stored(), {approved: {}, denied: {}});
    const forged = await page.evaluate(async () => {
      const response = await fetch('/api/decide', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'});
      return response.status;
    });
    assert.equal(forged, 401);
  },
};
