import { type DynamicModule, Module } from '@nestjs/common';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { registerQueue } from '../platform/queue/register-queue.js';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { DeliveriesController, WorkspaceDeliveriesController } from './deliveries.controller.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryWork } from './delivery-work.js';
import { WEBHOOK_QUEUE, WebhookBell } from './webhook-bell.js';
import { WebhookProcessor } from './webhook.processor.js';
import { WebhooksConsumer } from './webhooks.consumer.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** What only a worker does. */
const WORKERS = [DeliveryWork, WebhookProcessor, WebhooksConsumer];

@Module({})
export class WebhooksModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: WebhooksModule,
      imports: [OutboundModule, SecretsModule, registerQueue(WEBHOOK_QUEUE)],
      controllers: [WebhooksController, DeliveriesController, WorkspaceDeliveriesController],
      providers: [WebhooksService, DeliveriesService, WebhookBell, ...(works ? WORKERS : [])],
    };
  }
}
