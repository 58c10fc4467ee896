// A server with the skills extension, made with @olaservo/ext-skills and version 2 of the TypeScript SDK, over stdio:
//
//   node skillserver.cjs <folder of skills>
'use strict';

const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { McpServer } = require('@modelcontextprotocol/server');
const { serveStdio } = require('@modelcontextprotocol/server/stdio');

async function main([folder]) {
  // The package has ES modules only, which are not found through NODE_PATH.
  const file = path.join(process.env.NODE_PATH, '@olaservo', 'ext-skills', 'dist', 'server', 'index.js');
  const { discoverSkills, registerSkillResources } = await import(pathToFileURL(file).href);
  const skills = discoverSkills(folder);
  serveStdio(() => {
    const server = new McpServer({ name: 'skills', version: '1.0.0' }, { capabilities: { resources: {}, tools: {} } });
    server.registerTool('ping', { description: 'Answer.' }, async () => ({ content: [{ type: 'text', text: 'pong' }] }));
    registerSkillResources(server, skills, folder, { template: true, directoryRead: true });
    return server;
  });
}

main(process.argv.slice(2)).catch((e) => {
  process.stderr.write(`${e.stack}\n`);
  process.exit(1);
});
