/** A file that is being edited. */
export interface DraftFile {
  /** Identifies the file while its path is edited. */
  key: string;
  path: string;
  text: string;
}

export type Files = Record<string, string>;

export const draftOf = (files: Files): DraftFile[] =>
  Object.entries(files).map(([path, text]) => ({ key: path, path, text }));

/** The files of a draft by their paths. */
export const filesOf = (draft: DraftFile[]): Files =>
  Object.fromEntries(draft.map(({ path, text }) => [path.trim(), text]));

export const isChanged = (before: Files, draft: DraftFile[]): boolean =>
  draft.length !== Object.keys(before).length ||
  draft.some(({ path, text }) => !Object.hasOwn(before, path) || before[path] !== text);

/** Changes of a draft, as the API takes them. Throws an Error that names an empty or duplicate path. */
export function changesOf(before: Files, draft: DraftFile[]) {
  const paths = draft.map(({ path }) => path.trim());
  if (paths.includes('')) throw new Error('Every file needs a path.');
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  if (twice !== undefined) throw new Error(`Two files have the path ${twice}.`);
  const written = Object.entries(filesOf(draft)).filter(
    ([path, text]) => !Object.hasOwn(before, path) || before[path] !== text,
  );
  return {
    file_updates: written.map(([path, content]) => ({ path, content })),
    // A renamed file is a new one and a deleted one; contents are stored once.
    deletes: Object.keys(before).filter((path) => !paths.includes(path)),
  };
}
