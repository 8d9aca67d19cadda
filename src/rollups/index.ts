export { addUpHours, addUpHoursOf, countSums } from './add-up-hours.js';
export { CallSumsBody, toCallSums } from './call-sums.dto.js';
export { BucketSums } from './histogram-buckets.js';
export { floorDivide, type TimeRange } from './histogram-range.js';
export { type AskedTime, timeOf } from './histogram-time.js';
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
} from './histogram.dto.js';
export { HourChange, HourSums } from './hour-sums.entity.js';
export { type HourlyRows, measured } from './hourly-rows.js';
export { latencyClass, middleOf } from './latency-sketch.js';
export { readHistogram } from './read-histogram.js';
export { addSeriesRows, joinRanges, partOf, readSeries, SERIES_SUMS, type SeriesRow } from './read-series.js';
export { readTopFacets } from './read-top-facets.js';
export { readTotals } from './read-totals.js';
export { microsecondsOf, splitByTime, splitByValue } from './required-times.js';
export { Series, SeriesByGroup, type SeriesSums } from './series.js';
