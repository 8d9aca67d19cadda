export { RequestsModule } from './requests.module.js';
export { SearchBell } from './search/search-bell.js';
export { ModelPrices } from './pricing/model-prices.js';
export { requestFields } from './request-filters.js';
export { REQUEST_FILTER_GROUP } from './request-filters.js';
export { REQUEST_SORTS, type RequestSort } from './request-sorts.js';
export { requestConditions } from './search/all-matches.js';
export { LogStore, type StoredLog } from './log-store.js';
export type { NewRequestLog } from './request-logs.queries.js';
export { findChangedLogs } from './changed-logs.queries.js';
export { LogSelection, type LogPart, type LogParts, type RequestSelection } from './selection.queries.js';
export type { NewScore } from './tracking/scores.queries.js';
export {
  countLogs,
  countWaitingLogs,
  findLogsOfPerson,
  findLogsOfRows,
  findLogsOfTraces,
  type Pair,
  type PersonalLog,
  renewRequestHours,
} from './expiry/personal-logs.queries.js';
export { LOGS } from './search/log-document.js';
export { OldLogs } from './expiry/old-logs.queries.js';
export { CALL_REFUSALS, CallLog } from './logging/call-log.js';
export type { CallSpans, LogOfSpan } from './logging/call-batch.js';
export type { CallToLog } from './logging/call-to-log.js';
export { LogAdditions } from './tracking/log-additions.js';
