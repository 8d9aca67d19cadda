import { IdBlocks } from '../../platform/database/id-blocks.js';

/** The ids of spans and of the logs that are made of them. */
export class SpanIds {
  readonly ofSpans = new IdBlocks('span_ids');
  readonly ofLogs = new IdBlocks('request_log_ids');
}
