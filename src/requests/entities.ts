import { RequestHour, RequestHourChange } from './histogram/request-hours.entity.js';
import { ModelPrice } from './pricing/model-price.entity.js';
import { RequestLog } from './request-log.entity.js';
import { QueuedRequestLog, RequestLogSearch, RequestLogWordRuns } from './search/request-log-search.entity.js';
import { VocabularyWord } from './search/vocabulary.entity.js';
import { RequestGroup, RequestScore } from './tracking/tracking.entity.js';

export const requestEntities = [
  RequestLog,
  RequestLogSearch,
  RequestLogWordRuns,
  QueuedRequestLog,
  VocabularyWord,
  RequestScore,
  RequestGroup,
  ModelPrice,
  RequestHour,
  RequestHourChange,
];
