import type { EntityManager } from 'typeorm';
import { SkillErrors } from '../shared/skills.errors.js';

const MAX_LENGTH = 255;

export interface CollectionName {
  name: string;
  rootPath: string;
}

/** Cleans and checks a name. Throws skill_name_invalid. */
export function readName(given: string): string {
  const name = given.trim();
  if (/[\p{Cc}\uFFFD/\\]/u.test(name) || /^\.*$/.test(name)) throw SkillErrors.skill_name_invalid();
  return name;
}

/** Turns a name in any script into a usual name of a folder. */
export function toRootPath(name: string): string {
  const plain = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|-+$/g, '');
  return plain === '' ? 'skills' : plain;
}

/**
 * Returns the name and its path. Adds a number to each if a live collection other than `except` has it. Callers must hold the
 * lock on the names of the workspace.
 */
export async function freeName(
  tx: EntityManager,
  workspaceId: number,
  name: string,
  except: string | null = null,
): Promise<CollectionName> {
  const isTaken = async (column: 'name' | 'root_path', text: string): Promise<boolean> => {
    const found = await tx.query<unknown[]>(
      `SELECT 1 FROM skill_collections
        WHERE workspace_id = $1 AND deleted_at IS NULL AND ${column} = $2 AND id IS DISTINCT FROM $3::uuid`,
      [workspaceId, text, except],
    );
    return found.length > 0;
  };
  return {
    name: await firstFree(
      name,
      (number) => ` (${number})`,
      (text) => isTaken('name', text),
    ),
    rootPath: await firstFree(
      toRootPath(name),
      (number) => `-${number}`,
      (text) => isTaken('root_path', text),
    ),
  };
}

async function firstFree(
  text: string,
  ending: (number: number) => string,
  isTaken: (text: string) => Promise<boolean>,
): Promise<string> {
  let candidate = text;
  for (let number = 2; await isTaken(candidate); number++) {
    const end = ending(number);
    candidate = `${[...text].slice(0, MAX_LENGTH - end.length).join('')}${end}`;
  }
  return candidate;
}
