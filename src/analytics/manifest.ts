import { defineDomain } from '../platform/domain.js';

defineDomain('analytics', {
  holds: 'Charts and histograms of what other domains store: measures, buckets and hourly sums',
  uses: [],
});
