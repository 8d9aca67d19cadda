import type { EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { attachExternalIds, type ExternalIdBody, readExternalIds } from '../../external-ids/index.js';
import { uniqueViolation } from '../../platform/database/failures.js';
import { requireReferences } from '../../tables/index.js';
import { WorkflowErrors } from '../workflows.errors.js';
import type { CheckedGraph } from './check-graph.js';
import { misfit } from './check-nodes.js';
import { placeLabels } from './place-labels.js';
import { EXTERNAL_ID_TYPE, type Workflow, WorkflowVersion } from './workflow.entity.js';

/** What a version says besides its graph, and what is done with it. */
export interface VersionExtras {
  commitMessage: string | null;
  /** As they were sent. */
  labels: string[] | null;
  externalIds: ExternalIdBody[];
}

export interface SavedVersion {
  workflow: Workflow;
  version: WorkflowVersion;
  labels: string[] | null;
  /** All that the workflow has. */
  externalIds: ExternalIdBody[];
  /** The number of the version that was changed; null for one that is new as a whole. */
  baseVersion: number | null;
}

/** Stores a version under the number that was just taken for it, with its labels. Throws workflow_invalid and external_id_in_use. */
export async function saveVersion(
  tx: EntityManager,
  caller: Caller,
  workflow: Workflow,
  {
    checked,
    extras,
    baseVersion = null,
  }: { checked: CheckedGraph; extras: VersionExtras; baseVersion?: number | null },
): Promise<SavedVersion> {
  const { workspaceId, id: workflowId, latestVersion: number } = workflow;
  await requireOutsideThings(tx, workspaceId, checked);
  const { nodes, edges, requiredInputVariables } = checked.graph;
  const { commitMessage, labels, externalIds } = extras;
  // TypeORM's types for JSON columns reject index signatures.
  const json = { nodes, edges, requiredInputVariables } as object;
  await tx.insert(WorkflowVersion, {
    ...json,
    workspaceId,
    workflowId,
    number,
    commitMessage,
    createdBy: caller.keyId,
  });
  const version = await tx.findOneByOrFail(WorkflowVersion, { workspaceId, workflowId, number });
  await placeLabels(tx, caller, workflow, { versionNumber: number, names: labels ?? [] });
  await attachExternalIds(tx, { workspaceId, type: EXTERNAL_ID_TYPE, id: workflowId }, externalIds);
  const action = number === 1 ? 'workflow.create' : 'workflow.save_version';
  const details = { name: workflow.name, version_number: number };
  await audit(tx, caller, { action, entityId: workflowId, details });
  const attached = await readExternalIds(tx, workspaceId, EXTERNAL_ID_TYPE, [workflowId]);
  return { workflow, version, labels, externalIds: attached.get(String(workflowId))!, baseVersion };
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

export function nameTaken(name: string): (error: unknown) => never {
  return (error) => {
    throw uniqueViolation(error) === 'workflows_name_key' ? WorkflowErrors.workflow_name_taken(name) : error;
  };
}
