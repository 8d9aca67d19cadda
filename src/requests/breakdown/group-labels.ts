import type { EntityManager } from 'typeorm';
import { readPromptNames } from '../../prompts/index.js';
import type { BreakdownKind } from './group-facets.js';

/** Groups with their values as people know them: prompts have their names. */
export async function withLabels<G extends { value: string }>(
  tx: EntityManager,
  { workspaceId, by }: { workspaceId: number; by: BreakdownKind },
  groups: readonly G[],
): Promise<(G & { label: string })[]> {
  const labels = by.startsWith('prompt') ? await promptLabels(tx, workspaceId, groups) : new Map<string, string>();
  return groups.map((group) => ({ ...group, label: labels.get(group.value) ?? group.value }));
}

/** "name" or "name v3", by id or by id and version. */
async function promptLabels(
  tx: EntityManager,
  workspaceId: number,
  groups: readonly { value: string }[],
): Promise<Map<string, string>> {
  const parts = groups.map(({ value }) => ({ value, parts: value.split(':') }));
  const names = await readPromptNames(
    tx,
    workspaceId,
    parts.map(({ parts: [id] }) => Number(id)),
  );
  return new Map(
    parts.flatMap(({ value, parts: [id, version] }) => {
      const name = names.get(Number(id));
      if (name === undefined) return [];
      return [[value, version === undefined ? name : `${name} v${version}`] as const];
    }),
  );
}
