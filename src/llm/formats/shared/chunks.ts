import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';

/** Members that name or number a thing and are no piece of a text: the last value counts. */
const NAMES = new Set([
  'id',
  'type',
  'role',
  'name',
  'object',
  'model',
  'finish_reason',
  'status',
  'call_id',
  'system_fingerprint',
  'service_tier',
]);

/**
 * Joins the pieces of a streamed answer: texts grow, lists are joined by the `index` of their entries, objects member
 * by member. Null is ignored. Takes time in proportion to the pieces, which are not changed.
 */
export class Assembly {
  readonly whole: JsonObject = {};
  /** Position in a list of the entry with an index. */
  private readonly positions = new WeakMap<JsonValue[], Map<number, number>>();

  add(piece: JsonObject): this {
    this.addTo(this.whole, piece);
    return this;
  }

  private addTo(whole: JsonObject, piece: JsonObject): void {
    for (const [key, value] of Object.entries(piece)) {
      if (value !== null && key !== '__proto__') whole[key] = this.join(key, whole[key], value);
    }
  }

  private join(key: string, before: JsonValue | undefined, value: JsonValue): JsonValue {
    if (typeof before === 'string' && typeof value === 'string') {
      if (NAMES.has(key)) return value === '' ? before : value;
      return before + value;
    }
    if (Array.isArray(value)) return this.joinLists(Array.isArray(before) ? before : [], value);
    if (!isObject(value)) return value;
    const whole = isObject(before) ? before : {};
    this.addTo(whole, value);
    return whole;
  }

  /** Entries without an index are entries of their own. */
  private joinLists(list: JsonValue[], pieces: JsonValue[]): JsonValue[] {
    const positions = this.positionsOf(list);
    for (const piece of pieces) {
      const index = isObject(piece) && typeof piece.index === 'number' ? piece.index : null;
      const entry = index === null ? undefined : list[positions.get(index) ?? -1];
      if (isObject(entry) && isObject(piece)) {
        this.addTo(entry, piece);
      } else {
        if (index !== null) positions.set(index, list.length);
        list.push(this.join('', undefined, piece));
      }
    }
    return list;
  }

  private positionsOf(list: JsonValue[]): Map<number, number> {
    const known = this.positions.get(list) ?? new Map<number, number>();
    this.positions.set(list, known);
    return known;
  }
}

/** The objects of a list; the value itself when it is one object. */
export function chunksOf(response: JsonValue): JsonObject[] {
  return (Array.isArray(response) ? response : [response]).filter((chunk) => isObject(chunk));
}
