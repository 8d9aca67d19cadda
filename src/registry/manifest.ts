import { defineDomain } from '../platform/domain.js';

defineDomain('registry', {
  holds:
    'What prompts, tools, workflows and skill collections have in common: names, numbered versions and labels on them',
  uses: ['entity-lists', 'external-ids'],
});
