import { randomInt } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../platform/json.js';

/** What share of the requests gets a version. Percentages have two decimals. */
export interface Share {
  prompt_version_number: number;
  percentage: number;
}

/** Requests with this metadata have a split of their own. */
export interface Segment {
  metadata: Record<string, string>;
  split: Share[];
}

/** How requests are split between versions. */
export interface Splits {
  split: Share[];
  /** The first that a request belongs to counts. */
  segments: Segment[];
}

/** Percentages are added up in hundredths of a percent: as integers, so that 33.33 + 33.33 + 33.34 is exactly 100. */
export const inHundredths = ({ percentage }: Share): number => Math.round(percentage * 100);
export const ALL_HUNDREDTHS = 10_000;

/** The version that a request with this metadata gets. `draw` is evenly spread over 0 to 9,999; every request draws anew. */
export function chooseVersion(
  { split, segments }: Splits,
  metadata: JsonObject,
  draw: number = randomInt(ALL_HUNDREDTHS),
): number {
  const shares = segments.find((segment) => matches(segment, metadata))?.split ?? split;
  let end = 0;
  const found = shares.find((share) => (end += inHundredths(share)) > draw);
  return found!.prompt_version_number;
}

function matches({ metadata: wanted }: Segment, metadata: JsonObject): boolean {
  return Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(metadata, key) && asText(metadata[key]!) === value,
  );
}

/** Metadata of request logs is text as well: other values are written as JSON there. */
function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
