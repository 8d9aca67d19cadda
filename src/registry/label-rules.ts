import type { EntityManager } from 'typeorm';
import { Workspace } from '../access/index.js';

/** Labels of a workspace with rules of their own, on any kind of entity. */
export interface LabelRules {
  /** Names of labels that only some may create, move or delete. */
  protectedLabels: string[];
  /** Names of protected labels whose changes a second person approves. */
  approvalLabels: string[];
}

export async function readLabelRules(tx: EntityManager, workspaceId: number): Promise<LabelRules> {
  const { protectedLabels, approvalLabels } = await tx.findOneByOrFail(Workspace, { id: workspaceId });
  return { protectedLabels, approvalLabels };
}

export async function writeLabelRules(tx: EntityManager, workspaceId: number, rules: LabelRules): Promise<void> {
  const { protectedLabels, approvalLabels } = rules;
  await tx.update(Workspace, { id: workspaceId }, { protectedLabels, approvalLabels });
}
