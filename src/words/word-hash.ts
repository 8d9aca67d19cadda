/** Constants of the 32-bit FNV-1a hash. */
export const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The hash of a word, whose bits are as good as random. */
export function wordHash(word: string): number {
  let value = FNV_OFFSET;
  for (let at = 0; at < word.length; at++) value = hashedWith(value, word.charCodeAt(at));
  return value;
}

/** Adds a UTF-16 unit to the hash. */
export const hashedWith = (before: number, unit: number): number => Math.imul(before ^ unit, FNV_PRIME);
