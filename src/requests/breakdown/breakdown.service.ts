import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { type BucketSums, readTopFacets } from '../../rollups/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { type BreakdownKind, REQUEST_GROUPS, type RequestGroup } from './group-facets.js';
import { withLabels } from './group-labels.js';
import { REQUEST_HOURS } from '../histogram/request-hours.js';

const HOUR_MS = 3_600_000;

export interface BreakdownAsked {
  by: BreakdownKind;
  /** Number of days up to now; null for all time. */
  days: number | null;
  limit: number;
  /** Null for all. */
  origins: readonly string[] | null;
}

export interface FoundGroup {
  value: string;
  label: string;
  calls: BucketSums;
}

/** Totals of request logs by model, prompt, user and so on, from hourly sums. */
@Injectable()
export class BreakdownService {
  constructor(private readonly pool: ReadingPool) {}

  /** The groups with the most calls, and the start of the counted time. Throws what the reading pool throws. */
  async read(
    { workspaceId }: Caller,
    { by, days, limit, origins }: BreakdownAsked,
  ): Promise<{ since: Date | null; groups: FoundGroup[] }> {
    const { prefix: prefixOf, rest }: RequestGroup = REQUEST_GROUPS[by];
    const prefix = prefixOf(workspaceId);
    const since = days === null ? null : new Date(Math.floor((Date.now() - days * 24 * HOUR_MS) / HOUR_MS) * HOUR_MS);
    const from = since && BigInt(since.getTime()) * 1000n;
    return this.pool.read(async (tx) => {
      const top = await readTopFacets(tx, REQUEST_HOURS, { workspaceId, prefix, rest, origins, from, limit });
      const values = top.map(([facet, calls]) => ({ value: facet.slice(prefix.length), calls }));
      return { since, groups: await withLabels(tx, { workspaceId, by }, values) };
    });
  }
}
