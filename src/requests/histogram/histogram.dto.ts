import {
  type AskedTimeBody,
  HistogramBucketsField,
  HistogramEndField,
  HistogramStartField,
} from '../../rollups/index.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { LogQueryRequest } from '../search/log-query.dto.js';

/** Which request logs are counted, and in which time. */
@Closed()
export class RequestHistogramRequest extends LogQueryRequest implements AskedTimeBody {
  @HistogramStartField()
  start_time?: unknown;

  @HistogramEndField()
  end_time?: unknown;

  @HistogramBucketsField()
  buckets?: number | null;
}
