import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { type BucketSums, readTopFacets } from '../../analytics/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { readPromptNames } from '../../prompts/index.js';
import { REQUEST_GROUPS, type RequestGroup } from './group-facets.js';
import { REQUEST_HOURS } from '../histogram/request-hours.js';

const HOUR_MS = 3_600_000;

export type BreakdownKind = keyof typeof REQUEST_GROUPS;
export const BREAKDOWN_KINDS = Object.keys(REQUEST_GROUPS) as BreakdownKind[];

export interface BreakdownAsked {
  by: BreakdownKind;
  /** How far to look back; null for all time. */
  days: number | null;
  limit: number;
  /** null for all. */
  origins: readonly string[] | null;
}

export interface FoundGroup {
  value: string;
  label: string;
  calls: BucketSums;
}

/** What request logs add up to by model, prompt, user and so on, from hourly sums. */
@Injectable()
export class BreakdownService {
  constructor(private readonly pool: ReadingPool) {}

  /** The groups with the most calls, and since when they were counted. Throws what the reading pool throws. */
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
      const labels = by.startsWith('prompt') ? await promptLabels(tx, workspaceId, values) : new Map<string, string>();
      return { since, groups: values.map((group) => ({ ...group, label: labels.get(group.value) ?? group.value })) };
    });
  }
}

/** "name" or "name v3", by id or by id and version. */
async function promptLabels(
  tx: EntityManager,
  workspaceId: number,
  groups: readonly { value: string }[],
): Promise<Map<string, string>> {
  const parts = groups.map(({ value }) => ({ value, parts: value.split(':') }));
  const names = await readPromptNames(
    tx,
    workspaceId,
    parts.map(({ parts: [id] }) => Number(id)),
  );
  return new Map(
    parts.flatMap(({ value, parts: [id, version] }) => {
      const name = names.get(Number(id));
      if (name === undefined) return [];
      return [[value, version === undefined ? name : `${name} v${version}`] as const];
    }),
  );
}
