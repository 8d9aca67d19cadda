import type { JsonValue } from '../../platform/json.js';
import { JsonWriter } from '../../platform/json-writer.js';
import { type Attributes, toObject } from './attributes.js';
import { DecodedAttributes } from './decoded-attributes.js';
import { KeySequence } from './key-sequence.js';

const OPEN = 0x7b;
const CLOSE = 0x7d;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Where something begins and ends in a body. */
export interface Place {
  start: number;
  end: number;
}

/** What is noted of an attribute: where its value is, and what it is. */
const NOTE = { START: 0, END: 1, KIND: 2, LENGTH: 3 };
/** A text in UTF-8; one with escapes, as a JSON string with its quotes; a value that is kept. */
const KIND = { UTF8: 0, ESCAPED: 1, KEPT: 2 };
const FIRST_ROOM = 64;

/**
 * Notes on the attributes of all spans of a body. They are numbers: an object for each attribute of a thousand spans
 * would be moved twice by the garbage collector before the first span is looked at.
 */
class Notes {
  count = 0;
  private numbers = new Int32Array(FIRST_ROOM * NOTE.LENGTH);
  private readonly kept: JsonValue[] = [];
  /** The values that were read of the span that was looked at last, and its first note. */
  private read: (JsonValue | undefined)[] = [];
  private readFrom = 0;

  constructor(private readonly body: Buffer) {}

  addText({ start, end }: Place, kind: number): void {
    this.add(kind, start, end);
  }

  addValue(value: JsonValue): void {
    this.add(KIND.KEPT, this.kept.push(value) - 1, 0);
  }

  /**
   * The value of an attribute of the span whose notes begin with `first`. Spans are looked at one by one: if each kept
   * what was read of it, an old one would keep it alive that is garbage itself.
   */
  value(first: number, place: number): JsonValue {
    if (this.readFrom !== first) {
      this.readFrom = first;
      this.read = [];
    }
    return (this.read[place] ??= this.decode(first + place));
  }

  private decode(note: number): JsonValue {
    const { numbers } = this;
    const at = note * NOTE.LENGTH;
    const kind = numbers[at + NOTE.KIND];
    const start = numbers[at + NOTE.START];
    if (kind === KIND.KEPT) return this.kept[start];
    const text = this.body.toString('utf8', start, numbers[at + NOTE.END]);
    return kind === KIND.ESCAPED ? (JSON.parse(text) as string) : text;
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

/**
 * Attributes of which only the JSON to be stored is complete. Most texts are never looked at; those that are asked for
 * are read from the body they came in.
 */
class PackedAttributes implements Attributes {
  constructor(
    private readonly notes: Notes,
    private readonly first: number,
    readonly keys: KeySequence,
    private readonly json: Buffer,
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
    return this.json;
  }
}

/**
 * Packs the attributes of the spans of one body, span by span: every attribute is added, then `take` gives them all. Of
 * equal keys the last one stays, in the JSON by the rule that PostgreSQL has for it.
 */
export class AttributePacker {
  /** Of the span whose attributes are being added. */
  keys = KeySequence.empty();
  private first = 0;
  private readonly writer: JsonWriter;
  private readonly notes: Notes;

  constructor(private readonly body: Buffer) {
    this.writer = new JsonWriter(body.length);
    this.notes = new Notes(body);
  }

  /** A text, which is a JSON string with its quotes. `keys` are those so far and its own. */
  addJson(keys: KeySequence, { start, end }: Place, isEscaped: boolean): void {
    this.key(keys);
    if (isEscaped) this.notes.addText({ start, end }, KIND.ESCAPED);
    else this.notes.addText({ start: start + 1, end: end - 1 }, KIND.UTF8);
    this.writer.raw(this.body, start, end);
  }

  /** A number, of which the digits stand in the body. */
  addNumber(keys: KeySequence, { start, end }: Place, number: number): void {
    this.key(keys);
    this.notes.addValue(number);
    this.writer.raw(this.body, start, end);
  }

  add(keys: KeySequence, value: JsonValue): void {
    this.key(keys);
    this.notes.addValue(value);
    this.writer.value(value);
  }

  /** A text in UTF-8; adds nothing and gives false if it cannot be stored as it is. */
  addUtf8(keys: KeySequence, { start, end }: Place): boolean {
    const { length } = this.writer;
    const { keys: before } = this;
    this.key(keys);
    if (this.writer.text(this.body, start, end)) {
      this.notes.addText({ start, end }, KIND.UTF8);
      return true;
    }
    this.writer.truncate(length);
    this.keys = before;
    return false;
  }

  take(): Attributes {
    const { notes, first, keys } = this;
    if (notes.count === first) this.writer.byte(OPEN);
    this.writer.byte(CLOSE);
    this.first = notes.count;
    this.keys = KeySequence.empty();
    return new PackedAttributes(notes, first, keys, this.writer.take());
  }

  private key(keys: KeySequence): void {
    this.writer.byte(this.notes.count === this.first ? OPEN : COMMA);
    const { json } = keys.name;
    this.writer.raw(json, 0, json.length);
    this.writer.byte(COLON);
    this.keys = keys;
  }
}
