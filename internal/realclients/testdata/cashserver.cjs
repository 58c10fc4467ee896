// A CaSH server, written from the RFC with version 1 of the TypeScript SDK, over stdio:
//
//   node cashserver.cjs
'use strict';

const { Server } = require('@modelcontextprotocol/sdk/server/index.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const types = require('@modelcontextprotocol/sdk/types.js');

const THRESHOLD = 10000;

// 5.1, 5.3: case and underscores do not count.
const canonical = (label) => label.replace(/_/g, '').toLowerCase();
const legal = (label) => /^[A-Za-z0-9_]*[A-Za-z0-9][A-Za-z0-9_]*$/.test(label);
const has = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

class Mistake extends Error {}

const stock = new Map([['P-7', 12], ['P-9', 0]]);
const orders = Array.from({ length: 400 }, (_, i) => ({ order_id: `ORD-${1000 + i}`, customer_id: `C-${i % 7}`, total: 12.5 * (1 + (i % 5)) }));

const fn = (about, returns, params, run) => ({ about, returns, params, run });
const param = (type, required, about, advanced) => ({ type, required, about, advanced });

const root = {
  spaces: {
    orders: {
      about: 'Create and manage customer orders.',
      functions: {
        get: fn('Retrieve an order by ID.', 'The order.', { order_id: param('string', true, 'The ID of the order.') }, ({ order_id }) => {
          const found = orders.find((o) => o.order_id === order_id);
          if (!found) throw new Mistake('There is no such order. Use `call(namespace="orders", function="list")` to see orders.');
          return found;
        }),
        list: fn('List orders with optional filters.', 'Array of orders.', {
          customer_id: param('string', false, 'Only orders of this customer.'),
          limit: param('integer', false, 'The most orders.'),
          offset: param('integer', false, 'How many orders to pass over.', true),
        }, ({ customer_id, limit, offset }) => orders
          .filter((o) => customer_id === undefined || o.customer_id === customer_id)
          .slice(offset || 0, (offset || 0) + (limit === undefined ? orders.length : limit))),
        echo: fn('Return a value.', 'The value.', { value: param('any', true, 'Any JSON.') }, ({ value }) => value),
      },
      spaces: {
        retail: {
          about: 'Retail channel orders.',
          functions: { summary: fn('Aggregate order statistics.', 'Object with total_orders.', {}, () => ({ total_orders: orders.length })) },
          spaces: {},
        },
      },
      skills: {
        createorderwithcheck: {
          about: 'Create an order after verifying stock.',
          inputs: ['product_id'],
          text: (inputs) => `# createorderwithcheck\n\n1. Call \`call(namespace="inventory", function="check")\` for the product ${inputs.productid || 'of the order'}.\n2. If it is available, tell the user that the order can be made.\n`,
        },
      },
    },
    inventory: {
      about: 'Query stock levels.',
      functions: {
        check: fn('Check whether a product is in stock.', 'Object with available.', { product_id: param('string', true, 'The product.') },
          ({ product_id }) => ({ available: (stock.get(product_id) || 0) > 0 })),
      },
      spaces: {},
    },
  },
  functions: {},
};

// find returns the entry of a table with a label of the same canonical form.
function find(table, label) {
  const key = Object.keys(table || {}).find((k) => canonical(k) === canonical(label));
  return key === undefined ? [] : [key, table[key]];
}

// resolve returns the path, in the server's spelling, and the namespace.
function resolve(namespace) {
  let space = root;
  const path = [];
  for (const label of namespace ? namespace.split('.') : []) {
    const [key, next] = legal(label) ? find(space.spaces, label) : [];
    if (!next) throw new Mistake(`**Error:** There is no namespace \`${namespace.slice(0, 80)}\`. Use \`help()\` to see namespaces.`);
    path.push(key);
    space = next;
  }
  return [path.join('.'), space];
}

function lookup(namespace, name) {
  const [path, space] = resolve(namespace);
  const [key, f] = legal(name) ? find(space.functions, name) : [];
  if (!f) {
    const where = path ? `help(namespace="${path}")` : 'help()';
    throw new Mistake(`**Error:** No function \`${name.slice(0, 80)}\` in namespace \`${path}\`. Use \`${where}\` to see available functions.`);
  }
  return [path ? `${path}.${key}` : key, f];
}

// text reads an optional argument of a tool.
function text(args, name) {
  const value = args[name];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new Mistake(`**Error:** \`${name}\` must be a string.`);
  return value;
}

function object(args) {
  const value = args.kwargs;
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new Mistake('**Error:** `kwargs` must be an object.');
  return value;
}

// named returns kwargs under the names of the parameters (5.3).
function named(params, kwargs, where) {
  const out = {};
  for (const [key, value] of Object.entries(kwargs)) {
    const [name, p] = find(params, key);
    if (!p) throw new Mistake(`**Error:** ${where} has no parameter \`${key.slice(0, 80)}\`. It has: ${Object.keys(params).join(', ') || 'none'}.`);
    if (has(out, name)) throw new Mistake(`**Error:** the parameter \`${name}\` is given twice.`);
    const type = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
    if (p.type !== 'any' && type !== p.type) throw new Mistake(`**Error:** \`${name}\` must be of type ${p.type}.`);
    out[name] = value;
  }
  for (const [name, p] of Object.entries(params)) {
    if (p.required && !has(out, name)) throw new Mistake(`**Error:** \`${name}\` is missing. Use help for the parameters of ${where}.`);
  }
  return out;
}

// call executes a function, and gates its result (7.2).
function call(args) {
  const name = text(args, 'function');
  if (!name) throw new Mistake('**Error:** `function` is missing. Use `help()` to see what there is.');
  let limit = THRESHOLD;
  if (args.sizelimit !== undefined && args.sizelimit !== null) {
    if (!Number.isInteger(args.sizelimit) || args.sizelimit < 1) throw new Mistake('**Error:** `sizelimit` must be a positive integer.');
    limit = args.sizelimit;
  }
  const [path, f] = lookup(text(args, 'namespace'), name);
  const result = f.run(named(f.params, object(args), path));
  const reply = JSON.stringify(result);
  const length = Array.from(reply).length;
  if (length <= limit) return reply;
  const count = Array.isArray(result) ? `${result.length} entries, ` : '';
  throw new Mistake(`**Gated:** Response exceeds size limit (${count}${length} characters).\n\nTo retrieve, either:\n- Add filters to narrow results\n- Pass \`sizelimit=${Math.ceil(length * 1.05)}\` to allow the full response through\n`);
}

// help returns one layer (6.1).
function help(args) {
  // 4.2: text must not be withheld because of arguments that are unknown.
  const options = {};
  for (const [key, value] of Object.entries(args.kwargs || {})) options[canonical(key)] = value;
  const namespace = text(args, 'namespace');
  const name = text(args, 'function');
  const page = name ? functionPage(namespace, name, options.params === 'full') : spacePage(namespace);
  return options.format === 'json' ? JSON.stringify(page.json) : page.markdown;
}

function spacePage(namespace) {
  const [path, space] = resolve(namespace);
  const spaces = Object.entries(space.spaces).map(([name, s]) => ({ name, description: s.about }));
  const functions = Object.entries(space.functions).map(([name, f]) => ({ name, description: f.about }));
  const list = (entries) => entries.map((e) => `- **${e.name}** — ${e.description}\n`).join('');
  if (!path) {
    return {
      json: { namespaces: spaces, arguments: ['format', 'params'] },
      markdown: `# Available Namespaces\n\n${list(spaces)}\nSupported arguments: \`format\` (json|markdown), \`params\` (full).\n`,
    };
  }
  let markdown = `# ${path}\n`;
  if (spaces.length) markdown += `\n## Sub-namespaces\n\n${list(spaces)}`;
  if (functions.length) markdown += `\n## Functions\n\n${list(functions)}`;
  return { json: { namespaces: spaces, functions }, markdown };
}

function functionPage(namespace, name, full) {
  const [path, f] = lookup(namespace, name);
  const shown = Object.entries(f.params).filter(([, p]) => full || !p.advanced);
  let markdown = `# ${path}\n\n${f.about}\n`;
  if (shown.length) {
    markdown += '\n## Parameters\n\n| Name | Type | Required | Description |\n|------|------|----------|-------------|\n';
    markdown += shown.map(([n, p]) => `| ${n} | ${p.type} | ${p.required ? 'yes' : 'no'} | ${p.about} |\n`).join('');
  }
  markdown += `\n## Returns\n\n${f.returns}\n`;
  if (shown.length < Object.keys(f.params).length) markdown += '\nAdditional parameters available with `params="full"`.\n';
  const parameters = shown.map(([n, p]) => ({ name: n, type: p.type, required: p.required, description: p.about }));
  return { json: { name: path, description: f.about, parameters, returns: f.returns }, markdown };
}

// skill lists skills, or returns the text of one (4.3).
function skill(args) {
  const namespace = text(args, 'namespace');
  const name = text(args, 'skillname');
  const [path, space] = resolve(namespace);
  if (!name) {
    const own = Object.entries(space.skills || {}).map(([n, k]) => `- **${n}** — ${k.about}\n`);
    const below = Object.entries(space.spaces).filter(([, sub]) => sub.skills).map(([n, sub]) => `- **${n}** — ${Object.keys(sub.skills).length} skills.\n`);
    let page = '# Skills\n';
    if (below.length) page += `\n## Namespaces with skills\n\n${below.join('')}`;
    if (own.length) page += `\n## Skills\n\n${own.join('')}`;
    return page;
  }
  const [key, found] = legal(name) ? find(space.skills, name) : [];
  if (!found) throw new Mistake(`**Error:** No skill \`${name.slice(0, 80)}\` in namespace \`${path}\`. Use \`skill()\` to see available skills.`);
  const inputs = {};
  for (const [k, value] of Object.entries(object(args))) {
    if (!found.inputs.some((i) => canonical(i) === canonical(k))) throw new Mistake(`**Error:** the skill \`${key}\` has no input \`${k.slice(0, 80)}\`.`);
    inputs[canonical(k)] = String(value);
  }
  return found.text(inputs);
}

const string = (description) => ({ type: 'string', description });
const kwargs = (description) => ({ type: 'object', description });
const tools = {
  call: {
    run: call,
    description: 'Execute a function of this server. Find functions with help.',
    inputSchema: {
      type: 'object',
      properties: {
        namespace: string('Namespace, with dots between levels. Empty is the root.'), function: string('Function name.'),
        kwargs: kwargs('Arguments of the function.'), sizelimit: { type: 'integer', description: 'Most characters of the response.' },
      },
      required: ['function'],
    },
  },
  help: {
    run: help,
    description: 'List namespaces, the functions of a namespace, or the parameters of a function.',
    inputSchema: {
      type: 'object',
      properties: { namespace: string('Namespace. Empty is the root.'), function: string('Function name.'), kwargs: kwargs('Further arguments; help() lists them.') },
    },
  },
  skill: {
    run: skill,
    description: 'List task instructions, or return one.',
    inputSchema: {
      type: 'object',
      properties: { namespace: string('Namespace. Empty is the root.'), skillname: string('Skill name. Empty lists skills.'), kwargs: kwargs('Inputs of the skill.') },
    },
  },
};

const manifest = {
  cash_version: '0.1.1', last_updated: '2026-04-24', publisher: 'RFC Example', endpoint: 'stdio:cashserver',
  namespaces: [
    { suggested: 'orders', description: root.spaces.orders.about },
    { suggested: 'inventory', description: root.spaces.inventory.about },
  ],
};

const server = new Server({ name: 'cashserver', version: '1.0.0' }, { capabilities: { tools: {}, resources: {} } });
server.setRequestHandler(types.ListToolsRequestSchema, async () => ({
  tools: Object.entries(tools).map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })),
}));
server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
  if (!has(tools, params.name)) throw new types.McpError(types.ErrorCode.InvalidParams, 'There are three tools: call, help and skill.');
  try {
    return { content: [{ type: 'text', text: tools[params.name].run(params.arguments || {}) }] };
  } catch (e) {
    if (!(e instanceof Mistake)) process.stderr.write(`${e.stack}\n`);
    return { isError: true, content: [{ type: 'text', text: e instanceof Mistake ? e.message : '**Error:** the server failed.' }] };
  }
});
server.setRequestHandler(types.ListResourcesRequestSchema, async () => ({
  resources: [{ uri: 'cash://server', name: 'server', mimeType: 'application/json' }],
}));
server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params }) => {
  if (params.uri !== 'cash://server') throw new types.McpError(-32002, 'There is one resource: cash://server.');
  return { contents: [{ uri: params.uri, mimeType: 'application/json', text: JSON.stringify(manifest) }] };
});
server.connect(new StdioServerTransport());
