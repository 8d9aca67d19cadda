import { Column, Entity, Index, ManyToOne, type Relation } from 'typeorm';
import { IdentityColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { RegistryEntry, RegistryLabel, RegistryVersion } from '../../registry/index.js';
import type { InputVariables, WorkflowEdge, WorkflowNode } from './workflow-graph.js';

/** A named workflow. Its versions hold the graphs. */
@Entity('workflows')
@Index('workflows_name_key', { synchronize: false })
@Index('workflows_created_idx', ['workspaceId', 'createdAt', 'id'])
@Index('workflows_folder_idx', { synchronize: false })
export class Workflow extends RegistryEntry {
  @IdentityColumn('integer')
  id: number;

  @Column({ type: 'text', array: true })
  tags: string[];
}

/** One version of a workflow. It never changes. */
@Entity('workflow_versions')
@Index('workflow_versions_number_key', ['workspaceId', 'workflowId', 'number'], { unique: true })
export class WorkflowVersion extends RegistryVersion {
  @IdentityColumn('integer')
  id: number;

  @Column({ name: 'workflow_id', type: 'integer' })
  workflowId: number;

  @ManyToOne(() => Workflow)
  @JoinInWorkspace('workflow_id', 'workflow_versions_workflow_id_fkey')
  workflow?: Relation<Workflow>;

  /** From 1, without gaps. */
  @Column({ type: 'integer' })
  number: number;

  /** In the order in which they were given. `json` keeps the order of the keys of a schema, which matters to models. */
  @Column({ type: 'json' })
  nodes: WorkflowNode[];

  @Column({ type: 'json' })
  edges: WorkflowEdge[];

  /** The type of each input by its name. */
  @Column({ name: 'required_input_variables', type: 'json' })
  requiredInputVariables: InputVariables;
}

/** A name such as "production" for one version of a workflow. */
@Entity('workflow_labels')
@Index('workflow_labels_name_key', ['workspaceId', 'workflowId', 'name'], { unique: true })
export class WorkflowLabel extends RegistryLabel {
  @Column({ name: 'workflow_id', type: 'integer' })
  workflowId: number;

  @ManyToOne(() => Workflow)
  @JoinInWorkspace('workflow_id', 'workflow_labels_workflow_id_fkey')
  workflow?: Relation<Workflow>;
}
