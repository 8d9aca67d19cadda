import { Column, Entity, Unique } from 'typeorm';
import { CreatedByColumn, IdentityColumn, WorkspaceColumn } from '../platform/database/common-columns.js';
import { TimestampedRow } from '../platform/database/common-rows.js';

/** The `toolId` of the variables that all tools of a workspace get. */
export const ALL_TOOLS = 0;

/** A secret or setting in the environment of tools' code. */
@Entity('env_vars')
@Unique('env_vars_key_key', ['workspaceId', 'toolId', 'key'])
export class EnvVar extends TimestampedRow {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  /** The one tool that gets it, or ALL_TOOLS. */
  @Column({ name: 'tool_id', type: 'integer' })
  toolId: number;

  @Column({ type: 'text' })
  key: string;

  /** Encrypted for its row; see `EnvVarStore`. null until a value is set. */
  @Column({ type: 'bytea', nullable: true })
  value: Buffer | null;

  @CreatedByColumn()
  createdBy: number | null;
}
