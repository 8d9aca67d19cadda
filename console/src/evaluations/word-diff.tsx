import { diffWordsWithSpace } from 'diff';
import { useMemo } from 'react';

/** Longer texts are shown without marked differences. */
const LONGEST = 20_000;
/**
 * Texts with more words added and removed are shown without marks, too: comparing them takes 0.2 s and more. A limit in
 * milliseconds would leave out the marks of short texts on a busy computer.
 */
const MOST_EDITS = 1500;

/** A text with the words that another one does not have, and those that it lacks, as text for readers of screens too. */
export function WordDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(
    () =>
      before.length + after.length > LONGEST
        ? undefined
        : diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS }),
    [before, after],
  );
  if (!parts || before === after) return <>{after}</>;
  return parts.map(({ value, added, removed }, at) => {
    if (added) return <ins key={at}>{value}</ins>;
    return removed ? <del key={at}>{value}</del> : <span key={at}>{value}</span>;
  });
}
