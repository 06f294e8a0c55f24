// runs.mjs: real commands in a real sandbox that wait for the page. Not here: the users (run).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {card, later, live, press} from './world.mjs';

// A home with a workspace, and a file outside of it.
function place(world) {
  const base = fs.mkdtempSync(path.join(process.getuid() === 0 ? '/srv' : os.homedir(), 'pinfold-page-'))  // not in a temporary directory: those are private;
  world.cleanups.push(() => fs.rmSync(base, {recursive: true, force: true}));
  const made = {base, home: path.join(base, 'home'), work: path.join(base, 'home/work'), outside: path.join(base, 'outside')};
  for (const folder of [made.home, made.work, made.outside]) fs.mkdirSync(folder);
  fs.writeFileSync(path.join(made.outside, 'file'), 'outside file text\n');
  fs.chmodSync(base, 0o755);
  return made;
}

async function asking(world, at, script, flags = []) {
  const run = world.start('env', [`HOME=${at.home}`, process.env.PINFOLD, 'run', '--ask', 'web', '--cwd', at.work, '--workspace', at.work, ...flags, '--', 'sh', '-c', script]);
  const link = await new Promise((done, failed) => {
    let errors = '';
    run.child.stderr.on('data', (data) => {
      errors += data;
      const found = /(http:\/\/\S+)/.exec(errors);
      if (found) done(found[1]);
    });
    run.ended.then(() => failed(new Error(errors)));
  });
  const page = await world.page(link);
  await live(page);
  return {...run, page};
}

export default {
  'run: a real program goes on once it is allowed': async (world) => {
    const at = place(world);
    const run = await asking(world, at, `echo begun; cat ${at.outside}/file; echo ended $?`);
    assert.equal(await run.lines.next(), 'begun');
    await press(run.page, 'outside/file', 'Allow once');
    assert.equal(await run.lines.next(), 'outside file text');
    assert.equal(await run.lines.next(), 'ended 0');
    assert.equal(await run.ended, 0);
  },

  'run: a real program that is denied gets an error': async (world) => {
    const at = place(world);
    const run = await asking(world, at, `cat ${at.outside}/file 2>&1; echo ended $?`);
    await press(run.page, 'outside/file', 'Deny');
    assert.match(await run.lines.next(), /Permission denied/);
    assert.equal(await run.lines.next(), 'ended 1');
  },

  'run: a grant revoked while it is in use': async (world) => {
    const at = place(world);
    const run = await asking(world, at, `exec 3< ${at.outside}/file; echo open; read go; cat <&3; cat ${at.outside}/file 2>&1; echo ended $?`);
    await press(run.page, 'outside/file', 'For this session');
    assert.equal(await run.lines.next(), 'open');
    await run.page.getByRole('button', {name: 'Revoke'}).click();
    await run.page.getByRole('button', {name: 'Revoke'}).waitFor({state: 'detached'});
    run.child.stdin.write('go\n');
    assert.equal(await run.lines.next(), 'outside file text');  // an open descriptor stays open
    await press(run.page, 'outside/file', 'Deny');  // asked again
    assert.match(await run.lines.next(), /Permission denied/);
    assert.equal(await run.lines.next(), 'ended 1');
  },

  'run: a directory in which a file is open for writing stays writable when its grant is revoked': async (world) => {
    const at = place(world);
    const run = await asking(world, at, `exec 3> ${at.outside}/made; echo open; read go; exec 3>&-; echo closed; read go; { echo x > ${at.outside}/more; } 2>&1; echo ended $?`, ['--read', at.outside]);
    await press(run.page, 'outside', 'For this session');
    assert.equal(await run.lines.next(), 'open');
    await run.page.getByRole('button', {name: 'Revoke'}).click();
    await run.page.getByText(/Not revoked: .*outside stays writable: a process in the sandbox has a file open for writing there/).waitFor();
    run.child.stdin.write('go\n');
    assert.equal(await run.lines.next(), 'closed');
    await run.page.getByRole('button', {name: 'Revoke'}).click();
    await run.page.getByRole('button', {name: 'Revoke'}).waitFor({state: 'detached'});
    run.child.stdin.write('go\n');
    await press(run.page, 'outside', 'Deny');
    assert.match(await run.lines.next(), /Permission denied/);
    await run.lines.next();
    assert.equal(fs.existsSync(path.join(at.outside, 'more')), false);
  },

  'run: a run that ends takes its page along': async (world) => {
    const at = place(world);
    const run = await asking(world, at, `cat ${at.outside}/file`);
    await card(run.page, 'outside/file').waitFor();
    run.child.kill('SIGKILL');
    await run.ended;
    await run.page.waitForSelector('body:not([data-state="live"])');
    await later(100);
    assert.equal(fs.existsSync(path.join(world.runtime, 'pinfold')) ? fs.readdirSync(path.join(world.runtime, 'pinfold')).filter((each) => each.length > 20).length : 0, 0);
  },
};
