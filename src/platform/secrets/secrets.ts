import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { SecretErrors } from './secrets.errors.js';

const ALGORITHM = 'aes-256-gcm';
/** First byte of stored values, so that another format can follow. */
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts values that are stored and used but never shown. The key is SECRETS_KEY. */
@Injectable()
export class Secrets {
  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'secretsKey'>) {}

  /**
   * `place` is the encryption context and must be given again to decrypt: in another row the value cannot be decrypted. Throws
   * secrets_key_missing.
   */
  encrypt(text: string, place: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, nonce).setAAD(Buffer.from(place));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([FORMAT]), nonce, encrypted, cipher.getAuthTag()]);
  }

  /** Throws for another key, another `place` or a changed value; and secrets_key_missing. */
  decrypt(stored: Buffer, place: string): string {
    if (stored[0] !== FORMAT) throw new Error('A stored secret has an unknown format.');
    const nonce = stored.subarray(1, 1 + NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(place)).setAuthTag(stored.subarray(-TAG_BYTES));
    return decipher.update(stored.subarray(1 + NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }

  /** A key of 32 bytes for one purpose. Throws secrets_key_missing. */
  keyFor(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.key, '', purpose, 32));
  }

  private get key(): Buffer {
    if (!this.config.secretsKey) throw SecretErrors.secrets_key_missing();
    return this.config.secretsKey;
  }
}
