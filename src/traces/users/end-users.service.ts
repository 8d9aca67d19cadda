import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { BucketSums, readTopFacets, readTotals } from '../../rollups/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { withinTime } from '../../platform/database/within-time.js';
import { HASHED, metadataFacet, metadataFacetPrefix, REQUEST_HOURS } from '../../requests/index.js';
import { TraceFreshness } from '../search/trace-freshness.js';
import { MOST_COUNTED } from '../sessions/session-rows.js';
import { countSessionsOf, type UserSessions } from '../sessions/sessions.queries.js';
import { TraceErrors } from '../shared/traces.errors.js';

/** The metadata key in which conventions keep the user. */
const USER_KEY = 'user_id';
const HOUR_MS = 3_600_000;

export interface EndUsersAsked {
  origins: readonly string[] | null;
  /** How far to look back; null for all time. */
  days: number | null;
  limit: number;
}

export interface EndUser {
  id: string;
  calls: BucketSums;
}

export interface OneEndUser extends EndUser, UserSessions {
  isPartial: boolean;
}

/** The people who use the applications of a workspace, as their calls and traces name them. */
@Injectable()
export class EndUsersService {
  constructor(
    private readonly db: DataSource,
    private readonly pool: ReadingPool,
    private readonly freshness: TraceFreshness,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * The users with the most calls, and the start of the period that was counted. Throws the errors of the reading pool.
   */
  async list(
    { workspaceId }: Caller,
    { origins, days, limit }: EndUsersAsked,
  ): Promise<{ since: Date | null; users: EndUser[] }> {
    const prefix = metadataFacetPrefix(workspaceId, USER_KEY);
    const since = days === null ? null : new Date(Math.floor((Date.now() - days * 24 * HOUR_MS) / HOUR_MS) * HOUR_MS);
    const from = since && BigInt(since.getTime()) * 1000n;
    const users = await this.pool.read(async (tx) => {
      const top = await readTopFacets(tx, REQUEST_HOURS, { workspaceId, prefix, origins, from, limit });
      const names = await fullNames(tx, workspaceId, { prefix, facets: top.map(([facet]) => facet) });
      return top.map(([facet, calls]) => ({ id: names.get(facet) ?? facet.slice(prefix.length), calls }));
    });
    return { since, users };
  }

  /** Throws end_user_not_found and the errors of the reading pool. */
  async get({ workspaceId }: Caller, id: string): Promise<OneEndUser> {
    const facet = metadataFacet(workspaceId, USER_KEY, id);
    const isFresh = await this.freshness.ofWorkspace(workspaceId);
    const totals = await this.pool.read((tx) => readTotals(tx, REQUEST_HOURS, { workspaceId, facets: [facet] }));
    const sessions = await withinTime(this.config, () =>
      countSessionsOf(this.db.manager, workspaceId, id, MOST_COUNTED),
    );
    if (!totals.has(facet) && sessions.session_count === 0) throw TraceErrors.end_user_not_found(id);
    return { id, calls: totals.get(facet) ?? new BucketSums(), ...sessions, isPartial: !isFresh };
  }
}

/** Facets of long values contain a hash, so the value is read from a call that has the facet. */
async function fullNames(
  tx: EntityManager,
  workspaceId: number,
  { prefix, facets }: { prefix: string; facets: string[] },
): Promise<Map<string, string>> {
  const hashed = facets.filter((facet) => facet.startsWith(`${prefix}${HASHED}`));
  if (hashed.length === 0) return new Map();
  const rows = await tx.query<{ facet: string; id: string }[]>(
    `SELECT k.facet, l.metadata ->> '${USER_KEY}' AS id
       FROM unnest($2::text[]) AS k (facet)
      CROSS JOIN LATERAL (
        SELECT metadata FROM request_logs
         WHERE workspace_id = $1 AND facets @> ARRAY[k.facet] AND metadata ? '${USER_KEY}' LIMIT 1) AS l`,
    [workspaceId, hashed],
  );
  return new Map(rows.map(({ facet, id }) => [facet, id]));
}
