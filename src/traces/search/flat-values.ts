import { flatten, scalarText } from '../../platform/json-paths.js';
import type { JsonValue } from '../../platform/json.js';
import { setOwn } from '../../platform/json.js';
import { truncate } from '../../llm/messages/json-text.js';

/** Texts by path: `{"a.b": ["1", "2"]}`. The path of an object, and one whose values are all null, has no texts. */
export type FlatValues = Record<string, string[]>;

const LIMITS = { paths: 500, values: 2000 };
/** Characters of one value, and of all values and paths together. */
const LONGEST_VALUE = 2000;
const MOST_CHARACTERS = 32_000;

/** Collects values by path until there are too many. */
export class FlatCollector {
  readonly values: FlatValues = {};
  private paths = 0;
  private characters = 0;

  /** Adds the values inside `value`; `base` is its own path, a document has none. */
  add(value: JsonValue, base: string | null = null): void {
    if (this.isFull()) return;
    const flat = flatten(value, LIMITS, base);
    for (const path of flat.paths) this.textsAt(path);
    for (const [path, scalar] of flat.values) {
      if (scalar === null || path === '') continue;
      const texts = this.textsAt(path);
      const text = truncate(scalarText(scalar), LONGEST_VALUE);
      if (texts === null || this.isFull()) return;
      this.characters += text.length;
      texts.push(text);
    }
  }

  private textsAt(path: string): string[] | null {
    if (Object.hasOwn(this.values, path)) return this.values[path]!;
    if (this.isFull()) return null;
    this.paths += 1;
    this.characters += path.length;
    const texts: string[] = [];
    setOwn(this.values, path, texts);
    return texts;
  }

  private isFull(): boolean {
    return this.paths >= LIMITS.paths || this.characters >= MOST_CHARACTERS;
  }
}

/** Null when there is nothing. */
export function flatValues(value: JsonValue): FlatValues | null {
  const collector = new FlatCollector();
  collector.add(value);
  return Object.keys(collector.values).length > 0 ? collector.values : null;
}
