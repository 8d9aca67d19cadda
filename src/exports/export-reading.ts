import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ReadingPool } from '../platform/database/reading-pool.js';
import { TraceFreshness } from '../traces/index.js';
import type { Export } from './export.entity.js';

/** Maximum number of checks for traces that wait for search. Each check updates a part of them, and workers the rest. */
const MOST_LOOKS = 20;

/** Reads the rows of an export in one snapshot that includes recent writes. */
@Injectable()
export class ExportReading {
  constructor(
    private readonly pool: ReadingPool,
    private readonly freshness: TraceFreshness,
  ) {}

  /** `isFresh` is true if search can find everything that was written before. */
  async read<T>(
    { workspaceId, source }: Pick<Export, 'workspaceId' | 'source'>,
    work: (snapshot: EntityManager, isFresh: boolean) => Promise<T>,
  ): Promise<T> {
    const isFresh = source === 'requests' || (await this.refresh(workspaceId));
    return this.pool.read((snapshot) => work(snapshot, isFresh));
  }

  /** Returns false if traces cannot be made searchable, or arrive faster than they can. */
  private async refresh(workspaceId: number): Promise<boolean> {
    for (let look = 0; look < MOST_LOOKS; look++) {
      if (await this.freshness.ofWorkspace(workspaceId)) return true;
    }
    return false;
  }
}
