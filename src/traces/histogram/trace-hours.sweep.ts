import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkspaceTurns } from '../../platform/queue/workspace-turns.js';
import { addUpHours } from '../../analytics/index.js';
import { TRACE_HOURS } from './trace-hours.js';

/** A run ends after this time and the next one goes on, so that a process that stops need not wait for long. */
const LONGEST_RUN_MS = 5000;

/** Adds up the hours of traces that have changed. Nothing notifies of them: readers add up what it has not come to. */
@Injectable()
export class TraceHoursSweep {
  private readonly turns = new WorkspaceTurns(`Adding up ${TRACE_HOURS.noun}`, LONGEST_RUN_MS);

  constructor(private readonly db: DataSource) {}

  @Sweep('trace-hours')
  addUp(): Promise<void> {
    return addUpHours(this.db, TRACE_HOURS, this.turns);
  }
}
