import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** The machine that numbers were taken on; numbers without it mean nothing. */
export function describeMachine() {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()}`,
    node: process.version,
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}
