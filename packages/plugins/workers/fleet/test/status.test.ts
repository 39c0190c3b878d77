import { expect, it } from 'vitest';
import { statusLines } from '../src/commands/status.ts';
import type { FleetHostStatus } from '../src/status.ts';

const NOW = Date.parse('2026-11-19T12:00:00Z');

function line(state: FleetHostStatus['state'], secondsAgo: number): string {
  const seen = new Date(NOW - secondsAgo * 1000).toISOString();
  const host = { name: 'ada', state, slots: 2, runs: 1, labels: [], seen, started: seen, hasKey: false, version: '1' };
  return statusLines({ hosts: [host], states: {}, waiting: 0, limits: [] }, NOW).at(-1) ?? '';
}

it('never says of a lost host that it was seen just now', () => {
  expect(line('live', 3)).toBe('  ada   live          1/2  seen just now');
  expect(line('lost', 8)).toBe('  ada   lost          1/2  silent for 8 seconds');
  expect(line('lost', 300)).toBe('  ada   lost          1/2  seen 5 minutes ago');
});
