import { Module } from '@nestjs/common';
import { AgreementService } from './agreement.service.js';
import { FewShotService } from './few-shot.service.js';
import { ReviewAnswersService } from './review-answers.service.js';
import { ReviewItemsController } from './review-items.controller.js';
import { ReviewItemsService } from './review-items.service.js';
import { ReviewQueuesController } from './review-queues.controller.js';
import { ReviewQueuesService } from './review-queues.service.js';
import { ReviewResults } from './review-results.js';

@Module({
  controllers: [ReviewQueuesController, ReviewItemsController],
  providers: [
    ReviewQueuesService,
    ReviewItemsService,
    ReviewAnswersService,
    ReviewResults,
    AgreementService,
    FewShotService,
  ],
})
export class ReviewsModule {}
