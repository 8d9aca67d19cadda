import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type ChartResult, type ChartSource, readCharts } from '../../charts/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { timeRangeOf } from '../analytics/time-range.js';
import { requestConditions } from '../search/all-matches.js';
import { parseLogQuery, type RequestLogQuery } from '../search/request-conditions.js';
import { toRequestCharts } from './request-chart.js';
import type { RequestChartSpec } from './request-chart.schema.js';

@Injectable()
export class RequestCustomAnalyticsService {
  constructor(private readonly pool: ReadingPool) {}

  /**
   * Computes charts over the logs that match the query, all in one snapshot. Throws chart_invalid, chart_too_large, and
   * what the filter grammar and the reading pool throw.
   */
  async read({ workspaceId }: Caller, query: RequestLogQuery, specs: RequestChartSpec[]): Promise<ChartResult[]> {
    const charts = toRequestCharts(workspaceId, specs);
    // Refused without taking one of the few connections.
    parseLogQuery(query);
    return this.pool.read(async (tx) => {
      const source = await sourceOf(tx, workspaceId, query);
      return readCharts(
        tx,
        charts.map((chart) => ({ chart, source })),
      );
    });
  }
}

async function sourceOf(tx: EntityManager, workspaceId: number, query: RequestLogQuery): Promise<ChartSource> {
  const parameters = new SqlParameters();
  const condition = await requestConditions(tx, workspaceId, query, parameters);
  const { first, last } = timeRangeOf(query);
  return {
    from: `request_logs WHERE ${condition}`,
    values: parameters.values,
    time: 'request_start_time',
    range: { from: first === null ? null : first * 1000, to: last === null ? null : last * 1000 },
  };
}
