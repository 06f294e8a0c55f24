// world.mjs: queues, pages and browsers for the cases, and their end.
// Invariant: each process of a case ends with it. Not here: expected results.
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

const {chromium} = await import(process.env.PLAYWRIGHT);
const pinfold = process.env.PINFOLD;
const LONG = 60_000;

export const later = (ms) => new Promise((done) => setTimeout(done, ms));

// Lines of a process, one after the other.
class Lines {
  constructor(stream) {
    this.unread = [];
    this.readers = [];
    readline.createInterface({input: stream}).on('line', (line) => {
      const reader = this.readers.shift();
      if (reader) reader(line);
      else this.unread.push(line);
    });
  }
  async next() {
    if (this.unread.length) return this.unread.shift();
    return new Promise((done, failed) => {
      const timer = setTimeout(() => failed(new Error('no line came')), LONG);
      this.readers.push((line) => { clearTimeout(timer); done(line); });
    });
  }
}

export class World {
  static async open() {
    const world = new World();
    world.browser = await chromium.launch({executablePath: '/usr/bin/chromium',
      args: ['--host-resolver-rules=MAP rebound.example 127.0.0.1', '--disable-gpu']});
    return world;
  }

  async close() {
    await this.browser.close();
  }

  // One case, with a runtime directory and a browser profile of its own.
  async run(body) {
    this.cleanups = [];
    this.runtime = fs.mkdtempSync(path.join(os.tmpdir(), 'pinfold-browser-'));
    fs.chmodSync(this.runtime, 0o700);
    try {
      await body(this);
    } finally {
      for (const each of this.cleanups.reverse()) await each();
      fs.rmSync(this.runtime, {recursive: true, force: true});
    }
  }

  start(program, words, env = {}) {
    const child = spawn(program, words, {env: {...process.env, XDG_RUNTIME_DIR: this.runtime, ...env}, stdio: ['pipe', 'pipe', 'pipe']});
    const ended = new Promise((done) => child.on('exit', done));
    child.stdin.on('error', () => {});
    this.cleanups.push(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    });
    return {child, ended, lines: new Lines(child.stdout), pid: child.pid};
  }

  // A queue of questions; with {web: true} it has a page of its own.
  async queue({web = false, command = ['npm', 'run', 'build']} = {}) {
    const process = this.start(path.join(path.dirname(pinfold), 'approval_driver'), [...(web ? ['--web'] : []), ...command]);
    const queue = {...process, id: JSON.parse(await process.lines.next()).id};
    if (web) queue.link = JSON.parse(await process.lines.next()).link;
    queue.send = (message) => process.child.stdin.write(`${JSON.stringify(message)}\n`);
    queue.ask = (id, more = {}) => queue.send({do: 'ask', id, resource: `/home/ada/.ssh/key-${id}`, ...more});
    queue.next = async () => JSON.parse(await process.lines.next());
    queue.end = async () => { process.child.stdin.end(); await process.ended; };
    return queue;
  }

  // `pinfold web`, with its link.
  async web(...flags) {
    const process = this.start(pinfold, ['web', ...flags]);
    return {...process, link: await process.lines.next()};
  }

  async command(...words) {
    const {child, ended, lines} = this.start(pinfold, words);
    let errors = '';
    child.stderr.on('data', (data) => { errors += data; });
    const code = await ended;
    return {code, out: lines.unread.join('\n'), errors};
  }

  // A profile that shares nothing with others.
  async window(options = {}) {
    const context = await this.browser.newContext({viewport: {width: 1280, height: 900}, ...options});
    context.setDefaultTimeout(LONG);
    this.cleanups.push(() => context.close());
    return context;
  }

  async page(link, options = {}) {
    const context = await this.window(options);
    const page = await context.newPage();
    page.problems = [];
    page.requests = [];
    page.on('pageerror', (error) => page.problems.push(String(error)));
    page.on('dialog', (dialog) => { page.problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('console', (message) => { if (message.type() === 'error') page.problems.push(message.text()); });
    page.on('request', (request) => page.requests.push(request.url()));
    await page.goto(link);
    return page;
  }

  // A page of another site, on another port.
  async stranger(html) {
    const server = http.createServer((request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(html);
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    this.cleanups.push(() => new Promise((done) => { server.close(done); server.closeAllConnections(); }));
    return `http://127.0.0.1:${server.address().port}/`;
  }
}

export const live = (page) => page.waitForSelector('body[data-state="live"]');
export const card = (page, text) => page.locator('.card', {hasText: text});
export const armed = (page, text) => page.locator('.card[data-armed="yes"]', {hasText: text}).waitFor();
export const secretOf = (page) => page.evaluate(() => sessionStorage.getItem('pinfold-secret'));
export const portOf = (link) => Number(new URL(link).port);
export const tokenOf = (link) => new URL(link).hash.slice(1);

export async function press(page, text, button) {
  await armed(page, text);
  await card(page, text).getByRole('button', {name: button}).click();
}

// A request without a browser: {status, text, headers}.
export function request(port, target, {method = 'GET', headers = {}, body} = {}) {
  return new Promise((done, failed) => {
    const made = http.request({host: '127.0.0.1', port, path: target, method, headers, agent: false}, (response) => {
      let text = '';
      response.on('data', (data) => { text += data; });
      response.on('end', () => done({status: response.statusCode, text, headers: response.headers}));
    });
    made.setTimeout(LONG, () => made.destroy(new Error('no answer')));
    made.on('error', failed);
    made.end(body);
  });
}
