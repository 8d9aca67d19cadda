import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { RegistryEntry, RegistryVersion } from '../../registry/index.js';
import type { SkillProvider } from '../files/layouts.js';

/** A collection of files that teach an agent skills. Its versions hold the files. Live collections have unique names and root paths. */
@Entity('skill_collections')
@Index('skill_collections_name_key', { synchronize: false })
@Index('skill_collections_root_path_key', { synchronize: false })
@Index('skill_collections_folder_idx', { synchronize: false })
export class SkillCollection extends RegistryEntry {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'updated_by', type: 'integer', nullable: true })
  updatedBy: number | null;

  /** The name in the form of a folder. */
  @Column({ name: 'root_path', type: 'text' })
  rootPath: string;

  /** Provider of the latest version; null for files without a particular program. */
  @Column({ type: 'text', nullable: true })
  provider: SkillProvider | null;

  @Column({ type: 'text', nullable: true })
  description: string | null;
}

/** A file of a version. Its content is found by the hash. */
export interface StoredFile {
  /** The result of `storedPath`. */
  path: string;
  /** SHA-256 of the content, in hexadecimal digits. */
  hash: string;
  /** In bytes. */
  size: number;
  /** False for content that JSON cannot hold: NUL bytes or invalid UTF-8. */
  isText: boolean;
}

/** One version of a collection. Only its label can change. */
@Entity('skill_versions')
@Index('skill_versions_label_key', { synchronize: false })
export class SkillVersion extends RegistryVersion {
  @PrimaryColumn({ name: 'collection_id', type: 'uuid' })
  collectionId: string;

  /** From 1, without gaps. */
  @PrimaryColumn({ type: 'integer' })
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

  /** Unique in its collection. */
  @Column({ type: 'text', nullable: true })
  label: string | null;

  /** Sorted by path. */
  @Column({ type: 'jsonb' })
  files: StoredFile[];
}

/** Contents of the files of a workspace. Each is stored once, whatever the number of versions that have it. */
@Entity('skill_contents')
export class SkillContent {
  @WorkspaceColumn()
  workspaceId: number;

  /** SHA-256. */
  @PrimaryColumn({ type: 'bytea' })
  hash: Buffer;

  @Column({ type: 'bytea' })
  content: Buffer;
}
