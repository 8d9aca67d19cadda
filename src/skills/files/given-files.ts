import type { EntityManager } from 'typeorm';
import { checkFileSize, PlanLimits } from '../shared/plan-limits.js';
import type { StoredFile } from '../shared/skill-collection.entity.js';
import { checkDistinct, pathToStore } from './file-paths.js';
import type { FileMap } from './add-version.js';
import { exportedPath, type SkillProvider, storedPath } from './layouts.js';
import { type GivenFile, storeContents } from './skill-contents.js';

/** Files under the paths where they are stored. Throws skill_path_invalid, skill_path_taken and skill_file_too_large. */
export function placeFiles(given: GivenFile[], provider: SkillProvider | null): GivenFile[] {
  const placed = given.map((file) => {
    const path = pathToStore(provider, file.path);
    checkFileSize(file);
    return { ...file, path };
  });
  checkDistinct(placed.map(({ path }) => path));
  return placed;
}

/**
 * Merges given files into those of a version, and stores their contents. All checks come before anything is unpacked. `known` has
 * the paths of files before moves. Throws skill_files_exceeded and skill_path_taken.
 */
export async function withGiven(
  tx: EntityManager,
  workspaceId: number,
  before: FileMap,
  { given, provider, known = before }: { given: GivenFile[]; provider: SkillProvider | null; known?: FileMap },
): Promise<Map<string, StoredFile>> {
  const paths = new Set([...before.keys(), ...given.map(({ path }) => path)]);
  (await PlanLimits.of(tx, workspaceId)).checkFiles(paths.size);
  const exported = (of: Iterable<string>) => [...of].map((path) => exportedPath(provider, path));
  checkDistinct(exported(paths), new Set(exported(known.keys())));
  const stored = await storeContents(tx, workspaceId, given);
  return new Map([...before, ...stored.map((file) => [file.path, file] as const)]);
}

/** The files of a version where they lie in the layout of another provider. Throws skill_path_taken. */
export function relocated(files: FileMap, provider: SkillProvider | null): FileMap {
  const moved = [...files.values()].map((file) => ({ ...file, path: storedPath(provider, file.path) }));
  const paths = moved.map(({ path }) => path);
  checkDistinct(paths, new Set(paths));
  return new Map(moved.map((file) => [file.path, file]));
}
