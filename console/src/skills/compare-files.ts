/** The difference of a file between two versions. */
export interface FileChange {
  path: string;
  kind: 'added' | 'removed' | 'changed' | 'same';
  before: string;
  after: string;
}

type Files = Record<string, string>;

/** The files of two versions, in the order of their paths. */
export function compareFiles(before: Files, after: Files): FileChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.map((path) => {
    const [had, has] = [textOf(before, path), textOf(after, path)];
    return { path, kind: kindOf(had, has), before: had ?? '', after: has ?? '' };
  });
}

const textOf = (files: Files, path: string): string | undefined =>
  Object.hasOwn(files, path) ? files[path] : undefined;

function kindOf(before: string | undefined, after: string | undefined): FileChange['kind'] {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  return before === after ? 'same' : 'changed';
}
