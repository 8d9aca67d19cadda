import { createHash, randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 43 characters of 62 are 256 bits. */
const LENGTH = 43;
const FORMAT = /^pl_[0-9A-Za-z]{40,120}$/;

/** A new API key. Clients check the prefix, so it is part of the contract. */
export function generateKey(): string {
  return `pl_${Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

export function isWellFormed(key: string): boolean {
  return FORMAT.test(key);
}

/** SHA-256. A slow hash would add nothing: a key is random, not a password. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

export function lastFour(key: string): string {
  return key.slice(-4);
}
