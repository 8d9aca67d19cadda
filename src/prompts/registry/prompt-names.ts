import { type EntityManager, In } from 'typeorm';
import { PromptRecord } from '../shared/prompt.entity.js';

/** The names of prompts by id, including deleted ones. */
export async function readPromptNames(
  tx: EntityManager,
  workspaceId: number,
  ids: (number | null)[],
): Promise<Map<number, string>> {
  const known = [...new Set(ids.filter((id) => id !== null))];
  if (known.length === 0) return new Map();
  const select = { id: true, name: true } as const;
  const prompts = await tx.find(PromptRecord, { select, where: { workspaceId, id: In(known) } });
  return new Map(prompts.map(({ id, name }) => [id, name]));
}

/** Labels of a chart's groups, whose values are ids of prompts. */
export const promptLabels =
  (workspaceId: number) =>
  async (tx: EntityManager, ids: string[]): Promise<Map<string, string>> => {
    const names = await readPromptNames(tx, workspaceId, ids.map(Number));
    return new Map([...names].map(([id, name]) => [String(id), name]));
  };

/** The ids of the prompts by name; of deleted ones too, which may share a name with others. */
export async function findPromptIds(
  tx: EntityManager,
  workspaceId: number,
  names: string[],
): Promise<Map<string, number[]>> {
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return new Map();
  const select = { id: true, name: true } as const;
  const prompts = await tx.find(PromptRecord, { select, where: { workspaceId, name: In(wanted) } });
  return new Map(wanted.map((name) => [name, prompts.filter((prompt) => prompt.name === name).map(({ id }) => id)]));
}
