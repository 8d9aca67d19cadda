import { Platform1780000000001 } from './1-platform.js';
import { Access1780000000002 } from './2-access.js';
import { Llm1780000000003 } from './3-llm.js';
import { Events1780000000004 } from './4-events.js';
import { ExternalIds1780000000005 } from './5-external-ids.js';
import { Folders1780000000006 } from './6-folders.js';
import { Prompts1780000000007 } from './7-prompts.js';
import { Requests1780000000008 } from './8-requests.js';
import { Traces1780000000009 } from './9-traces.js';
import { McpServers1780000000010 } from './10-mcp-servers.js';
import { Tables1780000000011 } from './11-tables.js';
import { Webhooks1780000000012 } from './12-webhooks.js';
import { Exports1780000000013 } from './13-exports.js';
import { Retention1780000000014 } from './14-retention.js';
import { Scorecards1780000000042 } from './42-scorecards.js';
import { Datasets1780000000043 } from './43-datasets.js';
import { Evaluations1780000000044 } from './44-evaluations.js';
import { Tools1780000000045 } from './45-tools.js';
import { Skills1780000000046 } from './46-skills.js';
import { Workflows1780000000047 } from './47-workflows.js';
import { WorkflowRuns1780000000048 } from './48-workflow-runs.js';
import { Rollups1780000000050 } from './50-rollups.js';
import { TextSearch1780000000051 } from './51-text-search.js';
import { Refusals1780000000053 } from './53-refusals.js';
import { ConsoleSessions1780000000054 } from './54-console-sessions.js';
import { CancelledImports1780000000055 } from './55-cancelled-imports.js';
import { TracesInSegments1780000000059 } from './59-traces-in-segments.js';
import { KeyLimits1780000000060 } from './60-key-limits.js';
import { Erasures1780000000061 } from './61-erasures.js';
import { Regressions1780000000063 } from './63-regressions.js';
import { SheetViews1780000000064 } from './64-sheet-views.js';
import { ProtectedLabels1780000000066 } from './66-protected-labels.js';
import { RegressionCosts1780000000067 } from './67-regression-costs.js';
import { Jobs1780000000068 } from './68-jobs.js';
import { CallReservations1780000000069 } from './69-call-reservations.js';
import { WordLists1780000000070 } from './70-word-lists.js';
import { WorkspaceStorage1780000000071 } from './71-workspace-storage.js';
import { SecretsCheck1780000000072 } from './72-secrets-check.js';
import { AskingAgain1780000000073 } from './73-asking-again.js';
import { AbReleases1780000000074 } from './74-ab-releases.js';
import { ReusedCells1780000000076 } from './76-reused-cells.js';
import { ResponseIds1780000000078 } from './78-response-ids.js';
import { Repricings1780000000079 } from './79-repricings.js';
import { SearchLag1780000000080 } from './80-search-lag.js';
import { People1780000000081 } from './81-people.js';
import { Groups1780000000082 } from './82-groups.js';
import { SingleSignOn1780000000083 } from './83-single-sign-on.js';
import { Scim1780000000084 } from './84-scim.js';
import { AuditChains1780000000085 } from './85-audit-chains.js';
import { SecretsKeyId1780000000086 } from './86-secrets-key-id.js';
import { CustomRoles1780000000087 } from './87-custom-roles.js';
import { WorkspaceDeletions1780000000088 } from './88-workspace-deletions.js';
import { LabelChanges1780000000089 } from './89-label-changes.js';
import { SessionsAtProviders1780000000090 } from './90-sessions-at-providers.js';
import { Origins1780000000092 } from './92-origins.js';
import { Sessions1780000000094 } from './94-sessions.js';
import { Reviews1780000000095 } from './95-reviews.js';
import { RowLines1780000000096 } from './96-row-lines.js';
import { SavedViews1780000000097 } from './97-saved-views.js';
import { Monitors1780000000098 } from './98-monitors.js';
import { WebhookFormats1780000000099 } from './99-webhook-formats.js';
import { CalculationList1780000000103 } from './103-calculation-list.js';
import { FeedTurns1780000000104 } from './104-feed-turns.js';
import { ScoresByName1780000000105 } from './105-scores-by-name.js';
import { ReviewQuestions1780000000106 } from './106-review-questions.js';
import { SheetsOfDeletedTables1780000000107 } from './107-sheets-of-deleted-tables.js';
import { SessionIndexes1780000000108 } from './108-session-indexes.js';
import { ResponseIdIndex1780000000109 } from './109-response-id-index.js';
import { WordsLeftOut1780000000110 } from './110-words-left-out.js';

/** What each domain had in version 0.1, whose databases were made by the migrations in `earlier.ts`. These never change. */
import { Arrivals1780000000100 } from './100-arrivals.js';
import { Feeds1780000000101 } from './101-feeds.js';
import { TraceScores1780000000102 } from './102-trace-scores.js';
export const firstMigrations = [
  Platform1780000000001,
  Access1780000000002,
  Llm1780000000003,
  Events1780000000004,
  ExternalIds1780000000005,
  Folders1780000000006,
  Prompts1780000000007,
  Requests1780000000008,
  Traces1780000000009,
  McpServers1780000000010,
  Tables1780000000011,
  Webhooks1780000000012,
  Exports1780000000013,
  Retention1780000000014,
];

/** All, in the order they run. A new one takes the next free number from 42 on: numbers up to 41 are those of version 0.1. */
export const migrations = [
  ...firstMigrations,
  Scorecards1780000000042,
  Datasets1780000000043,
  Evaluations1780000000044,
  Tools1780000000045,
  Skills1780000000046,
  Workflows1780000000047,
  WorkflowRuns1780000000048,
  Rollups1780000000050,
  TextSearch1780000000051,
  Refusals1780000000053,
  ConsoleSessions1780000000054,
  CancelledImports1780000000055,
  TracesInSegments1780000000059,
  KeyLimits1780000000060,
  Erasures1780000000061,
  Regressions1780000000063,
  SheetViews1780000000064,
  ProtectedLabels1780000000066,
  RegressionCosts1780000000067,
  Jobs1780000000068,
  CallReservations1780000000069,
  WordLists1780000000070,
  WorkspaceStorage1780000000071,
  SecretsCheck1780000000072,
  AskingAgain1780000000073,
  AbReleases1780000000074,
  ReusedCells1780000000076,
  ResponseIds1780000000078,
  Repricings1780000000079,
  SearchLag1780000000080,
  People1780000000081,
  Groups1780000000082,
  SingleSignOn1780000000083,
  Scim1780000000084,
  AuditChains1780000000085,
  SecretsKeyId1780000000086,
  CustomRoles1780000000087,
  WorkspaceDeletions1780000000088,
  LabelChanges1780000000089,
  SessionsAtProviders1780000000090,
  Origins1780000000092,
  Sessions1780000000094,
  Reviews1780000000095,
  RowLines1780000000096,
  SavedViews1780000000097,
  Monitors1780000000098,
  WebhookFormats1780000000099,
  Arrivals1780000000100,
  Feeds1780000000101,
  TraceScores1780000000102,
  CalculationList1780000000103,
  FeedTurns1780000000104,
  ScoresByName1780000000105,
  ReviewQuestions1780000000106,
  SheetsOfDeletedTables1780000000107,
  SessionIndexes1780000000108,
  ResponseIdIndex1780000000109,
  WordsLeftOut1780000000110,
];
