import type { Claim } from '../platform/work/work-kind.js';
import type { GroupVerdict, Monitor } from './monitor.entity.js';

/** Monitors of a workspace that are evaluated together. */
export interface ClaimedMonitors extends Claim {
  /** The time of the database, in milliseconds: windows end by one clock. */
  now: number;
}

/** Result of an evaluation. */
export interface Evaluated {
  monitor: Monitor;
  /** The end of the windows. */
  to: number;
  /** null when the windows had been evaluated already, or the items could not be read. */
  groups: GroupVerdict[] | null;
  problem: string | null;
}
