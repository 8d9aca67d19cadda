import { Column, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';

/** Columns of settings that apply from one version of a sheet up to, but not including, another. */
export abstract class SheetSetting {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @PrimaryColumn({ name: 'version_from', type: 'integer' })
  versionFrom: number;

  /** null for the current one. */
  @Column({ name: 'version_to', type: 'integer', nullable: true })
  versionTo: number | null;
}
