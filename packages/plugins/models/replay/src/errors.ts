import { defineErrors } from '@tenon/kernel';

/** What can go wrong with cassettes. */
export const errors = defineErrors('replay', {
  REPLAY_NO_CASSETTE: {
    summary: 'There is no cassette at {file}.',
    next: 'Record one with `--model replay/record`, or set `replay.cassette` (TENON_REPLAY_CASSETTE).',
  },
  REPLAY_BAD_CASSETTE: {
    summary: 'Line {line} of the cassette {file} cannot be used: {reason}.',
    next: 'Record it again, or remove the line.',
  },
  REPLAY_NOT_WRITTEN: {
    summary: 'The cassette {file} cannot be written: {reason}.',
    next: 'Correct the permissions, free disk space, or name another file with `replay.cassette` (TENON_REPLAY_CASSETTE).',
  },
  REPLAY_NOT_RECORDED: {
    summary: 'This request is not on the cassette {file}: {difference}.',
    next: 'Record it again, or play by position (`replay.match: position`, TENON_REPLAY_MATCH).',
  },
  REPLAY_OVER: {
    summary: 'The cassette {file} has {count} answers, and all of them were played.',
    next: 'Record a longer conversation.',
  },
  REPLAY_NO_TARGET: {
    summary: 'There is no model to record: {reason}.',
    next: 'Set `replay.target` (TENON_REPLAY_TARGET) to a model such as anthropic/claude-sonnet-4-5.',
  },
});
