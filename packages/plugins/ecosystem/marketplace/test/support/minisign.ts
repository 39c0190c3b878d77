/** Signs as minisign does. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A key pair and how to sign with it. */
export interface Signer {
  /** The text of the .pub file. */
  readonly pub: string;
  /** Its second line. */
  readonly key: string;
  sign(message: string | Uint8Array): string;
}

/** Makes a key. */
export function makeSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const id = randomBytes(8);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const key = Buffer.concat([Buffer.from('Ed'), id, raw]).toString('base64');
  return {
    key,
    pub: `untrusted comment: minisign public key\n${key}\n`,
    sign(message) {
      const hash = createHash('blake2b512').update(message).digest();
      const signature = sign(null, hash, privateKey);
      const comment = 'timestamp:1\tfile:x\thashed';
      const global = sign(null, Buffer.concat([signature, Buffer.from(comment)]), privateKey);
      const line = Buffer.concat([Buffer.from('ED'), id, signature]).toString('base64');
      return `untrusted comment: signature\n${line}\ntrusted comment: ${comment}\n${global.toString('base64')}\n`;
    },
  };
}
