/**
 * The program of the process that evaluates a definition. It is a text, because the built program, the packages and the tests keep
 * files in different places. Nothing here protects Tenon: the code that runs beside it can change it. The sandbox around the process
 * and the checks on the other side do; this gives results and messages that an author can use.
 */
export const EVALUATION = `
const [loader, file, limit] = process.argv.slice(1);
const { writeSync } = require('node:fs');
const { pathToFileURL } = require('node:url');
const { Worker } = require('node:worker_threads');
// Ends the process also when whoever started it is gone and the code never comes back. With little room for code: from Node.js 24 on that
// counts as memory, used or not.
const guard = 'setTimeout(() => process.kill(process.pid, "SIGKILL"), ' + Number(limit) + ')';
new Worker(guard, { eval: true, resourceLimits: { codeRangeSizeMb: 16 } }).unref();
const say = (answer) => {
  const bytes = Buffer.from(JSON.stringify(answer));
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(1, bytes, at);
    } catch (fault) {
      if (fault.code !== 'EAGAIN') throw fault;
    }
  }
  process.exit(0);
};
const fail = (fault) => say({ failure: String(fault?.message ?? fault).slice(0, 2000) });
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
// The standard output is for the result.
process.stdout.write = process.stderr.write.bind(process.stderr);

const kindOf = (value) => {
  if (typeof value !== 'object') return 'a ' + typeof value;
  return 'an instance of ' + (value.constructor?.name ?? 'an unknown class');
};
const plain = (value, path, above) => {
  const refuse = (what) => {
    throw new Error((path === '' ? 'its value' : path) + ' is ' + what + ', which is not plain data');
  };
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : refuse(String(value));
  if (typeof value !== 'object') return refuse(kindOf(value));
  if (above.includes(value)) return refuse('inside of itself');
  const around = [...above, value];
  if (Array.isArray(value)) return Array.from(value, (item, index) => plain(item, path + '[' + index + ']', around));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return refuse(kindOf(value));
  const result = {};
  for (const [name, item] of Object.entries(value)) {
    // An option that is not set.
    if (item === undefined) continue;
    const here = path === '' ? name : path + '.' + name;
    Object.defineProperty(result, name, { value: plain(item, here, around), enumerable: true });
  }
  return result;
};
(async () => {
  const { createJiti } = await import(pathToFileURL(loader).href);
  const jiti = createJiti(file, { fsCache: false, moduleCache: false, interopDefault: false });
  const module = await jiti.import(file);
  const given = module.default;
  if (given === undefined) throw new Error('it has no default export');
  const value = await (typeof given === 'function' ? given() : given);
  if (value === undefined) throw new Error('its function gives nothing');
  say({ value: plain(value, '', []) });
})().catch(fail);
`;
