import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../platform/queue/sweep.js';
import { deleteMergedSegments, indexesToMerge } from './segments/segments.queries.js';
import { mergeSegments } from './segments/write-index.js';

/** Merges segments that nobody merged who added them, and deletes what nobody reads any more. */
@Injectable()
export class MergedSegmentsSweep {
  constructor(private readonly db: DataSource) {}

  @Sweep('search-segments')
  async sweep(): Promise<void> {
    for (const index of await indexesToMerge(this.db.manager)) await mergeSegments(this.db, index);
    await deleteMergedSegments(this.db.manager);
  }
}
