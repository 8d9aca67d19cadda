import type { JsonValue } from '../../platform/json.js';
import { JsonWriter } from '../../platform/json-writer.js';
import { type Attributes, toObject } from './attributes.js';
import { DecodedAttributes } from './decoded-attributes.js';
import { KeyTable } from './key-table.js';

const OPEN = 0x7b;
const CLOSE = 0x7d;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Where something begins and ends in a body. */
export interface Place {
  start: number;
  end: number;
}

/** Keys repeat from span to span and from request to request. */
const KEYS = new KeyTable();

/** What is noted of an attribute: where its key is and its value, and what the value is. */
const NOTE = { KEY_START: 0, KEY_END: 1, START: 2, END: 3, KIND: 4, LENGTH: 5 };
/** A text in UTF-8; one with escapes, as a JSON string with its quotes; a value that is kept; that and its key. */
const KIND = { UTF8: 0, ESCAPED: 1, KEPT: 2, KEPT_WITH_KEY: 3 };
const FIRST_ROOM = 64;

/**
 * Notes on the attributes of all spans of a body. They are numbers: a map for each of a thousand spans, with an object
 * for each of their attributes, would be moved twice by the garbage collector before the first span is looked at.
 */
class Notes {
  count = 0;
  /** Of the span that was looked at last. */
  opened: Opened | undefined;
  private numbers = new Int32Array(FIRST_ROOM * NOTE.LENGTH);
  private readonly kept: JsonValue[] = [];

  constructor(private readonly body: Buffer) {}

  addText(key: Place, { start, end }: Place, kind: number): void {
    this.add(key, kind, start, end);
  }

  addValue(key: Place, value: JsonValue): void {
    this.add(key, KIND.KEPT, this.kept.push(value) - 1, 0);
  }

  addNamed(key: string, value: JsonValue): void {
    this.add({ start: 0, end: 0 }, KIND.KEPT_WITH_KEY, this.kept.push(key, value) - 1, 0);
  }

  key(note: number): string {
    const { numbers } = this;
    const at = note * NOTE.LENGTH;
    if (numbers[at + NOTE.KIND] === KIND.KEPT_WITH_KEY) return this.kept[numbers[at + NOTE.START] - 1] as string;
    return KEYS.read(this.body, numbers[at + NOTE.KEY_START], numbers[at + NOTE.KEY_END]);
  }

  value(note: number): JsonValue {
    const { numbers } = this;
    const at = note * NOTE.LENGTH;
    const kind = numbers[at + NOTE.KIND];
    const start = numbers[at + NOTE.START];
    if (kind >= KIND.KEPT) return this.kept[start];
    const text = this.body.toString('utf8', start, numbers[at + NOTE.END]);
    return kind === KIND.ESCAPED ? (JSON.parse(text) as string) : text;
  }

  private add(key: Place, kind: number, start: number, end: number): void {
    const at = this.count++ * NOTE.LENGTH;
    if (at === this.numbers.length) {
      const larger = new Int32Array(2 * at);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    const { numbers } = this;
    numbers[at + NOTE.KEY_START] = key.start;
    numbers[at + NOTE.KEY_END] = key.end;
    numbers[at + NOTE.START] = start;
    numbers[at + NOTE.END] = end;
    numbers[at + NOTE.KIND] = kind;
  }
}

/** Attributes of one span that somebody looks at. */
class Opened {
  private readonly notesByKey = new Map<string, number>();
  private readonly read: JsonValue[] = [];

  constructor(
    private readonly notes: Notes,
    readonly first: number,
    readonly end: number,
  ) {
    // Of equal keys the last one counts.
    for (let note = first; note < end; note++) this.notesByKey.set(notes.key(note), note);
  }

  keys(): Iterable<string> {
    return this.notesByKey.keys();
  }

  has(key: string): boolean {
    return this.notesByKey.has(key);
  }

  get(key: string): JsonValue | undefined {
    const note = this.notesByKey.get(key);
    return note === undefined ? undefined : (this.read[note - this.first] ??= this.notes.value(note));
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
    private readonly json: Buffer,
    private readonly end = notes.count,
  ) {}

  keys(): Iterable<string> {
    return this.open().keys();
  }

  get(key: string): JsonValue | undefined {
    return this.open().get(key);
  }

  without(keys: readonly string[]): Attributes {
    const opened = this.open();
    if (!keys.some((key) => opened.has(key))) return this;
    return new DecodedAttributes(toObject(this)).without(keys);
  }

  toJson(): Buffer {
    return this.json;
  }

  /** Spans are looked at one by one. If each kept what it opened, an old one would keep it alive that is garbage itself. */
  private open(): Opened {
    const { notes, first, end } = this;
    if (notes.opened?.first !== first || notes.opened.end !== end) notes.opened = new Opened(notes, first, end);
    return notes.opened;
  }
}

/**
 * Packs the attributes of the spans of one body, span by span: every attribute is added, then `take` gives them all. Of
 * equal keys the last one stays, in the JSON by the rule that PostgreSQL has for it.
 */
export class AttributePacker {
  private readonly writer: JsonWriter;
  private readonly notes: Notes;
  /** Of the span whose attributes are being added. */
  private first = 0;

  constructor(private readonly body: Buffer) {
    this.writer = new JsonWriter(body.length);
    this.notes = new Notes(body);
  }

  /** A text and its key, which are JSON strings with their quotes, the key without escapes. */
  addJson(key: Place, { start, end }: Place, isEscaped: boolean): void {
    this.jsonKey(key);
    if (isEscaped) this.notes.addText(unquoted(key), { start, end }, KIND.ESCAPED);
    else this.notes.addText(unquoted(key), unquoted({ start, end }), KIND.UTF8);
    this.writer.raw(this.body, start, end);
  }

  /** A number, of which the digits stand in the body, and its key. */
  addNumber(key: Place, { start, end }: Place, number: number): void {
    this.jsonKey(key);
    this.notes.addValue(unquoted(key), number);
    this.writer.raw(this.body, start, end);
  }

  /** A value and its key, which is a JSON string with its quotes and without escapes. */
  addJsonKey(key: Place, value: JsonValue): void {
    this.jsonKey(key);
    this.notes.addValue(unquoted(key), value);
    this.writer.value(value);
  }

  /** A text and its key; adds nothing and gives false if one of them cannot be stored as it is. */
  addUtf8(key: Place, { start, end }: Place): boolean {
    const { length } = this.writer;
    this.separate();
    if (this.writer.text(this.body, key.start, key.end)) {
      this.writer.byte(COLON);
      if (this.writer.text(this.body, start, end)) {
        this.notes.addText(key, { start, end }, KIND.UTF8);
        return true;
      }
    }
    this.writer.truncate(length);
    return false;
  }

  add(key: string, value: JsonValue): void {
    this.separate();
    this.notes.addNamed(key, value);
    this.writer.value(key);
    this.writer.byte(COLON);
    this.writer.value(value);
  }

  take(): Attributes {
    const { notes, first } = this;
    if (notes.count === first) this.writer.byte(OPEN);
    this.writer.byte(CLOSE);
    this.first = notes.count;
    return new PackedAttributes(notes, first, this.writer.take());
  }

  private jsonKey({ start, end }: Place): void {
    this.separate();
    this.writer.raw(this.body, start, end);
    this.writer.byte(COLON);
  }

  private separate(): void {
    this.writer.byte(this.notes.count === this.first ? OPEN : COMMA);
  }
}

/** What stands between the quotes. */
const unquoted = ({ start, end }: Place): Place => ({ start: start + 1, end: end - 1 });
