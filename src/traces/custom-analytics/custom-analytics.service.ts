import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type ChartResult, type ChartSource, readCharts } from '../../charts/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { withinTime } from '../../platform/database/within-time.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { readTraceQuery } from '../search/trace-conditions.js';
import { traceConditions } from '../search/trace-matches.js';
import { TraceFreshness } from '../search/trace-freshness.js';
import { type ChartLevel, rowsOf, TRACE_TIME } from './chart-fields.js';
import { toTraceCharts } from './trace-chart.js';
import type { TraceChartSpec } from './trace-chart.schema.js';

export interface TraceCharts {
  charts: ChartResult[];
  isPartial: boolean;
}

@Injectable()
export class TraceCustomAnalyticsService {
  constructor(
    private readonly db: DataSource,
    private readonly pool: ReadingPool,
    private readonly freshness: TraceFreshness,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Computes the charts over the traces that the filters match, all as of one moment; partial while traces that search
   * has not read yet may be missing. Throws chart_invalid, chart_too_large, and the errors of the filter grammar and
   * the reading pool.
   */
  async read({ workspaceId }: Caller, filterGroup: unknown, specs: TraceChartSpec[]): Promise<TraceCharts> {
    const charts = toTraceCharts(workspaceId, specs);
    // Refused before anything is made searchable.
    readTraceQuery({ filterGroup });
    const { sources, isFresh } = await withinTime(this.config, async () => {
      const isFresh = await this.freshness.ofWorkspace(workspaceId);
      return { sources: await this.sources(workspaceId, filterGroup), isFresh };
    });
    const sourced = charts.map(({ chart, level }) => ({ chart, source: sources[level] }));
    return { charts: await this.pool.read((tx) => readCharts(tx, sourced)), isPartial: !isFresh };
  }

  private async sources(workspaceId: number, filterGroup: unknown): Promise<Record<ChartLevel, ChartSource>> {
    const parameters = new SqlParameters();
    const condition = await traceConditions(this.db.manager, workspaceId, { filterGroup }, parameters);
    const sourceOf = (level: ChartLevel): ChartSource => ({
      from: rowsOf(level, condition),
      values: parameters.values,
      time: TRACE_TIME,
      range: { from: null, to: null },
    });
    return { trace: sourceOf('trace'), span: sourceOf('span') };
  }
}
