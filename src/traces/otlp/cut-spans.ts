import { type JsonObject, type JsonValue, setOwn } from '../../platform/json.js';
import { JsonScanner, UnexpectedJson } from '../../platform/json-scanner.js';
import type { JsonLimits } from '../../platform/json-limits.js';
import type { Attributes } from '../attributes/attributes.js';
import { KeySequence } from '../attributes/key-sequence.js';
import { AttributePacker } from '../attributes/packed-attributes.js';
import type { JsonValues } from './json-values.js';
import type { TextCleaner } from './text-cleaner.js';

const ascii = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const SPANS = ascii('"spans"');
const KEY = ascii('"key"');
const VALUE = ascii('"value"');
const STRING_VALUE = ascii('"stringValue"');
const INT_VALUE = ascii('"intValue"');
const DOUBLE_VALUE = ascii('"doubleValue"');
const EMPTY_LIST = ascii('[]');

/** The usual attribute without blanks. */
const BEFORE_KEY = ascii('{"key":');
const AFTER_KEY = ascii(',"value":');
const BEFORE_TEXT = ascii('{"stringValue":');

/** What lists of spans lie in: the body, its list of resources, one of them, its list of scopes, one of them. */
const AROUND_SPANS = [OPEN_OBJECT, OPEN_LIST, OPEN_OBJECT, OPEN_LIST, OPEN_OBJECT];

/** A span that was cut out of its body. */
export interface CutSpan {
  /** Everything but the attributes. */
  fields: JsonObject;
  /** null when they are not the usual list: then they are among the fields. */
  attributes: Attributes | null;
  /** Whether text in the attributes had to be replaced. */
  changed: boolean;
}

export interface CutBody {
  /** The body with a number in place of every span. */
  rest: JsonValue;
  /** By that number. */
  spans: CutSpan[];
}

/** @throws UnexpectedJson where the body is not the usual JSON of OTLP, or no JSON at all: then it has to be parsed as a whole. */
export function cutSpans(body: Buffer, options: CutterOptions): CutBody {
  return new SpanCutter(body, options).cut();
}

export interface CutterOptions {
  cleaner: TextCleaner;
  values: JsonValues;
  limits: JsonLimits;
}

/**
 * Takes the spans of an OTLP body out of it, so that they can be parsed one by one, and out of each its attributes,
 * whose texts are nearly all of the body: those are packed without being parsed. All other JSON is left to JSON.parse.
 */
class SpanCutter {
  private readonly scanner: JsonScanner;
  private readonly packer: AttributePacker;
  private readonly spans: CutSpan[] = [];
  /** Of the members of the span so far: they repeat like the keys of attributes. */
  private names = KeySequence.empty();

  constructor(
    private readonly body: Buffer,
    private readonly options: CutterOptions,
  ) {
    this.scanner = new JsonScanner(body, options.limits);
    this.packer = new AttributePacker(body);
  }

  cut(): CutBody {
    const { scanner } = this;
    const open: number[] = [];
    const pieces: string[] = [];
    let copied = 0;
    for (let byte = scanner.next(); byte !== undefined; byte = scanner.next()) {
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        open.push(byte);
        scanner.open();
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        open.pop();
        scanner.close();
      } else if (byte !== QUOTE) {
        scanner.at++;
      } else if (this.passesSpansKey(open)) {
        const start = scanner.at;
        const first = this.spans.length;
        this.list(() => this.span());
        const numbers = Array.from({ length: this.spans.length - first }, (_, index) => first + index);
        pieces.push(this.text(copied, start), JSON.stringify(numbers));
        copied = scanner.at;
      }
    }
    pieces.push(this.text(copied, this.body.length));
    return { rest: parse(pieces.join('')), spans: this.spans };
  }

  /** Passes a string; whether it is the key of a list of spans, which starts here then. */
  private passesSpansKey(open: number[]): boolean {
    const { scanner } = this;
    const isKey = scanner.passes(SPANS);
    if (!isKey) scanner.string();
    if (open.length !== AROUND_SPANS.length || !AROUND_SPANS.every((byte, depth) => open[depth] === byte)) return false;
    // It may be the key in another spelling.
    if (!isKey && scanner.escapes) throw new UnexpectedJson();
    return isKey && scanner.takes(COLON) && scanner.next() === OPEN_LIST;
  }

  /** Passes a list, whose every element `element` passes. */
  private list(element: () => void): void {
    const { scanner } = this;
    scanner.open();
    if (scanner.next() !== CLOSE_LIST) {
      do element();
      while (scanner.takes(COMMA));
    }
    if (scanner.next() !== CLOSE_LIST) throw new UnexpectedJson();
    scanner.close();
  }

  private span(): void {
    const { scanner } = this;
    if (scanner.next() !== OPEN_OBJECT) throw new UnexpectedJson();
    scanner.open();
    const span: CutSpan = { fields: {}, attributes: null, changed: false };
    this.names = KeySequence.empty();
    if (scanner.next() !== CLOSE_OBJECT) {
      do this.member(span);
      while (scanner.takes(COMMA));
    }
    if (scanner.next() !== CLOSE_OBJECT) throw new UnexpectedJson();
    scanner.close();
    span.changed = this.options.cleaner.takeChanged();
    this.spans.push(span);
  }

  private member(span: CutSpan): void {
    const { scanner } = this;
    scanner.string();
    if (scanner.escapes) throw new UnexpectedJson();
    this.names = this.names.withUtf8(this.body, scanner.start + 1, scanner.at - 1);
    const { text: name } = this.names.name;
    if (!scanner.takes(COLON)) throw new UnexpectedJson();
    // Of two the last would count.
    if (name === 'attributes' && (span.attributes || span.fields.attributes !== undefined)) throw new UnexpectedJson();
    if (name === 'attributes' && scanner.next() === OPEN_LIST) span.attributes = this.attributes();
    else setOwn(span.fields, name, this.value());
  }

  private value(): JsonValue {
    const { scanner } = this;
    if (scanner.passes(EMPTY_LIST)) return [];
    const isText = scanner.next() === QUOTE;
    const start = scanner.at;
    const number = scanner.natural();
    if (number !== null && scanner.isAtEnd()) return number;
    scanner.at = start;
    scanner.value();
    if (isText && !scanner.escapes) return this.text(start + 1, scanner.at - 1);
    return parse(this.text(start, scanner.at));
  }

  private attributes(): Attributes {
    this.list(() => this.attribute());
    return this.packer.take();
  }

  private attribute(): void {
    const { scanner } = this;
    scanner.next();
    const start = scanner.at;
    if (this.packs()) return;
    scanner.at = start;
    scanner.value();
    const read = this.options.values.keyValue(parse(this.text(start, scanner.at)));
    if (read) this.packer.add(this.packer.keys.with(read[0]), read[1]);
  }

  /** Passes an attribute that is written as nearly all are and packs it; false for one that is written otherwise. */
  private packs(): boolean {
    const { scanner } = this;
    const keys = this.passesKey();
    if (!keys) return false;
    const value = scanner.at;
    if (this.packsText(keys)) return true;
    scanner.at = value;
    if (this.packsNatural(keys)) return true;
    scanner.at = value;
    scanner.value();
    const read = this.options.values.anyValue(parse(this.text(value, scanner.at)));
    if (!scanner.takes(CLOSE_OBJECT)) return false;
    if (read !== undefined) this.packer.add(keys, read);
    return true;
  }

  /** Passes the beginning of an attribute up to its value; gives the keys so far with its own. */
  private passesKey(): KeySequence | null {
    const { scanner } = this;
    const start = scanner.at;
    const { keys } = this.packer;
    const { likely } = keys;
    if (likely && scanner.follows(BEFORE_KEY) && scanner.follows(likely.name.json) && scanner.follows(AFTER_KEY)) {
      return likely;
    }
    scanner.at = start;
    if (!this.opens(KEY)) return null;
    scanner.string();
    const { start: quote, at: end } = scanner;
    if (scanner.escapes || !scanner.takes(COMMA) || !scanner.passes(VALUE) || !scanner.takes(COLON)) return null;
    return keys.withUtf8(this.body, quote + 1, end - 1);
  }

  private packsText(keys: KeySequence): boolean {
    const { scanner } = this;
    if (!scanner.follows(BEFORE_TEXT) && !this.opens(STRING_VALUE)) return false;
    scanner.string();
    const { start, at: end, escapes } = scanner;
    if (scanner.unicodeEscapes || !this.closesTwice()) return false;
    this.packer.addString(keys, { start, end }, escapes);
    return true;
  }

  /** Most numbers are natural: counts, given as such or as text, and settings. */
  private packsNatural(keys: KeySequence): boolean {
    const { scanner } = this;
    if (!scanner.takes(OPEN_OBJECT)) return false;
    const isCount = this.passesMember(INT_VALUE);
    if (!isCount && !this.passesMember(DOUBLE_VALUE)) return false;
    const isText = isCount && scanner.takes(QUOTE);
    if (!isText) scanner.next();
    const start = scanner.at;
    if (scanner.natural() === null) return false;
    const end = scanner.at;
    if (isText && this.body[scanner.at++] !== QUOTE) return false;
    if (!this.closesTwice()) return false;
    this.packer.addDigits(keys, { start, end });
    return true;
  }

  /** Passes the beginning of an object up to the value of this key, which must be the first. */
  private opens(key: Uint8Array): boolean {
    const { scanner } = this;
    return scanner.takes(OPEN_OBJECT) && this.passesMember(key);
  }

  private passesMember(key: Uint8Array): boolean {
    return this.scanner.passes(key) && this.scanner.takes(COLON);
  }

  private closesTwice(): boolean {
    return this.scanner.takes(CLOSE_OBJECT) && this.scanner.takes(CLOSE_OBJECT);
  }

  private text(start: number, end: number): string {
    return this.body.toString('utf8', start, end);
  }
}

function parse(json: string): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    throw new UnexpectedJson();
  }
}
