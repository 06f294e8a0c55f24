// node_server.mjs: a small legacy server by hand, in node: progress, cancellation, roots, structured content.
// Not here: any library.
import readline from 'node:readline';

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\r\n');
const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const waiting = new Map();
let nextId = 1;
const ask = (method) => new Promise((done) => {
  const id = `node-${nextId++}`;
  waiting.set(id, done);
  send({ id, method });
});
const text = (words) => ({ content: [{ type: 'text', text: words }] });
const cancelled = new Set();

const tools = {
  double: async ({ n }) => ({ ...text(String(n * 2)), structuredContent: { n: n * 2 } }),
  lie: async () => ({ ...text('a lie'), structuredContent: { n: 'not a number' } }),
  roots: async () => text(JSON.stringify((await ask('roots/list')).result ?? (await ask('sampling/createMessage')).error)),
  slow: async ({ steps }, id, token) => {
    for (let i = 1; i <= steps; i++) {
      await new Promise((done) => setTimeout(done, 20));
      if (cancelled.has(id)) { process.stderr.write('cancelled as asked\n'); return undefined; }
      send({ method: 'notifications/progress', params: { progressToken: token, progress: i, total: steps, message: `step ${i} hunter2hunter2` } });
    }
    return text('slow but done');
  },
};

const handlers = {
  initialize: () => ({ protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: { name: 'node-small', version: '1.0' } }),
  'tools/list': () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' }, ...(name === 'double' || name === 'lie' ? { outputSchema: schema } : {}) })),
  }),
  'tools/call': ({ name, arguments: given, _meta }, id) => tools[name](given ?? {}, id, _meta?.progressToken),
};

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line);
  if (message.method === 'notifications/cancelled') cancelled.add(message.params.requestId);
  if (message.id === undefined) return;
  if (!message.method) { waiting.get(message.id)?.(message); return; }
  const handler = handlers[message.method];
  if (!handler) { send({ id: message.id, error: { code: -32601, message: 'no such method' } }); return; }
  const result = await handler(message.params ?? {}, message.id);
  if (result !== undefined) send({ id: message.id, result });
}).on('close', () => process.exit(0));
