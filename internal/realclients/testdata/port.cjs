// Writes the port of each server of this process to standard error, as soon as it can be connected to:
//
//   node --require ./port.cjs server.js
'use strict';

require('node:diagnostics_channel').subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => {
  process.stderr.write(`bound to port ${server.address().port}\n`);
});
