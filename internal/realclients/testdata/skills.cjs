// The TypeScript client of the skills extension (@olaservo/ext-skills, on version 2 of the TypeScript SDK). It imports all
// skills of a server as a host does, and writes what it has found as one JSON text:
//
//   node skills.cjs <address> <protocol version>
//
// The client itself compares digests and front matter, and fails if they differ.
'use strict';

const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');

async function main([address, version]) {
  // The package has ES modules only, which are not found through NODE_PATH.
  const file = path.join(process.env.NODE_PATH, '@olaservo', 'ext-skills', 'dist', 'client', 'index.js');
  const ext = await import(pathToFileURL(file).href);
  const mode = version < '2026' ? 'legacy' : { pin: version };
  const client = new Client({ name: 'realclients', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(address)));
  const found = {
    version: client.getNegotiatedProtocolVersion?.() ?? '',
    supports: ext.serverSupportsSkills(client),
    directories: ext.serverSupportsDirectoryRead(client),
    skills: [],
    unknown: 0,
  };
  for (const entry of await ext.listSkills(client)) {
    const again = await ext.getSkill(client, entry.uri);
    const skill = {
      uri: entry.uri,
      name: entry.frontmatter.name,
      dynamic: entry.resources === ext.DYNAMIC_RESOURCES,
      same: JSON.stringify(again) === JSON.stringify(entry),
      limits: ext.checkSkillLimits(entry),
      files: [],
    };
    const text = await ext.readSkill(client, entry, { allowUnverified: skill.dynamic });
    skill.text = text;
    if (!skill.dynamic) {
      for (const resource of entry.resources) {
        if (resource.uri !== entry.uri) await ext.readSkillResource(client, entry, resource.uri);
        skill.files.push(resource.uri);
      }
      skill.walked = await ext.walkDirectory(client, entry.uri.replace(/\/SKILL\.md$/, ''));
    }
    found.skills.push(skill);
  }
  try {
    await ext.getSkill(client, 'skill://no-such/skill/SKILL.md');
  } catch (e) {
    found.unknown = e.code;
  }
  await client.close();
  process.stdout.write(JSON.stringify(found));
}

main(process.argv.slice(2)).catch((e) => {
  process.stderr.write(`${e.stack}\n`);
  process.exit(1);
});
