import { METADATA_MOST_KEYS } from '../../llm/records/metadata.js';
import { TrackingErrors } from './tracking.errors.js';

/** What clients may add to one log in all, as characters of JSON. It is read and written whole with every addition. */
const MOST_ADDED = 1_000_000;

/** What was added before, with further additions over it. Throws request_metadata_excessive. */
export function mergeMetadata(
  before: Record<string, string> | undefined,
  added: Record<string, string>,
): Record<string, string> {
  const merged = { ...before, ...added };
  if (Object.keys(merged).length > METADATA_MOST_KEYS || JSON.stringify(merged).length > MOST_ADDED) {
    throw TrackingErrors.request_metadata_excessive(METADATA_MOST_KEYS, MOST_ADDED);
  }
  return merged;
}
