// sdk_modern.mjs: a modern server on the official library: structured content, a question, a tool that comes later.
// Not here: the library, which is where MODULES says.
const { McpServer, acceptedContent, fromJsonSchema, inputRequired } =
  await import(`${process.env.MODULES}/@modelcontextprotocol/server/dist/index.mjs`);
const { serveStdio } = await import(`${process.env.MODULES}/@modelcontextprotocol/server/dist/stdio.mjs`);

const object = (properties) => fromJsonSchema({ type: 'object', properties, required: Object.keys(properties) });
const number = { type: 'number' };

serveStdio(() => {
  const server = new McpServer({ name: 'sdk-modern', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } }, instructions: 'Be kind.' });
  server.registerTool('add', { description: 'adds', inputSchema: object({ a: number, b: number }), outputSchema: object({ sum: number }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }));
  server.registerTool('greet', { description: 'asks for a name', inputSchema: object({}) }, async (_, context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, 'who');
    if (given) return { content: [{ type: 'text', text: `hello ${given.name}` }] };
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'who?', requestedSchema }) }, requestState: 'state-1' });
  });
  server.registerTool('grow', { description: 'adds a tool', inputSchema: object({}) }, async () => {
    server.registerTool('late', { description: 'came later', inputSchema: object({}) }, async () => ({ content: [] }));
    return { content: [{ type: 'text', text: 'grown' }] };
  });
  return server;
});
