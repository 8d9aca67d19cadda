import { defineDomain } from '../platform/domain.js';

defineDomain('entity-lists', {
  holds: 'The filters that all lists of entities have in common',
  uses: ['external-ids'],
});
