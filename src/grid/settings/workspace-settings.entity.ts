import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AutoRecalculate } from '../computing/auto-recalculate.js';

/** What a workspace has set for itself. A workspace without a row has the defaults. */
@Entity('workspace_settings')
export class WorkspaceSettings {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'workspace_settings_pkey' })
  workspaceId: number;

  /** null when only the limit of the server counts. */
  @Column({ name: 'import_max_bytes', type: 'integer', nullable: true })
  importMaxBytes: number | null;

  /** What a new sheet starts with. */
  @Column({ name: 'auto_recalculate', type: 'text', default: 'off' })
  autoRecalculate: AutoRecalculate;

  /** `provider/model` for columns that need a model and name none; null for the one of the server. */
  @Column({ name: 'default_model', type: 'text', nullable: true })
  defaultModel: string | null;

  /** The same for embeddings. */
  @Column({ name: 'embedding_model', type: 'text', nullable: true })
  embeddingModel: string | null;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
