import type { EntityManager } from 'typeorm';
import { readPromptNames } from '../prompts/index.js';
import type { Definition } from './definition.js';

interface Grouped {
  monitor: { definition: Pick<Definition, 'by'> };
  groups: readonly { group: string }[] | null;
}

/** The names of the prompts among groups, by their ids. Other groups are their own names. */
export function groupLabels(
  tx: EntityManager,
  workspaceId: number,
  grouped: readonly Grouped[],
): Promise<ReadonlyMap<number, string>> {
  const ids = grouped.flatMap(({ monitor, groups }) =>
    monitor.definition.by === 'prompt' ? (groups ?? []).map(({ group }) => Number(group)) : [],
  );
  return ids.length === 0 ? Promise.resolve(new Map()) : readPromptNames(tx, workspaceId, ids);
}

export function labelOf({ by }: Pick<Definition, 'by'>, group: string, labels: ReadonlyMap<number, string>): string {
  return by === 'prompt' ? (labels.get(Number(group)) ?? group) : group;
}
