import type { JsonValue } from '../../platform/json.js';
import { firstSpecial, isStorable, JsonWriter } from '../../platform/json-writer.js';
import { type Attributes, toObject } from './attributes.js';
import { DecodedAttributes } from './decoded-attributes.js';
import { KeySequence } from './key-sequence.js';
import { storedOrder } from './stored-order.js';

const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Range of bytes in a body. */
export interface Place {
  start: number;
  end: number;
}

/** Fields of a note: where the value of an attribute begins and ends, its kind, and the number of fields. */
const NOTE = { START: 0, END: 1, KIND: 2, LENGTH: 3 };
/** UTF-8 that needs no escaping in JSON; UTF-8 that needs it; a value that is kept. */
const KIND = { PLAIN: 0, UNESCAPED: 1, KEPT: 2 };
const FIRST_ROOM = 64;

/**
 * Notes on the attributes of all spans of a body. They are numbers: an object for each attribute of a thousand spans
 * would be moved twice by the garbage collector before the first span is looked at.
 */
class Notes {
  count = 0;
  private numbers = new Int32Array(FIRST_ROOM * NOTE.LENGTH);
  private readonly kept: JsonValue[] = [];
  /** Values of the latest span that were already read, and its first note. */
  private read: (JsonValue | undefined)[] = [];
  private readFrom = 0;

  constructor(private readonly body: Buffer) {}

  addPlace(kind: number, { start, end }: Place): void {
    this.add(kind, start, end);
  }

  addValue(value: JsonValue): void {
    this.add(KIND.KEPT, this.kept.push(value) - 1, 0);
  }

  /**
   * The value of an attribute of the span whose notes begin with `first`. Values are kept for the latest span only:
   * spans that keep their own would keep them alive for too long.
   */
  value(first: number, place: number): JsonValue {
    if (this.readFrom !== first) {
      this.readFrom = first;
      this.read = [];
    }
    return (this.read[place] ??= this.decode(first + place));
  }

  /** Writes the value of an attribute as JSON. */
  write(note: number, writer: JsonWriter): void {
    const { body, numbers } = this;
    const at = note * NOTE.LENGTH;
    const start = numbers[at + NOTE.START];
    const end = numbers[at + NOTE.END];
    switch (numbers[at + NOTE.KIND]) {
      case KIND.PLAIN:
        writer.quoted(body, start, end);
        break;
      case KIND.UNESCAPED:
        writer.text(body, start, end);
        break;
      default:
        writer.value(this.kept[start]);
    }
  }

  private decode(note: number): JsonValue {
    const { numbers } = this;
    const at = note * NOTE.LENGTH;
    const start = numbers[at + NOTE.START];
    if (numbers[at + NOTE.KIND] === KIND.KEPT) return this.kept[start];
    return this.body.toString('utf8', start, numbers[at + NOTE.END]);
  }

  private add(kind: number, start: number, end: number): void {
    const at = this.count++ * NOTE.LENGTH;
    if (at === this.numbers.length) {
      const larger = new Int32Array(2 * at);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    const { numbers } = this;
    numbers[at + NOTE.START] = start;
    numbers[at + NOTE.END] = end;
    numbers[at + NOTE.KIND] = kind;
  }
}

/** Attributes that are left in the body. Most are never read; the others are decoded when they are. */
class PackedAttributes implements Attributes {
  constructor(
    private readonly notes: Notes,
    private readonly first: number,
    readonly keys: KeySequence,
    private readonly writer: JsonWriter,
  ) {}

  get(key: string): JsonValue | undefined {
    const place = this.keys.placeOf(key);
    return place === undefined ? undefined : this.notes.value(this.first, place);
  }

  without(keys: readonly string[]): Attributes {
    if (!keys.some((key) => this.keys.has(key))) return this;
    return new DecodedAttributes(toObject(this)).without(keys);
  }

  toJson(): Buffer {
    const { notes, first, writer } = this;
    const keys = storedOrder(this.keys);
    for (const { before, place } of keys) {
      writer.raw(before, 0, before.length);
      notes.write(first + place, writer);
    }
    if (keys.length === 0) writer.byte(OPEN);
    writer.byte(CLOSE);
    return writer.take();
  }
}

/**
 * Packs the attributes of the spans of one body, one span at a time: each attribute is added, then `take` returns them
 * all. The last of equal keys wins.
 */
export class AttributePacker {
  /** The keys of the current span. */
  keys = KeySequence.empty();
  private first = 0;
  private readonly writer: JsonWriter;
  private readonly notes: Notes;

  constructor(private readonly body: Buffer) {
    this.writer = new JsonWriter(body.length);
    this.notes = new Notes(body);
  }

  add(keys: KeySequence, value: JsonValue): void {
    this.keys = keys;
    this.notes.addValue(value);
  }

  /** A text in UTF-8; adds nothing and gives false if it cannot be stored as it is. */
  addUtf8(keys: KeySequence, place: Place): boolean {
    const special = firstSpecial(this.body, place.start, place.end);
    if (special < place.end && !isStorable(this.body.subarray(special, place.end))) return false;
    this.keys = keys;
    this.notes.addPlace(special < place.end ? KIND.UNESCAPED : KIND.PLAIN, place);
    return true;
  }

  take(): Attributes {
    const { notes, first, keys, writer } = this;
    this.first = notes.count;
    this.keys = KeySequence.empty();
    return new PackedAttributes(notes, first, keys, writer);
  }
}
