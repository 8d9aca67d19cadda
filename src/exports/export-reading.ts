import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ReadingPool } from '../platform/database/reading-pool.js';
import { TraceFreshness } from '../traces/index.js';
import type { Export } from './export.entity.js';

/** Reads what an export holds at one moment, with what was written just before. */
@Injectable()
export class ExportReading {
  constructor(
    private readonly pool: ReadingPool,
    private readonly freshness: TraceFreshness,
  ) {}

  async read<T>(
    { workspaceId, source }: Pick<Export, 'workspaceId' | 'source'>,
    work: (snapshot: EntityManager) => Promise<T>,
  ): Promise<T> {
    if (source !== 'requests') await this.freshness.ofWorkspace(workspaceId);
    return this.pool.read(work);
  }
}
