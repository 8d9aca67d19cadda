import { readFiniteJson } from '../platform/read-json.js';
import { fitsJsonLimits } from '../platform/json-limits.js';
import type { JsonObject } from '../platform/json.js';
import { safeJson } from '../platform/safe-text.js';

/** An object of a JSON list and the bytes it takes. */
export interface JsonElement {
  value: JsonObject;
  start: number;
  end: number;
}

/** The reason why a text is not a list of objects, in words for the person who wrote it. */
export class JsonFailure extends Error {}

const LIMITS = { depth: 64, containers: 1_000_000 };

const BLANKS = new Set([0x09, 0x0a, 0x0d, 0x20]);
const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

type Place = 'before' | 'first' | 'object' | 'after' | 'next' | 'end';

/** Transitions of the parser for the characters outside of objects. */
const NEXT: Record<Place, Map<number, Place>> = {
  before: new Map([[LIST, 'first']]),
  first: new Map<number, Place>([
    [OBJECT, 'object'],
    [LIST_END, 'end'],
  ]),
  object: new Map(),
  after: new Map<number, Place>([
    [COMMA, 'next'],
    [LIST_END, 'end'],
  ]),
  next: new Map([[OBJECT, 'object']]),
  end: new Map(),
};

/**
 * Parses a list of objects piece by piece, with at most one object and a piece in memory. It finds the end of each
 * object by counting brackets, and leaves the rest of the grammar to JSON.parse.
 */
export class JsonElements {
  private place: Place = 'before';
  private open: Buffer[] = [];
  private depth = 0;
  private inString = false;
  private escaped = false;
  private offset = 0;
  private start = 0;
  private count = 0;

  /** Returns the objects that the piece completes. Throws a JsonFailure. */
  *add(piece: Buffer): Generator<JsonElement> {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      if (this.place !== 'object') {
        if (this.step(piece[at]!)) {
          from = at;
          this.start = this.offset + at;
        }
        continue;
      }
      at = this.inside(piece, at);
      if (this.depth > 0) continue;
      this.open.push(piece.subarray(from, at + 1));
      yield this.finish(this.offset + at + 1);
    }
    if (this.place === 'object') this.open.push(piece.subarray(from));
    this.offset += piece.length;
  }

  /** Throws a JsonFailure when the list is not complete. */
  end(): void {
    if (this.place === 'before') throw new JsonFailure('The file is empty: it must hold a list of objects.');
    if (this.place !== 'end') throw new JsonFailure('The file ends in the middle of the list.');
  }

  /** Handles a byte between objects. True when an object begins here. */
  private step(byte: number): boolean {
    if (BLANKS.has(byte)) return false;
    const next = NEXT[this.place].get(byte);
    if (!next) throw new JsonFailure(this.problem());
    this.place = next;
    this.depth = 1;
    return next === 'object';
  }

  private problem(): string {
    switch (this.place) {
      case 'before':
        return 'The file must hold a list of objects: it does not begin with [.';
      case 'end':
        return 'Something follows the end of the list.';
      case 'after':
        return `A comma or the end of the list is missing after element ${this.count}.`;
      default:
        return `Element ${this.count + 1} is no object.`;
    }
  }

  /** Continues inside an object, to its last byte or to the last of the piece. Returns the index of that byte. */
  private inside(piece: Buffer, from: number): number {
    let { depth, inString, escaped } = this;
    let at = from;
    for (; at < piece.length; at++) {
      const byte = piece[at]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OBJECT || byte === LIST) depth++;
      else if ((byte === OBJECT_END || byte === LIST_END) && --depth === 0) break;
    }
    Object.assign(this, { depth, inString, escaped });
    return Math.min(at, piece.length - 1);
  }

  private finish(end: number): JsonElement {
    const text = Buffer.concat(this.open).toString('utf8');
    this.open = [];
    this.place = 'after';
    this.count++;
    return { value: parseObject(text, this.count), start: this.start, end };
  }
}

function parseObject(text: string, number: number): JsonObject {
  if (!fitsJsonLimits(text, LIMITS))
    throw new JsonFailure(`Element ${number} nests deeper than ${LIMITS.depth} levels.`);
  try {
    return safeJson(readFiniteJson(text) as JsonObject);
  } catch (error) {
    throw new JsonFailure(`Element ${number} is not valid JSON: ${(error as Error).message}.`);
  }
}

/** Parses a part of a list that begins and ends with an object. */
export function parseElements(text: Buffer): JsonObject[] {
  return safeJson(readFiniteJson(`[${text.toString('utf8')}]`) as JsonObject[]);
}
