// A server of the SDK for the revision 2026-07-28 alone, over stdio, or over HTTP: node newest.mjs [--http] [--both]
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const knowsBoth = process.argv.includes('--both');

function make({ era }) {
  const server = new McpServer({ name: 'newest', version: '1' }, { capabilities: { tools: {} }, instructions: 'New.' });
  server.registerTool('era', { description: 'Says which protocol is spoken' }, () => ({
    content: [{ type: 'text', text: era }],
  }));
  return server;
}

if (process.argv.includes('--http')) {
  const handler = createMcpHandler(make, { legacy: knowsBoth ? 'stateless' : 'reject' });
  const http = createServer(async (request, response) => {
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method,
        headers: request.headers,
        ...(request.method === 'POST' && { body: Readable.toWeb(request), duplex: 'half' }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) Readable.fromWeb(answer.body).pipe(response);
    else response.end();
  });
  http.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`));
} else serveStdio(make, { legacy: knowsBoth ? 'serve' : 'reject' });
