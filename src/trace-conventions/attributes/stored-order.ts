import type { KeySequence } from './key-sequence.js';

interface StoredKey {
  /** JSON text in front of the value: a brace or comma, and the key. */
  before: Uint8Array;
  /** Index of the key among the keys of the span. */
  place: number;
}

/**
 * The distinct keys of a span in the order of jsonb: by length in bytes, then byte by byte. PostgreSQL has to sort keys
 * in any other order for every span.
 */
export const storedOrder = (keys: KeySequence): readonly StoredKey[] => keys.derive(storedOrder, sort);

function sort(keys: KeySequence): readonly StoredKey[] {
  return keys.names
    .map(({ text, utf8 }, place) => ({ text, utf8, place }))
    .filter(({ text, place }) => keys.placeOf(text) === place)
    .sort((a, b) => a.utf8.length - b.utf8.length || Buffer.compare(a.utf8, b.utf8))
    .map(({ text, place }, index) => ({ before: bytesBefore(text, index === 0), place }));
}

// A copy: parts of larger buffers would keep all of those in memory.
const bytesBefore = (key: string, isFirst: boolean): Uint8Array =>
  new Uint8Array(Buffer.from(`${isFirst ? '{' : ','}${JSON.stringify(key)}:`));
