import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { KEY_ID_BYTES, keyIdOf } from './key-id.js';
import { SecretErrors } from './secrets.errors.js';

const ALGORITHM = 'aes-256-gcm';
/** First byte of stored values. */
const UNNAMED = 1;
/** The id of the key follows. Processes of version 0.2 cannot read these values, see `encrypt`. */
const NAMED = 2;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The keys of an installation. */
export interface SecretsKeys {
  /** SECRETS_KEY: encrypts, and decrypts. */
  secretsKey: Buffer | null;
  /** SECRETS_KEY_PREVIOUS: only decrypt. */
  secretsKeyPrevious?: readonly Buffer[];
}

/** Encrypts values that are stored and used but never shown. The key is SECRETS_KEY. */
@Injectable()
export class Secrets {
  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'secretsKey'> & SecretsKeys) {}

  /**
   * `place` is the encryption context and must be given again to decrypt: in another row the value cannot be decrypted. The value
   * names its key where there are several. With one key it does not, so that processes of version 0.2 can read it. Throws
   * secrets_key_missing.
   */
  encrypt(text: string, place: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, nonce).setAAD(Buffer.from(place));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([this.header, nonce, encrypted, cipher.getAuthTag()]);
  }

  /** Throws for a key that is not given, another `place` or a changed value; and secrets_key_missing. */
  decrypt(stored: Buffer, place: string): string {
    const keys = this.keysOf(stored);
    const sealed = stored.subarray(stored[0] === NAMED ? 1 + KEY_ID_BYTES : 1);
    for (const key of keys.slice(0, -1)) {
      try {
        return decryptWith(key, sealed, place);
      } catch {
        // A value that does not name its key may be of the next one: the cipher verifies that.
      }
    }
    return decryptWith(keys.at(-1)!, sealed, place);
  }

  /** Whether a value is one that `encrypt` would write now: of SECRETS_KEY, and named if there are several keys. */
  isCurrent(stored: Buffer): boolean {
    const { header } = this;
    return stored.subarray(0, header.length).equals(header);
  }

  /** A key of 32 bytes for one purpose. Throws secrets_key_missing. */
  keyFor(purpose: string): Buffer {
    return derive(this.key, purpose);
  }

  /** The keys for a purpose of SECRETS_KEY and then of the previous ones, for what was signed before a rotation. */
  keysFor(purpose: string): Buffer[] {
    return [this.key, ...this.previous].map((key) => derive(key, purpose));
  }

  private keysOf(stored: Buffer): Buffer[] {
    const keys = [this.key, ...this.previous];
    if (stored[0] === UNNAMED) return keys;
    const id = namedKeyOf(stored);
    if (!id) throw new Error('A stored secret has an unknown format.');
    const named = keys.filter((key) => keyIdOf(key).equals(id));
    if (named.length === 0) throw new Error(`A stored secret needs the SECRETS_KEY ${id.toString('hex')}.`);
    return named;
  }

  private get header(): Buffer {
    if (this.previous.length === 0) return Buffer.from([UNNAMED]);
    return Buffer.concat([Buffer.from([NAMED]), keyIdOf(this.key)]);
  }

  private get previous(): readonly Buffer[] {
    return this.config.secretsKeyPrevious ?? [];
  }

  private get key(): Buffer {
    if (!this.config.secretsKey) throw SecretErrors.secrets_key_missing();
    return this.config.secretsKey;
  }
}

/** The id of the key that a value names; null for values that name none. */
export function namedKeyOf(stored: Buffer): Buffer | null {
  return stored[0] === NAMED ? stored.subarray(1, 1 + KEY_ID_BYTES) : null;
}

const derive = (key: Buffer, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', purpose, 32));

/** `sealed` is nonce, encrypted text and tag. */
function decryptWith(key: Buffer, sealed: Buffer, place: string): string {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-TAG_BYTES));
  return decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}
