import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demand, demandLabels } from '../../access/index.js';
import { type ExternalIdBody, readExternalIds } from '../../external-ids/index.js';
import { WorkflowErrors } from '../workflows.errors.js';
import { listWorkflows, type ListedWorkflow } from './list-workflows.queries.js';
import { nameTaken } from './save-version.js';
import { EXTERNAL_ID_TYPE, Workflow, WorkflowLabel, WorkflowVersion } from './workflow.entity.js';
import type { ListWorkflowsQuery } from './workflows.dto.js';
import {
  type ChosenVersion,
  getVersion,
  getVersionOf,
  getWorkflow,
  type LabelOnVersion,
  lockWorkflow,
  readLabels,
  type VersionChoice,
} from './workflows.queries.js';
import { placeLabels } from './place-labels.js';

export type WithExternalIds<T> = T & { externalIds: ExternalIdBody[] };

/** A version as lists show it. */
export type VersionHead = Omit<WorkflowVersion, 'nodes' | 'edges' | 'requiredInputVariables' | 'workflow'> & {
  labels: string[];
};

/** What is left out stays as it is. */
export interface WorkflowChange {
  name?: string;
  tags?: string[];
}

@Injectable()
export class WorkflowsService {
  constructor(private readonly db: DataSource) {}

  async list(
    { workspaceId }: Caller,
    query: ListWorkflowsQuery,
  ): Promise<{ total: number; workflows: WithExternalIds<ListedWorkflow>[] }> {
    const { manager } = this.db;
    const { total, workflows } = await listWorkflows(manager, workspaceId, query);
    const ids = workflows.map(({ id }) => id);
    const externalIds = await readExternalIds(manager, workspaceId, EXTERNAL_ID_TYPE, ids);
    return { total, workflows: workflows.map((each) => ({ ...each, externalIds: externalIds.get(String(each.id))! })) };
  }

  async read(caller: Caller, identifier: string, choice: VersionChoice): Promise<WithExternalIds<ChosenVersion>> {
    const { workspaceId } = caller;
    return withExternalIds(this.db.manager, await getVersion(this.db.manager, workspaceId, identifier, choice));
  }

  async labels({ workspaceId }: Caller, identifier: string): Promise<LabelOnVersion[]> {
    const { manager } = this.db;
    return readLabels(manager, await getWorkflow(manager, workspaceId, identifier));
  }

  /** One page of the versions, the newest first. */
  async versions(
    { workspaceId }: Caller,
    id: number,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ total: number; versions: VersionHead[] }> {
    const { manager } = this.db;
    const workflow = await getWorkflow(manager, workspaceId, { id });
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
    const labels = await readLabels(manager, workflow);
    const on = (number: number) => labels.filter(({ versionNumber }) => versionNumber === number);
    return { total, versions: versions.map((each) => ({ ...each, labels: on(each.number).map(({ name }) => name) })) };
  }

  /** Throws workflow_name_taken. */
  update(caller: Caller, id: number, change: WorkflowChange): Promise<WithExternalIds<ChosenVersion>> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const workflow = await lockWorkflow(tx, workspaceId, { id });
      demand(caller, 'WORKFLOW_EDIT');
      const { name = workflow.name, tags = workflow.tags } = change;
      const where = { workspaceId, id: workflow.id };
      const next = { name, tags: [...new Set(tags)], updatedAt: new Date() };
      await tx.update(Workflow, where, next).catch(nameTaken(name));
      const details = { name, old_name: workflow.name };
      await audit(tx, caller, { action: 'workflow.update', entityId: workflow.id, details });
      return withExternalIds(tx, await getVersionOf(tx, { ...workflow, ...next }, {}));
    });
  }

  /** Puts a label on a version: a new one, or one that is moved there. */
  placeLabel(caller: Caller, id: number, name: string, version: number): Promise<LabelOnVersion> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const workflow = await lockWorkflow(tx, workspaceId, { id });
      const { number: versionNumber } = (await getVersionOf(tx, workflow, { version })).version;
      await demandLabels(tx, caller, 'WORKFLOW_DEPLOY', [name]);
      await placeLabels(tx, caller, workflow, { versionNumber, names: [name] });
      return (await readLabels(tx, workflow)).find((label) => label.name === name)!;
    });
  }

  deleteLabel(caller: Caller, id: number, name: string): Promise<void> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const workflow = await lockWorkflow(tx, workspaceId, { id });
      const label = await tx.findOneBy(WorkflowLabel, { workspaceId, workflowId: workflow.id, name });
      if (!label) throw WorkflowErrors.workflow_label_not_found(workflow.name, name);
      await demandLabels(tx, caller, 'WORKFLOW_DEPLOY', [name]);
      await tx.delete(WorkflowLabel, { workspaceId, id: label.id });
      const details = { workflow: workflow.name, label: name, version_number: label.versionNumber };
      await audit(tx, caller, { action: 'workflow_label.delete', entityId: label.id, details });
    });
  }
}

async function withExternalIds(tx: EntityManager, chosen: ChosenVersion): Promise<WithExternalIds<ChosenVersion>> {
  const { workspaceId, id } = chosen.workflow;
  const found = await readExternalIds(tx, workspaceId, EXTERNAL_ID_TYPE, [id]);
  return { ...chosen, externalIds: found.get(String(id))! };
}
