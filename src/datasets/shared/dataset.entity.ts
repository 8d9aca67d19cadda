import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { CreatedByColumn, IdentityColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import { DeletableRow } from '../../platform/database/common-rows.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import type { JsonObject } from '../../platform/json.js';

/** The type under which external ids are attached to groups. */
export const EXTERNAL_ID_TYPE = 'dataset_group';

/** A named dataset. Its rows are in its versions. */
@Entity('dataset_groups')
@Index('dataset_groups_name_key', { synchronize: false })
@Index('dataset_groups_folder_idx', { synchronize: false })
export class DatasetGroup extends DeletableRow {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  /** Unique among the live groups of the workspace; case matters. */
  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'folder_id', type: 'integer', nullable: true })
  folderId: number | null;

  /** The key that created it. */
  @CreatedByColumn()
  createdBy: number | null;
}

/**
 * `draft`: people add rows to it; a group has at most one. `saving`: a former draft that is published when its pending rows are
 * written. `hidden`: published in the same way, and not shown before. `published`: immutable.
 */
export type DatasetState = 'draft' | 'saving' | 'hidden' | 'published';

/** A version of a dataset: a sheet. Clients call it a dataset. */
@Entity('dataset_versions')
@Index('dataset_versions_draft_key', { synchronize: false })
@Index('dataset_versions_number_key', ['workspaceId', 'groupId', 'number'], { unique: true })
@Index('dataset_versions_sheet_key', ['workspaceId', 'sheetId'], { unique: true })
@Index('dataset_versions_created_idx', ['workspaceId', 'createdAt', 'id'])
export class DatasetVersion extends DeletableRow {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  @Column({ name: 'group_id', type: 'integer' })
  groupId: number;

  @ManyToOne(() => DatasetGroup)
  @JoinInWorkspace('group_id', 'dataset_versions_group_id_fkey')
  group?: Relation<DatasetGroup>;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  // By name, because sheets belong to another domain.
  @ManyToOne('Sheet')
  @JoinInWorkspace('sheet_id', 'dataset_versions_sheet_id_fkey')
  sheet?: Relation<object>;

  @Column({ type: 'text' })
  state: DatasetState;

  /** Numbered from 1 without gaps; null until it is published. */
  @Column({ type: 'integer', nullable: true })
  number: number | null;

  /** The search that filled it, so that it can be repeated; null when rows were chosen one by one. */
  @Column({ name: 'filter_params', type: 'jsonb', nullable: true })
  filterParams: JsonObject | null;

  /** The request logs to import when the current copy has ended. */
  @Column({ name: 'next_import', type: 'jsonb', nullable: true })
  nextImport: JsonObject | null;

  @CreatedByColumn()
  createdBy: number | null;
}

/** A prompt version that logs of the dataset used. */
@Entity('dataset_version_prompts')
@Index('dataset_version_prompts_prompt_idx', ['workspaceId', 'promptId', 'promptVersionNumber'])
export class DatasetVersionPrompt {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'version_id', type: 'integer' })
  versionId: number;

  @PrimaryColumn({ name: 'prompt_id', type: 'integer' })
  promptId: number;

  @PrimaryColumn({ name: 'prompt_version_number', type: 'integer' })
  promptVersionNumber: number;

  @ManyToOne(() => DatasetVersion)
  @JoinInWorkspace('version_id', 'dataset_version_prompts_version_id_fkey')
  version?: Relation<DatasetVersion>;
}
