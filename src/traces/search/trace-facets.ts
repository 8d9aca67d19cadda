import { createHash } from 'node:crypto';

/** Numbers of spans whose size is a facet, see `magnitude.ts`. */
export type Measure = 'duration' | 'tokens' | 'cost';

/**
 * The exact values a trace can be found by, kept in one indexed array: `7:model:gpt-4o`, `7:a:http.route=/chat`, where
 * 7 is the workspace: a small workspace then never reads the postings of a large one. Writing and searching both use
 * these functions, so that they agree on every entry.
 */
export type FacetKind =
  | 'name'
  | 'type'
  | 'kind'
  | 'status'
  | 'model'
  | 'provider'
  | 'tool'
  | 'prompt'
  | 'prompt-version'
  | 'workflow'
  | 'workflow-version'
  | 'output-key'
  | Measure
  | 'trace-status'
  | 'user'
  | 'session'
  | 'environment'
  | 'tag'
  | 'metadata-key';

/** Kinds of values that have a key: of attributes, resources, input variables, metadata. */
export type KeyedFacetKind = 'a' | 'r' | 'v' | 'm';

/** Longer values are indexed by their hash, or, with a key, not at all: an entry must stay far below a page. */
const LONGEST = 200;

export function facet(workspaceId: number, kind: FacetKind, value: string): string {
  return `${workspaceId}:${kind}:${shorten(value)}`;
}

/** Null when such a value has no entry: it is long, or may be JSON or a number that can be written in several ways. */
export function keyedFacet(
  workspaceId: number,
  kind: KeyedFacetKind,
  { key, value }: { key: string; value: string },
): string | null {
  if (key.length > LONGEST || value.length > LONGEST || AMBIGUOUS.test(value)) return null;
  // A "=" in the key is escaped: `a=b` with the value `c` must not equal `a` with the value `b=c`.
  return `${workspaceId}:${kind}:${key.replace(/[\\=]/g, '\\$&')}=${value}`;
}

const AMBIGUOUS = /^(?:[[{]|-?\d[\d.]{15})/;

/** The entry of a trace that has more values than are kept. */
export const cutFacet = (workspaceId: number): string => `${workspaceId}:~`;

/** Values of one trace that are kept. */
const MOST_FACETS = 4000;

/** Collects the values of a trace. */
export class TraceFacets {
  private readonly entries = new Set<string>();
  /** True when a value was left out. */
  cut = false;

  constructor(private readonly workspaceId: number) {}

  add(entry: string | null): void {
    if (entry === null || this.entries.has(entry)) return;
    if (this.entries.size < MOST_FACETS) this.entries.add(entry);
    else this.cut = true;
  }

  /** In one order, whatever order they came in. */
  toList(): string[] {
    const list = [...this.entries].sort();
    return this.cut ? [...list, cutFacet(this.workspaceId)] : list;
  }
}

function shorten(value: string): string {
  return value.length <= LONGEST ? value : `sha256:${createHash('sha256').update(value).digest('base64url')}`;
}
