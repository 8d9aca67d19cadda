const FIRST_SLOTS = 1024;

/** A word that is looked for: its hash, and whether it is a certain one. */
export interface SoughtWord {
  hash: number;
  is(word: string): boolean;
}

/**
 * Distinct words in the order in which they came. Unlike in a Set, a word can be looked for by its hash and its characters in
 * a text, before it is a string: most words of a text are there already.
 */
export class WordSet {
  readonly list: string[] = [];
  private readonly hashes: number[] = [];
  /** Places in the list, counted from 1, where the hash says or behind; 0 where there is none. */
  private slots = new Int32Array(FIRST_SLOTS);

  has(sought: SoughtWord): boolean {
    const { slots, hashes, list } = this;
    const last = slots.length - 1;
    for (let slot = sought.hash & last; slots[slot] !== 0; slot = (slot + 1) & last) {
      const place = slots[slot]! - 1;
      if (hashes[place] === sought.hash && sought.is(list[place]!)) return true;
    }
    return false;
  }

  /** Adds a word that is not there. */
  add(word: string, hash: number): void {
    this.list.push(word);
    this.hashes.push(hash);
    if (2 * this.list.length > this.slots.length) this.grow();
    else this.place(hash, this.list.length);
  }

  private place(hash: number, value: number): void {
    const last = this.slots.length - 1;
    let slot = hash & last;
    while (this.slots[slot] !== 0) slot = (slot + 1) & last;
    this.slots[slot] = value;
  }

  private grow(): void {
    this.slots = new Int32Array(2 * this.slots.length);
    for (const [place, hash] of this.hashes.entries()) this.place(hash, place + 1);
  }
}
