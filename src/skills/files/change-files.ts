import { SkillErrors } from '../shared/skills.errors.js';
import { checkAddress, pathToStore } from './file-paths.js';
import { type SkillProvider, storedFolder, storedPath } from './layouts.js';

export interface FileMove {
  from: string;
  to: string;
}

/**
 * Moves and then deletes files, which a map holds by their stored paths. Both may also name folders. All moves happen at once, so
 * that two files can change places. Throws skill_path_not_found, skill_path_taken and skill_path_invalid.
 */
export function changeFiles<T>(
  files: ReadonlyMap<string, T>,
  { moves, deletes }: { moves: FileMove[]; deletes: string[] },
  provider: SkillProvider | null,
): Map<string, T> {
  const changed = new Map(files);
  const moved = moves.flatMap((move) => movedFiles(files, move, provider));
  for (const [from] of moved) if (!changed.delete(from)) throw SkillErrors.skill_path_taken(from);
  for (const [from, to] of moved) {
    if (changed.has(to)) throw SkillErrors.skill_path_taken(to);
    changed.set(to, files.get(from)!);
  }
  for (const path of deletes.flatMap((each) => pathsAt(changed, each, provider).map(([found]) => found))) {
    changed.delete(path);
  }
  return changed;
}

function movedFiles(
  files: ReadonlyMap<string, unknown>,
  { from, to }: FileMove,
  provider: SkillProvider | null,
): [from: string, to: string][] {
  return pathsAt(files, from, provider).map(([path, below]) => [path, pathToStore(provider, to + below)]);
}

/** Files at a path or below it, with the rest of their path. */
function pathsAt(
  files: ReadonlyMap<string, unknown>,
  path: string,
  provider: SkillProvider | null,
): [path: string, below: string][] {
  checkAddress(path);
  const file = storedPath(provider, path);
  if (files.has(file)) return [[file, '']];
  const folder = storedFolder(provider, path);
  const found = folder === '' ? [] : [...files.keys()].filter((each) => each.startsWith(`${folder}/`));
  if (found.length === 0) throw SkillErrors.skill_path_not_found(path);
  return found.map((each) => [each, each.slice(folder.length)]);
}
