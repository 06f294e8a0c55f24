// pages.mjs: three pages of the built site in Chromium, light and dark: title, navigation, search, and every request it makes.
//   node pages.mjs [--screenshots DIR]      PLAYWRIGHT names playwright-core's index.mjs
// Invariant: a request to any other host fails. Not here: links and anchors (tools/check-site).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const {chromium} = await import(process.env.PLAYWRIGHT);
const SITE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../build/site');
const TYPES = {'.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png'};
const pictures = process.argv[2] === '--screenshots' ? process.argv[3] : undefined;

// The page, its title, a link of its navigation, and a word that search must find with the page that it is on.
const PAGES = [
  {page: 'index.html', title: 'Pinfold', link: 'Getting started', word: 'landlock', found: 'backends.html'},
  {page: 'reference/policy.html', title: 'Policy keys', link: 'Presets', word: 'allow_absolute', found: 'policy.html'},
  {page: 'design/architecture.html', title: 'Architecture', link: 'Threat model', word: 'quarantine', found: 'glossary.html', drawings: 2},
];

function serve() {
  const server = http.createServer((request, response) => {
    const file = path.join(SITE, path.normalize(decodeURIComponent(new URL(request.url, 'http://127.0.0.1/').pathname)));
    fs.readFile(file, (error, data) => {
      response.writeHead(error ? 404 : 200, {'Content-Type': TYPES[path.extname(file)] ?? 'application/octet-stream'});
      response.end(data);
    });
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

// Opens a page; everything that went wrong on it is in `problems` at the end.
async function look(browser, base, {page: name, title, link, word, found, drawings}, scheme) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, colorScheme: scheme});
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  page.on('response', (response) => { if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`); });
  await context.route('**/*', (route) => {
    const url = route.request().url();
    if (url.startsWith(base) || url.startsWith('data:') || url.startsWith('blob:')) return route.continue();
    problems.push(`outside: ${url}`);
    return route.abort();
  });
  try {
    await page.goto(base + name, {waitUntil: 'load'});
    if (pictures) await page.screenshot({path: path.join(pictures, `${name.replaceAll('/', '-')}-${scheme}.png`), fullPage: true});
    assert.ok((await page.title()).includes(title), await page.title());
    assert.equal(await page.locator('h1').count(), 1);
    assert.ok(await page.locator('.md-nav--primary').getByRole('link', {name: link, exact: true}).isVisible(), `no link ${link}`);
    const text = await page.locator('article').innerText();
    assert.ok(text.length > 1000, `only ${text.length} characters`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the window');
    const expected = scheme === 'dark' ? 'slate' : 'default';
    assert.equal(await page.locator('body').getAttribute('data-md-color-scheme'), expected);
    const sizes = await page.locator('article img').evaluateAll((all) => all.map((one) => one.naturalWidth));
    assert.ok(sizes.length >= (drawings ?? 0) && sizes.every((width) => width > 0), `drawings: ${sizes}`);
    // The worker of the search takes words only when it has read the index.
    await page.locator('.md-search-result__meta', {hasText: 'Type to start searching'}).waitFor({state: 'attached'});
    await page.locator('.md-search__input').pressSequentially(word);
    await page.locator(`.md-search-result__link[href*="${found}"]`).first().waitFor();
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}

const server = await serve();
const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--disable-gpu']});
let failed = 0;
for (const one of PAGES) {
  for (const scheme of ['light', 'dark']) {
    try {
      await look(browser, `http://127.0.0.1:${server.address().port}/`, one, scheme);
      console.log(`ok    ${one.page}, ${scheme}`);
    } catch (problem) {
      ++failed;
      console.log(`FAIL  ${one.page}, ${scheme}\n${String(problem && problem.stack).replace(/^/gm, '        ')}`);
    }
  }
}
await browser.close();
server.close();
server.closeAllConnections();
process.exit(failed ? 1 : 0);
