import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** 32 MiB and some 100 ms of a core for each try. */
const COST = { N: 2 ** 15, r: 8, p: 1 } as const;
const MAX_MEMORY = 128 * 1024 * 1024;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** A hash that no password has. Nothing is derived for it: the first unknown address of a process would take twice as long. */
const NOBODYS = ['scrypt', COST.N, COST.r, COST.p, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES)]
  .map((part) => (Buffer.isBuffer(part) ? part.toString('base64') : String(part)))
  .join('$');

/** The text to store for a password: `scrypt$N$r$p$salt$hash`. Letters count the same however they are composed. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const { N, r, p } = COST;
  const hash = await derive(password.normalize('NFKC'), salt, HASH_BYTES, { ...COST, maxmem: MAX_MEMORY });
  return ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/** Takes as long for a user without a password, and for nobody, as for a wrong password. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (stored ?? NOBODYS).split('$');
  const expected = Buffer.from(hash, 'base64');
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: MAX_MEMORY };
  const given = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), expected.length, options);
  return timingSafeEqual(given, expected) && stored !== null;
}
