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

/** A text in the body that it arrived in. */
class ArrivedText {
  /** @param isEscaped whether it is a JSON string with escapes, quotes included; UTF-8 otherwise. */
  constructor(
    private readonly body: Buffer,
    private readonly start: number,
    private readonly end: number,
    private readonly isEscaped: boolean,
  ) {}

  read(): string {
    const text = this.body.toString('utf8', this.start, this.end);
    return this.isEscaped ? (JSON.parse(text) as string) : text;
  }
}

/**
 * Attributes of which only the JSON to be stored is complete. Most texts are never looked at; those that are asked for
 * are read from the body they came in.
 */
class PackedAttributes implements Attributes {
  constructor(
    private readonly values: Map<string, JsonValue | ArrivedText>,
    private readonly json: Buffer,
  ) {}

  keys(): Iterable<string> {
    return this.values.keys();
  }

  get(key: string): JsonValue | undefined {
    const value = this.values.get(key);
    if (!(value instanceof ArrivedText)) return value;
    const text = value.read();
    this.values.set(key, text);
    return text;
  }

  without(keys: readonly string[]): Attributes {
    if (!keys.some((key) => this.values.has(key))) return this;
    return new DecodedAttributes(toObject(this)).without(keys);
  }

  toJson(): Buffer {
    return this.json;
  }
}

/** Keys repeat from span to span and from request to request. */
const KEYS = new KeyTable();

/**
 * Packs the attributes of the spans of one body, span by span: every attribute is added, then `take` gives them all. Of
 * equal keys the last one stays, in the JSON by the rule that PostgreSQL has for it.
 */
export class AttributePacker {
  private readonly writer: JsonWriter;
  private values = new Map<string, JsonValue | ArrivedText>();

  constructor(private readonly body: Buffer) {
    this.writer = new JsonWriter(body.length);
  }

  /** A text and its key, which are JSON strings with their quotes, the key without escapes. */
  addJson(key: Place, { start, end }: Place, isEscaped: boolean): void {
    const text = isEscaped
      ? new ArrivedText(this.body, start, end, true)
      : new ArrivedText(this.body, start + 1, end - 1, false);
    this.jsonKey(key, text);
    this.writer.raw(this.body, start, end);
  }

  /** A value and its key, which is a JSON string with its quotes and without escapes. */
  addJsonKey(key: Place, value: JsonValue): void {
    this.jsonKey(key, value);
    this.writer.value(value);
  }

  /** A text and its key; adds nothing and gives false if one of them cannot be stored as it is. */
  addUtf8(key: Place, { start, end }: Place): boolean {
    const { length } = this.writer;
    this.separate();
    if (this.writer.text(this.body, key.start, key.end)) {
      this.writer.byte(COLON);
      if (this.writer.text(this.body, start, end)) {
        this.values.set(KEYS.read(this.body, key.start, key.end), new ArrivedText(this.body, start, end, false));
        return true;
      }
    }
    this.writer.truncate(length);
    return false;
  }

  add(key: string, value: JsonValue): void {
    this.separate();
    this.values.set(key, value);
    this.writer.value(key);
    this.writer.byte(COLON);
    this.writer.value(value);
  }

  take(): Attributes {
    const { values } = this;
    if (values.size === 0) this.writer.byte(OPEN);
    this.writer.byte(CLOSE);
    this.values = new Map();
    return new PackedAttributes(values, this.writer.take());
  }
  private jsonKey({ start, end }: Place, value: JsonValue | ArrivedText): void {
    this.separate();
    this.writer.raw(this.body, start, end);
    this.writer.byte(COLON);
    this.values.set(KEYS.read(this.body, start + 1, end - 1), value);
  }

  private separate(): void {
    this.writer.byte(this.values.size === 0 ? OPEN : COMMA);
  }
}
