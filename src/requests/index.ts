export { RequestsModule } from './requests.module.js';
export { SearchBell } from './search/search-bell.js';
export type { LlmCall, RequestStatus, TokenUsage } from './llm-call.js';
export { packCall, type PackedCall } from './packed-call.js';
export { ModelPrices } from './pricing/model-prices.js';
export { requestFields } from './request-filters.js';
export { RequestLog } from './request-log.entity.js';
export { REQUEST_FILTER_GROUP } from './request-filters.js';
export { REQUEST_SORTS, type RequestSort } from './request-sorts.js';
export { requestConditions } from './search/all-matches.js';
export type { RequestLogQuery } from './search/request-conditions.js';
export {
  copyLogRows,
  copyRequestLogs,
  type NewRequestLog,
  replaceRequestLogs,
  type WrittenLog,
  writeRequestLog,
} from './request-logs.queries.js';
export { deleteLogs, readStoredLogs, type StoredLog } from './stored-logs.queries.js';
export { modelNames } from './pricing/model-names.js';
export { findChangedLogs } from './changed-logs.queries.js';
export { inputText, outputText } from './conversation.js';
export { nestedMetadata } from './nested-metadata.js';
export {
  checkSelection,
  type LogPart,
  type LogParts,
  readLogParts,
  readLogSizes,
  readNames,
  readPromptVersions,
  type RequestSelection,
  selectRequestLogIds,
} from './selection.queries.js';
export { keepTracked } from './tracking/keep-tracked.js';
export { type NewScore, storeScores } from './tracking/scores.queries.js';
export { type LoggedCall, type LoggedCallFields, loggedCallInSpan, toLoggedCall } from './logging/logged-call.js';
export { findObject } from './search/answer-json.js';
export { inputText as searchedInput, outputText as searchedOutput, readAnswer, readFacts } from './search/derived.js';
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
export { countOldLogs, deleteOldLogs } from './expiry/old-logs.queries.js';
export { toPromptBlueprint } from './call-blueprint.js';
export { CallLog } from './logging/call-log.js';
export type { CallSpans, LogOfSpan } from './logging/call-batch.js';
export type { CallOutcome, CallToLog } from './logging/call-to-log.js';
export { loggedCallFields, toAnnotations } from './logging/logged-call.js';
export { LoggingService, type TimedCallFields } from './logging/logging.service.js';
export { LoggingErrors } from './logging/logging.errors.js';
export {
  checkOutcome,
  ERROR_MESSAGE_LENGTH,
  ERROR_TYPE_NAMES,
  type ErrorType,
  outcomeMismatch,
  STATUSES,
} from './logging/outcome.js';
export { LogAdditions } from './tracking/log-additions.js';
export { TrackingErrors } from './tracking/tracking.errors.js';
