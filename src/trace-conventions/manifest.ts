import { defineDomain } from '../platform/domain.js';
import { TraceConventionsModule } from './trace-conventions.module.js';

defineDomain('trace-conventions', {
  holds: 'Spans as they arrive, and how instrumentations name things in their attributes, one file each',
  uses: ['llm'],
  module: () => TraceConventionsModule,
});
