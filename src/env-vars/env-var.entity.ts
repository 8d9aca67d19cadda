import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

const PKEY = { primaryKeyConstraintName: 'env_vars_pkey' };

/** The `toolId` of the variables that all tools of a workspace get. */
export const ALL_TOOLS = 0;

/** A secret or setting in the environment of tools' code. */
@Entity('env_vars')
@Unique('env_vars_key_key', ['workspaceId', 'toolId', 'key'])
export class EnvVar {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', ...PKEY })
  workspaceId: number;

  @PrimaryColumn({ type: 'integer', generated: 'identity', generatedIdentity: 'ALWAYS', ...PKEY })
  id: number;

  /** The one tool that gets it, or ALL_TOOLS. */
  @Column({ name: 'tool_id', type: 'integer' })
  toolId: number;

  @Column({ type: 'text' })
  key: string;

  /** Encrypted for its row; see `EnvVarStore`. null until a value is set. */
  @Column({ type: 'bytea', nullable: true })
  value: Buffer | null;

  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
