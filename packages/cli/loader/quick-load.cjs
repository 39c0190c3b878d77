/**
 * Loads the program's modules from one file, with the code that V8 compiled in an earlier run. Finding, linking and
 * compiling a hundred ES modules takes longer than running them; here a module is a piece of one file that is read once,
 * and its compiled form a piece of another one in the user's cache folder. `scripts/program/quick-program.mjs` makes the file.
 *
 * Plain JavaScript, because it is copied into the program as it is. CommonJS, because Node's loader of ES modules takes longer than the start of a plugin.
 */
'use strict';
const {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { homedir, userInfo } = require('node:os');
const { basename, dirname, isAbsolute, join, posix, sep } = require('node:path');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');

/** What is read is used at once, and then no more: one place for all of it, instead of garbage for the collector. */
let room;
const dist = __dirname;
const distUrl = pathToFileURL(dist + sep).href;
/** Kept open: a newer build may replace the file while this process still needs modules of its own. */
const program = openSync(join(dist, 'program.txt'), 'r');
const { id, regions: regionPlaces, others: othersPlace } = JSON.parse(readFileSync(join(dist, 'program.json'), 'utf8'));
/** Modules that are in no region, or in one that most starts do without. Hundreds, of which a start needs a few at most: read when one of them is wanted. */
let others;
const cacheFile = join(cacheFolder(), `${id}-${process.version}-${process.arch}.bin`);
/** There while a start uses the user's compiled code for the first seconds: V8 runs damaged code until it crashes. */
const trial = `${cacheFile}.trial`;
let isOnTrial = false;
/** What lies in the place of the user's file is somebody else's: it is neither used nor replaced. */
let isTaken = false;
/** The file of compiled code, kept open like the program, and where each module's code is in it. */
let compiled = openCompiled(beginTrial);
const loaded = new Map();
/** Modules that are loaded together are one script: a hundred small ones take longer. `used` are those of it that have run, `kept` those whose code the file has. */
const regions = regionPlaces.map(([from, length], index) => ({
  name: `program-${index}.js`,
  from,
  length,
  used: new Set(),
  kept: new Set(),
}));
/** In which region a module is, and where in the list that the region's script gives. */
const places = new Map();
for (const [index, [, , , , members = []]] of regionPlaces.entries())
  for (let place = 0; place < members.length; place++) places.set(members[place], [index, place]);
/** Scripts whose code V8 did not take: what they have now replaces it, however short. */
const refused = new Set();
/** Scripts that had to be compiled in this run. */
const fresh = new Map();
/** Code that is not in the file yet. */
const made = new Map();
const nodeRequire = require;
/** Modules of Node that most starts can do without: loaded when something of them is used. OpenSSL alone takes longer than a frame. */
const LATER = new Map(['node:child_process', 'node:crypto', 'node:readline'].map((name) => [name, laterModule(name)]));

/**
 * Flags of V8 by its version: as they come, `patient` for a program on a screen, which mostly waits, and `saving` for the start of one
 * that serves another program. Other versions are left alone.
 * - A function is optimized when it has run for longer. While an answer streams, the optimizing compiler takes a quarter of
 *   the CPU time for functions that run a little now and then; what is really busy gets there within milliseconds.
 * - The young generation stays as large as it is by then, and garbage is collected when the heap has grown by 15 %.
 * - A start lets the young generation grow to 16 MB, which it never gives back. Kept small, it saves 5 MB for a tenth of the CPU time of the start.
 */
const FLAGS = {
  // Node 20 counts what runs.
  11.3: {
    usual: '--interrupt-budget=67584 --semi-space-growth-factor=2 --heap-growing-percent=0',
    saving: '--interrupt-budget=67584 --semi-space-growth-factor=1 --heap-growing-percent=0',
    patient: '--interrupt-budget=1000000 --semi-space-growth-factor=1 --heap-growing-percent=15',
  },
  // Node 22 counts calls.
  12.4: {
    usual: '--invocation-count-for-turbofan=3000 --semi-space-growth-factor=2 --heap-growing-percent=0',
    saving: '--invocation-count-for-turbofan=3000 --semi-space-growth-factor=1 --heap-growing-percent=0',
    patient: '--invocation-count-for-turbofan=45000 --semi-space-growth-factor=1 --heap-growing-percent=15',
  },
  // Node 24 has a second optimizing compiler, and with it another count for the first than `--v8-options` says.
  13.6: {
    usual:
      '--invocation-count-for-turbofan=10000 --invocation-count-for-maglev=400 --semi-space-growth-factor=2 --heap-growing-percent=0',
    saving:
      '--invocation-count-for-turbofan=10000 --invocation-count-for-maglev=400 --semi-space-growth-factor=1 --heap-growing-percent=0',
    patient:
      '--invocation-count-for-turbofan=150000 --invocation-count-for-maglev=6000 --semi-space-growth-factor=1 --heap-growing-percent=15',
  },
};
const flags = FLAGS[process.versions.v8.split('.', 2).join('.')];
let present = 'usual';
/** A start has other things to do, and Node's own modules lose their compiled form with other flags. */
const PATIENT_AFTER_MS = 3_000;
setTimeout(() => {
  setFlags([0, 1].every((stream) => nodeRequire('node:tty').isatty(stream)) ? 'patient' : 'usual');
  room = undefined;
  endTrial();
  void keepCompiled();
}, PATIENT_AFTER_MS).unref();
if (servesAProgram(process.argv.slice(2))) setFlags('saving');

/** Editors and programs keep such a process for hours, mostly waiting: `--mode rpc`, `acp`. */
function servesAProgram(words) {
  return (
    words[0] === 'acp' ||
    words.some((word, at) => word === '--mode=rpc' || (word === '--mode' && words[at + 1] === 'rpc'))
  );
}

function setFlags(wanted) {
  if (present === wanted || !flags) return;
  present = wanted;
  nodeRequire('node:v8').setFlagsFromString(flags[wanted]);
}

/** `./name.js`, and `./folder/name.js`: no part of it means another folder. */
const PLAIN = /^(?:\.\/)[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;
const SAFE_IN_URLS = /^[\w./-]*$/;

function urlOf(name) {
  return SAFE_IN_URLS.test(name) ? distUrl + name : pathToFileURL(join(dist, name)).href;
}

/** Gives the exports of a module of the program, named by its path in the build. */
function load(name) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const folder = posix.dirname(name);
  const prefix = folder === '.' ? '' : `${folder}/`;
  // Nearly all of them are written plainly; to make a path takes as long as to find the module.
  const inside = (specifier) => (PLAIN.test(specifier) ? prefix + specifier.slice(2) : posix.join(folder, specifier));
  const require = (specifier) =>
    specifier.startsWith('.') ? load(inside(specifier)) : (LATER.get(specifier) ?? nodeRequire(specifier));
  // As import() does: never before the caller has gone on, and a failure is a rejection.
  const importLater = async (specifier) => {
    await undefined;
    const text = String(specifier);
    // A module that threads load, too, is there as an ES module only.
    if (text.startsWith('.')) return placeOf(inside(text)) ? load(inside(text)) : import(urlOf(inside(text)));
    return text.startsWith('node:') ? ofNode(nodeRequire(text)) : import(text);
  };
  functionOf(name)(module.exports, require, module, importLater, urlOf(name), exportAll, textAt);
  return module.exports;
}

/** Names what a module exports; the values may change. */
function exportAll(exports, getters) {
  for (const name in getters) Object.defineProperty(exports, name, { get: getters[name], enumerable: true });
}

/** Where a module is: in a region, or in a piece of its own. */
function placeOf(name) {
  return places.get(name) ?? (others ??= JSON.parse(textAt(...othersPlace)))[name];
}

/** What runs a module: a function of a region's list, or a script of its own. */
function functionOf(name) {
  const found = placeOf(name);
  // A piece of its own has three numbers.
  if (found.length > 2) return compile(name, ...found).runInThisContext();
  const [index, place] = found;
  const region = regions[index];
  region.script ??= compile(region.name, region.from, region.length, 'latin1');
  region.functions ??= region.script.runInThisContext();
  region.used.add(place);
  return region.functions[place];
}

/** What import() gives for a module of Node, without Node's loader of ES modules, which takes some milliseconds to get going. */
function ofNode(module) {
  return { __proto__: module, default: module };
}

function laterModule(name) {
  let module;
  const of = (work) => (_, key) => work((module ??= nodeRequire(name)), key);
  const descriptor = (target, key) => {
    const found = Reflect.getOwnPropertyDescriptor(target, key);
    // What the empty object of the proxy does not have cannot be fixed.
    return found && { ...found, configurable: true };
  };
  return new Proxy(
    {},
    {
      get: of(Reflect.get),
      has: of(Reflect.has),
      ownKeys: of(Reflect.ownKeys),
      getOwnPropertyDescriptor: of(descriptor),
    },
  );
}

/** Node keeps a text outside of V8's heap from 1,031,913 bytes on: there it is not copied, and brings no collection nearer. */
const LEAST_BYTES = 1_040_000;
const WORTH_FILLING = LEAST_BYTES / 2;

/** The text of a script, with blanks behind it where that makes it long enough. */
function scriptAt(from, length, encoding) {
  const bytes = readPiece(program, from, length);
  if (encoding !== 'latin1' || length < WORTH_FILLING || length >= LEAST_BYTES) return bytes.toString(encoding);
  return room.fill(' ', length, LEAST_BYTES).toString(encoding, 0, LEAST_BYTES);
}

/** A text of the program that stands outside of its scripts. */
function textAt(from, length) {
  return readPiece(program, from, length).toString('latin1');
}

/** A piece of a file; the next one takes its place. */
function readPiece(file, from, length) {
  // Large enough for all of a start: pages that nobody touches cost nothing, a second room costs as much as the first.
  if (!room || room.length < length) room = Buffer.allocUnsafeSlow(Math.max(length, 1 << 21));
  const bytes = room.subarray(0, length);
  if (readSync(file, bytes, 0, length, from) !== length) throw new Error('the file is shorter than it says');
  return bytes;
}

function compile(name, from, length, encoding) {
  // In this order: what is read takes the place of what was read before.
  const text = scriptAt(from, length, encoding);
  const cachedData = compiledCode(name);
  const before = present;
  // V8 takes compiled code only under the flags that it was made with.
  setFlags('usual');
  const script = new Script(text, { filename: dist + sep + name, ...(cachedData && { cachedData }) });
  setFlags(before);
  if (script.cachedDataRejected) refused.add(name);
  if (!cachedData || script.cachedDataRejected) fresh.set(name, script);
  else for (const place of compiled.places.get(name)[2] ?? []) regionNamed(name)?.kept.add(place);
  return script;
}

function regionNamed(name) {
  return regions.find((region) => region.name === name);
}

/** The user's own folder: nobody else may put code there. A relative one would be a folder of the project. */
function cacheFolder() {
  const { TENON_CACHE_DIR, XDG_CACHE_HOME } = process.env;
  if (isUsable(TENON_CACHE_DIR)) return join(TENON_CACHE_DIR, 'compiled');
  if (isUsable(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, 'tenon', 'compiled');
  return join(isUsable(homedir()) ? homedir() : userInfo().homedir, '.cache', 'tenon', 'compiled');
}

function isUsable(folder) {
  return folder !== undefined && isAbsolute(folder);
}

/** The user's file, or else one beside the program, which is never written here. Without any, everything is compiled again. */
function openCompiled(isSound = () => true) {
  const own = openFile(cacheFile, isOwn);
  if (own && isSound()) return own;
  if (own) closeSync(own.file);
  return openFile(join(dist, 'compiled', basename(cacheFile))) ?? { places: new Map() };
}

/** Whether no start has ended while it tried this code; what one has crashed with is thrown away. Killed ones count, too: they cost a start its time. */
function beginTrial() {
  try {
    writeFileSync(trial, mark(), { mode: 0o600, flag: 'wx' });
    isOnTrial = true;
    return true;
  } catch (fault) {
    // A folder that cannot be written to: the code in it is nobody's trial.
    if (fault.code !== 'EEXIST') return true;
  }
  if (isTried()) return true;
  for (const path of [cacheFile, trial]) removeFile(path);
  return false;
}

function endTrial() {
  if (isOnTrial) removeFile(trial);
  isOnTrial = false;
}

/** A process and when it began: in a container, many have the same number. */
function mark() {
  return `${process.pid} ${Math.round(Date.now() / 1000 - process.uptime())}`;
}

/** Whether the process that is trying the code is still there. */
function isTried() {
  try {
    const file = openSync(trial, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const text = isOwn(file) ? readFileSync(file, 'utf8') : '';
    closeSync(file);
    const [pid, began] = text.split(' ').map(Number);
    // Nothing yet: it has only begun to write.
    if (!(pid > 0)) return true;
    if (pid === process.pid) return Math.abs(began - Number(mark().split(' ')[1])) < 2;
    return isAlive(pid);
  } catch {
    return true; // Its trial has ended meanwhile.
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return fault.code === 'EPERM';
  }
}

function removeFile(path) {
  try {
    rmSync(path, { force: true });
  } catch {
    // It may not even be looked into, or is not ours to remove.
  }
}

/** A file of compiled code; nothing if it is not there, damaged, or not to be trusted. */
function openFile(path, isTrusted = () => true) {
  try {
    // A pipe in its place must not be waited for.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!isTrusted(file)) {
      isTaken = true;
      return closeSync(file);
    }
    const headerLength = readPiece(file, 0, 4).readUInt32LE(0);
    const header = JSON.parse(readPiece(file, 4, headerLength).toString());
    return { file, body: 4 + headerLength, places: new Map(Object.entries(header)) };
  } catch {
    return undefined;
  }
}

/** V8 runs what it is given: in a folder that others may write to, a file may be anybody's. Windows has no such owners. */
function isOwn(file) {
  const stats = fstatSync(file);
  return stats.isFile() && (process.geteuid === undefined || stats.uid === process.geteuid());
}

/** A module's compiled code, read when it is needed: a program that waits should not hold the code of all others. */
function compiledCode(name) {
  const place = compiled.places.get(name);
  try {
    return place && readPiece(compiled.file, compiled.body + place[0], place[1]);
  } catch {
    return undefined;
  }
}

/** How long keys may have to wait for it. */
const KEEP_SLICE_MS = 4;

/**
 * Keeps what a start has compiled: by now the functions that it used are compiled as well. Later V8 forgets those that run no more,
 * and a process that is killed keeps nothing.
 */
async function keepCompiled() {
  addGrown();
  const left = fresh.entries();
  for (let next = left.next(); !next.done;) {
    const before = present;
    setFlags('usual');
    const end = performance.now() + KEEP_SLICE_MS;
    for (; !next.done && performance.now() < end; next = left.next()) {
      const [name, script] = next.value;
      made.set(name, script.createCachedData());
      fresh.delete(name);
    }
    setFlags(before);
    if (next.done) return takeMade();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Another command uses other modules of a region; their code is missing from the file so far. */
function addGrown() {
  for (const { name, script, used, kept } of regions)
    if (script && [...used].some((place) => !kept.has(place))) fresh.set(name, script);
}

/** From now on it is read from the file: a program that waits should not hold it. */
function takeMade() {
  writeCompiled();
  made.clear();
  if (compiled.file !== undefined) closeSync(compiled.file);
  compiled = openCompiled();
}

/** What came later. */
process.once('exit', () => {
  closeSync(program);
  endTrial();
  addGrown();
  if (fresh.size === 0 && made.size === 0) return;
  setFlags('usual');
  for (const [name, script] of fresh) made.set(name, script.createCachedData());
  writeCompiled();
});

/** Writes the file anew, with what this run has made. */
function writeCompiled() {
  if (isTaken) return;
  const temporary = `${cacheFile}.${process.pid}`;
  try {
    const all = new Map();
    for (const name of compiled.places.keys()) {
      const code = compiledCode(name);
      if (code) all.set(name, Buffer.from(code));
    }
    for (const [name, code] of made) {
      // V8 forgets functions that have not run for long; what an earlier run kept is worth more then.
      if (refused.has(name) || code.length >= (all.get(name)?.length ?? 0)) all.set(name, code);
      const region = regionNamed(name);
      region?.used.forEach((place) => region.kept.add(place));
    }
    const header = {};
    let at = 0;
    for (const [name, data] of all) {
      const region = regionNamed(name);
      const before = refused.has(name) ? [] : (compiled.places.get(name)?.[2] ?? []);
      const kept = region && new Set([...before, ...region.kept]);
      header[name] = [at, data.length, ...(kept ? [[...kept]] : [])];
      at += data.length;
    }
    const head = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(head.length);
    makeFolders(dirname(cacheFile));
    writeFileSync(temporary, Buffer.concat([length, head, ...all.values()]), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, cacheFile);
  } catch {
    // A folder that cannot be written costs time at the next start and nothing else.
    removeFile(temporary);
  }
}

/** Node's own way tries without end where nothing can be made, as below `/proc`. */
function makeFolders(folder) {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (fault) {
    if (fault.code !== 'EEXIST') throw fault;
  }
}

module.exports = { FLAGS, load };
