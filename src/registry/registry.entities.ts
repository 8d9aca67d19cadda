import { Column } from 'typeorm';
import {
  CreatedAtColumn,
  CreatedByColumn,
  IdentityColumn,
  WorkspaceColumn,
} from '../platform/database/common-columns.js';
import { DeletableRow } from '../platform/database/common-rows.js';

/** Columns of every table of entries, besides its keys. */
export abstract class RegistryEntry extends DeletableRow {
  @WorkspaceColumn()
  workspaceId: number;

  id: number | string;

  @Column({ name: 'folder_id', type: 'integer', nullable: true })
  folderId: number | null;

  /** The number of the latest version; 0 before the first. */
  @Column({ name: 'latest_version', type: 'integer' })
  latestVersion: number;

  /** The API key that created it. */
  @CreatedByColumn()
  createdBy: number | null;

  /** Unique among the live entries of the table in the workspace; case matters. */
  @Column({ type: 'text' })
  name: string;
}

/** Columns of every table of versions, besides its keys. Versions never change. */
export abstract class RegistryVersion {
  @WorkspaceColumn()
  workspaceId: number;

  /** From 1, without gaps. */
  number: number;

  @CreatedByColumn()
  createdBy: number | null;

  @Column({ name: 'commit_message', type: 'text', nullable: true })
  commitMessage: string | null;

  @CreatedAtColumn()
  createdAt: Date;
}

/** Columns of every table of labels, besides its keys. A label is a name such as "production" for one version of an entry. */
export abstract class RegistryLabel {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  @Column({ name: 'version_number', type: 'integer' })
  versionNumber: number;

  @Column({ type: 'text' })
  name: string;

  @CreatedAtColumn()
  createdAt: Date;
}
