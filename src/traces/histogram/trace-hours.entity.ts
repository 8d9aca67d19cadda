import { Entity, Index } from 'typeorm';
import { HourChange, HourSums } from '../../rollups/index.js';

/** Sums over the traces that began in an hour, over all of them and over those with a facet (see `trace-facets.ts`). */
@Entity('trace_hours')
@Index('trace_hours_hour_idx', ['workspaceId', 'hour'])
export class TraceHour extends HourSums {}

/** Hours to recompute, because one of their traces has changed; -infinity stands for all hours. */
@Entity('trace_hour_changes')
export class TraceHourChange extends HourChange {}
