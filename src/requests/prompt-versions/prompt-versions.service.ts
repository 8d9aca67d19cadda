import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import type { Origin } from '../../llm/records/origin.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type Order, readingOrder } from '../../platform/http/list.js';
import { type BucketSums, readTotals } from '../../rollups/index.js';
import { type ListedVersion, listPromptVersions } from '../../prompts/index.js';
import { promptVersionFacet } from '../shared/facets.js';
import { REQUEST_HOURS } from '../histogram/request-hours.js';
import { type ScoreSum, scoresByFacet } from './version-scores.queries.js';

export interface VersionsQuery {
  cursor?: string;
  limit: number;
  order: Order;
  /** Only calls of this origin are counted. */
  origin?: Origin;
}

export interface MeasuredVersion {
  version: ListedVersion;
  /** Undefined for a version without calls. */
  calls: BucketSums | undefined;
  /** Null when the time limit was reached. */
  scores: ScoreSum[] | null;
}

export const versionOrder = (order: Order, prompt: string): ListOrder => ({
  sort: 'number',
  order,
  filters: { prompt },
});

@Injectable()
export class PromptVersionsService {
  constructor(private readonly pool: ReadingPool) {}

  /**
   * Up to `limit + 1` versions: the extra one shows that there are more. The same few statements sum up the calls of
   * all versions, however many there are. Throws prompt_not_found, cursor_invalid and what the reading pool throws.
   */
  list({ workspaceId }: Caller, identifier: string, query: VersionsQuery): Promise<MeasuredVersion[]> {
    const { cursor, limit, origin } = query;
    const position = cursor ? decodePosition(versionOrder(query.order, identifier), cursor, ['number']) : null;
    const order = readingOrder(query.order, position);
    const beside = position ? Number(position.values[0]) : null;
    return this.pool.read(async (tx) => {
      const page = { order, beside, limit: limit + 1 };
      const { promptId, versions } = await listPromptVersions(tx, workspaceId, identifier, page);
      const facetOf = ({ number: versionNumber }: ListedVersion) =>
        promptVersionFacet(workspaceId, { promptId, versionNumber });
      const facets = versions.map(facetOf);
      const calls = await readTotals(tx, REQUEST_HOURS, { workspaceId, facets, origins: origin ? [origin] : null });
      const scores = await scoresByFacet(tx, { workspaceId, facets, origin });
      return versions.map((version) => ({
        version,
        calls: calls.get(facetOf(version)),
        scores: scores?.get(facetOf(version)) ?? null,
      }));
    });
  }
}
