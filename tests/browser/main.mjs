// main.mjs: runs the cases one after the other and counts.
import {World} from './world.mjs';
import attacks from './attacks.mjs';
import cases from './cases.mjs';
import plugins from './plugins.mjs';
import runs from './runs.mjs';

const wanted = process.argv.slice(2);
const world = await World.open();
let passed = 0;
let failed = 0;
for (const [name, body] of Object.entries({...cases, ...attacks, ...plugins, ...runs})) {
  if (wanted.length && !wanted.some((word) => name.includes(word))) continue;
  const began = Date.now();
  try {
    await world.run(body);
    ++passed;
    console.log(`ok    ${name} (${Date.now() - began} ms)`);
  } catch (problem) {
    ++failed;
    console.log(`FAIL  ${name}\n${String(problem && problem.stack).replace(/^/gm, '        ')}`);
  }
}
await world.close();
if (!passed && !failed) failed = 1;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
