import { defineDomain } from '../platform/domain.js';
import { ReviewAnswer } from './review-answer.entity.js';
import { ReviewItem } from './review-item.entity.js';
import { ReviewQueue } from './review-queue.entity.js';
import { ReviewsModule } from './reviews.module.js';

defineDomain('reviews', {
  holds: 'Queues in which people review rows, requests and traces, and how far people and judges agree',
  uses: ['grid', 'requests', 'scoring', 'tables', 'traces'],
  module: () => ReviewsModule,
  entities: [ReviewQueue, ReviewItem, ReviewAnswer],
  tags: [{ name: 'Reviews', description: 'Rows, requests and traces that people answer by a rubric.', order: 158 }],
});
