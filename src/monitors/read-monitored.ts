import type { EntityManager } from 'typeorm';
import {
  addSeriesRows,
  joinRanges,
  latencyClass,
  measured,
  partOf,
  readSeries,
  Series,
  SERIES_SUMS,
  SeriesByGroup,
  type SeriesRow,
  type TimeRange,
} from '../rollups/index.js';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import { type Definition, isOfScore, type Span } from './definition.js';
import { groupValue, originsIn, READERS, type SourceReader } from './sources.js';

/** The series of a monitor by the value of their group, those with the most items first. It is empty for monitors without groups. */
export type Monitored = Map<string, Series>;

/** There may be thousands of users or tags. */
export const MOST_GROUPS = 50;
const MICROSECONDS = 1000n;

const toRanges = (spans: readonly Span[]): TimeRange[] =>
  joinRanges(spans.map(({ from, to }) => ({ from: BigInt(from) * MICROSECONDS, to: BigInt(to) * MICROSECONDS })));

/** Reads the items of monitors of a workspace as of one moment. Monitors that ask for the same sums share one read. */
export class MonitoredReader {
  private readonly read = new Map<string, Promise<SeriesByGroup>>();
  /** Facets that monitors with the same source, origins and ranges ask for. */
  private readonly shared = new Map<string, Set<string>>();

  constructor(
    private readonly tx: EntityManager,
    private readonly workspaceId: number,
  ) {}

  /** Plans the read of a monitor. Plan all monitors before the first read, because they share reads. */
  async plan(definition: Definition, spans: readonly Span[]): Promise<MonitoredPlan> {
    const reader = READERS[definition.source];
    const { facets, origins: ofFilter } = await reader.plan(this.tx, this.workspaceId, definition);
    const origins = originsIn(definition, ofFilter);
    const prefix = definition.by && reader.prefixOf(definition.by, this.workspaceId);
    const ranges = toRanges(spans);
    const isSummed =
      facets !== null && !isOfScore(definition.measure) && definition.measure !== 'first_token_percentile';
    if (isSummed && prefix === null) this.announce(keyOf(definition, origins, ranges), facets);
    const canUseSums = isSummed && (prefix === null || (facets.length === 1 && facets[0] === ''));
    return { definition, reader, facets: canUseSums ? facets : null, origins, prefix, ranges };
  }

  /** Reads the groups with the most items, and all `known` groups. */
  async series(plan: MonitoredPlan, known: readonly string[] = []): Promise<Monitored> {
    const { definition, facets, prefix } = plan;
    if (facets === null) return grouped(plan, known, await this.rows(plan));
    if (prefix !== null) return grouped(plan, known, await this.sums(plan, { prefix }));
    const announced = [...this.shared.get(keyOf(definition, plan.origins, plan.ranges))!];
    const found = await this.sums(plan, announced);
    return new Map([['', together(facets.map((facet) => found.of(facet)))]]);
  }

  private announce(key: string, facets: readonly string[]): void {
    const known = this.shared.get(key) ?? new Set();
    for (const facet of facets) known.add(facet);
    this.shared.set(key, known);
  }

  private sums(plan: MonitoredPlan, facets: string[] | { prefix: string }): Promise<SeriesByGroup> {
    const { definition, origins, ranges, reader } = plan;
    const key = JSON.stringify([keyOf(definition, origins, ranges), 'prefix' in facets ? facets : '']);
    let read = this.read.get(key);
    if (!read) {
      read = readSeries(this.tx, reader.rows, { workspaceId: this.workspaceId, facets, origins, ranges });
      this.read.set(key, read);
    }
    return read;
  }

  private async rows({ definition, reader, origins, prefix, ranges }: MonitoredPlan): Promise<SeriesByGroup> {
    const parameters = new SqlParameters();
    const condition = await reader.conditions(this.tx, this.workspaceId, definition, parameters);
    const { rows } = reader;
    const { join, value } = valueOf(definition, { reader, workspaceId: this.workspaceId, parameters });
    const groups = prefix === null ? { join: '', facet: `''` } : groupsOf(reader, prefix, parameters);
    const ofOrigins = origins === null ? 'true' : `${rows.origin} = ANY(${parameters.add(origins)}::text[])`;
    const { column, type, write } = rows.start;
    const parts = ranges.map(
      ({ from, to }) =>
        `SELECT ${groups.facet} AS facet, ${partOf(rows)} AS part, ${value} AS class, ${measured(rows)}
           FROM ${rows.from} ${groups.join} ${join}
          WHERE ${condition} AND ${ofOrigins} AND ${column} >= ${parameters.add(write(from))}::${type}
            AND ${column} < ${parameters.add(write(to))}::${type}`,
    );
    const found = new SeriesByGroup();
    addSeriesRows(
      found,
      await this.tx.query<SeriesRow[]>(
        `SELECT facet, part, class, ${SERIES_SUMS} FROM (${parts.join(' UNION ALL ')}) AS rows GROUP BY facet, part, class`,
        parameters.values,
      ),
    );
    return found;
  }
}

export interface MonitoredPlan {
  definition: Definition;
  reader: SourceReader;
  /** null where rows have to be read. */
  facets: readonly string[] | null;
  origins: readonly string[] | null;
  prefix: string | null;
  ranges: TimeRange[];
}

const keyOf = ({ source }: Definition, origins: readonly string[] | null, ranges: readonly TimeRange[]): string =>
  JSON.stringify([source, origins, ranges.map(({ from, to }) => `${from}-${to}`)]);

/** The value that a measure reads from rows: a score, the time to the first token, or else the latency. */
const classesOf = ({ measure, score }: Definition): string =>
  isOfScore(measure) ? `score ${score}` : measure === 'first_token_percentile' ? measure : 'latency';

/** Equal for monitors that read the same rows. */
export function rowsKey(definition: Definition, spans: readonly Span[], known: readonly string[]): string {
  const { source, filterGroup, q, origin, by } = definition;
  return JSON.stringify([source, filterGroup, q, origin, by, classesOf(definition), spans, by === null ? [] : known]);
}

/** SQL for the class of a row. */
function valueOf(
  { measure, score }: Definition,
  { reader, workspaceId, parameters }: { reader: SourceReader; workspaceId: number; parameters: SqlParameters },
): { join: string; value: string } {
  const { rows, scores, firstToken } = reader;
  const isOfLatency = !isOfScore(measure) && measure !== 'first_token_percentile';
  if (isOfLatency) return { join: '', value: latencyClass(rows.measures.latencyMs) };
  const workspace = `${parameters.add(workspaceId)}::int`;
  if (isOfScore(measure))
    return { join: scores(workspace, `${parameters.add(score)}::text`), value: 'scores.score::int' };
  const { join, ms } = firstToken!(workspace);
  return { join, value: latencyClass(`(${ms})`) };
}

function groupsOf({ rows }: SourceReader, prefix: string, parameters: SqlParameters) {
  const list = rows.facetList ?? `${rows.alias}facets`;
  return {
    join: `${rows.facetsFrom ?? ''} CROSS JOIN LATERAL (SELECT DISTINCT f AS facet FROM unnest(${list}) AS f
             WHERE starts_with(f, ${parameters.add(prefix)}::text)) AS groups`,
    facet: 'groups.facet',
  };
}

function grouped(
  { definition: { by }, prefix }: MonitoredPlan,
  known: readonly string[],
  found: SeriesByGroup,
): Monitored {
  if (by === null || prefix === null) return new Map([['', found.of('')]]);
  const groups = [...found.groups].flatMap(([facet, series]) => {
    const value = groupValue(by, prefix, facet);
    return value === null ? [] : [{ value, series, items: series.sum(-Infinity, Infinity).items }];
  });
  const sorted = groups.toSorted((a, b) => b.items - a.items || (a.value < b.value ? -1 : 1));
  const kept = sorted.filter(({ value }, at) => at < MOST_GROUPS || known.includes(value));
  return new Map(kept.map(({ value, series }) => [value, series]));
}

function together(series: readonly Series[]): Series {
  if (series.length === 1) return series[0]!;
  const all = new Series();
  for (const one of series) for (const [start, sums] of one.entries()) all.at(start).addAll(sums);
  return all;
}
