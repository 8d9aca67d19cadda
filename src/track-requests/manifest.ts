import { defineDomain } from '../platform/domain.js';
import { TrackRequestsModule } from './track-requests.module.js';

defineDomain('track-requests', {
  holds: "Calls as older SDKs report them, in the vendor's native format",
  uses: ['llm', 'requests', 'storage', 'trace-conventions', 'traces'],
  module: () => TrackRequestsModule,
});
