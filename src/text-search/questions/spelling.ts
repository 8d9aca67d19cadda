import type { EntityManager } from 'typeorm';
import { findListedBeginnings } from '../segments/listed-words.queries.js';
import { findKnownBeginnings, SimilarBeginnings, type TextQuery, type WantedWord } from '../../words/index.js';

/** For the documentation of a free text. */
export const FORGIVEN =
  'A word may have one wrong letter when no word of the workspace begins with it, unless it is quoted.';

/** Most misspelled words of a query: looking up more would take longer than the search. */
const MOST_MISSPELT = 5;

/** Finds the given words that begin words of waiting documents: the vocabulary may not have them yet. */
export type FindWaitingWords = (words: readonly WantedWord[]) => Promise<readonly WantedWord[]>;

/**
 * A query that tolerates misspelled words. A word outside of quotes counts as misspelled when no word of the workspace begins with
 * it: then words within one edit match as well. Searches for existing words do not change, and neither do searches for numbers and
 * ids, which have no similar ones.
 */
export async function forgiveMisspelling(
  db: EntityManager,
  workspaceId: number,
  query: TextQuery | null,
  findWaiting: FindWaitingWords = () => Promise.resolve([]),
): Promise<TextQuery | null> {
  const tolerant = query?.words.filter(isTolerant) ?? [];
  if (query === null || tolerant.length === 0) return query;
  const unindexed = await withoutIndexed(db, workspaceId, tolerant);
  const waiting = unindexed.length > 0 ? await findWaiting(unindexed) : [];
  const unknown = unindexed.filter((wanted) => !waiting.includes(wanted)).map(({ word }) => word);
  const misspelt = unknown.slice(0, MOST_MISSPELT);
  if (misspelt.length === 0) return query;
  const similar = await findSimilar(db, workspaceId, misspelt);
  return { ...query, words: query.words.map((wanted) => withSimilar(wanted, similar)) };
}

const isTolerant = ({ word, isQuoted }: WantedWord): boolean => !isQuoted && SimilarBeginnings.has(word);

/** The words that begin no word of the index. */
async function withoutIndexed(
  db: EntityManager,
  workspaceId: number,
  wanted: readonly WantedWord[],
): Promise<WantedWord[]> {
  const words = wanted.map(({ word }) => word);
  const known = await findKnownBeginnings(db, workspaceId, words);
  const unknown = words.filter((word) => !known.has(word));
  const listed = await findListedBeginnings(db, workspaceId, unknown);
  return wanted.filter(({ word }) => !known.has(word) && !listed.includes(word));
}

async function findSimilar(
  db: EntityManager,
  workspaceId: number,
  words: string[],
): Promise<Map<string, SimilarBeginnings>> {
  const similar = words.map((word) => [word, SimilarBeginnings.of(word)] as const);
  const all = new Set(similar.flatMap(([, { all }]) => [...all]));
  const known = await findKnownBeginnings(db, workspaceId, [...all]);
  return new Map(similar.map(([word, beginnings]) => [word, beginnings.knownAs(known)]));
}

function withSimilar(wanted: WantedWord, similar: ReadonlyMap<string, SimilarBeginnings>): WantedWord {
  return wanted.isQuoted ? wanted : { ...wanted, similar: similar.get(wanted.word) };
}
