// The TypeScript SDK as a client of MCP servers, driven line by line: each line
// of standard input is a request in JSON, and the line of standard output in its
// place is {"result":...} or {"error":{"code":...,"message":...}}.
//
//   {"connection":"a","do":"connect","params":{"make":"v2","version":"2026-07-28","target":["http://..."]}}
//   {"connection":"a","do":"callTool","params":{"name":"orders-get","arguments":{}}}
//   {"connection":"a","do":"close"}
//
// Whatever else is a method of the SDK's Client, which sees to the protocol. The
// target is an address, or a program and its arguments.
'use strict';

const readline = require('node:readline');

// v1 is what most clients are made of, and ends with 2025-11-25; v2 speaks both
// generations.
const makes = {
  v1: {
    ...require('@modelcontextprotocol/sdk/client'),
    ...require('@modelcontextprotocol/sdk/client/stdio.js'),
    ...require('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  },
  v2: {
    ...require('@modelcontextprotocol/client'),
    ...require('@modelcontextprotocol/client/stdio'),
  },
};

const connections = new Map();

async function connect(name, { make, version, target: [first, ...rest] }) {
  const sdk = makes[make];
  const transport = /^https?:/.test(first)
    ? new sdk.StreamableHTTPClientTransport(new URL(first))
    : new sdk.StdioClientTransport({ command: first, args: rest });
  const client = new sdk.Client(
    { name: 'realclients', version: '1.0.0' },
    make === 'v2' ? { versionNegotiation: { mode: modeOf(version) } } : undefined,
  );
  await client.connect(transport);
  connections.set(name, { client, transport });
  return {
    // v1 keeps it only where the transport has to repeat it.
    version: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? '',
    session: transport.sessionId ?? '',
    instructions: client.getInstructions() ?? '',
    capabilities: client.getServerCapabilities(),
  };
}

function modeOf(version) {
  if (version === 'auto') return 'auto';
  return version < '2026' ? 'legacy' : { pin: version };
}

async function close(name) {
  const { client, transport } = connections.get(name);
  connections.delete(name);
  await transport.terminateSession?.();
  await client.close();
  return {};
}

async function answer({ connection, do: method, params }) {
  if (method === 'connect') return connect(connection, params);
  if (method === 'close') return close(connection);
  return connections.get(connection).client[method](params);
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let reply;
    try {
      reply = { result: await answer(JSON.parse(line)) };
    } catch (e) {
      reply = { error: { code: e.code ?? 0, message: String(e.message) } };
    }
    process.stdout.write(JSON.stringify(reply) + '\n');
  }
  await Promise.all([...connections.keys()].map(close));
}

main();
