import { Entity, Index, PrimaryColumn } from 'typeorm';
import { HourSums } from '../../rollups/index.js';

const KEY = { primaryKeyConstraintName: 'request_hours_pkey' };
const CHANGES_KEY = { primaryKeyConstraintName: 'request_hour_changes_pkey' };

/** Sums of the request logs of an hour: of all logs, and of those with a facet (see `facets.ts`). */
@Entity('request_hours')
@Index('request_hours_hour_idx', ['workspaceId', 'hour'])
export class RequestHour extends HourSums {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', ...KEY })
  workspaceId: number;

  @PrimaryColumn({ type: 'text', collation: 'C', ...KEY })
  facet: string;

  @PrimaryColumn({ type: 'timestamptz', ...KEY })
  hour: Date;

  @PrimaryColumn({ type: 'text', collation: 'C', default: 'application', ...KEY })
  origin: string;
}

/** Hours whose sums must be recomputed because one of their logs has changed; -infinity stands for all hours. */
@Entity('request_hour_changes')
export class RequestHourChange {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', ...CHANGES_KEY })
  workspaceId: number;

  @PrimaryColumn({ type: 'timestamptz', ...CHANGES_KEY })
  hour: Date;

  @PrimaryColumn({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS', ...CHANGES_KEY })
  id: string;
}
