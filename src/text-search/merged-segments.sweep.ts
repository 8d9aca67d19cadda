import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../platform/queue/sweep.js';
import { deleteMergedSegments, indexesToMerge } from './segments/segments.queries.js';
import { mergeSegments } from './segments/write-index.js';

/** Merges segments that were not merged when they were added, and deletes unused ones. */
@Injectable()
export class MergedSegmentsSweep {
  constructor(private readonly db: DataSource) {}

  @Sweep('search-segments')
  async sweep(): Promise<void> {
    for (const index of await indexesToMerge(this.db.manager)) await mergeSegments(this.db, index);
    await deleteMergedSegments(this.db.manager);
  }
}
