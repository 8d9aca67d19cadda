import type { VersionBody } from '../api/schema.gen';

/** Versions that hold only results of computed cells, which nobody created on purpose. */
const COMPUTED = new Set(['execution', 'composition']);

/** A version that has its own line, or several in a row, the newest first, that share one. */
export type VersionLine = VersionBody | VersionBody[];

/** Folds versions that computing made, one after the other. The newest version, named ones and scored ones have lines of their own. */
export function foldVersions(versions: VersionBody[]): VersionLine[] {
  const lines: VersionBody[][] = [];
  for (const [at, version] of versions.entries()) {
    const before = lines.at(-1);
    if (at > 1 && before && isComputed(version) && isComputed(before[0]!)) before.push(version);
    else lines.push([version]);
  }
  return lines.map((line) => (line.length === 1 ? line[0]! : line));
}

function isComputed({ name, score, deltas }: VersionBody): boolean {
  if (name !== null || score.aggregate_score !== undefined) return false;
  return deltas.length > 0 && deltas.every((delta) => COMPUTED.has(String((delta as { type?: unknown }).type)));
}
