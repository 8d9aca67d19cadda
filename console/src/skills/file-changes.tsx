import { useMemo } from 'react';
import { type DiffLine, diffLines } from '../diff/diff';
import { DiffLines } from '../diff/diff-lines';
import { counted } from '../ui/format';
import { compareFiles, type FileChange } from './compare-files';

type Files = Record<string, string>;

/** Changes of files from one version to another. */
export function FileChanges({ before, after }: { before: Files; after: Files }) {
  const changes = useMemo(() => compareFiles(before, after).filter(({ kind }) => kind !== 'same'), [before, after]);
  return (
    <>
      <p className="quiet-text">
        {changes.length === 0 ? 'The text files are the same.' : `${counted(changes.length, 'text file')} changed.`}
      </p>
      {changes.map((change) => (
        <Change key={change.path} {...change} />
      ))}
    </>
  );
}

function Change({ path, kind, before, after }: FileChange) {
  const lines = useMemo(() => linesOf({ kind, before, after }), [kind, before, after]);
  return (
    <section aria-label={path}>
      <h3>
        <bdi>{path}</bdi> <span className="quiet-text">{kind}</span>
      </h3>
      <DiffLines lines={lines} />
    </section>
  );
}

/** Lines of a file. A file that only one version has is not compared with an empty line. */
function linesOf({ kind, before, after }: Omit<FileChange, 'path'>): DiffLine[] {
  if (kind === 'added' || kind === 'removed') {
    return (kind === 'added' ? after : before).split('\n').map((text) => ({ kind, text }));
  }
  return diffLines(before, after);
}
