import type { EntityManager } from 'typeorm';
import type { IdOrName } from '../../platform/http/id-or-name.js';
import type { VersionChoice } from '../../registry/index.js';
import { WorkflowErrors } from '../shared/workflows.errors.js';
import type { Workflow, WorkflowVersion } from './workflow.entity.js';
import { WORKFLOW_LABELS, WORKFLOWS } from './workflow.registry.js';

export interface ChosenVersion {
  workflow: Workflow;
  version: WorkflowVersion;
  /** The names of the labels of this version, sorted. */
  labels: string[];
}

/**
 * Reads the chosen version of a live workflow, with its labels from the same snapshot. Throws workflow_not_found,
 * workflow_version_not_found, workflow_label_not_found, and workflow_version_ambiguous for a number together with a label.
 */
export async function getVersion(
  tx: EntityManager,
  workspaceId: number,
  identifier: IdOrName,
  choice: VersionChoice,
): Promise<ChosenVersion> {
  requireOneChoice(choice);
  return getVersionOf(tx, await WORKFLOWS.get(tx, workspaceId, identifier), choice);
}

/** Reads the chosen version of a known workflow. */
export async function getVersionOf(
  tx: EntityManager,
  workflow: Workflow,
  choice: VersionChoice,
): Promise<ChosenVersion> {
  const { version, labels } = await WORKFLOW_LABELS.choose(tx, workflow, choice);
  const own = labels.filter(({ versionNumber }) => versionNumber === version.number);
  return { workflow, version, labels: own.map(({ name }) => name) };
}

/** Throws workflow_version_ambiguous. */
export function requireOneChoice({ version, label }: VersionChoice): void {
  if (version && label) throw WorkflowErrors.workflow_version_ambiguous();
}
