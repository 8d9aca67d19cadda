import { defineDomain } from '../platform/domain.js';
import { TrackRequestsModule } from './track-requests.module.js';

defineDomain('track-requests', {
  holds: 'Calls as older SDKs report them, in the words of each vendor (`llm/formats`)',
  uses: ['llm', 'prompts', 'requests', 'traces'],
  module: () => TrackRequestsModule,
});
