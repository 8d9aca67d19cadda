import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type ClearedLabels, LabelledKind, type LabelledKindPlugin, type LabelPosition } from '../../registry/index.js';
import type { Workflow } from './workflow.entity.js';
import { WORKFLOW_LABELS, WORKFLOWS } from './workflow.registry.js';

@LabelledKind({ name: 'workflow', permission: 'WORKFLOW_DEPLOY' })
export class LabelledWorkflows implements LabelledKindPlugin<Workflow> {
  readonly registry = WORKFLOWS;

  labelsOf(tx: EntityManager, workflow: Workflow): Promise<LabelPosition[]> {
    return WORKFLOW_LABELS.of(tx, workflow);
  }

  checkTarget(tx: EntityManager, workflow: Workflow, { versionNumber }: LabelPosition): Promise<unknown> {
    return WORKFLOWS.getVersion(tx, workflow, versionNumber);
  }

  place(
    tx: EntityManager,
    caller: Caller,
    workflow: Workflow,
    target: { versionNumber: number; labels: ClearedLabels },
  ): Promise<unknown> {
    return WORKFLOW_LABELS.place(tx, caller, workflow, target);
  }

  remove(tx: EntityManager, caller: Caller, workflow: Workflow, labels: ClearedLabels): Promise<unknown> {
    return WORKFLOW_LABELS.delete(tx, caller, workflow, labels);
  }
}
