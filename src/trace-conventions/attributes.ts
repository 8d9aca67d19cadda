import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import type { Attributes } from './attributes/attributes.js';
import { KeySequence } from './attributes/key-sequence.js';
import { DecodedAttributes, NO_ATTRIBUTES } from './attributes/decoded-attributes.js';
import type { NormalizedSpan } from './span.js';
import { parseIfJson, toText } from '../llm/messages/json-text.js';

/** Resource attributes that describe spans; all others describe the process. */
const RESOURCE_KEYS = new Set([
  'user.id',
  'enduser.id',
  'session.id',
  'gen_ai.conversation.id',
  'service.name',
  'deployment.environment',
  'deployment.environment.name',
]);
const RESOURCE_PREFIX = 'promptlayer.';

/**
 * The latest span with its attributes. Spans are read one by one. Attributes kept for as long as their spans would be
 * copied by every collection of young objects until the spans are stored.
 */
let latest: { span: NormalizedSpan; attributes: SpanAttributes } | undefined;

/**
 * Looks up attributes: those of the span, then those its convention implied, then the few of its resource that describe
 * spans. Never throws: an attribute of an unexpected type reads as absent.
 */
export class SpanAttributes {
  /** The keys of all three. */
  private readonly keys: KeySequence;
  /** The attributes without those that a convention implied; this object itself if none were implied. */
  readonly given: SpanAttributes;

  private constructor(
    private readonly own: Attributes,
    private readonly resource: Attributes,
    private readonly implied: Attributes,
    given?: SpanAttributes,
  ) {
    this.given = given ?? this;
    const sequence = KeySequence.extend(own.keys, resource.keys.distinct);
    this.keys = KeySequence.extend(sequence, implied.keys.distinct);
  }

  /** Created once for each span, because every convention asks for them. */
  static of(span: NormalizedSpan): SpanAttributes {
    if (latest?.span !== span) {
      const resource = describing(span.source.resource.attributes);
      latest = { span, attributes: new SpanAttributes(span.attributes, resource, NO_ATTRIBUTES) };
    }
    return latest.attributes;
  }

  /** Drops the latest span, whose attributes keep the request body in memory. */
  static forget(): void {
    latest = undefined;
  }

  /** The attributes of a stored span, or of anything else that has attributes. */
  static from(own: JsonObject, resource: JsonObject = {}): SpanAttributes {
    return new SpanAttributes(new DecodedAttributes(own), describing(resource), NO_ATTRIBUTES);
  }

  /** The same attributes, completed by those a convention found elsewhere, under the keys they would have here. */
  withImplied(implied: JsonObject): SpanAttributes {
    return new SpanAttributes(this.own, this.resource, new DecodedAttributes(implied), this.given);
  }

  /** Reads from the given attributes first, then with the implied ones, whatever the order of keys. */
  inTurn<T>(read: (attributes: SpanAttributes) => T | null): T | null {
    return read(this.given) ?? (this.given === this ? null : read(this));
  }

  /** undefined when absent or null. */
  get(key: string): JsonValue | undefined {
    if (!this.keys.has(key)) return undefined;
    return this.own.get(key) ?? this.implied.get(key) ?? this.resource.get(key) ?? undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /**
   * The first of the keys that holds a text that is not blank, or a number or boolean as text. All keys are tried in
   * the span before any is tried in its resource.
   */
  text(...keys: string[]): string | null {
    return this.first(keys, toPlainText);
  }

  /** Like `text`, for a finite number or its text. */
  number(...keys: string[]): number | null {
    return this.first(keys, toNumber);
  }

  /** The value, parsed when it is JSON text of a list or an object. */
  json(key: string): JsonValue | undefined {
    return parseIfJson(this.get(key));
  }

  /** The first of the keys that holds an object, or the JSON text of one; empty if none does. */
  object(...keys: string[]): JsonObject {
    for (const key of keys) {
      const value = this.json(key);
      if (isObject(value)) return value;
    }
    return {};
  }

  /**
   * The entries of a list of which at least one key is present. The result is kept for all spans with the same keys, so
   * the list must be a constant of a module.
   */
  among<T>(list: readonly T[], keysOf: (entry: T) => readonly string[]): readonly T[] {
    return this.keys.derive(list, (keys) => withAnyOf(keys, list, keysOf));
  }

  /** Like `among`, for a list of keys. */
  present(keys: readonly string[]): readonly string[] {
    return this.among(keys, (key) => [key]);
  }

  /** `text` for a list as in `among`. */
  firstText(keys: readonly string[]): string | null {
    return this.text(...this.present(keys));
  }

  /** `number` for a list as in `among`. */
  firstNumber(keys: readonly string[]): number | null {
    return this.number(...this.present(keys));
  }

  /** All attributes below a prefix, by the rest of their key: first those of the resource, last those of the span. */
  below(prefix: string): [string, JsonValue][] {
    const beginning = beginningOf(prefix);
    // Most prefixes belong to conventions that the span does not follow, so the scan is avoided.
    if (beginning !== '' && !this.keys.derive(beginningOf, beginningsOf).has(beginning)) return [];
    return [this.resource, this.implied, this.own].flatMap((attributes) => entriesBelow(attributes, prefix));
  }

  /** Every span is asked for the keys of all conventions; most are absent. */
  private hasAny(keys: readonly string[]): boolean {
    for (const key of keys) if (this.keys.has(key)) return true;
    return false;
  }

  private first<T>(keys: readonly string[], read: ReadValue<T>): T | null {
    if (!this.hasAny(keys)) return null;
    return firstIn(this.own, keys, read) ?? firstIn(this.implied, keys, read) ?? firstIn(this.resource, keys, read);
  }
}

type ReadValue<T> = (value: JsonValue | undefined) => T | null;

function firstIn<T>(attributes: Attributes, keys: readonly string[], read: ReadValue<T>): T | null {
  for (const key of keys) {
    const value = read(attributes.get(key));
    if (value !== null) return value;
  }
  return null;
}

function toPlainText(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : null;
}

function beginningsOf(keys: KeySequence): Set<string> {
  return new Set(Array.from(keys.distinct, beginningOf));
}

const REMEMBERED_BEGINNINGS = 10_000;
const knownBeginnings = new Map<string, string>();

/** `gen_ai.` of `gen_ai.usage.cost`; empty without a dot. Kept, because every span is asked for the same prefixes. */
function beginningOf(key: string): string {
  let beginning = knownBeginnings.get(key);
  if (beginning === undefined) {
    beginning = key.slice(0, key.indexOf('.') + 1);
    if (knownBeginnings.size === REMEMBERED_BEGINNINGS) knownBeginnings.clear();
    knownBeginnings.set(key, beginning);
  }
  return beginning;
}

/** A finite number given as such or as text; else null. */
export function toNumber(value: JsonValue | undefined): number | null {
  if (typeof value === 'string' && !value.trim()) return null;
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'string') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A list's texts: from a list, the JSON text of one, or a comma-separated text. */
export function toTexts(value: JsonValue | undefined): string[] {
  const parsed = parseIfJson(value) ?? null;
  const entries = typeof parsed === 'string' ? parsed.split(',') : Array.isArray(parsed) ? parsed : [];
  return entries
    .filter((entry) => entry !== null)
    .map((entry) => toText(entry).trim())
    .filter((text) => text !== '');
}

/** Indexes of the list entries for each key. Hundreds of words are looked up for a handful of keys. */
const places = new WeakMap<object, Map<string, number[]>>();

function withAnyOf<T>(keys: KeySequence, list: readonly T[], keysOf: (entry: T) => readonly string[]): readonly T[] {
  const byKey = places.get(list) ?? placesByKey(list, keysOf);
  const found = new Set<number>();
  for (const key of keys.distinct) for (const place of byKey.get(key) ?? []) found.add(place);
  return [...found].sort((a, b) => a - b).map((place) => list[place]!);
}

function placesByKey<T>(list: readonly T[], keysOf: (entry: T) => readonly string[]): Map<string, number[]> {
  const byKey = new Map<string, number[]>();
  list.forEach((entry, place) => {
    for (const key of keysOf(entry)) {
      const known = byKey.get(key);
      if (known) known.push(place);
      else byKey.set(key, [place]);
    }
  });
  places.set(list, byKey);
  return byKey;
}

const describingParts = new WeakMap<JsonObject, Attributes>();

/** The attributes of a resource that describe its spans. Computed once for all spans of the resource. */
function describing(resource: JsonObject): Attributes {
  let part = describingParts.get(resource);
  if (!part) {
    const entries = Object.entries(resource).filter(([key]) => describesSpans(key));
    part = entries.length === 0 ? NO_ATTRIBUTES : new DecodedAttributes(Object.fromEntries(entries));
    describingParts.set(resource, part);
  }
  return part;
}

function describesSpans(key: string): boolean {
  return RESOURCE_KEYS.has(key) || key.startsWith(RESOURCE_PREFIX);
}

function entriesBelow(attributes: Attributes, prefix: string): [string, JsonValue][] {
  const found: [string, JsonValue][] = [];
  for (const key of attributes.keys.distinct) {
    if (key.length > prefix.length && key.startsWith(prefix))
      found.push([key.slice(prefix.length), attributes.get(key)!]);
  }
  return found;
}
