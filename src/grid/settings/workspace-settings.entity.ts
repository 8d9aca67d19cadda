import { Column, Entity } from 'typeorm';
import { UpdatedAtColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import type { AutoRecalculate } from '../shared/auto-recalculate.js';

/** The settings of a workspace. A workspace without a row has the defaults. */
@Entity('workspace_settings')
export class WorkspaceSettings {
  @WorkspaceColumn()
  workspaceId: number;

  /** null when only the limit of the server applies. */
  @Column({ name: 'import_max_bytes', type: 'integer', nullable: true })
  importMaxBytes: number | null;

  /** The setting of new sheets. */
  @Column({ name: 'auto_recalculate', type: 'text', default: 'off' })
  autoRecalculate: AutoRecalculate;

  /** Default model as `provider/model`, for columns without a model; null for the server's default. */
  @Column({ name: 'default_model', type: 'text', nullable: true })
  defaultModel: string | null;

  /** Default model for embeddings. */
  @Column({ name: 'embedding_model', type: 'text', nullable: true })
  embeddingModel: string | null;

  @UpdatedAtColumn()
  updatedAt: Date;
}
