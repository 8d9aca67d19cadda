import type { JsonValue } from '../../platform/json.js';

/** Writes an object per row, with the values as they are. Titles are the keys; a repeated one gets a number. */
export class JsonLinesSheetWriter {
  private readonly keys: string[];

  constructor(columns: string[]) {
    this.keys = distinct(columns).map((title) => JSON.stringify(title));
  }

  start(): Uint8Array {
    return Buffer.alloc(0);
  }

  write(rows: JsonValue[][]): Uint8Array {
    // Joined as text: an object would move keys that look like numbers to the front.
    const lines = rows.map(
      (row) => `{${row.map((value, at) => `${this.keys[at]}:${JSON.stringify(value)}`).join(',')}}\n`,
    );
    return Buffer.from(lines.join(''));
  }

  end(): Uint8Array {
    return Buffer.alloc(0);
  }
}

function distinct(titles: string[]): string[] {
  const taken = new Set(titles);
  const seen = new Set<string>();
  return titles.map((title) => {
    let key = title;
    for (let number = 2; seen.has(key); number++) {
      const candidate = `${title} (${number})`;
      if (!taken.has(candidate) && !seen.has(candidate)) key = candidate;
    }
    seen.add(key);
    return key;
  });
}
