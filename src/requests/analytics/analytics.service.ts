import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { readPromptNames } from '../../prompts/index.js';
import type { Analytics } from './analytics-view.js';
import { type AnalyticsQuery, readAnalytics } from './analytics.queries.js';

@Injectable()
export class AnalyticsService {
  constructor(private readonly pool: ReadingPool) {}

  read({ workspaceId }: Caller, query: AnalyticsQuery): Promise<Analytics> {
    return this.pool.read(async (tx) => {
      const rows = await readAnalytics(tx, workspaceId, query);
      const prompts = (rows.entries ?? []).filter(({ kind }) => kind === 'prompt').map(({ name }) => Number(name));
      const promptNames = await readPromptNames(tx, workspaceId, prompts);
      return { rows, promptNames, metadataKey: query.metadataKey };
    });
  }
}
