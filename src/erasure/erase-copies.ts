import type { EntityManager } from 'typeorm';
import { eraseFromAudit } from '../administration/index.js';
import { INSTALLATION } from '../access/index.js';
import { eraseDatasetFilters } from '../datasets/index.js';
import { eraseReportScores } from '../evaluations/index.js';
import { eraseEvents } from '../events/index.js';
import { eraseExports } from '../exports/index.js';
import { eraseFeeds } from '../feeds/index.js';
import { eraseMonitors } from '../monitors/index.js';
import type { Sought } from '../platform/database/erase-rows.js';
import { eraseAnswers } from '../platform/http/idempotency/erase-answers.queries.js';
import { eraseReasons } from '../registry/index.js';
import { eraseComments } from '../reviews/index.js';
import { eraseSavedViews } from '../saved-views/index.js';
import {
  eraseImportRequests,
  eraseKeptResults,
  eraseScorecardResults,
  eraseScoreResults,
  eraseVerdicts,
  restartCalculations,
} from '../tables/index.js';
import { eraseLogEvents, eraseSources } from '../traces/index.js';
import { eraseDeliveries } from '../webhooks/index.js';
import { eraseRuns } from '../workflows/index.js';
import type { ErasureRun } from './erasure-run.js';
import { readTargets } from './targets.queries.js';

type Erase = (tx: EntityManager, sought: Sought) => Promise<number>;

/** Everything besides traces, logs and rows that may hold data of a person, by the kind under which it is counted. */
const COPIES: Record<string, Erase> = {
  log_events: eraseLogEvents,
  webhook_deliveries: eraseDeliveries,
  events: eraseEvents,
  exports: eraseExports,
  kept_answers: eraseAnswers,
  kept_results: eraseKeptResults,
  workflow_runs: eraseRuns,
  import_requests: eraseImportRequests,
  dataset_searches: eraseDatasetFilters,
  label_changes: eraseReasons,
  review_comments: eraseComments,
  saved_views: eraseSavedViews,
  monitors: eraseMonitors,
  feeds: eraseFeeds,
  audit_entries: eraseFromAudit,
};

/** Erases scores of rows. Runs before rows are erased, because scores that are deleted with them would not be counted. */
export async function eraseJudgements(run: ErasureRun): Promise<void> {
  const sought = await run.sought();
  if (!run.isDryRun) await run.db.transaction((tx) => restartCalculations(tx, run.workspaceId));
  await run.eraseAll('verdicts', (tx) => eraseVerdicts(tx, sought));
  await run.eraseAll('scores', (tx) => eraseScorecardResults(tx, sought));
  await run.eraseAll('scores', (tx) => eraseScoreResults(tx, sought));
  await run.eraseAll('scores', (tx) => eraseReportScores(tx, sought));
}

export async function eraseCopies(run: ErasureRun): Promise<void> {
  const sought = await run.sought();
  for (const [kind, erase] of Object.entries(COPIES)) await run.eraseAll(kind, (tx) => erase(tx, sought));
  if (run.isOperators) {
    await run.eraseAll('audit_entries', (tx) => eraseFromAudit(tx, { ...sought, workspaceId: INSTALLATION }));
  }
  const hashes = await readTargets(run.db.manager, run, 'source');
  await run.eraseAll('resources', (tx) => eraseSources(tx, sought, hashes));
}
