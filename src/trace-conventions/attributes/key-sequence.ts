import { isSafe } from '../../platform/safe-text.js';
import { KeyName } from './key-name.js';

/** Limit of kept sequences. When it is reached, all are dropped and collected again. About 15 MB. */
const MOST_KEPT = 40_000;
/** Weight of a sequence that has derived values. */
const WORKED_OUT = 20;
/** UTF-16 code units. A longer key is not a name, so sequences with it are not kept. */
const LONGEST_NAME = 100;
const NOTHING = KeyName.of('');

/**
 * The keys of a span's attributes in the order they came. Similar spans have the same keys, so the sequences are kept
 * as a tree: the next key is compared only with the one that followed last time. Values that depend only on the keys
 * are computed once for all spans with these keys.
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
    /** The last key of the sequence. */
    readonly name: KeyName,
  ) {}

  /** The sequence without any key. */
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

  /** The sequence that followed this one last time. */
  get likely(): KeySequence | null {
    return this.latest;
  }

  with(key: string): KeySequence {
    if (this.latest?.name.text === key) return this.latest;
    // A key that cannot be stored as it is must not be taken for one that can.
    if (key.length > LONGEST_NAME || !isSafe(key)) return new KeySequence(this, new KeyName(key));
    return (this.latest = this.others?.get(key) ?? this.add(key));
  }

  /** All keys, in the order they came. */
  get names(): KeyName[] {
    return KeySequence.list(this);
  }

  /** The distinct keys. */
  get distinct(): Iterable<string> {
    return this.places.keys();
  }

  has(key: string): boolean {
    return this.places.has(key);
  }

  /** Index of the key, from 0; the last one of equal keys. */
  placeOf(key: string): number | undefined {
    return this.places.get(key);
  }

  /** A value that depends only on the keys, computed once for each `about`. `about` must be a constant of a module. */
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
