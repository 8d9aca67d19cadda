import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { type BreakdownKind, REQUEST_GROUPS, type RequestGroup } from '../breakdown/group-facets.js';
import { withLabels } from '../breakdown/group-labels.js';
import { environmentFacet } from '../shared/facets.js';
import {
  readScoreBuckets,
  readScoreGroups,
  readScoreNames,
  type ScoreSums,
  type WantedScores,
} from './score-trends.queries.js';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** Approximate number of bars of a chart. */
const MOST_BUCKETS = 90;

export interface ScoreTrendAsked {
  name: string;
  by: BreakdownKind;
  /** Restricts to the group of this value; null for all logs. */
  value: string | null;
  days: number;
  limit: number;
  /** null for all. */
  origins: readonly string[] | null;
  /** null for all. */
  environment: string | null;
}

export interface ScoreTrend {
  since: Date;
  bucketSeconds: number;
  buckets: (ScoreSums & { at: Date })[];
  groups: (ScoreSums & { value: string; label: string })[];
}

/** Scores of request logs over time and by model, prompt, user and so on. They are read from the scores: there are fewer of them than logs. */
@Injectable()
export class ScoreTrendsService {
  constructor(private readonly pool: ReadingPool) {}

  /** The names of all scores, in order. */
  names({ workspaceId }: Caller): Promise<string[]> {
    return this.pool.read((tx) => readScoreNames(tx, workspaceId));
  }

  /** Throws what the reading pool throws. */
  read({ workspaceId }: Caller, asked: ScoreTrendAsked): Promise<ScoreTrend> {
    const { by, value, days, environment, limit } = asked;
    const { prefix: prefixOf, rest }: RequestGroup = REQUEST_GROUPS[by];
    const prefix = prefixOf(workspaceId);
    const bucketSeconds = bucketOf(days);
    const since = startOf(days, bucketSeconds);
    const ofGroup = value === null ? [] : [`${prefix}${value}`];
    const ofEnvironment = environment === null ? [] : [environmentFacet(workspaceId, environment)];
    const all: WantedScores = {
      workspaceId,
      name: asked.name,
      since,
      origins: asked.origins,
      facets: ofEnvironment,
    };
    return this.pool.read(async (tx) => {
      const buckets = await readScoreBuckets(tx, { ...all, facets: [...ofEnvironment, ...ofGroup] }, bucketSeconds);
      const groups = await readScoreGroups(tx, all, { prefix, rest, limit });
      return { since, bucketSeconds, buckets, groups: await withLabels(tx, { workspaceId, by }, groups) };
    });
  }
}

/** Whole hours, or whole days for long ranges. */
function bucketOf(days: number): number {
  const wanted = (days * DAY_S) / MOST_BUCKETS;
  const unit = wanted > DAY_S ? DAY_S : HOUR_S;
  return Math.max(1, Math.ceil(wanted / unit)) * unit;
}

/** The beginning of the bucket in which the range begins. */
function startOf(days: number, bucketSeconds: number): Date {
  const seconds = Date.now() / 1000 - days * DAY_S;
  return new Date(Math.floor(seconds / bucketSeconds) * bucketSeconds * 1000);
}
