import type { EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import type { ExternalIdBody } from '../../external-ids/index.js';
import type { ClearedLabels } from '../../registry/index.js';
import { requireReferences } from '../../grid/column-type/parse-config.js';
import { WorkflowErrors } from '../shared/workflows.errors.js';
import type { CheckedGraph } from './check-graph.js';
import { misfit } from './check-nodes.js';
import type { Workflow, WorkflowVersion } from './workflow.entity.js';
import { WORKFLOW_LABELS, WORKFLOWS } from './workflow.registry.js';

/** Parts of a saved version besides its graph. */
export interface VersionExtras {
  commitMessage: string | null;
  /** Release labels in the order of the request; null when none were sent. */
  labels: string[] | null;
  externalIds: ExternalIdBody[];
}

export interface SavedVersion {
  workflow: Workflow;
  version: WorkflowVersion;
  labels: string[] | null;
  /** All external IDs of the workflow. */
  externalIds: ExternalIdBody[];
  /** Number of the version that was changed; null for a version that was given as a whole. */
  baseVersion: number | null;
}

/** Stores a version with its labels under a number that the caller has taken. Throws workflow_invalid and external_id_in_use. */
export async function saveVersion(
  tx: EntityManager,
  caller: Caller,
  workflow: Workflow,
  {
    checked,
    extras,
    cleared,
    baseVersion = null,
  }: { checked: CheckedGraph; extras: VersionExtras; cleared: ClearedLabels; baseVersion?: number | null },
): Promise<SavedVersion> {
  const { name, id: entityId, latestVersion: versionNumber } = workflow;
  await requireOutsideThings(tx, workflow.workspaceId, checked);
  const { commitMessage, labels, externalIds } = extras;
  const version = await WORKFLOWS.storeVersion(tx, caller, workflow, { ...checked.graph, commitMessage });
  await WORKFLOW_LABELS.place(tx, caller, workflow, { versionNumber, labels: cleared });
  await WORKFLOWS.attachExternalIds(tx, workflow, externalIds);
  const action = versionNumber === 1 ? 'workflow.create' : 'workflow.save_version';
  await audit(tx, caller, { action, entityId, details: { name, version_number: versionNumber } });
  return { workflow, version, labels, externalIds: await WORKFLOWS.externalIdsOf(tx, workflow), baseVersion };
}

/** Throws workflow_invalid when nodes refer to something that the workspace does not have. */
async function requireOutsideThings(tx: EntityManager, workspaceId: number, { nodes }: CheckedGraph): Promise<void> {
  const problems: string[] = [];
  for (const { name, type, config } of nodes) {
    try {
      await requireReferences(tx, type, config, { workspaceId });
    } catch (error) {
      problems.push(misfit(name, error));
    }
  }
  if (problems.length > 0) throw WorkflowErrors.workflow_invalid(problems);
}
