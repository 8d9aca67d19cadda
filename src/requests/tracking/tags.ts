import type { Tracked } from '../shared/request-log.entity.js';
import { TrackingErrors } from '../shared/tracking.errors.js';

/** Each tag is an entry of the search index. */
export const MOST_TAGS = 1000;
/** Maximum characters of JSON of all changes of tags of a log: they are read and written as a whole every time. */
const MOST_CHARACTERS = 100_000;

/** Changes of the tags of a log by clients. A tag is in one of the lists at most. */
export type TagChanges = NonNullable<Tracked['tags']>;

const NO_CHANGES: TagChanges = { added: [], removed: [] };

/** Earlier changes with further ones over them. A tag that is both added and removed is removed. */
export function mergeTagChanges(before: TagChanges = NO_CHANGES, { added, removed }: TagChanges): TagChanges {
  const isGone = new Set(removed);
  const isBack = new Set(added);
  return {
    added: [...new Set([...before.added, ...added])].filter((tag) => !isGone.has(tag)),
    removed: [...new Set([...before.removed.filter((tag) => !isBack.has(tag)), ...removed])],
  };
}

/** Applies changes to tags. Existing ones keep their position. */
export function changeTags(tags: readonly string[], { added, removed }: TagChanges): string[] {
  const isGone = new Set(removed);
  return [...new Set([...tags, ...added])].filter((tag) => !isGone.has(tag));
}

/** Throws request_tags_excessive when the tags of a log, or the stored changes, become too many. */
export function checkTags(tags: readonly string[], { added, removed }: TagChanges): void {
  const isMuch = JSON.stringify([added, removed]).length > MOST_CHARACTERS;
  if (isMuch || tags.length > MOST_TAGS || added.length + removed.length > MOST_TAGS) {
    throw TrackingErrors.request_tags_excessive(MOST_TAGS, MOST_CHARACTERS);
  }
}
