import { dayOf } from '../ui/format';

/** Something that happened, of any kind. */
export interface Entry {
  key: string;
  /** ISO 8601. */
  at: string;
}

/** The entries of one kind that were read so far, newest first. */
export interface Source<E extends Entry> {
  entries: E[];
  /** True when older entries were not read yet. */
  hasMore: boolean;
}

/**
 * Merges entries of several kinds into one timeline, newest first. Where a kind has more pages, entries older than its
 * oldest one are held back: the next page may have entries that belong before them.
 */
export function mergeEntries<E extends Entry>(sources: Source<E>[]): E[] {
  const ends = sources.flatMap(({ entries, hasMore }) => (hasMore && entries.length > 0 ? [entries.at(-1)!.at] : []));
  const from = ends.reduce((latest, at) => (at > latest ? at : latest), '');
  return sources
    .flatMap(({ entries }) => entries)
    .filter(({ at }) => at >= from)
    .toSorted((a, b) => (a.at === b.at ? a.key.localeCompare(b.key) : a.at < b.at ? 1 : -1));
}

interface Act {
  kind: string;
  item: object;
}

/** Removes events of actions that are also listed as changes: both have the id of the same request. */
export function tellOnce<E extends Act>(entries: E[]): E[] {
  const requestOf = ({ item }: E) => (item as { request_id?: string }).request_id;
  const changes = new Set(entries.filter(({ kind }) => kind === 'audit').map(requestOf));
  return entries.filter((entry) => entry.kind !== 'events' || !changes.has(requestOf(entry)));
}

/** A line for each day. */
export function byDay<E extends Entry>(entries: E[]): { day: string; entries: E[] }[] {
  const days: { day: string; entries: E[] }[] = [];
  for (const entry of entries) {
    const day = dayOf(new Date(entry.at)) || 'Today';
    if (days.at(-1)?.day !== day) days.push({ day, entries: [] });
    days.at(-1)!.entries.push(entry);
  }
  return days;
}
