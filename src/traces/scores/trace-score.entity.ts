import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { Trace } from '../trace.entity.js';

/** A score of a trace. It is deleted with the trace. */
@Entity('trace_scores')
@Index('trace_scores_name_idx', { synchronize: false })
export class TraceScore {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'trace_scores_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'trace_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'trace_scores_pkey' })
  traceId: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'trace_scores_pkey' })
  name: string;

  /** 0 to 100. */
  @Column({ type: 'smallint' })
  score: number;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  @ManyToOne(() => Trace, { onDelete: 'CASCADE' })
  @JoinInWorkspace('trace_id', 'trace_scores_trace_id_fkey', 'traceId')
  trace?: Relation<Trace>;
}
