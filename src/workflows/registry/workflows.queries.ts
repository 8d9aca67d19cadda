import { type EntityManager, IsNull } from 'typeorm';
import { isSameName } from '../../platform/comparable-text.js';
import { type IdOrName, meaningsOf, shownIdentifier } from '../../platform/http/id-or-name.js';
import { WorkflowErrors } from '../workflows.errors.js';
import { Workflow, WorkflowVersion } from './workflow.entity.js';

/** Which version of a workflow is asked for: by its number or by a label. Without both it is the latest. */
export interface VersionChoice {
  version?: number | null;
  label?: string | null;
}

export interface LabelOnVersion {
  id: number;
  name: string;
  versionId: number;
  versionNumber: number;
  createdAt: Date;
}

export interface ChosenVersion {
  workflow: Workflow;
  version: WorkflowVersion;
  /** The names of the labels of this version, sorted. */
  labels: string[];
}

/** A live workflow. Throws workflow_not_found. */
export async function getWorkflow(
  tx: EntityManager,
  workspaceId: number,
  identifier: IdOrName,
  lock?: 'for_no_key_update',
): Promise<Workflow> {
  for (const meant of meaningsOf(identifier)) {
    const where = { ...meant, workspaceId, deletedAt: IsNull() };
    const workflow = await tx.findOne(Workflow, { where, ...(lock && { lock: { mode: lock } }) });
    if (workflow) return workflow;
  }
  throw WorkflowErrors.workflow_not_found(shownIdentifier(identifier));
}

/** The same, locked until the end of the transaction: versions and labels of a workflow change one after the other. */
export function lockWorkflow(tx: EntityManager, workspaceId: number, identifier: IdOrName): Promise<Workflow> {
  return getWorkflow(tx, workspaceId, identifier, 'for_no_key_update');
}

/**
 * The version of a live workflow that is asked for, with its labels as they are at the same moment. Throws workflow_not_found,
 * workflow_version_not_found, workflow_label_not_found, and workflow_version_ambiguous for a number together with a label.
 */
export async function getVersion(
  tx: EntityManager,
  workspaceId: number,
  identifier: IdOrName,
  choice: VersionChoice,
): Promise<ChosenVersion> {
  requireOneChoice(choice);
  const workflow = await getWorkflow(tx, workspaceId, identifier);
  return getVersionOf(tx, workflow, choice);
}

/** The same for a workflow that is known. */
export async function getVersionOf(
  tx: EntityManager,
  workflow: Workflow,
  choice: VersionChoice,
): Promise<ChosenVersion> {
  // Some clients send an empty label for none.
  const [number, label] = [choice.version ?? null, choice.label || null];
  // One read of all of them: a label may be moved meanwhile, and what is shown must be what was chosen by.
  const labels = await readLabels(tx, workflow);
  const labelled = label === null ? null : findLabel(labels, label);
  if (labelled === undefined) throw WorkflowErrors.workflow_label_not_found(workflow.name, label!);
  const wanted = labelled?.versionNumber ?? number ?? workflow.latestVersion;
  const { workspaceId, id: workflowId } = workflow;
  const version = await tx.findOneBy(WorkflowVersion, { workspaceId, workflowId, number: wanted });
  if (!version) throw WorkflowErrors.workflow_version_not_found(workflow.name, wanted);
  const own = labels.filter(({ versionNumber }) => versionNumber === wanted);
  return { workflow, version, labels: own.map(({ name }) => name) };
}

/** The labels of a workflow, by name. */
export function readLabels(tx: EntityManager, { workspaceId, id }: Workflow): Promise<LabelOnVersion[]> {
  return tx.query<LabelOnVersion[]>(
    `SELECT l.id, l.name, l.version_number AS "versionNumber", v.id AS "versionId", l.created_at AS "createdAt"
       FROM workflow_labels l
       JOIN workflow_versions v ON v.workspace_id = $1 AND v.workflow_id = $2 AND v.number = l.version_number
      WHERE l.workspace_id = $1 AND l.workflow_id = $2 ORDER BY l.name COLLATE "C"`,
    [workspaceId, id],
  );
}

/** The label of this name, or else one whose letters are spelled with other code points. */
function findLabel(labels: LabelOnVersion[], name: string): LabelOnVersion | undefined {
  return labels.find((label) => label.name === name) ?? labels.find((label) => isSameName(label.name, name));
}

/** Throws workflow_version_ambiguous. */
export function requireOneChoice({ version, label }: VersionChoice): void {
  if (version && label) throw WorkflowErrors.workflow_version_ambiguous();
}
