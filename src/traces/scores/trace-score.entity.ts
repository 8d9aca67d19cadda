import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { UpdatedAtColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { Trace } from '../shared/trace.entity.js';
import { TraceRow } from '../shared/span-rows.js';

/** A score of a trace. It is deleted with the trace. */
@Entity('trace_scores')
@Index('trace_scores_name_idx', { synchronize: false })
export class TraceScore extends TraceRow {
  @PrimaryColumn({ type: 'text' })
  name: string;

  /** 0 to 100. */
  @Column({ type: 'smallint' })
  score: number;

  @UpdatedAtColumn()
  updatedAt: Date;

  @ManyToOne(() => Trace, { onDelete: 'CASCADE' })
  @JoinInWorkspace('trace_id', 'trace_scores_trace_id_fkey', 'traceId')
  trace?: Relation<Trace>;
}
