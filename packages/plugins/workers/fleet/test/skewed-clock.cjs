/** Loaded before a host: its clock, and with it the times of its files, is wrong by `SKEW_MS`. Timers go on as they do. */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const skew = Number(process.env.SKEW_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + skew);
    else super(...given);
  }

  static now() {
    return RealDate.now() + skew;
  }
};

for (const name of ['statSync', 'fstatSync', 'lstatSync']) {
  const real = fs[name];
  fs[name] = (...given) => {
    const found = real(...given);
    if (found !== undefined && typeof found.mtimeMs === 'number') found.mtimeMs += skew;
    return found;
  };
}
syncBuiltinESMExports();
