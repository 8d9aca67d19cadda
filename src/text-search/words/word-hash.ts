/** Of the FNV-1a hash of 32 bits. */
export const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The hash of a word, whose bits are as good as random. */
export function wordHash(word: string): number {
  let value = FNV_OFFSET;
  for (let at = 0; at < word.length; at++) value = hashedWith(value, word.charCodeAt(at));
  return value;
}

/** Goes on by a UTF-16 unit. */
export const hashedWith = (before: number, unit: number): number => Math.imul(before ^ unit, FNV_PRIME);
