import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import type { LabelOnVersion, VersionChoice, WithExternalIds } from '../../registry/index.js';
import { type LastRun, lastRunsOf } from './last-runs.js';
import { type Workflow, WorkflowVersion } from './workflow.entity.js';
import { WORKFLOW_LABELS, WORKFLOWS } from './workflow.registry.js';
import type { ListWorkflowsQuery } from './workflows.dto.js';
import { type ChosenVersion, getVersion, getVersionOf } from './workflows.queries.js';

/** An item of a list: a workflow with the sorted names of all its labels, and its newest run. */
export type ListedWorkflow = WithExternalIds<Workflow> & { labels: string[]; lastRun: LastRun | null };

/** A version as lists show it. */
export type VersionHead = Omit<WorkflowVersion, 'nodes' | 'edges' | 'requiredInputVariables' | 'workflow'> & {
  labels: string[];
};

/** Changes to a workflow. Missing keys keep their values. */
export interface WorkflowChange {
  name?: string;
  tags?: string[];
}

@Injectable()
export class WorkflowsService {
  constructor(private readonly db: DataSource) {}

  /** Returns a page of the matching workflows and the number of all matches. */
  async list(
    { workspaceId }: Caller,
    query: ListWorkflowsQuery,
  ): Promise<{ total: number; workflows: ListedWorkflow[] }> {
    const { manager } = this.db;
    const { page = 1, per_page: limit = 30 } = query;
    const total = await WORKFLOWS.count(manager, workspaceId, query);
    const range = { limit, offset: (page - 1) * limit };
    const found = await WORKFLOWS.list(manager, workspaceId, query, { sortBy: 'created_at', page: range });
    const workflows = await WORKFLOWS.withExternalIds(manager, workspaceId, found);
    const ids = found.map(({ id }) => id);
    const labels = await WORKFLOW_LABELS.ofAll(manager, workspaceId, ids);
    const lastRuns = await lastRunsOf(manager, workspaceId, ids);
    const shown = workflows.map((each) => ({
      ...each,
      labels: labels.get(each.id)!.map(nameOf),
      lastRun: lastRuns.get(each.id) ?? null,
    }));
    return { total, workflows: shown };
  }

  async read(caller: Caller, identifier: string, choice: VersionChoice): Promise<WithExternalIds<ChosenVersion>> {
    const { workspaceId } = caller;
    return withExternalIds(this.db.manager, await getVersion(this.db.manager, workspaceId, identifier, choice));
  }

  async labels({ workspaceId }: Caller, identifier: string): Promise<LabelOnVersion[]> {
    const { manager } = this.db;
    return WORKFLOW_LABELS.of(manager, await WORKFLOWS.get(manager, workspaceId, identifier));
  }

  /** One page of the versions, the newest first. */
  async versions(
    { workspaceId }: Caller,
    id: number,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ total: number; versions: VersionHead[] }> {
    const { manager } = this.db;
    const workflow = await WORKFLOWS.get(manager, workspaceId, { id });
    const [versions, total] = await manager.findAndCount(WorkflowVersion, {
      where: { workspaceId, workflowId: workflow.id },
      select: {
        workspaceId: true,
        id: true,
        workflowId: true,
        number: true,
        createdBy: true,
        commitMessage: true,
        createdAt: true,
      },
      order: { number: 'DESC' },
      take: perPage,
      skip: (page - 1) * perPage,
    });
    const labels = await WORKFLOW_LABELS.of(manager, workflow);
    const on = (number: number) => labels.filter(({ versionNumber }) => versionNumber === number);
    return { total, versions: versions.map((each) => ({ ...each, labels: on(each.number).map(nameOf) })) };
  }

  /** Throws workflow_name_taken. */
  update(caller: Caller, id: number, { name, tags }: WorkflowChange): Promise<WithExternalIds<ChosenVersion>> {
    return this.db.transaction(async (tx) => {
      const workflow = await WORKFLOWS.lock(tx, caller.workspaceId, { id });
      demand(caller, 'WORKFLOW_EDIT');
      const change = { name: name ?? workflow.name, tags: [...new Set(tags ?? workflow.tags)] };
      return withExternalIds(tx, await getVersionOf(tx, await WORKFLOWS.update(tx, caller, workflow, change), {}));
    });
  }

  /** Puts a label on a version. Creates the label or moves it. */
  placeLabel(caller: Caller, id: number, name: string, number: number): Promise<LabelOnVersion> {
    return this.db.transaction(async (tx) => {
      const workflow = await WORKFLOWS.lock(tx, caller.workspaceId, { id });
      return (await WORKFLOW_LABELS.put(tx, caller, workflow, { name, number })).label;
    });
  }

  deleteLabel(caller: Caller, id: number, name: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      const workflow = await WORKFLOWS.lock(tx, caller.workspaceId, { id });
      await WORKFLOW_LABELS.remove(tx, caller, workflow, name);
    });
  }
}

async function withExternalIds(tx: EntityManager, chosen: ChosenVersion): Promise<WithExternalIds<ChosenVersion>> {
  return { ...chosen, externalIds: await WORKFLOWS.externalIdsOf(tx, chosen.workflow) };
}

const nameOf = ({ name }: LabelOnVersion): string => name;
