import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ORIGINS } from '../../llm/records/origin.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { withinTime } from '../../platform/database/within-time.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import {
  type AskedTime,
  type Histogram,
  readHistogram,
  splitByTime,
  splitByValue,
  timeOf,
} from '../../rollups/index.js';
import { readTraceQuery, type TraceQuery } from '../search/trace-conditions.js';
import { traceConditions } from '../search/trace-matches.js';
import { TraceFreshness } from '../search/trace-freshness.js';
import { rolledFacets } from './rolled-facets.js';
import { TRACE_HOURS as rows } from '../shared/trace-hours.js';

@Injectable()
export class TraceHistogramService {
  constructor(
    private readonly db: DataSource,
    private readonly pool: ReadingPool,
    private readonly freshness: TraceFreshness,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Null when the range is empty. Throws the errors of the filter grammar and the reading pool. */
  async read({ workspaceId }: Caller, query: TraceQuery, asked: AskedTime): Promise<Histogram | null> {
    const { group, text } = readTraceQuery(query);
    const filters = splitByTime(group ? [group] : [], 'trace_start');
    const { condition, isFresh } = await withinTime(this.config, async () => {
      const asksSearch = filters.others.length > 0 || text !== null;
      const isFresh = !asksSearch || (await this.freshness.ofWorkspace(workspaceId));
      const parameters = new SqlParameters();
      const sql = await traceConditions(this.db.manager, workspaceId, query, parameters);
      return { condition: { sql, values: parameters.values }, isFresh };
    });
    const { values: origins, others } = splitByValue(filters.others, 'trace_origin', ORIGINS);
    const facets = text === null ? rolledFacets(workspaceId, others) : null;
    const source = { workspaceId, facets, origins, condition };
    const limitMs = this.config.statementTimeoutMs;
    return this.pool.read(async (tx) => {
      const time = await timeOf(tx, { rows, workspaceId, limitMs }, asked, filters);
      return time && { time, buckets: await readHistogram(tx, rows, source, time), isIncomplete: !isFresh };
    });
  }
}
