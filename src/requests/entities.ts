import { RequestHour, RequestHourChange } from './histogram/request-hours.entity.js';
import { ModelPrice } from './pricing/model-price.entity.js';
import { RequestLog } from './shared/request-log.entity.js';
import { QueuedRequestLog } from './search/queued-request-log.entity.js';
import { RequestGroup, RequestScore } from './tracking/tracking.entity.js';

export const requestEntities = [
  RequestLog,
  QueuedRequestLog,
  RequestScore,
  RequestGroup,
  ModelPrice,
  RequestHour,
  RequestHourChange,
];
