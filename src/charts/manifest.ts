import { defineDomain } from '../platform/domain.js';

defineDomain('charts', {
  holds: 'Charts of what other domains store: measures, groups and buckets of time',
  uses: [],
});
