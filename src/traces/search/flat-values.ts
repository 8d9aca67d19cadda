import { flatten, scalarText } from '../../platform/json-paths.js';
import type { JsonValue } from '../../platform/json.js';
import { setOwn } from '../../platform/json.js';
import { truncate } from '../../llm/messages/json-text.js';
import { readableJson } from '../../llm/messages/readable-json.js';

/** Texts by path: `{"a.b": ["1", "2"]}`. The path of an object, and one whose values are all null, has no texts. */
export type FlatValues = Record<string, string[]>;

const LIMITS = { paths: 500, values: 2000 };
/** Limits in characters: of one value, and of all values and paths together. */
const LONGEST_VALUE = 2000;
const MOST_CHARACTERS = 32_000;

/** Collected amounts, or their limits. */
interface Amount {
  paths: number;
  characters: number;
}

const MOST: Amount = { paths: LIMITS.paths, characters: MOST_CHARACTERS };

/** Collects values by path until there are too many. */
export class FlatCollector {
  readonly values: FlatValues = {};
  private readonly used: Amount = { paths: 0, characters: 0 };
  private limit: Amount = MOST;

  /**
   * Adds the values inside `value`; `base` is its own path, a document has none. `others` is the number of values that
   * are still to come: each of them gets an equal share of the remaining room.
   */
  add(value: JsonValue, base: string | null = null, others = 0): void {
    this.limit = shareOf(this.used, others);
    const flat = flatten(value, LIMITS, base);
    for (const path of flat.paths) this.textsAt(path);
    for (const [path, scalar] of flat.values) {
      if (this.used.characters >= this.limit.characters) return;
      const texts = scalar === null || path === '' ? null : this.textsAt(path);
      if (texts === null) continue;
      const text = truncate(readableJson(scalarText(scalar)), LONGEST_VALUE);
      this.used.characters += text.length;
      texts.push(text);
    }
  }

  private textsAt(path: string): string[] | null {
    if (Object.hasOwn(this.values, path)) return this.values[path]!;
    if (this.used.paths >= this.limit.paths || this.used.characters >= this.limit.characters) return null;
    this.used.paths += 1;
    this.used.characters += path.length;
    const texts: string[] = [];
    setOwn(this.values, path, texts);
    return texts;
  }
}

/** Limit for the next of `others + 1` values that share the remaining room equally. */
function shareOf(used: Amount, others: number): Amount {
  const upTo = (of: keyof Amount) => used[of] + Math.ceil((MOST[of] - used[of]) / (others + 1));
  return { paths: upTo('paths'), characters: upTo('characters') };
}

/** Null when there are no values. */
export function flatValues(value: JsonValue): FlatValues | null {
  const collector = new FlatCollector();
  collector.add(value);
  return Object.keys(collector.values).length > 0 ? collector.values : null;
}
