import { defineDomain } from '../platform/domain.js';
import type { GaugeDefinitions, LabelsOf } from '../platform/telemetry/gauges.js';
import { SearchDocument, SearchPostings, SearchSegment, SearchValues, SearchWordList } from './segments/entities.js';
import { TextSearchModule } from './text-search.module.js';

const gauges = {
  searchLag: {
    name: 'tracesheet_search_lag_seconds',
    help: 'How long the oldest log or trace has waited for the search index, by index: logs, traces; 0 while none waits. Every process shows the same.',
    labelNames: ['index'],
    worry: 'It grows beyond a minute: searches read what waits one by one, or leave it out.',
  },
} as const satisfies GaugeDefinitions;

declare module '../platform/telemetry/gauges.js' {
  interface Gauges extends LabelsOf<typeof gauges> {}
}

defineDomain('text-search', {
  holds: 'The search index: segments with the words, exact values and numbers of documents',
  uses: ['words'],
  module: (process) => TextSearchModule.for(process),
  entities: [SearchSegment, SearchPostings, SearchWordList, SearchValues, SearchDocument],
  gauges,
});
