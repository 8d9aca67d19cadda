import type { Tracked } from '../request-log.entity.js';
import { TrackingErrors } from './tracking.errors.js';

/** Each is an entry of the search index. */
export const MOST_TAGS = 1000;
/** All that clients have changed about the tags of a log, as characters of JSON: it is read and written whole every time. */
const MOST_CHARACTERS = 100_000;

/** What clients have changed about the tags of a log; a tag is in one of the lists at most. */
export type TagChanges = NonNullable<Tracked['tags']>;

const NO_CHANGES: TagChanges = { added: [], removed: [] };

/** The changes made so far with further ones over them. A tag that is both added and removed is removed. */
export function mergeTagChanges(before: TagChanges = NO_CHANGES, { added, removed }: TagChanges): TagChanges {
  const isGone = new Set(removed);
  const isBack = new Set(added);
  return {
    added: [...new Set([...before.added, ...added])].filter((tag) => !isGone.has(tag)),
    removed: [...new Set([...before.removed.filter((tag) => !isBack.has(tag)), ...removed])],
  };
}

/** Tags with the changes made to them: what was there keeps its place. */
export function changeTags(tags: readonly string[], { added, removed }: TagChanges): string[] {
  const isGone = new Set(removed);
  return [...new Set([...tags, ...added])].filter((tag) => !isGone.has(tag));
}

/** Throws request_tags_excessive where the tags of a log, or the changes that are remembered, become too many. */
export function checkTags(tags: readonly string[], { added, removed }: TagChanges): void {
  const isMuch = JSON.stringify([added, removed]).length > MOST_CHARACTERS;
  if (isMuch || tags.length > MOST_TAGS || added.length + removed.length > MOST_TAGS) {
    throw TrackingErrors.request_tags_excessive(MOST_TAGS, MOST_CHARACTERS);
  }
}
