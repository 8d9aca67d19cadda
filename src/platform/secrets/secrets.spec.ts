import { createDecipheriv, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Secrets } from './secrets.js';

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
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

describe('a secret of an installation with several keys', () => {
  const before = new Secrets({ secretsKey: first! });
  const both = new Secrets({ secretsKey: second!, secretsKeyPrevious: [third!, first!] });
  const after = new Secrets({ secretsKey: second! });

  it('is decrypted by any of them, and encrypted by the current one', () => {
    expect(both.decrypt(before.encrypt('very secret', 'here'), 'here')).toBe('very secret');
    const stored = both.encrypt('very secret', 'here');
    expect(both.decrypt(stored, 'here')).toBe('very secret');
    expect(after.decrypt(stored, 'here')).toBe('very secret');
    expect(() => before.decrypt(stored, 'here')).toThrow(/needs the SECRETS_KEY [0-9a-f]{16}/);
  });

  it('cannot be decrypted with another context or after any byte was changed', () => {
    const stored = both.encrypt('very secret', 'here');
    expect(() => both.decrypt(stored, 'there')).toThrow();
    for (let at = 0; at < stored.length; at++) {
      const changed = Buffer.from(stored);
      changed[at]! ^= 1;
      expect(() => both.decrypt(changed, 'here'), `byte ${at}`).toThrow();
    }
  });

  it('is current if the current key has encrypted it by name', () => {
    expect(both.isCurrent(both.encrypt('x', 'here'))).toBe(true);
    expect(both.isCurrent(before.encrypt('x', 'here'))).toBe(false);
    expect(before.isCurrent(before.encrypt('x', 'here'))).toBe(true);
    const next = new Secrets({ secretsKey: third!, secretsKeyPrevious: [second!] });
    expect(both.isCurrent(next.encrypt('x', 'here'))).toBe(false);
  });

  it('signs with the current key and verifies with all', () => {
    expect(both.keysFor('tokens')).toEqual(
      [second!, third!, first!].map((key) => new Secrets({ secretsKey: key }).keyFor('tokens')),
    );
  });
});

it('a secret of an installation with one key is in the format that version 0.2 reads', () => {
  const stored = new Secrets({ secretsKey: first!, secretsKeyPrevious: [] }).encrypt('very secret', 'here');
  const decipher = createDecipheriv('aes-256-gcm', first!, stored.subarray(1, 13), { authTagLength: 16 });
  decipher.setAAD(Buffer.from('here')).setAuthTag(stored.subarray(-16));
  expect(stored[0]).toBe(1);
  expect(decipher.update(stored.subarray(13, -16), undefined, 'utf8') + decipher.final('utf8')).toBe('very secret');
});
