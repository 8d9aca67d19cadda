import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { ORIGINS } from '../../llm/records/origin.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import {
  type AskedTime,
  type Histogram,
  readHistogram,
  splitByTime,
  splitByValue,
  timeOf,
} from '../../rollups/index.js';
import { requestConditions } from '../search/all-matches.js';
import { parseLogQuery, type RequestLogQuery } from '../search/request-conditions.js';
import { REQUEST_HOURS as rows } from './request-hours.js';
import { rolledFacets } from './rolled-facets.js';

@Injectable()
export class RequestHistogramService {
  constructor(
    private readonly pool: ReadingPool,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Null when nothing is left of the range. Throws what the filter grammar and the reading pool throw. */
  async read({ workspaceId }: Caller, query: RequestLogQuery, asked: AskedTime): Promise<Histogram | null> {
    // Refused without taking one of the few connections.
    const { groups, text } = parseLogQuery(query);
    const filters = splitByTime(groups, 'request_start_time');
    const limitMs = this.config.statementTimeoutMs;
    return this.pool.read(async (tx) => {
      const time = await timeOf(tx, { rows, workspaceId, limitMs }, asked, filters);
      if (!time) return null;
      const parameters = new SqlParameters();
      const sql = await requestConditions(tx, workspaceId, query, parameters);
      const { values: origins, others } = splitByValue(filters.others, 'origin', ORIGINS);
      const facets = text === null ? await rolledFacets(tx, workspaceId, others) : null;
      const condition = { sql, values: parameters.values };
      const buckets = await readHistogram(tx, rows, { workspaceId, facets, origins, condition }, time);
      return { time, buckets, isIncomplete: false };
    });
  }
}
