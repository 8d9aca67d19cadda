import { Entity, Index } from 'typeorm';
import { HourChange, HourSums } from '../../rollups/index.js';

/** Sums of the request logs of an hour: of all logs, and of those with a facet (see `facets.ts`). */
@Entity('request_hours')
@Index('request_hours_hour_idx', ['workspaceId', 'hour'])
export class RequestHour extends HourSums {}

/** Hours whose sums must be recomputed because one of their logs has changed; -infinity stands for all hours. */
@Entity('request_hour_changes')
export class RequestHourChange extends HourChange {}
