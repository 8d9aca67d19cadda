import { randomInt } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../platform/json.js';

/** Share of the requests that get a version. Percentages have two decimals. */
export interface Share {
  prompt_version_number: number;
  percentage: number;
}

/** A separate split for requests with this metadata. */
export interface Segment {
  metadata: Record<string, string>;
  split: Share[];
}

/** How requests are split between versions. */
export interface Splits {
  split: Share[];
  /** The first segment that matches a request applies. */
  segments: Segment[];
}

/** Converts percentages to integers in hundredths of a percent, so 33.33 + 33.33 + 33.34 is exactly 100. */
export const inHundredths = ({ percentage }: Share): number => Math.round(percentage * 100);
export const ALL_HUNDREDTHS = 10_000;

/** Chooses the version for a request with this metadata. `draw` is a random number from 0 to 9,999. */
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

/** Converts other values to JSON, as request logs do with their metadata. */
function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
