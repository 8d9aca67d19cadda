import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Secrets } from './secrets.js';

const secrets = new Secrets({ secretsKey: randomBytes(32) });

describe('a stored secret', () => {
  it.each(['', 'x', 'ünï ✓ 🎉', 'x'.repeat(10_000)])('is decrypted unchanged: %.10s', (text) => {
    expect(secrets.decrypt(secrets.encrypt(text, 'here'), 'here')).toBe(text);
  });

  it('does not contain the text, and differs every time', () => {
    const stored = secrets.encrypt('very secret', 'here');
    expect(stored.includes('very secret')).toBe(false);
    expect(secrets.encrypt('very secret', 'here').equals(stored)).toBe(false);
  });

  it('cannot be decrypted with another key or context', () => {
    const stored = secrets.encrypt('very secret', 'here');
    expect(() => secrets.decrypt(stored, 'there')).toThrow();
    expect(() => new Secrets({ secretsKey: randomBytes(32) }).decrypt(stored, 'here')).toThrow();
  });

  it('cannot be decrypted after any byte was changed or removed', () => {
    const stored = secrets.encrypt('very secret', 'here');
    for (let at = 0; at < stored.length; at++) {
      const changed = Buffer.from(stored);
      changed[at]! ^= 1;
      expect(() => secrets.decrypt(changed, 'here'), `byte ${at}`).toThrow();
    }
    expect(() => secrets.decrypt(stored.subarray(0, -1), 'here')).toThrow();
    expect(() => secrets.decrypt(Buffer.alloc(0), 'here')).toThrow();
  });

  it('needs a key', () => {
    const keyless = new Secrets({ secretsKey: null });
    expect(() => keyless.encrypt('x', 'here')).toThrow('SECRETS_KEY');
  });
});
