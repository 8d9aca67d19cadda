import { defineDomain } from '../platform/domain.js';
import { oldestUndecided } from './feed-lag.queries.js';
import { Feed, FeedExecution, FeedHour, FeedItem, FeedRevision } from './feeds.entities.js';
import { FeedsModule } from './feeds.module.js';

defineDomain('feeds', {
  holds: 'Sheets that fill themselves with request logs and traces as they arrive',
  uses: ['arrivals', 'events', 'grid', 'imports', 'llm', 'requests', 'scoring', 'storage', 'tables', 'traces'],
  module: (process) => FeedsModule.for(process),
  entities: [Feed, FeedItem, FeedHour, FeedRevision, FeedExecution],
  readings: { oldestWork: [oldestUndecided] },
  tags: [
    { name: 'Feeds', description: 'Request logs and traces that become rows of a sheet as they arrive.', order: 157 },
  ],
});
