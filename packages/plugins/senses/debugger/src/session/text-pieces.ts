import { StringDecoder } from 'node:string_decoder';

/** Bytes as text; characters that are cut in half wait for their rest. */
export class TextPieces {
  readonly #decoder = new StringDecoder('utf8');

  push(bytes: Buffer): string {
    return this.#decoder.write(bytes);
  }
}
