import { type EntityManager, In } from 'typeorm';
import { auditAll, type Caller } from '../../access/index.js';
import { type Workflow, WorkflowLabel } from './workflow.entity.js';

/** Puts labels on a version of a locked workflow: new ones, or ones that are moved there. */
export async function placeLabels(
  tx: EntityManager,
  caller: Caller,
  workflow: Workflow,
  { versionNumber, names }: { versionNumber: number; names: string[] },
): Promise<void> {
  if (names.length === 0) return;
  const { workspaceId, id: workflowId } = workflow;
  const where = { workspaceId, workflowId, name: In(names) };
  const before = new Map((await tx.findBy(WorkflowLabel, where)).map(({ name, versionNumber: old }) => [name, old]));
  const rows = names.map((name) => ({ workspaceId, workflowId, name, versionNumber }));
  await tx.upsert(WorkflowLabel, rows, ['workspaceId', 'workflowId', 'name']);
  const placed = await tx.findBy(WorkflowLabel, where);
  const deeds = placed
    .filter(({ name }) => before.get(name) !== versionNumber)
    .map(({ id: entityId, name: label }) => {
      const old = before.get(label);
      const details = { workflow: workflow.name, label, version_number: versionNumber, old_version_number: old };
      return { action: `workflow_label.${old === undefined ? 'create' : 'move'}`, entityId, details };
    });
  await auditAll(tx, caller, deeds);
}
