import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { expect, test } from 'vitest';
import { StoredTranscripts } from '../src/live/stored-transcripts.ts';
import { Transcript } from '../src/live/transcript.ts';

/** Files that were last written to long ago, and how often each was opened and closed. */
function world() {
  const folder = temporaryFolder('web');
  const [opened, closed]: [string[], string[]] = [[], []];
  const fileOf = (id: string) => join(folder, id);
  const put = (id: string, isOld = true) => {
    appendFileSync(fileOf(id), 'x');
    if (isOld) utimesSync(fileOf(id), 1_000_000, 1_000_000);
  };
  const stored = new StoredTranscripts(async (id) => {
    opened.push(id);
    const transcript = new Transcript(undefined, folder);
    const close = transcript.close.bind(transcript);
    transcript.close = async () => {
      closed.push(id);
      await close();
    };
    return { transcript, file: fileOf(id) };
  });
  const read = (id: string) => stored.read(id, (transcript) => transcript.length);
  return { stored, opened, closed, put, read, fileOf };
}

test('a session that is read again and again is opened once, and anew when its file has changed', async () => {
  const { stored, opened, closed, put, read, fileOf } = world();
  put('a');
  for (let count = 0; count < 10; count += 1) await read('a');
  expect([opened, closed]).toEqual([['a'], []]);
  put('a');
  await read('a');
  expect([opened, closed]).toEqual([['a', 'a'], ['a']]);
  // One that is being written to is not held on to.
  writeFileSync(fileOf('a'), 'new');
  await read('a');
  await read('a');
  expect(opened.length - closed.length).toBe(0);
  await stored.close();
  expect(opened.length).toBe(closed.length);
});

test('few stay open, and none twice', async () => {
  const { stored, opened, closed, put, read } = world();
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const id of ids) put(id);
  await Promise.all([...ids, ...ids].map(read));
  expect(opened.length - closed.length).toBe(4);
  await stored.drop('f');
  await stored.close();
  expect(opened.length).toBe(closed.length);
});
