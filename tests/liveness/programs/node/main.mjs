// Threads, child processes, timers, a local server and fetch: what a build tool on node uses.
import { spawnSync, execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { watch, writeFileSync } from 'node:fs';
import assert from 'node:assert';

const sums = await Promise.all([1, 2, 3, 4].map((n) => new Promise((done, failed) => {
  const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData: n });
  worker.once('message', done).once('error', failed);
})));
assert.deepEqual(sums, [500000, 1000000, 1500000, 2000000]);

assert.equal(spawnSync('sh', ['-c', 'echo $((6 * 7))']).stdout.toString(), '42\n');
const { stdout } = await promisify(execFile)(process.execPath, ['-p', '1 + 1']);
assert.equal(stdout, '2\n');

const server = createServer((request, response) => response.end('pong')).listen(0, '127.0.0.1');
await new Promise((done) => server.once('listening', done));
assert.equal(await (await fetch(`http://127.0.0.1:${server.address().port}/`)).text(), 'pong');
server.closeAllConnections();
server.close();

await new Promise((done) => {
  const watcher = watch('.', () => { watcher.close(); done(); });
  writeFileSync('watched', 'x');
});
console.log('workers, children, fetch, watch: fine');
