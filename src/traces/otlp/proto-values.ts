import { setOwn, type JsonObject, type JsonValue } from '../../platform/json.js';
import { boundedDepth, jsonNumber } from './any-value.js';
import type { AttributePacker, KeySequence, Place } from '../../trace-conventions/index.js';
import type { ProtoReader } from './proto-reader.js';
import type { TextCleaner } from './text-cleaner.js';

const NOWHERE: Place = { start: 0, end: 0 };

/** Reads the texts and the attribute values (common/v1) that every other message is made of. */
export class ProtoValues {
  constructor(
    private readonly reader: ProtoReader,
    private readonly cleaner: TextCleaner,
  ) {}

  text(tag: number): string {
    return this.cleaner.clean(this.reader.string(tag));
  }

  /** Adds the KeyValue in this field to `target`; of two equal keys the last one stays. */
  keyValue(enclosing: number, target: JsonObject, depth = 0): void {
    let key = '';
    let value: JsonValue = null;
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 1) key = this.text(tag);
      else if (tag >>> 3 === 2) value = this.anyValue(tag, depth);
      else this.reader.skip(tag);
    });
    setOwn(target, key, value);
  }

  /** The AnyValue in this field. */
  value(tag: number): JsonValue {
    return this.anyValue(tag, 0);
  }

  /**
   * Adds the KeyValue in this field to those that are being packed. Nearly all values are texts, and few of them are ever
   * looked at.
   */
  pack(enclosing: number, packer: AttributePacker): void {
    let key: Place = NOWHERE;
    let text: Place | null = null;
    let value: JsonValue = null;
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 1) key = this.reader.place(tag);
      else if (tag >>> 3 === 2) ({ text, value } = this.placedValue(tag));
      else this.reader.skip(tag);
    });
    const keys = this.withKey(packer.keys, key);
    if (text && packer.addUtf8(keys, text)) return;
    packer.add(keys, text ? this.cleaner.clean(this.reader.textAt(text)) : value);
  }

  private withKey(keys: KeySequence, key: Place): KeySequence {
    const { likely } = keys;
    if (likely?.name.is(this.reader.bytes, key.start, key.end)) return likely;
    return keys.with(this.cleaner.clean(this.reader.textAt(key)));
  }

  /** The AnyValue in this field; of a text only its place. */
  private placedValue(enclosing: number): { text: Place | null; value: JsonValue } {
    let text: Place | null = null;
    let value: JsonValue = null;
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 1) {
        text = this.reader.place(tag);
        return;
      }
      const known = this.oneOf(tag, 0);
      if (known === undefined) return;
      text = null;
      value = known;
    });
    return { text, value };
  }

  private anyValue(enclosing: number, depth: number): JsonValue {
    let value: JsonValue = null;
    this.reader.message(enclosing, (tag) => {
      const known = this.oneOf(tag, depth);
      if (known !== undefined) value = known;
    });
    return value;
  }

  private oneOf(tag: number, depth: number): JsonValue | undefined {
    switch (tag >>> 3) {
      case 1:
        return this.text(tag);
      case 2:
        return this.reader.bool(tag);
      case 3:
        return this.reader.int64(tag);
      case 4:
        return jsonNumber(this.reader.double(tag));
      case 5:
        return boundedDepth(depth, (inner) => this.list(tag, inner));
      case 6:
        return boundedDepth(depth, (inner) => this.object(tag, inner));
      case 7:
        return this.reader.base64(tag);
      default:
        this.reader.skip(tag);
        return undefined;
    }
  }

  private list(enclosing: number, depth: number): JsonValue[] {
    const list: JsonValue[] = [];
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 1) list.push(this.anyValue(tag, depth));
      else this.reader.skip(tag);
    });
    return list;
  }

  private object(enclosing: number, depth: number): JsonObject {
    const object: JsonObject = {};
    this.reader.message(enclosing, (tag) => {
      if (tag >>> 3 === 1) this.keyValue(tag, object, depth);
      else this.reader.skip(tag);
    });
    return object;
  }
}
