import { defineDomain } from '../platform/domain.js';

defineDomain('rollups', {
  holds: 'Histograms of what other domains store: hourly sums, series and totals',
  uses: ['charts'],
});
