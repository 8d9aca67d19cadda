export {
  bucketKey,
  bucketLabel,
  type BucketSize,
  bucketStarts,
  COMFORTABLE_BUCKETS,
  DAILY,
  SIZES_BELOW_DAY,
} from './buckets.js';
export { CHART_ERRORS, ChartErrors } from './chart.errors.js';
export {
  CHART_TYPE,
  chartId,
  chartTitle,
  GROUP_BY,
  groupLimit,
  measureFields,
  namesOf,
  TIME_SERIES,
} from './chart.schema.js';
export {
  type Chart,
  type ChartField,
  type ChartGroup,
  type ChartResult,
  type ChartSource,
  type Layout,
  type Measure,
  TIME_BUCKETS,
} from './chart.js';
export { ChartBody } from './charts.dto.js';
export { insightsOf, measuresOf, requireDistinctIds } from './measures.js';
export { readCharts } from './read-charts.js';
