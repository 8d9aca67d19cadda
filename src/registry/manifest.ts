import { defineDomain } from '../platform/domain.js';
import { LabelChange } from './label-changes/label-change.entity.js';
import { RegistryModule } from './registry.module.js';

defineDomain('registry', {
  holds:
    'What prompts, tools, workflows and skill collections have in common: names, numbered versions, labels on them, and approvals of label changes',
  uses: ['entity-lists', 'events', 'external-ids'],
  module: () => RegistryModule,
  entities: [LabelChange],
  tags: [
    {
      name: 'Label changes',
      description: 'Requests for changes of protected labels, which a second person approves.',
      order: 78,
    },
  ],
});
