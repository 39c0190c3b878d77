/** Standard output carries the protocol and nothing else: what others write there goes to standard error. */
import { Writable } from 'node:stream';

/** The output, for one who writes the protocol. */
export interface OwnOutput {
  readonly stream: Writable;
  /** Others may write there again. */
  giveBack(): void;
}

/** Takes standard output for the protocol. */
export function takeOutput(
  stdout: Pick<NodeJS.WriteStream, 'write'>,
  stderr: Pick<NodeJS.WriteStream, 'write'>,
): OwnOutput {
  const original = stdout.write;
  const write = original.bind(stdout) as (chunk: Uint8Array, done: (fault?: Error | null) => void) => boolean;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      write(chunk, done);
    },
  });
  return {
    stream,
    giveBack() {
      stdout.write = original;
    },
  };
}
