/** Loaded into the program before it starts: tells `record-prompt.mjs` which functions have run when the first request is sent, and at the end. */
'use strict';
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { Socket } = require('node:net');

/** Those that this file needs, and what Node always has. */
const before = new Set(process.moduleLoadList);
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Where functions that have run begin, as `script:offset`, for the scripts of the program. */
function haveRun() {
  let places = [];
  session.post('Profiler.takePreciseCoverage', (fault, coverage) => {
    if (fault) throw fault;
    places = coverage.result.flatMap(({ url, functions }) => {
      const [, script] = /[\\/]dist[\\/](program-\d+\.js|chunks[\\/].*)$/.exec(url) ?? [];
      return script === undefined
        ? []
        : functions
            .filter(({ ranges }) => ranges[0].count > 0)
            .map(({ ranges }) => `${script}:${ranges[0].startOffset}`);
    });
  });
  return places;
}

let untilRequest;
let ofNode;
const { connect } = Socket.prototype;
Socket.prototype.connect = function first(...words) {
  untilRequest ??= haveRun();
  ofNode ??= process.moduleLoadList
    .filter((name) => !before.has(name))
    .flatMap((name) => /^NativeModule (.*)/.exec(name)?.[1] ?? []);
  return connect.apply(this, words);
};
process.on('exit', () => {
  // Every count begins anew when it was asked for.
  writeFileSync(
    process.env.TENON_RECORD,
    JSON.stringify({ ofNode, untilRequest, all: [...(untilRequest ?? []), ...haveRun()] }),
  );
});
