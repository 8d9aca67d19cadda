const SLOTS = 4096;
/** Longer ones are no names. */
const LONGEST = 100;

interface Slot {
  bytes: Uint8Array;
  text: string;
}

/**
 * Gives the same string for the same bytes while a few thousand different ones are in use: making a string costs more
 * than comparing the bytes, and as a key of a map a new string has to be hashed again.
 */
export class KeyTable {
  private readonly slots = Array.from<Slot | undefined>({ length: SLOTS });

  /** The text of these bytes in valid UTF-8. */
  read(bytes: Buffer, start: number, end: number): string {
    if (end - start > LONGEST) return bytes.toString('utf8', start, end);
    let hash = 0;
    for (let at = start; at < end; at++) hash = (hash * 31 + bytes[at]) | 0;
    const place = hash & (SLOTS - 1);
    const known = this.slots[place];
    if (known && holds(known.bytes, bytes, start, end)) return known.text;
    const text = bytes.toString('utf8', start, end);
    // A copy: part of the body would keep all of it in memory.
    this.slots[place] = { bytes: Uint8Array.from(bytes.subarray(start, end)), text };
    return text;
  }
}

function holds(known: Uint8Array, bytes: Buffer, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let at = 0; at < known.length; at++) if (known[at] !== bytes[start + at]) return false;
  return true;
}
