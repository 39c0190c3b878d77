/** What other plugins and tests may use of recording and playing. */
export { CASSETTE_VERSION, CassetteWriter, type Exchange, readCassette } from './cassette.ts';
export { errors } from './errors.ts';
export { type Fingerprint, fingerprintOf } from './fingerprint.ts';
export { type Match, type PlayerOptions, playing } from './player.ts';
export { recording, type RecorderOptions } from './recorder.ts';
