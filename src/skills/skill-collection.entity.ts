import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import type { SkillProvider } from './files/layouts.js';

/** The type under which external ids are attached to skill collections. */
export const EXTERNAL_ID_TYPE = 'skill collection';

/** Files that teach an agent skills. What they say is in its versions. */
@Entity('skill_collections')
@Index('skill_collections_name_key', { synchronize: false })
@Index('skill_collections_root_path_key', { synchronize: false })
@Index('skill_collections_folder_idx', { synchronize: false })
export class SkillCollection {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'skill_collections_pkey' })
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'skill_collections_pkey' })
  id: string;

  @Column({ name: 'folder_id', type: 'integer', nullable: true })
  folderId: number | null;

  /** 0 before the first version. */
  @Column({ name: 'latest_version', type: 'integer' })
  latestVersion: number;

  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ name: 'updated_by', type: 'integer', nullable: true })
  updatedBy: number | null;

  /** Unique among the live collections of the workspace, as is `rootPath`. */
  @Column({ type: 'text' })
  name: string;

  /** The name as a folder would be called. */
  @Column({ name: 'root_path', type: 'text' })
  rootPath: string;

  /** Of the latest version. null for files that are written for no program in particular. */
  @Column({ type: 'text', nullable: true })
  provider: SkillProvider | null;

  @Column({ type: 'text', nullable: true })
  description: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;
}

/** A file of a version. Its content is found by the hash. */
export interface StoredFile {
  /** As `storedPath` makes it. */
  path: string;
  /** SHA-256 of the content, in hexadecimal digits. */
  hash: string;
  /** In bytes. */
  size: number;
  /** False for bytes that no JSON text can hold. */
  isText: boolean;
}

/** One version of a collection. Nothing of it ever changes but its label. */
@Entity('skill_versions')
@Index('skill_versions_label_key', { synchronize: false })
export class SkillVersion {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'skill_versions_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'collection_id', type: 'uuid', primaryKeyConstraintName: 'skill_versions_pkey' })
  collectionId: string;

  /** From 1, without gaps. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'skill_versions_pkey' })
  number: number;

  @Column({ type: 'uuid' })
  id: string;

  @ManyToOne(() => SkillCollection)
  @JoinInWorkspace('collection_id', 'skill_versions_collection_id_fkey')
  collection?: Relation<SkillCollection>;

  @Column({ name: 'root_path', type: 'text' })
  rootPath: string;

  @Column({ type: 'text', nullable: true })
  provider: SkillProvider | null;

  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ name: 'commit_message', type: 'text', nullable: true })
  commitMessage: string | null;

  /** Unique in its collection. */
  @Column({ type: 'text', nullable: true })
  label: string | null;

  /** By path. */
  @Column({ type: 'jsonb' })
  files: StoredFile[];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}

/** What files of a workspace hold: every content once, whatever the number of versions that have it. */
@Entity('skill_contents')
export class SkillContent {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'skill_contents_pkey' })
  workspaceId: number;

  /** SHA-256. */
  @PrimaryColumn({ type: 'bytea', primaryKeyConstraintName: 'skill_contents_pkey' })
  hash: Buffer;

  @Column({ type: 'bytea' })
  content: Buffer;
}
