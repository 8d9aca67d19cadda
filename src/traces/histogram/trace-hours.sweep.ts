import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkspaceTurns } from '../../platform/queue/workspace-turns.js';
import { addUpHours } from '../../rollups/index.js';
import { TRACE_HOURS } from '../shared/trace-hours.js';

/** Limit of one run. The next run continues, so that a process that stops need not wait for long. */
const LONGEST_RUN_MS = 5000;

/**
 * Recomputes the hours of traces that have changed. It is not notified: readers add up the hours that it has not
 * reached.
 */
@Injectable()
export class TraceHoursSweep {
  private readonly turns = new WorkspaceTurns(`Adding up ${TRACE_HOURS.noun}`, LONGEST_RUN_MS);

  constructor(private readonly db: DataSource) {}

  @Sweep('trace-hours')
  addUp(): Promise<void> {
    return addUpHours(this.db, TRACE_HOURS, this.turns);
  }
}
