import type { KeySequence } from './key-sequence.js';

interface StoredKey {
  /** What stands before its value in JSON, with the brace or the comma. */
  before: Uint8Array;
  /** Which of the keys of a span it is. */
  place: number;
}

/**
 * The keys of a span in the order in which jsonb has them, each once: by their length in bytes, then byte by byte. The
 * server sorts what it gets otherwise, span by span.
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
