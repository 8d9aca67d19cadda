export { RequestsModule } from './requests.module.js';
export type { LlmCall, RequestStatus, TokenUsage } from './llm-call.js';
export { priceCall } from './prices.js';
export { RequestLog } from './request-log.entity.js';
export { requestEntities } from './entities.js';
export { type NewRequestLog, upsertRequestLogs } from './request-logs.queries.js';
export { inputText, outputText } from './conversation.js';
export {
  checkSelection,
  readRequestLogs,
  readVariableNames,
  REQUEST_SORTS,
  type RequestSelection,
  type RequestSort,
  selectRequestLogIds,
} from './selection.queries.js';
