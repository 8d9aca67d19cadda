import { METADATA_MOST_KEYS } from '../../llm/records/metadata.js';
import { TrackingErrors } from '../shared/tracking.errors.js';

/**
 * Maximum characters of JSON that clients may add to one log. They are read and written as a whole with every addition.
 */
const MOST_ADDED = 1_000_000;

/** Earlier additions with further ones over them. Throws request_metadata_excessive. */
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
