import { Column } from 'typeorm';

/** Columns of every table of entries, besides its keys. */
export abstract class RegistryEntry {
  workspaceId: number;
  id: number | string;

  @Column({ name: 'folder_id', type: 'integer', nullable: true })
  folderId: number | null;

  /** The number of the latest version; 0 before the first. */
  @Column({ name: 'latest_version', type: 'integer' })
  latestVersion: number;

  /** The API key that created it. */
  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  /** Unique among the live entries of the table in the workspace; case matters. */
  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;
}

/** Columns of every table of versions, besides its keys. Versions never change. */
export abstract class RegistryVersion {
  /** From 1, without gaps. */
  number: number;

  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ name: 'commit_message', type: 'text', nullable: true })
  commitMessage: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}

/** Columns of every table of labels, besides its keys. A label is a name such as "production" for one version of an entry. */
export abstract class RegistryLabel {
  @Column({ name: 'version_number', type: 'integer' })
  versionNumber: number;

  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
