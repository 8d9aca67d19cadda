import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ReadingPool } from '../platform/database/reading-pool.js';
import { TraceFreshness } from '../traces/index.js';
import type { Export } from './export.entity.js';

/** A reading brings a part of what waits up to date, and the workers the rest: so often is looked again. */
const MOST_LOOKS = 20;

/** Reads what an export holds at one moment, with what was written just before. */
@Injectable()
export class ExportReading {
  constructor(
    private readonly pool: ReadingPool,
    private readonly freshness: TraceFreshness,
  ) {}

  /** `work` is told whether everything written before can be found. */
  async read<T>(
    { workspaceId, source }: Pick<Export, 'workspaceId' | 'source'>,
    work: (snapshot: EntityManager, isFresh: boolean) => Promise<T>,
  ): Promise<T> {
    const isFresh = source === 'requests' || (await this.refresh(workspaceId));
    return this.pool.read((snapshot) => work(snapshot, isFresh));
  }

  /** False where traces are left that cannot be made searchable, or come more quickly than that. */
  private async refresh(workspaceId: number): Promise<boolean> {
    for (let look = 0; look < MOST_LOOKS; look++) {
      if (await this.freshness.ofWorkspace(workspaceId)) return true;
    }
    return false;
  }
}
