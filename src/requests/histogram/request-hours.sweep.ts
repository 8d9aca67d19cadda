import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../../platform/queue/sweep.js';
import { WorkspaceTurns } from '../../platform/queue/workspace-turns.js';
import { addUpHours } from '../../rollups/index.js';
import { REQUEST_HOURS } from './request-hours.js';

/** Time limit of a run, so that a stopping process need not wait for long. The next run continues. */
const LONGEST_RUN_MS = 5000;

/** Adds up the hours of request logs that have changed. Nothing notifies of them: readers add up what it has not come to. */
@Injectable()
export class RequestHoursSweep {
  private readonly turns = new WorkspaceTurns(`Adding up ${REQUEST_HOURS.noun}`, LONGEST_RUN_MS);

  constructor(private readonly db: DataSource) {}

  @Sweep('request-hours')
  addUp(): Promise<void> {
    return addUpHours(this.db, REQUEST_HOURS, this.turns);
  }
}
