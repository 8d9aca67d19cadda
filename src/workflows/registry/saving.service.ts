import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand, demandLabels } from '../../access/index.js';
import { lockFolder } from '../../folders/index.js';
import { OwnedColumns } from '../../tables/index.js';
import { WorkflowErrors } from '../workflows.errors.js';
import { checkGraph } from './check-graph.js';
import { mergeVersion, type VersionChange } from './merge-version.js';
import { nameTaken, type SavedVersion, saveVersion, type VersionExtras } from './save-version.js';
import { Workflow } from './workflow.entity.js';
import type { GivenGraph } from './workflow-graph.js';
import { getVersionOf, lockWorkflow, requireOneChoice, type VersionChoice } from './workflows.queries.js';

/** A version that is given as a whole. */
export interface NewVersion {
  graph: GivenGraph;
  extras: VersionExtras;
  /** null: at the top for a new workflow, and where it is for another one. */
  folderId: number | null;
  /** Of a workflow that there is, an empty list changes nothing. */
  tags: string[];
}

/** A version that is an older one with changes. */
export interface ChangedVersion {
  base: VersionChoice;
  change: VersionChange;
  extras: VersionExtras;
}

/** Which workflow a new version is for: both may be given when they mean the same. */
export interface Target {
  id: number | null;
  name: string | null;
}

@Injectable()
export class SavingService {
  constructor(
    private readonly db: DataSource,
    private readonly columns: OwnedColumns,
  ) {}

  /** A new workflow with its first version. Throws workflow_name_taken, and what `saveVersion` throws. */
  async create(caller: Caller, name: string, { graph, extras, folderId, tags }: NewVersion): Promise<SavedVersion> {
    const { workspaceId, keyId: createdBy } = caller;
    await demandSaving(this.db.manager, caller, 'WORKFLOW_CREATE', extras);
    const checked = checkGraph(graph, this.columns);
    return this.db.transaction(async (tx) => {
      if (folderId !== null) await lockFolder(tx, workspaceId, folderId);
      const row = { workspaceId, name, folderId, tags, createdBy, latestVersion: 1 };
      const { identifiers } = await tx.insert(Workflow, row).catch(nameTaken(name));
      const workflow = await tx.findOneByOrFail(Workflow, { workspaceId, id: identifiers[0]!.id as number });
      return saveVersion(tx, caller, workflow, { checked, extras });
    });
  }

  /** A new version of a workflow. Two at once get two numbers: the second waits for the first. */
  add(caller: Caller, target: Target, { graph, extras, folderId, tags }: NewVersion): Promise<SavedVersion> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      if (folderId !== null) await lockFolder(tx, workspaceId, folderId);
      const workflow = await lockTarget(tx, workspaceId, target);
      await demandSaving(tx, caller, 'WORKFLOW_EDIT', extras);
      const checked = checkGraph(graph, this.columns);
      const moved = { folderId: folderId ?? workflow.folderId, tags: tags.length > 0 ? tags : workflow.tags };
      return saveVersion(tx, caller, await takeNumber(tx, workflow, moved), { checked, extras });
    });
  }

  /** A new version that is an older one with changes. What is the latest is found out when nobody else can save one. */
  patch(caller: Caller, identifier: string, { base: choice, change, extras }: ChangedVersion): Promise<SavedVersion> {
    requireOneChoice(choice);
    return this.db.transaction(async (tx) => {
      const workflow = await lockWorkflow(tx, caller.workspaceId, identifier);
      const { version: base } = await getVersionOf(tx, workflow, choice);
      await demandSaving(tx, caller, 'WORKFLOW_EDIT', extras);
      const checked = checkGraph(mergeVersion(base, change), this.columns);
      const next = await takeNumber(tx, workflow, {});
      return saveVersion(tx, caller, next, { checked, extras, baseVersion: base.number });
    });
  }
}

async function demandSaving(
  tx: EntityManager,
  caller: Caller,
  permission: 'WORKFLOW_CREATE' | 'WORKFLOW_EDIT',
  { labels }: VersionExtras,
): Promise<void> {
  demand(caller, permission);
  await demandLabels(tx, caller, 'WORKFLOW_DEPLOY', labels ?? []);
}

async function lockTarget(tx: EntityManager, workspaceId: number, { id, name }: Target): Promise<Workflow> {
  if (id === null) return lockWorkflow(tx, workspaceId, { name: name! });
  const workflow = await lockWorkflow(tx, workspaceId, { id });
  if (name !== null && workflow.name !== name) throw WorkflowErrors.workflow_identifiers_differ(id, name);
  return workflow;
}

/** Takes the next number of a locked workflow, and changes what else is given. */
async function takeNumber(
  tx: EntityManager,
  workflow: Workflow,
  moved: Partial<Pick<Workflow, 'folderId' | 'tags'>>,
): Promise<Workflow> {
  const next = { ...moved, latestVersion: workflow.latestVersion + 1, updatedAt: new Date() };
  await tx.update(Workflow, { workspaceId: workflow.workspaceId, id: workflow.id }, next);
  return { ...workflow, ...next };
}
