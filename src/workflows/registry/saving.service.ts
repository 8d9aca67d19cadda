import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import { lockFolder } from '../../folders/index.js';
import { OwnedColumns } from '../../tables/index.js';
import { WorkflowErrors } from '../shared/workflows.errors.js';
import { checkGraph } from './check-graph.js';
import { mergeVersion, type VersionChange } from './merge-version.js';
import { type SavedVersion, saveVersion, type VersionExtras } from './save-version.js';
import { type ClearedLabels, demandLabels, type VersionChoice } from '../../registry/index.js';
import type { Workflow } from './workflow.entity.js';
import type { GivenGraph } from './workflow-graph.js';
import { WORKFLOWS } from './workflow.registry.js';
import { getVersionOf, requireOneChoice } from './workflows.queries.js';

/** A version that is given as a whole. */
export interface NewVersion {
  graph: GivenGraph;
  extras: VersionExtras;
  /** null means the top level for a new workflow, and the present folder for an existing one. */
  folderId: number | null;
  /** An empty list keeps the tags of an existing workflow. */
  tags: string[];
}

/** Changes to an older version, which make a new one. */
export interface ChangedVersion {
  base: VersionChoice;
  change: VersionChange;
  extras: VersionExtras;
}

/** The workflow that gets a new version. Id and name may both be given if they belong to the same workflow. */
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

  /** Creates a workflow with its first version. Throws workflow_name_taken, and the errors of `saveVersion`. */
  async create(caller: Caller, name: string, { graph, extras, folderId, tags }: NewVersion): Promise<SavedVersion> {
    const cleared = await demandSaving(this.db.manager, caller, 'WORKFLOW_CREATE', extras);
    const checked = checkGraph(graph, this.columns);
    return this.db.transaction(async (tx) => {
      if (folderId !== null) await lockFolder(tx, caller.workspaceId, folderId);
      const workflow = await WORKFLOWS.insert(tx, caller, { name, folderId, tags, latestVersion: 1 });
      return saveVersion(tx, caller, workflow, { checked, extras, cleared });
    });
  }

  /** Adds a version to a workflow. Concurrent calls get different numbers: the second waits for the first. */
  add(caller: Caller, target: Target, { graph, extras, folderId, tags }: NewVersion): Promise<SavedVersion> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      if (folderId !== null) await lockFolder(tx, workspaceId, folderId);
      const workflow = await lockTarget(tx, workspaceId, target);
      const cleared = await demandSaving(tx, caller, 'WORKFLOW_EDIT', extras);
      const checked = checkGraph(graph, this.columns);
      const moved = { folderId: folderId ?? workflow.folderId, tags: tags.length > 0 ? tags : workflow.tags };
      return saveVersion(tx, caller, await WORKFLOWS.takeNumber(tx, workflow, moved), { checked, extras, cleared });
    });
  }

  /** Adds a version that is an older one with changes. The latest version is read under the lock of the workflow. */
  patch(caller: Caller, identifier: string, { base: choice, change, extras }: ChangedVersion): Promise<SavedVersion> {
    requireOneChoice(choice);
    return this.db.transaction(async (tx) => {
      const workflow = await WORKFLOWS.lock(tx, caller.workspaceId, identifier);
      const { version: base } = await getVersionOf(tx, workflow, choice);
      const cleared = await demandSaving(tx, caller, 'WORKFLOW_EDIT', extras);
      const checked = checkGraph(mergeVersion(base, change), this.columns);
      const next = await WORKFLOWS.takeNumber(tx, workflow);
      return saveVersion(tx, caller, next, { checked, extras, cleared, baseVersion: base.number });
    });
  }
}

async function demandSaving(
  tx: EntityManager,
  caller: Caller,
  permission: 'WORKFLOW_CREATE' | 'WORKFLOW_EDIT',
  { labels }: VersionExtras,
): Promise<ClearedLabels> {
  demand(caller, permission);
  return demandLabels(tx, caller, 'WORKFLOW_DEPLOY', labels ?? []);
}

async function lockTarget(tx: EntityManager, workspaceId: number, { id, name }: Target): Promise<Workflow> {
  const workflow = await WORKFLOWS.lock(tx, workspaceId, id === null ? { name: name! } : { id });
  if (name !== null && workflow.name !== name) throw WorkflowErrors.workflow_identifiers_differ(workflow.id, name);
  return workflow;
}
