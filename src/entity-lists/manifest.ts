import { defineDomain } from '../platform/domain.js';

defineDomain('entity-lists', {
  holds: 'Query parameters and filters that all lists of entities share',
  uses: ['external-ids'],
});
