// attacks.mjs: requests of other users and sites, which must not read the page or answer in it, and hostile text.
// Each attack on a request ends with a decision on the user's own page: the first decision that the command receives.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import {card, later, live, portOf, press, request, secretOf, tokenOf} from './world.mjs';

const json = {'Content-Type': 'application/json'};

async function noticed(page, text) {
  await page.getByRole('heading', {name: text}).waitFor();
  assert.equal(await page.locator('#shown').isVisible(), false);
}

async function decideOnOwnPage(queue, page) {
  await press(page, 'key-1', 'Deny');
  assert.deepEqual(await queue.next(), {answer: 'deny', reply: 1});
}

export default {
  'a used link': async (world) => {
    const queue = await world.queue({web: true});
    queue.ask(1);
    const page = await world.page(queue.link);
    await live(page);
    await noticed(await world.page(queue.link), 'This link was used');
    await decideOnOwnPage(queue, page);
  },

  'an expired link': async (world) => {
    const web = await world.web('--expires', '300ms');
    await later(400);
    await noticed(await world.page(web.link), 'This link has expired');
  },

  'no link, a made-up link, and the secret of another page': async (world) => {
    const queue = await world.queue({web: true});
    const base = `http://127.0.0.1:${portOf(queue.link)}/`;
    await noticed(await world.page(base), 'Open the link');
    await noticed(await world.page(`${base}#${'0'.repeat(48)}`), 'This link is not known');
    for (const Authorization of ['', 'Bearer ', `Bearer ${'0'.repeat(48)}`, `Bearer ${tokenOf(queue.link)}`]) {
      for (const [target, options] of [['/api/news?since=0', {}], ['/api/answer', {method: 'POST', body: '{}'}], ['/api/revoke', {method: 'POST', body: '{}'}],
        ['/api/link', {method: 'POST', body: '{}'}]])
        assert.equal((await request(portOf(queue.link), target, {...options, headers: {...json, Authorization}})).status, 401, `${target} ${Authorization}`);
    }
    await live(await world.page(queue.link));
  },

  'guessed tokens are refused and block no valid one': async (world) => {
    const queue = await world.queue({web: true});
    const enter = (token) => request(portOf(queue.link), '/api/enter', {method: 'POST', headers: json, body: JSON.stringify({token})});
    // More than the server allows in a second to a page that is let in.
    for (let i = 0; i < 600; i += 20) {
      const answers = await Promise.all(Array.from({length: 20}, (_, j) => enter(String(i + j).padStart(48, '0'))));
      for (const answer of answers) assert.deepEqual([answer.status, JSON.parse(answer.text).verdict], [403, 'unknown']);
    }
    await live(await world.page(queue.link));
  },

  'another origin, with everything it could know': async (world) => {
    const queue = await world.queue({web: true});
    queue.ask(1);
    const page = await world.page(queue.link);
    await live(page);
    const secret = await secretOf(page);
    const base = `http://127.0.0.1:${portOf(queue.link)}`;
    const evil = await page.context().newPage();
    await evil.goto(await world.stranger(`<form id="f" method="POST" target="here" enctype="text/plain" action="${base}/api/answer">
      <input name='{"sandbox":"${queue.id}","question":1,"answer":"always","x":"' value='"}'></form><iframe name="here"></iframe><iframe id="framed" src="${base}/"></iframe>`));
    const outcomes = await evil.evaluate(async ([url, key, body]) => {
      const tried = async (target, options) => fetch(target, options).then(async (response) => response.type === 'opaque' ? 'opaque' : `read ${await response.text()}`, () => 'refused');
      return [
        await tried(`${url}/api/news?since=0`, {headers: {Authorization: `Bearer ${key}`}}),
        await tried(`${url}/api/answer`, {method: 'POST', headers: {'Content-Type': 'application/json', Authorization: `Bearer ${key}`}, body}),
        await tried(`${url}/api/answer`, {method: 'POST', mode: 'no-cors', headers: {'Content-Type': 'text/plain'}, body}),
        await tried(`${url}/page.js`, {mode: 'cors'}),
      ];
    }, [base, secret, JSON.stringify({sandbox: queue.id, question: 1, answer: 'always'})]);
    assert.deepEqual(outcomes, ['refused', 'refused', 'refused', 'refused'].map((word, i) => i === 2 && outcomes[2] === 'opaque' ? 'opaque' : word));
    await evil.evaluate(() => document.getElementById('f').submit());
    await evil.waitForFunction(() => window.length === 2);
    await later(300);
    for (const frame of evil.frames().slice(1)) assert.equal(await frame.locator('#shown').count(), 0);
    // The same without a browser's help.
    const body = JSON.stringify({sandbox: queue.id, question: 1, answer: 'always'});
    const post = (headers) => request(portOf(queue.link), '/api/answer', {method: 'POST', body, headers: {...json, Authorization: `Bearer ${secret}`, ...headers}});
    assert.equal((await post({Origin: 'http://127.0.0.1:1'})).status, 403);
    assert.equal((await post({Origin: 'null'})).status, 403);
    assert.equal((await post({'Sec-Fetch-Site': 'cross-site'})).status, 403);
    assert.equal((await post({'Content-Type': 'text/plain'})).status, 415);
    assert.equal((await request(portOf(queue.link), '/api/answer', {method: 'OPTIONS', headers: {Origin: 'http://127.0.0.1:1', 'Access-Control-Request-Method': 'POST'}})).headers['access-control-allow-origin'], undefined);
    await page.bringToFront();
    await decideOnOwnPage(queue, page);
  },

  'a name that was rebound to the port': async (world) => {
    const queue = await world.queue({web: true});
    queue.ask(1);
    const page = await world.page(queue.link);
    await live(page);
    const secret = await secretOf(page);
    const context = await world.window();
    const rebound = await context.newPage();
    const response = await rebound.goto(`http://rebound.example:${portOf(queue.link)}/#${tokenOf(queue.link)}`);
    assert.equal(response.status(), 421);
    for (const Host of ['rebound.example', `rebound.example:${portOf(queue.link)}`, '127.0.0.1', '127.0.0.1:1', `[::1]:${portOf(queue.link)}`])
      for (const target of ['/', '/page.js', '/api/news?since=0'])
        assert.equal((await request(portOf(queue.link), target, {headers: {Host, Authorization: `Bearer ${secret}`}})).status, 421, `${Host} ${target}`);
    assert.equal((await request(portOf(queue.link), '/api/news?since=0', {headers: {Host: `localhost:${portOf(queue.link)}`, Authorization: `Bearer ${secret}`}})).status, 200);
    await decideOnOwnPage(queue, page);
  },

  'another user of the machine': async (world) => {
    const queue = await world.queue({web: true});
    const url = `http://127.0.0.1:${portOf(queue.link)}/`;
    const words = ['-s', '-o', '/dev/null', '-w', '%{http_code}', '--max-time', '60', url];
    assert.equal(spawnSync('curl', words).stdout.toString(), '200');
    if (process.getuid() !== 0) return console.log('      only root can try as another user: not tried');
    const other = spawnSync('setpriv', ['--reuid', '54321', '--regid', '54321', '--clear-groups', 'curl', ...words]);
    assert.equal(other.stdout.toString(), '000');
    assert.ok([52, 56].includes(other.status), `curl ended with ${other.status}`);  // closed without a byte
  },

  'the link and the secret are in no argument or variable of any process': async (world) => {
    const queue = await world.queue({web: true});
    const web = await world.web();
    const page = await world.page(queue.link);
    await live(page);
    const hidden = [tokenOf(queue.link), tokenOf(web.link), await secretOf(page)];
    let looked = 0;
    for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      for (const file of ['cmdline', 'environ']) {
        let text = '';
        try { text = fs.readFileSync(`/proc/${pid}/${file}`, 'latin1'); } catch { continue; }
        ++looked;
        for (const each of hidden) assert.ok(!text.includes(each), `/proc/${pid}/${file}`);
      }
    }
    assert.ok(looked > 4);
  },

  'hostile text stays text': async (world) => {
    const hostile = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>"\'>\n\u202egnp.exe\u202c\u200b\u2066\u0007\u001b[31m';
    const queue = await world.queue({web: true, command: ['sh', '-c', hostile]});
    const page = await world.page(queue.link);
    await live(page);
    queue.ask(1, {program: hostile, resource: `/tmp/${hostile}`, named: hostile, rule: hostile, words: hostile, operation: 'read'});
    queue.ask(2, {resource: {base64: Buffer.from([0x2f, 0xff, 0xfe, 0x61]).toString('base64')}, operation: hostile});
    queue.send({do: 'deny', resource: hostile, program: hostile, rule: hostile});
    queue.send({do: 'connect', host: hostile});
    await press(page, '\\xff\\xfea', 'Deny');
    assert.deepEqual(await queue.next(), {answer: 'deny', reply: 2});
    await press(page, '/tmp/', 'For this session');
    assert.deepEqual(await queue.next(), {answer: 'session', reply: 1});
    await page.locator('.grant').waitFor();
    await page.locator('.event.connected').waitFor();
    const seen = await page.evaluate(() => ({
      pwned: window.pwned, text: document.body.innerText, scripts: document.scripts.length, images: document.images.length,
      handlers: [...document.querySelectorAll('*')].filter((each) => [...each.attributes].some((one) => one.name.startsWith('on'))).length,
      unseen: /[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u0007\u001b]/.test(document.documentElement.outerHTML),
    }));
    assert.deepEqual([seen.pwned, seen.scripts, seen.images, seen.handlers, seen.unseen], [undefined, 1, 1, 0, false]);
    for (const part of ['<script>window.pwned=1</script>', '\\u{202e}', '\\n', '\\u{200b}']) assert.ok(seen.text.includes(part), part);
    assert.deepEqual(page.problems, []);
  },

  'the resources and the cookies of the page': async (world) => {
    const queue = await world.queue({web: true});
    const page = await world.page(queue.link);
    await live(page);
    const origin = new URL(page.url()).origin;
    for (const each of page.requests) assert.equal(new URL(each).origin, origin);
    assert.ok(!page.requests.some((each) => each.includes(tokenOf(queue.link)) && !each.includes('#')));
    assert.deepEqual(await page.context().cookies(), []);
    const {headers} = await request(portOf(queue.link), '/');
    assert.match(headers['content-security-policy'], /^default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.match(headers['content-security-policy'], /frame-ancestors 'none'/);
    assert.deepEqual([headers['x-frame-options'], headers['x-content-type-options'], headers['referrer-policy'], headers['cache-control'], headers['set-cookie'],
      headers['access-control-allow-origin']], ['DENY', 'nosniff', 'no-referrer', 'no-store', undefined, undefined]);
    assert.deepEqual(page.problems, []);
  },

  'too much, too slow, too strange': async (world) => {
    const queue = await world.queue({web: true});
    const port = portOf(queue.link);
    const enter = (body, headers = json) => request(port, '/api/enter', {method: 'POST', headers, body}).then((answer) => answer.status, () => 'closed');
    for (const body of ['', '[]', '{', '{"token":1}', '{"token":"x","more":1}', 'null']) assert.equal(await enter(body), 400, body);
    assert.ok(['closed', 413].includes(await enter('x'.repeat(1 << 20))));
    assert.ok(['closed', 400, 413].includes(await request(port, '/', {headers: Object.fromEntries(Array.from({length: 300}, (_, i) => [`x-${i}`, 'y'.repeat(400)]))}).then((answer) => answer.status, () => 'closed')));
    assert.equal((await request(port, '/api/../etc/passwd')).status, 404);
    // An idle connection does not block other connections.
    const net = await import('node:net');
    const silent = Array.from({length: 60}, () => net.connect(port, '127.0.0.1').on('error', () => {}));
    queue.ask(1);
    const page = await world.page(queue.link);
    await decideOnOwnPage(queue, page);
    for (const each of silent) each.destroy();
  },
};
