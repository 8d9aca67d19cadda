import { Access1780000000001 } from './1-access.js';
import { Observability1780000000002 } from './2-observability.js';
import { Tables1780000000003 } from './3-tables.js';
import { Prompts1780000000004 } from './4-prompts.js';
import { Webhooks1780000000005 } from './5-webhooks.js';
import { Logging1780000000006 } from './6-logging.js';
import { TraceSearch1780000000007 } from './7-trace-search.js';
import { RetentionExports1780000000008 } from './8-retention-exports.js';
import { Sheets1780000000009 } from './9-sheets.js';
import { CellSpace1780000000010 } from './10-cell-space.js';
import { LogTraces1780000000011 } from './11-log-traces.js';
import { WordIndexes1780000000012 } from './12-word-indexes.js';
import { Vocabulary1780000000013 } from './13-vocabulary.js';
import { IngestionUpkeep1780000000014 } from './14-ingestion-upkeep.js';
import { LogStatistics1780000000015 } from './15-log-statistics.js';
import { WordPairs1780000000016 } from './16-word-pairs.js';
import { ReceiptText1780000000017 } from './17-receipt-text.js';
import { ModelPrices1780000000018 } from './18-model-prices.js';
import { EventTurns1780000000019 } from './19-event-turns.js';
import { JsonInText1780000000020 } from './20-json-in-text.js';
import { WordStatistics1780000000021 } from './21-word-statistics.js';
import { WordRuns1780000000022 } from './22-word-runs.js';
import { TraceStatistics1780000000023 } from './23-trace-statistics.js';
import { TraceWordRuns1780000000024 } from './24-trace-word-runs.js';
import { TrackedScores1780000000025 } from './25-tracked-scores.js';
import { EventConsumers1780000000026 } from './26-event-consumers.js';
import { GridOwners1780000000027 } from './27-grid-owners.js';
import { WorkClaims1780000000028 } from './28-work-claims.js';
import { ExternalCells1780000000029 } from './29-external-cells.js';
import { PricedBy1780000000030 } from './30-priced-by.js';
import { NestedCalls1780000000031 } from './31-nested-calls.js';
import { WorkspaceSettings1780000000035 } from './35-workspace-settings.js';
import { ComparableTexts1780000000034 } from './34-comparable-texts.js';
import { ModelCredentials1780000000037 } from './37-model-credentials.js';
import { DefaultModels1780000000039 } from './39-default-models.js';
import { McpServers1780000000036 } from './36-mcp-servers.js';
import { Scores1780000000041 } from './41-scores.js';
import { Scorecards1780000000042 } from './42-scorecards.js';

/** In the order they run. */
export const migrations = [
  Access1780000000001,
  Observability1780000000002,
  Tables1780000000003,
  Prompts1780000000004,
  Webhooks1780000000005,
  Logging1780000000006,
  TraceSearch1780000000007,
  RetentionExports1780000000008,
  Sheets1780000000009,
  CellSpace1780000000010,
  LogTraces1780000000011,
  WordIndexes1780000000012,
  Vocabulary1780000000013,
  IngestionUpkeep1780000000014,
  LogStatistics1780000000015,
  WordPairs1780000000016,
  ReceiptText1780000000017,
  ModelPrices1780000000018,
  EventTurns1780000000019,
  JsonInText1780000000020,
  WordStatistics1780000000021,
  WordRuns1780000000022,
  TraceStatistics1780000000023,
  TraceWordRuns1780000000024,
  TrackedScores1780000000025,
  EventConsumers1780000000026,
  GridOwners1780000000027,
  WorkClaims1780000000028,
  ExternalCells1780000000029,
  PricedBy1780000000030,
  NestedCalls1780000000031,
  WorkspaceSettings1780000000035,
  ComparableTexts1780000000034,
  ModelCredentials1780000000037,
  DefaultModels1780000000039,
  McpServers1780000000036,
  Scores1780000000041,
  Scorecards1780000000042,
];
