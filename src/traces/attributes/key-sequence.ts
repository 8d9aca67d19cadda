import { isSafe } from '../../platform/safe-text.js';
import { KeyName } from './key-name.js';

/** Sequences that are kept; beyond, all of them are let go and learned anew. Some 15 MB at most. */
const MOST_KEPT = 40_000;
/** One with what was worked out for it counts for so many. */
const WORKED_OUT = 20;
/** UTF-16 code units. Longer keys are no names: what begins with one is not kept. */
const LONGEST_NAME = 100;
const NOTHING = KeyName.of('');

/**
 * The keys of a span's attributes in the order they came. Spans of one kind bring the same keys again and again, so the
 * sequences are kept as a tree: the next key is only compared with the one that followed the last time, and what depends on
 * nothing but the keys is worked out once for all spans that have them.
 */
export class KeySequence {
  private static kept = 0;
  private static root = new KeySequence(null, NOTHING);

  private latest: KeySequence | null = null;
  private others: Map<string, KeySequence> | null = null;
  private placesByKey: Map<string, number> | null = null;
  private derived: WeakMap<object, unknown> | null = null;

  private constructor(
    private readonly before: KeySequence | null,
    /** The last key. */
    readonly name: KeyName,
  ) {}

  /** Without any key. */
  static empty(): KeySequence {
    if (KeySequence.kept > MOST_KEPT) {
      KeySequence.kept = 0;
      KeySequence.root = new KeySequence(null, NOTHING);
    }
    return KeySequence.root;
  }

  static of(keys: Iterable<string>): KeySequence {
    return KeySequence.extend(KeySequence.empty(), keys);
  }

  static extend(sequence: KeySequence, keys: Iterable<string>): KeySequence {
    let extended = sequence;
    for (const key of keys) extended = extended.with(key);
    return extended;
  }

  private static list(sequence: KeySequence): KeyName[] {
    const names: KeyName[] = [];
    for (let at = sequence; at.before; at = at.before) names.push(at.name);
    return names.reverse();
  }

  /** What this one was continued with the last time. */
  get likely(): KeySequence | null {
    return this.latest;
  }

  with(key: string): KeySequence {
    if (this.latest?.name.text === key) return this.latest;
    // A key that cannot be stored as it is must not be taken for one that can.
    if (key.length > LONGEST_NAME || !isSafe(key)) return new KeySequence(this, new KeyName(key));
    return (this.latest = this.others?.get(key) ?? this.add(key));
  }

  /** All of them, in the order they came. */
  get names(): KeyName[] {
    return KeySequence.list(this);
  }

  /** Each key once. */
  get distinct(): Iterable<string> {
    return this.places.keys();
  }

  has(key: string): boolean {
    return this.places.has(key);
  }

  /** Where the key stands, from 0; of equal keys the last. */
  placeOf(key: string): number | undefined {
    return this.places.get(key);
  }

  /** What follows from the keys alone, worked out once. `about` tells what: a constant of a module, not a value made here. */
  derive<T extends object>(about: object, work: (keys: KeySequence) => T): T {
    if (!this.derived) {
      this.derived = new WeakMap();
      KeySequence.kept += WORKED_OUT;
    }
    let known = this.derived.get(about) as T | undefined;
    if (!known) {
      known = work(this);
      this.derived.set(about, known);
    }
    return known;
  }

  private get places(): Map<string, number> {
    return (this.placesByKey ??= new Map(this.names.map(({ text }, place) => [text, place])));
  }

  private add(key: string): KeySequence {
    const next = new KeySequence(this, KeyName.of(key));
    KeySequence.kept++;
    this.others ??= new Map();
    this.others.set(key, next);
    return next;
  }
}
