import { Entity, Index, PrimaryColumn } from 'typeorm';
import { HourSums } from '../../rollups/index.js';

const KEY = { primaryKeyConstraintName: 'trace_hours_pkey' };
const CHANGES_KEY = { primaryKeyConstraintName: 'trace_hour_changes_pkey' };

/** Sums over the traces that began in an hour, over all of them and over those with a facet (see `trace-facets.ts`). */
@Entity('trace_hours')
@Index('trace_hours_hour_idx', ['workspaceId', 'hour'])
export class TraceHour extends HourSums {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', ...KEY })
  workspaceId: number;

  @PrimaryColumn({ type: 'text', collation: 'C', ...KEY })
  facet: string;

  @PrimaryColumn({ type: 'timestamptz', ...KEY })
  hour: Date;

  @PrimaryColumn({ type: 'text', collation: 'C', default: 'application', ...KEY })
  origin: string;
}

/** Hours to recompute, because one of their traces has changed; -infinity stands for all hours. */
@Entity('trace_hour_changes')
export class TraceHourChange {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', ...CHANGES_KEY })
  workspaceId: number;

  @PrimaryColumn({ type: 'timestamptz', ...CHANGES_KEY })
  hour: Date;

  @PrimaryColumn({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS', ...CHANGES_KEY })
  id: string;
}
