import type { EntityManager } from 'typeorm';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import { aggregateSql } from './aggregates.js';
import type { Chart, ChartField, ChartGroup, ChartSource, Measure } from './chart.js';

export type Row = Record<string, unknown>;

export interface ChartRows {
  rows: Row[];
  /** The measures over all that matches, as `total0`, `total1`, …; null when the chart has no use for them. */
  total: Row | null;
}

/**
 * The statement of one chart. It begins with `matched`: the rows of the source, of which only what the chart needs is
 * kept. Every method adds a table expression or gives SQL over those added before.
 */
export class ChartStatement {
  readonly parameters = new SqlParameters();
  private readonly columns: string[] = [];
  private readonly tables: string[] = [];

  constructor(private readonly source: ChartSource) {
    for (const value of source.values) this.parameters.add(value);
  }

  /** Keeps an expression over the rows of the source as a column of `matched`. */
  keep(sql: string, name: string): string {
    this.columns.push(`${sql} AS ${name}`);
    return name;
  }

  keepField(field: ChartField, name: string): string {
    return this.keep(field.sql, name);
  }

  keepGroup(group: ChartGroup, name: string): string {
    return this.keep(group.sql(this.parameters), name);
  }

  /** Keeps what the measures aggregate, in columns that `measures` finds. */
  keepMeasures(measures: Measure[]): void {
    for (const [index, { aggregate }] of measures.entries()) {
      if (aggregate.metric !== 'count') this.keepField(aggregate.field, `f${index}`);
    }
  }

  /** The aggregates of the measures over kept columns, called `<prefix>0`, `<prefix>1`, … */
  measures(measures: Measure[], prefix: string): string {
    return measures
      .map(({ aggregate }, index) => `${aggregateSql(aggregate, `f${index}`, this.parameters)} AS ${prefix}${index}`)
      .join(', ');
  }

  /** The place of a group among all groups: the largest first. */
  rank([{ aggregate }]: Measure[], values: string[]): string {
    const size = aggregateSql(aggregate, 'f0', this.parameters);
    return `row_number() OVER (ORDER BY ${size} DESC NULLS LAST, ${values.map(byBytes).join(', ')})`;
  }

  addTable(name: string, sql: string): void {
    this.tables.push(`${name} AS (${sql})`);
  }

  /** The rows of an added table in the order of one of its columns, and what the insights of the chart need. */
  async runTable(tx: EntityManager, table: { name: string; order: string }, chart: Chart): Promise<ChartRows> {
    const { name, order } = table;
    if (chart.insights.length === 0) {
      return { rows: await this.run(tx, `SELECT * FROM ${name} ORDER BY ${order}`), total: null };
    }
    this.addTable('total', `SELECT ${this.measures(chart.measures, 'total')} FROM matched`);
    const rows = await this.run(tx, `SELECT * FROM total LEFT JOIN ${name} ON true ORDER BY ${order}`);
    return { rows: rows.filter((row) => row[order] !== null), total: rows[0] };
  }

  /** Runs it; `select` is the last part. */
  run(tx: EntityManager, select: string): Promise<Row[]> {
    // A chart that only counts needs nothing of its rows but that they are there.
    const columns = this.columns.length === 0 ? ['1 AS one'] : this.columns;
    const matched = `matched AS (SELECT ${columns.join(', ')} FROM ${this.source.from})`;
    return tx.query<Row[]>(`WITH ${[matched, ...this.tables].join(', ')} ${select}`, this.parameters.values);
  }
}

/** FROM clause in which each row of `rows` occurs once for every different value of a group. The value is called `value`. */
export function spread(rows: string, { many }: ChartGroup, column: string, value: string): string {
  const items = many ? `SELECT DISTINCT unnest(${column})` : `SELECT ${column}`;
  return `${rows} CROSS JOIN LATERAL (${items}) AS spread_${value}(${value})`;
}

/** SQL that is true for a value that is there. */
export const isPresent = (value: string): string => `${value} <> ''`;

/** SQL that is true for a row that has some value of a group. */
export function hasAny({ many }: ChartGroup, column: string): string {
  return many
    ? `EXISTS (SELECT FROM unnest(${column}) AS held(item) WHERE ${isPresent('held.item')})`
    : isPresent(column);
}

/** Sorts by bytes, because the order must not depend on the language of the database. */
const byBytes = (value: string): string => `${value} COLLATE "C"`;
