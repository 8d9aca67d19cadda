import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../platform/queue/sweep.js';
import { deleteMergedSegments } from './segments/segments.queries.js';

/** Deletes what nobody reads any more. */
@Injectable()
export class MergedSegmentsSweep {
  constructor(private readonly db: DataSource) {}

  @Sweep()
  deleteMerged(): Promise<void> {
    return deleteMergedSegments(this.db.manager);
  }
}
