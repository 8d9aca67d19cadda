const REMEMBERED = 5_000;
const known = new Map<string, KeyName>();

/** A key as text and as UTF-8. */
export class KeyName {
  readonly utf8: Uint8Array;

  constructor(readonly text: string) {
    // A copy: a part of a larger buffer would keep all of that in memory.
    this.utf8 = new Uint8Array(Buffer.from(text));
  }

  /** A name that is kept, because it is likely to be used again. */
  static of(text: string): KeyName {
    let name = known.get(text);
    if (!name) {
      name = new KeyName(text);
      if (known.size === REMEMBERED) known.clear();
      known.set(text, name);
    }
    return name;
  }

  /** Whether these bytes are this key. */
  is(bytes: Uint8Array, start: number, end: number): boolean {
    const { utf8 } = this;
    if (utf8.length !== end - start) return false;
    for (let at = 0; at < utf8.length; at++) if (utf8[at] !== bytes[start + at]) return false;
    return true;
  }
}
