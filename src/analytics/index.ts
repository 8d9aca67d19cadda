export {
  bucketKey,
  bucketLabel,
  type BucketSize,
  bucketStarts,
  COMFORTABLE_BUCKETS,
  DAILY,
  SIZES_BELOW_DAY,
} from './charts/buckets.js';
export { ChartErrors } from './charts/chart.errors.js';
export {
  type Chart,
  type ChartField,
  type ChartGroup,
  type ChartResult,
  type ChartSource,
  type Layout,
  type Measure,
  TIME_BUCKETS,
} from './charts/chart.js';
export {
  CHART_TYPE,
  chartId,
  chartTitle,
  GROUP_BY,
  groupLimit,
  measureFields,
  namesOf,
  TIME_SERIES,
} from './charts/chart.schema.js';
export { ChartBody } from './charts/charts.dto.js';
export { insightsOf, measuresOf, requireDistinctIds } from './charts/measures.js';
export { readCharts } from './charts/read-charts.js';
export { addUpHours, addUpHoursOf, countSums } from './rollups/add-up-hours.js';
export { CallSumsBody, toCallSums } from './rollups/call-sums.dto.js';
export { BucketSums } from './rollups/histogram-buckets.js';
export { floorDivide, type TimeRange } from './rollups/histogram-range.js';
export { type AskedTime, timeOf } from './rollups/histogram-time.js';
export {
  type AskedTimeBody,
  type Histogram,
  HISTOGRAM_RULES,
  HistogramBucketsField,
  HistogramEndField,
  HistogramResponse,
  HistogramStartField,
  toAskedTime,
  toHistogramResponse,
} from './rollups/histogram.dto.js';
export { HourSums } from './rollups/hour-sums.entity.js';
export { type HourlyRows, measured } from './rollups/hourly-rows.js';
export { readHistogram } from './rollups/read-histogram.js';
export { latencyClass, middleOf } from './rollups/latency-sketch.js';
export {
  addSeriesRows,
  joinRanges,
  partOf,
  readSeries,
  SERIES_SUMS,
  type SeriesQuery,
  type SeriesRow,
} from './rollups/read-series.js';
export { Series, SeriesByGroup, SeriesSums } from './rollups/series.js';
export { readTopFacets } from './rollups/read-top-facets.js';
export { readTotals } from './rollups/read-totals.js';
export { microsecondsOf, splitByTime, splitByValue } from './rollups/required-times.js';
